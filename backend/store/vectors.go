package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"ragdesk/backend/rag"
)

// vectorBlockRows is how many chunks share a row of table vector_block: it bounds
// the memory that reading takes beside the result.
const vectorBlockRows = 1024

// The queries below do without ORDER BY, which would have SQLite sort everything
// that they read. CROSS JOIN keeps it to this order of loops.
const (
	queryPlaces = `SELECT c.id, c.document, c.ordinal FROM document d CROSS JOIN chunk c ON c.document = d.pk
		WHERE d.library = ?`
	queryBlocks = `SELECT v.document, v.first, v.data FROM document d CROSS JOIN vector_block v ON v.document = d.pk
		WHERE d.library = ?`
)

// bytesPerValue is the size of a stored float32.
const bytesPerValue = 4

// Vectors returns the vectors of lib's revision ordered by chunk ID. When the
// library has another revision by now, the error is rag.ErrStale.
func (s *Store) Vectors(ctx context.Context, lib rag.Library) (rag.VectorBlock, error) {
	var block rag.VectorBlock
	err := s.snapshot(ctx, lib, "read vectors", func(tx *sql.Tx, now rag.Library) error {
		if now.Revision != lib.Revision {
			return rag.ErrStale
		}
		block.Dim = now.Dim
		if now.Dim == 0 {
			return nil
		}
		places, err := placeChunks(ctx, tx, now, &block)
		if err != nil {
			return err
		}
		block.Data = make([]float32, len(block.IDs)*now.Dim)
		return fillVectors(ctx, tx, now, places, block.Data)
	})
	if err != nil {
		return rag.VectorBlock{}, err
	}
	return block, nil
}

// placeChunks sets the block's sorted IDs and returns, for each document, the row
// of each of its chunks by ordinal.
func placeChunks(ctx context.Context, tx *sql.Tx, lib rag.Library, block *rag.VectorBlock) (map[int64][]int, error) {
	type chunk struct {
		id      string
		doc     int64
		ordinal int
	}
	chunks := make([]chunk, 0, lib.Chunks)
	places := make(map[int64][]int, lib.Documents)
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var c chunk
		if err := rows.Scan(&c.id, &c.doc, &c.ordinal); err != nil {
			return err
		}
		places[c.doc] = append(places[c.doc], 0)
		chunks = append(chunks, c)
		return nil
	}, queryPlaces, lib.ID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(chunks, func(a, b chunk) int { return strings.Compare(a.id, b.id) })
	block.IDs = make([]rag.ChunkID, len(chunks))
	for row, c := range chunks {
		if c.ordinal < 0 || c.ordinal >= len(places[c.doc]) {
			return nil, fmt.Errorf("chunk %q is number %d of %d", c.id, c.ordinal, len(places[c.doc]))
		}
		block.IDs[row] = rag.ChunkID(c.id)
		places[c.doc][c.ordinal] = row
	}
	return places, nil
}

// fillVectors reads the library's blocks into data, each vector to the row that
// places says. A block that does not fit or is missing is an error.
func fillVectors(ctx context.Context, tx *sql.Tx, lib rag.Library, places map[int64][]int, data []float32) error {
	size := lib.Dim * bytesPerValue
	filled := 0
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var doc int64
		var first int
		var raw sql.RawBytes
		if err := rows.Scan(&doc, &first, &raw); err != nil {
			return err
		}
		n := len(raw) / size
		place := places[doc]
		if len(raw)%size != 0 || first < 0 || first+n > len(place) {
			return fmt.Errorf("vector block of %d bytes at chunk %d of %d", len(raw), first, len(place))
		}
		for i, row := range place[first : first+n] {
			decodeVector(data[row*lib.Dim:(row+1)*lib.Dim], raw[i*size:])
		}
		filled += n
		return nil
	}, queryBlocks, lib.ID)
	if err != nil {
		return err
	}
	if filled*lib.Dim != len(data) {
		return fmt.Errorf("%d vectors for %d chunks", filled, len(data)/lib.Dim)
	}
	return nil
}

// decodeVector reads len(dst) values, four at a time, which takes half as long.
func decodeVector(dst []float32, src []byte) {
	for len(dst) >= 4 && len(src) >= 4*bytesPerValue {
		dst[0] = math.Float32frombits(binary.LittleEndian.Uint32(src))
		dst[1] = math.Float32frombits(binary.LittleEndian.Uint32(src[4:]))
		dst[2] = math.Float32frombits(binary.LittleEndian.Uint32(src[8:]))
		dst[3] = math.Float32frombits(binary.LittleEndian.Uint32(src[12:]))
		dst, src = dst[4:], src[4*bytesPerValue:]
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
