package dataset

import (
	"cmp"
	"slices"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
)

// Rule says when a chunk is relevant.
type Rule string

// The rules.
const (
	// RuleContains: the chunk holds a whole gold span. The default.
	RuleContains Rule = "contains"
	// RuleOverlaps: the chunk shares a position with a gold span.
	RuleOverlaps Rule = "overlaps"
	// RuleDocument ranks documents, each by its best chunk.
	RuleDocument Rule = "document"
)

// Unit says what recall and the ideal count.
type Unit string

// The units.
const (
	// UnitChunk counts the relevant chunks, or documents, of the library. The
	// default.
	UnitChunk Unit = "chunk"
	// UnitGold counts the gold passages, found in the library or not; those of one
	// document that overlap are one.
	UnitGold Unit = "gold"
)

// Relevance is how rankings are judged. The zero value means the defaults.
type Relevance struct {
	Rule Rule
	Unit Unit
}

// ParseRelevance reads the names of a rule and a unit; empty ones are the
// defaults. Faults: relevance_unknown {relevance, known}, unit_unknown {unit,
// known}.
func ParseRelevance(rule, unit string) (Relevance, error) {
	r := Relevance{Rule(cmp.Or(rule, string(RuleContains))), Unit(cmp.Or(unit, string(UnitChunk)))}
	if !slices.Contains([]Rule{RuleContains, RuleOverlaps, RuleDocument}, r.Rule) {
		return Relevance{}, fault.New("relevance_unknown", fault.P("relevance", rule), fault.P("known", "contains, overlaps, document"))
	}
	if r.Unit != UnitChunk && r.Unit != UnitGold {
		return Relevance{}, fault.New("unit_unknown", fault.P("unit", unit), fault.P("known", "chunk, gold"))
	}
	return r, nil
}

// Cause says why nothing relevant can be found for a question.
type Cause string

// The causes. The empty Cause belongs to a question with something relevant.
const (
	// CauseNoGold: the question has no gold, as when it cannot be answered.
	CauseNoGold Cause = "no_gold"
	// CauseStale: all its gold was left out as stale, or could not be bound.
	CauseStale Cause = "stale"
	// CauseNotIndexed: its documents are not in the library.
	CauseNotIndexed Cause = "not_indexed"
	// CauseSplit: no chunk holds a gold span, because they were split by chunking.
	CauseSplit Cause = "split_by_chunking"
)

// Judgment is what is relevant to one question in one library.
type Judgment struct {
	// Cause is set when nothing can be found.
	Cause Cause
	// LeftOut counts gold that is stale or could not be bound. It is judged as if
	// it were not there.
	LeftOut int
	// NotIndexed counts gold in documents that the library does not have.
	NotIndexed int

	relevance Relevance
	corpus    *Corpus
	items     map[string]item
	ideal     []int
}

// item is a relevant chunk or document.
type item struct {
	grade int
	units []int
}

// Judge finds the chunks, or documents, that are relevant to a question. The grade
// of one is the highest that applies.
func (c *Corpus) Judge(b Binding, r Relevance) Judgment {
	r = Relevance{cmp.Or(r.Rule, RuleContains), cmp.Or(r.Unit, UnitChunk)}
	j := Judgment{relevance: r, corpus: c, items: map[string]item{}}
	var usable []Label
	for _, l := range b.Labels {
		switch {
		case l.Grade <= GradeNone:
		case l.State == StateNotIndexed:
			j.NotIndexed++
		case !l.usable() || c.docs[l.Doc] == nil:
			j.LeftOut++
		default:
			usable = append(usable, l)
		}
	}
	units, grades := unitsOf(usable)
	for i, l := range usable {
		j.mark(l, units[i])
	}
	j.setIdeal(grades, b.Labels)
	j.setCause(len(usable))
	return j
}

// mark notes the items that a label makes relevant.
func (j *Judgment) mark(l Label, unit int) {
	d := j.corpus.docs[l.Doc]
	switch {
	case j.relevance.Rule == RuleDocument:
		if len(d.chunks) > 0 {
			j.add(string(d.id), l.Grade, unit)
		}
	case l.Whole:
		for _, c := range d.chunks {
			j.add(string(c.id), l.Grade, unit)
		}
	default:
		for _, c := range d.covering(l.Span, j.relevance.Rule == RuleOverlaps) {
			j.add(string(c.id), l.Grade, unit)
		}
	}
}

