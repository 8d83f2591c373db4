package evaluate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// latest names the newest run on the command line.
const latest = "latest"

// Parameters are the settings likely to help against a cause, the likeliest first.
func Parameters(c runs.Cause) []string {
	switch c {
	case runs.NotIndexed:
		return []string{"documents"}
	case runs.SplitByChunking:
		return []string{"chunk_size", "chunk_overlap", "chunker"}
	case runs.NotRetrieved:
		return []string{"legs", "candidates", "rerank_depth", "embedder", "rewrite", "chunk_size"}
	case runs.RankedLow:
		return []string{"reranker", "fusion", "alpha", "rerank_depth", "rewrite"}
	case runs.DroppedByThreshold:
		return []string{"threshold", "max_rank"}
	case runs.CutFromPrompt:
		return []string{"top_k", "reranker", "chunk_size", "window"}
	case runs.Ignored:
		return []string{"top_k", "context_order", "model", "prompt"}
	case runs.NoiseFollowed:
		return []string{"threshold", "prompt", "model"}
	case runs.Contradicted, runs.Fabricated:
		return []string{"top_k", "prompt", "model", "threshold"}
	case runs.WrongCitation:
		return []string{"fold_duplicates", "top_k", "model", "prompt"}
	case runs.WrongRefusal:
		return []string{"neighbours", "chunk_size", "prompt", "model"}
	}
	return []string{}
}

// Sweep is an experiment that would test a remedy for a cause of a run: one
// parameter changed, all others as they were. failed are the records behind it.
func Sweep(c runs.Cause, s runs.Stored, failed []runs.Record) runs.Sweep {
	t := trial{s.Run}
	k := s.Pipeline.TopK
	switch c {
	case runs.NotIndexed:
		return t.again("documents", t.ingest(failed))
	case runs.SplitByChunking:
		return t.again("chunk_size", t.reindex(2*s.Library.ChunkSize))
	case runs.NotRetrieved:
		switch {
		case s.Pipeline.Vector != s.Pipeline.BM25 && !t.isFile():
			return t.beside("legs", swapLegs(s.Strategy))
		case s.Pipeline.Reranker != rag.RerankNone:
			return t.with("rerank_depth", func(p *rag.Pipeline) { p.RerankDepth *= 2; p.Candidates = max(p.Candidates, p.RerankDepth) })
		}
		return t.with("candidates", func(p *rag.Pipeline) { p.Candidates *= 2 })
	case runs.RankedLow:
		return t.reranked()
	case runs.DroppedByThreshold:
		return t.without(failed)
	case runs.CutFromPrompt:
		if k < runs.FailedDepth {
			return t.with("top_k", func(p *rag.Pipeline) { p.TopK = runs.FailedDepth })
		}
		if s.Pipeline.Reranker == rag.RerankNone {
			return t.reranked()
		}
		return t.again("chunk_size", t.reindex(max(1, s.Library.ChunkSize/2)))
	case runs.NoiseFollowed:
		if stage, value, ok := keeping(s.Records); ok {
			return t.with("threshold."+string(stage), func(p *rag.Pipeline) {
				p.Thresholds = maps.Clone(p.Thresholds)
				if p.Thresholds == nil {
					p.Thresholds = map[rag.Stage]float64{}
				}
				p.Thresholds[stage] = value
			})
		}
	case runs.WrongCitation:
		if s.Pipeline.FoldDuplicates == 0 {
			return t.with("fold_duplicates", func(p *rag.Pipeline) { p.FoldDuplicates = .9 })
		}
	case runs.WrongRefusal:
		return t.with("neighbours", func(p *rag.Pipeline) { p.Neighbours++ })
	case runs.Ignored, runs.Contradicted, runs.Fabricated:
	}
	if k == 1 { // fewer passages than one are none
		return t.with("top_k", func(p *rag.Pipeline) { p.TopK = runs.FailedDepth })
	}
	return t.with("top_k", func(p *rag.Pipeline) { p.TopK = (k + 1) / 2 })
}

// trial writes the commands that run a run again with a change.
type trial struct{ run runs.Run }

