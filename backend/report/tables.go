package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// tableRow is a metric before and after.
type tableRow struct {
	Name    string
	Label   text
	Note    text
	Primary bool
	Cells   []tableCell
}

type tableCell struct {
	Value, Interval string
	// N is shown when values are missing.
	N       text
	Bounds  *text
	Diff    string
	Verdict string
	// Tone is up, down or even; Filled for a verdict of the primary metric.
	Tone   string
	Filled bool
	// Detail is the interval of the difference, P its p-value.
	Detail, P string
}

// table has the metrics in the order asked, then failures, further detectors, the style of
// answers, and latency.
func table(exp runs.Experiment) []tableRow {
	var out []tableRow
	for _, name := range exp.Metrics {
		row := tableRow{Name: name, Note: kind(name), Primary: name == exp.Primary}
		for _, r := range exp.Runs {
			m := r.Metrics[name]
			if m.Gain != nil {
				gain := word("gain", fault.P("gain", *m.Gain))
				row.Note = text{kind(name).en + ", " + gain.en, kind(name).zh + "，" + gain.zh}
			}
			row.Cells = append(row.Cells, metricCell(m, comparison(exp, name, r.Name)))
		}
		out = append(out, row)
	}
	failed := tableRow{Label: missesWord(), Note: word("tile.failed.note", fault.P("k", runs.FailedDepth))}
	for _, r := range exp.Runs {
		failed.Cells = append(failed.Cells, tableCell{Value: strconv.Itoa(r.FailedQueries)})
	}
	out = append(out, failed)
	for _, extra := range extraRows(exp) {
		row := tableRow{Label: extra.Label, Note: extra.Note}
		for _, cell := range extra.Cells {
			row.Cells = append(row.Cells, tableCell{Value: cell})
		}
		out = append(out, row)
	}
	return append(out, latencyRows(exp)...)
}

func metricCell(m runs.Metric, c *runs.Comparison) tableCell {
	cell := tableCell{Value: score(m.Value), Interval: between(m.CI)}
	if m.N < m.Of {
		cell.N = plain(fmt.Sprintf("n %d/%d", m.N, m.Of))
	}
	if m.Bounds != nil && m.Value != nil {
		bounds := word("table.bounds", fault.P("low", fixed(m.Bounds[0], 3)), fault.P("high", fixed(m.Bounds[1], 3)))
		cell.Bounds = &bounds
	}
	if c == nil || c.Diff == nil {
		return cell
	}
	cell.Diff, cell.Verdict, cell.Tone, cell.Filled = difference(c.Diff), c.Verdict, tone(c.Verdict), !c.Exploratory
	p := c.P
	if !c.Exploratory {
		p = c.PAdj
	}
	cell.Detail, cell.P = signedBetween(c.CI), chance(p)
	return cell
}

// tone is how a verdict is coloured.
func tone(verdict string) string {
	switch verdict {
	case runs.Better, runs.Faster:
		return "up"
	case runs.Worse, runs.Slower:
		return "down"
	}
	return "even"
}

func latencyRows(exp runs.Experiment) []tableRow {
	median := tableRow{Label: word("table.latency50"), Note: word("table.change")}
	high := tableRow{Label: word("table.latency95"), Note: word("stage.total")}
	known := false
	for _, r := range exp.Runs {
		q, ok := r.LatencyMS[runs.Total]
		known = known || ok
		a, b := tableCell{Value: none}, tableCell{Value: none}
		if ok {
			a.Value, b.Value = duration(q.P50), duration(q.P95)
		}
		for _, p := range exp.Pairs {
			if d := p.LatencyMS; p.B == r.Name && d != nil {
				a.Diff, a.Verdict, a.Tone = signedDuration(d.Diff), d.Verdict, tone(d.Verdict)
				if d.CI != nil {
					a.Detail = "[" + signedDuration(d.CI[0]) + ", " + signedDuration(d.CI[1]) + "]"
				}
			}
		}
		median.Cells, high.Cells = append(median.Cells, a), append(high.Cells, b)
	}
	if !known {
		return nil
	}
	return []tableRow{median, high}
}

func signedDuration(ms float64) string {
	if ms > 0 {
		return "+" + duration(ms)
	}
	return duration(ms)
}

// fewInGroup is the size below which a group's mean is marked.
const fewInGroup = 10

// groupTable has the primary metric by kind of question.
type groupTable struct {
	Name text
	Rows []groupRow
}

type groupRow struct {
	Name  text
	N     int
	Few   bool
	Cells []heatCell
	// Change is the last run against the baseline.
	Change string
	Tone   string
}

type heatCell struct {
	Value string
	// Heat is 0 to 10, −1 without a value.
	Heat int
}

func groupTables(exp runs.Experiment) []groupTable {
	var out []groupTable
	for _, g := range []struct{ name, prefix string }{{"type", "type."}, {"lang", "lang."}} {
		groups := exp.Runs[0].Groups[g.name]
		names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
			return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
		})
		if len(names) < 2 {
			continue
		}
		t := groupTable{Name: word("groups." + g.name)}
		for _, name := range names {
			label := wordOr(g.prefix, name)
			if name == "" {
				label = word("groups.none")
			}
			t.Rows = append(t.Rows, groupOf(exp, g.name, name, label))
		}
		out = append(out, t)
	}
	return out
}

