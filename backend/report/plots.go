package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// drawing collects SVG. It holds numbers and class names alone, so that nothing
// needs escaping and the colours are the style's.
type drawing struct{ strings.Builder }

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) html() template.HTML {
	return template.HTML(d.String()) // #nosec G203 -- numbers and class names alone
}

// pc is a share as a percentage of a plot's width.
func pc(share float64) string {
	return strconv.FormatFloat(100*math.Max(0, math.Min(share, 1)), 'f', 2, 64) + "%"
}

// differencePlot is an interval of a difference around 0.
func differencePlot(ci runs.CI, diff float64, verdict string) template.HTML {
	reach := 1.15 * math.Max(.02, math.Max(math.Abs(ci[0]), math.Abs(ci[1])))
	at := func(v float64) string { return pc((v + reach) / (2 * reach)) }
	var d drawing
	d.add(`<svg class="interval %s" width="100%%" height="34" aria-hidden="true" focusable="false">`, tone(verdict))
	d.add(`<line class="axis" x1="0" x2="100%%" y1="17" y2="17"/>`)
	d.add(`<line class="zero" x1="50%%" x2="50%%" y1="3" y2="31"/>`)
	d.add(`<line class="range" x1="%s" x2="%s" y1="17" y2="17"/>`, at(ci[0]), at(ci[1]))
	for _, end := range ci {
		d.add(`<line class="cap" x1="%s" x2="%s" y1="11" y2="23"/>`, at(end), at(end))
	}
	d.add(`<circle class="dot" cx="%s" cy="17" r="5"/></svg>`, at(diff))
	return d.html()
}

// panel is one metric with a bar for each run.
type panel struct {
	Name    string
	Note    text
	Primary bool
	Bars    []bar
}

type bar struct {
	Run             series
	Value, Interval string
	Plot            template.HTML
}

func panels(exp runs.Experiment, all []series) []panel {
	var out []panel
	for _, name := range exp.Metrics {
		p := panel{Name: name, Note: kind(name), Primary: name == exp.Primary}
		measured := false
		for i, r := range exp.Runs {
			m := r.Metrics[name]
			measured = measured || m.Value != nil
			p.Bars = append(p.Bars, bar{all[i], score(m.Value), between(m.CI), scoreBar(m, all[i].Class)})
		}
		if measured {
			out = append(out, p)
		}
	}
	return out
}

func scoreBar(m runs.Metric, class string) template.HTML {
	var d drawing
	d.add(`<svg class="bar" width="100%%" height="22" aria-hidden="true" focusable="false">`)
	d.add(`<rect class="track" x="0" y="4" width="100%%" height="14" rx="3"/>`)
	for _, tick := range []string{"25%", "50%", "75%"} {
		d.add(`<line class="tick" x1="%[1]s" x2="%[1]s" y1="4" y2="18"/>`, tick)
	}
	if m.Value != nil {
		d.add(`<rect class="fill %s" x="0" y="4" width="%s" height="14" rx="3"/>`, class, pc(*m.Value))
	}
	if m.CI != nil {
		low, high := pc(m.CI[0]), pc(m.CI[1])
		d.add(`<line class="whisker" x1="%s" x2="%s" y1="11" y2="11"/>`, low, high)
		for _, end := range []string{low, high} {
			d.add(`<line class="whisker" x1="%[1]s" x2="%[1]s" y1="7" y2="15"/>`, end)
		}
	}
	d.add(`</svg>`)
	return d.html()
}

// dashes is how many patterns tell lines apart beside their colours.
const dashes = 4

// Geometry of the curve.
const (
	curveWidth, curveHeight = 900, 260
	curveLeft, curveRight   = 52, 12
	curveTop, curveBottom   = 12, 34
)

