package app

import (
	"cmp"
	"slices"

	"ragdesk/backend/api"
)

// movement tables where each chunk stands in every column, ordered by the last
// column, chunks it lacks after the others by the column before it, and so on.
func movement(columns []api.Column) []api.Movement {
	byID := map[string]*api.Movement{}
	var rows []*api.Movement
	for _, col := range columns {
		for _, h := range col.Hits {
			m, ok := byID[h.ChunkID]
			if !ok {
				m = &api.Movement{ChunkID: h.ChunkID, Source: h.Source, Ranks: make(map[string]*int, len(columns))}
				for _, c := range columns {
					m.Ranks[c.Strategy] = nil
				}
				byID[h.ChunkID] = m
				rows = append(rows, m)
			}
			rank := h.Rank
			m.Ranks[col.Strategy] = &rank
		}
	}
	slices.SortFunc(rows, func(a, b *api.Movement) int {
		for i := len(columns) - 1; i >= 0; i-- {
			ra, rb := a.Ranks[columns[i].Strategy], b.Ranks[columns[i].Strategy]
			switch {
			case ra != nil && rb != nil && *ra != *rb:
				return cmp.Compare(*ra, *rb)
			case ra != nil && rb == nil:
				return -1
			case ra == nil && rb != nil:
				return 1
			}
		}
		return cmp.Compare(a.ChunkID, b.ChunkID)
	})
	out := make([]api.Movement, len(rows))
	for i, m := range rows {
		out[i] = *m
	}
	return out
}
