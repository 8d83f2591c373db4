package evaluate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// Sizes of a dataset below which its numbers need care.
const (
	FewQuestions    = 50
	EnoughQuestions = 200
)

// MinTypeShare is the share that each type of question should have.
const MinTypeShare = .10

// knownTypes are the types of question that a dataset should have.
var knownTypes = []string{"factual", "reasoning", "multi_hop", "comparison", "negation", "unanswerable"}

// advice lists what the reader should know of the numbers, and then what to try
// next, in the order in which it matters.
func (a *assessment) advice() []runs.Advice {
	out := []runs.Advice{}
	for _, rule := range []func() []runs.Advice{
		a.judgeWarnings, a.sizeWarnings, a.metricWarnings, a.errorWarnings, a.goldWarnings, a.typeWarnings,
		a.variableWarnings, a.depthWarnings, a.powerWarnings, a.legHints, a.nextHints,
	} {
		out = append(out, rule()...)
	}
	return out
}

// judgeWarnings say what is to be known of models that judge: that one wrote the answers
// itself, and that it is small. They hold for stored runs too.
func (a *assessment) judgeWarnings() []runs.Advice {
	if !slices.ContainsFunc(a.metrics, metric.answers) {
		return nil
	}
	var out []runs.Advice
	add := func(code, model string) {
		if !slices.ContainsFunc(out, func(x runs.Advice) bool { return x.Code == code && x.Params["model"] == model }) {
			out = append(out, warning(code, fault.P("model", model)))
		}
	}
	for _, s := range a.stored {
		if s.Answering == nil {
			continue
		}
		for _, j := range s.Answering.Judges {
			if j.Own {
				add(runs.JudgeIsGenerator, j.Model)
			}
			if j.Small {
				add(runs.JudgeSmall, j.Model)
			}
		}
	}
	return out
}

func warning(code string, params ...fault.Param) runs.Advice {
	return advise(runs.Warning, code, params)
}

func hint(code string, params ...fault.Param) runs.Advice { return advise(runs.Hint, code, params) }

func advise(level, code string, params []fault.Param) runs.Advice {
	a := runs.Advice{Code: code, Level: level, Params: map[string]string{}}
	for _, p := range params {
		a.Params[p.Key] = p.Value
	}
	return a
}

// decimal prints a score for a sentence.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) }

// sizeWarnings: what an interval is worth with so few questions.
func (a *assessment) sizeWarnings() []runs.Advice {
	n := 0
	for _, r := range a.stored[0].Records {
		if r.Measured() {
			n++
		}
	}
	if n == 0 || n >= EnoughQuestions {
		return nil
	}
	ci, err := stats.Wilson(int(math.Round(.8*float64(n))), n, stats.DefaultLevel)
	if err != nil {
		return nil // n is positive and 0.8 n lies below it
	}
	code := runs.QuestionsFew
	if n < FewQuestions {
		code = runs.QuestionsVeryFew
	}
	return []runs.Advice{warning(code, fault.P("n", n), fault.P("low", decimal(ci.Low)), fault.P("high", decimal(ci.High)))}
}

func (a *assessment) metricWarnings() []runs.Advice {
	var out []runs.Advice
	var retrieval, answers []string
	for _, m := range a.metrics {
		if m.answers() && !a.answered(a.metricIndex(m.name)) {
			answers = append(answers, m.name)
		} else if !m.answers() {
			retrieval = append(retrieval, m.name)
		}
	}
	if len(retrieval) == 1 {
		out = append(out, warning(runs.MetricAlone, fault.P("metric", retrieval[0])))
	}
	if len(answers) > 0 {
		out = append(out, warning(runs.MetricNeedsAnswers, fault.P("metrics", strings.Join(answers, ", "))))
	}
	return out
}

func (a *assessment) errorWarnings() []runs.Advice {
	var out []runs.Advice
	for _, r := range a.exp.Runs {
		if r.ErroredQueries > 0 {
			codes := slices.Sorted(maps.Keys(r.Errors))
			out = append(out, warning(runs.QueriesErrored, fault.P("run", r.Name), fault.P("n", r.ErroredQueries),
				fault.P("of", r.TotalQueries), fault.P("codes", strings.Join(codes, ", "))))
		}
		if r.DuplicateHits > 0 {
			out = append(out, warning(runs.HitsDuplicate, fault.P("run", r.Name), fault.P("n", r.DuplicateHits)))
		}
	}
	return out
}

// goldWarnings: labels that nothing retrieved can meet. Runs of one library say the
// same and are named together.
func (a *assessment) goldWarnings() []runs.Advice {
	var out []runs.Advice
	for _, kind := range []struct {
		code string
		n    func(runs.Record) bool
	}{
		{runs.GoldNotIndexed, func(r runs.Record) bool { return unreachable(r) == runs.NotIndexed }},
		{runs.GoldSplit, func(r runs.Record) bool { return unreachable(r) == runs.SplitByChunking }},
		{runs.GoldStale, func(r runs.Record) bool { return r.Stale }},
	} {
		var counts []int
		byCount := map[int][]string{}
		for _, s := range a.stored {
			n := 0
			for _, r := range s.Records {
				if kind.n(r) {
					n++
				}
			}
			if n > 0 && byCount[n] == nil {
				counts = append(counts, n)
			}
			byCount[n] = append(byCount[n], s.Name)
		}
		for _, n := range counts {
			out = append(out, warning(kind.code, fault.P("n", n), fault.P("runs", strings.Join(byCount[n], ", "))))
		}
	}
	return out
}

