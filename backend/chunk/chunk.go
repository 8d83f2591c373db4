// Package chunk cuts documents into chunks.
//
// Each kind of chunker follows a rule: tokens packs sentences and paragraphs up
// to a number of the embedder's own tokens; chars slides a plain window over code
// points; sentences packs whole sentences; headings keeps to the sections, code
// and tables of a document; code cuts at functions and types, law at articles,
// dialogue at turns and topics, table at groups of rows with their header; parent
// makes small chunks that know the passage around them; auto chooses by the
// document.
//
// Invariants of every chunker here: chunks are in text order; doc.Text[c.Span] ==
// c.Text, both ends on rune boundaries; every character that shows something is
// in some chunk; no chunk is blank, or above the size unless it is a single
// character; equal input gives equal chunks and ids; the work is linear in the
// text for a fixed size and overlap. Overlap repeats whole sentences (tokens,
// sentences, parent), whole blocks or sentences of a section (headings), whole
// turns of a topic (dialogue) or code points (chars); functions, articles and
// rows are never repeated, so code, law and table have none.
//
//	c, notices, err := chunk.New(chunk.Config{Kind: "auto", Size: 512, Overlap: 128,
//		Limit: 510, Tokenizer: tok})
//	chunks, err := c.Chunk(ctx, doc)
//
// Faults: chunker_unknown, chunker_invalid. Notices: chunk_size_capped,
// chunk_overlap_capped.
package chunk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Kinds of chunker.
const (
	KindAuto      = "auto"
	KindTokens    = "tokens"
	KindChars     = "chars"
	KindSentences = "sentences"
	KindHeadings  = "headings"
	KindCode      = "code"
	KindLaw       = "law"
	KindDialogue  = "dialogue"
	KindTable     = "table"
	KindParent    = "parent"
)

// Codes of the notices New gives.
const (
	// NoticeSizeCapped: the size exceeds what the model reads; "1024 → 510".
	NoticeSizeCapped = "chunk_size_capped"
	// NoticeOverlapCapped: the overlap no longer fits the capped size.
	NoticeOverlapCapped = "chunk_overlap_capped"
)

// Kinds lists the names that New accepts.
func Kinds() []string {
	return []string{
		KindAuto, KindTokens, KindChars, KindSentences, KindHeadings, KindCode, KindLaw, KindDialogue, KindTable, KindParent,
	}
}

// Config says how to cut.
type Config struct {
	// Kind is one of Kinds.
	Kind string
	// Size is the most a chunk holds, Overlap how much of it may repeat the end
	// of the chunk before: content tokens, or code points for KindChars. Size ≥ 1
	// and 0 ≤ Overlap < Size.
	Size, Overlap int
	// Limit is how many content tokens the embedder reads, 0 for no limit. It
	// caps Size, except for KindChars.
	Limit int
	// Tokenizer is the embedder's. KindChars uses it, if given, to count only.
	Tokenizer rag.Tokenizer
}

// Defaults completes what was chosen of size and overlap, nil meaning nothing:
// 512 tokens with 128 overlapping, at most limit tokens if limit is above 0; 500
// code points with 100 overlapping for KindChars. The default overlap keeps its
// proportion to a smaller size.
func Defaults(kind string, size, overlap *int, limit int) (sizeOut, overlapOut int) {
	sizeOut, overlapOut = 512, 128
	part := 4
	if kind == KindChars {
		sizeOut, overlapOut, part = 500, 100, 5
	} else if limit > 0 {
		sizeOut = min(sizeOut, limit)
	}
	if size != nil {
		sizeOut = *size
	}
	overlapOut = min(overlapOut, max(sizeOut, 0)/part)
	if overlap != nil {
		overlapOut = *overlap
	}
	return sizeOut, overlapOut
}

// New returns the chunker that c describes, and what had to be changed to make
// it fit. Faults: chunker_unknown {chunker, known}; chunker_invalid {setting,
// value, size} for a size or overlap out of range.
func New(c Config) (rag.Chunker, []rag.Notice, error) {
	if !slices.Contains(Kinds(), c.Kind) {
		return nil, nil, fault.New("chunker_unknown", fault.P("chunker", c.Kind),
			fault.P("known", strings.Join(Kinds(), ", ")))
	}
	switch {
	case c.Size < 1:
		return nil, nil, fault.New("chunker_invalid", fault.P("setting", "chunk-size"), fault.P("value", c.Size),
			fault.P("size", c.Size))
	case c.Overlap < 0 || c.Overlap >= c.Size:
		return nil, nil, fault.New("chunker_invalid", fault.P("setting", "chunk-overlap"),
			fault.P("value", c.Overlap), fault.P("size", c.Size))
	}
	if c.Kind == KindChars {
		return chunker{chars{size: c.Size, overlap: c.Overlap, tokenizer: c.Tokenizer}}, nil, nil
	}
	if c.Tokenizer == nil {
		return nil, nil, errors.New("chunk by tokens: no tokenizer")
	}
	notices := c.fit()
	base := tokens{size: c.Size, overlap: c.Overlap, tokenizer: c.Tokenizer}
	switch c.Kind {
	case KindTokens:
		return chunker{base}, notices, nil
	case KindAuto:
		return chunker{automatic{base}}, notices, nil
	case KindParent:
		return chunker{parents{base}}, notices, nil
	}
	return chunker{structured{tokens: base, rule: rules()[c.Kind]}}, notices, nil
}

