package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func TestAnEditedPromptIsWhatTheModelReads(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	before := ask(t, s, api.AskRequest{})
	edited, err := s.EditPrompt(t.Context(), api.EditPromptRequest{Name: "grounded.zh", Text: "资料如下：\n{passages}\n请回答：{question}"})
	if err != nil || !edited.Edited || edited.Fingerprint == before.Context.TemplateFingerprint {
		t.Fatalf("edited: %+v, %v", edited, err)
	}
	after := ask(t, s, api.AskRequest{})
	chats := f.asked()
	if sent := chats[len(chats)-1].text(); sent != after.Prompt || !strings.HasPrefix(sent, "资料如下：\n[1] 来源：") || !strings.HasSuffix(sent, "请回答：年假有几天") {
		t.Errorf("sent %q", sent)
	}
	if after.Fingerprint == before.Fingerprint || after.Context.Template != "grounded.zh" || after.Context.TemplateFingerprint != edited.Fingerprint {
		t.Errorf("fingerprints %s and %s, %+v", before.Fingerprint, after.Fingerprint, after.Context)
	}
	if _, err := s.EditPrompt(t.Context(), api.EditPromptRequest{Name: "grounded.zh", Text: "请回答：{question}"}); !fault.Is(err, "prompt_placeholder_missing") {
		t.Errorf("a wording without passages: %v", err)
	}
	if again := ask(t, s, api.AskRequest{}); again.Prompt != after.Prompt {
		t.Error("a refused wording took the place of the good one")
	}
	if _, err := s.ResetPrompt(t.Context(), api.PromptRequest{Name: "grounded.zh"}); err != nil {
		t.Fatal(err)
	}
	if reset := ask(t, s, api.AskRequest{}); reset.Prompt != before.Prompt || reset.Fingerprint != before.Fingerprint {
		t.Errorf("after the reset: %q", reset.Prompt)
	}
}

func TestAPromptThatWasBrokenByHand(t *testing.T) {
	t.Parallel()
	s := filled(t)
	if _, err := s.EditPrompt(t.Context(), api.EditPromptRequest{Name: "grounded.zh", Text: "{passages}{question}"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.promptFile("grounded.zh"), []byte("{passage} {question}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假有几天"}); !fault.Is(err, "prompt_placeholder_unknown") || fault.Of(err).Params["placeholder"] != "{passage}" {
		t.Errorf("ask: %v", err)
	}
	// A search builds no prompt; its fingerprint is that of the file as it is.
	prints := map[string]bool{}
	for _, wording := range []string{"{passage} {question}", "broken", "broken\xff"} {
		if err := os.WriteFile(s.promptFile("grounded.zh"), []byte(wording), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假有几天", Strategy: "bm25"})
		if err != nil || len(out.Hits) == 0 {
			t.Errorf("search: %v", err)
		}
		prints[out.Fingerprint] = true
	}
	if len(prints) != 3 {
		t.Errorf("fingerprints %v", prints)
	}
	if _, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: "年假有几天", Strategies: []string{"bm25"}}); !fault.Is(err, "prompt_encoding") {
		t.Errorf("compare shows the prompt: %v", err)
	}
	if _, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "How many days of leave are there?", Language: "en"}); err != nil {
		t.Errorf("the other language's prompt is whole: %v", err)
	}
	list, err := s.ListPrompts(t.Context(), api.ListPromptsRequest{})
	if err != nil || len(list.Prompts) != len(answer.Names()) {
		t.Fatalf("list: %+v, %v", list, err)
	}
	for _, p := range list.Prompts {
		if broken := p.Name == "grounded.zh"; broken != (p.Error != nil) || p.Edited != broken {
			t.Errorf("%s: %+v", p.Name, p)
		}
	}
	if _, err := s.EditPrompt(t.Context(), api.EditPromptRequest{Name: "poem.zh", Text: "{question}"}); !fault.Is(err, "prompt_unknown") {
		t.Errorf("an unknown prompt: %v", err)
	}
}

