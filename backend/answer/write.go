package answer

import (
	"context"
	"strings"
	"time"

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

// Writer answers with a language model.
type Writer struct {
	Info  rag.GeneratorInfo
	Model rag.Generator
	// Count counts the tokens of texts by the model's vocabulary; its fault
	// "llm_unsupported" means that the vocabulary cannot be asked.
	Count func(ctx context.Context, texts []string) ([]int, error)
	// Bound bounds the tokens of a text from above without asking anything.
	Bound func(text string) int
	// Window is the window to ask for that holds so many tokens.
	Window func(need int) int
	// Evidence is what citations are checked with.
	Evidence Evidence
}

// Written is a model's answer with what made it.
type Written struct {
	Answer
	// Prompt is what was sent, or would have been had there been hits.
	Prompt string
	// Asked is false when nothing was retrieved and no model was asked; what
	// follows is zero then, Shown apart.
	Asked bool
	// Shown counts the hits, from the first, that are in the prompt.
	Shown int
	Reply rag.Generation
	// Took is how long the model took.
	Took time.Duration
	// Window and ReplyTokens are what was asked for, in tokens.
	Window, ReplyTokens int
}

// Write asks the model. The prompt is sent as Prompt makes it, with seed 0 and
// temperature 0, so that an equal question gets an equal reply. Without hits the
// answer is the refusal, which is what the prompt would ask for.
//
// Faults: "llm_context_exceeded" {model, tokens, limit} when not even one passage
// fits the model's window, "llm_reply_invalid" {detail} for an empty reply.
func (w Writer) Write(ctx context.Context, lang, question string, hits []rag.Hit) (Written, error) {
	if len(hits) == 0 {
		return Written{Prompt: Prompt(lang, question, nil), Answer: Answer{Text: Refusal(lang), Abstained: true}}, nil
	}
	out, err := w.fit(ctx, lang, question, hits)
	if err != nil {
		return Written{}, err
	}
	start := time.Now()
	out.Reply, err = w.Model.Generate(ctx, w.request(out), nil)
	if err != nil {
		return Written{}, err
	}
	out.Took = time.Since(start)
	if strings.TrimSpace(out.Reply.Text) == "" {
		return Written{}, fault.New("llm_reply_invalid", fault.P("detail", "empty, ended by "+out.Reply.Done))
	}
	out.Asked = true
	out.Answer, err = Check(ctx, w.Evidence, out.Reply.Text, hits[:out.Shown])
	return out, err
}

// request is what is sent for a prompt that fits.
func (w Writer) request(fitted Written) rag.GenerateRequest {
	r := rag.GenerateRequest{Options: rag.GenerateOptions{Context: fitted.Window, MaxTokens: fitted.ReplyTokens}}
	if w.Info.Chat {
		r.Messages = []rag.Message{{Role: "user", Content: fitted.Prompt}}
		return r
	}
	// A base model goes on with the text, and would with further questions.
	r.Prompt, r.Raw, r.Options.Stop = fitted.Prompt, true, []string{"\n\n", "\nQuestion:", "\n问题："}
	return r
}

// fit leaves out the last passages until the prompt and the reply fit the model's
// window.
func (w Writer) fit(ctx context.Context, lang, question string, hits []rag.Hit) (Written, error) {
	limit := w.Info.Context
	if limit == 0 {
		limit = unknownWindow
	}
	reply := min(rag.DefaultMaxTokens, limit/4)
	room := limit - reply - templateTokens
	small := min(limit, unknownWindow) - reply - templateTokens
	for n := len(hits); ; n-- {
		prompt := Prompt(lang, question, hits[:n])
		tokens, err := w.tokens(ctx, prompt, small)
		if err != nil {
			return Written{}, err
		}
		if tokens <= room {
			window := w.Window(max(unknownWindow, tokens+templateTokens+reply))
			return Written{Prompt: prompt, Shown: n, Window: window, ReplyTokens: reply}, nil
		}
		if n <= 1 {
			return Written{}, fault.New("llm_context_exceeded", fault.P("model", w.Info.Model), fault.P("tokens", tokens+reply), fault.P("limit", limit))
		}
	}
}

// tokens bounds the tokens of a prompt from above. The model's vocabulary, which is
// large, is asked only when the estimate does not show that the prompt is small: an
// estimate of Chinese is up to three times what it takes, and so would be the window.
func (w Writer) tokens(ctx context.Context, prompt string, small int) (int, error) {
	bound := w.Bound(prompt)
	if bound <= small {
		return bound, nil
	}
	counts, err := w.Count(ctx, []string{prompt})
	if fault.Is(err, "llm_unsupported") {
		return bound, nil
	}
	if err != nil {
		return 0, err
	}
	return counts[0] + counts[0]/20, nil // a count is a few in a hundred off
}
