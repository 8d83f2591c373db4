package report

import (
	"fmt"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// diagnosis is why the questions of a run failed.
type diagnosis struct {
	Run   series
	Lead  text
	Notes []text
	// Buckets and Causes are empty where nothing failed.
	Buckets []bucketView
	Causes  []causeView
}

type bucketView struct {
	Name, Note      text
	N               int
	Share, Interval string
}

type causeView struct {
	Cause, Bucket   text
	N               int
	Share, Interval string
	Questions       []questionRef
	Parameters      text
	Changes         text
	Commands        []string
}

type questionRef struct{ ID, Query string }

// diagnosisOf is that of run i.
func diagnosisOf(exp runs.Experiment, i int, run series) diagnosis {
	r := exp.Runs[i]
	d := r.Diagnosis
	params := []fault.Param{fault.P("run", r.Name), fault.P("failed", d.Failed), fault.P("of", d.Of)}
	out := diagnosis{Run: run, Lead: word("causes.lead", params...)}
	if d.Failed == 0 {
		out.Lead = word("causes.none", params...)
	}
	if len(d.NotLooked) > 0 {
		out.Notes = append(out.Notes, word("causes.unlooked"))
	}
	if d.Unjudged > 0 {
		out.Notes = append(out.Notes, word("causes.unjudged", fault.P("n", d.Unjudged)))
	}
	for _, b := range d.Buckets {
		out.Buckets = append(out.Buckets, bucketView{
			Name: word("bucket." + b.Bucket), Note: word("bucketnote." + b.Bucket), N: b.N, Share: score(&b.Share), Interval: between(b.CI),
		})
	}
	queries := queriesOf(r)
	for _, c := range d.Causes {
		view := causeView{
			Cause: wordOr("cause.", string(c.Cause)), Bucket: word("bucket." + c.Bucket), N: c.N, Share: score(&c.Share), Interval: between(c.CI),
			Parameters: variableNames(c.Parameters), Commands: c.Sweep.Commands,
			Changes: word("causes.changes").fill(map[string]text{"parameter": wordOr("var.", c.Sweep.Parameter)}),
		}
		for _, id := range c.Questions {
			view.Questions = append(view.Questions, questionRef{id, queries[id]})
		}
		out.Causes = append(out.Causes, view)
	}
	return out
}

// queriesOf are the questions of a run by id.
func queriesOf(r runs.Result) map[string]string {
	out := make(map[string]string, len(r.Stored.Records))
	for _, q := range r.Stored.Records {
		out[q.QueryID] = q.Query
	}
	return out
}

func variableNames(names []string) text {
	return translated(strings.Join(names, ", "), func(name string) text { return wordOr("var.", name) })
}

// idsShown is how many questions a line of a terminal names.
const idsShown = 8

// textDiagnosis writes the causes of a run for a terminal.
func textDiagnosis(b *strings.Builder, d diagnosis, lang string) {
	fmt.Fprintf(b, "\n%s\n", d.Lead.in(lang))
	for _, n := range d.Notes {
		fmt.Fprintf(b, "%s\n", n.in(lang))
	}
	var buckets []string
	for _, v := range d.Buckets {
		buckets = append(buckets, fmt.Sprintf("%s %d (%s %s)", v.Name.in(lang), v.N, v.Share, v.Interval))
	}
	if len(d.Causes) > 0 {
		fmt.Fprintf(b, "%s\n", strings.Join(buckets, " · "))
	}
	for _, c := range d.Causes {
		fmt.Fprintf(b, "\n  %s (%s): %d, %s %s\n", c.Cause.in(lang), c.Bucket.in(lang), c.N, c.Share, c.Interval)
		fmt.Fprintf(b, "    %s: %s\n", word("causes.questions").in(lang), idList(c.Questions, lang))
		fmt.Fprintf(b, "    %s: %s\n", word("causes.helps").in(lang), c.Parameters.in(lang))
		fmt.Fprintf(b, "    %s (%s):\n", word("causes.try").in(lang), c.Changes.in(lang))
		for _, line := range c.Commands {
			fmt.Fprintf(b, "      %s\n", line)
		}
	}
}

func idList(all []questionRef, lang string) string {
	var ids []string
	for _, q := range all[:min(len(all), idsShown)] {
		ids = append(ids, q.ID)
	}
	if more := len(all) - len(ids); more > 0 {
		ids = append(ids, word("moves.more", fault.P("n", more)).in(lang))
	}
	return strings.Join(ids, ", ")
}

// bucketMoves is what became of the questions of a baseline by bucket.
type bucketMoves struct {
	A, B  string
	Names []text
	Rows  []moveRow
	// Lines are the moves with their questions, those between the same cause left out.
	Lines []bucketLine
}

type bucketLine struct {
	From, To  text
	Tone      string
	N         int
	Questions []questionRef
}

// lastMoves is what became of the baseline's questions under the last run, nil for a
// single run.
func lastMoves(exp runs.Experiment) *bucketMoves {
	for _, p := range exp.Pairs {
		if p.B == last(exp).Name {
			return bucketMovesOf(exp, p)
		}
	}
	return nil
}

// bucketMovesOf is nil where no question failed under either run of a pair.
func bucketMovesOf(exp runs.Experiment, pair runs.Pair) *bucketMoves {
	names := runs.Buckets()
	out := &bucketMoves{A: pair.A, B: pair.B}
	index := map[string]int{}
	for i, n := range names {
		index[n] = i
		out.Names = append(out.Names, word("bucket."+n))
	}
	out.Names = append(out.Names, word("bucket.none"))
	place := func(n *string) int {
		if n == nil {
			return len(names)
		}
		return index[*n]
	}
	counts := make([][]int, len(names)+1)
	for i := range counts {
		counts[i] = make([]int, len(names)+1)
	}
	failed := false
	for _, t := range pair.Buckets {
		counts[place(t.From)][place(t.To)] = t.N
		failed = failed || t.From != nil || t.To != nil
	}
	if !failed {
		return nil
	}
	most := 1
	for i, row := range counts {
		for j, n := range row {
			if i != j {
				most = max(most, n)
			}
		}
	}
	for i, row := range counts {
		r := moveRow{Bucket: out.Names[i]}
		for j, n := range row {
			r.Cells = append(r.Cells, moveCell{N: n, Tone: towards(i, j, len(names)), Heat: heat(n, most)})
		}
		out.Rows = append(out.Rows, r)
	}
	queries := queriesOf(runOf(exp, pair.B))
	for _, t := range pair.Causes {
		if t.From == nil && t.To == nil || t.From != nil && t.To != nil && *t.From == *t.To {
			continue
		}
		line := bucketLine{From: causeName(t.From), To: causeName(t.To), N: t.N, Tone: "even"}
		switch {
		case t.To == nil:
			line.Tone = "up"
		case t.From == nil:
			line.Tone = "down"
		}
		for _, id := range t.Questions {
			line.Questions = append(line.Questions, questionRef{id, queries[id]})
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// towards colours a move: out of the buckets is up, into one down.
func towards(from, to, none int) string {
	switch {
	case from == to:
		return "even"
	case to == none:
		return "up"
	case from == none:
		return "down"
	}
	return "even"
}

func heat(n, most int) int {
	if n == 0 {
		return 0
	}
	return min(5, 1+n*4/most)
}

func causeName(c *runs.Cause) text {
	if c == nil {
		return word("bucket.none")
	}
	return wordOr("cause.", string(*c))
}

// textMoves writes the matrix of buckets and the moves for a terminal.
func textMoves(b *strings.Builder, m *bucketMoves, lang string) {
	head := []string{m.A + " → " + m.B}
	for _, n := range m.Names {
		head = append(head, n.in(lang))
	}
	rows := [][]string{head}
	for _, r := range m.Rows {
		row := []string{r.Bucket.in(lang)}
		for _, c := range r.Cells {
			row = append(row, strconv.Itoa(c.N))
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	writeColumns(b, rows)
	for _, l := range m.Lines {
		fmt.Fprintf(b, "  %s → %s: %d (%s)\n", l.From.in(lang), l.To.in(lang), l.N, idList(l.Questions, lang))
	}
}
