package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"ragdesk/backend/judge"
	"ragdesk/backend/runs"
)

// citedIn writes verdicts out: + for yes, - for no, ? for none.
func citedIn(c *runs.Cited) string {
	sign := func(v *bool) string {
		switch {
		case v == nil:
			return "?"
		case *v:
			return "+"
		}
		return "-"
	}
	var out []string
	for _, s := range c.Sentences {
		one := sign(s.Supported) + s.Reason
		for _, c := range s.Citations {
			one += fmt.Sprintf(" [%d]%s%s", c.Marker, sign(c.Alone), sign(c.Needed))
		}
		out = append(out, one)
	}
	return strings.Join(out, " | ")
}

// TestCitations: what is asked of each sentence, and what comes of it.
func TestCitations(t *testing.T) {
	t.Parallel()
	sourced := func(text string, markers ...int) judge.Sourced { return judge.Sourced{Text: text, Markers: markers} }
	for name, c := range map[string]struct {
		sentences []judge.Sourced
		garbage   func(int, assessing) string
		want      string
		calls     int
	}{
		"the worked example": {sentences: []judge.Sourced{sourced("The gate is red.", 1), sourced("The wall is high.", 3, 2), sourced("Lunch is free.")},
			want: "+ [1]+? | + [3]+? [2]-- | -", calls: 1 + 4},
		"none bears it out":  {sentences: []judge.Sourced{sourced("Lunch is free.", 1, 2)}, want: "- [1]?? [2]??", calls: 1},
		"no such passage":    {sentences: []judge.Sourced{sourced("The gate is red.", 9)}, want: "- [9]??"},
		"the same one twice": {sentences: []judge.Sourced{sourced("The gate is red.", 1, 1)}, want: "+ [1]+? [1]+?", calls: 1},
		"three of more":      {sentences: []judge.Sourced{sourced("The wall is high.", 1, 2, 2, 3)}, want: "- [1]?? [2]?? [2]??", calls: 1},
		"together alone": {sentences: []judge.Sourced{sourced("The gate is red and new. Bread is baked daily.", 1, 2)},
			garbage: func(_ int, a assessing) string {
				return map[bool]string{true: `{"verdicts":[{"quote":"The gate is red","reason":"both","verdict":"supported"}]}`}[len(a.Passages) == 2]
			}, want: "+ [1]-+ [2]-+", calls: 5},
		"garbage": {sentences: []judge.Sourced{sourced("The gate is red.", 1)}, garbage: func(int, assessing) string { return "yes" }, want: "?reply_malformed [1]??", calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := castle()
			in.Sentences = c.sentences
			model := &assessed{garbage: c.garbage}
			got, err := assessor(model).Assess(t.Context(), in, []string{runs.PartCited})
			if err != nil {
				t.Fatal(err)
			}
			if said := citedIn(got.Cited); said != c.want || model.calls != c.calls || len(got.Cited.Calls) != c.calls {
				t.Errorf("%s after %d calls, %d kept; want %s after %d", said, model.calls, len(got.Cited.Calls), c.want, c.calls)
			}
		})
	}
}
