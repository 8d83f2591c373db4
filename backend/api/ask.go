package api

// AskRequest asks for an answer from a knowledge base.
type AskRequest struct {
	KB        string    `json:"kb"`
	Query     string    `json:"query"`
	Strategy  string    `json:"strategy"`
	Retrieval Retrieval `json:"retrieval"`
	// Model is a language model's name, or "extractive", which needs none; empty means
	// an installed model that the catalogue marks as capable, else "extractive".
	Model string `json:"model"`
	// Fresh asks the model again even where an earlier reply is kept.
	Fresh bool `json:"fresh"`
	// NumCtx is the window to ask for, in tokens; 0 means as large as the prompt needs.
	NumCtx int `json:"num_ctx"`
	// History are the turns before, the oldest first: a language model makes one
	// question of them and the query. Empty for a question that stands alone.
	History []ConversationTurn `json:"history"`
	// Language of the prompt, zh or en; empty means the query's own.
	Language string `json:"lang"`
}

// AskResponse is an answer with its sources.
type AskResponse struct {
	Query    string `json:"query"`
	KB       string `json:"kb"`
	Strategy string `json:"strategy"`
	// Auto is as in SearchResponse.
	Auto      *AutoChoice `json:"auto"`
	Answer    string      `json:"answer"`
	Citations []Citation  `json:"citations"`
	// History are the turns before, as asked.
	History []ConversationTurn `json:"history"`
	// FollowUp is what was searched and asked in place of a query that goes on with a
	// conversation: its one query; null without History.
	FollowUp *Rewrite `json:"follow_up"`
	// Rewrite is what a language model made of the question for the search; null
	// without.
	Rewrite *Rewrite `json:"rewrite"`
	// Check says what the answer stands on, sentence by sentence.
	Check AnswerCheck `json:"check"`
	// Prompt is what the model was sent, or would be.
	Prompt string `json:"prompt"`
	// Context says what the prompt takes of the model's window, passage by passage.
	Context PromptContext `json:"context"`
	Model   string        `json:"model"`
	// Demonstration is true for a model that is too small for its answers to be
	// trusted.
	Demonstration bool   `json:"demonstration"`
	Usage         *Usage `json:"usage"`
	// Abstained is true when the answer is that there is none in the documents.
	Abstained bool `json:"abstained"`
	// Cut are the chunks of the last hits, which did not fit the model's window and are
	// not in the prompt.
	Cut []string `json:"cut"`
	// Truncated reports that the model did not see the whole prompt: its host cut it.
	Truncated bool `json:"truncated"`
	// Warnings say that the model did not see all that was found: passages_cut,
	// prompt_truncated, and abstained_after_cut when it then found no answer; reply_cut
	// that it was cut short itself; weak_quote that an extracted answer's best sentence
	// matches the question only weakly; and code_unnamed that the passages that it quotes
	// lack a name with a number that the question has.
	Warnings []Notice  `json:"warnings"`
	Hits     []Hit     `json:"hits"`
	Dropped  []Dropped `json:"dropped"`
	// Fingerprint names pipeline, index, models and prompt.
	Fingerprint string              `json:"fingerprint"`
	TimingsMS   map[string]*float64 `json:"timings_ms" tstype:"{ [key: string]: number | null }"`
}

// Citation ties a marker in the answer to the source it quotes.
type Citation struct {
	// Marker is the number n of "[n]", the rank of the cited hit; 0 when a source is
	// missing.
	Marker int `json:"marker"`
	// ChunkID and Source are null when the prompt had no passage of that number.
	ChunkID *string `json:"chunk_id"`
	Source  *string `json:"source"`
	// Span is the quote's place in the document; both are null when the source has
	// nothing of what is said.
	Span  *Span   `json:"span"`
	Quote *string `json:"quote"`
	// Claim is the place in the answer of the sentence that cites.
	Claim Span `json:"claim"`
	// State is verified, weak, wrong or missing.
	State string `json:"state" tstype:"'verified' | 'weak' | 'wrong' | 'missing'"`
}

// Usage counts tokens of a model call.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// PromptContext is what a prompt takes of a model's window.
type PromptContext struct {
	// Order is that of the passages: relevance or edges.
	Order string `json:"order" tstype:"'relevance' | 'edges'"`
	// CountedBy says how tokens were counted: "tokenizer", the model's own vocabulary,
	// or "estimate", a bound from above. Counts are without what a chat template adds.
	CountedBy string `json:"counted_by" tstype:"'tokenizer' | 'estimate'"`
	// Window (num_ctx) and ReplyTokens are what was asked for, ReadTokens what the model
	// read by its host's count; null without a model, or when the host did not say.
	Window      *int `json:"window"`
	ReplyTokens *int `json:"reply_tokens"`
	ReadTokens  *int `json:"read_tokens"`
	// PromptTokens are those of the whole prompt, FrameTokens those of its wording and
	// the question.
	PromptTokens int             `json:"prompt_tokens"`
	FrameTokens  int             `json:"frame_tokens"`
	Passages     []PromptPassage `json:"passages"`
	// Template names the wording, TemplateFingerprint its version.
	Template            string `json:"template"`
	TemplateFingerprint string `json:"template_fingerprint"`
}

