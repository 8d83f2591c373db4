package runs

import (
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/rag"
)

// Variable is a setting in which two runs differ. A value that does not apply is
// empty.
type Variable struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Names joins the names of variables for a sentence.
func Names(vs []Variable) string {
	names := make([]string, len(vs))
	for i, v := range vs {
		names[i] = v.Name
	}
	return strings.Join(names, ", ")
}

// Variables lists the settings in which two runs differ, one variable for each
// thing a person changes: pipeline, library, questions, relevance. What follows
// from another variable is not listed: fusion appears only when both runs fuse,
// the reranker's depth only when both rerank. The gain is of the report, not of
// the run.
func Variables(a, b Run) []Variable {
	out := PipelineVariables(a.Pipeline, b.Pipeline)
	add := func(name, x, y string) {
		if x != y {
			out = append(out, Variable{name, x, y})
		}
	}
	la, lb := a.Library, b.Library
	before := len(out)
	add("chunker", la.Chunker, lb.Chunker)
	add("chunk_size", strconv.Itoa(la.ChunkSize), strconv.Itoa(lb.ChunkSize))
	add("chunk_overlap", strconv.Itoa(la.ChunkOverlap), strconv.Itoa(lb.ChunkOverlap))
	add("embedder", la.Embedder, lb.Embedder)
	if len(out) == before && la.Fingerprint != lb.Fingerprint {
		add("library", la.Fingerprint, lb.Fingerprint)
	}
	if la.Content != "" && lb.Content != "" {
		add("documents", la.Content, lb.Content)
	} else {
		add("documents", strconv.Itoa(la.Documents), strconv.Itoa(lb.Documents))
	}
	if a.Answering != nil && b.Answering != nil {
		add("model", a.Answering.Model, b.Answering.Model)
		if a.Answering.Detector == b.Answering.Detector {
			add("detector", a.Answering.DetectorFingerprint, b.Answering.DetectorFingerprint)
		}
		add("detector", a.Answering.Detector, b.Answering.Detector)
	}
	add("dataset", a.Dataset.Hash, b.Dataset.Hash)
	add("relevance", a.Relevance, b.Relevance)
	add("unit", a.Unit, b.Unit)
	return out
}

// PipelineVariables lists the settings in which two pipelines differ, by the same
// rule as Variables.
func PipelineVariables(a, b rag.Pipeline) []Variable {
	var out []Variable
	add := func(name, x, y string) {
		if x != y {
			out = append(out, Variable{name, x, y})
		}
	}
	add("legs", legs(a), legs(b))
	if a.Fusion != rag.FusionNone && b.Fusion != rag.FusionNone {
		add("fusion", string(a.Fusion), string(b.Fusion))
		if a.Fusion == b.Fusion {
			switch a.Fusion {
			case rag.FusionWeighted:
				add("alpha", number(a.Alpha), number(b.Alpha))
			case rag.FusionRRF:
				add("rrf_k", strconv.Itoa(a.RRFK), strconv.Itoa(b.RRFK))
			}
		}
	}
	add("candidates", strconv.Itoa(a.Candidates), strconv.Itoa(b.Candidates))
	add("reranker", a.Reranker, b.Reranker)
	if a.Reranker != rag.RerankNone && b.Reranker != rag.RerankNone {
		add("rerank_depth", strconv.Itoa(a.RerankDepth), strconv.Itoa(b.RerankDepth))
	}
	add("top_k", strconv.Itoa(a.TopK), strconv.Itoa(b.TopK))
	for _, stage := range rag.Stages() {
		add("threshold."+string(stage), threshold(a, stage), threshold(b, stage))
		add("max_rank."+string(stage), maxRank(a, stage), maxRank(b, stage))
	}
	add("filter", filter(a.Filter), filter(b.Filter))
	add("heading_boost", unlessZero(a.HeadingBoost), unlessZero(b.HeadingBoost))
	add("fold_duplicates", unlessZero(a.FoldDuplicates), unlessZero(b.FoldDuplicates))
	add("diversity", unlessZero(a.Diversity), unlessZero(b.Diversity))
	add("neighbours", unlessZero(float64(a.Neighbours)), unlessZero(float64(b.Neighbours)))
	add("context_order", string(a.ContextOrder), string(b.ContextOrder))
	add("rewrite", string(a.Rewrite), string(b.Rewrite))
	if a.Rewrite != "" && b.Rewrite != "" {
		add("rewrite_model", a.RewriteModel, b.RewriteModel)
	}
	return out
}

func legs(p rag.Pipeline) string {
	var names []string
	for _, s := range p.Stages() {
		if s == rag.StageVector || s == rag.StageBM25 {
			names = append(names, string(s))
		}
	}
	slices.Sort(names)
	return strings.Join(names, "+")
}

func threshold(p rag.Pipeline, stage rag.Stage) string {
	v, ok := p.Thresholds[stage]
	if !ok {
		return ""
	}
	return number(v)
}

func maxRank(p rag.Pipeline, stage rag.Stage) string {
	n, ok := p.MaxRanks[stage]
	if !ok {
		return ""
	}
	return strconv.Itoa(n)
}

// filter spells a filter, its parts by name.
func filter(f rag.Filter) string {
	var parts []string
	add := func(name string, values ...string) {
		if joined := strings.Join(values, "|"); joined != "" {
			parts = append(parts, name+"="+joined)
		}
	}
	add("folder", f.Folders...)
	add("type", f.Types...)
	add("lang", f.Languages...)
	add("tag", f.Tags...)
	add("after", f.After)
	add("before", f.Before)
	return strings.Join(parts, " ")
}

func unlessZero(v float64) string {
	if v == 0 {
		return ""
	}
	return number(v)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
