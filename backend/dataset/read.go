package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ragdesk/backend/fault"
)

// Format is a shape of file that holds questions.
type Format string

// The formats. FormatJSON is JSON Lines or an array, told apart by the first
// character.
const (
	FormatJSON Format = "json"
	FormatCSV  Format = "csv"
	FormatTSV  Format = "tsv"
	// FormatTREC is a file of topics.
	FormatTREC Format = "trec"
)

// Options say how Read goes about a path.
type Options struct {
	// Format forces a format; empty means by the file's name and beginning.
	Format Format
	// Qrels is a file of judgments, in TREC's or BEIR's columns, that go with the
	// questions of the path.
	Qrels string
	// Columns maps a field, one of Fields, to the column or key of the file that has it;
	// what is not named goes by its own name and the synonyms of it.
	Columns map[string]string
	// Decode reads files in other encodings than UTF-8; nil refuses them by record.
	Decode Decode
}

// Read reads the questions of a path: a file of one of the formats; a folder with
// queries.jsonl, and with judgments in qrels/*.tsv; or a folder with one file
// named topics* or queries* and one named qrels*. It returns everything wrong
// that shows without a library, by line; then the dataset holds what could be
// read, for a further look.
//
// Questions without an ID get "q" and their number. The dataset's name is the
// file's or folder's, without its extension.
//
// Faults: not_found {path}, permission {path}, unreadable {path}.
func Read(ctx context.Context, path string, o Options) (Dataset, []Problem, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Dataset{}, nil, fileFault(err, path)
	}
	r := &reader{path: path, columns: o.Columns, files: files{decode: o.Decode}}
	if info.IsDir() {
		err = r.folder(ctx, path)
	} else {
		err = r.file(ctx, path, o)
	}
	if err != nil {
		return Dataset{}, nil, err
	}
	base := filepath.Base(filepath.Clean(path))
	ds, problems := r.finish(strings.TrimSuffix(base, filepath.Ext(base)))
	return ds, problems, nil
}

// Parse reads questions from r as Read does from a file. With an empty format
// they are FormatJSON. Its errors are those of r.
func Parse(ctx context.Context, r io.Reader, format Format) (Dataset, []Problem, error) {
	rd := &reader{}
	if err := rd.parse(ctx, r, format); err != nil {
		return Dataset{}, nil, fmt.Errorf("read questions: %w", err)
	}
	ds, problems := rd.finish("")
	return ds, problems, nil
}

// reader gathers questions and problems.
type reader struct {
	files     files
	path      string
	columns   map[string]string
	questions []Question
	problems  []Problem
	keys      misspelt
	more      int
	// answersOnly has the indexes of rows that make no claim about gold.
	answersOnly map[int]bool
	// judged is set when the questions came with a file of judgments: then those
	// without any belong to another split, and are left out.
	judged map[string][]Gold
	// known are the ids of a folder's documents, if it has them.
	known map[string]bool
}

func (r *reader) note(problems ...Problem) {
	for _, p := range problems {
		if len(r.problems) == maxProblems {
			r.more++
			continue
		}
		r.problems = append(r.problems, p)
	}
}

func (r *reader) file(ctx context.Context, path string, o Options) error {
	format := o.Format
	if format == "" && len(o.Columns) > 0 && isTSV(path) {
		format = FormatTSV // TREC's have no columns to map
	}
	if format == "" {
		var err error
		if format, err = r.files.formatOf(path); err != nil {
			return err
		}
	}
	err := r.files.open(path, func(f io.Reader) error { return r.parse(ctx, f, format) })
	if err != nil || o.Qrels == "" {
		return err
	}
	return r.qrelsFile(ctx, o.Qrels)
}

func (r *reader) parse(ctx context.Context, in io.Reader, format Format) error {
	switch format {
	case FormatCSV:
		return r.table(ctx, in, ',')
	case FormatTSV:
		return r.table(ctx, in, '\t')
	case FormatTREC:
		return r.topics(ctx, in)
	case FormatJSON, "":
		return r.json(ctx, in)
	}
	return fault.New("dataset_format_unknown", fault.P("format", format), fault.P("known", "json, csv, tsv, trec"))
}

func (r *reader) json(ctx context.Context, in io.Reader) error {
	return scanRecords(ctx, in, func(rec record) error {
		if rec.problem != "" {
			r.note(Problem{rec.line, rec.problem, rec.detail})
			return nil
		}
		d := decoder{line: rec.line, keys: &r.keys}
		if f, ok := d.object(rec.raw); ok {
			f = f.renamed(r.columns)
			d.look(f, questionKeys())
			q := d.question(f)
			if _, mapped := r.columns["doc"]; mapped {
				d.goldOfColumns(&q, f)
			}
			r.add(q, f)
		}
		r.note(d.problems...)
		return nil
	})
}

// add takes a question in; f are the fields that it was read from.
func (r *reader) add(q Question, f fields) {
	_, gold := f.first(goldKeys())
	_, relevant := f.first(relevantKeys())
	if gold == nil && relevant == nil && len(q.Answers)+len(q.Contexts) > 0 && q.Type == "" {
		if r.answersOnly == nil {
			r.answersOnly = map[int]bool{}
		}
		r.answersOnly[len(r.questions)] = true
	}
	r.questions = append(r.questions, q)
}

// formatOf tells a file's format by its extension, else by its beginning.
func (fs *files) formatOf(path string) (Format, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json", ".jsonl", ".ndjson":
		return FormatJSON, nil
	case ".csv":
		return FormatCSV, nil
	}
	head := make([]byte, 4096)
	err := fs.open(path, func(f io.Reader) error {
		n, err := io.ReadFull(f, head)
		head = head[:n]
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return sniff(strings.TrimPrefix(string(head), "\ufeff")), nil
}

func isTSV(path string) bool { return strings.EqualFold(filepath.Ext(path), ".tsv") }

// sniff tells a format by the beginning of a file.
func sniff(head string) Format {
	head = strings.TrimLeft(head, " \t\r\n")
	line, _, _ := strings.Cut(head, "\n")
	switch {
	case head == "" || head[0] == '{' || head[0] == '[':
		return FormatJSON
	case head[0] == '<':
		return FormatTREC
	case hasTextColumn(strings.Split(strings.TrimSpace(line), "\t")):
		return FormatTSV
	case hasTextColumn(strings.Split(strings.TrimSpace(line), ",")):
		return FormatCSV
	case strings.Contains(line, "\t"):
		return FormatTREC
	}
	return FormatJSON
}

// withFile opens a file for read.
func withFile(path string, read func(*os.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fileFault(err, path)
	}
	err = read(f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return fileFault(err, path)
	}
	return err
}

// fileFault names what is the matter with a file.
func fileFault(err error, path string) error {
	code := "unreadable"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = "not_found"
	case errors.Is(err, fs.ErrPermission):
		code = "permission"
	}
	return fault.Wrap(err, code, fault.P("path", path))
}
