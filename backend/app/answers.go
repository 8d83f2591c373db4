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
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
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
	// fingerprint is that of the hits with the model's added.
	fingerprint string
	// took is the time of the model, 0 without one.
	took time.Duration
}

// answerer answers from hits.
type answerer func(ctx context.Context, q inquiry, f found) (answered, error)

// answerer returns the answerer of that name: the extractive one, which asks no host,
// or a language model. The model's earlier replies are not used when fresh is set.
func (s *Service) answerer(ctx context.Context, model string, fresh bool) (answerer, error) {
	if model == "" || model == answer.ExtractiveModel {
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
	w := writer{info: info, model: llm.NewCached(g, kept), count: g.CountTokens}
	return func(ctx context.Context, q inquiry, f found) (answered, error) {
		scorer, err := s.libraryScorer(ctx, q.kb)
		if err != nil {
			return answered{}, err
		}
		return w.answer(ctx, answer.Evidence{Scorer: scorer, High: highEvidence}, q, f)
	}, nil
}

// highEvidence is the late-interaction score, 0.77 at most, from which a passage bears
// a sentence out that shares few words with it. Sentences on the same subject that say
// something else reach 0.54, as do fair paraphrases: below that, the score tells
// subjects apart and not statements.
const highEvidence = 0.6

// quoted answers without a language model.
func (s *Service) quoted(ctx context.Context, q inquiry, f found) (answered, error) {
	a, err := s.extract(ctx, q.kb, q.lang, q.text, f.Hits)
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

// writer answers with a language model.
type writer struct {
	info  rag.GeneratorInfo
	model rag.Generator
	// count counts tokens by the model's vocabulary.
	count func(ctx context.Context, texts []string) ([]int, error)
}

const (
	// unknownWindow is the window of a model that does not tell its own, and the
	// smallest that is asked for, unless the model's is smaller.
	unknownWindow = 4096
	// templateTokens is what a chat template adds at most.
	templateTokens = 160
)

// answer asks the model. The prompt is sent as answer.Prompt makes it, with seed 0
// and temperature 0, so that an equal question gets an equal reply.
func (w writer) answer(ctx context.Context, e answer.Evidence, q inquiry, f found) (answered, error) {
	out := answered{model: w.info.Model, cut: []string{}}
	if len(f.Hits) == 0 { // the prompt would ask for the refusal
		out.prompt, out.fingerprint = answer.Prompt(q.lang, q.text, nil), f.fingerprint
		out.Answer = answer.Answer{Text: answer.Refusal(q.lang), Abstained: true}
		return out, nil
	}
	fitted, err := w.fit(ctx, q, f.Hits)
	if err != nil {
		return answered{}, err
	}
	for _, h := range f.Hits[fitted.hits:] {
		out.cut = append(out.cut, string(h.Chunk.ID))
	}
	req := rag.GenerateRequest{Options: rag.GenerateOptions{Context: fitted.window, MaxTokens: fitted.reply}}
	if w.info.Chat {
		req.Messages = []rag.Message{{Role: "user", Content: fitted.prompt}}
	} else { // a base model goes on with the text, and would with further questions
		req.Prompt, req.Raw, req.Options.Stop = fitted.prompt, true, []string{"\n\n", "\nQuestion:", "\n问题："}
	}
	start := time.Now()
	reply, err := w.model.Generate(ctx, req, nil)
	if err != nil {
		return answered{}, err
	}
	if strings.TrimSpace(reply.Text) == "" {
		return answered{}, fault.New("llm_reply_invalid", fault.P("detail", "empty, ended by "+reply.Done))
	}
	out.took = time.Since(start)
	out.prompt, out.truncated = fitted.prompt, reply.Cut
	out.usage = &api.Usage{PromptTokens: reply.Usage.PromptTokens, CompletionTokens: reply.Usage.ReplyTokens}
	out.fingerprint = joined(f.fingerprint, reply.Digest, fmt.Sprintf("seed 0 temperature 0 window %d reply %d", fitted.window, fitted.reply))
	out.Answer, err = answer.Check(ctx, e, reply.Text, f.Hits[:fitted.hits])
	return out, err
}

// fitted is a prompt that fits the model's window.
type fitted struct {
	prompt string
	// hits is how many of the first hits are in it.
	hits int
	// window and reply are the tokens asked for, reply those of it for the answer.
	window, reply int
}

// fit leaves out the last passages until the prompt and the reply fit the model's
// window. The fault "llm_context_exceeded" means that not even one passage does.
func (w writer) fit(ctx context.Context, q inquiry, hits []rag.Hit) (fitted, error) {
	limit := w.info.Context
	if limit == 0 {
		limit = unknownWindow
	}
	reply := min(rag.DefaultMaxTokens, limit/4)
	room := limit - reply - templateTokens
	small := min(limit, unknownWindow) - reply - templateTokens
	for n := len(hits); ; n-- {
		prompt := answer.Prompt(q.lang, q.text, hits[:n])
		tokens, err := w.tokens(ctx, prompt, small)
		if err != nil {
			return fitted{}, err
		}
		if tokens <= room {
			window := llm.Window(max(unknownWindow, tokens+templateTokens+reply), 0, w.info.Context)
			return fitted{prompt, n, window, reply}, nil
		}
		if n <= 1 {
			return fitted{}, fault.New("llm_context_exceeded", fault.P("model", w.info.Model), fault.P("tokens", tokens+reply), fault.P("limit", limit))
		}
	}
}

// tokens bounds the tokens of a prompt from above. The model's vocabulary, which is
// large, is asked only when the estimate does not show that the prompt is small: an
// estimate of Chinese is up to three times what it takes, and so would be the window.
func (w writer) tokens(ctx context.Context, prompt string, small int) (int, error) {
	high := llm.EstimateTokens(prompt).High
	if high <= small {
		return high, nil
	}
	counts, err := w.count(ctx, []string{prompt})
	if fault.Is(err, "llm_unsupported") {
		return high, nil
	}
	if err != nil {
		return 0, err
	}
	return counts[0] + counts[0]/20, nil // a count is a few in a hundred off
}

// joined is a fingerprint of fingerprints.
func joined(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:8])
}

// timingsOf adds the time of a model to those of retrieval.
func timingsOf(f found, a answered) map[string]*float64 {
	out := timings(f.Result, f.took+a.took)
	if a.took > 0 {
		out["generate"] = milliseconds(a.took)
	}
	return out
}