// isFile reports a pipeline that a file describes.
func (t trial) isFile() bool { return strings.HasPrefix(t.run.Strategy, "@") }

// with changes the pipeline.
func (t trial) with(parameter string, change func(*rag.Pipeline)) runs.Sweep {
	p := t.run.Pipeline
	change(&p)
	return runs.Sweep{Parameter: parameter, Commands: []string{t.eval(p, t.run.Strategy), t.compare()}}
}

// again runs the same pipeline after the library changed.
func (t trial) again(parameter, first string) runs.Sweep {
	return runs.Sweep{Parameter: parameter, Commands: []string{first, t.eval(t.run.Pipeline, t.run.Strategy), t.compare()}}
}

// beside runs another strategy beside the run's own.
func (t trial) beside(parameter, other string) runs.Sweep {
	return runs.Sweep{Parameter: parameter, Commands: []string{t.eval(t.run.Pipeline, t.run.Strategy+","+other)}}
}

// reranked adds a reranker; where there is one, it has all fusions tried.
func (t trial) reranked() runs.Sweep {
	if other := t.run.Strategy + "+rerank"; t.run.Pipeline.Reranker == rag.RerankNone && !t.isFile() {
		if _, err := rag.ParseStrategy(other); err == nil {
			return t.beside("reranker", other)
		}
	}
	return runs.Sweep{Parameter: "fusion", Commands: []string{line("tune", "--kb", t.run.Library.KB, "--dataset", t.dataset())}}
}

// without takes away what dropped the first of the failed questions' relevant chunks.
func (t trial) without(failed []runs.Record) runs.Sweep {
	stage := failed[0].Dropped[0].Stage
	parameter := "threshold." + string(stage)
	if _, ok := t.run.Pipeline.Thresholds[stage]; !ok {
		parameter = "max_rank"
	}
	return t.with(parameter, func(p *rag.Pipeline) {
		p.Thresholds, p.MaxRanks = maps.Clone(p.Thresholds), maps.Clone(p.MaxRanks)
		if parameter == "max_rank" {
			delete(p.MaxRanks, stage)
		} else {
			delete(p.Thresholds, stage)
		}
	})
}

// ingested is how many missing documents a command names.
const ingested = 5

// ingest adds the documents that the questions' gold lies in.
func (t trial) ingest(failed []runs.Record) string {
	args := []string{"ingest", "--kb", t.run.Library.KB}
	for _, r := range failed {
		for _, e := range r.Expected {
			if len(args) < 3+ingested && !slices.Contains(args[3:], e.Doc) && strings.IndexFunc(e.Doc, unicode.IsControl) < 0 {
				args = append(args, e.Doc)
			}
		}
	}
	return line(args...)
}

func (t trial) reindex(size int) string {
	return line("kb", "reindex", "--kb", t.run.Library.KB, "--chunk-size", strconv.Itoa(size))
}

func (t trial) compare() string { return line("runs", "compare", t.run.ID, latest) }

// dataset is what names the questions on the command line.
func (t trial) dataset() string { return cmp.Or(t.run.Dataset.Ref, t.run.Dataset.Name) }

// eval evaluates a pipeline by name, with the flags that make it p.
func (t trial) eval(p rag.Pipeline, strategies string) string {
	args := []string{"eval", "--kb", t.run.Library.KB, "--dataset", t.dataset(), "--strategies", strategies}
	if !slices.Equal(t.run.Metrics, DefaultMetrics()) {
		names := strings.Join(t.run.Metrics, ",")
		if slices.Equal(t.run.Metrics, expanded([]string{MetricsAll})) {
			names = MetricsAll
		}
		args = append(args, "--metrics", names)
	}
	if a := t.run.Answering; a != nil {
		args = append(args, "--model", a.Model, "--detector", a.Detector)
		if a.JudgeModel != "" {
			args = append(args, "--judge-model", a.JudgeModel)
		}
	}
	for _, f := range []struct{ name, value, usual string }{
		{"--relevance", t.run.Relevance, runs.RelevanceContains}, {"--unit", t.run.Unit, runs.UnitChunk},
	} {
		if f.value != "" && f.value != f.usual {
			args = append(args, f.name, f.value)
		}
	}
	return line(append(args, flagsOf(p)...)...)
}

