package cli_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// chatReply is what llmHost's model writes: marks where a schema asks for them, else the same
// answer to everything.
func chatReply(request string) string {
	var reply string
	switch {
	case strings.Contains(request, `"faithfulness"`):
		mark := `{\"reason\":\"工资按八成\",\"mark\":4}`
		reply = `{\"unsupported\":\"\",\"missing\":\"\",\"faithfulness\":` + mark + `,\"relevance\":` + mark + `,\"completeness\":` + mark + `}`
	case strings.Contains(request, `"second"`):
		reply = `{\"reason\":\"第一个更完整\",\"first\":4,\"second\":3}`
	default:
		return `{"message":{"content":"病假期间工资按八成发放 [1]。"}}
{"message":{"content":"食堂中午开门。"}}
{"done":true,"done_reason":"stop","prompt_eval_count":180,"eval_count":20}
`
	}
	return `{"message":{"content":"` + reply + `"}}
{"done":true,"done_reason":"stop","prompt_eval_count":180,"eval_count":60}
`
}

// llmHost is a host with one model, which answers and judges always alike.
func llmHost(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"/api/version": `{"version":"0.9.6"}`,
		"/api/tags":    `{"models":[{"name":"qwen3:1.7b","digest":"d1","size":1359293444,"modified_at":"2026-01-01T00:00:00Z","details":{"quantization_level":"Q4_K_M"}}]}`,
		"/api/ps":      `{"models":[{"name":"qwen3:1.7b","size":2300000000}]}`,
		"/api/show":    `{"template":"<|user|>{{ .Prompt }}","model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},"capabilities":["completion"]}`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
	}
	mux.HandleFunc("/api/chat", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, chatReply(string(body)))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestFormatsOfAJudge marks answers, probes the judge, and marks a run again.
func TestFormatsOfAJudge(t *testing.T) {
	t.Parallel()
	workspace, dir := copied(t), t.TempDir()
	env := []string{"RAGDESK_WORKSPACE=" + workspace, "RAGDESK_LLM_HOST=" + llmHost(t).URL}
	for name, content := range map[string]string{
		"items.jsonl": `{"id":"said","question":"病假工资按几成发放？","context":["病假期间工资按八成发放。"],"answer":"病假期间工资按八成发放。换句话说，病假期间工资按八成发放。"}
{"question":"年假有几天？","context":["员工每年享有十天年假。"],"answer":"资料中没有相关信息。"}
`,
		"questions.jsonl": `{"query_id":"a","question":"病假工资按几成发放？","gold":[{"doc":"leave.md"}]}
{"query_id":"b","question":"年假须提前几天申请？","gold":[{"doc":"leave.md"}]}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unsteady := regexp.MustCompile(`"(fingerprint|from|to|run)": "[^"]+"`)
	do := func(name string, args ...string) string {
		t.Helper()
		r := run(t.Context(), dir, append(args, "--json"), env...)
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%v: exit %d: %s%s", args, r.code, r.stdout, r.stderr)
		}
		if name != "" {
			golden(t, name, unsteady.ReplaceAllString(r.stdout, `"$1": "…"`))
		}
		return r.stdout
	}
	do("judge-mark.json", "judge", "mark", "items.jsonl", "--model", "qwen3:1.7b")
	do("", "eval", "--kb", "tree", "--dataset", "questions.jsonl", "--strategies", "bm25", "--metrics", "rubric_relevance", "--judge-model", "qwen3:1.7b")
	do("judge-probe.json", "judge", "probe", "2", "--model", "qwen3:1.7b")
	do("judge-rescore.json", "judge", "rescore", "2", "--model", "qwen3:1.7b")
	for want, args := range map[string][]string{
		"4  4  4  said":                         {"judge", "mark", "items.jsonl", "--model", "qwen3:1.7b"},
		"own answers against another.*not run":  {"judge", "probe", "2", "--model", "qwen3:1.7b"},
		"faithfulness: 4.000 before, 4.000 now": {"judge", "rescore", "2", "--model", "qwen3:1.7b"},
	} {
		r := run(t.Context(), dir, append(args, "--lang", "en"), env...)
		if r.code != 0 || !regexp.MustCompile(want).MatchString(r.stdout) {
			t.Errorf("%v: exit %d, no %q in\n%s%s", args, r.code, want, r.stdout, r.stderr)
		}
	}
}

