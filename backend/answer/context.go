package answer

import (
	"context"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

const (
	// unknownWindow is the window of a model that does not tell its own, and the
	// smallest that is asked for, unless the model's is smaller.
	unknownWindow = 4096
	// templateTokens is what a chat template adds at most.
	templateTokens = 160
)

// How tokens were counted.
const (
	// ByTokenizer is the model's own vocabulary: right to a few tokens in a hundred.
	ByTokenizer = "tokenizer"
	// ByEstimate is a bound from above that needs no vocabulary: for Chinese up to three
	// times what a model takes.
	ByEstimate = "estimate"
)

// Counter counts tokens.
type Counter struct {
	// Count counts by the model's vocabulary; its fault "llm_unsupported" means that the
	// vocabulary cannot be asked. nil without a model.
	Count func(ctx context.Context, texts []string) ([]int, error)
	// Bound bounds the tokens of a text from above without asking anything.
	Bound func(text string) int
}

// count counts each text and says how.
func (c Counter) count(ctx context.Context, texts []string) (counts []int, by string, err error) {
	if c.Count != nil {
		counts, err = c.Count(ctx, texts)
		if err == nil {
			for i := range counts {
				counts[i] += counts[i] / 20 // a count is a few in a hundred off
			}
			return counts, ByTokenizer, nil
		}
		if !fault.Is(err, "llm_unsupported") {
			return nil, "", err
		}
	}
	counts = make([]int, len(texts))
	for i, text := range texts {
		counts[i] = c.Bound(text)
	}
	return counts, ByEstimate, nil
}

// Context is what a prompt takes of a model's window.
type Context struct {
	// CountedBy is ByTokenizer or ByEstimate. Counts are of the prompt's text, without
	// what a chat template adds, and lean to the upper side.
	CountedBy string
	// Order is that of the passages.
	Order rag.ContextOrder
	// Window and ReplyTokens are what was asked for, in tokens; 0 when no model was.
	Window, ReplyTokens int
	// FrameTokens are those of the wording and the question, PromptTokens those of the
	// whole prompt with the passages shown.
	FrameTokens, PromptTokens int
	// ReadTokens is what the model read by its host's count; 0 when it did not say.
	ReadTokens int
	// Truncated reports that the model read less than it was sent.
	Truncated bool
	// Shown counts the hits, from the first, that are in the prompt.
	Shown int
	// Passages is by hit.
	Passages []Share
}

// Share is what a passage takes of the prompt.
type Share struct {
	// Position is where it stands among the passages, from 1; 0 when it was cut.
	Position int
	// Tokens are those of the passage with its number, source and fence.
	Tokens int
}

// Survey counts what a prompt takes that shows all hits.
func Survey(ctx context.Context, counter Counter, t Template, question string, hits []rag.Hit, order rag.ContextOrder) (Context, error) {
	texts, gap := t.set(hits)
	for i := range texts {
		texts[i] += gap
	}
	texts = append(texts, t.fill(map[string]string{"question": question}))
	if len(hits) == 0 {
		texts[0] = t.Prompt(question, nil, order)
	}
	counts, by, err := counter.count(ctx, texts)
	if err != nil {
		return Context{}, err
	}
	c := Context{CountedBy: by, Order: order, FrameTokens: counts[len(hits)], Passages: make([]Share, len(hits))}
	for i := range hits {
		c.Passages[i].Tokens = counts[i]
	}
	c.show(len(hits))
	return c, nil
}

// show puts the first n hits in the prompt.
func (c *Context) show(n int) {
	c.Shown, c.PromptTokens = n, c.FrameTokens
	for i := range c.Passages {
		c.Passages[i].Position = 0
	}
	for at, i := range Positions(n, c.Order) {
		c.Passages[i].Position = at + 1
		c.PromptTokens += c.Passages[i].Tokens
	}
}

// cutTo leaves out the last hits until the prompt takes at most room tokens; false
// means that not even one fits.
func (c *Context) cutTo(room int) bool {
	n := c.Shown
	for n > 0 && c.PromptTokens > room {
		n--
		c.show(n)
	}
	return n > 0
}

// read compares what was sent with what the host says that the model read.
//
// A prompt was cut when the host says so (its window was full, or it read fewer
// tokens than the text can have), or when it read much fewer than the model's own
// vocabulary counts.
func (c *Context) read(reply rag.Generation) {
	c.ReadTokens = reply.Usage.PromptTokens
	much := c.CountedBy == ByTokenizer && c.ReadTokens > 0 && c.ReadTokens < c.PromptTokens*3/4
	c.Truncated = reply.Cut || much
}
