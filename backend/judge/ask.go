package judge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Reasons why a language model's judgement is missing.
const (
	// ReasonTruncated: the reply was cut at its limit, or when it went on repeating itself.
	ReasonTruncated = "reply_truncated"
	// ReasonMalformed: the reply is not the JSON that was asked for.
	ReasonMalformed = "reply_malformed"
	// ReasonCount: not as many verdicts as claims.
	ReasonCount = "verdict_count"
	// ReasonQuote: the evidence that the judge quotes is not in the context.
	ReasonQuote = "quote_missing"
	// ReasonTimeout: the model said nothing for too long.
	ReasonTimeout = "judge_timeout"
	// ReasonEngine: the model could not be asked.
	ReasonEngine = "judge_failed"
	// ReasonPromptCut: the model did not see the whole prompt, or it cannot.
	ReasonPromptCut = "prompt_cut"
)

// CallFailure reports a reason why a call of a judge brought nothing, so that what
// it was asked is unscored.
func CallFailure(reason string) bool {
	switch reason {
	case ReasonTruncated, ReasonMalformed, ReasonCount, ReasonQuote, ReasonTimeout, ReasonEngine, ReasonPromptCut:
		return true
	}
	return false
}

// Asker asks a language model for JSON that fits a schema, one call at a time. It is safe
// for concurrent use. Build it with NewAsker.
type Asker struct {
	model rag.Generator
	chat  bool
	turn  chan struct{}
}

// NewAsker returns the asker of a model; chat says that it has a chat template, others are
// asked raw.
func NewAsker(model rag.Generator, chat bool) Asker {
	return Asker{model, chat, make(chan struct{}, 1)}
}

// Reply is what a model answered.
type Reply struct {
	// Text is the reply as it was written.
	Text string
	// Reason is a code of this package why the reply is of no use, empty for a good
	// one; Detail says more.
	Reason, Detail string
}

// OK reports a reply that could be read.
func (r Reply) OK() bool { return r.Reason == "" }

// Ask sends a prompt, with seed 0 and temperature 0, and reads the reply into out,
// which then holds what the schema asks for, as far as encoding/json can tell. No string
// stops a reply: the schema ends it, and allows blanks and line breaks between any two
// values. A reply that is of no use has a Reason; the error is that of a context that
// ended.
func (a Asker) Ask(ctx context.Context, prompt string, schema json.RawMessage, maxTokens int, out any) (Reply, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	}
	req := rag.GenerateRequest{Schema: schema, Options: rag.GenerateOptions{MaxTokens: maxTokens}}
	if a.chat {
		req.Messages = []rag.Message{{Role: "user", Content: prompt}}
	} else {
		req.Prompt, req.Raw = prompt, true
	}
	got, err := a.model.Generate(ctx, req, nil)
	if ctx.Err() != nil {
		return Reply{}, ctx.Err()
	}
	r := Reply{Text: got.Text}
	switch {
	case err != nil:
		r.Reason, r.Detail = failed(err)
	case got.Cut:
		r.Reason = ReasonPromptCut
	case got.Done == rag.DoneLength:
		r.Reason = ReasonTruncated
	default:
		if err := readJSON(got.Text, out); err != nil {
			r.Reason, r.Detail = ReasonMalformed, err.Error()
		}
	}
	return r, nil
}

// failed sorts the error of a call.
func failed(err error) (reason, detail string) {
	code := fault.Of(err).Code
	switch {
	case code == "llm_stalled", errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout, code
	case code == "llm_context_exceeded", code == "llm_context_refused":
		return ReasonPromptCut, code
	case code == "llm_repeats":
		return ReasonTruncated, code
	}
	return ReasonEngine, code
}

var errNoObject = errors.New("not one JSON object")

// readJSON reads the one object of a reply, which may stand behind thoughts or
// between the lines of a code block.
func readJSON(reply string, out any) error {
	if _, after, ok := strings.Cut(reply, "</think>"); ok {
		reply = after
	}
	reply = strings.TrimSpace(reply)
	if inner, ok := strings.CutPrefix(reply, "```"); ok {
		_, inner, _ = strings.Cut(inner, "\n")
		reply = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	if !strings.HasPrefix(reply, "{") {
		return errNoObject
	}
	return json.Unmarshal([]byte(reply), out)
}
