package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/text"
)

// Sizes of a dataset that call for a notice.
const (
	// FewQuestions is the number below which chance swamps every change.
	FewQuestions = 50
	// EnoughQuestions is the number below which results are to be taken with care.
	EnoughQuestions = 200
	// MinTypeShare is the share that each known type should have.
	MinTypeShare = 0.10
)

// finish gives the questions their gold and IDs, and looks at them.
func (r *reader) finish(name string) (Dataset, []Problem) {
	if r.judged != nil {
		r.attach()
	}
	assignIDs(r.questions)
	r.note(r.check()...)
	r.problems = MergeProblems(r.problems)
	if r.more > 0 {
		r.problems = append(r.problems, Problem{0, CodeTooMany, strconv.Itoa(r.more)})
	}
	return Dataset{Name: name, Questions: r.questions, ReadAs: r.files.readAs, Unread: r.keys.notices()}, r.problems
}

// attach gives the questions their judgments and drops those without any.
func (r *reader) attach() {
	byID := map[string]bool{}
	kept := r.questions[:0]
	for _, q := range r.questions {
		byID[q.ID] = true
		if gold, ok := r.judged[q.ID]; ok {
			q.Gold = append(q.Gold, gold...)
		} else if q.Type != TypeUnanswerable {
			continue
		}
		kept = append(kept, q)
	}
	r.questions, r.answersOnly = kept, nil
	for _, id := range slices.Sorted(maps.Keys(r.judged)) {
		if !byID[id] {
			r.note(Problem{0, CodeQueryUnknown, id})
		}
	}
}

// assignIDs names questions without an ID after their place.
func assignIDs(questions []Question) {
	taken := map[string]bool{}
	for _, q := range questions {
		taken[q.ID] = true
	}
	for i := range questions {
		q := &questions[i]
		if strings.TrimSpace(q.ID) != "" {
			continue
		}
		id := fmt.Sprintf("q%d", i+1)
		for taken[id] {
			id += "_"
		}
		q.ID, taken[id] = id, true
	}
}

// check looks at the questions one by one and at what ties them together.
func (r *reader) check() []Problem {
	if len(r.questions) == 0 && len(r.problems) == 0 {
		return []Problem{{0, CodeNoQuestions, r.path}}
	}
	var out []Problem
	first := map[string]int{}
	for i, q := range r.questions {
		if line, ok := first[q.ID]; ok {
			out = append(out, Problem{q.Line, CodeDuplicateID, fmt.Sprintf("%s, %d", q.ID, line)})
		} else {
			first[q.ID] = q.Line
		}
		out = append(out, checkQuestion(q, r.answersOnly[i])...)
		for _, g := range q.Gold {
			if r.known != nil && g.Doc != "" && !r.known[g.Doc] {
				out = append(out, Problem{q.Line, CodeUnknownDocument, g.Doc})
			}
		}
	}
	return append(out, checkVariants(r.questions)...)
}

// checkQuestion looks at one question; answersOnly says that it makes no claim
// about gold.
func checkQuestion(q Question, answersOnly bool) []Problem {
	var out []Problem
	if text.IsBlank(q.Text) {
		out = append(out, Problem{q.Line, CodeQuestionBlank, q.ID})
	}
	if q.Type != TypeUnanswerable && !q.HasGold() && !answersOnly {
		out = append(out, Problem{q.Line, CodeGoldMissing, q.ID})
	}
	for _, g := range q.Gold {
		if strings.TrimSpace(g.Doc) == "" {
			out = append(out, Problem{q.Line, CodeGoldDocBlank, shortened(g.Quote)})
		}
		if q.Type == TypeUnanswerable && g.Grade > GradeNone {
			out = append(out, Problem{q.Line, CodeGoldOnUnanswerable, g.Doc})
		}
	}
	return out
}

// checkVariants looks for variants of nothing and of themselves.
func checkVariants(questions []Question) []Problem {
	of := make(map[string]string, len(questions))
	for _, q := range questions {
		of[q.ID] = q.VariantOf
	}
	var out []Problem
	for _, q := range questions {
		if q.VariantOf == "" {
			continue
		}
		if _, ok := of[q.VariantOf]; !ok {
			out = append(out, Problem{q.Line, CodeVariantUnknown, q.VariantOf})
			continue
		}
		if _, ok := root(of, q.ID); !ok {
			out = append(out, Problem{q.Line, CodeVariantCycle, q.ID})
		}
	}
	return out
}

// root follows variants to the question that is none; ok is false in a circle.
func root(variantOf map[string]string, id string) (top string, ok bool) {
	for range len(variantOf) + 1 {
		next, known := variantOf[id]
		if !known || next == "" {
			return id, true
		}
		id = next
	}
	return id, false
}

// Clusters returns, for each question, the ID of the question that it is a
// variant of in the end, or its own: questions of one cluster are not
// independent.
func (d Dataset) Clusters() []string {
	of := make(map[string]string, len(d.Questions))
	for _, q := range d.Questions {
		of[q.ID] = q.VariantOf
	}
	out := make([]string, len(d.Questions))
	for i, q := range d.Questions {
		out[i], _ = root(of, q.ID)
	}
	return out
}

// Notices returns what is to be known of a dataset that may be used: that it is
// small, or that a type is rare.
func (d Dataset) Notices() []Problem {
	out := slices.Concat(d.ReadAs, d.Unread)
	n := len(d.Questions)
	switch {
	case n < FewQuestions:
		out = append(out, Problem{0, CodeFewQuestions, strconv.Itoa(n)})
	case n < EnoughQuestions:
		out = append(out, Problem{0, CodeRatherFewQuestions, strconv.Itoa(n)})
	}
	counts := map[string]int{}
	for _, q := range d.Questions {
		counts[q.Type]++
	}
	typed := slices.ContainsFunc(Types(), func(t string) bool { return counts[t] > 0 })
	for _, t := range Types() {
		if typed && float64(counts[t]) < MinTypeShare*float64(n) {
			out = append(out, Problem{0, CodeTypeRare, fmt.Sprintf("%s %d/%d", t, counts[t], n)})
		}
	}
	return out
}
