package app

import (
	"context"
	"strings"

	"ragdesk/backend/embed"
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

// hostedPrefix begins the name of an embedder that a language model host serves,
// such as "ollama:nomic-embed-text".
const hostedPrefix = "ollama:"

// hostedModel returns the model's name on its host; ok is false for the name of
// another embedder.
func hostedModel(name string) (model string, ok bool) {
	if len(name) <= len(hostedPrefix) || !strings.EqualFold(name[:len(hostedPrefix)], hostedPrefix) {
		return "", false
	}
	return name[len(hostedPrefix):], true
}

// opened is a library's embedder with the models that count its texts' tokens and
// compare them: the embedder itself or, since a host gives no tokens, the
// program's own beside a host's model.
type opened struct {
	rag.Embedder
	local *embed.Mixed
	// room is how many of local's tokens a host's model is given at most, 0 for an
	// embedder of this program.
	room int
}

// limit is how many tokens of a text in member's language are read.
func (o opened) limit(member embed.Member) int {
	if o.room > 0 {
		return o.room
	}
	return member.Model.MaxTokens()
}

// openEmbedder opens an embedder by the name that libraries keep; like is as for
// embedder. A host's model is looked up on the host each time: another model of
// the same name has another fingerprint. Faults besides embedder's: those of
// llm.Chooser's Client and of llm.Client's Embedder.
func (s *Service) openEmbedder(ctx context.Context, name, like string) (opened, error) {
	local, err := s.embedder(localName(name), like)
	if err != nil {
		return opened{}, err
	}
	model, ok := hostedModel(name)
	if !ok {
		return opened{Embedder: local, local: local}, nil
	}
	chooser, err := s.chooser()
	if err != nil {
		return opened{}, err
	}
	client, _, err := chooser.Client(ctx)
	if err != nil {
		return opened{}, err
	}
	e, err := client.Embedder(ctx, model, llm.PrefixesOf(model))
	if err != nil {
		return opened{}, err
	}
	return opened{Embedder: hostedEmbedder{e}, local: local, room: hostedRoom(e.Window())}, nil
}

// localName is the embedder whose tokens stand in for those of name.
func localName(name string) string {
	if _, ok := hostedModel(name); ok {
		return defaultEmbedder
	}
	return name
}

// unknownEmbedWindow is the window of an embedding model that does not tell its
// own: that of the smallest in use.
const unknownEmbedWindow = 512

// hostedRoom is how many tokens, as this program's models count them, go into a
// window: half of it, since another vocabulary may need more for the same text.
func hostedRoom(window int) int {
	if window <= 0 {
		window = unknownEmbedWindow
	}
	return max(window/2-8, 16)
}

// hostedEmbedder is a host's model. What it says of one text alone, that its
// vector is no number or that it is too long, is that text's fault, so that
// ingestion goes on with other documents.
type hostedEmbedder struct{ *llm.Embedder }

// Documents implements rag.Embedder.
func (h hostedEmbedder) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := h.Embedder.Documents(ctx, texts)
	if fault.Is(err, "llm_context_refused") {
		err = fault.Wrap(err, "vector_invalid", fault.P("reason", fault.Of(err).Error()))
	}
	return out, err
}