// rules are the structured rules by the kind of their chunker.
func rules() map[string]rule {
	return map[string]rule{
		KindSentences: sentenceRule(), KindHeadings: headingRule(), KindCode: codeRule(), KindLaw: lawRule(), KindDialogue: dialogueRule(), KindTable: tableRule(),
	}
}

// fit caps size and overlap to the limit and says so.
func (c *Config) fit() []rag.Notice {
	if c.Limit <= 0 || c.Size <= c.Limit {
		return nil
	}
	notices := []rag.Notice{{Code: NoticeSizeCapped, Detail: fmt.Sprintf("%d → %d", c.Size, c.Limit)}}
	c.Size = c.Limit
	if c.Overlap >= c.Size {
		to := c.Size / 4
		notices = append(notices, rag.Notice{Code: NoticeOverlapCapped, Detail: fmt.Sprintf("%d → %d", c.Overlap, to)})
		c.Overlap = to
	}
	return notices
}

// NewID names a chunk: 12 hexadecimal digits of the document and 12 of a hash of
// the document's id, the chunker's fingerprint, the span in bytes and the text.
// The first 12 are those of doc itself when it is hexadecimal and as long, else
// of its hash.
func NewID(doc rag.DocumentID, fingerprint string, span rag.Span, text string) rag.ChunkID {
	prefix := strings.ToLower(string(doc))
	if len(prefix) < 12 || strings.Trim(prefix[:12], "0123456789abcdef") != "" {
		sum := sha256.Sum256([]byte(doc))
		prefix = hex.EncodeToString(sum[:])
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %d %d ", string(doc), fingerprint, span.Start, span.End)
	h.Write([]byte(text))
	return rag.ChunkID(prefix[:12] + "-" + hex.EncodeToString(h.Sum(nil)[:6]))
}

// passage is a chunk before it has an id.
type passage struct {
	span   rag.Span
	tokens int
	// headings is the path above it, outermost first; never nil.
	headings []string
	// parent is the passage shown in its place, empty for itself.
	parent rag.Span
}

// cutter finds where the chunks of a document are.
type cutter interface {
	// Fingerprint names the rule, its parameters and what else the cuts depend on.
	Fingerprint() string
	// cut returns the passages of doc, which is not blank, in text order.
	cut(ctx context.Context, doc rag.Document) ([]passage, error)
}

// chunker makes the chunks that a cutter finds.
type chunker struct{ cutter }

// Chunk implements rag.Chunker.
func (c chunker) Chunk(ctx context.Context, doc rag.Document) ([]rag.Chunk, error) {
	if text.IsBlank(doc.Text) {
		return nil, ctx.Err()
	}
	passages, err := c.cut(ctx, doc)
	if err != nil {
		return nil, err
	}
	return finish(doc, c.Fingerprint(), passages), nil
}

// finish makes chunks of passages, which are in text order.
func finish(doc rag.Document, fingerprint string, passages []passage) []rag.Chunk {
	spans := make([]rag.Span, len(passages))
	for i, p := range passages {
		spans[i] = p.span
	}
	points := rag.Points(doc.Text, spans)
	out := make([]rag.Chunk, len(passages))
	for i, p := range passages {
		s := doc.Text[p.span.Start:p.span.End]
		out[i] = rag.Chunk{
			ID: NewID(doc.ID, fingerprint, p.span, s), DocID: doc.ID, Ordinal: i, Span: p.span, Points: points[i],
			Headings: p.headings, Parent: p.parent, Text: s, Tokens: p.tokens,
		}
	}
	return out
}

// headingPath follows the headings of a document in text order.
type headingPath struct {
	sections []rag.Section
	next     int
	open     []rag.Section
	titles   []string
}

// at returns the titles of the sections that the byte at belongs to, outermost
// first. It is called with ascending positions.
func (p *headingPath) at(at int) []string {
	if p.titles != nil && (p.next >= len(p.sections) || p.sections[p.next].Span.Start > at) {
		return p.titles
	}
	for p.next < len(p.sections) && p.sections[p.next].Span.Start <= at {
		s := p.sections[p.next]
		for len(p.open) > 0 && p.open[len(p.open)-1].Level >= s.Level {
			p.open = p.open[:len(p.open)-1]
		}
		p.open = append(p.open, s)
		p.next++
	}
	p.titles = make([]string, len(p.open))
	for i, s := range p.open {
		p.titles[i] = s.Title
	}
	return p.titles
}
