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
	asked []rag.GenerateRequest
}

func (s *scripted) Generate(_ context.Context, r rag.GenerateRequest, _ func(string) error) (rag.Generation, error) {
	s.asked = append(s.asked, r)
	return rag.Generation{Text: s.reply, Digest: "d", Done: rag.DoneStop}, nil
}

func (s *scripted) Info(context.Context) (rag.GeneratorInfo, error) { return rag.GeneratorInfo{}, nil }

// writer counts a token a character and bounds it at three.
func writer(m *scripted, info rag.GeneratorInfo) answer.Writer {
	return answer.Writer{
		Info: info, Model: m,
		Count: func(_ context.Context, texts []string) ([]int, error) { return []int{len([]rune(texts[0]))}, nil },
		Bound: func(s string) int { return 3 * len([]rune(s)) }, Window: func(need int) int { return need },
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
	w, err := writer(m, rag.GeneratorInfo{Model: "m", Context: 4096, Chat: true}).Write(t.Context(), "zh", "年假几天？", passages(5, 1000))
	if err != nil {
		t.Fatal(err)
	}
	// 4096 less 1024 for the reply and 160 for the template hold two passages.
	if w.Shown != 2 || w.ReplyTokens != 1024 || !w.Asked || w.Text != m.reply {
		t.Errorf("shown %d, reply %d, asked %t, %q", w.Shown, w.ReplyTokens, w.Asked, w.Text)
	}
	sent := m.asked[0]
	if len(sent.Messages) != 1 || sent.Messages[0].Content != w.Prompt || sent.Options.Context != w.Window || sent.Options.Seed != 0 || sent.Options.Temperature != 0 {
		t.Errorf("sent %+v", sent)
	}
}

func TestABaseModelIsPromptedRawWithStops(t *testing.T) {
	t.Parallel()
	m := &scripted{reply: "十天。"}
	w, err := writer(m, rag.GeneratorInfo{Model: "m"}).Write(t.Context(), "zh", "年假几天？", passages(1, 50))
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
	w, err := writer(m, rag.GeneratorInfo{}).Write(t.Context(), "en", "How many?", nil)
	if err != nil || len(m.asked) != 0 || w.Asked || !w.Abstained || w.Text != answer.Refusal("en") || w.Prompt == "" {
		t.Errorf("%+v, %v, asked %d times", w, err, len(m.asked))
	}
}

func TestWhatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	m := &scripted{reply: " \n"}
	if _, err := writer(m, rag.GeneratorInfo{Chat: true}).Write(t.Context(), "zh", "几天？", passages(1, 50)); !fault.Is(err, "llm_reply_invalid") {
		t.Errorf("an empty reply: %v", err)
	}
	long := writer(m, rag.GeneratorInfo{Model: "m", Context: 512, Chat: true})
	if _, err := long.Write(t.Context(), "zh", "几天？", passages(2, 1000)); !fault.Is(err, "llm_context_exceeded") {
		t.Errorf("a passage beyond the window: %v", err)
	}
	broken := errors.New("no host")
	long.Count = func(context.Context, []string) ([]int, error) { return nil, broken }
	if _, err := long.Write(t.Context(), "zh", "几天？", passages(1, 1000)); !errors.Is(err, broken) {
		t.Errorf("a count that fails: %v", err)
	}
	long.Count = func(context.Context, []string) ([]int, error) { return nil, fault.New("llm_unsupported") }
	if _, err := long.Write(t.Context(), "zh", "几天？", passages(1, 1000)); !fault.Is(err, "llm_context_exceeded") {
		t.Errorf("a model that counts nothing: %v", err)
	}
}
