package dataset

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
)

// TRECID is an id as TREC files hold it: blanks, control characters and '%' are
// percent-encoded, byte by byte.
func TRECID(id string) string {
	unsafe := func(r rune) bool { return r == '%' || unicode.IsSpace(r) || unicode.IsControl(r) }
	if !strings.ContainsFunc(id, unsafe) {
		return id
	}
	var b strings.Builder
	for _, r := range id {
		if !unsafe(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// WriteTopics writes the questions as TREC topics, which Read reads.
func (d Dataset) WriteTopics(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, q := range d.Questions {
		line := strings.Join(strings.Fields(q.Text), " ")
		fmt.Fprintf(b, "<top>\n<num> Number: %s\n<title> %s\n</top>\n\n", html.EscapeString(TRECID(q.ID)), html.EscapeString(line))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write topics: %w", err)
	}
	return nil
}

// Judged is one question's judgments.
type Judged struct {
	Query string
	Items []Graded
}

// Judgments returns the gold of each question by the document it names, a
// document once, with its highest grade. For judgments of chunks take
// Judgment.Relevant.
func (d Dataset) Judgments() []Judged {
	var out []Judged
	for _, q := range d.Questions {
		at := map[string]int{}
		j := Judged{Query: q.ID}
		for _, g := range q.Gold {
			if i, ok := at[g.Doc]; ok {
				j.Items[i].Grade = max(j.Items[i].Grade, g.Grade)
				continue
			}
			at[g.Doc] = len(j.Items)
			j.Items = append(j.Items, Graded{g.Doc, g.Grade})
		}
		if len(j.Items) > 0 {
			out = append(out, j)
		}
	}
	return out
}

// WriteQrels writes judgments as TREC qrels, lines "query 0 id grade".
func WriteQrels(w io.Writer, judged []Judged) error {
	b := bufio.NewWriter(w)
	for _, j := range judged {
		for _, it := range j.Items {
			fmt.Fprintf(b, "%s 0 %s %d\n", TRECID(j.Query), TRECID(it.ID), it.Grade)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write qrels: %w", err)
	}
	return nil
}
