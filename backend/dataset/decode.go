package dataset

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// fields are the members of a JSON object, or the cells of a row.
type fields map[string]json.RawMessage

// decoder turns the fields of a record into a question and keeps the problems.
type decoder struct {
	line     int
	problems []Problem
	// keys takes what is misspelt; nil where names are not the file's.
	keys *misspelt
}

func (d *decoder) look(f fields, known []string) {
	if d.keys != nil {
		d.keys.look(d.line, f, known)
	}
}

func (d *decoder) problem(code, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.line, code, fmt.Sprintf(format, args...)})
}

// object parses raw as an object; ok is false, and the problem noted, when it is
// none. The problem's line is that of the byte where parsing stopped.
func (d *decoder) object(raw []byte) (f fields, ok bool) {
	err := json.Unmarshal(raw, &f)
	if err == nil && f != nil {
		return f, true
	}
	at, detail := d.line, "{…}"
	if wrong := fault.JSON(raw, err); wrong != nil && wrong.Params["near"] != "" {
		below, _ := strconv.Atoi(wrong.Params["line"])
		at, detail = at+below-1, wrong.Params["near"]
	}
	d.problems = append(d.problems, Problem{at, CodeBadJSON, detail})
	return nil, false
}

// goldKeys name lists of gold with quotes or grades; the first is canonical.
func goldKeys() []string { return []string{"gold", "relevant_chunks"} }

// relevantKeys name lists of ids.
func relevantKeys() []string {
	return []string{"relevant_ids", "relevant_docs", "relevant_doc_ids", "relevant_chunk_ids"}
}

// question reads the canonical fields and their synonyms. Fields it does not know
// are not looked at.
func (d *decoder) question(f fields) Question {
	q := Question{
		Line: d.line, ID: d.text(f, "query_id", "id", "_id", "qid", "question_id"),
		Text: d.text(f, "question", "query", "user_input", "text"), Type: NormalType(d.text(f, "type")),
		Lang: d.text(f, "lang", "language"), VariantOf: d.text(f, "variant_of"),
		KeyPoints: d.list(f, "key_points"), Origin: d.text(f, "source"),
		Contexts: d.list(f, "contexts", "retrieved_contexts"),
	}
	references := d.list(f, "ground_truth", "ground_truths", "reference", "reference_answer")
	answers := d.list(f, "answers")
	answer := d.list(f, "answer", "response")
	switch {
	case len(answers) > 0:
		q.Answers = answers
	case len(references) > 0:
		q.Answers = references
	case q.Contexts == nil:
		q.Answers, answer = answer, nil
	}
	// Beside a reference or the passages that some system retrieved, "answer" is
	// what that system said.
	q.Response = strings.Join(answer, "\n")
	q.Gold = d.gold(f)
	return q
}

// first returns the name and value of the first of names that is there and not
// null.
func (f fields) first(names []string) (string, json.RawMessage) {
	for _, name := range names {
		if raw, ok := f[name]; ok && string(raw) != "null" {
			return name, raw
		}
	}
	return "", nil
}

// text reads a string or number; a missing field is empty.
func (d *decoder) text(f fields, names ...string) string {
	name, raw := f.first(names)
	if raw == nil {
		return ""
	}
	s, ok := scalar(raw)
	if !ok {
		d.problem(CodeBadField, "%s: string", name)
	}
	return s
}

// scalar reads a string, or a number as it is written.
func scalar(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String(), true
	}
	return "", false
}

// list reads a list of strings or numbers, or a single one; blank entries are
// left out.
func (d *decoder) list(f fields, names ...string) []string {
	name, raw := f.first(names)
	if raw == nil {
		return nil
	}
	if s, ok := scalar(raw); ok {
		return withoutBlanks([]string{s})
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		d.problem(CodeBadField, "%s: [string]", name)
		return nil
	}
	out := make([]string, 0, len(items))
	for i, item := range items {
		s, ok := scalar(item)
		if !ok {
			d.problem(CodeBadField, "%s[%d]: string", name, i)
			continue
		}
		out = append(out, s)
	}
	return withoutBlanks(out)
}

func withoutBlanks(in []string) []string {
	var out []string
	for _, s := range in {
		if strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

// gold reads the fields that name gold. Lists of bare ids count when there is no
// list with more.
func (d *decoder) gold(f fields) []Gold {
	var out []Gold
	for _, name := range goldKeys() {
		if raw, ok := f[name]; ok && string(raw) != "null" {
			out = append(out, d.goldList(name, raw)...)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, name := range relevantKeys() {
		for _, id := range d.list(f, name) {
			out = append(out, Gold{Doc: id, Grade: GradeBackground})
		}
	}
	return out
}

// goldList reads a list of objects or ids, or a single one of either.
func (d *decoder) goldList(name string, raw json.RawMessage) []Gold {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		items = []json.RawMessage{raw}
	}
	out := make([]Gold, 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", name, i)
		if id, ok := scalar(item); ok {
			out = append(out, Gold{Doc: id, Grade: GradeBackground})
			continue
		}
		var f fields
		if json.Unmarshal(item, &f) != nil || f == nil {
			d.problem(CodeBadField, "%s: object, string", at)
			continue
		}
		out = append(out, d.goldObject(at, f))
	}
	return out
}

func (d *decoder) goldObject(at string, f fields) Gold {
	d.look(f, goldObjectKeys())
	g := Gold{Doc: d.text(f, "doc", "doc_id", "id", "chunk_id", "source"), Quote: d.text(f, "quote"), Grade: GradeBackground}
	if _, raw := f.first([]string{"grade", "relevance", "score"}); raw != nil {
		g.Grade = d.grade(raw)
	}
	start, hasStart := d.number(at+".start", f["start"])
	end, hasEnd := d.number(at+".end", f["end"])
	switch {
	case !hasStart && !hasEnd:
	case hasStart != hasEnd:
		d.problem(CodeOffsetsInvalid, "%s: [%s,%s)", at, known(start, hasStart), known(end, hasEnd))
	case start < 0 || end <= start:
		d.problem(CodeOffsetsInvalid, "%s: [%d,%d)", at, start, end)
	default:
		g.Points = &rag.Span{Start: start, End: end}
	}
	return g
}

// known shows a number, and ? for none.
func known(n int, ok bool) string {
	if !ok {
		return "?"
	}
	return strconv.Itoa(n)
}

// number reads a whole number; ok is false when there is none.
func (d *decoder) number(at string, raw json.RawMessage) (n int, ok bool) {
	if raw == nil || string(raw) == "null" {
		return 0, false
	}
	s, _ := scalar(raw)
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		d.problem(CodeBadField, "%s: integer", at)
		return 0, false
	}
	return n, true
}

// grade reads a grade, noting one that is out of range.
func (d *decoder) grade(raw json.RawMessage) int {
	s, ok := scalar(raw)
	if !ok {
		s = string(raw)
	}
	return d.gradeOf(s)
}

func (d *decoder) gradeOf(s string) int {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || x != float64(int(x)) || x < GradeNone || x > MaxGrade {
		d.problem(CodeGradeOutOfRange, "%s", shortened(s))
		return GradeBackground
	}
	return int(x)
}
