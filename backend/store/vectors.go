package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
)

// vectorBlockRows is how many chunks share a row of table vector_block: it bounds
// the memory that reading takes beside the result.
const vectorBlockRows = 1024

// The queries below do without ORDER BY, which would have SQLite sort everything
// that they read. CROSS JOIN keeps it to this order of loops. Each reads a share of
// the documents.
const (
	queryPlaces = `SELECT c.id, c.document, c.ordinal FROM document d CROSS JOIN chunk c ON c.document = d.pk
		WHERE d.library = ? AND d.pk % ? = ?`
	queryBlocks = `SELECT v.document, v.first, v.data FROM document d CROSS JOIN vector_block v ON v.document = d.pk
		WHERE d.library = ? AND d.pk % ? = ?`
)

// vectorReaders is how many connections read vectors side by side: copying them
// out of SQLite keeps a processor busy.
const vectorReaders = 2

// bytesPerValue is the size of a stored float32.
const bytesPerValue = 4

// Vectors returns the vectors of lib's revision ordered by chunk ID. When the
// library has another revision by now, the error is rag.ErrStale.
func (s *Store) Vectors(ctx context.Context, lib rag.Library) (rag.VectorBlock, error) {
	shares := make([]vectorShare, vectorReaders)
	err := s.eachShare(ctx, lib, func(ctx context.Context, tx *sql.Tx, now rag.Library, i int) error {
		return shares[i].readChunks(ctx, tx, now, i)
	})
	if err != nil {
		return rag.VectorBlock{}, err
	}
	block := rag.VectorBlock{Dim: shares[0].dim}
	if block.IDs, err = placeChunks(shares); err != nil {
		return rag.VectorBlock{}, s.fail(err, "read vectors of %q", lib.Name)
	}
	block.Data = make([]float32, len(block.IDs)*block.Dim)
	err = s.eachShare(ctx, lib, func(ctx context.Context, tx *sql.Tx, now rag.Library, i int) error {
		return shares[i].fill(ctx, tx, now, i, block.Data)
	})
	if err != nil {
		return rag.VectorBlock{}, err
	}
	return block, nil
}

// eachShare runs read for every share side by side, each in a transaction of its
// own. All see the same state, since all see lib's revision.
func (s *Store) eachShare(ctx context.Context, lib rag.Library,
	read func(ctx context.Context, tx *sql.Tx, now rag.Library, share int) error,
) error {
	g, gctx := errgroup.WithContext(ctx)
	for i := range vectorReaders {
		g.Go(func() error {
			return s.snapshot(gctx, lib, "read vectors", func(tx *sql.Tx, now rag.Library) error {
				switch {
				case now.Revision != lib.Revision:
					return rag.ErrStale
				case now.Dim == 0:
					return nil
				}
				return read(gctx, tx, now, i)
			})
		})
	}
	if err := g.Wait(); ctx.Err() == nil {
		return err
	}
	return ctx.Err()
}

// vectorShare is what one reader has of a library's vectors.
type vectorShare struct {
	dim    int
	chunks []placedChunk
	// places holds, for each document, the row of each of its chunks by ordinal.
	places map[int64][]int
}

type placedChunk struct {
	id      string
	doc     int64
	ordinal int
}

// readChunks reads the share's chunks.
func (v *vectorShare) readChunks(ctx context.Context, tx *sql.Tx, lib rag.Library, share int) error {
	v.dim = lib.Dim
	v.chunks = make([]placedChunk, 0, lib.Chunks/vectorReaders+lib.Chunks/8)
	v.places = make(map[int64][]int, lib.Documents/vectorReaders)
	return each(ctx, tx, func(rows *sql.Rows) error {
		var c placedChunk
		if err := rows.Scan(&c.id, &c.doc, &c.ordinal); err != nil {
			return err
		}
		v.places[c.doc] = append(v.places[c.doc], 0)
		v.chunks = append(v.chunks, c)
		return nil
	}, queryPlaces, lib.ID, vectorReaders, share)
}

// placeChunks gives the chunks of all shares their rows and returns the sorted IDs.
func placeChunks(shares []vectorShare) ([]rag.ChunkID, error) {
	type chunk struct {
		placedChunk
		places []int
	}
	var chunks []chunk
	for _, v := range shares {
		for _, c := range v.chunks {
			chunks = append(chunks, chunk{c, v.places[c.doc]})
		}
	}
	slices.SortFunc(chunks, func(a, b chunk) int { return strings.Compare(a.id, b.id) })
	ids := make([]rag.ChunkID, len(chunks))
	for row, c := range chunks {
		if c.ordinal < 0 || c.ordinal >= len(c.places) {
			return nil, fmt.Errorf("chunk %q is number %d of %d", c.id, c.ordinal, len(c.places))
		}
		ids[row] = rag.ChunkID(c.id)
		c.places[c.ordinal] = row
	}
	return ids, nil
}

// fill reads the share's blocks into data, each vector to its row. A block that
// does not fit or is missing is an error.
func (v *vectorShare) fill(ctx context.Context, tx *sql.Tx, lib rag.Library, share int, data []float32) error {
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
		place := v.places[doc]
		if len(raw)%size != 0 || first < 0 || first+n > len(place) {
			return fmt.Errorf("vector block of %d bytes at chunk %d of %d", len(raw), first, len(place))
		}
		for i, row := range place[first : first+n] {
			decodeVector(data[row*lib.Dim:(row+1)*lib.Dim], raw[i*size:])
		}
		filled += n
		return nil
	}, queryBlocks, lib.ID, vectorReaders, share)
	if err != nil {
		return err
	}
	if filled != len(v.chunks) {
		return fmt.Errorf("%d vectors for %d chunks", filled, len(v.chunks))
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
