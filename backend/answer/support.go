package answer

import (
	"context"
	"fmt"

	"ragdesk/backend/rag"
)

// Sentence is a sentence of an answer with what it stands on.
type Sentence struct {
	// Text is without citations and list marks.
	Text string
	// Points is its place in the answer, in code points.
	Points rag.Span
	// Needs reports that it says something and so needs a source.
	Needs bool
	// Markers are the passages it cites, each once.
	Markers []int
	// Best is the index of the passage that supports it best among the hits; -1 when
	// there are none. What follows is of that passage.
	Best int
	// Score is the evidence score, 0 without a scorer.
	Score float64
	// Overlap is the share of the sentence's words in the passage, in [0, 1].
	Overlap float64
	// Numbers reports that no number of the sentence is missing there.
	Numbers bool
	// Supported reports that the passage holds most of the words or scores high, with
	// no number missing: what makes a citation verified.
	Supported bool
}

// Support cuts an answer into its sentences and finds for each the passage that bears
// it out best: one that supports it before one that does not, then by evidence score,
// by shared words and by rank. hits are those that the prompt showed.
func Support(ctx context.Context, e Evidence, reply string, hits []rag.Hit) ([]Sentence, error) {
	found := claims(reply)
	out := make([]Sentence, len(found))
	for i, c := range found {
		out[i] = Sentence{Text: c.words, Points: rag.Points(reply, []rag.Span{c.span})[0], Needs: c.needs, Markers: c.numbers, Best: -1}
		if err := e.support(ctx, &out[i], hits); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e Evidence) support(ctx context.Context, s *Sentence, hits []rag.Hit) error {
	scores := make([]rag.Relevance, len(hits))
	if e.Scorer != nil && len(hits) > 0 {
		passages := make([]rag.Passage, len(hits))
		for i, h := range hits {
			passages[i] = rag.Passage{ID: h.Chunk.ID, Text: passageOf(h).Text}
		}
		var err error
		if scores, err = e.Scorer.Rerank(ctx, s.Text, passages); err != nil {
			return fmt.Errorf("score the evidence for a sentence: %w", err)
		}
	}
	said := termsOf(s.Text)
	for i, h := range hits {
		o := said.in(passageOf(h).Text)
		high := e.Scorer != nil && scores[i].Score >= e.High
		here := *s
		here.Best, here.Score, here.Overlap, here.Numbers = i, scores[i].Score, o.share, o.numbers
		here.Supported = o.numbers && (o.share >= mostly || high)
		if s.Best < 0 || better(here, *s) {
			*s = here
		}
	}
	return nil
}

func better(a, b Sentence) bool {
	switch {
	case a.Supported != b.Supported:
		return a.Supported
	case a.Score != b.Score:
		return a.Score > b.Score
	}
	return a.Overlap > b.Overlap
}

// Use is a passage that an answer rests on.
type Use struct {
	// Hit is its index among the hits.
	Hit int
	// Cited reports that a sentence names it and has something of it: that its citation
	// is verified or weak.
	Cited bool
	// Sentences are the indexes of those that it supports best.
	Sentences []int
}

// Uses lists the hits that an answer used: those it cites rightly and those that
// support a sentence best, in the order of the hits.
func Uses(a Answer, sentences []Sentence, hits []rag.Hit) []Use {
	var out []Use
	for i, h := range hits {
		u := Use{Hit: i}
		for _, c := range a.Citations {
			if c.ChunkID == h.Chunk.ID && c.Marker == h.Rank && (c.State == CitationVerified || c.State == CitationWeak) {
				u.Cited = true
			}
		}
		for n, s := range sentences {
			if s.Best == i && s.Supported {
				u.Sentences = append(u.Sentences, n)
			}
		}
		if u.Cited || len(u.Sentences) > 0 {
			out = append(out, u)
		}
	}
	return out
}

// CitationCoverage is the share of the sentences in need of a source that name one,
// and CitationAccuracy the share of the citations that are verified; ok is false when
// there is nothing to take a share of, as in a refusal.
func (a Answer) CitationCoverage() (share float64, ok bool) {
	missing := 0
	for _, c := range a.Citations {
		if c.State == CitationMissing {
			missing++
		}
	}
	if a.Needing == 0 {
		return 0, false
	}
	return float64(a.Needing-missing) / float64(a.Needing), true
}

// CitationAccuracy is described with CitationCoverage.
func (a Answer) CitationAccuracy() (share float64, ok bool) {
	verified, all := 0, 0
	for _, c := range a.Citations {
		if c.State == CitationMissing {
			continue
		}
		all++
		if c.State == CitationVerified {
			verified++
		}
	}
	if all == 0 {
		return 0, false
	}
	return float64(verified) / float64(all), true
}
