package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/llm"
	"ragdesk/backend/llm/engine"
	"ragdesk/backend/rag"
)

// ollama is a host of one model, "tiny", that behaves as a test says.
type ollama struct {
	// done is why a reply ends.
	done string
	*httptest.Server
	// reply is what the model writes to a prompt.
	reply func(prompt string) string
	// window is the model's own; read is how many tokens it says to have read.
	window, read int
	// silent makes it say nothing after its first word, base leaves out its template.
	silent, base bool
	// letters are the model's vocabulary: a token each; empty tells none.
	letters string

	// step, when set, makes it wait for one of step before each word after the first.
	step chan struct{}

	mu    sync.Mutex
	chats []chat
	// open counts the requests that it is writing.
	open int
}

// chat is a request as the host got it, of either endpoint.
type chat struct {
	Model    string        `json:"model"`
	Messages []rag.Message `json:"messages"`
	Prompt   string        `json:"prompt"`
	Raw      bool          `json:"raw"`
	Options  map[string]any
}

// text is what the model reads.
func (c chat) text() string {
	if len(c.Messages) == 1 {
		return c.Messages[0].Content
	}
	return c.Prompt
}

func newOllama(t *testing.T) *ollama {
	t.Helper()
	f := &ollama{done: rag.DoneStop, window: 8192, read: 300, reply: func(string) string { return "年假是每年十天 [1]。" }}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version":"0.9.6"}`) })
	mux.HandleFunc("/api/tags", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"models":[{"name":"tiny:latest","digest":"d1","size":98000000,"modified_at":"2026-01-01T00:00:00Z","details":{"quantization_level":"Q4_1"}}]}`)
	})
	mux.HandleFunc("/api/ps", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"models":[{"name":"tiny:latest","size":150000000}]}`)
	})
	mux.HandleFunc("/api/show", func(w http.ResponseWriter, _ *http.Request) {
		template := "<|user|>{{ .Prompt }}"
		if f.base {
			template = "{{ .Prompt }}"
		}
		tokens, _ := json.Marshal(strings.Split(f.letters, ""))
		vocabulary := ""
		if f.letters != "" {
			vocabulary = fmt.Sprintf(`,"tokenizer.ggml.model":"llama","tokenizer.ggml.tokens":%s`, tokens)
		}
		fmt.Fprintf(w, `{"template":%q,"model_info":{"general.architecture":"llama","llama.context_length":%d%s},"capabilities":["completion"]}`, template, f.window, vocabulary)
	})
	mux.HandleFunc("/api/chat", f.chat)
	mux.HandleFunc("/api/generate", f.chat)
	f.Server = serving(t, mux).Server
	return f
}

// serving starts a host of what mux answers.
func serving(t *testing.T, mux *http.ServeMux) *ollama {
	t.Helper()
	f := &ollama{Server: httptest.NewServer(mux)}
	t.Cleanup(f.Close)
	return f
}

// chat streams a reply word by word.
func (f *ollama) chat(w http.ResponseWriter, r *http.Request) {
	var c chat
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	if err != nil || c.text() == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.chats = append(f.chats, c)
	f.open++
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.open--
		f.mu.Unlock()
	}()
	for i, word := range strings.SplitAfter(f.reply(c.text()), " ") {
		if f.step != nil && i > 0 {
			select {
			case <-f.step:
			case <-r.Context().Done():
				return
			}
		}
		out := map[string]any{"message": map[string]string{"content": word}}
		if c.Raw {
			out = map[string]any{"response": word}
		}
		line, _ := json.Marshal(out)
		fmt.Fprintf(w, "%s\n", line)
		w.(http.Flusher).Flush()
		if f.silent {
			<-r.Context().Done()
			return
		}
	}
	fmt.Fprintf(w, `{"done":true,"done_reason":%q,"prompt_eval_count":%d,"eval_count":12}`+"\n", f.done, f.read)
}

func (f *ollama) asked() []chat {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.chats)
}

// with is a service on another's workspace that knows the host.
func (f *ollama) with(t *testing.T, s *Service) *Service {
	t.Helper()
	return on(t, s.cfg.Workspace, llm.Hosts{Configured: f.URL, Timeouts: llm.Timeouts{First: 2 * time.Second, Idle: 200 * time.Millisecond}})
}

