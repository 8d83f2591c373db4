package answer

import (
	"slices"
	"strings"

	"ragdesk/backend/rag"
)

// sourceNames are the names by which a prompt calls the hits' documents: of each path
// the shortest end, by whole elements, that no other document among the hits shares.
//
// The folders above tell a model nothing, cost tokens in every passage, and are copied
// by small models; and where somebody keeps his files is no business of the machine
// that the model runs on.
func sourceNames(hits []rag.Hit) []string {
	var sources []string
	for _, h := range hits {
		if !slices.Contains(sources, h.Source) {
			sources = append(sources, h.Source)
		}
	}
	names := make([]string, len(hits))
	for i, h := range hits {
		names[i] = shortestEnd(h.Source, sources)
	}
	return names
}

// shortestEnd is the shortest end of a path that no other path has.
func shortestEnd(source string, all []string) string {
	elements := strings.Split(source, "/")
	for n := 1; n < len(elements); n++ {
		end := strings.Join(elements[len(elements)-n:], "/")
		shared := slices.ContainsFunc(all, func(other string) bool {
			return other != source && (other == end || strings.HasSuffix(other, "/"+end))
		})
		if end != "" && !shared {
			return end
		}
	}
	return source
}
