package rag

import (
	"context"
	"encoding/json"
	"time"
)

// Generator writes text with one language model.
type Generator interface {
	// Generate sends the request and passes the reply on piece by piece, as it is
	// written; onDelta may be nil, and an error of it stops the model and is
	// returned. The returned text is the pieces' concatenation.
	Generate(ctx context.Context, req GenerateRequest, onDelta func(delta string) error) (Generation, error)
	// Info describes the model as its host knows it.
	Info(ctx context.Context) (GeneratorInfo, error)
}

// GenerateRequest is what a model is asked. Exactly one of Prompt and Messages is
// set.
type GenerateRequest struct {
	// System is the instruction above the conversation; empty with Raw.
	System string
	Prompt string
	// Messages are a conversation, its last turn the user's.
	Messages []Message
	// Raw sends Prompt as it stands, without the model's chat template. A base
	// model, which has no template, must be asked so, with Stop and MaxTokens, or it
	// never ends.
	Raw     bool
	Options GenerateOptions
	// Schema is a JSON schema that the reply must fit, or null for free text. A
	// reply that fits is not thereby right. It goes without Stop: whatever could stop
	// it may stand within the JSON.
	Schema json.RawMessage
}

// Message is a turn of a conversation.
type Message struct {
	// Role is "system", "user" or "assistant".
	Role    string `json:"role"`
	Content string `json:"content"`
}

// GenerateOptions are the settings of a request. The zero value is the default:
// the likeliest token each time, so that a reply repeats.
type GenerateOptions struct {
	Seed        int
	Temperature float64
	// Context is the model's window in tokens, for prompt and reply together. 0
	// means the smallest standard window that holds both.
	Context int
	// MaxTokens bounds the reply; 0 means DefaultMaxTokens.
	MaxTokens int
	// Stop ends the reply before any of these strings.
	Stop []string
}

// DefaultMaxTokens bounds a reply that names no bound.
const DefaultMaxTokens = 1024

// Reasons why a reply ended.
const (
	// DoneStop is the model's own end, or a stop string.
	DoneStop = "stop"
	// DoneLength means that MaxTokens or the window was used up: the reply is cut.
	DoneLength = "length"
)

// Generation is a complete reply.
type Generation struct {
	Text string
	// Thinking is what the model wrote before its reply, where it tells them apart.
	Thinking string
	// Model and Digest name the model that wrote it.
	Model, Digest string
	Usage         Usage
	Timing        Timing
	// Done is DoneStop, DoneLength, or another reason of the host's.
	Done string
	// Cut reports that the model did not see the whole prompt: its host dropped the
	// part that did not fit the window.
	Cut bool
	// Cached reports that the reply was kept from an earlier, equal request.
	Cached bool
}

// Usage counts tokens by the model's own vocabulary.
type Usage struct {
	// PromptTokens is what the model read; 0 when its host did not say.
	PromptTokens int `json:"prompt_tokens"`
	// SentTokens is the prompt's own length where the host tells it, else 0. It is
	// above PromptTokens when the prompt was cut.
	SentTokens int `json:"sent_tokens"`
	// ReplyTokens is what the model wrote.
	ReplyTokens int `json:"reply_tokens"`
	// Context is the window that was asked for.
	Context int `json:"context"`
}

// Timing is where the time of a reply went.
type Timing struct {
	// Load is the loading of the model, Prompt the reading of the prompt, Reply the
	// writing, Total all of it with the waiting in between.
	Load, Prompt, Reply, Total time.Duration
	// First is the time to the first piece of the reply, as seen from here.
	First time.Duration
}

// GeneratorInfo describes a model on its host.
type GeneratorInfo struct {
	Model string
	// Digest is the hexadecimal SHA-256 of the model's manifest: it changes when the
	// weights, the template or the model's own parameters do.
	Digest string
	// Host is the address it runs on; Remote that it is not this machine.
	Host   string
	Remote bool
	// Context is the longest window the model was made for, in tokens; 0 unknown.
	Context int
	// Chat reports that the model has a chat template; without one it continues
	// text, and must be asked with Raw.
	Chat bool
	// Demonstration reports a model that is too small for its answers to be trusted.
	Demonstration bool
}
