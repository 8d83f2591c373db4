package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
)

// vectorBlockRows is how many chunks share a row of table vector_block: it bounds
// the memory that reading takes beside the result.
const vectorBlockRows = 1024

// The queries below walk the documents by their row and what belongs to each by
// an index, in the order that they name, so that SQLite sorts nothing: a sorter
// would hold everything that they read.
const (
	queryVectorDocuments = `SELECT pk, chunks FROM document WHERE library = ?`
	// queryChunkIDs gives a document's ordinals, "0 1 2 …", and the IDs in the same
	// order as a JSON array, in one row: crossing from SQLite to Go once a chunk
	// takes longer than reading it.
	queryChunkIDs = `SELECT d.pk, (SELECT group_concat(c.ordinal, ' ') FROM chunk c WHERE c.document = d.pk),
			(SELECT json_group_array(c.id) FROM chunk c WHERE c.document = d.pk)
		FROM document d NOT INDEXED WHERE d.library = ? AND d.chunks > 0 AND d.pk BETWEEN ? AND ? ORDER BY d.pk`
	queryBlocks = `SELECT v.document, v.first, v.data FROM document d NOT INDEXED CROSS JOIN vector_block v ON v.document = d.pk
		WHERE d.library = ? AND d.pk BETWEEN ? AND ? ORDER BY d.pk, v.first`
)

// vectorReaders is how many connections read vectors side by side: copying them
// out of SQLite keeps a processor busy.
const vectorReaders = 2

// bytesPerValue is the size of a stored float32.
const bytesPerValue = 4

// Vectors returns the vectors of lib's revision, document by document and by
// ordinal in each. When the library has another revision by now, the error is
// rag.ErrStale.
func (s *Store) Vectors(ctx context.Context, lib rag.Library) (block rag.VectorBlock, err error) {
	var docs []vectorDocument
	err = s.snapshot(ctx, lib, "list the documents", func(tx *sql.Tx, now rag.Library) error {
		block.Dim = now.Dim
		docs, err = vectorDocuments(ctx, tx, now, lib.Revision)
		return err
	})
	if err != nil || block.Dim == 0 || len(docs) == 0 {
		return block, err
	}
	last := docs[len(docs)-1]
	block.IDs = make([]rag.ChunkID, last.first+last.chunks)
	block.Data = make([]float32, len(block.IDs)*block.Dim)
	g, gctx := errgroup.WithContext(ctx)
	for _, share := range shares(docs, vectorReaders) {
		g.Go(func() error {
			return s.snapshot(gctx, lib, "read vectors", func(tx *sql.Tx, now rag.Library) error {
				if now.Revision != lib.Revision {
					return rag.ErrStale
				}
				r := vectorReader{tx: tx, lib: now, docs: share, block: block}
				if err := r.readIDs(gctx); err != nil {
					return err
				}
				return r.readBlocks(gctx)
			})
		})
	}
	if err := g.Wait(); err != nil {
		return rag.VectorBlock{}, cmp.Or(ctx.Err(), err)
	}
	return block, nil
}

// vectorDocument is a document with chunks, the first of which has row first in
// the block.
type vectorDocument struct {
	pk            int64
	first, chunks int
}

// vectorDocuments lists the documents in the order of the block.
func vectorDocuments(ctx context.Context, tx *sql.Tx, lib rag.Library, revision int64) (docs []vectorDocument, err error) {
	switch {
	case lib.Revision != revision:
		return nil, rag.ErrStale
	case lib.Dim == 0:
		return nil, nil
	}
	docs = make([]vectorDocument, 0, lib.Documents)
	err = each(ctx, tx, func(r *sql.Rows) error {
		var d vectorDocument
		if err := r.Scan(&d.pk, &d.chunks); err != nil {
			return err
		}
		if d.chunks > 0 {
			docs = append(docs, d)
		}
		return nil
	}, queryVectorDocuments, lib.ID)
	slices.SortFunc(docs, func(a, b vectorDocument) int { return cmp.Compare(a.pk, b.pk) })
	rows := 0
	for i := range docs {
		docs[i].first = rows
		rows += docs[i].chunks
	}
	if err == nil && rows != lib.Chunks {
		err = fmt.Errorf("documents of %d chunks in a library of %d", rows, lib.Chunks)
	}
	return docs, err
}

// shares cuts the documents into n runs of about as many chunks.
func shares(docs []vectorDocument, n int) (out [][]vectorDocument) {
	last := docs[len(docs)-1]
	all := last.first + last.chunks
	for i := 1; i <= n && len(docs) > 0; i++ {
		end, _ := slices.BinarySearchFunc(docs, i*all/n, func(d vectorDocument, row int) int { return cmp.Compare(d.first, row) })
		if end > 0 {
			out, docs = append(out, docs[:end]), docs[end:]
		}
	}
	return out
}

