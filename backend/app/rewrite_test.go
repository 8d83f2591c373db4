package app

import (
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// rewriting makes the host rewrite questions and answer the others.
func rewriting(f *ollama) {
	f.reply = func(prompt string) string {
		switch {
		case strings.Contains(prompt, "改写成三个"):
			return "1. 员工休假天数\n2. 潮水什么时候涨"
		case strings.Contains(prompt, "请写一段话"):
			return "潮水涨了又落，灯还亮着。"
		case strings.Contains(prompt, "后续问题"):
			return "病假工资发几成？"
		}
		return "按资料回答 [1]。"
	}
}

func TestRewrittenQuestionsAreSearchedAndShown(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	rewriting(f)
	s := f.with(t, filled(t))
	search := func(strategy string, o *api.RetrievalOptions) api.SearchResponse {
		t.Helper()
		out, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假有几天", Strategy: strategy, Retrieval: api.Retrieval{Options: o}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	model := &api.RetrievalOptions{RewriteModel: ptr("tiny")}
	plain, multi, hyde := search("hybrid", nil), search("hybrid+multi-query", model), search("hybrid+hyde", model)
	if plain.Rewrite != nil || plain.TimingsMS["rewrite"] != nil {
		t.Errorf("without rewriting: %+v", plain.Rewrite)
	}
	if r := multi.Rewrite; r == nil || r.Kind != "multi-query" || r.Model != "tiny:latest" || len(r.Queries) != 2 || r.Queries[0].Text != "员工休假天数" || len(r.Queries[0].Legs) != 2 || !strings.Contains(r.Prompt, "年假有几天") {
		t.Errorf("multi-query: %+v", r)
	}
	if r := hyde.Rewrite; r == nil || len(r.Queries) != 1 || len(r.Queries[0].Legs) != 1 || r.Queries[0].Legs[0] != "vector" || hyde.TimingsMS["rewrite"] == nil {
		t.Errorf("hyde: %+v", r)
	}
	prints := map[string]bool{plain.Fingerprint: true, multi.Fingerprint: true, hyde.Fingerprint: true}
	if len(prints) != 3 {
		t.Errorf("fingerprints %v", prints)
	}
	asked := len(f.asked())
	flags := search("hybrid", &api.RetrievalOptions{Rewrite: ptr("multi-query"), RewriteModel: ptr("tiny")})
	if flags.Fingerprint != multi.Fingerprint || len(f.asked()) != asked {
		t.Errorf("the same by flag: %s and %s, asked %d times more", flags.Fingerprint, multi.Fingerprint, len(f.asked())-asked)
	}
	_, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假", Strategy: "hybrid+hyde"})
	if !fault.Is(err, "rewrite_no_model") {
		t.Errorf("no model named, and none is capable: %v", err)
	}
	for _, strategy := range []string{"union+hyde", "bm25+hyde", "classic+multi-query", "weighted+multi-query"} {
		if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假", Strategy: strategy}); !fault.Is(err, "setting_unfit") {
			t.Errorf("%s: %v", strategy, err)
		}
	}
	for _, strategy := range []string{"hybrid+", "hybrid+hyde+hyde", "hybrid+poem", "hybrid+hyde+multi-query"} {
		if _, err := rag.ParseStrategy(strategy); !fault.Is(err, "strategy_unknown") {
			t.Errorf("%s: %v", strategy, err)
		}
	}
}

func TestAnAnswersModelRewritesToo(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	rewriting(f)
	out := ask(t, f.with(t, filled(t)), api.AskRequest{Strategy: "hybrid+multi-query+rerank"})
	if out.Rewrite == nil || len(out.Rewrite.Queries) != 2 || out.Answer != "按资料回答 [1]。" || len(f.asked()) != 2 || out.FollowUp != nil {
		t.Errorf("%+v", out)
	}
}

func TestAFreshAnswerRewritesAnew(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	rewriting(f)
	s := f.with(t, filled(t))
	r := api.AskRequest{Strategy: "hybrid+multi-query+rerank"}
	for fresh, want := range map[bool]int{false: 0, true: 2} {
		ask(t, s, r) // whatever is kept is there
		asked := len(f.asked())
		r.Fresh = fresh
		ask(t, s, r)
		if n := len(f.asked()) - asked; n != want {
			t.Errorf("fresh %v: the model was asked %d times, want %d", fresh, n, want)
		}
		r.Fresh = false
	}
}

func TestAFollowUpIsCondensed(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	rewriting(f)
	s := f.with(t, filled(t))
	history := []api.ConversationTurn{{Question: "请假有什么规定？", Answer: "有年假和病假。[1]"}}
	out := ask(t, s, api.AskRequest{Query: "病的时候发几成？", History: history})
	if r := out.FollowUp; r == nil || r.Kind != "condense" || r.Queries[0].Text != "病假工资发几成？" || !strings.Contains(r.Prompt, "有年假和病假。[1]") {
		t.Fatalf("%+v", out.FollowUp)
	}
	if !strings.Contains(out.Prompt, "问题：病假工资发几成？") || out.Query != "病的时候发几成？" || len(out.History) != 1 {
		t.Errorf("asked %q", out.Prompt)
	}
	alone := ask(t, s, api.AskRequest{Query: "病假工资发几成？"})
	if alone.Prompt != out.Prompt || alone.Fingerprint == out.Fingerprint || alone.FollowUp != nil {
		t.Errorf("the condensed question alone: %q", alone.Prompt)
	}
	if _, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "那病假呢", History: history}); !fault.Is(err, "follow_up_no_model") {
		t.Errorf("a follow-up without a model: %v", err)
	}
}

func TestAnEvaluationPaysOnceForARewrite(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	rewriting(f)
	s := f.with(t, filled(t))
	file := filepath.Join(folder(t, map[string]string{"q.jsonl": `{"query_id":"q1","question":"年假有几天","answers":["十天"],"gold":[{"doc":"leave.md","quote":"每年享有十天年假"}]}`}), "q.jsonl")
	for range 2 {
		j, err := s.StartEval(t.Context(), api.EvalRequest{KB: "kb", Dataset: file, Strategies: []string{"hybrid", "hybrid+multi-query"},
			Retrieval: api.Retrieval{Options: &api.RetrievalOptions{RewriteModel: ptr("tiny")}}})
		if j = ended(t, s, j, err); j.Eval == nil || len(j.Eval.Runs) != 2 {
			t.Fatalf("%+v", j)
		}
	}
	if n := len(f.asked()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
