package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/label"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// labelLine is a line of a file of labels.
type labelLine struct {
	Key       string   `json:"key"`
	AnswerKey string   `json:"answer_key"`
	Question  string   `json:"question"`
	Claim     string   `json:"claim"`
	Context   []string `json:"context"`
	Answer    string   `json:"answer"`
	Span      api.Span `json:"span"`
	Lang      string   `json:"lang"`
	// State, Note and By are what a person fills in.
	State string `json:"state"`
	Note  string `json:"note"`
	By    string `json:"by"`
}

// lineOf is a claim as a line, with what somebody says of it.
func lineOf(item runs.LabelItem, said runs.Label) labelLine {
	return labelLine{
		item.Key, item.AnswerKey, item.Question, item.Claim, list(item.Context), item.Answer,
		api.Span{Start: item.Start, End: item.End}, item.Lang, said.State, said.Note, said.By,
	}
}

// ExportLabels gives claims to label as a file, blind; without a source, all labels.
func (s *Service) ExportLabels(_ context.Context, r api.ExportLabelsRequest) (api.LabelsExport, error) {
	book, err := s.book()
	if err != nil {
		return api.LabelsExport{}, err
	}
	if r.Source == "" {
		return exportBook(book)
	}
	size, err := label.ParseSize(r.Sample)
	if err != nil {
		return api.LabelsExport{}, err
	}
	src, err := s.labelSource(r.Source)
	if err != nil {
		return api.LabelsExport{}, err
	}
	out := api.LabelsExport{Of: len(src.Answers), Left: src.Left}
	var given []runs.LabelEvent
	var lines []labelLine
	for _, a := range label.Draw(*src, size, r.Seed) {
		out.Answers++
		given = append(given, src.Events(a)...)
		for _, item := range a.Items {
			lines = append(lines, lineOf(item, runs.Label{}))
		}
	}
	out.Claims = len(lines)
	if out.Content, err = jsonLines(lines); err != nil {
		return api.LabelsExport{}, err
	}
	// What was given out is kept with the detector's verdict, so that the labels can be
	// compared when the source is gone.
	return out, s.labels().Append(book.Unknown(given))
}

// exportBook gives all labels of the workspace.
func exportBook(book *label.Book) (api.LabelsExport, error) {
	out := api.LabelsExport{Left: map[string]int{}}
	answers := map[string]bool{}
	var lines []labelLine
	for _, item := range book.Items() {
		for _, said := range book.Labels(item.Key) {
			answers[item.AnswerKey] = true
			lines = append(lines, lineOf(item, said))
		}
	}
	out.Answers, out.Of, out.Claims = len(answers), len(answers), len(lines)
	var err error
	out.Content, err = jsonLines(lines)
	return out, err
}

// jsonLines writes one JSON a line.
func jsonLines[T any](lines []T) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// ImportLabels reads labels from a file. Nothing is kept of a file with a line that is wrong: the
// fault "labels_invalid" {path, line, detail}; of a file without a line, "labels_empty" {path}.
func (s *Service) ImportLabels(ctx context.Context, r api.ImportLabelsRequest) (api.ImportedLabels, error) {
	if r.File == "" {
		return api.ImportedLabels{}, fault.New("argument_missing", fault.P("argument", "FILE"))
	}
	book, err := s.book()
	if err != nil {
		return api.ImportedLabels{}, err
	}
	in := labelImport{book: book, by: r.By, lang: i18n.Language(ctx), now: time.Now()}
	if err := in.read(r.File); err != nil {
		return api.ImportedLabels{}, err
	}
	return in.out, s.labels().Append(book.Unknown(in.events))
}

// labelImport is the reading of a file of labels.
type labelImport struct {
	book   *label.Book
	by     string
	lang   string
	now    time.Time
	out    api.ImportedLabels
	events []runs.LabelEvent
}

func (in *labelImport) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.Wrap(err, "not_found", fault.P("path", path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxItemLine)
	n := 0
	for lines.Scan() {
		n++
		raw := bytes.TrimPrefix(bytes.TrimSpace(lines.Bytes()), []byte("\xef\xbb\xbf"))
		if len(raw) == 0 {
			continue
		}
		if err := in.line(raw); fault.Is(err, "argument_missing") {
			return err
		} else if err != nil {
			return fault.Wrap(err, "labels_invalid", fault.P("path", path), fault.P("line", n), fault.P("detail", in.detail(err)))
		}
	}
	if err := lines.Err(); err != nil {
		return fault.Wrap(err, "labels_invalid", fault.P("path", path), fault.P("line", n+1), fault.P("detail", err))
	}
	if in.out.Lines == 0 {
		return fault.New("labels_empty", fault.P("path", path))
	}
	return nil
}

// detail words what is wrong with a line.
func (in *labelImport) detail(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return strings.TrimRight(i18n.ErrorBody(in.lang, f).Message, ".。") // it stands within a sentence
	}
	return err.Error()
}

// line takes one line in. The fault "label_line_changed" {key} means that the content was edited:
// the label would be of something else; "label_line_no_claim" that the line is another file's.
func (in *labelImport) line(raw []byte) error {
	in.out.Lines++
	var l labelLine
	if err := json.Unmarshal(raw, &l); err != nil {
		return fault.JSONLine(raw, err)
	}
	if text.IsBlank(l.Claim) {
		return fault.New("label_line_no_claim")
	}
	if strings.TrimSpace(l.State) == "" {
		in.out.Blank++
		return nil
	}
	item := runs.LabelItem{
		Key: runs.ClaimKey(l.Question, l.Claim, l.Context), AnswerKey: runs.AnswerKey(l.Question, l.Answer, l.Context),
		Question: l.Question, Answer: l.Answer, Claim: l.Claim, Start: l.Span.Start, End: l.Span.End, Context: l.Context, Lang: l.Lang,
	}
	if l.Key != "" && l.Key != item.Key {
		return fault.New("label_line_changed", fault.P("key", l.Key))
	}
	said, err := label.NewLabel(item.Key, cmp.Or(strings.TrimSpace(l.By), in.by), l.State, l.Note, in.now)
	if err != nil {
		return err
	}
	before, there := in.book.Label(item.Key, said.By)
	switch {
	case there && before.State == said.State && before.Note == said.Note:
		in.out.Unchanged++
		return nil
	case there:
		in.out.Changed++
	default:
		in.out.Added++
	}
	in.events = append(in.events, runs.LabelEvent{Item: &item}, runs.LabelEvent{Label: &said})
	return nil
}
