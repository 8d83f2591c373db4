package evaluate

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// limits are the lengths from which an answer is hard to read.
type limits struct{ sentence, paragraph, whole int }

// limitsOf are those of a language: characters of Chinese, words of others.
func limitsOf(language string) limits {
	if language == "zh" {
		return limits{sentence: 60, paragraph: 200, whole: 250}
	}
	return limits{sentence: 30, paragraph: 120, whole: 150}
}

// OftenHinted is the share of a run's answers from which a hint on their style is given.
const OftenHinted = .25

var (
	paragraphs   = regexp.MustCompile(`\n\s*\n`)
	listed       = regexp.MustCompile(`(?m)^\s*(?:[-*•·]|\d{1,3}[.)、．])\s*\S`)
	abbreviation = regexp.MustCompile(`\b[A-Z]{2,}[A-Z0-9]*\b`)
)

// styleOf looks at how an answer reads; nil for one that says nothing.
func styleOf(q Question, answer string) *runs.Style {
	said := text.Uncited(answer)
	out := &runs.Style{Length: units(said), Hints: []string{}, Terms: unexplained(q.Text, said)}
	if out.Length == 0 {
		return nil
	}
	for _, s := range text.Sentences(said) {
		if n := units(said[s.Start:s.End]); n > 0 {
			out.Sentences, out.Longest = out.Sentences+1, max(out.Longest, n)
		}
	}
	blocks := 0
	for _, p := range paragraphs.Split(said, -1) {
		if n := units(p); n > 0 {
			blocks++
			if !listed.MatchString(p) {
				out.Paragraph = max(out.Paragraph, n)
			}
		}
	}
	if len(q.Answers) > 0 && units(q.Answers[0]) > 0 {
		ratio := float64(out.Length) / float64(units(q.Answers[0]))
		out.Ratio = &ratio
	}
	l := limitsOf(text.Language(said))
	for hint, holds := range map[string]bool{
		runs.HintSentence: out.Longest > l.sentence, runs.HintParagraph: out.Paragraph > l.paragraph,
		runs.HintStructure: out.Length > l.whole && blocks == 1 && !listed.MatchString(said), runs.HintTerms: len(out.Terms) > 0,
	} {
		if holds {
			out.Hints = append(out.Hints, hint)
		}
	}
	slices.SortFunc(out.Hints, func(a, b string) int { return slices.Index(runs.StyleHints(), a) - slices.Index(runs.StyleHints(), b) })
	return out
}

// units is a length: Han characters, and words of other scripts.
func units(s string) int {
	n, word := 0, false
	for _, r := range s {
		switch {
		case text.Han(r):
			n, word = n+1, false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !word {
				n++
			}
			word = true
		case r == '\'' || r == '’' || r == '.' || r == ',' || r == '-': // inside a word or a figure
		default:
			word = false
		}
	}
	return n
}

// unexplained are the abbreviations of an answer that stand beside no bracket and not in the
// question, each once.
func unexplained(question, answer string) []string {
	out := []string{}
	for _, at := range abbreviation.FindAllStringIndex(answer, -1) {
		term := answer[at[0]:at[1]]
		before, after := strings.TrimRight(answer[:at[0]], " "), strings.TrimLeft(answer[at[1]:], " ")
		explained := strings.HasSuffix(before, "(") || strings.HasSuffix(before, "（") || strings.HasPrefix(after, "(") || strings.HasPrefix(after, "（")
		switch i := slices.Index(out, term); {
		case explained && i >= 0:
			out = slices.Delete(out, i, i+1)
		case !explained && i < 0 && !strings.Contains(question, term) && !strings.Contains(answer[:at[0]], term):
			out = append(out, term)
		}
	}
	return out
}

// style summarizes the style of run i's answers; nil where nothing was answered.
func (a *assessment) style(i int) (*runs.StyleSummary, error) {
	records := a.stored[i].Records
	if !answersIn(records) {
		return nil, nil
	}
	out := &runs.StyleSummary{}
	_, out.Hints = hinted(records)
	for _, m := range []struct {
		name string
		into *runs.Metric
		of   func(*runs.Style) *float64
	}{
		{"length", &out.Length, func(s *runs.Style) *float64 { v := float64(s.Length); return &v }},
		{"sentence", &out.Sentence, func(s *runs.Style) *float64 { v := float64(s.Length) / float64(max(s.Sentences, 1)); return &v }},
		{"ratio", &out.Ratio, func(s *runs.Style) *float64 { return s.Ratio }},
	} {
		var values []float64
		var clusters []string
		for _, r := range records {
			if r.Answer == nil || r.Answer.Style == nil {
				continue
			}
			if v := m.of(r.Answer.Style); v != nil {
				values, clusters = append(values, *v), append(clusters, r.Cluster)
			}
		}
		if len(values) > 0 && slices.Min(values) == slices.Max(values) { // one length tells nothing of others
			*m.into = runs.Metric{Value: mean(values), N: len(values), Of: len(values), Missing: map[measure.Reason]int{}}
			continue
		}
		ci, method, err := interval(values, clusters, false, a.seedFor("mean", "style."+m.name))
		if err != nil {
			return nil, err
		}
		*m.into = runs.Metric{N: len(values), Of: len(values), CI: ci, CIMethod: method, Missing: map[measure.Reason]int{}}
		if len(values) > 0 {
			m.into.Value = mean(values)
		}
	}
	return out, nil
}

// hinted counts the answers whose style was looked at, and those that each hint holds of.
func hinted(records []runs.Record) (answers int, counts map[string]int) {
	counts = map[string]int{}
	for _, h := range runs.StyleHints() {
		counts[h] = 0
	}
	for _, r := range records {
		if r.Answer == nil || r.Answer.Style == nil {
			continue
		}
		answers++
		for _, h := range r.Answer.Style.Hints {
			counts[h]++
		}
	}
	return answers, counts
}

// styleHints say what is often in a reader's way in the answers of run i.
func (a *assessment) styleHints(i int) []runs.Advice {
	answers, counts := hinted(a.stored[i].Records)
	var out []runs.Advice
	for _, h := range runs.StyleHints() {
		if n := counts[h]; n > 0 && float64(n) >= OftenHinted*float64(answers) {
			out = append(out, hint("answers_"+h, fault.P("run", a.stored[i].Name), fault.P("n", n), fault.P("of", answers)))
		}
	}
	return out
}
