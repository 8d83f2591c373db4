package report

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// view is what the template shows: words and plots, ready made.
type view struct {
	Language  string
	Style     template.CSS
	StyleHash string

	Title    text
	Meta     []fact
	Runs     []series
	Baseline string
	Primary  string
	// First is the baseline and Last the run that moves are shown for.
	First, Last string

	Heads    []headline
	Cards    []card
	Tiles    []tile
	Advice   []adviceView
	Table    []tableRow
	Panels   []panel
	Curve    template.HTML
	Groups   []groupTable
	Moves    *moves
	Worst    []worst
	Causes   []causeRow
	Why      []diagnosis
	Became   []bucketMoves
	Judged   []judgedRun
	Latency  *latencyView
	Settings []setting
	Seed     uint64
	FailedAt int
}

// fact is a label with a value.
type fact struct{ Label, Value text }

// series is a run with its colour.
type series struct {
	Name, RunID string
	// Class is the colour's.
	Class    string
	Baseline bool
}

type adviceView struct {
	Level string
	Text  text
}

func newView(exp runs.Experiment) *view {
	v := &view{
		Title: word("title"), Runs: seriesOf(exp), Baseline: exp.Baseline, Primary: exp.Primary,
		First: exp.Baseline, Last: last(exp).Name, Seed: exp.Seed, FailedAt: runs.FailedDepth,
	}
	v.Meta = meta(exp)
	v.Cards = cards(exp)
	v.Tiles = tiles(exp)
	for _, a := range exp.Advice {
		v.Advice = append(v.Advice, adviceView{a.Level, advice(a)})
	}
	v.Table = table(exp)
	v.Panels = panels(exp, v.Runs)
	v.Curve = curve(exp, v.Runs)
	v.Groups = groupTables(exp)
	v.Moves = movesOf(exp)
	v.Worst = worstOf(exp)
	v.Causes = causes(exp, v.Runs)
	for i := range exp.Runs {
		v.Heads = append(v.Heads, headlineOf(exp, i, v.Runs[i]))
		v.Why = append(v.Why, diagnosisOf(exp, i, v.Runs[i]))
	}
	for _, p := range exp.Pairs {
		if m := bucketMovesOf(exp, p); m != nil {
			v.Became = append(v.Became, *m)
		}
	}
	v.Latency = latency(exp, v.Runs)
	v.Settings = settings(exp)
	return v
}

// judge adds the answers with their verdicts.
func (v *view) judge(exp runs.Experiment, reason func(lang, code, detail string) string) {
	say := func(code, detail string) text { return plain(code) }
	if reason != nil {
		say = func(code, detail string) text {
			return text{reason(English, code, detail), reason(Chinese, code, detail)}
		}
	}
	for i := range exp.Runs {
		if j := judgedOf(exp, i, v.Runs[i], say); j != nil {
			v.Judged = append(v.Judged, *j)
		}
	}
}

// last is the run that people look at: the last one that is not the baseline.
func last(exp runs.Experiment) runs.Result { return exp.Runs[lastIndex(exp)] }

func lastIndex(exp runs.Experiment) int {
	for i := len(exp.Runs) - 1; i >= 0; i-- {
		if exp.Runs[i].Name != exp.Baseline {
			return i
		}
	}
	return 0
}

// seriesOf gives each run a colour: that of its last stage where it is free.
func seriesOf(exp runs.Experiment) []series {
	spare := []string{"c5", "c6", "c7", "c8", "vector", "bm25", "fusion", "rerank"}
	used := map[string]bool{}
	out := make([]series, len(exp.Runs))
	for i, r := range exp.Runs {
		out[i] = series{Name: r.Name, RunID: r.RunID, Baseline: r.Name == exp.Baseline && len(exp.Runs) > 1}
		stages := r.Stored.Pipeline.Stages()
		if len(stages) > 0 && !used[string(stages[len(stages)-1])] {
			out[i].Class = string(stages[len(stages)-1])
		} else if free := slices.IndexFunc(spare, func(c string) bool { return !used[c] }); free >= 0 {
			out[i].Class = spare[free]
		} else {
			out[i].Class = spare[i%len(spare)]
		}
		used[out[i].Class] = true
	}
	return out
}

