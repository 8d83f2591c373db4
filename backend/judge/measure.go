package judge

import (
	"context"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Measured are the features of a claim, as the regressions see them.
type Measured struct {
	// Model names the regression: language and kind.
	Model    string
	Features []Feature
	// Verbatim claims are supported whatever the regression says.
	Verbatim bool
}

// Measure returns the features of each claim of an answer, for fitting the
// regressions; nil for what the detector leaves unscored.
func (e *Evidence) Measure(ctx context.Context, in rag.Judged) ([]Measured, error) {
	lang, ok := cover(e.covered(), in)
	if !ok {
		return nil, ctx.Err()
	}
	l := e.languages[lang]
	s, err := l.prepare(ctx, in.Context)
	if err != nil {
		return nil, err
	}
	if short(in) && len(s.occurrences(in.Answer)) > 0 {
		a, err := l.ask(ctx, in.Question, s)
		if err != nil {
			return nil, err
		}
		f, _, err := l.answered(ctx, a, claimsOf(in)[0].Text)
		return []Measured{{Model: lang + "/" + kindShort, Features: f}}, err
	}
	var out []Measured
	for _, claim := range claimsOf(in) {
		c, err := l.compare(ctx, text.Uncited(claim.Text), s)
		if err != nil {
			return nil, err
		}
		_, same := verbatim(in.Context, text.Uncited(claim.Text))
		out = append(out, Measured{Model: lang + "/" + kindStatement, Features: c.statement(), Verbatim: same})
	}
	return out, nil
}
