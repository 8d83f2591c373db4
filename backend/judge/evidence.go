package judge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// DetectorEvidence is the name of the detector that needs no language model.
const DetectorEvidence = "evidence"

// Threshold is the risk from which a claim counts as not supported.
const Threshold = .5

// shownEvidence is how many sentences are shown for a claim.
const shownEvidence = 2

// Reasons why an answer is unscored.
const (
	// ReasonLanguage: the detector does not know the language.
	ReasonLanguage = "unsupported_language"
	// ReasonAbstained: the answer only says that there is none.
	ReasonAbstained = "abstained"
	// ReasonEmpty: there is no answer.
	ReasonEmpty = "empty_answer"
)

// Reasons for a verdict.
const (
	// ReasonVerbatim: the context has the claim word for word.
	ReasonVerbatim = "verbatim"
	// ReasonMatches: the evidence says so.
	ReasonMatches = "matches"
	// ReasonNoContext: there was nothing to go by.
	ReasonNoContext = "no_context"
	// ReasonNumbers, ReasonNames: figures, or names, that the context does not have.
	ReasonNumbers = "numbers_missing"
	ReasonNames   = "names_missing"
	// ReasonOtherNumber: the evidence has another figure in its place.
	ReasonOtherNumber = "other_number"
	// ReasonDenial, ReasonDirection: the evidence says the contrary.
	ReasonDenial    = "denial"
	ReasonDirection = "direction"
	// ReasonPermission: one permits what the other forbids.
	ReasonPermission = "permission"
	// ReasonSwapped: the evidence gives the figure to another.
	ReasonSwapped = "figures_swapped"
	// ReasonOtherAnswer: another part of the context answers the question.
	ReasonOtherAnswer = "other_answer"
	// ReasonUnlike: the context says nothing like it.
	ReasonUnlike = "unlike"
)

// CodeSource gives the token vectors of texts, in eight bits a value.
type CodeSource interface {
	Codes(ctx context.Context, texts []string) ([]rag.TokenCodes, error)
}

// Language is what the detector needs of one language: a model's tokens and their
// vectors.
type Language struct {
	Tokenizer rag.Tokenizer
	Codes     CodeSource
}

// Evidence is the detector without a language model.
//
// It cuts an answer into claims (text.Claims), aligns the tokens of each with those
// of the context by the embedder's token vectors, measures how well they match,
// which words, figures and names are new and whether denials and directions
// differ, and weighs these features with a logistic regression: risk = 1/(1 +
// exp(−(b + Σ wᵢ·(xᵢ − mᵢ)/sᵢ))). Its numbers were fitted by bench/verify; see
// docs/evaluation.md.
//
// An answer that is too short to be a sentence is judged as the answer to its
// question: where it stands in the context, how near to the question's words, and
// whether it is of the kind asked for.
type Evidence struct {
	languages   map[string]Language
	fingerprint string
}

// NewEvidence returns the detector for the given languages, by their codes "zh" and
// "en"; fingerprint is that of the models behind them.
func NewEvidence(languages map[string]Language, fingerprint string) *Evidence {
	return &Evidence{languages, "evidence/1 " + weightsVersion() + " " + fingerprint}
}

var _ rag.Detector = (*Evidence)(nil)

// Name returns "evidence".
func (e *Evidence) Name() string { return DetectorEvidence }

// Fingerprint covers rules, weights and models.
func (e *Evidence) Fingerprint() string { return e.fingerprint }