func meta(exp runs.Experiment) []fact {
	out := []fact{}
	if names := libraryNames(exp); names != "" {
		value := plain(names)
		if l := exp.Runs[0].Stored.Library; l.Chunks > 0 && names == l.KB {
			more := word("meta.chunks", fault.P("documents", l.Documents), fault.P("chunks", l.Chunks))
			value = text{names + " · " + more.en, names + " · " + more.zh}
		}
		out = append(out, fact{word("meta.kb"), value})
	}
	questions := size(exp)
	if names := datasetNames(exp); names != "" {
		questions = text{names + " · " + questions.en, names + " · " + questions.zh}
	}
	out = append(out, fact{word("meta.dataset"), questions})
	if !exp.Created.IsZero() {
		out = append(out, fact{word("meta.created"), plain(exp.Created.UTC().Format("2006-01-02 15:04 UTC"))})
	}
	return out
}

// card is a comparison of the primary metric.
type card struct {
	A, B, Metric       string
	Verdict            string
	Sentence           text
	Note               *text
	From, To, Diff     string
	Interval, P        string
	N, Of              int
	Wins, Ties, Losses int
	Plot               template.HTML
	// Single is set when there is no comparison: From is the value then.
	Single bool
}

func cards(exp runs.Experiment) []card {
	var out []card
	for _, c := range exp.Comparisons {
		if c.Exploratory {
			continue
		}
		k := card{
			A: c.A, B: c.B, Metric: c.Metric, Verdict: c.Verdict, Sentence: verdictSentence(c),
			From: score(c.ValueA), To: score(c.ValueB), Diff: difference(c.Diff), Interval: signedBetween(c.CI),
			P: chance(c.PAdj), N: c.N, Of: c.Of, Wins: c.Wins, Ties: c.Ties, Losses: c.Losses,
		}
		if c.CI != nil && c.Diff != nil {
			k.Plot = differencePlot(*c.CI, *c.Diff, c.Verdict)
		}
		if c.Note != nil {
			note := word("hero." + strings.TrimSuffix(*c.Note, "_pairs"))
			k.Note = &note
		}
		out = append(out, k)
	}
	if len(out) == 0 {
		m := exp.Runs[0].Metrics[exp.Primary]
		out = append(out, card{
			Single: true, B: exp.Runs[0].Name, Metric: exp.Primary, From: score(m.Value), Interval: between(m.CI), N: m.N, Of: m.Of,
			Sentence: word("hero.scored", fault.P("metric", exp.Primary), fault.P("run", exp.Runs[0].Name)),
		})
	}
	return out
}

// tile is a number that is read at a glance.
type tile struct {
	Value, Label, Note text
	Tone               string
}

func tiles(exp runs.Experiment) []tile {
	shown := last(exp)
	failed := plain(strconv.Itoa(shown.FailedQueries))
	if base := runOf(exp, exp.Baseline); base.Name != shown.Name {
		failed = plain(strconv.Itoa(base.FailedQueries) + " → " + strconv.Itoa(shown.FailedQueries))
	}
	out := []tile{{failed, word("tile.failed"), word("tile.failed.note", fault.P("k", runs.FailedDepth)), ""}}
	for _, p := range exp.Pairs {
		if p.B != shown.Name {
			continue
		}
		a, b := fault.P("a", p.A), fault.P("b", p.B)
		out = append(out,
			tile{plain(strconv.Itoa(len(p.Mended))), word("tile.mended"), word("tile.mended.note", a, b), toneOf(len(p.Mended), "up")},
			tile{plain(strconv.Itoa(len(p.Broken))), word("tile.broken"), word("tile.broken.note", a, b), toneOf(len(p.Broken), "down")})
	}
	if shown.ErroredQueries > 0 {
		out = append(out, tile{plain(strconv.Itoa(shown.ErroredQueries)), word("tile.errored"), word("tile.of", fault.P("n", shown.TotalQueries)), "warn"})
	}
	return out
}

// toneOf colours a number that is not 0.
func toneOf(n int, tone string) string {
	if n == 0 {
		return ""
	}
	return tone
}

func runOf(exp runs.Experiment, name string) runs.Result {
	for _, r := range exp.Runs {
		if r.Name == name {
			return r
		}
	}
	return exp.Runs[0]
}

// setting is a row of the table of settings.
type setting struct {
	Name    text
	Values  []text
	Differs bool
}

