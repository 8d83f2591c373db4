package rag

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ragdesk/backend/fault"
)

// Fusion names how the legs' rankings become one.
type Fusion string

// The fusions. FusionNone is for a single leg.
const (
	FusionNone     Fusion = ""
	FusionUnion    Fusion = "union"
	FusionRRF      Fusion = "rrf"
	FusionWeighted Fusion = "weighted"
)

// Names of rerankers on the command line.
const (
	RerankNone            = "none"
	RerankLateInteraction = "late-interaction"
	RerankCrossEncoder    = "cross-encoder"
	// RerankDefault is late interaction until a cross-encoder is installed.
	RerankDefault = "default"
)

// Defaults of a pipeline; a preset's own values win over them.
const (
	DefaultTopK        = 5
	DefaultCandidates  = 50
	DefaultRerankDepth = 20
	DefaultRRFK        = 60
	// DefaultAlpha weighs the vector leg of weighted fusion.
	DefaultAlpha = 0.5
	// BM25Saturation is s in b/(b+s), which maps BM25 to [0, 1).
	BM25Saturation = 5
)

// Pipeline is a retrieval strategy as a value.
type Pipeline struct {
	// Strategy is the name as typed, such as "hybrid+rerank".
	Strategy string  `json:"strategy"`
	Vector   bool    `json:"vector"`
	BM25     bool    `json:"bm25"`
	Fusion   Fusion  `json:"fusion"`
	Alpha    float64 `json:"alpha"`
	RRFK     int     `json:"rrf_k"`
	// Candidates is how many chunks each leg gives.
	Candidates int `json:"candidates"`
	// Reranker is RerankNone or a reranker's name.
	Reranker    string `json:"reranker"`
	RerankDepth int    `json:"rerank_depth"`
	TopK        int    `json:"top_k"`
	// Thresholds drop what a stage scores below them.
	Thresholds map[Stage]float64 `json:"thresholds,omitempty"`
	// MaxRanks drop what a stage ranks below them.
	MaxRanks map[Stage]int `json:"max_ranks,omitempty"`
	// Filter restricts the documents searched.
	Filter Filter `json:"filter,omitzero"`
	// HeadingBoost w ≥ 0 multiplies the BM25 score of a candidate by 1 + w·c, c
	// being the share of the query's words in its document's title and headings.
	HeadingBoost float64 `json:"heading_boost,omitempty"`
	// FoldDuplicates drops a hit whose text is at least so similar to that of a
	// better one, as Similarity has it, in (0, 1]; 0 drops none.
	FoldDuplicates float64 `json:"fold_duplicates,omitempty"`
	// Diversity is 1−λ of maximal marginal relevance in [0, 1); 0 leaves the order
	// as it is.
	Diversity float64 `json:"diversity,omitempty"`
	// Neighbours is how many chunks before and after a hit the prompt shows too.
	Neighbours int `json:"neighbours,omitempty"`
	// ContextOrder is the order of the passages in the prompt; empty is OrderRelevance.
	ContextOrder ContextOrder `json:"context_order,omitempty"`
	// Rewrite is how a language model rewrites the question for the search, empty for
	// not at all, and RewriteModel by which model.
	Rewrite      Rewrite `json:"rewrite,omitempty"`
	RewriteModel string  `json:"rewrite_model,omitempty"`
}

// Rewrite is a way of rewriting a question for the search.
type Rewrite string

// The ways. What they bring is searched beside the question, and all lists are fused
// by reciprocal ranks.
const (
	// RewriteMultiQuery searches the question in other words, too.
	RewriteMultiQuery Rewrite = "multi-query"
	// RewriteHyDE searches the vectors with a passage that would answer, too.
	RewriteHyDE Rewrite = "hyde"
)

// ContextOrder is the order in which a prompt shows the hits.
type ContextOrder string

// The orders.
const (
	// OrderRelevance shows the best first.
	OrderRelevance ContextOrder = "relevance"
	// OrderEdges shows the best at both ends and the worst in the middle.
	OrderEdges ContextOrder = "edges"
)