// curve draws the share of questions whose first relevant hit stands within k, for
// each run. Its axis begins at the quarter below the lowest point.
func curve(exp runs.Experiment, all []series) template.HTML {
	depth := exp.Runs[0].Depth
	if depth < 2 {
		return ""
	}
	shares := make([][]float64, len(exp.Runs))
	floor := .75
	for i, r := range exp.Runs {
		shares[i] = firstWithin(r.Stored.Records, depth)
		floor = min(floor, math.Floor(shares[i][0]*4)/4)
	}
	x := func(k int) float64 {
		return curveLeft + float64(curveWidth-curveLeft-curveRight)*float64(k-1)/float64(depth-1)
	}
	y := func(share float64) float64 {
		return curveTop + float64(curveHeight-curveTop-curveBottom)*(1-share)/(1-floor)
	}
	var d drawing
	d.add(`<svg class="curve" viewBox="0 0 %d %d" aria-hidden="true" focusable="false">`, curveWidth, curveHeight)
	rows := map[float64]int{0: 4, .25: 3, .5: 5, .75: 5}[floor]
	for i := range rows + 1 {
		share := floor + (1-floor)*float64(i)/float64(rows)
		d.add(`<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, curveLeft, curveWidth-curveRight, y(share), y(share))
		d.add(`<text class="label end" x="%d" y="%.1f">%s %%</text>`, curveLeft-8, y(share)+4, strconv.Itoa(int(math.Round(100*share))))
	}
	step := max(1, (depth+11)/12)
	for k := 1; k <= depth; k++ {
		if k == 1 || k%step == 0 {
			d.add(`<text class="label middle" x="%.1f" y="%d">%d</text>`, x(k), curveHeight-12, k)
		}
	}
	for i := range exp.Runs {
		var points []string
		for k, share := range shares[i] {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(k+1), y(share)))
		}
		d.add(`<polyline class="line %s d%d" points="%s"/>`, all[i].Class, i%dashes, strings.Join(points, " "))
	}
	d.add(`</svg>`)
	return d.html()
}

// firstWithin is, for each k from 1 to depth, the share of searched questions with
// gold whose first relevant hit is at k or above.
func firstWithin(records []runs.Record, depth int) []float64 {
	out := make([]float64, depth)
	n := 0
	for _, r := range records {
		if !r.Measured() || r.Error != nil {
			continue
		}
		n++
		if r.First != nil && *r.First <= depth {
			out[*r.First-1]++
		}
	}
	sum := 0.0
	for k := range out {
		sum += out[k]
		out[k] = sum / float64(max(n, 1))
	}
	return out
}

// latencyView has a block of bars for each run.
type latencyView struct {
	Lead text
	Runs []latencyRun
}

type latencyRun struct {
	Run  series
	Bars []latencyBar
}

type latencyBar struct {
	Stage    text
	Total    bool
	P50, P95 string
	Plot     template.HTML
}

// latency is nil without timings.
func latency(exp runs.Experiment, all []series) *latencyView {
	longest := 0.0
	workers := 0
	for _, r := range exp.Runs {
		workers = max(workers, r.Stored.Timing.Workers)
		for _, q := range r.LatencyMS {
			longest = max(longest, q.P95)
		}
	}
	if longest == 0 {
		return nil
	}
	v := &latencyView{Lead: word("latency.lead", fault.P("workers", workers))}
	for i, r := range exp.Runs {
		block := latencyRun{Run: all[i]}
		for _, stage := range stagesOf(r.LatencyMS) {
			q := r.LatencyMS[stage]
			class := "whole"
			if slices.Contains(rag.Stages(), rag.Stage(stage)) {
				class = stage
			}
			block.Bars = append(block.Bars, latencyBar{
				Stage: wordOr("stage.", stage), Total: stage == runs.Total, P50: duration(q.P50), P95: duration(q.P95),
				Plot: durationBar(q.P50/longest, q.P95/longest, class),
			})
		}
		v.Runs = append(v.Runs, block)
	}
	return v
}

// stagesOf lists the stages of a timing in running order, then what it does not
// know, then the whole.
func stagesOf(q map[string]runs.Quantiles) []string {
	var out []string
	for _, s := range rag.Stages() {
		if _, ok := q[string(s)]; ok {
			out = append(out, string(s))
		}
	}
	var others []string
	for name := range q {
		if name != runs.Total && !slices.Contains(out, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	out = append(out, others...)
	if _, ok := q[runs.Total]; ok {
		out = append(out, runs.Total)
	}
	return out
}

func durationBar(median, high float64, class string) template.HTML {
	var d drawing
	d.add(`<svg class="bar thin" width="100%%" height="16" aria-hidden="true" focusable="false">`)
	d.add(`<line class="reach %s" x1="%s" x2="%s" y1="8" y2="8"/>`, class, pc(median), pc(high))
	d.add(`<line class="reach %s" x1="%[2]s" x2="%[2]s" y1="4" y2="12"/>`, class, pc(high))
	d.add(`<rect class="fill %s" x="0" y="3" width="%s" height="10" rx="2"/></svg>`, class, pc(median))
	return d.html()
}
