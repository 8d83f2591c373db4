package vector

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/philippgille/chromem-go"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// segment is a block of vectors that never changes, and the chromem collection
// whose documents are slices of it.
type segment struct {
	dim  int
	ids  []rag.ChunkID
	flat []float32
	// numbers has each row's number in rowBytes bytes, of which the row's document
	// in the collection shows its own as its content: so the collection tells where a
	// chunk's vector is.
	numbers    string
	collection *chromem.Collection
}

// part is a segment without its dead rows.
type part struct {
	*segment
	dead rowSet
}

// row returns the i-th vector, capped so that nothing can grow into the next.
func (s *segment) row(i int) []float32 { return s.flat[i*s.dim : (i+1)*s.dim : (i+1)*s.dim] }

// newSegment checks the vectors and adds them to a collection.
func newSegment(ctx context.Context, dim int, ids []rag.ChunkID, flat []float32) (*segment, error) {
	if dim < 1 && len(ids) > 0 || len(flat) != dim*len(ids) {
		return nil, fmt.Errorf("load %d vectors: %d values of dimension %d", len(ids), len(flat), dim)
	}
	collection, err := chromem.NewDB().CreateCollection("chunks", nil, embedNothing)
	if err != nil {
		return nil, fmt.Errorf("load %d vectors: %w", len(ids), err)
	}
	s := &segment{dim, ids, flat, rowNumbers(len(ids)), collection}
	if err := s.collect(ctx); err != nil {
		return nil, err
	}
	if collection.Count() != len(ids) {
		return nil, fmt.Errorf("load %d vectors: chunk id %q is repeated", len(ids), firstRepeated(ids))
	}
	return s, nil
}

// rowBytes is the size of a row's number.
const rowBytes = 4

func rowNumbers(n int) string {
	b := make([]byte, 0, n*rowBytes)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
	}
	return string(b)
}

// find returns the row of a chunk.
func (s *segment) find(ctx context.Context, id rag.ChunkID) (row int, ok bool) {
	doc, err := s.collection.GetByID(ctx, string(id))
	if err != nil { // which says nothing but that it is not there
		return 0, false
	}
	return int(binary.LittleEndian.Uint32([]byte(doc.Content))), true
}

func firstRepeated(ids []rag.ChunkID) rag.ChunkID {
	seen := make(map[rag.ChunkID]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			return id
		}
		seen[id] = true
	}
	return ""
}

// embedNothing stands where chromem would call a service to embed texts.
func embedNothing(context.Context, string) ([]float32, error) {
	return nil, errors.New("the vector index embeds no texts")
}

// collect checks the rows and adds them to the collection, a share of them on
// each processor: chromem's AddDocuments would start a goroutine for each. The
// error is that of the first bad row.
func (s *segment) collect(ctx context.Context) error {
	if len(s.ids) == 0 {
		return ctx.Err()
	}
	workers := min(runtime.GOMAXPROCS(0), (len(s.ids)+checkEvery-1)/checkEvery)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { errs[w] = s.collectRows(ctx, w*len(s.ids)/workers, (w+1)*len(s.ids)/workers) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *segment) collectRows(ctx context.Context, from, to int) error {
	for i := from; i < to; i++ {
		if (i-from)%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := s.ids[i]
		if err := rag.CheckUnit(s.row(i), s.dim); err != nil {
			return fault.New("vector_invalid", fault.P("chunk", id), fault.P("reason", err))
		}
		number := s.numbers[i*rowBytes : (i+1)*rowBytes]
		if err := s.collection.AddDocument(ctx, chromem.Document{ID: string(id), Embedding: s.row(i), Content: number}); err != nil {
			return fmt.Errorf("load vector of chunk %q: %w", id, err)
		}
	}
	return nil
}

// wordBits is the number of rows in a word of a rowSet.
const wordBits = 64

// rowSet is a set of rows of a segment; the zero value is empty.
type rowSet struct {
	words []uint64
	count int
}

func (r rowSet) has(row int) bool {
	return r.words != nil && r.words[row/wordBits]>>(row%wordBits)&1 != 0
}

// with returns r and the given rows of n, which r does not share.
func (r rowSet) with(rows []int32, n int) rowSet {
	out := rowSet{words: make([]uint64, (n+wordBits-1)/wordBits), count: r.count}
	copy(out.words, r.words)
	for _, row := range rows {
		if !out.has(int(row)) {
			out.words[row/wordBits] |= 1 << (row % wordBits)
			out.count++
		}
	}
	return out
}