// generated is the time a model took.
var generated = regexp.MustCompile(`"generate": [\d.]+`)

func TestFormatsWithALanguageModel(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	host := llmHost(t)
	env := []string{"RAGDESK_WORKSPACE=" + workspace, "RAGDESK_LLM_HOST=" + host.URL}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"engine-status.json", []string{"engine", "status"}},
		{"ask-model.json", []string{"ask", "--kb", "tree", "--top-k", "1", "--model", "qwen3:1.7b", "病假工资按几成发放"}},
	} {
		r := run(t.Context(), "testdata", append(c.args, "--json"), env...)
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%s: exit %d: %s%s", c.name, r.code, r.stdout, r.stderr)
		}
		out := strings.ReplaceAll(r.stdout, strings.TrimPrefix(host.URL, "http://"), "127.0.0.1:11434")
		golden(t, c.name, generated.ReplaceAllString(steady(out, workspace), `"generate": 0.5`))
	}
}

func TestAnswersOfALanguageModelInWords(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	env := []string{"RAGDESK_WORKSPACE=" + workspace, "RAGDESK_LLM_HOST=" + llmHost(t).URL}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"engine", "status"}, []string{"configured host  running · 127\\.0\\.0\\.1:", "qwen3:1.7b  1359 MB · Q4_K_M · 40960 tokens · 2300 MB in memory now · demonstration only", "no model is answered by extractive"}},
		{[]string{"models", "list"}, []string{"qwen3:1.7b +chat +1359 MB · Q4_K_M · zh/en · Apache-2.0 · 40960 tokens · about 1695 MB of memory.* · configured host · demonstration only",
			"qwen3:4b +chat +2600 MB · Q4_K_M · zh/en · Apache-2.0 · 40960 tokens · about 4268 MB of memory"}},
		{[]string{"ask", "--kb", "tree", "病假工资按几成发放"}, []string{"without a language model: quotes from the passages"}},
		{[]string{"ask", "--kb", "tree", "--model", "qwen3:1.7b", "病假工资按几成发放"}, []string{"按八成发放 \\[1\\]。食堂", "\\[1\\] tree/handbook/leave.md 78–98 \\(quote verified\\)", "食堂中午开门。 \\(no source\\)", "answered by qwen3:1.7b", "Demonstration only: "}},
		{[]string{"compare", "--kb", "tree", "--strategies", "bm25,classic", "--model", "qwen3:1.7b", "病假工资按几成发放"}, []string{"answer after classic", "按八成发放 \\[1\\]。食堂", "Demonstration only: "}},
	} {
		r := run(t.Context(), "", c.args, env...)
		for _, want := range c.want {
			if r.code != 0 || !regexp.MustCompile(want).MatchString(r.stdout) {
				t.Errorf("%v: exit %d, no %q in\n%s%s", c.args, r.code, want, r.stdout, r.stderr)
			}
		}
	}
}

// slowHost is llmHost whose model writes a word and then waits; ended tells that its
// request was given up.
func slowHost(t *testing.T) (host *httptest.Server, ended chan struct{}) {
	t.Helper()
	target, err := url.Parse(llmHost(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	whole := httputil.NewSingleHostReverseProxy(target)
	ended = make(chan struct{})
	host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat" {
			whole.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is noticed
		fmt.Fprintln(w, `{"message":{"content":"病假期间"}}`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	t.Cleanup(host.Close)
	return host, ended
}

func TestAnInterruptedAnswerEndsTheRequest(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	host, ended := slowHost(t)
	cmd := exec.CommandContext(t.Context(), "ragdesk", "ask", "--kb", "tree", "--model", "qwen3:1.7b", "病假工资按几成发放")
	cmd.Env = append(os.Environ(), "RAGDESK_WORKSPACE="+copied(t), "RAGDESK_LLM_HOST="+host.URL, "LANG=C.UTF-8", "LC_ALL=")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, len("病假期间"))
	if _, err := io.ReadFull(out, first); err != nil || string(first) != "病假期间" {
		t.Fatalf("while the model writes: %q, %v", first, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("the request goes on")
	}
	_, _ = io.Copy(io.Discard, out) // to its end, before Wait closes it
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("exit: %v", err)
	}
}
