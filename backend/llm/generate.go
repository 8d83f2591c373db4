package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Generator is one model on one host. It is safe for concurrent use.
type Generator struct {
	client *Client
	name   string

	mu    sync.Mutex
	model *Details
	vocab *vocabulary
}

var _ rag.Generator = (*Generator)(nil)

// Generator returns the model of that name; nothing is asked of the host yet.
func (c *Client) Generator(model string) *Generator { return &Generator{client: c, name: model} }

// details asks the host about the model once.
func (g *Generator) details(ctx context.Context) (Details, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.model == nil {
		d, err := g.client.Show(ctx, g.name)
		if err != nil {
			return Details{}, err
		}
		g.model = &d
	}
	return *g.model, nil
}

// Info implements rag.Generator.
func (g *Generator) Info(ctx context.Context) (rag.GeneratorInfo, error) {
	d, err := g.details(ctx)
	if err != nil {
		return rag.GeneratorInfo{}, err
	}
	return rag.GeneratorInfo{
		Model: g.name, Digest: d.Digest, Host: g.client.Host(), Remote: g.client.Remote(),
		Context: d.Context, Chat: d.Chat, Demonstration: CapabilityOf(d.Model) == Demonstration,
	}, nil
}

// wireRequest is a request to write, of either endpoint.
type wireRequest struct {
	Model    string          `json:"model"`
	Prompt   string          `json:"prompt,omitempty"`
	System   string          `json:"system,omitempty"`
	Messages []rag.Message   `json:"messages,omitempty"`
	Raw      bool            `json:"raw,omitempty"`
	Format   json.RawMessage `json:"format,omitempty"`
	// Think is sent only to a model that can think, and turns that off: thoughts
	// take a window and minutes, and are no answer.
	Think   *bool       `json:"think,omitempty"`
	Options wireOptions `json:"options"`
}

type wireOptions struct {
	Seed        int      `json:"seed"`
	Temperature float64  `json:"temperature"`
	Context     int      `json:"num_ctx"`
	MaxTokens   int      `json:"num_predict"`
	Stop        []string `json:"stop,omitempty"`
	Threads     int      `json:"num_thread,omitempty"`
}

// wireReply is a line of either endpoint's stream.
type wireReply struct {
	Response string `json:"response"`
	Thinking string `json:"thinking"`
	Message  struct {
		Content  string `json:"content"`
		Thinking string `json:"thinking"`
	} `json:"message"`
	Done               bool          `json:"done"`
	DoneReason         string        `json:"done_reason"`
	Context            []json.Number `json:"context"`
	TotalDuration      time.Duration `json:"total_duration"`
	LoadDuration       time.Duration `json:"load_duration"`
	PromptEvalCount    int           `json:"prompt_eval_count"`
	PromptEvalDuration time.Duration `json:"prompt_eval_duration"`
	EvalCount          int           `json:"eval_count"`
	EvalDuration       time.Duration `json:"eval_duration"`
}

// Generate implements rag.Generator. A prompt that cannot fit the window is the
// fault "llm_context_exceeded" before anything is sent.
func (g *Generator) Generate(ctx context.Context, req rag.GenerateRequest, onDelta func(string) error) (rag.Generation, error) {
	if err := checkRequest(req); err != nil {
		return rag.Generation{}, err
	}
	d, err := g.details(ctx)
	if err != nil {
		return rag.Generation{}, err
	}
	size := estimateRequest(req)
	wire, err := g.wire(req, d, size)
	if err != nil {
		return rag.Generation{}, err
	}
	path := "/api/generate"
	if len(req.Messages) > 0 {
		path = "/api/chat"
	}
	w := writer{started: time.Now(), onDelta: onDelta}
	err = g.client.stream(ctx, path, g.name, wire, g.client.timeouts.First, g.client.timeouts.Idle, w.line)
	if w.repeated >= endless && errors.Is(err, io.ErrUnexpectedEOF) {
		return rag.Generation{}, fault.Wrap(err, "llm_repeats", fault.P("model", g.name))
	}
	if err != nil {
		return rag.Generation{}, err
	}
	out := w.generation(wire.Options.Context)
	out.Model, out.Digest = g.name, d.Digest
	out.Cut = wasCut(out.Usage, size)
	return out, nil
}

