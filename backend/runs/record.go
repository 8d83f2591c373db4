package runs

import (
	"slices"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
)

// FailedDepth is how far down the first relevant hit may stand before a question
// counts as failed.
const FailedDepth = 5

// ExcerptHits and ExcerptPoints bound the texts kept with a record: the beginning
// of the first hits, in code points.
const (
	ExcerptHits   = 5
	ExcerptPoints = 120
)

// Record is what a run returned for one question, judged: a line of
// results.jsonl. It has no timings, so that equal searches give equal bytes.
type Record struct {
	QueryID string `json:"query_id"`
	Query   string `json:"query"`
	Type    string `json:"type"`
	Lang    string `json:"lang"`
	// Cluster names the group of variants of one question.
	Cluster    string `json:"cluster"`
	Answerable bool   `json:"answerable"`
	// Stale says that the gold no longer fits its documents: the question was
	// searched and is left out of every measure.
	Stale    bool       `json:"stale"`
	Expected []Expected `json:"expected"`
	// First is the rank of the first relevant hit, null when there is none.
	First *int `json:"first"`
	// Cause is the first cause in the order of Causes that applies; null for a
	// question that did not fail.
	Cause *Cause `json:"cause"`
	// Metrics holds the question's value of each metric, null where it has none.
	Metrics   map[string]*float64 `json:"metrics"`
	Retrieved []Retrieved         `json:"retrieved"`
	// Dropped lists the relevant chunks that thresholds removed.
	Dropped []Dropped `json:"dropped"`
	// Ideal has the grade of everything relevant, by unit when ByUnit.
	Ideal   []int `json:"ideal"`
	ByUnit  bool  `json:"by_unit"`
	HasGold bool  `json:"has_gold"`
	// Unreachable is why Relevant is empty although there is gold, null otherwise.
	Unreachable *Cause     `json:"unreachable"`
	Relevant    []Relevant `json:"relevant"`
	// Answer is null where nothing was answered.
	Answer *Answer `json:"answer"`
	// Error is null for a question that was searched.
	Error *Failure `json:"error"`
}

// Expected is gold as a person reads it; Quote is empty for a whole document.
type Expected struct {
	Doc   string `json:"doc"`
	Quote string `json:"quote"`
}

// Retrieved is a place in a ranking.
type Retrieved struct {
	ChunkID    rag.ChunkID    `json:"chunk_id"`
	DocID      rag.DocumentID `json:"doc_id"`
	Source     string         `json:"source"`
	Rank       int            `json:"rank"`
	Score      float64        `json:"score"`
	ScoreStage rag.Stage      `json:"score_stage"`
	// Item is what is judged in the chunk's place, such as its document; null when
	// that is the chunk.
	Item  *string `json:"item"`
	Grade int     `json:"grade"`
	// Units are indexes in Record.Ideal.
	Units []int `json:"units"`
	// Excerpt is the beginning of the first hits' text, empty below them.
	Excerpt string `json:"excerpt"`
}

// Relevant reports whether the hit shows something relevant. A unit that a hit
// above covered too is relevant here, and counts once in measures.
func (r Retrieved) Relevant() bool { return r.Grade >= 1 || len(r.Units) > 0 }

// Dropped is a relevant chunk that a threshold removed.
type Dropped struct {
	ChunkID rag.ChunkID `json:"chunk_id"`
	Source  string      `json:"source"`
	Stage   rag.Stage   `json:"stage"`
	// Score is null for a chunk that the stage never came to.
	Score *float64 `json:"score"`
}

// Relevant is an item of the library that is relevant to a question.
type Relevant struct {
	ID    string `json:"id"`
	Grade int    `json:"grade"`
}

// Failure is why a question could not be searched.
type Failure struct {
	Code   string            `json:"code"`
	Params map[string]string `json:"params"`
}

// Ranking returns the record's judged ranking cut to depth, or whole when depth
// is 0.
func (r Record) Ranking(depth int) measure.Ranking {
	kept := r.Retrieved
	if depth > 0 {
		kept = kept[:min(len(kept), depth)]
	}
	out := measure.Ranking{Ideal: r.Ideal, ByUnit: r.ByUnit, HasGold: r.HasGold, Items: make([]measure.Item, len(kept))}
	for i, h := range kept {
		out.Items[i] = measure.Item{ID: string(h.ChunkID), Grade: h.Grade, Units: h.Units}
		if h.Item != nil {
			out.Items[i].ID = *h.Item
		}
	}
	return out
}

// Measured reports whether the question counts in retrieval measures: it has gold
// that still fits.
func (r Record) Measured() bool { return r.Answerable && !r.Stale }

// Failed reports a question with no relevant hit in the first FailedDepth.
func (r Record) Failed() bool { return r.Cause != nil && r.Cause.Retrieval() }

// Finished is the outcome of one search of an evaluation, as a journal keeps it.
type Finished struct {
	// Entry and Question are indexes in the evaluation's pipelines and questions.
	Entry       int    `json:"entry"`
	Question    int    `json:"question"`
	Fingerprint string `json:"fingerprint"`
	Record      Record `json:"record"`
	// MS has milliseconds by stage and for Total; null when the search failed.
	MS map[string]float64 `json:"ms"`
}

// Timing is how long each question took; it is kept apart from all that repeats.
type Timing struct {
	// Workers is how many questions were searched at the same time, which is part
	// of every latency here.
	Workers int           `json:"workers"`
	Queries []QueryTiming `json:"queries"`
}

// Total is the name of a whole search among the stages of a timing.
const Total = "total"

// QueryTiming has milliseconds by stage and for Total.
type QueryTiming struct {
	QueryID string             `json:"query_id"`
	MS      map[string]float64 `json:"ms"`
}

// Quantiles are latencies in milliseconds over N questions.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	N   int     `json:"n"`
}

// Latency returns the quantiles of each stage and of Total, interpolated between
// neighbours; nil without timings.
func (t Timing) Latency() map[string]Quantiles {
	byStage := map[string][]float64{}
	for _, q := range t.Queries {
		for stage, ms := range q.MS {
			byStage[stage] = append(byStage[stage], ms)
		}
	}
	if len(byStage) == 0 {
		return nil
	}
	out := make(map[string]Quantiles, len(byStage))
	for stage, ms := range byStage {
		slices.Sort(ms)
		out[stage] = Quantiles{P50: quantile(ms, .5), P95: quantile(ms, .95), N: len(ms)}
	}
	return out
}

// quantile of sorted values, which must not be empty.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (sorted[i+1]-sorted[i])*(at-float64(i))
}
