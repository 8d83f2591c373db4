package app

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/job"
	"ragdesk/backend/lexical"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

const (
	// maxWords bounds the words of a library.
	maxWords = 500_000
	// maxWordsFile bounds a file of words, in bytes.
	maxWordsFile = 64 << 20
)

// wording is the result of a change of words.
type wording struct {
	lib   rag.Library
	words []rag.Word
	edit  wordEdit
	// added and unchanged count words given, removed words that went.
	added, unchanged, removed int
	rebuilt                   bool
}

// wordEdit is a change of words, as read.
type wordEdit struct {
	clear             bool
	remove, stop, add []wordLine
	problems          []wordProblem
	warnings          []rag.Notice
}

// wordLine is a word with where it stands.
type wordLine struct {
	rag.Word
	place wordProblem
}

// wordProblem is what is wrong with a line; line is 0 for a word given directly.
type wordProblem struct {
	file string
	line int
	err  error
}

// Words lists a library's own words.
func (s *Service) Words(ctx context.Context, r api.WordsRequest) (api.Words, error) {
	lib, err := s.library(ctx, r.KB)
	if err != nil {
		return api.Words{}, err
	}
	words, err := s.store.Words(ctx, lib)
	return wordsResult(i18n.Language(ctx), wording{lib: lib, words: text.SortWords(words)}), err
}

// StartEditWords changes a library's own words and indexes its texts again. What
// cannot be read as a file is refused before any work.
func (s *Service) StartEditWords(ctx context.Context, r api.EditWordsRequest) (api.Job, error) {
	if _, err := s.library(ctx, r.KB); err != nil {
		return api.Job{}, err
	}
	edit, err := readEdit(r)
	if err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("words", func(ctx context.Context, progress *job.Reporter) (any, error) {
		return s.editWords(ctx, r.KB, edit, progress)
	})
	return jobSnapshot("", snap), nil
}

// editWords changes the words as the writer.
func (s *Service) editWords(ctx context.Context, kb string, edit wordEdit, progress rag.Progress) (wording, error) {
	shelf, err := s.openShelf(ctx)
	if err != nil {
		return wording{}, err
	}
	w, err := s.store.Lock(ctx, "kb words "+kb, s.cfg.LockWait)
	if err != nil {
		return wording{}, err
	}
	defer unlock(w)
	lib, err := s.store.Library(ctx, kb)
	if err != nil {
		return wording{}, err
	}
	old, err := s.store.Words(ctx, lib)
	if err != nil {
		return wording{}, err
	}
	out := edit.apply(old)
	out.lib = lib
	switch {
	case len(out.words) > maxWords:
		return wording{}, fault.New("words_many", fault.P("words", len(out.words)), fault.P("most", maxWords))
	case rag.WordsHash(out.words) == lib.Words:
		return out, nil
	}
	texts := textIndexes{lexical.NewAnalyzer(out.words)}
	out.lib, err = shelf.Reword(ctx, lib, texts, progress, func(fingerprint string, counts map[rag.ChunkID]rag.TermCounts) (rag.Library, error) {
		return w.SetWords(ctx, lib, rag.Wording{
			Words: out.words, Hash: rag.WordsHash(out.words), TextFingerprint: fingerprint, Counts: counts,
		})
	})
	out.rebuilt = true
	return out, err
}

// apply makes the new words of the old ones: what is cleared goes first, then what is
// removed; then stop words and words come in, each in the place of one that folds to
// the same.
func (e wordEdit) apply(old []rag.Word) wording {
	out := wording{edit: e}
	now := map[string]rag.Word{}
	for _, w := range old {
		now[text.Fold(w.Word).Text] = w
	}
	before := maps.Clone(now)
	if e.clear {
		clear(now)
	}
	for _, l := range e.remove {
		term := text.Fold(l.Word.Word).Text
		if _, there := before[term]; !there {
			l.place.err = fault.New("word_not_listed", fault.P("word", l.Word.Word))
			out.edit.problems = append(out.edit.problems, l.place)
		}
		delete(now, term)
	}
	given := map[string]bool{}
	for _, l := range slices.Concat(e.stop, e.add) {
		term := text.Fold(l.Word.Word).Text
		now[term] = l.Word
		given[term] = true
	}
	for term := range given {
		if before[term] == now[term] {
			out.unchanged++
		} else {
			out.added++
		}
	}
	for term := range before {
		if _, left := now[term]; !left {
			out.removed++
		}
	}
	out.words = text.SortWords(slices.Collect(maps.Values(now)))
	return out
}

