package label

import (
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// Source is what a detector judged.
type Source struct {
	// Name is how it was asked for: a run, or a file of verdicts.
	Name string
	// Detector is who judged, Fingerprint changes when its verdicts may.
	Detector, Fingerprint string
	// Answers are those with a verdict on at least one claim, each content once.
	Answers []Answer
	// Left counts the others by reason: unscored answers, those whose passages were not
	// kept, and repeated ones.
	Left map[string]int

	seen   map[string]bool
	claims map[string]place
}

// place is a claim's answer and its index there.
type place struct{ answer, claim int }

// Reasons why an answer of a source is left out.
const (
	// LeftUnscored: the detector gave no verdict.
	LeftUnscored = "unscored"
	// LeftPassages: an older run, which did not keep the passages' texts.
	LeftPassages = "no_passages"
	// LeftRepeated: the same answer of the same passages stands in the source already.
	LeftRepeated = "repeated"
)

// Answer is a judged answer. Items are its claims as a person sees them, in order; a claim
// that says the same as one before it is left out.
type Answer struct {
	Key   string
	Lang  string
	Label rag.Label
	Items []runs.LabelItem
	// Claims are what the detector says of each of Items.
	Claims []rag.Claim
}

// states are the detector's verdicts on the claims.
func (a Answer) states() []string {
	out := make([]string, len(a.Claims))
	for i, c := range a.Claims {
		out[i] = string(c.Verdict)
	}
	return out
}

// Said is an answer as a detector judged it.
type Said struct {
	Question, Answer string
	Passages         []string
	Label            rag.Label
	Claims           []rag.Claim
}

// Add puts an answer into the source.
func (s *Source) Add(in Said) {
	if s.seen == nil {
		s.seen, s.claims = map[string]bool{}, map[string]place{}
	}
	if s.Left == nil {
		s.Left = map[string]int{}
	}
	key := runs.AnswerKey(in.Question, in.Answer, in.Passages)
	switch {
	case in.Label == rag.Unscored || in.Label == "" || len(in.Claims) == 0:
		s.Left[LeftUnscored]++
		return
	case s.seen[key]:
		s.Left[LeftRepeated]++
		return
	}
	s.seen[key] = true
	a := Answer{Key: key, Lang: text.Language(in.Answer), Label: in.Label}
	seen := map[string]bool{}
	for _, c := range in.Claims {
		k := runs.ClaimKey(in.Question, c.Text, in.Passages)
		if seen[k] {
			continue
		}
		seen[k] = true
		a.Items = append(a.Items, runs.LabelItem{
			Key: k, AnswerKey: key, Question: in.Question, Answer: in.Answer, Claim: c.Text,
			Start: c.Points.Start, End: c.Points.End, Context: in.Passages, Lang: a.Lang,
		})
		a.Claims = append(a.Claims, c)
		if _, ok := s.claims[k]; !ok {
			s.claims[k] = place{len(s.Answers), len(a.Items) - 1}
		}
	}
	s.Answers = append(s.Answers, a)
}

// FromRun is what the detector of a run judged.
func FromRun(r runs.Stored) Source {
	s := Source{Name: r.ID, Left: map[string]int{}}
	for _, record := range r.Records {
		a := record.Answer
		if a == nil || a.Abstained || a.Error != nil {
			continue
		}
		s.Detector, s.Fingerprint = a.Detector, a.DetectorFingerprint
		if len(a.Context) != len(a.Passages) {
			s.Left[LeftPassages]++
			continue
		}
		in := Said{Question: record.Query, Answer: a.Text, Passages: a.Passages, Label: rag.Label(a.Label)}
		for _, c := range a.Claims {
			in.Claims = append(in.Claims, claimOf(c))
		}
		s.Add(in)
	}
	return s
}

// claimOf is a claim of a run as its detector gave it.
func claimOf(c runs.Claim) rag.Claim {
	out := rag.Claim{
		Text: c.Text, Points: rag.Span{Start: c.Start, End: c.End}, Verdict: rag.ClaimVerdict(c.Verdict), Score: c.Score, Reason: c.Reason,
	}
	if e := c.Evidence; e != nil {
		out.Evidence = []rag.Evidence{{Context: e.Context, Points: rag.Span{Start: e.Start, End: e.End}, Text: e.Text, Score: e.Score}}
	}
	return out
}

// Find returns the claim with a key, as a person sees it and as the detector judged it.
func (s *Source) Find(key string) (runs.LabelItem, rag.Claim, bool) {
	at, ok := s.claims[key]
	if !ok {
		return runs.LabelItem{}, rag.Claim{}, false
	}
	a := s.Answers[at.answer]
	return a.Items[at.claim], a.Claims[at.claim], true
}

// Events are what the file of labels keeps of an answer when it is given out.
func (s *Source) Events(a Answer) []runs.LabelEvent {
	var out []runs.LabelEvent
	for i, item := range a.Items {
		out = append(out, s.Given(item, a.Claims[i])...)
	}
	return out
}

// Given are what the file of labels keeps of one claim of the source: what a person sees, and
// what the detector said.
func (s *Source) Given(item runs.LabelItem, c rag.Claim) []runs.LabelEvent {
	return []runs.LabelEvent{
		{Item: &item},
		{Verdict: &runs.LabelVerdict{Key: item.Key, Detector: s.Detector, Fingerprint: s.Fingerprint, Verdict: string(c.Verdict)}},
	}
}