// ParseStrategy reads a strategy or preset name: vector, bm25, hybrid, rrf,
// union or weighted, each also with "+rerank"; classic; default; auto, which is
// StrategyDefault until a library's Tuned takes its place. "+multi-query" or "+hyde"
// has the question rewritten, but for union, weighted and classic. The code of its
// error is "strategy_unknown".
func ParseStrategy(name string) (Pipeline, error) {
	p := Pipeline{
		Strategy: name, RRFK: DefaultRRFK, Alpha: DefaultAlpha, Candidates: DefaultCandidates,
		Reranker: RerankNone, RerankDepth: DefaultRerankDepth, TopK: DefaultTopK,
	}
	base, more, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), "+")
	if err := p.extend(name, more); err != nil {
		return Pipeline{}, err
	}
	reranked := p.Reranker != RerankNone
	switch base {
	case "vector":
		p.Vector = true
	case "bm25":
		p.BM25 = true
	case "hybrid", "rrf":
		p.Vector, p.BM25, p.Fusion = true, true, FusionRRF
	case "union":
		p.Vector, p.BM25, p.Fusion = true, true, FusionUnion
	case "weighted":
		p.Vector, p.BM25, p.Fusion = true, true, FusionWeighted
	case "classic":
		p.Vector, p.BM25, p.Fusion = true, true, FusionUnion
		p.Candidates, p.Reranker, p.RerankDepth, p.TopK = 5, RerankDefault, 10, 3
	case "default", StrategyAuto:
		p.Vector, p.BM25, p.Fusion, p.Reranker = true, true, FusionRRF, RerankDefault
	default:
		return Pipeline{}, unknownStrategy(name)
	}
	if reranked && (base == "classic" || base == "default" || base == StrategyAuto) {
		return Pipeline{}, unknownStrategy(name)
	}
	return p, nil
}

// extend reads what follows the first "+" of a strategy's name.
func (p *Pipeline) extend(name, more string) error {
	for more != "" {
		var part string
		part, more, _ = strings.Cut(more, "+")
		switch {
		case part == "rerank" && p.Reranker == RerankNone:
			p.Reranker = RerankDefault
		case (part == string(RewriteMultiQuery) || part == string(RewriteHyDE)) && p.Rewrite == "":
			p.Rewrite = Rewrite(part)
		default:
			return unknownStrategy(name)
		}
	}
	if strings.HasSuffix(name, "+") {
		return unknownStrategy(name)
	}
	return nil
}

func unknownStrategy(name string) error {
	return fault.New("strategy_unknown", fault.P("strategy", name),
		fault.P("known", strings.Join(StrategyNames(), ", ")))
}

// StrategyNames lists what ParseStrategy reads.
func StrategyNames() []string {
	names := []string{}
	for _, base := range []string{"vector", "bm25", "hybrid", "union", "weighted"} {
		names = append(names, base, base+"+rerank")
	}
	return append(names, "classic", "default", StrategyAuto)
}

// Stages lists the stages the pipeline runs, in order.
func (p Pipeline) Stages() []Stage {
	var s []Stage
	if p.Vector {
		s = append(s, StageVector)
	}
	if p.BM25 {
		s = append(s, StageBM25)
	}
	if p.Fusion != FusionNone || p.Rewrite != "" {
		s = append(s, StageFusion)
	}
	if p.Reranker != RerankNone {
		s = append(s, StageRerank)
	}
	return s
}

