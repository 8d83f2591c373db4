package answer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ragdesk/backend/answer"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// scripted replies with a text and keeps what it was asked.
type scripted struct {
	reply string
	// read is how many tokens the host says the model read.
	read  int
	asked []rag.GenerateRequest
}

func (s *scripted) Generate(_ context.Context, r rag.GenerateRequest, _ func(string) error) (rag.Generation, error) {
	s.asked = append(s.asked, r)
	return rag.Generation{Text: s.reply, Digest: "d", Done: rag.DoneStop, Usage: rag.Usage{PromptTokens: s.read}}, nil
}

func (s *scripted) Info(context.Context) (rag.GeneratorInfo, error) { return rag.GeneratorInfo{}, nil }

// writer counts a token a character and bounds it at three.
func writer(m *scripted, info rag.GeneratorInfo) answer.Writer {
	count := func(_ context.Context, texts []string) ([]int, error) {
		counts := make([]int, len(texts))
		for i, text := range texts {
			counts[i] = len([]rune(text))
		}
		return counts, nil
	}
	return answer.Writer{
		Info: info, Model: m, Counter: answer.Counter{Count: count, Bound: func(s string) int { return 3 * len([]rune(s)) }},
		Window: func(need int) int { return need },
	}
}

func passages(n, length int) []rag.Hit {
	hits := make([]rag.Hit, n)
	for i := range hits {
		hits[i] = rag.Hit{Rank: i + 1, Source: "a.txt", Chunk: rag.Chunk{ID: rag.ChunkID(fmt.Sprint("c", i)), Text: strings.Repeat("年假十天。", length/5)}}
	}
	return hits
}

func TestPassagesThatDoNotFitAreLeftOutFromTheEnd(t *testing.T) {
	t.Parallel()
	m := &scripted{reply: "年假十天[1]。"}
	w, err := writer(m, rag.GeneratorInfo{Model: "m", Context: 4096, Chat: true}).Write(t.Context(), "zh", "年假几天？", passages(5, 1000), nil)
	if err != nil {
		t.Fatal(err)
	}
	// 4096 less 1024 for the reply and 160 for the template hold two passages.
	if w.Context.Shown != 2 || w.Context.ReplyTokens != 1024 || !w.Asked || w.Text != m.reply {
		t.Errorf("shown %d, reply %d, asked %t, %q", w.Context.Shown, w.Context.ReplyTokens, w.Asked, w.Text)
	}
	sent := m.asked[0]
	if len(sent.Messages) != 1 || sent.Messages[0].Content != w.Prompt || sent.Options.Context != w.Context.Window || sent.Options.Seed != 0 || sent.Options.Temperature != 0 {
		t.Errorf("sent %+v", sent)
	}
}

func TestABaseModelIsPromptedRawWithStops(t *testing.T) {
	t.Parallel()
	m := &scripted{reply: "十天。"}
	w, err := writer(m, rag.GeneratorInfo{Model: "m"}).Write(t.Context(), "zh", "年假几天？", passages(1, 50), nil)
	if err != nil {
		t.Fatal(err)
	}
	if sent := m.asked[0]; !sent.Raw || sent.Prompt != w.Prompt || len(sent.Options.Stop) == 0 || len(sent.Messages) != 0 {
		t.Errorf("sent %+v", sent)
	}
}

func TestWithoutHitsNobodyIsAsked(t *testing.T) {
	t.Parallel()
	m := &scripted{}
	w, err := writer(m, rag.GeneratorInfo{}).Write(t.Context(), "en", "How many?", nil, nil)
	if err != nil || len(m.asked) != 0 || w.Asked || !w.Abstained || w.Text != answer.Refusal("en") || w.Prompt == "" {
		t.Errorf("%+v, %v, asked %d times", w, err, len(m.asked))
	}
}

func TestWhatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	m := &scripted{reply: " \n"}
	if _, err := writer(m, rag.GeneratorInfo{Chat: true}).Write(t.Context(), "zh", "几天？", passages(1, 50), nil); !fault.Is(err, "llm_reply_invalid") {
		t.Errorf("an empty reply: %v", err)
	}
	long := writer(m, rag.GeneratorInfo{Model: "m", Context: 512, Chat: true})
	if _, err := long.Write(t.Context(), "zh", "几天？", passages(2, 1000), nil); !fault.Is(err, "llm_context_exceeded") {
		t.Errorf("a passage beyond the window: %v", err)
	}
	broken := errors.New("no host")
	long.Counter.Count = func(context.Context, []string) ([]int, error) { return nil, broken }
	if _, err := long.Write(t.Context(), "zh", "几天？", passages(1, 1000), nil); !errors.Is(err, broken) {
		t.Errorf("a count that fails: %v", err)
	}
	long.Counter.Count = func(context.Context, []string) ([]int, error) { return nil, fault.New("llm_unsupported") }
	if _, err := long.Write(t.Context(), "zh", "几天？", passages(1, 1000), nil); !fault.Is(err, "llm_context_exceeded") {
		t.Errorf("a model that counts nothing: %v", err)
	}
}

// TestThirtyPassagesAndAWindowOf2048 holds that what is cut is named, hit by hit, and
// that the numbers add up.
func TestThirtyPassagesAndAWindowOf2048(t *testing.T) {
	t.Parallel()
	m := &scripted{reply: answer.Refusal("zh")}
	hits := passages(30, 400)
	hits[17].Chunk.Text = "保险柜的密码是七三五一。" + hits[17].Chunk.Text
	for _, order := range []rag.ContextOrder{rag.OrderRelevance, rag.OrderEdges} {
		w := writer(m, rag.GeneratorInfo{Model: "m", Context: 8192, Chat: true})
		w.Limit, w.Order = 2048, order
		out, err := w.Write(t.Context(), "zh", "保险柜的密码是什么？", hits, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := out.Context
		if c.Shown < 1 || c.Shown > 4 || c.Window != 2048 || c.ReplyTokens != 512 || c.CountedBy != answer.ByTokenizer {
			t.Errorf("%s: %+v", order, c)
		}
		sum, positions := c.FrameTokens, map[int]bool{}
		for i, p := range c.Passages {
			if inPrompt := strings.Contains(out.Prompt, fmt.Sprintf("[%d] 来源：a.txt\n```\n%s\n```", i+1, hits[i].Chunk.Text)); inPrompt != (i < c.Shown) || inPrompt != (p.Position > 0) {
				t.Errorf("%s: passage %d at %d, in the prompt: %t", order, i+1, p.Position, inPrompt)
			}
			if p.Position > 0 {
				sum += p.Tokens
				positions[p.Position] = true
			}
		}
		if sum != c.PromptTokens || c.PromptTokens+c.ReplyTokens > 2048 || len(positions) != c.Shown {
			t.Errorf("%s: %d tokens, together %d; places %v", order, c.PromptTokens, sum, positions)
		}
		if strings.Contains(out.Prompt, "七三五一") || !out.Abstained || m.asked[len(m.asked)-1].Options.Context != 2048 {
			t.Errorf("%s: the needle in the prompt, abstained %t", order, out.Abstained)
		}
	}
}

func TestAModelThatReadLessIsFlagged(t *testing.T) {
	t.Parallel()
	for read, want := range map[int]bool{0: false, 100: true, 1200: false} {
		w, err := writer(&scripted{reply: "十天。[1]", read: read}, rag.GeneratorInfo{Context: 8192, Chat: true}).Write(t.Context(), "zh", "几天？", passages(1, 1000), nil)
		if err != nil || w.Context.Truncated != want || w.Context.ReadTokens != read {
			t.Errorf("read %d of %d: truncated %t (%v)", read, w.Context.PromptTokens, w.Context.Truncated, err)
		}
	}
	w := writer(&scripted{reply: "十天。[1]", read: 100}, rag.GeneratorInfo{Context: 8192, Chat: true})
	w.Counter.Count = nil
	if out, err := w.Write(t.Context(), "zh", "几天？", passages(1, 1000), nil); err != nil || out.Context.Truncated || out.Context.CountedBy != answer.ByEstimate {
		t.Errorf("a bound proves nothing: %+v (%v)", out.Context, err)
	}
}
