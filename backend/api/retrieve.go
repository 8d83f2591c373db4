package api

import (
	"time"

	"ragdesk/backend/runs"
)

// Retrieval are the settings that search, compare, ask and evaluation share.
// Null means the strategy's own value.
type Retrieval struct {
	TopK        *int               `json:"top_k"`
	Candidates  *int               `json:"candidates"`
	Fusion      *string            `json:"fusion"`
	Reranker    *string            `json:"reranker"`
	RerankDepth *int               `json:"rerank_depth"`
	Thresholds  map[string]float64 `json:"thresholds"`
	// Options are seldom wanted; null means none of them.
	Options *RetrievalOptions `json:"options"`
}

// RetrievalOptions are settings of a pipeline that are off unless given.
type RetrievalOptions struct {
	// Alpha weighs the vector leg of weighted fusion, in [0, 1].
	Alpha *float64 `json:"alpha"`
	// MaxRanks drop what a stage ranks below them.
	MaxRanks map[string]int `json:"max_ranks"`
	// Filter restricts the documents searched.
	Filter Filter `json:"filter"`
	// HeadingBoost lifts BM25 scores by what title and headings share with the
	// query; FoldDuplicates drops near repeats above a similarity; Diversity spreads
	// the hits; Neighbours widens what the prompt shows.
	HeadingBoost   *float64 `json:"heading_boost"`
	FoldDuplicates *float64 `json:"fold_duplicates"`
	Diversity      *float64 `json:"diversity"`
	Neighbours     *int     `json:"neighbours"`
	// ContextOrder is the order of the passages in the prompt: "relevance" or "edges",
	// which puts the best at both ends.
	ContextOrder *string `json:"context_order"`
	// Rewrite has a language model rewrite the question for the search: "multi-query"
	// or "hyde"; RewriteModel is which, null the one that answers, else the default.
	Rewrite      *string `json:"rewrite"`
	RewriteModel *string `json:"rewrite_model"`
}

// Filter restricts retrieval to some documents; empty parts let everything pass.
type Filter struct {
	// Folders are beginnings of sources.
	Folders []string `json:"folders"`
	// Types are formats or file extensions.
	Types []string `json:"types"`
	// Languages are "zh", "en" and "none".
	Languages []string `json:"languages"`
	Tags      []string `json:"tags"`
	// After and Before are dates, "2006-01-02", both included.
	After  string `json:"after"`
	Before string `json:"before"`
}

// SearchRequest runs one strategy.
type SearchRequest struct {
	KB    string `json:"kb"`
	Query string `json:"query"`
	// Strategy is a name, "@pipeline.yaml" or "run:ID", the pipeline of a stored run;
	// empty means "hybrid+rerank".
	Strategy  string    `json:"strategy"`
	Retrieval Retrieval `json:"retrieval"`
}

// SearchResponse is a ranking with everything that made it.
type SearchResponse struct {
	Query    string `json:"query"`
	KB       string `json:"kb"`
	Strategy string `json:"strategy"`
	// Auto is what "auto" stood for; null unless it was asked for.
	Auto       *AutoChoice `json:"auto"`
	Hits       []Hit       `json:"hits"`
	Dropped    []Dropped   `json:"dropped"`
	QueryTerms []string    `json:"query_terms"`
	// Rewrite is what a language model made of the question for the search; null
	// without.
	Rewrite *Rewrite `json:"rewrite"`
	// Warnings say why less was found than might be: filter_passes_nothing,
	// and filter_value_unknown for what the filter names and no document has.
	Warnings []Notice `json:"warnings"`
	// Fingerprint names pipeline, index and models.
	Fingerprint string `json:"fingerprint"`
	// TimingsMS are milliseconds by step (open, embed, load, vector, bm25, fusion,
	// rerank, read), null for one that did not run, and "total": their sum, except
	// that bm25 runs beside embed, load and vector.
	TimingsMS map[string]*float64 `json:"timings_ms" tstype:"{ [key: string]: number | null }"`
}

// Hit is a chunk in a ranking.
type Hit struct {
	Rank       int          `json:"rank"`
	ChunkID    string       `json:"chunk_id"`
	DocID      string       `json:"doc_id"`
	Source     string       `json:"source"`
	Span       Span         `json:"span"`
	Text       string       `json:"text"`
	Headings   []string     `json:"headings"`
	Score      float64      `json:"score"`
	ScoreStage string       `json:"score_stage"`
	Trace      []StageScore `json:"trace"`
	// Page is the page on which the hit begins; null for a format without pages.
	Page *int `json:"page"`
	// Passage is what the prompt shows instead of the text; null when it is the
	// text itself.
	Passage *Passage `json:"passage"`
	// Repeats are the chunks left out because they nearly repeat this one.
	Repeats []string `json:"repeats"`
	// Matches are the places in Text, in code points from its start, where query
	// terms were found.
	Matches []Match `json:"matches"`
}

