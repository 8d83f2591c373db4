package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

// inquiry is what is answered, and from which library.
type inquiry struct {
	kb, lang, text string
	// reranker is the cross-encoder that the evidence is scored with; empty means late
	// interaction.
	reranker string
	// say gets a model's reply piece by piece; it may be nil.
	say func(delta string) error
}

// answering is how to answer.
type answering struct {
	model string
	// fresh leaves the model's earlier replies aside.
	fresh bool
	// window bounds the model's, in tokens; 0 leaves it.
	window int
}

// answered is an answer with what made it.
type answered struct {
	answer.Answer
	prompt, model string
	template      answer.Template
	context       answer.Context
	usage         *api.Usage
	sentences     []answer.Sentence
	evidence      answer.Evidence
	warnings      []rag.Notice
	// demonstration marks the answer of a model that is too small to be trusted.
	demonstration bool
	cut           []string
	// fingerprint is that of the hits with the model's added.
	fingerprint string
	// took is the time of the model, 0 without one.
	took time.Duration
}

// answerer answers from hits.
type answerer func(ctx context.Context, q inquiry, f found) (answered, error)

// answerer returns the answerer: the extractive one, which asks no host, or a language
// model.
func (s *Service) answerer(ctx context.Context, a answering) (answerer, error) {
	if a.window < 0 {
		return nil, rag.OutOfRange("num-ctx", a.window, "≥ 0")
	}
	if a.model == "" {
		var err error
		if a.model, err = s.defaultModel(ctx); err != nil {
			return nil, err
		}
	}
	if a.model == answer.ExtractiveModel {
		return s.quoted, nil
	}
	w, err := s.writer(ctx, a)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, q inquiry, f found) (answered, error) { return s.written(ctx, w, q, f) }, nil
}

// writer is a language model that answers.
func (s *Service) writer(ctx context.Context, a answering) (answer.Writer, error) {
	g, info, err := s.generator(ctx, a.model)
	if err != nil {
		return answer.Writer{}, err
	}
	return answer.Writer{
		Info: info, Model: s.remembering(g, a.fresh), Prompt: s.promptOf, Limit: a.window,
		Counter: answer.Counter{Count: s.vocabulary(g, info).CountTokens, Bound: boundTokens},
		Window:  func(need int) int { return llm.Window(need, a.window, info.Context) },
	}, nil
}

// generator is a language model on its host.
func (s *Service) generator(ctx context.Context, model string) (*llm.Generator, rag.GeneratorInfo, error) {
	chooser, err := s.chooser()
	if err != nil {
		return nil, rag.GeneratorInfo{}, err
	}
	g, _, err := chooser.Generator(ctx, model)
	if err != nil {
		return nil, rag.GeneratorInfo{}, err
	}
	info, err := g.Info(ctx)
	return g, info, err
}

// remembering keeps the model's replies in the workspace and gives them again, unless
// a fresh one is wanted.
func (s *Service) remembering(g *llm.Generator, fresh bool) rag.Generator {
	var kept llm.Replies = llm.Folder(filepath.Join(s.cfg.Workspace, "replies"))
	if fresh {
		kept = forgotten{kept}
	}
	return llm.NewCached(g, kept)
}

// vocabulary is the generator that has fetched the vocabulary of a model, if one did:
// it is some megabytes and the same for every question.
func (s *Service) vocabulary(g *llm.Generator, info rag.GeneratorInfo) *llm.Generator {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := info.Host + " " + info.Digest
	if s.vocabularies[key] == nil {
		s.vocabularies = map[string]*llm.Generator{key: g} // the last model's alone
	}
	return s.vocabularies[key]
}

func boundTokens(text string) int { return llm.EstimateTokens(text).High }

// forgotten keeps new replies and knows no earlier ones.
type forgotten struct{ llm.Replies }

// Get implements llm.Replies.
func (forgotten) Get(context.Context, string) ([]byte, bool, error) { return nil, false, nil }

// unanswered is the prompt that a model would be asked with, and no answer.
func (s *Service) unanswered(ctx context.Context, q inquiry, f found) (answered, error) {
	t, err := s.promptOf(answer.KindGrounded, q.lang)
	if err != nil {
		return answered{}, err
	}
	c, err := answer.Survey(ctx, answer.Counter{Bound: boundTokens}, t, q.text, f.Hits, f.order)
	if err != nil {
		return answered{}, err
	}
	return answered{
		prompt: t.Prompt(q.text, f.Hits, f.order), template: t, context: c, cut: []string{}, fingerprint: f.fingerprint,
	}, nil
}

// written answers with a language model.
func (s *Service) written(ctx context.Context, w answer.Writer, q inquiry, f found) (answered, error) {
	var err error
	if w.Evidence, err = s.evidence(ctx, q); err != nil {
		return answered{}, err
	}
	w.Order = f.order
	a, err := w.Write(ctx, q.lang, q.text, f.Hits, q.say)
	if err != nil {
		return answered{}, err
	}
	out := answered{
		Answer: a.Answer, prompt: a.Prompt, template: a.Template, context: a.Context, model: w.Info.Model, demonstration: w.Info.Demonstration,
		evidence: w.Evidence, cut: []string{}, fingerprint: f.fingerprint,
	}
	if !a.Asked {
		return out, out.support(ctx, nil)
	}
	for _, h := range f.Hits[a.Context.Shown:] {
		out.cut = append(out.cut, string(h.Chunk.ID))
	}
	out.warnings = unseen(a, f.Hits)
	out.took = a.Took
	out.usage = &api.Usage{PromptTokens: a.Reply.Usage.PromptTokens, CompletionTokens: a.Reply.Usage.ReplyTokens}
	out.fingerprint = joined(f.fingerprint, a.Reply.Digest, out.template.Fingerprint(),
		fmt.Sprintf("seed 0 temperature 0 window %d reply %d", a.Context.Window, a.Context.ReplyTokens))
	return out, out.support(ctx, f.Hits[:a.Context.Shown])
}

// unseen warns of what was found and not read by the model, and of a reply that was cut.
func unseen(a answer.Written, hits []rag.Hit) []rag.Notice {
	var out []rag.Notice
	cut := make([]string, 0, len(hits))
	for _, h := range hits[a.Context.Shown:] {
		cut = append(cut, fmt.Sprintf("[%d] %s", h.Rank, h.Chunk.ID))
	}
	if len(cut) > 0 {
		out = append(out, rag.Notice{Code: "passages_cut", Detail: strings.Join(cut, ", ")})
	}
	if a.Context.Truncated {
		out = append(out, rag.Notice{Code: "prompt_truncated", Detail: fmt.Sprintf("%d / %d", a.Context.ReadTokens, a.Context.PromptTokens)})
	}
	if a.Asked && a.Reply.Done == rag.DoneLength {
		out = append(out, rag.Notice{Code: "reply_cut", Detail: strconv.Itoa(a.Context.ReplyTokens)})
	}
	if a.Abstained && len(cut) > 0 {
		out = append(out, rag.Notice{Code: "abstained_after_cut", Detail: fmt.Sprintf("%d / %d", a.Context.Shown, len(hits))})
	}
	return out
}

// joined is a fingerprint of fingerprints.
func joined(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:8])
}

// timingsOf adds the time of a model to those of retrieval.
func timingsOf(f found, a answered) map[string]*float64 {
	out := timings(f.Result, f.rewrite.took+f.took()+a.took)
	if f.rewrite.took > 0 {
		out["rewrite"] = milliseconds(f.rewrite.took)
	}
	if a.took > 0 {
		out["generate"] = milliseconds(a.took)
	}
	return out
}
