package vector

import (
	"context"
	"fmt"

	"ragdesk/backend/rag"
)

// With returns the index after a change: without the chunks of remove, and with
// those of ids, whose vectors lie in flat as for Load and replace any that chunks
// of the same ID have. Chunks to remove that are not there are no error. The index
// itself stays as it was; both share what did not change.
//
// The vectors added are a segment of their own. Segments are united so that each
// is more than twice as long as the next, and one is written anew when half of
// it is dead: a search passes over few segments and little that is dead, and a
// vector is copied about log₂ n times in its life.
func (x *Index) With(ctx context.Context, remove, ids []rag.ChunkID, flat []float32) (rag.VectorIndex, error) {
	added, err := newSegment(ctx, x.dim, ids, flat)
	if err != nil {
		return nil, err
	}
	next := &Index{dim: x.dim, parts: append([]part(nil), x.parts...)}
	next.bury(ctx, x, remove)
	next.bury(ctx, x, ids)
	if len(ids) > 0 {
		next.parts = append(next.parts, part{segment: added})
	}
	if err := next.unite(ctx); err != nil {
		return nil, fmt.Errorf("change %d vectors: %w", x.Count(), err)
	}
	next.count()
	return next, nil
}

// bury marks the rows of the given chunks of x, whose parts the index still has,
// as dead.
func (x *Index) bury(ctx context.Context, old *Index, ids []rag.ChunkID) {
	rows := make([][]int32, len(x.parts))
	for _, id := range ids {
		if p, row, ok := old.find(ctx, id); ok {
			rows[p] = append(rows[p], int32(row))
		}
	}
	for p, dead := range rows {
		if len(dead) > 0 {
			x.parts[p].dead = x.parts[p].dead.with(dead, len(x.parts[p].ids))
		}
	}
}

// unite brings the parts into the lengths that With promises.
func (x *Index) unite(ctx context.Context) error {
	parts := x.parts
	x.parts = nil
	for _, p := range parts {
		group := []part{p}
		length := p.alive()
		for len(x.parts) > 0 && x.parts[len(x.parts)-1].alive() <= 2*length {
			last := x.parts[len(x.parts)-1]
			x.parts = x.parts[:len(x.parts)-1]
			group = append([]part{last}, group...)
			length += last.alive()
		}
		united, err := join(ctx, x.dim, group)
		if err != nil {
			return err
		}
		if len(united.ids) > 0 {
			x.parts = append(x.parts, united)
		}
	}
	return nil
}

// alive counts the rows that are not dead.
func (p part) alive() int { return len(p.ids) - p.dead.count }

// join makes one part of several; a single one that is mostly alive stays as it is.
func join(ctx context.Context, dim int, parts []part) (part, error) {
	if len(parts) == 1 && 2*parts[0].dead.count < len(parts[0].ids) {
		return parts[0], nil
	}
	n := 0
	for _, p := range parts {
		n += p.alive()
	}
	ids, flat := make([]rag.ChunkID, 0, n), make([]float32, 0, n*dim)
	for _, p := range parts {
		for row, id := range p.ids {
			if !p.dead.has(row) {
				ids = append(ids, id)
				flat = append(flat, p.row(row)...)
			}
		}
	}
	s, err := newSegment(ctx, dim, ids, flat)
	return part{segment: s}, err
}
