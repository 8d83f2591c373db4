package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// ImportChunks adds the ready-made chunks of a file, keeping their ids: JSON
// Lines or a JSON array of {chunk_id, text, doc_id?, source?, span?, metadata?}.
// Chunks of one doc_id make a document, laid out by their spans where these
// fit, else one after another; a chunk without doc_id is a document of its own
// with source = chunk_id. A list with a mistake is refused whole, with the line:
// fault "chunks_invalid", or "chunk_id_taken" for an id that another document of
// the library uses.
func ImportChunks(ctx context.Context, ports Ports, lib rag.Library, path string, progress rag.Progress) (Report, error) {
	start := time.Now()
	list, err := readChunkList(path)
	if err != nil {
		return Report{Library: lib}, err
	}
	known, err := loadKnown(ctx, ports.Catalogue, lib)
	if err != nil {
		return Report{Library: lib}, err
	}
	if err := checkOwners(ctx, ports.Catalogue, lib, path, list); err != nil {
		return Report{Library: lib}, err
	}
	groups, order := groupByDocument(list)
	progress.Stage("import", len(list))
	produce := func(ctx context.Context, pass func(*item) error) error {
		for seq, id := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			it, err := importItem(seq, id, groups[id], known, ports)
			if err != nil {
				return err
			}
			if err := pass(it); err != nil {
				return err
			}
		}
		return nil
	}
	c := newCommitter(ports.Committer, lib, progress)
	err = run(ctx, ports.Embedder, produce, c, progress)
	return c.result(start), err
}

// listParser is what read the documents that an imported list makes.
const listParser = "chunk list"

func importItem(seq int, id rag.DocumentID, chunks []listed, known *known, ports Ports) (*item, error) {
	encoded, err := json.Marshal(chunks)
	if err != nil {
		return nil, fmt.Errorf("hash the chunks of %s: %w", id, err)
	}
	sum := sha256.Sum256(encoded)
	hash := hex.EncodeToString(sum[:])
	source := chunks[0].Source
	if source == "" {
		source = string(id)
	}
	it := &item{seq: seq, size: int64(len(chunks)), outcome: Outcome{Source: source, Status: rag.StatusIndexed}}
	had, ok := known.docs[id]
	if ok && had.ContentHash == hash {
		it.unchanged(had)
		return it, nil
	}
	if ok {
		it.outcome.Status = rag.StatusUpdated
	}
	text, cut := layout(id, chunks)
	record := &rag.DocumentRecord{Text: text, Chunks: cut, Counts: make([]rag.TermCounts, len(cut))}
	for i, c := range cut {
		record.Counts[i] = ports.Count(c.Text)
	}
	record.DocumentRow = rag.DocumentRow{
		Document: rag.Document{ID: id, Source: source, Title: source, MediaType: "text/plain", Encoding: "UTF-8", ParsedBy: listParser, Health: rag.Health{Confidence: 1}},
		// A file's document stays that of its file, which replaces it when read again.
		RealPath: had.RealPath, ContentHash: hash, Bytes: int64(len(encoded)), Chars: utf8.RuneCountInString(text),
		Chunks: len(cut), Status: rag.StatusIndexed,
	}
	it.record, it.outcome.Doc = record, record.DocumentRow
	return it, nil
}

// checkOwners refuses a list that gives a chunk of the library to another
// document than it has there.
func checkOwners(ctx context.Context, c Catalogue, lib rag.Library, path string, list []listed) error {
	listed := make(map[rag.ChunkID]int, len(list))
	for i, l := range list {
		listed[rag.ChunkID(l.ID)] = i
	}
	return c.EachChunk(ctx, lib, func(row rag.ChunkRow) error {
		i, ok := listed[row.ID]
		if !ok || list[i].document() == row.DocID {
			return nil
		}
		return fault.New("chunk_id_taken", fault.P("file", path), fault.P("line", list[i].line),
			fault.P("chunk", row.ID), fault.P("source", row.Source))
	})
}

func groupByDocument(list []listed) (map[rag.DocumentID][]listed, []rag.DocumentID) {
	groups := map[rag.DocumentID][]listed{}
	var order []rag.DocumentID
	for _, c := range list {
		id := c.document()
		if groups[id] == nil {
			order = append(order, id)
		}
		groups[id] = append(groups[id], c)
	}
	return groups, order
}

// layout makes a document's text of its chunks and gives them their spans.
func layout(id rag.DocumentID, chunks []listed) (string, []rag.Chunk) {
	text, points, ok := bySpans(chunks)
	if !ok {
		text, points = inSequence(chunks)
	}
	out := make([]rag.Chunk, len(chunks))
	for i, c := range chunks {
		span, _ := rag.BytesOf(text, points[i]) // fits: text was made from it
		out[i] = rag.Chunk{
			ID: rag.ChunkID(c.ID), DocID: id, Ordinal: i, Span: span, Points: points[i],
			Headings: c.Metadata.Headings, Text: *c.Text,
		}
	}
	return text, out
}

// maxGap bounds the blanks that bySpans fills in between chunks, so that a wild
// offset cannot ask for gigabytes.
const maxGap = 1 << 16

// bySpans places each chunk at its span, line feeds in the gaps; ok is false
// when a span is missing, has another length than its text, or two chunks
// disagree about a place both cover.
func bySpans(chunks []listed) (text string, points []rag.Span, ok bool) {
	var runes []rune
	set := 0 // runes[:set] are known
	points = make([]rag.Span, len(chunks))
	for i, c := range chunks {
		own := []rune(*c.Text)
		if c.Span == nil || c.Span.Start < 0 || c.Span.End-c.Span.Start != len(own) || c.Span.Start > set+maxGap {
			return "", nil, false
		}
		for len(runes) < c.Span.Start {
			runes = append(runes, '\n')
		}
		shared := min(len(runes)-c.Span.Start, len(own))
		if string(runes[c.Span.Start:c.Span.Start+shared]) != string(own[:shared]) {
			return "", nil, false
		}
		runes = append(runes, own[shared:]...)
		set = len(runes)
		points[i] = rag.Span{Start: c.Span.Start, End: c.Span.End}
	}
	return string(runes), points, true
}

// inSequence puts chunks one after another, an empty line between them.
func inSequence(chunks []listed) (string, []rag.Span) {
	var b strings.Builder
	points := make([]rag.Span, len(chunks))
	at := 0
	for i, c := range chunks {
		if i > 0 {
			b.WriteString("\n\n")
			at += 2
		}
		b.WriteString(*c.Text)
		n := utf8.RuneCountInString(*c.Text)
		points[i] = rag.Span{Start: at, End: at + n}
		at += n
	}
	return b.String(), points
}