// TestANeedleThatDidNotFitIsReported asks a model with a small window about what
// stands in one of thirty long passages.
func TestANeedleThatDidNotFitIsReported(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	filler := strings.Repeat("港口大门有一个密码，大门的密码由港口办公室保管。", 17)
	for i := range 30 {
		files[fmt.Sprintf("gate%02d.txt", i)] = fmt.Sprintf("第%d号通知。%s", i+1, filler)
	}
	files["needle.txt"] = strings.Repeat("船只日夜往来，潮水按时涨落，海鸥停在防波堤上。", 17) + "港口用7351开启。"
	s := service(t)
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: []string{folder(t, files)}, Chunker: "chars", ChunkSize: ptr(500), ChunkOverlap: ptr(0)})
	if j = ended(t, s, j, err); j.State != "done" || j.Report.Totals["indexed"] != 31 {
		t.Fatalf("ingested: %+v", j.Report)
	}
	f := newOllama(t)
	f.letters = filler + files["needle.txt"] + "0123456789"
	f.read = 1400
	f.reply = func(prompt string) string {
		if strings.Contains(prompt, "7351") {
			return "密码是7351[1]。"
		}
		return answer.Refusal("zh")
	}
	out := ask(t, f.with(t, s), api.AskRequest{Query: "港口大门的密码是多少", Strategy: "bm25", NumCtx: 2048, Retrieval: api.Retrieval{TopK: ptr(40)}})
	needle := ""
	for _, h := range out.Hits {
		if strings.Contains(h.Text, "7351") {
			needle = h.ChunkID
		}
	}
	if needle == "" || len(out.Hits) < 30 {
		t.Fatalf("%d hits, needle %q", len(out.Hits), needle)
	}
	codes := map[string]string{}
	for _, w := range out.Warnings {
		codes[w.Code] = w.Detail
	}
	if !strings.Contains(codes["passages_cut"], needle) || codes["abstained_after_cut"] == "" || !out.Abstained {
		t.Errorf("warnings %v", codes)
	}
	chats := f.asked()
	if sent := chats[len(chats)-1]; sent.Options["num_ctx"] != 2048.0 || sent.text() != out.Prompt || strings.Contains(out.Prompt, "7351") {
		t.Errorf("sent %v", sent.Options)
	}
	c := out.Context
	if *c.Window != 2048 || c.CountedBy != "tokenizer" || *c.ReadTokens != 1400 || c.PromptTokens+*c.ReplyTokens > 2048 || len(c.Passages) != len(out.Hits) || len(out.Cut) < 27 {
		t.Errorf("context %+v, %d cut", c, len(out.Cut))
	}
	total := float64(c.FrameTokens) / float64(c.PromptTokens)
	for i, p := range c.Passages {
		total += p.Share
		if (p.Position == nil) != (p.Share == 0) || p.Rank != i+1 || p.Tokens < 300 {
			t.Errorf("passage %+v", p)
		}
	}
	if total < 0.999 || total > 1.001 {
		t.Errorf("shares add up to %f", total)
	}

	f.read = 2800
	whole := ask(t, f.with(t, s), api.AskRequest{Query: "港口大门的密码是多少", Strategy: "bm25", Retrieval: api.Retrieval{TopK: ptr(5), Options: &api.RetrievalOptions{ContextOrder: ptr("edges")}}})
	if len(whole.Warnings) != 0 || whole.Context.Order != "edges" || *whole.Context.Passages[1].Position != 5 {
		t.Errorf("all five fit: %+v, %v", whole.Context, whole.Warnings)
	}
	if _, err := f.with(t, s).Ask(t.Context(), api.AskRequest{KB: "kb", Query: "密码", Model: "tiny", NumCtx: -1}); !fault.Is(err, "pipeline_invalid") {
		t.Errorf("a window below 0: %v", err)
	}
}

func TestABrokenPromptHindersOnlyItsOwnAnswers(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	for name, content := range map[string]string{"grounded.en": "broken", "condense.zh": "{nothing}"} {
		if err := os.MkdirAll(filepath.Dir(s.promptFile(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.promptFile(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask(t, s, api.AskRequest{})
	_, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "How many days of leave?", Model: "tiny", Language: "en"})
	if !fault.Is(err, "prompt_placeholder_missing") {
		t.Errorf("a broken prompt is used: %v", err)
	}
}

func TestAnAnswerThatWasCutSaysSo(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	for done, want := range map[string]int{"stop": 0, "length": 1} {
		f.done = done
		out := ask(t, s, api.AskRequest{Fresh: true})
		if len(out.Warnings) != want || want == 1 && out.Warnings[0].Code != "reply_cut" {
			t.Errorf("%s: %+v", done, out.Warnings)
		}
	}
}
