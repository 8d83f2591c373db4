package app

import (
	"context"
	"fmt"
	"sync"

	"ragdesk/backend/chunk"
	"ragdesk/backend/embed"
	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/lexical"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
	"ragdesk/backend/parse/archive"
	"ragdesk/backend/parse/host"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// runtime opens the model assets and ONNX Runtime.
func (s *Service) runtime() (*ort.Runtime, *models.Store, error) {
	s.rt.mu.Lock()
	defer s.rt.mu.Unlock()
	if s.rt.runtime != nil {
		return s.rt.runtime, s.rt.assets, nil
	}
	assets, err := models.Open("")
	if err != nil {
		return nil, nil, err
	}
	path, err := assets.Runtime()
	if err != nil {
		return nil, nil, err
	}
	s.rt.runtime, s.rt.assets = ort.New(path), assets
	return s.rt.runtime, assets, nil
}

// runtimeSlot keeps ONNX Runtime and the assets it came from.
type runtimeSlot struct {
	mu      sync.Mutex
	runtime *ort.Runtime
	assets  *models.Store
}

// libraryModel is a library's embedder, opened when first used and checked
// against the fingerprint the library was indexed with.
type libraryModel struct {
	service *Service
	lib     rag.Library
}

func (s *Service) model(lib rag.Library) libraryModel { return libraryModel{s, lib} }

func (m libraryModel) open(ctx context.Context) (rag.Embedder, error) {
	model, err := m.service.openEmbedder(ctx, m.lib.Embedder, m.lib.EmbedderFingerprint)
	if err != nil {
		return nil, err
	}
	return model, m.check(model)
}

// local opens the models that compare tokens: the library's own, or the program's
// where a host embeds, with their name.
func (m libraryModel) local() (*embed.Mixed, string, error) {
	if _, hosted := hostedModel(m.lib.Embedder); hosted {
		model, err := m.service.embedder(defaultEmbedder, "")
		return model, defaultEmbedder, err
	}
	model, err := m.service.embedder(m.lib.Embedder, m.lib.EmbedderFingerprint)
	if err != nil {
		return nil, "", err
	}
	return model, m.lib.Embedder, m.check(model)
}

// check tells whether the model of the name is the one that it was.
func (m libraryModel) check(model rag.Embedder) error {
	if model.Fingerprint() == m.lib.EmbedderFingerprint {
		return nil
	}
	return fault.New("embedder_mismatch", fault.P("kb", m.lib.Name),
		fault.P("has", fmt.Sprintf("%s (%d, %s)", m.lib.Embedder, m.lib.Dim, m.lib.EmbedderFingerprint)),
		fault.P("asked", fmt.Sprintf("%s (%d, %s)", m.lib.Embedder, model.Dim(), model.Fingerprint())))
}

// Documents implements rag.Embedder.
func (m libraryModel) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	model, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	return model.Documents(ctx, texts)
}

// Query implements rag.Embedder.
func (m libraryModel) Query(ctx context.Context, text string) ([]float32, error) {
	model, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	return model.Query(ctx, text)
}

// Dim implements rag.Embedder.
func (m libraryModel) Dim() int { return m.lib.Dim }

// Fingerprint implements rag.Embedder.
func (m libraryModel) Fingerprint() string { return m.lib.EmbedderFingerprint }

// newSettings resolves asked-for settings to those of a new library.
func (s *Service) newSettings(ctx context.Context, want cut) (rag.Settings, error) {
	c, model, err := s.chunker(ctx, want)
	if err != nil {
		return rag.Settings{}, err
	}
	return rag.Settings{
		Chunker: c.kind, ChunkSize: c.size, ChunkOverlap: c.overlap, ChunkerFingerprint: c.Fingerprint(),
		Embedder: c.embedder, EmbedderFingerprint: model.Fingerprint(), Dim: model.Dim(),
		TextFingerprint: lexical.Analyzer{}.Fingerprint(),
	}, nil
}