// readEdit reads the words and files of a request. Lines that are no words become
// problems; a file that cannot be read is the error.
func readEdit(r api.EditWordsRequest) (wordEdit, error) {
	e := wordEdit{clear: r.Clear}
	if r.Encoding != "" {
		if _, ok := text.Charset(r.Encoding); !ok {
			return e, fault.New("encoding_unknown", fault.P("encoding", r.Encoding), fault.P("known", strings.Join(text.Charsets(), ", ")))
		}
	}
	for _, part := range []struct {
		from api.WordSource
		to   *[]wordLine
	}{{r.Remove, &e.remove}, {r.Stop, &e.stop}, {r.Add, &e.add}} {
		for _, line := range part.from.Lines {
			e.take(part.to, line, wordProblem{})
		}
		for _, path := range part.from.Files {
			if err := e.takeFile(part.to, path, r.Encoding); err != nil {
				return e, err
			}
		}
	}
	for _, w := range e.add {
		if slices.ContainsFunc(e.stop, func(s wordLine) bool { return s.Word.Word == w.Word.Word }) {
			return e, fault.New("flags_conflict", fault.P("one", "--add "+w.Word.Word), fault.P("other", "--stop "+w.Word.Word))
		}
	}
	for i := range e.stop {
		e.stop[i].Stop, e.stop[i].Freq = true, 0
	}
	if !e.clear && len(e.remove)+len(e.stop)+len(e.add)+len(e.problems) == 0 {
		return e, fault.New("argument_missing", fault.P("argument", "WORD"))
	}
	return e, nil
}

// take adds a line's word, or the problem with it.
func (e *wordEdit) take(to *[]wordLine, line string, at wordProblem) {
	w, err := text.ParseWord(line)
	if err != nil {
		at.err = err
		e.problems = append(e.problems, at)
		return
	}
	*to = append(*to, wordLine{w, at})
}

// takeFile adds the words of a file; its blank lines are passed over.
func (e *wordEdit) takeFile(to *[]wordLine, path, encoding string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, "words_file_missing", fault.P("path", path))
	case err == nil && !info.Mode().IsRegular():
		return fault.New("unreadable", fault.P("path", path))
	case err == nil && info.Size() > maxWordsFile:
		return fault.New("words_file_large", fault.P("path", path), fault.P("bytes", info.Size()), fault.P("most", maxWordsFile))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return fault.Wrap(err, "unreadable", fault.P("path", path))
	}
	r, err := charset.Read(b, charset.Hint{Forced: encoding})
	if err != nil {
		return err
	}
	e.warnings = append(e.warnings, r.Warnings...)
	n := 0
	for line := range strings.Lines(r.Text) {
		n++
		if !text.IsBlank(line) {
			e.take(to, strings.TrimRight(line, "\r\n"), wordProblem{file: path, line: n})
		}
	}
	return nil
}

// wordsResult converts a change of words.
func wordsResult(lang string, w wording) api.Words {
	out := api.Words{
		KB: w.lib.Name, Words: []api.Word{}, Stop: []api.Word{}, Added: w.added, Unchanged: w.unchanged, Removed: w.removed,
		Problems: []api.WordProblem{}, Warnings: notices(w.edit.warnings), Fingerprint: w.lib.Fingerprint(),
	}
	for _, word := range w.words {
		to, item := &out.Words, api.Word{Word: word.Word, Term: text.Fold(word.Word).Text}
		if word.Stop {
			to = &out.Stop
		}
		if word.Freq > 0 {
			freq := int(word.Freq)
			item.Freq = &freq
		}
		*to = append(*to, item)
	}
	for _, p := range w.edit.problems {
		item := api.WordProblem{Error: i18n.ErrorBody(lang, p.err)}
		if p.file != "" {
			item.File, item.Line = &p.file, &p.line
		}
		out.Problems = append(out.Problems, item)
	}
	if w.rebuilt {
		out.Rebuilt = &w.lib.Chunks
	}
	return out
}