// Validate reports the first setting that cannot run: with the code of OutOfRange or of
// Unfit, or one of Filter.Validate.
func (p Pipeline) Validate() error {
	for _, check := range []func() error{p.checkRanges, p.checkFit, p.Filter.Validate, p.checkLimits} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// OutOfRange is the fault "pipeline_invalid" {setting, value, takes} of a value that a
// setting never takes; takes says what it does, in signs that every language reads.
func OutOfRange(setting string, value any, takes string) error {
	return fault.New("pipeline_invalid", fault.P("setting", setting), fault.P("value", value), fault.P("takes", takes))
}

// Unfit is the fault "setting_unfit" {setting, value} of a setting that no stage of the
// strategy uses, or not so.
func Unfit(setting string, value any) error {
	return fault.New("setting_unfit", fault.P("setting", setting), fault.P("value", value))
}

// checkRanges refuses numbers and names that no strategy takes.
func (p Pipeline) checkRanges() error {
	switch {
	case p.TopK < 1:
		return OutOfRange("top-k", p.TopK, "≥ 1")
	case p.Candidates < 1:
		return OutOfRange("candidates", p.Candidates, "≥ 1")
	case p.RerankDepth < 1:
		return OutOfRange("rerank-depth", p.RerankDepth, "≥ 1")
	case p.RRFK < 0:
		return OutOfRange("rrf-k", p.RRFK, "≥ 0")
	case !(p.Alpha >= 0 && p.Alpha <= 1): // so that NaN is refused as well
		return OutOfRange("alpha", p.Alpha, "0 – 1")
	case !(p.HeadingBoost >= 0 && p.HeadingBoost <= maxBoost):
		return OutOfRange("heading-boost", p.HeadingBoost, fmt.Sprintf("0 – %d", maxBoost))
	case !(p.FoldDuplicates >= 0 && p.FoldDuplicates <= 1):
		return OutOfRange("fold-duplicates", p.FoldDuplicates, "0 – 1")
	case !(p.Diversity >= 0 && p.Diversity < 1):
		return OutOfRange("diversity", p.Diversity, "≥ 0, < 1")
	case p.Neighbours < 0 || p.Neighbours > maxNeighbours:
		return OutOfRange("neighbours", p.Neighbours, fmt.Sprintf("0 – %d", maxNeighbours))
	case p.Rewrite != "" && p.Rewrite != RewriteMultiQuery && p.Rewrite != RewriteHyDE:
		return OutOfRange("rewrite", p.Rewrite, string(RewriteMultiQuery+", "+RewriteHyDE))
	case p.ContextOrder != "" && p.ContextOrder != OrderRelevance && p.ContextOrder != OrderEdges:
		return OutOfRange("context-order", p.ContextOrder, string(OrderRelevance+", "+OrderEdges))
	}
	return nil
}

// checkFit refuses what the pipeline's own legs and fusion have no use for.
func (p Pipeline) checkFit() error {
	switch {
	case !p.Vector && !p.BM25:
		return Unfit("strategy", p.Strategy)
	case p.Vector != p.BM25 && p.Fusion != FusionNone:
		return Unfit("fusion", p.Fusion)
	case p.HeadingBoost > 0 && !p.BM25:
		return Unfit("heading-boost", p.HeadingBoost)
	case p.Rewrite != "" && p.Fusion != FusionNone && p.Fusion != FusionRRF, // ranks of many lists are all that can be added up
		p.Rewrite == RewriteHyDE && !p.Vector:
		return Unfit("rewrite", p.Rewrite)
	}
	return nil
}

// checkLimits refuses thresholds and ranks of stages that do not run, or that cut nothing.
func (p Pipeline) checkLimits() error {
	runs := p.Stages()
	for _, s := range sortedStages(p.Thresholds) {
		v := p.Thresholds[s]
		said := fmt.Sprintf("%s=%g", s, v)
		switch {
		case !slices.Contains(runs, s):
			return Unfit("threshold", said)
		case math.IsNaN(v) || math.IsInf(v, 0):
			return OutOfRange("threshold", said, "> -∞, < ∞")
		}
	}
	for _, s := range sortedStages(p.MaxRanks) {
		n := p.MaxRanks[s]
		said := fmt.Sprintf("%s=%d", s, n)
		switch {
		case !slices.Contains(runs, s):
			return Unfit("max-rank", said)
		case n < 1:
			return OutOfRange("max-rank", said, "≥ 1")
		}
	}
	return nil
}

// maxBoost and maxNeighbours refuse what can only be a slip.
const (
	maxBoost      = 100
	maxNeighbours = 50
)

func sortedStages[V any](m map[Stage]V) []Stage { return slices.Sorted(maps.Keys(m)) }

// Fingerprint is a short hash of everything that can change the ranking, and of
// parts, such as the fingerprints of the models and indexes used.
func (p Pipeline) Fingerprint(parts ...string) string {
	p.Strategy = ""
	b, err := json.Marshal(struct {
		P     Pipeline
		Parts []string
	}{p, parts})
	if err != nil { // a struct of plain values always encodes, NaN apart
		panic("rag: pipeline does not encode: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