// flagsOf are the flags that make a strategy of its name the pipeline p. What no
// flag can say is left out.
func flagsOf(p rag.Pipeline) []string {
	base, err := rag.ParseStrategy(p.Strategy)
	if err != nil { // a file says the rest
		base = p
		base.Thresholds, base.TopK, base.Candidates, base.RerankDepth = nil, 0, 0, 0
	}
	var out []string
	number := func(flag string, v, usual float64) {
		if v != usual {
			out = append(out, flag, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	word := func(flag, v, usual string) {
		if v != usual && v != "" {
			out = append(out, flag, v)
		}
	}
	number("--top-k", float64(p.TopK), float64(base.TopK))
	number("--candidates", float64(p.Candidates), float64(base.Candidates))
	word("--fusion", string(p.Fusion), string(base.Fusion))
	if p.Fusion == rag.FusionWeighted {
		number("--alpha", p.Alpha, base.Alpha)
	}
	if base.Reranker != rag.RerankDefault {
		word("--reranker", p.Reranker, base.Reranker)
	}
	if p.Reranker != rag.RerankNone {
		number("--rerank-depth", float64(p.RerankDepth), float64(base.RerankDepth))
	}
	for _, s := range rag.Stages() {
		if v, ok := p.Thresholds[s]; ok {
			out = append(out, "--threshold", fmt.Sprintf("%s=%g", s, v))
		}
		if n, ok := p.MaxRanks[s]; ok {
			out = append(out, "--max-rank", fmt.Sprintf("%s=%d", s, n))
		}
	}
	number("--heading-boost", p.HeadingBoost, base.HeadingBoost)
	number("--fold-duplicates", p.FoldDuplicates, base.FoldDuplicates)
	number("--diversity", p.Diversity, base.Diversity)
	number("--neighbours", float64(p.Neighbours), float64(base.Neighbours))
	word("--context-order", string(p.ContextOrder), string(base.ContextOrder))
	word("--rewrite", string(p.Rewrite), string(base.Rewrite))
	word("--rewrite-model", p.RewriteModel, base.RewriteModel)
	return append(out, filterFlags(p.Filter)...)
}

func filterFlags(f rag.Filter) []string {
	var out []string
	for _, v := range f.Folders {
		out = append(out, "--folder", v)
	}
	for _, list := range []struct {
		flag   string
		values []string
	}{{"--type", f.Types}, {"--doc-language", f.Languages}, {"--tag", f.Tags}} {
		if len(list.values) > 0 {
			out = append(out, list.flag, strings.Join(list.values, ","))
		}
	}
	if f.After != "" {
		out = append(out, "--after", f.After)
	}
	if f.Before != "" {
		out = append(out, "--before", f.Before)
	}
	return out
}

// swapLegs is the strategy with both legs in place of one.
func swapLegs(strategy string) string {
	_, rest, more := strings.Cut(strategy, "+")
	if more {
		return "hybrid+" + rest
	}
	return "hybrid"
}

// keeping is the score at which the stage that ranked last keeps nine tenths of the
// first relevant hits; ok is false where there are none.
func keeping(records []runs.Record) (stage rag.Stage, value float64, ok bool) {
	var scores []float64
	for _, r := range records {
		if r.First != nil && *r.First <= len(r.Retrieved) {
			h := r.Retrieved[*r.First-1]
			stage = h.ScoreStage
			scores = append(scores, h.Score)
		}
	}
	if len(scores) == 0 {
		return "", 0, false
	}
	slices.Sort(scores)
	value, err := strconv.ParseFloat(strconv.FormatFloat(scores[len(scores)/10], 'g', 3, 64), 64)
	return stage, value, err == nil
}

// line is a command line of the program.
func line(args ...string) string {
	out := []string{"ragdesk"}
	for _, a := range args {
		out = append(out, quoted(a))
	}
	return strings.Join(out, " ")
}

// quoted is an argument as a shell reads it.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0x80 || strings.ContainsRune("_./:@=+,-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}