// unreachable is why the library holds nothing of a question's gold, empty when it
// holds some.
func unreachable(r runs.Record) runs.Cause {
	switch {
	case !r.Measured() || len(r.Relevant) > 0:
		return ""
	case r.Unreachable != nil:
		return *r.Unreachable
	}
	return runs.NotIndexed
}

// typeWarnings: kinds of question that the mean hardly hears.
func (a *assessment) typeWarnings() []runs.Advice {
	records := a.stored[0].Records
	counts := map[string]int{}
	typed := 0
	for _, r := range records {
		counts[r.Type]++
		if r.Type != "" {
			typed++
		}
	}
	if typed == 0 {
		return []runs.Advice{warning(runs.TypesUnknown)}
	}
	var rare []string
	for _, t := range knownTypes {
		if share := float64(counts[t]) / float64(len(records)); share < MinTypeShare {
			rare = append(rare, fmt.Sprintf("%s %s %%", t, percent(share)))
		}
	}
	if len(rare) == 0 {
		return nil
	}
	return []runs.Advice{warning(runs.TypesRare, fault.P("types", strings.Join(rare, ", ")))}
}

func (a *assessment) variableWarnings() []runs.Advice {
	var out []runs.Advice
	for _, p := range a.exp.Pairs {
		if len(p.Variables) > 1 {
			out = append(out, warning(runs.VariablesSeveral, fault.P("a", p.A), fault.P("b", p.B),
				fault.P("n", len(p.Variables)), fault.P("variables", runs.Names(p.Variables))))
		}
	}
	if a.own == nil {
		return out
	}
	last := a.stored[len(a.stored)-1]
	for _, s := range a.stored {
		if len(runs.PipelineVariables(s.Pipeline, *a.own)) == 0 {
			return out
		}
	}
	return append(out, warning(runs.PipelineNotOwn, fault.P("own", a.own.Strategy), fault.P("run", last.Name),
		fault.P("variables", runs.Names(runs.PipelineVariables(last.Pipeline, *a.own)))))
}

// depthWarnings: lists that cannot reach as deep as the metrics look.
func (a *assessment) depthWarnings() []runs.Advice {
	var out []runs.Advice
	for _, s := range a.stored {
		most := 0
		if s.Pipeline.Vector {
			most += s.Pipeline.Candidates
		}
		if s.Pipeline.BM25 {
			most += s.Pipeline.Candidates
		}
		if most > 0 && most < a.depth {
			out = append(out, warning(runs.ListShort, fault.P("run", s.Name), fault.P("most", most), fault.P("depth", a.depth)))
		}
	}
	return out
}

// powerWarnings: what an inconclusive comparison could have shown.
func (a *assessment) powerWarnings() []runs.Advice {
	var out []runs.Advice
	for _, c := range a.exp.Comparisons {
		if c.Exploratory || c.Verdict != runs.Inconclusive {
			continue
		}
		if c.Note != nil && *c.Note == runs.NoteErrors {
			out = append(out, warning(runs.VerdictErrors, fault.P("a", c.A), fault.P("b", c.B), fault.P("metric", c.Metric)))
			continue
		}
		sd := a.deviation(c)
		if sd == 0 || c.Diff == nil {
			continue
		}
		effect, err := stats.MinimumEffect(sd, c.N, Alpha, .8)
		if err != nil {
			continue
		}
		needed := ""
		if *c.Diff != 0 {
			if n, err := stats.SampleSize(*c.Diff, sd, Alpha, .8); err == nil {
				needed = strconv.Itoa(n)
			}
		}
		if needed == "" {
			continue
		}
		out = append(out, warning(runs.PowerLow, fault.P("a", c.A), fault.P("b", c.B), fault.P("metric", c.Metric),
			fault.P("diff", signed(*c.Diff)), fault.P("n", c.N), fault.P("effect", decimal(effect)), fault.P("needed", needed)))
	}
	return out
}

// deviation is the standard deviation of a comparison's paired differences.
func (a *assessment) deviation(c runs.Comparison) float64 {
	p := a.paired(a.metricIndex(c.Metric), a.runIndex(c.A), a.runIndex(c.B))
	if len(p.diff) < 2 {
		return 0
	}
	center := *mean(p.diff)
	squares := 0.0
	for _, d := range p.diff {
		squares += float64((d - center) * (d - center))
	}
	return math.Sqrt(squares / float64(len(p.diff)-1))
}

func (a *assessment) metricIndex(name string) int {
	return slices.IndexFunc(a.metrics, func(m metric) bool { return m.name == name })
}

func (a *assessment) runIndex(name string) int {
	return slices.IndexFunc(a.stored, func(s runs.Stored) bool { return s.Name == name })
}

func signed(v float64) string {
	if v > 0 {
		return "+" + decimal(v)
	}
	return decimal(v)
}
