package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/fault"
)

// maxTopics bounds the bytes of a file of topics.
const maxTopics = 64 << 20

// folder reads the questions of a folder, as Read describes.
func (r *reader) folder(ctx context.Context, dir string) error {
	queries := filepath.Join(dir, "queries.jsonl")
	judgments, err := filepath.Glob(filepath.Join(dir, "qrels", "*.tsv")) // sorted
	if err != nil {
		return fmt.Errorf("look into %s: %w", dir, err)
	}
	format := FormatJSON
	if _, err := os.Stat(queries); err != nil {
		topics, qrels := only(dir, "topics*", "queries*"), only(dir, "qrels*")
		if topics == "" || qrels == "" {
			return fault.New("dataset_folder_unknown", fault.P("path", dir))
		}
		queries, judgments = topics, []string{qrels}
		if format, err = r.files.formatOf(topics); err != nil {
			return err
		}
	}
	if err := r.files.open(queries, func(f io.Reader) error { return r.parse(ctx, f, format) }); err != nil {
		return err
	}
	if err := r.corpusIDs(ctx, filepath.Join(dir, "corpus.jsonl")); err != nil {
		return err
	}
	for _, path := range judgments {
		if err := r.qrelsFile(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// only returns the one file in dir that fits one of the patterns, or "".
func only(dir string, patterns ...string) string {
	var found []string
	for _, p := range patterns {
		matches, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil { // the folder's own name has broken brackets
			return ""
		}
		for _, m := range matches {
			if info, err := os.Stat(m); err == nil && info.Mode().IsRegular() {
				found = append(found, m)
			}
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// corpusIDs notes the ids of a folder's documents, if it has a list of them.
func (r *reader) corpusIDs(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	known := map[string]bool{}
	err := r.files.open(path, func(f io.Reader) error {
		return scanRecords(ctx, f, func(rec record) error {
			d := decoder{line: rec.line}
			if rec.problem == "" {
				if f, ok := d.object(rec.raw); ok {
					known[d.text(f, "_id", "doc_id", "id")] = true
				}
			}
			return nil
		})
	})
	r.known = known
	return err
}

// qrelsFile reads judgments: "query iteration document grade", or "query document
// grade" under a header. A grade below 0 counts as 0.
func (r *reader) qrelsFile(ctx context.Context, path string) error {
	if r.judged == nil {
		r.judged = map[string][]Gold{}
	}
	name := filepath.Base(path)
	return r.files.open(path, func(f io.Reader) error {
		return eachLine(ctx, f, func(line int, text string) {
			d := decoder{line: line}
			r.judgment(&d, text)
			for _, p := range d.problems {
				r.note(Problem{p.Line, p.Code, name + ": " + p.Detail})
			}
		})
	})
}

// judgment reads one line of judgments.
func (r *reader) judgment(d *decoder, text string) {
	if strings.TrimSpace(text) == "" || text[0] == '#' {
		return
	}
	cells := strings.Fields(text)
	if strings.Contains(text, "\t") {
		cells = strings.Split(strings.TrimRight(text, "\r"), "\t")
	}
	if len(cells) != 3 && len(cells) != 4 {
		d.problem(CodeBadRow, "%d ≠ 3, 4", len(cells))
		return
	}
	query, doc, grade := cells[0], cells[len(cells)-2], strings.TrimSpace(cells[len(cells)-1])
	n, err := strconv.Atoi(grade)
	if err != nil && d.line == 1 {
		return // the header
	}
	if err == nil && n < 0 {
		grade = "0"
	}
	g := Gold{Doc: doc, Grade: d.gradeOf(grade)}
	for i, other := range r.judged[query] {
		if other.Doc == doc {
			r.judged[query][i].Grade = max(other.Grade, g.Grade)
			return
		}
	}
	r.judged[query] = append(r.judged[query], g)
}

// eachLine calls visit for each line of in, without its end.
func eachLine(ctx context.Context, in io.Reader, visit func(line int, text string)) error {
	s := bufio.NewScanner(withoutBOM(in))
	s.Buffer(nil, maxRecord)
	for line := 1; s.Scan(); line++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		visit(line, s.Text())
	}
	return s.Err()
}

// topics reads queries: elements <top> or <topic> with <num> and <title>, or
// lines "id TAB text".
func (r *reader) topics(ctx context.Context, in io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(withoutBOM(in), maxTopics+1))
	if err != nil {
		return err
	}
	switch {
	case len(b) > maxTopics:
		r.note(Problem{0, CodeTooLong, strconv.Itoa(maxTopics)})
		return nil
	case !utf8.Valid(b):
		r.note(Problem{0, CodeNotUTF8, ""})
		return nil
	case bytes.HasPrefix(bytes.TrimSpace(b), []byte("<")):
		r.elements(string(b))
		return nil
	}
	return eachLine(ctx, bytes.NewReader(b), func(line int, text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		id, query, ok := strings.Cut(text, "\t")
		if !ok {
			r.note(Problem{line, CodeBadRow, "1 ≠ 2"})
			return
		}
		r.questions = append(r.questions, Question{Line: line, ID: strings.TrimSpace(id), Text: strings.TrimSpace(query)})
	})
}

// elements reads topics in angle brackets. Classic topics leave their inner
// elements open, so an element's text ends at the next bracket of either kind.
func (r *reader) elements(s string) {
	var q Question
	rank, line := 0, 1
	flush := func() {
		if q.Line > 0 {
			r.questions = append(r.questions, q)
		}
		q, rank = Question{}, 0
	}
	for {
		before, rest, ok := strings.Cut(s, "<")
		if !ok {
			break
		}
		line += strings.Count(before, "\n")
		tag, after, ok := strings.Cut(rest, ">")
		if !ok {
			r.note(Problem{line, CodeBadRow, "< ≠ >"})
			break
		}
		content, _, _ := strings.Cut(after, "<")
		name, attributes, _ := strings.Cut(strings.TrimSpace(tag), " ")
		value := strings.TrimSpace(html.UnescapeString(content))
		switch name = strings.ToLower(name); name {
		case "top", "topic":
			flush()
			q = Question{Line: line, ID: attribute(attributes, "number")}
		case "num", "number":
			q.ID = strings.TrimSpace(strings.TrimPrefix(value, "Number:"))
		case "title", "query", "question":
			if n := textRank(name); n > rank {
				q.Text, rank = strings.TrimSpace(strings.TrimPrefix(value, "Topic:")), n
			}
		}
		line += strings.Count(tag, "\n")
		s = after
	}
	flush()
}

// textRank says which element of a topic is its question: the longest form wins.
func textRank(element string) int {
	return map[string]int{"title": 1, "query": 2, "question": 3}[element]
}

// attribute returns the value of name="…" among the attributes of an element.
func attribute(attributes, name string) string {
	_, rest, ok := strings.Cut(attributes, name+`="`)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, `"`)
	return html.UnescapeString(value)
}