// place orders kinds of question: the known ones as people list them, then others,
// then those without a kind.
func place(kind string) int {
	if kind == "" {
		return 99
	}
	if i := slices.Index([]string{"factual", "reasoning", "multi_hop", "comparison", "negation"}, kind); i >= 0 {
		return i
	}
	if kind == "unanswerable" {
		return 98
	}
	return 50
}

func groupOf(exp runs.Experiment, by, name string, label text) groupRow {
	row := groupRow{Name: label, N: exp.Runs[0].Groups[by][name].N}
	value := func(r runs.Result) *float64 { return r.Groups[by][name].Metrics[exp.Primary].Value }
	for _, r := range exp.Runs {
		v := value(r)
		c := heatCell{Value: score(v), Heat: -1}
		if v != nil {
			c.Heat = int(*v * 10)
		}
		row.Cells = append(row.Cells, c)
	}
	from, to := value(runOf(exp, exp.Baseline)), value(last(exp))
	row.Few = row.N < fewInGroup && from != nil
	if from != nil && to != nil && len(exp.Runs) > 1 {
		diff := *to - *from
		row.Change, row.Tone = difference(&diff), "even"
		switch {
		case diff > 0:
			row.Tone = "up"
		case diff < 0:
			row.Tone = "down"
		}
	}
	return row
}

// causeRow counts the questions of a run by cause.
type causeRow struct {
	Run    series
	Counts []causeCount
	Total  int
}

type causeCount struct {
	Cause text
	N     int
}

// causes has a column for each cause that occurs.
func causes(exp runs.Experiment, all []series) []causeRow {
	var shown []runs.Cause
	for _, c := range runs.Causes() {
		if slices.ContainsFunc(exp.Runs, func(r runs.Result) bool { return r.Causes[c] > 0 }) {
			shown = append(shown, c)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	var out []causeRow
	for i, r := range exp.Runs {
		row := causeRow{Run: all[i], Total: r.Diagnosis.Failed}
		for _, c := range shown {
			row.Counts = append(row.Counts, causeCount{wordOr("cause.", string(c)), r.Causes[c]})
		}
		out = append(out, row)
	}
	return out
}

// worst is a question that the last run ranks badly.
type worst struct {
	Number         int
	ID, Query      string
	Type, Lang     text
	Ranks          []rankChip
	Cause          *text
	Expected       []runs.Expected
	Came           []runs.Retrieved
	ExpectedFailed bool
}

// rankChip is where the first relevant hit of a question stands in a run.
type rankChip struct {
	Run, Value string
	// Class is r1, r3, r5, low, none or error.
	Class string
}

func chip(run string, r runs.Record) rankChip {
	c := rankChip{Run: run, Value: rank(r.First), Class: "none"}
	switch {
	case r.Error != nil:
		c.Value, c.Class = "!", "error"
	case r.First == nil:
	case *r.First == 1:
		c.Class = "r1"
	case *r.First <= 3:
		c.Class = "r3"
	case *r.First <= runs.FailedDepth:
		c.Class = "r5"
	default:
		c.Class = "low"
	}
	return c
}

// Limits of lists on the page.
const (
	worstShown = 20
	movedShown = 25
	cameShown  = 5
	quotePoint = 240
)

// worstOf lists the questions that retrieval failed, then those with a bad answer,
// then those that the library cannot answer as it is, then those that could not be
// searched, then the others by the primary metric; perfect ones are left out.
func worstOf(exp runs.Experiment) []worst {
	shown := last(exp).Stored.Records
	var order []int
	value := func(q int) float64 {
		if v := shown[q].Metrics[exp.Primary]; v != nil {
			return *v
		}
		return 1
	}
	class := func(q int) int {
		switch c := shown[q].Cause; {
		case c != nil && (*c == runs.NotIndexed || *c == runs.SplitByChunking):
			return 2
		case shown[q].Failed():
			return 0
		case c != nil:
			return 1
		case shown[q].Error != nil:
			return 3
		}
		return 4
	}
	for q, r := range shown {
		if r.Cause != nil || r.Measured() && (class(q) < 4 || value(q) < 1) {
			order = append(order, q)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(value(a), value(b)))
	})
	var out []worst
	for i, q := range order[:min(len(order), worstShown)] {
		out = append(out, worstQuestion(exp, i+1, q))
	}
	return out
}

func worstQuestion(exp runs.Experiment, number, q int) worst {
	r := last(exp).Stored.Records[q]
	w := worst{
		Number: number, ID: r.QueryID, Query: r.Query, Type: wordOr("type.", r.Type), Lang: wordOr("lang.", r.Lang),
		Came: r.Retrieved[:min(len(r.Retrieved), cameShown)],
	}
	for _, e := range r.Expected {
		w.Expected = append(w.Expected, runs.Expected{Doc: e.Doc, Quote: shortened(e.Quote, quotePoint)})
	}
	switch {
	case r.Error != nil:
		cause := word("cause.error", fault.P("code", r.Error.Code))
		w.Cause = &cause
	case r.Cause != nil:
		cause := wordOr("cause.", string(*r.Cause))
		w.Cause = &cause
	}
	for _, run := range exp.Runs {
		w.Ranks = append(w.Ranks, chip(run.Name, run.Stored.Records[q]))
	}
	return w
}

// shortened cuts a text after a number of code points.
func shortened(s string, points int) string {
	n := 0
	for i := range s {
		if n == points {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// missesWord names the count of questions without a relevant passage near the top, which
// leaves out those with a bad answer.
func missesWord() text { return word("table.failed", fault.P("k", runs.FailedDepth)) }
