package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/llm"
)

// inquiry is what is answered, and from which library.
type inquiry struct{ kb, lang, text string }

// answered is an answer with what made it.
type answered struct {
	answer.Answer
	prompt, model string
	usage         *api.Usage
	cut           []string
	truncated     bool
	// demonstration marks the answer of a model that is too small to be trusted.
	demonstration bool
	// fingerprint is that of the hits with the model's added.
	fingerprint string
	// took is the time of the model, 0 without one.
	took time.Duration
}

// answerer answers from hits.
type answerer func(ctx context.Context, q inquiry, f found) (answered, error)

// answerer returns the answerer of that name: the extractive one, which asks no host,
// or a language model; with an empty name the default one. The model's earlier replies are not used when fresh is set.
func (s *Service) answerer(ctx context.Context, model string, fresh bool) (answerer, error) {
	if model == "" {
		var err error
		if model, err = s.defaultModel(ctx); err != nil {
			return nil, err
		}
	}
	if model == answer.ExtractiveModel {
		return s.quoted, nil
	}
	chooser, err := s.chooser()
	if err != nil {
		return nil, err
	}
	g, _, err := chooser.Generator(ctx, model)
	if err != nil {
		return nil, err
	}
	info, err := g.Info(ctx)
	if err != nil {
		return nil, err
	}
	var kept llm.Replies = llm.Folder(filepath.Join(s.cfg.Workspace, "replies"))
	if fresh {
		kept = forgotten{kept}
	}
	w := answer.Writer{
		Info: info, Model: llm.NewCached(g, kept), Count: g.CountTokens,
		Bound:  func(text string) int { return llm.EstimateTokens(text).High },
		Window: func(need int) int { return llm.Window(need, 0, info.Context) },
	}
	return func(ctx context.Context, q inquiry, f found) (answered, error) { return s.written(ctx, w, q, f) }, nil
}

// highEvidence is the late-interaction score, 0.77 at most, from which a passage bears
// a sentence out that shares few words with it. Sentences on the same subject that say
// something else reach 0.54, as do fair paraphrases: below that, the score tells
// subjects apart and not statements.
const highEvidence = 0.6

// quoted answers without a language model.
func (s *Service) quoted(ctx context.Context, q inquiry, f found) (answered, error) {
	a, err := s.extract(ctx, q, f)
	if err != nil {
		return answered{}, err
	}
	return answered{
		Answer: a, prompt: answer.Prompt(q.lang, q.text, f.Hits), model: answer.ExtractiveModel,
		cut: []string{}, fingerprint: f.fingerprint,
	}, nil
}

// forgotten keeps new replies and knows no earlier ones.
type forgotten struct{ llm.Replies }

// Get implements llm.Replies.
func (forgotten) Get(context.Context, string) ([]byte, bool, error) { return nil, false, nil }

// written answers with a language model.
func (s *Service) written(ctx context.Context, w answer.Writer, q inquiry, f found) (answered, error) {
	scorer, err := s.libraryScorer(ctx, q.kb)
	if err != nil {
		return answered{}, err
	}
	w.Evidence = answer.Evidence{Scorer: scorer, High: highEvidence}
	a, err := w.Write(ctx, q.lang, q.text, f.Hits)
	if err != nil {
		return answered{}, err
	}
	out := answered{Answer: a.Answer, prompt: a.Prompt, model: w.Info.Model, cut: []string{}, fingerprint: f.fingerprint, demonstration: w.Info.Demonstration}
	if !a.Asked {
		return out, nil
	}
	for _, h := range f.Hits[a.Shown:] {
		out.cut = append(out.cut, string(h.Chunk.ID))
	}
	out.took, out.truncated = a.Took, a.Reply.Cut
	out.usage = &api.Usage{PromptTokens: a.Reply.Usage.PromptTokens, CompletionTokens: a.Reply.Usage.ReplyTokens}
	out.fingerprint = joined(f.fingerprint, a.Reply.Digest, fmt.Sprintf("seed 0 temperature 0 window %d reply %d", a.Window, a.ReplyTokens))
	return out, nil
}

// joined is a fingerprint of fingerprints.
func joined(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:8])
}

// timingsOf adds the time of a model to those of retrieval.
func timingsOf(f found, a answered) map[string]*float64 {
	out := timings(f.Result, f.took()+a.took)
	if a.took > 0 {
		out["generate"] = milliseconds(a.took)
	}
	return out
}
