package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/llm"
)

// shelf is a host whose models come and go. Models of four billion parameters have
// that in their name.
type shelf struct {
	*httptest.Server
	mu     sync.Mutex
	models []string
}

func newShelf(t *testing.T, models ...string) *shelf {
	t.Helper()
	s := &shelf{models: models}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *shelf) answer(w http.ResponseWriter, r *http.Request) {
	var in struct{ Model, Source, Destination string }
	body, err := io.ReadAll(r.Body)
	if err == nil && strings.HasPrefix(string(body), "{") {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch path := r.URL.Path; {
	case path == "/api/version":
		fmt.Fprint(w, `{"version":"0.9.6"}`)
	case path == "/api/tags":
		var all []string
		for _, m := range s.models {
			size := "500M"
			if strings.Contains(m, "4b") {
				size = "4.0B"
			}
			all = append(all, fmt.Sprintf(`{"name":%q,"digest":"d","size":1000000,"details":{"quantization_level":"Q4_0","parameter_size":%q}}`, m, size))
		}
		fmt.Fprintf(w, `{"models":[%s]}`, strings.Join(all, ","))
	case path == "/api/ps":
		fmt.Fprint(w, `{"models":[]}`)
	case path == "/api/show":
		fmt.Fprint(w, `{"template":"<|user|>{{ .Prompt }}","model_info":{"general.architecture":"llama","llama.context_length":8192},"capabilities":["completion"]}`)
	case path == "/api/pull" && in.Model == "nobody:1b":
		fmt.Fprintln(w, `{"error":"pull model manifest: file does not exist"}`)
	case path == "/api/pull", path == "/api/create":
		s.models = append(s.models, llm.FullName(in.Model))
		fmt.Fprintln(w, `{"status":"pulling a","digest":"a","total":100,"completed":100}`)
		fmt.Fprintln(w, `{"status":"success"}`)
	case path == "/api/copy":
		s.models = append(s.models, llm.FullName(in.Destination))
	case path == "/api/delete":
		s.models = slices.DeleteFunc(s.models, func(m string) bool { return m == llm.FullName(in.Model) })
	case path == "/api/chat":
		fmt.Fprintln(w, `{"message":{"content":"年假是每年十天 [1]。"}}`)
		fmt.Fprintln(w, `{"done":true,"done_reason":"stop","prompt_eval_count":300,"eval_count":9}`)
	case strings.HasPrefix(path, "/api/blobs/") && r.Method == http.MethodHead:
		w.WriteHeader(http.StatusNotFound)
	}
}

// chatNamed finds a language model in the list.
func chatNamed(t *testing.T, s *Service, name string) (api.ModelList, api.Model) {
	t.Helper()
	list, err := s.ListModels(t.Context(), api.ListModelsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Models, func(m api.Model) bool { return m.Kind == kindChat && m.Name == name })
	if i < 0 {
		t.Fatalf("%s is not listed", name)
	}
	return list, list.Models[i]
}

func TestLanguageModelsComeAndGo(t *testing.T) {
	t.Parallel()
	host := newShelf(t)
	s := on(t, t.TempDir(), llm.Hosts{Ollama: strings.TrimPrefix(host.URL, "http://")})
	if _, offered := chatNamed(t, s, "smollm2-135m"); offered.Installed || *offered.Command != "ragdesk models pull smollm2-135m" || !offered.Demonstration {
		t.Errorf("%+v", offered)
	}
	j, err := s.StartPullModel(t.Context(), api.PullModelRequest{Name: "smollm2-135m"})
	if j = ended(t, s, j, err); j.State != "done" || j.Model.Name != "smollm2-135m:latest" || *j.Model.Host != "ollama" || j.Model.About == "" {
		t.Fatalf("%+v, %v", j, j.Error)
	}
	_, m := chatNamed(t, s, "smollm2-135m:latest")
	if !m.Installed || !m.Demonstration || m.Licence != "Apache-2.0" || !slices.Equal(m.Precisions, []string{"Q4_0"}) || *m.Limit != 8192 || m.Command != nil {
		t.Errorf("%+v", m)
	}
	file := filepath.Join(t.TempDir(), "My Model.gguf")
	if err := os.WriteFile(file, []byte("GGUF\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, name := range map[string]string{file: "", filepath.Dir(file): "mine"} {
		j, err = s.StartImportModel(t.Context(), api.ImportModelRequest{Path: path, Name: name})
		if j = ended(t, s, j, err); j.State != "done" || j.Model.Kind != kindChat {
			t.Fatalf("%s: %+v, %v", path, j, j.Error)
		}
	}
	out, err := s.RemoveModel(t.Context(), api.ModelRequest{Name: "mine"})
	if err != nil || out.Removed != "mine:latest" || out.Bytes != 1000000 || out.KBs == nil {
		t.Errorf("%+v, %v", out, err)
	}
	if diff := slices.Compare(host.models, []string{"smollm2-135m:latest", "my-model:latest"}); diff != 0 {
		t.Errorf("left are %v", host.models)
	}
	if _, err := s.RemoveModel(t.Context(), api.ModelRequest{Name: "mine"}); !fault.Is(err, "model_not_installed") {
		t.Errorf("removed twice: %v", err)
	}
	j, err = s.StartPullModel(t.Context(), api.PullModelRequest{Name: "nobody:1b"})
	if j = ended(t, s, j, err); j.Error == nil || j.Error.Code != "llm_model_unknown" {
		t.Errorf("%+v", j)
	}
	_, err = s.StartPullModel(t.Context(), api.PullModelRequest{Name: "qwen3:4b", Mirror: "https://mirror.example"})
	if !fault.Is(err, "model_option_unfit") {
		t.Errorf("%v", err)
	}
}

func TestSmallModelsAreForDemonstration(t *testing.T) {
	t.Parallel()
	base := filled(t)
	host := newShelf(t, "qwen3:0.6b", "mine:latest")
	s := on(t, base.cfg.Workspace, llm.Hosts{Configured: host.URL})
	ask := func(model string) api.AskResponse {
		t.Helper()
		out, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假有几天", Model: model})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := ask(""); out.Model != "extractive" || out.Demonstration {
		t.Errorf("small models alone: %s", out.Model)
	}
	if out := ask("mine"); out.Model != "mine:latest" || !out.Demonstration {
		t.Errorf("%s, %t", out.Model, out.Demonstration)
	}
	c, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: "年假", Strategies: []string{"bm25"}, Model: "mine"})
	if err != nil || !c.Demonstration {
		t.Errorf("%+v, %v", c.Model, err)
	}
	host.mu.Lock()
	host.models = append(host.models, "qwen3:4b")
	host.mu.Unlock()
	if out := ask(""); out.Model != "qwen3:4b" || out.Demonstration {
		t.Errorf("a capable model: %s", out.Model)
	}
	if list, m := chatNamed(t, s, "qwen3:4b"); list.DefaultModel != "qwen3:4b" || m.Demonstration || *m.Host != "configured" {
		t.Errorf("%s, %+v", list.DefaultModel, m)
	}
	if out := ask("extractive"); out.Model != "extractive" {
		t.Errorf("%s", out.Model)
	}
}

func TestAHostThatIsPassedOverIsTold(t *testing.T) {
	t.Parallel()
	base := filled(t)
	var told []string
	s, err := New(Config{
		Workspace: base.cfg.Workspace, LLM: &llm.Hosts{Configured: "192.0.2.1"}, Engine: t.TempDir(), Models: t.TempDir(),
		Notify: func(code string, params ...fault.Param) { told = append(told, fmt.Sprint(code, params)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	out, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假"})
	if err != nil || out.Model != "extractive" || len(told) != 1 || !strings.Contains(told[0], "llm_remote") {
		t.Errorf("%s, %v, told %v", out.Model, err, told)
	}
	list, err := s.ListModels(i18n.WithLanguage(context.WithoutCancel(t.Context()), i18n.English), api.ListModelsRequest{})
	if err != nil || list.ChatError == nil || list.ChatError.Code != "llm_remote" {
		t.Errorf("%+v, %v", list.ChatError, err)
	}
}