// Detect judges one answer. It is safe for concurrent use.
func (e *Evidence) Detect(ctx context.Context, in rag.Judged) (rag.Detection, error) {
	if text.Letters(text.Uncited(in.Answer)) == "" {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	lang, ok := cover(e.covered(), in)
	if !ok {
		return unscored(ReasonLanguage, lang), ctx.Err()
	}
	if lang == "en" && foreign(e.languages[lang].Tokenizer, in) {
		return unscored(ReasonLanguage, "other"), ctx.Err()
	}
	claims := claimsOf(in)
	if len(claims) == 0 {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	j := judging{language: lang, Language: e.languages[lang], in: in}
	for i := range claims {
		if err := j.judge(ctx, &claims[i]); err != nil {
			return rag.Detection{}, fmt.Errorf("judge claim %d of %d: %w", i+1, len(claims), err)
		}
	}
	return detection(claims), ctx.Err()
}

// covered are the languages that it knows.
func (e *Evidence) covered() []string { return slices.Sorted(maps.Keys(e.languages)) }

// judging is the work on one answer.
type judging struct {
	Language
	language string
	in       rag.Judged
	source   *source
	asked    *asked
}

// judge fills in the verdict on one claim.
func (j *judging) judge(ctx context.Context, c *rag.Claim) error {
	if settle(j.in, c) {
		return nil
	}
	said := text.Uncited(c.Text)
	if quote, ok := verbatim(j.in.Context, said); ok && (!short(j.in) || text.Letters(quote.Text) == text.Letters(said)) {
		c.Verdict, c.Reason, c.Evidence = rag.Supported, ReasonVerbatim, []rag.Evidence{quote}
		return nil
	}
	if j.source == nil {
		var err error
		if j.source, err = j.prepare(ctx, j.in.Context); err != nil {
			return err
		}
	}
	if short(j.in) {
		return j.judgeShort(ctx, c)
	}
	return j.judgeStatement(ctx, c)
}

// verbatim finds a claim that the context has word for word, and the sentence that
// does.
func verbatim(contexts []string, claim string) (rag.Evidence, bool) {
	said := text.Letters(claim)
	for i, whole := range contexts {
		if !strings.Contains(text.Letters(whole), said) {
			continue
		}
		s := source{contexts: contexts}
		for _, span := range text.Sentences(whole) {
			if strings.Contains(text.Letters(whole[span.Start:span.End]), said) {
				return s.part(i, span, 1), true
			}
		}
		return s.part(i, rag.Span{End: len(whole)}, 1), true
	}
	return rag.Evidence{}, false
}

// judgeStatement judges a claim that says something by itself.
func (j *judging) judgeStatement(ctx context.Context, c *rag.Claim) error {
	said, err := j.compare(ctx, text.Uncited(c.Text), j.source)
	if err != nil {
		return err
	}
	c.Evidence = said.evidence()
	c.Score = model(j.language, kindStatement).risk(said.statement())
	c.Verdict, c.Reason, c.Detail = rag.Supported, ReasonMatches, ""
	if said.conflicts() {
		c.Score = max(c.Score, conflictRisk)
	}
	if c.Score >= Threshold {
		c.Verdict, c.Reason, c.Detail = said.objection()
	}
	return nil
}

// judgeShort judges an answer with its question.
func (j *judging) judgeShort(ctx context.Context, c *rag.Claim) error {
	if j.asked == nil {
		var err error
		if j.asked, err = j.ask(ctx, j.in.Question, j.source); err != nil {
			return err
		}
	}
	said := strings.TrimSpace(text.Uncited(c.Text))
	at := j.source.occurrences(said)
	if len(at) == 0 { // in other words: the question and the answer make a statement
		statement := *c
		statement.Text = j.asked.statement(said)
		if err := j.judgeStatement(ctx, &statement); err != nil {
			return err
		}
		c.Verdict, c.Score, c.Reason, c.Detail, c.Evidence = statement.Verdict, statement.Score, statement.Reason, statement.Detail, statement.Evidence
		return nil
	}
	f, place, err := j.answered(ctx, j.asked, said)
	if err != nil {
		return err
	}
	c.Score = model(j.language, kindShort).risk(f)
	c.Verdict, c.Reason, c.Evidence = rag.Supported, ReasonMatches, j.source.quoted(place)
	if c.Score < Threshold {
		return nil
	}
	c.Verdict, c.Reason = rag.Unverifiable, ReasonUnlike
	if best := j.asked.evidence(); len(best) > 0 && !within(j.source, at, j.asked.order[0].sentence) {
		c.Verdict, c.Reason, c.Evidence = rag.Contradicted, ReasonOtherAnswer, best
	}
	return nil
}

// within reports whether one of the places lies in the sentence.
func within(s *source, places []place, sentence int) bool {
	at := s.sentences[sentence]
	for _, p := range places {
		if p.context == at.context && p.start >= at.span.Start && p.end <= at.span.End {
			return true
		}
	}
	return false
}
