package label

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Book is what people said, folded from events.
type Book struct {
	items map[string]runs.LabelItem
	// order are the keys of items as they came.
	order []string
	// history are all labels of a claim, by key, the oldest first.
	history map[string][]runs.Label
	// verdicts are by the detector's fingerprint and the claim's key.
	verdicts map[string]map[string]runs.LabelVerdict
}

// Fold reads events in their order: later ones overrule earlier ones of the same
// person.
func Fold(events []runs.LabelEvent) *Book {
	b := &Book{items: map[string]runs.LabelItem{}, history: map[string][]runs.Label{}, verdicts: map[string]map[string]runs.LabelVerdict{}}
	for _, e := range events {
		switch {
		case e.Item != nil:
			if _, ok := b.items[e.Item.Key]; !ok {
				b.order = append(b.order, e.Item.Key)
			}
			b.items[e.Item.Key] = *e.Item
		case e.Label != nil:
			b.history[e.Label.Key] = append(b.history[e.Label.Key], *e.Label)
		case e.Verdict != nil:
			v := *e.Verdict
			if b.verdicts[v.Fingerprint] == nil {
				b.verdicts[v.Fingerprint] = map[string]runs.LabelVerdict{}
			}
			b.verdicts[v.Fingerprint][v.Key] = v
		}
	}
	return b
}

// Unknown are those of the events that the book does not hold yet.
func (b *Book) Unknown(events []runs.LabelEvent) []runs.LabelEvent {
	var out []runs.LabelEvent
	for _, e := range events {
		switch {
		case e.Item != nil:
			if _, ok := b.items[e.Item.Key]; ok {
				continue
			}
		case e.Verdict != nil:
			if v, ok := b.verdicts[e.Verdict.Fingerprint][e.Verdict.Key]; ok && v == *e.Verdict {
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// Item returns the claim with a key.
func (b *Book) Item(key string) (runs.LabelItem, bool) {
	item, ok := b.items[key]
	return item, ok
}

// Items are all claims that were given out or labelled, in that order.
func (b *Book) Items() []runs.LabelItem {
	out := make([]runs.LabelItem, len(b.order))
	for i, key := range b.order {
		out[i] = b.items[key]
	}
	return out
}

// History are all labels of a claim by one person, the oldest first; by everyone when
// by is empty.
func (b *Book) History(key, by string) []runs.Label {
	var out []runs.Label
	for _, l := range b.history[key] {
		if by == "" || l.By == by {
			out = append(out, l)
		}
	}
	return out
}

// Label is what a person says of a claim now; ok is false for nothing, or what was taken
// back.
func (b *Book) Label(key, by string) (runs.Label, bool) {
	said := b.History(key, by)
	if by == "" || len(said) == 0 || said[len(said)-1].State == "" {
		return runs.Label{}, false
	}
	return said[len(said)-1], true
}

// Labels are what everyone says of a claim now, by name.
func (b *Book) Labels(key string) []runs.Label {
	now := map[string]runs.Label{}
	for _, l := range b.history[key] {
		now[l.By] = l
	}
	var out []runs.Label
	for _, by := range slices.Sorted(maps.Keys(now)) {
		if now[by].State != "" {
			out = append(out, now[by])
		}
	}
	return out
}

// Person is someone who labelled.
type Person struct {
	By string
	// N counts the claims that have a label of theirs now.
	N    int
	Last time.Time
}

// People are those who labelled, by name.
func (b *Book) People() []Person {
	found := map[string]Person{}
	for key := range b.history {
		for _, l := range b.Labels(key) {
			p := found[l.By]
			p.By, p.N = l.By, p.N+1
			if l.At.After(p.Last) {
				p.Last = l.At
			}
			found[l.By] = p
		}
	}
	out := slices.Collect(maps.Values(found))
	slices.SortFunc(out, func(a, b Person) int { return cmp.Compare(a.By, b.By) })
	return out
}

// Detectors are the fingerprints whose verdicts the book holds, with their names.
func (b *Book) Detectors() map[string]string {
	out := map[string]string{}
	for print, verdicts := range b.verdicts {
		for _, v := range verdicts {
			out[print] = v.Detector
		}
	}
	return out
}

// NewLabel checks a label. Faults: "label_state_unknown" {state, known}, "argument_missing"
// for a person without a name.
func NewLabel(key, by, state, note string, at time.Time) (runs.Label, error) {
	by = strings.TrimSpace(by)
	if by == "" {
		return runs.Label{}, fault.New("argument_missing", fault.P("argument", "--by"))
	}
	state = strings.ToLower(strings.TrimSpace(state))
	if state != "" && !slices.Contains(runs.LabelStates(), state) {
		return runs.Label{}, fault.New("label_state_unknown", fault.P("state", state), fault.P("known", strings.Join(runs.LabelStates(), ", ")))
	}
	return runs.Label{Key: key, By: by, State: state, Note: strings.TrimSpace(note), At: at.UTC()}, nil
}

// consensus is what people say together: what more than half of those who decided say. It is
// empty where nobody decided, and LabelDisputed where they differ.
func consensus(labels []runs.Label) string {
	counts := map[string]int{}
	decided := 0
	for _, l := range labels {
		if l.State != runs.StateUnclear {
			counts[l.State]++
			decided++
		}
	}
	switch {
	case len(labels) > 0 && decided == 0:
		return runs.StateUnclear
	case decided == 0:
		return ""
	}
	for state, n := range counts {
		if 2*n > decided {
			return state
		}
	}
	return disputed
}

// disputed claims are those on which people differ without a majority.
const disputed = "disputed"
