package answer

import (
	"context"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Writer answers with a language model.
type Writer struct {
	Info    rag.GeneratorInfo
	Model   rag.Generator
	Counter Counter
	// Window is the window to ask for that holds so many tokens.
	Window func(need int) int
	// Limit bounds the window below the model's own; 0 leaves it at that.
	Limit int
	// Evidence is what citations are checked with.
	Evidence Evidence
	// Prompt is the template in use of a kind in a language; nil means the built-in ones.
	Prompt func(kind Kind, lang string) (Template, error)
	Order  rag.ContextOrder
}

// Written is a model's answer with what made it.
type Written struct {
	Answer
	// Template is what made the prompt.
	Template Template
	// Prompt is what was sent, or would have been had there been hits.
	Prompt string
	// Context says what of the hits was in the prompt.
	Context Context
	// Asked is false when nothing was retrieved and no model was asked; Reply, Took and
	// the window are zero then.
	Asked bool
	Reply rag.Generation
	// Took is how long the model took.
	Took time.Duration
}

// Template is the one that the writer's model is asked with.
func (w Writer) Template(lang string) (Template, error) {
	kind := KindCompletion
	if w.Info.Chat {
		kind = KindGrounded
	}
	if w.Prompt == nil {
		return Builtin(kind, lang), nil
	}
	return w.Prompt(kind, lang)
}

// Write asks the model. The prompt is sent as the template makes it, with seed 0 and
// temperature 0, so that an equal question gets an equal reply. Without hits the
// answer is the refusal, which is what the prompt would ask for. The reply goes to
// onDelta piece by piece; it may be nil.
//
// Faults: "llm_context_exceeded" {model, tokens, limit} when not even one passage
// fits the model's window, "llm_reply_invalid" {detail} for an empty reply, those of Prompt.
func (w Writer) Write(ctx context.Context, lang, question string, hits []rag.Hit, onDelta func(string) error) (Written, error) {
	t, err := w.Template(lang)
	if err != nil {
		return Written{}, err
	}
	if len(hits) == 0 {
		out := Written{Template: t, Prompt: t.Prompt(question, nil, w.Order), Answer: Answer{Text: Refusal(lang), Abstained: true}}
		out.Context, err = Survey(ctx, Counter{Bound: w.Counter.Bound}, t, question, nil, w.Order)
		return out, err
	}
	out, err := w.fit(ctx, t, question, hits)
	if err != nil {
		return Written{}, err
	}
	start := time.Now()
	out.Reply, err = w.Model.Generate(ctx, w.request(out), onDelta)
	if err != nil {
		return Written{}, err
	}
	out.Took = time.Since(start)
	if strings.TrimSpace(out.Reply.Text) == "" {
		return Written{}, fault.New("llm_reply_invalid", fault.P("detail", "empty, ended by "+out.Reply.Done))
	}
	out.Asked = true
	out.Context.read(out.Reply)
	out.Answer, err = Check(ctx, w.Evidence, out.Reply.Text, hits[:out.Context.Shown])
	return out, err
}

// request is what is sent for a prompt that fits.
func (w Writer) request(fitted Written) rag.GenerateRequest {
	r := rag.GenerateRequest{Options: rag.GenerateOptions{Context: fitted.Context.Window, MaxTokens: fitted.Context.ReplyTokens}}
	if w.Info.Chat {
		r.Messages = []rag.Message{{Role: "user", Content: fitted.Prompt}}
		return r
	}
	// A base model goes on with the text: what follows the line of the answer would be
	// further questions.
	r.Prompt, r.Raw, r.Options.Stop = fitted.Prompt, true, []string{"\n"}
	return r
}

// baseReply bounds the reply of a base model in tokens: it does not end by itself, and
// what it writes after a few sentences is repetition.
const baseReply = 96

// fit leaves out the last passages until the prompt and the reply fit the window.
func (w Writer) fit(ctx context.Context, t Template, question string, hits []rag.Hit) (Written, error) {
	limit := w.Info.Context
	if limit == 0 {
		limit = unknownWindow
	}
	if w.Limit > 0 {
		limit = min(limit, w.Limit)
	}
	c, err := Survey(ctx, w.Counter, t, question, hits, w.Order)
	if err != nil {
		return Written{}, err
	}
	c.ReplyTokens = min(rag.DefaultMaxTokens, limit/4)
	if !w.Info.Chat {
		c.ReplyTokens = min(baseReply, limit/4)
	}
	room := limit - c.ReplyTokens - templateTokens
	if !c.cutTo(room) {
		need := c.FrameTokens + c.Passages[0].Tokens + c.ReplyTokens
		return Written{}, fault.New("llm_context_exceeded", fault.P("model", w.Info.Model), fault.P("tokens", need), fault.P("limit", limit))
	}
	c.Window = min(limit, w.Window(max(min(limit, unknownWindow), c.PromptTokens+templateTokens+c.ReplyTokens)))
	return Written{Template: t, Prompt: t.Prompt(question, hits[:c.Shown], w.Order), Context: c}, nil
}