// chunkerSettings is a chunker with what it was made from.
type chunkerSettings struct {
	rag.Chunker
	kind          string
	size, overlap int
	// sizeAsked says that the size is not the chunker's usual one.
	sizeAsked bool
	embedder  string
	// notices are by language, "" for documents in none.
	notices map[string][]rag.Notice
}

// noticesOf are the notices for documents in a language.
func (c chunkerSettings) noticesOf(language string) []rag.Notice {
	if n, ok := c.notices[language]; ok {
		return n
	}
	return c.notices[""]
}

// chunker makes the asked-for chunker, and opens the embedder whose tokens it
// counts. In a library of several models each document is cut with the tokenizer
// and the limit of its language's.
func (s *Service) chunker(ctx context.Context, want cut) (chunkerSettings, opened, error) {
	name := want.embedder
	if !want.own {
		var err error
		if name, err = s.embedderName(want.embedder); err != nil {
			return chunkerSettings{}, opened{}, err
		}
	}
	model, err := s.openEmbedder(ctx, name, want.like)
	if err != nil {
		return chunkerSettings{}, opened{}, err
	}
	if want.chunker == "" {
		want.chunker = chunk.KindAuto
	}
	out := chunkerSettings{kind: want.chunker, embedder: name, notices: map[string][]rag.Notice{}}
	var lingual []chunk.Lingual
	for i, member := range model.local.Members() {
		tokenizer, err := member.Model.Tokenizer()
		if err != nil {
			return chunkerSettings{}, opened{}, err
		}
		limit := model.limit(member)
		size, overlap := chunk.Defaults(want.chunker, want.size, want.overlap, limit)
		if i > 0 && want.chunker != chunk.KindChars {
			size, overlap = chunk.Shrink(out.size, out.overlap, limit)
		}
		c, notices, err := chunk.New(chunk.Config{Kind: want.chunker, Size: size, Overlap: overlap, Limit: limit, Tokenizer: tokenizer})
		if err != nil {
			return chunkerSettings{}, opened{}, err
		}
		if i > 0 && size < out.size && out.sizeAsked {
			notices = []rag.Notice{{Code: chunk.NoticeSizeCapped, Detail: fmt.Sprintf("%d → %d", out.size, size)}}
		}
		if i == 0 {
			usual, _ := chunk.Defaults(want.chunker, nil, nil, limit)
			out.sizeAsked = size != usual
			out.size, out.overlap = size, overlap
			out.notices[""] = notices
		}
		out.notices[member.Language] = notices
		lingual = append(lingual, chunk.Lingual{Language: member.Language, Chunker: c})
	}
	out.Chunker = chunk.ByLanguage(lingual[0], lingual[1:]...)
	return out, model, nil
}

// ingestPorts wires an ingestion into lib. done ends it.
func (s *Service) ingestPorts(ctx context.Context, w *store.Writer, lib rag.Library, read host.Options) (p ingest.Ports, done func(), err error) {
	c, model, err := s.chunker(ctx, cut{}.over(lib.Settings))
	if err != nil {
		return ingest.Ports{}, nil, err
	}
	terms, err := s.analyzers.of(ctx, s.store, lib)
	if err != nil {
		return ingest.Ports{}, nil, err
	}
	parser, err := s.parser(read)
	if err != nil {
		return ingest.Ports{}, nil, err
	}
	appender, err := s.tokens.appender(s.store, lib)
	if err != nil {
		return ingest.Ports{}, nil, err
	}
	return ingest.Ports{
		Parser: parser, Unpacker: archive.New(read.Limits), Chunker: c.Chunker, Embedder: keeping(model, appender), Catalogue: s.store,
		Committer: committer{s.shelf, w, s.memory}, Count: terms.Count, EmbedLimit: embedLimit(model),
		Notices: c.noticesOf,
	}, func() { _ = appender.Close() }, nil // a cache: whatever is torn at its end is cut off later
}

// embedLimit tells how much of a chunk its model reads.
func embedLimit(o opened) func(rag.Chunk) int {
	members := o.local.Members()
	limits := make([]int, len(members))
	for i, member := range members {
		limits[i] = o.limit(member)
	}
	return func(c rag.Chunk) int { return limits[o.local.Space(c.Text)] }
}