// PromptPassage is what a hit takes of the prompt.
type PromptPassage struct {
	Rank    int    `json:"rank"`
	ChunkID string `json:"chunk_id"`
	// Position is where it stands among the passages, from 1; null when it was cut.
	Position *int `json:"position"`
	Tokens   int  `json:"tokens"`
	// Share is its part of the prompt's tokens, 0 when it was cut.
	Share float64 `json:"share"`
}

// AnswerCheck is what an answer stands on.
type AnswerCheck struct {
	// Scorer is what gave the evidence scores: late-interaction, or the cross-encoder
	// that reranks; High is the score from which a passage supports a sentence that
	// shares few words with it.
	Scorer string  `json:"scorer"`
	High   float64 `json:"high"`
	// CitationCoverage is the share of the sentences in need of a source that name one,
	// CitationAccuracy the share of the citations that are verified; null when there
	// are none.
	CitationCoverage *float64         `json:"citation_coverage"`
	CitationAccuracy *float64         `json:"citation_accuracy"`
	Sentences        []AnswerSentence `json:"sentences"`
	// Used are the chunks that the answer rests on.
	Used []UsedChunk `json:"used"`
}

// AnswerSentence is a sentence of an answer.
type AnswerSentence struct {
	// Text is without citations and list marks; Span is its place in the answer.
	Text string `json:"text"`
	Span Span   `json:"span"`
	// NeedsSource is false for headings, introductions and questions.
	NeedsSource bool  `json:"needs_source"`
	Markers     []int `json:"markers"`
	// Support is the passage of the prompt that bears the sentence out best, whether
	// it is cited or not; null without passages.
	Support *SentenceSupport `json:"support"`
}

// SentenceSupport is what a passage has of a sentence.
type SentenceSupport struct {
	ChunkID string `json:"chunk_id"`
	Rank    int    `json:"rank"`
	// Score is the evidence score, Overlap the share of the sentence's words that are in
	// the passage, Numbers whether all its numbers are.
	Score   float64 `json:"score"`
	Overlap float64 `json:"overlap"`
	Numbers bool    `json:"numbers"`
	// Supported is true for most of the words or a high score, with all numbers.
	Supported bool `json:"supported"`
}

// UsedChunk is a chunk that an answer rests on.
type UsedChunk struct {
	ChunkID string `json:"chunk_id"`
	Rank    int    `json:"rank"`
	// Cited reports a citation of it that is verified or weak.
	Cited bool `json:"cited"`
	// Sentences are the indexes of the sentences that it supports best.
	Sentences []int `json:"sentences"`
}

// AnswerDiff compares two answers.
type AnswerDiff struct {
	// Strategy is the column here, Against the one there.
	Strategy string          `json:"strategy"`
	Against  string          `json:"against"`
	Rows     []AnswerDiffRow `json:"rows"`
	// Same, Changed, OnlyHere and OnlyThere count the rows.
	Same      int `json:"same"`
	Changed   int `json:"changed"`
	OnlyHere  int `json:"only_here"`
	OnlyThere int `json:"only_there"`
}

// AnswerDiffRow is a sentence of both answers or of one.
type AnswerDiffRow struct {
	State string `json:"state" tstype:"'same' | 'changed' | 'only_here' | 'only_there'"`
	// Here and There are indexes into the sentences of the two checks; null where the
	// answer has no such sentence.
	Here  *int `json:"here"`
	There *int `json:"there"`
	// Similarity is Dice's coefficient of the words, null for one alone.
	Similarity *float64 `json:"similarity"`
}

// ConversationTurn is a question with its answer.
type ConversationTurn struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Rewrite is what a language model made of a question.
type Rewrite struct {
	// Kind is condense, multi-query or hyde.
	Kind  string `json:"kind"`
	Model string `json:"model"`
	// Queries are what is searched beside the question, or in place of a follow-up.
	Queries []RewrittenQuery `json:"queries"`
	// Prompt is what the model was sent, Reply what it wrote.
	Prompt string `json:"prompt"`
	Reply  string `json:"reply"`
}

// RewrittenQuery is a query of a model's.
type RewrittenQuery struct {
	Text string `json:"text"`
	// Legs are those that search with it: vector, bm25.
	Legs []string `json:"legs"`
}