func (j *Judgment) add(id string, grade, unit int) {
	it := j.items[id]
	it.grade = max(it.grade, grade)
	if !slices.Contains(it.units, unit) {
		it.units = append(it.units, unit)
	}
	j.items[id] = it
}

// setIdeal lists the grades of all there is to find.
func (j *Judgment) setIdeal(units []int, labels []Label) {
	if j.relevance.Unit == UnitChunk {
		for _, it := range j.items {
			j.ideal = append(j.ideal, it.grade)
		}
		slices.SortFunc(j.ideal, func(a, b int) int { return cmp.Compare(b, a) })
		return
	}
	j.ideal = units
	for _, l := range labels {
		if l.State == StateNotIndexed && l.Grade > GradeNone {
			j.ideal = append(j.ideal, l.Grade)
		}
	}
}

func (j *Judgment) setCause(usable int) {
	switch {
	case len(j.items) > 0:
	case usable > 0:
		j.Cause = CauseSplit
	case j.NotIndexed > 0:
		j.Cause = CauseNotIndexed
	case j.LeftOut > 0:
		j.Cause = CauseStale
	default:
		j.Cause = CauseNoGold
	}
}

// unitsOf numbers the units that labels belong to and returns the grade of each
// unit, the highest of its labels. Labels of one document that overlap, directly
// or through others, are one unit; a whole document overlaps everything in it.
func unitsOf(labels []Label) (unit, grades []int) {
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := labels[a], labels[b]
		return cmp.Or(cmp.Compare(x.Doc, y.Doc), cmpBool(y.Whole, x.Whole), cmp.Compare(x.Span.Start, y.Span.Start))
	})
	unit = make([]int, len(labels))
	var doc rag.DocumentID
	var whole bool
	far := 0
	for n, i := range order {
		l := labels[i]
		sameDoc := n > 0 && l.Doc == doc
		if joined := sameDoc && (whole || l.Span.Start < far); !joined {
			grades = append(grades, l.Grade)
			whole, far = l.Whole, l.Span.End
		} else {
			grades[len(grades)-1] = max(grades[len(grades)-1], l.Grade)
			far = max(far, l.Span.End)
		}
		doc, unit[i] = l.Doc, len(grades)-1
	}
	return unit, grades
}

// cmpBool orders false before true.
func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Ranking turns retrieved chunks, best first, into what package measure judges.
// Under RuleDocument it ranks their documents, each at its first chunk. A chunk
// that the library does not have is not relevant.
func (j Judgment) Ranking(chunks []rag.ChunkID) measure.Ranking {
	r := measure.Ranking{
		Items: make([]measure.Item, 0, len(chunks)), Ideal: j.ideal,
		ByUnit: j.relevance.Unit == UnitGold, HasGold: j.Cause == "" || j.Cause == CauseSplit || j.Cause == CauseNotIndexed,
	}
	seen := map[string]bool{}
	for _, id := range chunks {
		key := string(id)
		if j.relevance.Rule == RuleDocument {
			if p, ok := j.corpus.chunks[id]; ok {
				key = string(p.doc.id)
			}
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		it := j.items[key]
		r.Items = append(r.Items, measure.Item{ID: key, Grade: it.grade, Units: it.units})
	}
	return r
}

// Grade returns the grade of a chunk, 0 when it is not relevant. Under
// RuleDocument it is that of the chunk's document.
func (j Judgment) Grade(chunk rag.ChunkID) int {
	if j.relevance.Rule == RuleDocument {
		p, ok := j.corpus.chunks[chunk]
		if !ok {
			return 0
		}
		return j.items[string(p.doc.id)].grade
	}
	return j.items[string(chunk)].grade
}

// Relevant lists the relevant chunks, or documents, by grade, highest first, then
// by ID.
func (j Judgment) Relevant() []Graded {
	out := make([]Graded, 0, len(j.items))
	for id, it := range j.items {
		out = append(out, Graded{id, it.grade})
	}
	slices.SortFunc(out, func(a, b Graded) int {
		return cmp.Or(cmp.Compare(b.Grade, a.Grade), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// Graded is a relevant item.
type Graded struct {
	// ID is a chunk's, or a document's under RuleDocument.
	ID    string
	Grade int
}