func on(t *testing.T, workspace string, hosts llm.Hosts) *Service {
	t.Helper()
	s, err := New(Config{Workspace: workspace, Models: filepath.Join(workspace, "models"), LLM: &hosts, Engine: filepath.Join(workspace, "engine")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ask(t *testing.T, s *Service, r api.AskRequest) api.AskResponse {
	t.Helper()
	r.KB, r.Model = "kb", "tiny"
	if r.Query == "" {
		r.Query = "年假有几天"
	}
	out, err := s.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheModelReadsWhatIsShown(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	base := filled(t)
	s := f.with(t, base)
	out := ask(t, s, api.AskRequest{})
	chats := f.asked()
	if len(chats) != 1 || chats[0].Messages[0] != (rag.Message{Role: "user", Content: out.Prompt}) {
		t.Fatalf("sent %+v, shown %q", chats, out.Prompt)
	}
	quoted, err := base.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假有几天"})
	if err != nil || quoted.Prompt != out.Prompt || quoted.Fingerprint == out.Fingerprint {
		t.Errorf("the extractive answer's prompt %q, fingerprint %s (%v)", quoted.Prompt, quoted.Fingerprint, err)
	}
	want := map[string]any{"seed": 0.0, "temperature": 0.0, "num_ctx": 4096.0, "num_predict": 1024.0}
	if diff := cmp.Diff(want, chats[0].Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&api.Usage{PromptTokens: 300, CompletionTokens: 12}, out.Usage); diff != "" {
		t.Errorf("usage: %s", diff)
	}
	if out.Model != "tiny:latest" || out.Demonstration || out.Answer != "年假是每年十天 [1]。" || out.Abstained || out.Truncated || len(out.Cut) != 0 || out.TimingsMS["generate"] == nil {
		t.Errorf("answer %+v", out)
	}
}

func TestABaseModelReadsThePromptRaw(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.base = true
	out := ask(t, f.with(t, filled(t)), api.AskRequest{})
	got := f.asked()[0]
	if !got.Raw || got.Prompt != out.Prompt || got.Options["stop"] == nil || got.Options["num_predict"] != 96.0 || out.Answer != "年假是每年十天 [1]。" {
		t.Errorf("sent %+v, answer %q", got, out.Answer)
	}
}

func TestCitationsOfAReply(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	rank := "1"
	f.reply = func(prompt string) string { // cite the passage that has it
		before, _, _ := strings.Cut(prompt, "入职满一年")
		rank = before[strings.LastIndex(before, "\n[")+2:][:1]
		return "员工每年享有十天年假【" + rank + "】。员工每年享有十二天年假[" + rank + "]。年假另有规定[99]。食堂中午开门。"
	}
	out := ask(t, s, api.AskRequest{})
	var states []string
	for _, c := range out.Citations {
		states = append(states, c.State)
		if (c.ChunkID == nil) != (c.Marker == 0 || c.Marker == 99) || (c.Span == nil) != (c.Quote == nil) {
			t.Errorf("citation %+v", c)
		}
	}
	if diff := cmp.Diff([]string{"verified", "weak", "wrong", "missing"}, states); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	doc, err := s.DocumentText(t.Context(), api.DocumentTextRequest{KB: "kb", Ref: "leave.md"})
	if c := out.Citations[0]; err != nil || string([]rune(doc.Text)[c.Span.Start:c.Span.End]) != *c.Quote || !strings.Contains(*c.Quote, "十天年假") {
		t.Errorf("quote %+v, %v", c, err)
	}

	if c := out.Check; c.Scorer != "late-interaction" || c.High != highEvidence || *c.CitationCoverage != 0.75 || *c.CitationAccuracy != 1./3 || len(c.Sentences) != 4 || !c.Sentences[0].Support.Supported || len(c.Used) == 0 || !c.Used[0].Cited {
		t.Errorf("check %+v", c)
	}

	f.reply = func(string) string { return answer.Refusal("zh") }
	if out = ask(t, s, api.AskRequest{Fresh: true}); !out.Abstained || len(out.Citations) != 0 {
		t.Errorf("a refusal: %+v", out)
	}
	asked := len(f.asked())
	none := ask(t, s, api.AskRequest{Query: "潮水", Retrieval: api.Retrieval{Thresholds: map[string]float64{"rerank": 2}}})
	if !none.Abstained || none.Answer != answer.Refusal("zh") || none.Usage != nil || len(f.asked()) != asked {
		t.Errorf("without hits: %+v", none)
	}
}

func TestPassagesThatDoNotFitAreNamed(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.window, f.read = 1024, 900
	s := f.with(t, filled(t))
	out := ask(t, s, api.AskRequest{Query: "潮水", Retrieval: api.Retrieval{TopK: ptr(8)}})
	if len(out.Cut) == 0 || len(out.Cut) >= len(out.Hits) {
		t.Fatalf("%d of %d hits are cut", len(out.Cut), len(out.Hits))
	}
	kept := len(out.Hits) - len(out.Cut)
	for i, h := range out.Hits {
		marked := strings.Contains(out.Prompt, fmt.Sprintf("\n[%d] 来源：", h.Rank))
		if marked != (i < kept) || i >= kept && out.Cut[i-kept] != h.ChunkID {
			t.Errorf("hit %d in the prompt: %t; cut %v", h.Rank, marked, out.Cut)
		}
	}
	chats := f.asked()
	if chats[0].Messages[0].Content != out.Prompt || chats[0].Options["num_ctx"] != 1024.0 {
		t.Errorf("sent %+v", chats[0])
	}

	f.window = 300
	_, err := f.with(t, s).Ask(t.Context(), api.AskRequest{KB: "kb", Query: "潮水", Model: "tiny"})
	if !fault.Is(err, "llm_context_exceeded") {
		t.Errorf("no passage fits: %v", err)
	}
}

func TestACutPromptIsFlagged(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.read = 4096
	if out := ask(t, f.with(t, filled(t)), api.AskRequest{}); !out.Truncated {
		t.Errorf("a full window: %+v", out.Usage)
	}
}

func TestRepliesAreKept(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	first := ask(t, s, api.AskRequest{})
	again := ask(t, f.with(t, s), api.AskRequest{})
	if len(f.asked()) != 1 || again.Answer != first.Answer || again.Fingerprint != first.Fingerprint {
		t.Errorf("asked %d times; %q, then %q", len(f.asked()), first.Answer, again.Answer)
	}
	if diff := cmp.Diff(first.Usage, again.Usage); diff != "" {
		t.Errorf("usage: %s", diff)
	}
	f.reply = func(string) string { return "年假十天。[1]" }
	if fresh := ask(t, s, api.AskRequest{Fresh: true}); len(f.asked()) != 2 || fresh.Answer != "年假十天。[1]" {
		t.Errorf("fresh: asked %d times, %q", len(f.asked()), fresh.Answer)
	}
	if after := ask(t, s, api.AskRequest{}); len(f.asked()) != 2 || after.Answer != "年假十天。[1]" {
		t.Errorf("a fresh reply is kept: %q", after.Answer)
	}
}

func TestStrategiesAreAnsweredAlike(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	out, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: "年假有几天", Strategies: []string{"vector", "bm25", "classic"}, Answer: true, Model: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	prompts := map[string]bool{}
	for _, c := range f.asked() {
		prompts[c.Messages[0].Content] = true
		if diff := cmp.Diff(f.asked()[0].Options, c.Options); diff != "" {
			t.Errorf("options differ:\n%s", diff)
		}
	}
	for _, col := range out.Strategies {
		if !prompts[col.Prompt] || col.Answer == nil || col.Usage == nil || len(col.Citations) == 0 {
			t.Errorf("%s: %+v", col.Strategy, col)
		}
	}
	// A model that answers alike leaves nothing that differs.
	if len(out.AnswerDiffs) != 2 || out.AnswerDiffs[0].Against != "vector" || out.AnswerDiffs[1].Strategy != "classic" || out.AnswerDiffs[1].Same != 1 {
		t.Errorf("differences %+v", out.AnswerDiffs)
	}
	if *out.Model != "tiny:latest" || len(prompts) != len(f.asked()) {
		t.Errorf("model %s; %d prompts, asked %d times", *out.Model, len(prompts), len(f.asked()))
	}
}

func TestFaultsOfAHostComeThrough(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	base := filled(t)
	s := f.with(t, base)
	_, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假", Model: "big"})
	if !fault.Is(err, "llm_model_missing") || fault.Of(err).Params["model"] != "big" {
		t.Errorf("a missing model: %v", err)
	}
	f.silent = true
	_, err = s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假", Model: "tiny"})
	if !fault.Is(err, "llm_stalled") {
		t.Errorf("a silent model: %v", err)
	}
	f.silent, f.reply = false, func(string) string { return " \n" }
	_, err = s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假", Model: "tiny"})
	if !fault.Is(err, "llm_reply_invalid") {
		t.Errorf("an empty reply: %v", err)
	}
	for host, code := range map[string]string{"http://192.0.2.1": "llm_remote", "127.0.0.1:1": "llm_unreachable", "a b://": "llm_host_invalid"} {
		s := on(t, base.cfg.Workspace, llm.Hosts{Configured: host})
		if _, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假", Model: "tiny"}); !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", host, err, code)
		}
		if _, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假"}); err != nil {
			t.Errorf("%s: the extractive answer needs no host: %v", host, err)
		}
	}
}

func TestEngineStatus(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	dir := t.TempDir()
	got, err := on(t, dir, llm.Hosts{Configured: f.URL}).EngineStatus(t.Context(), api.EngineStatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want := api.EngineStatus{
		Source: "configured", Host: ptr(strings.TrimPrefix(f.URL, "http://")), Version: ptr("0.9.6"), State: "running",
		Models: []api.EngineModel{{Name: "tiny:latest", Bytes: 98000000, Quantization: "Q4_1", Context: ptr(8192), Chat: true,
			Loaded: ptr(int64(150000000)), Memory: 98000000*11/10 + 200_000_000}},
		DefaultModel: "extractive", FreeMemory: got.FreeMemory,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	got, err = on(t, dir, llm.Hosts{Ollama: strings.TrimPrefix(f.URL, "http://")}).EngineStatus(t.Context(), api.EngineStatusRequest{})
	if err != nil || got.Source != "ollama" || len(got.Models) != 1 {
		t.Errorf("an Ollama that runs: %+v, %v", got, err)
	}
	got, err = on(t, dir, llm.Hosts{Configured: "127.0.0.1:1"}).EngineStatus(t.Context(), api.EngineStatusRequest{})
	if err != nil || got.State != "unreachable" || got.Error.Code != "llm_unreachable" || got.Models == nil {
		t.Errorf("a host that is not there: %+v, %v", got, err)
	}
	ctx := i18n.WithLanguage(t.Context(), i18n.Chinese)
	if engine.Available() {
		return
	}
	got, err = on(t, dir, llm.Hosts{Ollama: "127.0.0.1:1"}).EngineStatus(ctx, api.EngineStatusRequest{})
	if err != nil || got.Source != "none" || got.State != "unavailable" || got.Error.Code != "llm_none" || !strings.Contains(got.Error.Message, "ollama serve") || got.Host != nil || got.Models == nil {
		t.Errorf("no host: %+v, %v", got, err)
	}
}

// TestEvidenceIsNotFooledByASharedSubject holds the threshold against the real model:
// sentences on a passage's subject that say something else, and the passage itself.
func TestEvidenceIsNotFooledByASharedSubject(t *testing.T) {
	t.Parallel()
	s := filled(t)
	scorer, err := s.libraryScorer(t.Context(), "kb")
	if err != nil {
		t.Fatal(err)
	}
	for passage, others := range map[string][]string{
		"病假凭医院证明，工资照发八成。": {"病假期间工资全额发放。", "会议室需要预约。"},
		"年假须提前三天申请。":      {"年假可以折算成现金发给员工。", "年假由人事部门统一安排时间。"},
		"Employees are entitled to ten days of paid leave a year.": {
			"Employees who are sick must call before nine.", "Paid leave can be carried over to the next year.",
		},
	} {
		for _, sentence := range append(others, passage) {
			scores, err := scorer.Rerank(t.Context(), sentence, []rag.Passage{{ID: "x", Text: passage}})
			if err != nil {
				t.Fatal(err)
			}
			if high := scores[0].Score >= highEvidence; high != (sentence == passage) {
				t.Errorf("%q on %q: %.3f", sentence, passage, scores[0].Score)
			}
		}
	}
}
