package dataset

import (
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/rag"
)

// Find returns the place of a question: that with the id or, without an id, the
// first that asks text, outer blanks aside; -1 when there is none.
func (d Dataset) Find(id, text string) int {
	return slices.IndexFunc(d.Questions, func(q Question) bool {
		if id != "" {
			return q.ID == id
		}
		return strings.TrimSpace(q.Text) == strings.TrimSpace(text)
	})
}

// Label gives the passage g its grade for a question, found as by Find and added
// when it is not there, and returns the question's place. A label of the same
// passage is replaced. A question found by its id takes the text, unless that is
// blank.
func (d *Dataset) Label(id, text string, g Gold) int {
	at := d.Find(id, text)
	if at < 0 {
		if id == "" {
			id = d.freeID()
		}
		d.Questions = append(d.Questions, Question{ID: id})
		at = len(d.Questions) - 1
	}
	q := &d.Questions[at]
	if text = strings.TrimSpace(text); text != "" {
		q.Text = text
	}
	q.Gold = append(slices.DeleteFunc(slices.Clone(q.Gold), g.samePassage), g)
	if g.Grade > GradeNone && q.Type == TypeUnanswerable {
		q.Type = ""
	}
	return at
}

// Add returns the place of the question that asks text, adding it without gold when it is not
// there.
func (d *Dataset) Add(text string) int {
	if at := d.Find("", text); at >= 0 {
		return at
	}
	d.Questions = append(d.Questions, Question{ID: d.freeID(), Text: strings.TrimSpace(text)})
	return len(d.Questions) - 1
}

// Unlabel takes the label of the passage g away from the question at a place. A
// question that then has neither gold nor an answer goes too; whether it stayed
// is returned.
func (d *Dataset) Unlabel(at int, g Gold) bool {
	q := &d.Questions[at]
	q.Gold = slices.DeleteFunc(slices.Clone(q.Gold), g.samePassage)
	if q.HasGold() || len(q.Answers) > 0 || q.Type == TypeUnanswerable {
		return true
	}
	d.Questions = slices.Delete(d.Questions, at, at+1)
	return false
}

// Relabel puts the passage g in the place of the label with an index, or takes that
// label away when g is nil, as Unlabel does. ok is false where there is none; kept, for
// a question that went.
func (d *Dataset) Relabel(at, label int, g *Gold) (kept, ok bool) {
	q := &d.Questions[at]
	if label < 0 || label >= len(q.Gold) {
		return true, false
	}
	if g == nil {
		gone := q.Gold[label]
		return d.Unlabel(at, gone), true
	}
	q.Gold = slices.Clone(q.Gold)
	q.Gold[label] = *g
	return true, true
}

// samePassage reports whether other labels the same place of the same document.
func (g Gold) samePassage(other Gold) bool {
	if g.Doc != other.Doc {
		return false
	}
	if g.Points != nil && other.Points != nil {
		return *g.Points == *other.Points
	}
	return g.Quote == other.Quote
}

// freeID is the first of q1, q2, … after the number of questions that is unused.
func (d Dataset) freeID() string {
	for n := len(d.Questions) + 1; ; n++ {
		id := "q" + strconv.Itoa(n)
		if d.Find(id, "") < 0 {
			return id
		}
	}
}

// Passage is the gold that a span of a document's text makes: its source, the
// words there, and their place in code points. ok is false for a span that is
// blank or outside of the text.
func Passage(source, text string, points rag.Span, grade int) (g Gold, ok bool) {
	runes := []rune(text)
	if points.Start < 0 || points.End > len(runes) || points.Start >= points.End {
		return Gold{}, false
	}
	quote := string(runes[points.Start:points.End])
	if strings.TrimSpace(quote) == "" {
		return Gold{}, false
	}
	return Gold{Doc: source, Quote: quote, Points: &points, Grade: grade}, true
}