// Passage is a part of a document, its span in code points.
type Passage struct {
	Span Span   `json:"span"`
	Text string `json:"text"`
}

// StageScore is what one stage said of a hit; rank and score are null when the
// stage did not list it.
type StageScore struct {
	Stage string   `json:"stage"`
	Rank  *int     `json:"rank"`
	Score *float64 `json:"score"`
	// Parts are the values Score was made from, by name.
	Parts map[string]float64 `json:"parts" tstype:"{ [key: string]: number } | null"`
}

// Match is one place where a query term was found.
type Match struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Term  string `json:"term"`
}

// Dropped is a candidate that a threshold or a rank limit removed.
type Dropped struct {
	ChunkID string `json:"chunk_id"`
	Source  string `json:"source"`
	Text    string `json:"text"`
	Stage   string `json:"stage"`
	// Score and Rank, from 1, are null for a chunk that the stage never came to.
	Score *float64 `json:"score"`
	Rank  *int     `json:"rank"`
	// Threshold is the lowest score the stage passes on; null without such a limit.
	Threshold *float64 `json:"threshold"`
	// MaxRank is the last rank the stage passes on; null without such a limit.
	MaxRank *int `json:"max_rank"`
}

// CompareRequest runs several strategies on one query.
type CompareRequest struct {
	KB         string    `json:"kb"`
	Query      string    `json:"query"`
	Strategies []string  `json:"strategies"`
	Retrieval  Retrieval `json:"retrieval"`
	// Answer asks for an answer under each strategy, Model by which model; empty means
	// the extractive one. Seed, temperature and prompt template are the same for all.
	Answer bool   `json:"answer"`
	Model  string `json:"model"`
	// Fresh asks the model again even where an earlier reply is kept.
	Fresh bool `json:"fresh"`
	// NumCtx is the window to ask for, in tokens; 0 means as large as the prompt needs.
	NumCtx int `json:"num_ctx"`
	// Language of the prompt, zh or en; empty means the query's own.
	Language string `json:"lang"`
}

// CompareResponse has a column a strategy and the movement between them.
type CompareResponse struct {
	Query      string   `json:"query"`
	KB         string   `json:"kb"`
	QueryTerms []string `json:"query_terms"`
	// Model is what answered; null without answers.
	Model *string `json:"model"`
	// Demonstration is true for a model that is too small for its answers to be
	// trusted.
	Demonstration bool       `json:"demonstration"`
	Strategies    []Column   `json:"strategies"`
	Movement      []Movement `json:"movement"`
	// AnswerDiffs compare each column's answer after the first with that of the first,
	// sentence by sentence; empty without answers.
	AnswerDiffs []AnswerDiff `json:"answer_diffs"`
}

// Column is what one strategy returned.
type Column struct {
	Strategy string `json:"strategy"`
	// Auto is as in SearchResponse.
	Auto *AutoChoice `json:"auto"`
	// Run is the stored run whose pipeline this is, asked for as "run:ID"; else null.
	Run       *ColumnRun `json:"run"`
	Hits      []Hit      `json:"hits"`
	Dropped   []Dropped  `json:"dropped"`
	Prompt    string     `json:"prompt"`
	Answer    *string    `json:"answer"`
	Citations []Citation `json:"citations"`
	// Rewrite is what a language model made of the question for the search; null
	// without.
	Rewrite *Rewrite `json:"rewrite"`
	// Check says what the answer stands on; null without one.
	Check *AnswerCheck `json:"check"`
	// Context, Usage, Abstained, Cut, Truncated and Warnings are as in AskResponse.
	Context     PromptContext       `json:"context"`
	Usage       *Usage              `json:"usage"`
	Abstained   bool                `json:"abstained"`
	Cut         []string            `json:"cut"`
	Truncated   bool                `json:"truncated"`
	Warnings    []Notice            `json:"warnings"`
	Fingerprint string              `json:"fingerprint"`
	TimingsMS   map[string]*float64 `json:"timings_ms" tstype:"{ [key: string]: number | null }"`
}

// ColumnRun is a stored run whose pipeline searched again.
type ColumnRun struct {
	RunID string `json:"run_id"`
	// Name is what reports call the run; Strategy is what it was asked for as.
	Name     string    `json:"name"`
	Strategy string    `json:"strategy"`
	Created  time.Time `json:"created"`
	Dataset  string    `json:"dataset"`
	// Changed says that the run searched another library, or this one before a change.
	Changed bool `json:"changed"`
	// Variables are the settings in which the pipeline (b) differs from its strategy as
	// that is now (a).
	Variables []runs.Variable `json:"variables"`
}

// Movement is where one chunk stands in each column; null where it is absent.
// Chunks are ordered by the last column, then by the ones before it.
type Movement struct {
	ChunkID string          `json:"chunk_id"`
	Source  string          `json:"source"`
	Ranks   map[string]*int `json:"ranks" tstype:"{ [key: string]: number | null }"`
}
