package app

import (
	"context"
	"fmt"
	"strings"

	"ragdesk/backend/answer"
	"ragdesk/backend/embed"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
)

// quoted answers without a language model.
func (s *Service) quoted(ctx context.Context, q inquiry, f found) (answered, error) {
	out, err := s.unanswered(ctx, q, f)
	if err != nil {
		return answered{}, err
	}
	out.model = answer.ExtractiveModel
	scorer, err := s.libraryScorer(ctx, q.kb)
	if err != nil {
		return answered{}, err
	}
	bounds, err := s.quoteBounds(ctx, q.kb)
	if err != nil {
		return answered{}, err
	}
	e := answer.Extractor{Scorer: scorer, Coverage: coverageBy(f.terms), Level: bounds.level()}
	if out.Answer, err = e.Extract(ctx, q.lang, q.text, f.Hits); err != nil {
		return answered{}, err
	}
	out.warnings = append(out.warnings, bounds.doubts(out.Answer)...)
	if out.evidence, err = s.evidence(ctx, q); err != nil {
		return answered{}, err
	}
	return out, out.support(ctx, f.Hits)
}

// quoteBounds are the scores at which a quote begins to be an answer, by the models of
// a library, each for the sentences of its language.
type quoteBounds struct {
	mixed *embed.Mixed
	names []string // of the models, by space
}

func (s *Service) quoteBounds(ctx context.Context, kb string) (quoteBounds, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return quoteBounds{}, err
	}
	lib, err := st.Library(ctx, kb)
	if err != nil {
		return quoteBounds{}, err
	}
	mixed, name, err := s.model(lib).local()
	if err != nil {
		return quoteBounds{}, err
	}
	return quoteBounds{mixed, strings.Split(name, "+")}, nil
}

// of names the model that scores a sentence, with its bound; 0 where none is measured.
func (b quoteBounds) of(sentence string) (string, float64) {
	name := b.names[b.mixed.Space(sentence)]
	return name, models.WeakQuote(name)
}

// level compares the sentences of several models, if the bound of each is measured.
func (b quoteBounds) level() func(string) float64 {
	if len(b.names) < 2 {
		return nil
	}
	for _, name := range b.names {
		if models.WeakQuote(name) == 0 {
			return nil
		}
	}
	return func(sentence string) float64 {
		_, bound := b.of(sentence)
		return bound
	}
}

// doubts notices an extracted answer whose best sentence matches the question so
// little that it rarely answers, and one from passages that lack a name with a number
// that the question has.
func (b quoteBounds) doubts(a answer.Answer) []rag.Notice {
	if a.Abstained {
		return nil
	}
	var out []rag.Notice
	if name, bound := b.of(a.Best.Quote); a.Best.Score < bound {
		out = append(out, rag.Notice{Code: "weak_quote", Detail: below(a.Best.Score, bound) + " · " + name})
	}
	if len(a.Unnamed) > 0 {
		out = append(out, rag.Notice{Code: "code_unnamed", Detail: strings.Join(a.Unnamed, ", ")})
	}
	return out
}

// below says that score is less than bound, with as many digits as tell the two apart.
func below(score, bound float64) string {
	digits := 3
	for digits < 16 && fmt.Sprintf("%.*f", digits, score) == fmt.Sprintf("%.*f", digits, bound) {
		digits++
	}
	return fmt.Sprintf("%.*f < %.*f", digits, score, digits, bound)
}