func settings(exp runs.Experiment) []setting {
	rows := []struct {
		name text
		of   func(runs.Stored) text
	}{
		{word("settings.strategy"), func(r runs.Stored) text { return plain(r.Strategy) }},
		{word("var.legs"), func(r runs.Stored) text { return legs(r.Pipeline) }},
		{word("var.fusion"), func(r runs.Stored) text { return plain(fusion(r.Pipeline)) }},
		{word("var.candidates"), func(r runs.Stored) text { return count(r.Pipeline.Candidates) }},
		{word("var.reranker"), func(r runs.Stored) text { return plain(reranking(r.Pipeline)) }},
		{word("var.top_k"), func(r runs.Stored) text { return count(r.Pipeline.TopK) }},
		{word("settings.depth"), func(r runs.Stored) text { return count(r.Depth) }},
		{word("meta.kb"), func(r runs.Stored) text { return plain(r.Library.KB) }},
		{word("var.chunker"), func(r runs.Stored) text { return plain(chunking(r.Library)) }},
		{word("var.embedder"), func(r runs.Stored) text { return plain(r.Library.Embedder) }},
		{word("settings.relevance"), func(r runs.Stored) text { return wordOr("relevance.", r.Relevance) }},
		{word("settings.unit"), func(r runs.Stored) text { return wordOr("unit.", r.Unit) }},
		{word("settings.dataset"), func(r runs.Stored) text { return plain(r.Dataset.Hash[:min(len(r.Dataset.Hash), 12)]) }},
		{word("settings.fingerprint"), func(r runs.Stored) text { return plain(r.Fingerprint) }},
		{word("settings.seed"), func(r runs.Stored) text { return plain(strconv.FormatUint(r.Seed, 10)) }},
		{word("settings.program"), func(r runs.Stored) text { return plain(program(r.Program)) }},
		{word("settings.run"), func(r runs.Stored) text { return plain(r.ID) }},
		{word("settings.note"), func(r runs.Stored) text { return plain(r.Note) }},
	}
	own := []text{word("settings.fingerprint"), word("settings.run"), word("settings.note")} // differ by nature
	var out []setting
	for _, row := range rows {
		s := setting{Name: row.name}
		empty := true
		for _, r := range exp.Runs {
			value := row.of(r.Stored)
			empty = empty && value.en == ""
			s.Values = append(s.Values, value)
			s.Differs = s.Differs || value != s.Values[0] && !slices.Contains(own, row.name)
		}
		if !empty {
			out = append(out, s)
		}
	}
	return out
}

func count(n int) text {
	if n == 0 {
		return plain("")
	}
	return plain(strconv.Itoa(n))
}

func legs(p rag.Pipeline) text {
	var en, zh []string
	for _, s := range p.Stages() {
		if t, ok := p.Thresholds[s]; ok || s == rag.StageVector || s == rag.StageBM25 {
			w := wordOr("stage.", string(s))
			if ok {
				limit := " ≥ " + strconv.FormatFloat(t, 'g', -1, 64)
				w = text{w.en + limit, w.zh + limit}
			}
			en, zh = append(en, w.en), append(zh, w.zh)
		}
	}
	return text{strings.Join(en, " + "), strings.Join(zh, " + ")}
}

func fusion(p rag.Pipeline) string {
	switch p.Fusion {
	case rag.FusionRRF:
		return "rrf, k = " + strconv.Itoa(p.RRFK)
	case rag.FusionWeighted:
		return "weighted, α = " + strconv.FormatFloat(p.Alpha, 'g', -1, 64)
	}
	return string(p.Fusion)
}

func reranking(p rag.Pipeline) string {
	if p.Reranker == rag.RerankNone || p.Reranker == "" {
		return ""
	}
	return p.Reranker + ", " + strconv.Itoa(p.RerankDepth)
}

func chunking(l runs.Library) string {
	if l.Chunker == "" {
		return ""
	}
	return l.Chunker + " " + strconv.Itoa(l.ChunkSize) + "/" + strconv.Itoa(l.ChunkOverlap)
}

func program(p runs.Program) string {
	if p.Version == "" {
		return ""
	}
	return strings.TrimSpace(p.Version + " " + p.Go + " " + p.OS + "/" + p.Arch)
}