// checkRequest reports a request that no host would answer as meant.
func checkRequest(req rag.GenerateRequest) error {
	bad := func(detail string) error { return fault.New("llm_request_invalid", fault.P("detail", detail)) }
	switch {
	case (req.Prompt == "") == (len(req.Messages) == 0):
		return bad("either prompt or messages")
	case req.Raw && (req.System != "" || len(req.Messages) > 0):
		return bad("raw: prompt alone")
	case req.Options.Context < 0 || req.Options.MaxTokens < 0:
		return bad("context or max tokens below 0")
	case req.Options.Temperature < 0:
		return bad("temperature below 0")
	case len(req.Schema) > 0 && !json.Valid(req.Schema):
		return bad("schema is not JSON")
	case len(req.Schema) > 0 && len(req.Options.Stop) > 0:
		return bad("stop strings would cut the JSON of a schema")
	}
	return nil
}

func (g *Generator) wire(req rag.GenerateRequest, d Details, size Estimate) (wireRequest, error) {
	most := req.Options.MaxTokens
	if most == 0 {
		most = rag.DefaultMaxTokens
	}
	window := Window(size.High+most, req.Options.Context, d.Context)
	if size.Low >= window {
		return wireRequest{}, fault.New("llm_context_exceeded", fault.P("model", g.name),
			fault.P("tokens", size.Low), fault.P("limit", window))
	}
	wire := wireRequest{
		Model: g.name, Prompt: req.Prompt, System: req.System, Raw: req.Raw, Format: req.Schema,
		Options: wireOptions{
			Seed: req.Options.Seed, Temperature: req.Options.Temperature,
			Context: window, MaxTokens: most, Stop: req.Options.Stop, Threads: g.client.threads,
		},
	}
	if len(req.Messages) > 0 {
		if req.System != "" {
			wire.Messages = append(wire.Messages, rag.Message{Role: "system", Content: req.System})
		}
		wire.Messages, wire.System = append(wire.Messages, req.Messages...), ""
	}
	if d.Thinks && !req.Raw {
		wire.Think = new(bool)
	}
	return wire, nil
}

// endless is how often a piece of a reply follows itself when a host gives it up: Ollama
// does after thirty times, and ends the stream without a last line.
const endless = 25

// writer gathers a reply from its stream.
type writer struct {
	started        time.Time
	first          time.Duration
	text, thinking strings.Builder
	// before is the piece before, repeated how often it followed itself.
	before   string
	repeated int
	onDelta  func(string) error
	last     wireReply
}

// line takes in a line of the stream.
func (w *writer) line(raw []byte) error {
	var r wireReply
	if err := json.Unmarshal(raw, &r); err != nil {
		return broken(err)
	}
	delta := r.Response + r.Message.Content
	w.thinking.WriteString(r.Thinking + r.Message.Thinking)
	if delta != "" {
		if w.first == 0 {
			w.first = time.Since(w.started)
		}
		w.text.WriteString(delta)
		if piece := strings.TrimSpace(delta); piece == w.before {
			w.repeated++
		} else {
			w.before, w.repeated = piece, 0
		}
		if w.onDelta != nil {
			if err := w.onDelta(delta); err != nil {
				return err
			}
		}
	}
	if !r.Done {
		return nil
	}
	w.last = r
	if r.DoneReason != rag.DoneStop && r.DoneReason != rag.DoneLength && r.DoneReason != "" {
		return broken(errors.New("done: " + r.DoneReason))
	}
	return errDone
}

func (w *writer) generation(window int) rag.Generation {
	r := w.last
	out := rag.Generation{
		Text: w.text.String(), Thinking: w.thinking.String(), Done: r.DoneReason,
		Usage:  rag.Usage{PromptTokens: r.PromptEvalCount, ReplyTokens: r.EvalCount, Context: window},
		Timing: rag.Timing{Load: r.LoadDuration, Prompt: r.PromptEvalDuration, Reply: r.EvalDuration, Total: r.TotalDuration, First: w.first},
	}
	// What /api/generate calls context is the whole prompt, uncut, and the reply. The
	// reply's text may fall into other tokens than it was written in.
	u := &out.Usage
	u.SentTokens = max(0, len(r.Context)-r.EvalCount)
	if off := u.SentTokens - u.PromptTokens; u.SentTokens > 0 && max(off, -off) <= 16+u.ReplyTokens/8 {
		u.SentTokens = u.PromptTokens
	}
	return out
}

// wasCut compares what the model read with what it was sent. A runner that cuts a
// prompt fills its window; a host that leaves out whole messages reads fewer tokens
// than the text can have, or than it says itself.
func wasCut(u rag.Usage, size Estimate) bool {
	if u.PromptTokens == 0 {
		return false
	}
	return u.PromptTokens >= u.Context || u.PromptTokens < size.Low || u.SentTokens > u.PromptTokens
}
