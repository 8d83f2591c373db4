package dataset

import (
	"context"
	"fmt"
	"slices"
	"unicode"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// VerbatimOverlap is the overlap from which a question counts as taken from its
// passage word for word.
const VerbatimOverlap = 0.5

// Leak says how far a question repeats the wording of its gold.
type Leak struct {
	Question string `json:"query_id"`
	Line     int    `json:"line"`
	// Overlap is the greatest share, over the question's gold, of the question's
	// n-grams that stand in the passage.
	Overlap float64 `json:"overlap"`
	// Run is the longest run of words (of Chinese, characters) that question and
	// passage share.
	Run int `json:"run"`
	// Doc names the passage that Overlap was found in.
	Doc string `json:"doc"`
	// Verbatim says that Overlap is VerbatimOverlap or more.
	Verbatim bool `json:"verbatim"`
}

// LeakCheck compares each question with its gold passages: the sentences that the
// gold lies in, or the whole document. Words and, for Chinese, characters are
// compared folded, in pairs where the question is mostly words and in threes where
// it is mostly characters. Questions without usable gold are not in the result.
// Questions that repeat their passage and those that do not are to be scored
// apart: a difference between them is wording that retrieval has seen.
func (c *Corpus) LeakCheck(ctx context.Context, ds Dataset, bindings []Binding) ([]Leak, error) {
	if len(bindings) != len(ds.Questions) {
		return nil, fmt.Errorf("check leaks: %d bindings of %d questions", len(bindings), len(ds.Questions))
	}
	passages, err := c.passages(ctx, bindings)
	if err != nil {
		return nil, err
	}
	var out []Leak
	for i, q := range ds.Questions {
		if len(passages[i]) == 0 {
			continue
		}
		asked := tokens(q.Text)
		leak := Leak{Question: q.ID, Line: q.Line}
		for n, p := range passages[i] {
			overlap, run := overlapOf(asked, tokens(p.text))
			leak.Run = max(leak.Run, run)
			if n == 0 || overlap > leak.Overlap {
				leak.Overlap, leak.Doc = overlap, p.source
			}
		}
		leak.Verbatim = leak.Overlap >= VerbatimOverlap
		out = append(out, leak)
	}
	return out, nil
}

// passage is the text around a gold span.
type passage struct{ text, source string }

// passages returns the passages of each binding, reading each document once.
func (c *Corpus) passages(ctx context.Context, bindings []Binding) ([][]passage, error) {
	type want struct {
		binding int
		label   Label
	}
	wanted := map[rag.DocumentID][]want{}
	for i, b := range bindings {
		for _, l := range b.Labels {
			if l.usable() && l.Grade > GradeNone {
				wanted[l.Doc] = append(wanted[l.Doc], want{i, l})
			}
		}
	}
	out := make([][]passage, len(bindings))
	for _, d := range c.order {
		if len(wanted[d.id]) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		body, err := c.library.Text(ctx, d.id)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", d.source, err)
		}
		sentences := text.Sentences(body)
		for _, w := range wanted[d.id] {
			p := passage{body, d.source}
			if !w.label.Whole {
				p.text = around(body, sentences, w.label.Span)
			}
			out[w.binding] = append(out[w.binding], p)
		}
	}
	return out, nil
}

// around returns the sentences that s lies in.
func around(body string, sentences []rag.Span, s rag.Span) string {
	i := slices.IndexFunc(sentences, func(t rag.Span) bool { return t.Overlaps(s) })
	if i < 0 {
		return ""
	}
	j := i
	for j+1 < len(sentences) && sentences[j+1].Start < s.End {
		j++
	}
	return body[sentences[i].Start:sentences[j].End]
}

// tokens cuts folded text into words and single Chinese characters.
func tokens(s string) []string {
	folded := text.Fold(s).Text
	var out []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, folded[start:end])
			start = -1
		}
	}
	for i, r := range folded {
		switch {
		case text.Han(r):
			flush(i)
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(folded))
	return out
}

// overlapOf returns the share of a's n-grams that b has, and the longest run that
// both share.
func overlapOf(a, b []string) (share float64, run int) {
	han := 0
	for _, t := range a {
		if r := []rune(t); len(r) == 1 && text.Han(r[0]) {
			han++
		}
	}
	n := 2
	if 2*han > len(a) {
		n = 3
	}
	n = min(n, len(a))
	if n == 0 {
		return 0, 0
	}
	grams := map[string]bool{}
	for i := 0; i+n <= len(b); i++ {
		grams[gram(b[i:i+n])] = true
	}
	found, all := 0, len(a)-n+1
	for i := range all {
		if grams[gram(a[i:i+n])] {
			found++
		}
	}
	return float64(found) / float64(all), longestRun(a, b)
}

func gram(tokens []string) string {
	var out []byte
	for _, t := range tokens {
		out = append(append(out, t...), 0)
	}
	return string(out)
}

// longestRun returns the length of the longest run of tokens in both.
func longestRun(a, b []string) int {
	before, now := make([]int, len(b)+1), make([]int, len(b)+1)
	best := 0
	for _, x := range a {
		for j, y := range b {
			now[j+1] = 0
			if x == y {
				now[j+1] = before[j] + 1
				best = max(best, now[j+1])
			}
		}
		before, now = now, before
	}
	return best
}
