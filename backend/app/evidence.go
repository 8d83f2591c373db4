package app

import (
	"context"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/rag"
)

const (
	// highEvidence is the late-interaction score, 0.77 at most, from which a passage
	// bears a sentence out that shares few words with it. Sentences on the same subject
	// that say something else reach 0.54, as do fair paraphrases: below that, the score
	// tells subjects apart and not statements.
	highEvidence = 0.6
	// highCrossEvidence is the same for a cross-encoder, whose score is the sigmoid of
	// its logit. These models are trained to tell what answers a question, so that a
	// sentence on the same subject is at home above one half; the bound is well above
	// it, and leaves the shared words to decide in between.
	highCrossEvidence = 0.9
)

// crossEncoderOf is the first cross-encoder among the pipelines' rerankers, empty when
// none of them has one.
func crossEncoderOf(pipelines ...rag.Pipeline) string {
	for _, p := range pipelines {
		if p.Reranker != rag.RerankNone && p.Reranker != rag.RerankLateInteraction {
			return p.Reranker
		}
	}
	return ""
}

// evidence is what the sentences of an answer are checked with: the cross-encoder that
// reranks, else late interaction.
func (s *Service) evidence(ctx context.Context, q inquiry) (answer.Evidence, error) {
	if q.reranker != "" {
		c, err := s.crossEncoder(q.reranker)
		if err != nil {
			return answer.Evidence{}, err
		}
		return answer.Evidence{Scorer: c, High: highCrossEvidence}, nil
	}
	scorer, err := s.libraryScorer(ctx, q.kb)
	if err != nil {
		return answer.Evidence{}, err
	}
	return answer.Evidence{Scorer: scorer, High: highEvidence}, nil
}

// support finds what the answer's sentences stand on. A refusal stands on nothing.
func (a *answered) support(ctx context.Context, shown []rag.Hit) error {
	if a.Abstained {
		shown = nil
	}
	var err error
	a.sentences, err = answer.Support(ctx, a.evidence, a.Text, shown)
	return err
}

// checked converts what an answer stands on.
func checked(a answered, hits []rag.Hit) api.AnswerCheck {
	out := api.AnswerCheck{High: a.evidence.High, Sentences: make([]api.AnswerSentence, len(a.sentences)), Used: []api.UsedChunk{}}
	if a.evidence.Scorer != nil {
		out.Scorer = a.evidence.Scorer.Name()
	}
	if share, ok := a.CitationCoverage(); ok {
		out.CitationCoverage = &share
	}
	if share, ok := a.CitationAccuracy(); ok {
		out.CitationAccuracy = &share
	}
	for i, s := range a.sentences {
		out.Sentences[i] = api.AnswerSentence{Text: s.Text, Span: span(s.Points), NeedsSource: s.Needs, Markers: list(s.Markers)}
		if s.Best >= 0 {
			h := hits[s.Best]
			out.Sentences[i].Support = &api.SentenceSupport{
				ChunkID: string(h.Chunk.ID), Rank: h.Rank, Score: s.Score, Overlap: s.Overlap, Numbers: s.Numbers, Supported: s.Supported,
			}
		}
	}
	for _, u := range answer.Uses(a.Answer, a.sentences, hits) {
		h := hits[u.Hit]
		out.Used = append(out.Used, api.UsedChunk{ChunkID: string(h.Chunk.ID), Rank: h.Rank, Cited: u.Cited, Sentences: list(u.Sentences)})
	}
	return out
}

// answerDiffs compares the answers after the first with the first.
func answerDiffs(strategies []string, all []answered) []api.AnswerDiff {
	out := []api.AnswerDiff{}
	for i := 1; i < len(all); i++ {
		d := api.AnswerDiff{Strategy: strategies[i], Against: strategies[0], Rows: []api.AnswerDiffRow{}}
		for _, r := range answer.Align(all[i].sentences, all[0].sentences) {
			row := api.AnswerDiffRow{State: r.State}
			if r.Here >= 0 {
				row.Here = &r.Here
			}
			if r.There >= 0 {
				row.There = &r.There
			}
			switch r.State {
			case answer.RowSame:
				d.Same++
			case answer.RowChanged:
				d.Changed++
			case answer.RowOnlyHere:
				d.OnlyHere++
			case answer.RowOnlyThere:
				d.OnlyThere++
			}
			if r.Here >= 0 && r.There >= 0 {
				row.Similarity = &r.Similarity
			}
			d.Rows = append(d.Rows, row)
		}
		out = append(out, d)
	}
	return out
}
