package llm

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/fault"
)

// vocabulary is a model's list of tokens.
type vocabulary struct {
	tokens map[string]struct{}
	// longest is the most bytes of a token.
	longest int
	// blank stands for a space within tokens; "" where tokens are spelled in the
	// visible characters of byte-level BPE.
	blank string
	// spelled are the characters that stand for bytes there.
	spelled [256]string
}

// maxToken bounds the tokens that are looked for: longer ones are runs of blanks.
const maxToken = 64

// newVocabulary reads a vocabulary of a kind ("tokenizer.ggml.model") that it
// knows: "gpt2" or "llama".
func newVocabulary(kind string, tokens []string) (*vocabulary, bool) {
	v := &vocabulary{tokens: make(map[string]struct{}, len(tokens))}
	switch kind {
	case "llama":
		v.blank = "▁"
	case "gpt2":
		v.spelled = spelling()
	default:
		return nil, false
	}
	for _, t := range tokens {
		if len(t) <= maxToken {
			v.tokens[t] = struct{}{}
			v.longest = max(v.longest, len(t))
		}
	}
	return v, len(v.tokens) > 0
}

// spelling is the table of byte-level BPE: printable Latin-1 stands for itself, the
// 68 other bytes for the characters from U+0100 on, in order.
func spelling() [256]string {
	var table [256]string
	next := rune(256)
	for b := range table {
		if (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE {
			table[b] = string(rune(b))
			continue
		}
		table[b] = string(next)
		next++
	}
	return table
}

// count is the number of tokens when the longest one is taken each time. Byte-pair
// encoding merges by rank instead, which comes to about as many.
func (v *vocabulary) count(text string) int {
	if v.blank != "" {
		text = strings.ReplaceAll(text, " ", v.blank)
	} else {
		var b strings.Builder
		for i := range len(text) {
			b.WriteString(v.spelled[text[i]])
		}
		text = b.String()
	}
	n := 0
	for text != "" {
		size := v.match(text)
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text)
			if v.blank != "" { // bytes stand for a character that is in no token
				n += size - 1
			}
		}
		text = text[size:]
		n++
	}
	return n
}

// match is the length of the longest token that text starts with.
func (v *vocabulary) match(text string) int {
	for size := min(v.longest, len(text)); size > 0; size-- {
		if size < len(text) && !utf8.RuneStart(text[size]) {
			continue
		}
		if _, ok := v.tokens[text[:size]]; ok {
			return size
		}
	}
	return 0
}

// CountTokens counts the tokens of each text by the model's own vocabulary, without
// those of the chat template. A count is within a few tokens in a hundred of the
// model's; the fault "llm_unsupported" means that the vocabulary is of another kind,
// for which EstimateTokens gives bounds. The first call fetches the vocabulary, some
// megabytes from the host.
func (g *Generator) CountTokens(ctx context.Context, texts []string) ([]int, error) {
	v, err := g.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = v.count(text)
	}
	return out, nil
}

func (g *Generator) vocabulary(ctx context.Context) (*vocabulary, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.vocab != nil {
		return g.vocab, nil
	}
	var s struct {
		Info struct {
			Kind   string   `json:"tokenizer.ggml.model"`
			Tokens []string `json:"tokenizer.ggml.tokens"`
		} `json:"model_info"`
	}
	in := map[string]any{"model": g.name, "verbose": true}
	if err := g.client.ask(ctx, http.MethodPost, "/api/show", g.name, in, &s); err != nil {
		return nil, err
	}
	v, ok := newVocabulary(s.Info.Kind, s.Info.Tokens)
	if !ok {
		return nil, fault.New("llm_unsupported", fault.P("model", g.name), fault.P("detail", "vocabulary "+s.Info.Kind))
	}
	g.vocab = v
	return v, nil
}