// vectorReader reads the chunks of a run of documents into their rows of the
// block.
type vectorReader struct {
	tx    *sql.Tx
	lib   rag.Library
	docs  []vectorDocument
	block rag.VectorBlock
}

// span are the arguments that bound the reader's queries.
func (v *vectorReader) span() []any {
	return []any{v.lib.ID, v.docs[0].pk, v.docs[len(v.docs)-1].pk}
}

// readIDs reads the chunks' IDs. Documents and ordinals must be those expected,
// each in its turn.
func (v *vectorReader) readIDs(ctx context.Context) error {
	var want ordinals
	at := 0
	err := each(ctx, v.tx, func(rows *sql.Rows) error {
		var pk int64
		var numbers, ids sql.NullString
		if err := rows.Scan(&pk, &numbers, &ids); err != nil {
			return err
		}
		if at == len(v.docs) || v.docs[at].pk != pk {
			return fmt.Errorf("document %d out of turn", pk)
		}
		d := v.docs[at]
		at++
		if numbers.String != want.first(d.chunks) {
			return fmt.Errorf("document %d has the chunks %q, not %d", pk, numbers.String, d.chunks)
		}
		return splitIDs(v.block.IDs[d.first:d.first+d.chunks], ids.String)
	}, queryChunkIDs, v.span()...)
	if err == nil && at != len(v.docs) {
		err = fmt.Errorf("%d documents of %d", at, len(v.docs))
	}
	return err
}

// ordinals has "0 1 2 …" as long as was asked for, with the end of each number.
type ordinals struct {
	text []byte
	ends []int
}

// first returns the first n numbers.
func (o *ordinals) first(n int) string {
	for i := len(o.ends); i < n; i++ {
		if i > 0 {
			o.text = append(o.text, ' ')
		}
		o.text = strconv.AppendInt(o.text, int64(i), 10)
		o.ends = append(o.ends, len(o.text))
	}
	return string(o.text[:o.ends[n-1]])
}

// splitIDs reads a JSON array of as many strings as dst has.
func splitIDs(dst []rag.ChunkID, array string) error {
	inner, ok := strings.CutPrefix(array, `["`)
	inner, closed := strings.CutSuffix(inner, `"]`)
	if !ok || !closed || strings.Contains(inner, `\`) || strings.Count(inner, `","`) != len(dst)-1 {
		var ids []rag.ChunkID
		if err := json.Unmarshal([]byte(array), &ids); err != nil || len(ids) != len(dst) {
			return errors.Join(err, fmt.Errorf("ids %q of %d chunks", array, len(dst)))
		}
		copy(dst, ids)
		return nil
	}
	for i := range dst { // nothing in it is escaped
		id, rest, _ := strings.Cut(inner, `","`)
		dst[i], inner = rag.ChunkID(id), rest
	}
	return nil
}

// readBlocks reads the vectors. Every document's blocks must follow each other
// without a gap and end with its last chunk.
func (v *vectorReader) readBlocks(ctx context.Context) error {
	dim := v.lib.Dim
	size := dim * bytesPerValue
	at, filled := 0, 0 // the document, and how many of its rows are read
	err := each(ctx, v.tx, func(rows *sql.Rows) error {
		var pk int64
		var first int
		var raw sql.RawBytes
		if err := rows.Scan(&pk, &first, &raw); err != nil {
			return err
		}
		n := len(raw) / size
		if at == len(v.docs) || pk != v.docs[at].pk || first != filled || len(raw)%size != 0 || n == 0 || filled+n > v.docs[at].chunks {
			return fmt.Errorf("vector block of %d bytes at chunk %d of document %d", len(raw), first, pk)
		}
		row := v.docs[at].first + first
		decodeVectors(v.block.Data[row*dim:(row+n)*dim], raw)
		if filled += n; filled == v.docs[at].chunks {
			at, filled = at+1, 0
		}
		return nil
	}, queryBlocks, v.span()...)
	if err == nil && at != len(v.docs) {
		err = fmt.Errorf("%d vectors for %d chunks of document %d", filled, v.docs[at].chunks, v.docs[at].pk)
	}
	return err
}

// decodeVectors reads len(dst) values, which lie in src as they do in the memory
// of most machines.
func decodeVectors(dst []float32, src []byte) {
	if len(dst) == 0 || len(src) < len(dst)*bytesPerValue {
		return
	}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*bytesPerValue)
	copy(memory, src)
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[i*bytesPerValue:]))
	}
}

func encodeVectors(v []float32) []byte {
	b := make([]byte, len(v)*bytesPerValue)
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[i*bytesPerValue:], math.Float32bits(x))
	}
	return b
}
