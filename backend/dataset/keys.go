package dataset

import (
	"cmp"
	"fmt"
	"slices"
)

// questionKeys are the keys of a question, with their synonyms.
func questionKeys() []string {
	return slices.Concat([]string{
		"query_id", "id", "_id", "qid", "question_id", "question", "query", "user_input", "text", "type", "lang", "language",
		"variant_of", "key_points", "source", "contexts", "retrieved_contexts", "ground_truth", "ground_truths", "reference",
		"reference_answer", "answers", "answer", "response",
	}, goldKeys(), relevantKeys())
}

// goldObjectKeys are those of one gold passage.
func goldObjectKeys() []string {
	return []string{"doc", "doc_id", "id", "chunk_id", "source", "quote", "grade", "relevance", "score", "start", "end"}
}

// columnKeys are those of a row: a question's, and a passage's with columns of its own.
func columnKeys() []string { return slices.Concat(questionKeys(), goldObjectKeys()) }

// misspelt are the keys of a file that are not read and look like one that is.
type misspelt struct {
	seen []misspeltKey
}

// misspeltKey is one of them: where it is used first, and how often.
type misspeltKey struct {
	line, uses int
	key, like  string
}

// look notes the keys of f that known lacks and that look like one of it. A key that
// looks like none may be anybody's own, and one whose like is there beside it is no slip.
func (m *misspelt) look(line int, f fields, known []string) {
	for key := range f {
		if slices.Contains(known, key) {
			continue
		}
		if like := likeKey(key, f, known); like != "" {
			m.add(line, key, like)
		}
	}
}

func (m *misspelt) add(line int, key, like string) {
	for i := range m.seen {
		if k := &m.seen[i]; k.key == key && k.like == like {
			k.uses++
			return
		}
	}
	m.seen = append(m.seen, misspeltKey{line, 1, key, like})
}

// notices lists the keys, each once.
func (m *misspelt) notices() []Problem {
	out := make([]Problem, 0, len(m.seen))
	for _, k := range m.seen {
		detail := fmt.Sprintf("%s → %s", shortened(k.key), k.like)
		if k.uses > 1 {
			detail += fmt.Sprintf(" (×%d)", k.uses)
		}
		out = append(out, Problem{k.line, CodeKeyUnread, detail})
	}
	slices.SortFunc(out, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Detail, b.Detail))
	})
	return out
}

// likeKey is the key of known that name is likely meant for, empty for none: one with the
// same letters and digits, or a slip or two away.
func likeKey(name string, f fields, known []string) string {
	folded := []rune(foldName(name))
	best, at := "", maxSlips+1
	for _, k := range known {
		if _, there := f[k]; there {
			continue
		}
		want := []rune(foldName(k))
		if n := slips(folded, want); n <= slipsAllowed(min(len(folded), len(want))) && n < at {
			best, at = k, n
		}
	}
	return best
}

// maxSlips is the most that a long key may have.
const maxSlips = 2

// slipsAllowed is how many a key of n letters may have: short names are near many others.
func slipsAllowed(n int) int {
	switch {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return maxSlips
}

// slips counts the letters to put in, leave out, change, or swap with their neighbour, to
// get from a to b (the optimal string alignment distance).
func slips(a, b []rune) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
