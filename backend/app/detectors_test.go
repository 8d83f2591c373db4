package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/build/standin"
)

// numberedClaim is a claim in the prompt of a judge.
var numberedClaim = regexp.MustCompile(`(?m)^\d+\. (.*)$`)

// judging makes the host a judge: what a passage has is supported, all else is
// unverifiable; each reply for which garbled says so is useless.
func judging(f *ollama, garbled func(call int, prompt string) bool) {
	var mu sync.Mutex
	calls := 0
	f.reply = func(prompt string) string {
		if !strings.Contains(prompt, "verdicts") {
			return "员工每年享有十天年假 [1]。"
		}
		mu.Lock()
		defer mu.Unlock()
		calls++
		if garbled(calls-1, prompt) {
			return []string{"是", `{"verdicts":[]}`, `{"verdicts":[{"quote":"无中生有的一句","reason":"","verdict":"supported"}]}`, "```"}[calls%4]
		}
		material, asked, _ := strings.Cut(prompt, "\n问题：")
		var out []map[string]string
		for _, m := range numberedClaim.FindAllStringSubmatch(asked, -1) {
			_, said, short := strings.Cut(m[1], "答：")
			if !short {
				said = m[1]
			}
			said = strings.TrimRight(said, "。.")
			v := map[string]string{"quote": "", "reason": "没有说", "verdict": "unverifiable"}
			if strings.Contains(material, said) {
				v = map[string]string{"quote": said, "reason": "原文如此", "verdict": "supported"}
			}
			out = append(out, v)
		}
		raw, _ := json.Marshal(map[string]any{"verdicts": out})
		return string(raw)
	}
}

func never(int, string) bool       { return false }
func always(int, string) bool      { return true }
func eachTen(n int, _ string) bool { return n%10 == 0 }

// judgedItems are answers about rooms; every third says what the context does not.
func judgedItems(n int) []api.VerifyItem {
	out := make([]api.VerifyItem, n)
	for i := range out {
		out[i] = api.VerifyItem{ID: fmt.Sprint(i), Context: []string{fmt.Sprintf("%d号会议室的门是红色的。走廊很宽。", i)}, Answer: fmt.Sprintf("%d号会议室的门是红色的。", i), Label: ptr("faithful")}
		if i%3 == 0 {
			out[i].Answer, out[i].Label = fmt.Sprintf("%d号楼的鹿特丹港在1998年处理了四亿吨货物。", i), ptr("hallucinated")
		}
	}
	return out
}

func verify(t *testing.T, s *Service, r api.VerifyRequest) api.VerifyReport {
	t.Helper()
	j, err := s.StartVerify(t.Context(), r)
	if j = ended(t, s, j, err); j.Judged == nil {
		t.Fatalf("%+v", j)
	}
	return *j.Judged
}

// A garbled reply lowers the coverage and says why; no verdict turns.
func TestVerifyWithAJudgeThatRambles(t *testing.T) {
	t.Parallel()
	items := judgedItems(40)
	report := func(garbled func(int, string) bool) api.VerifyReport {
		f := newOllama(t)
		judging(f, garbled)
		return verify(t, f.with(t, filled(t)), api.VerifyRequest{Detector: "llm", Model: "tiny", Items: items})
	}
	clean, some, all := report(never), report(eachTen), report(always)
	if clean.Summary.Scored != 40 || *clean.Summary.BalancedAccuracy != 1 || clean.Summary.Failed != 0 || *clean.Model != "tiny:latest" {
		t.Errorf("%+v", clean.Summary)
	}
	if some.Summary.Scored != 36 || some.Summary.Failed != 4 || *some.Summary.BalancedAccuracy != 1 || *some.Summary.Coverage != .9 {
		t.Errorf("%+v", some.Summary)
	}
	if all.Summary.Scored != 0 || all.Summary.Failed != 40 || all.Summary.Hallucinated != nil || all.Summary.F1 != nil || all.Summary.Kappa != nil {
		t.Errorf("%+v", all.Summary)
	}
	for _, r := range []api.VerifyReport{some, all} {
		for i, item := range r.Items {
			switch {
			case item.Label == "unscored" && (item.Score != nil || !judges.CallFailure(item.Reason) || item.Message == "" || item.Claims[0].Verdict != "unscored" || item.Claims[0].Score != nil):
				t.Errorf("%+v", item)
			case item.Label != "unscored" && item.Label != clean.Items[i].Label:
				t.Errorf("item %d is %s, and %s with a good judge", i, item.Label, clean.Items[i].Label)
			}
			if len(item.Calls) != 1 || item.Calls[0].Reply == "" || (item.Calls[0].Reason != "") != (item.Label == "unscored" && item.Reason != judges.ReasonQuote) {
				t.Errorf("%+v", item.Calls)
			}
		}
	}
	reasons := map[string]int{}
	for _, n := range all.Summary.Unscored {
		reasons["n"] += n
	}
	if len(all.Summary.Unscored) != 3 || reasons["n"] != 40 {
		t.Errorf("reasons %v", all.Summary.Unscored)
	}
}

// Replies are kept: the same verdicts cost nothing, unless fresh ones are wanted.
func TestAJudgesRepliesAreKept(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	judging(f, never)
	s := f.with(t, filled(t))
	r := api.VerifyRequest{Detector: "evidence, llm", Model: "tiny", Items: judgedItems(3)}
	first, again := verify(t, s, r), verify(t, s, r)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	if n := len(f.asked()); n != 3 {
		t.Errorf("asked %d times", n)
	}
	r.Fresh = true
	if verify(t, s, r); len(f.asked()) != 6 {
		t.Errorf("asked %d times", len(f.asked()))
	}
	if first.Detector != "evidence" || first.Model != nil || len(first.Others) != 1 || first.Others[0].Detector != "llm" || len(first.Agreement) != 1 {
		t.Fatalf("%+v", first)
	}
	if a := first.Agreement[0]; a.A != "evidence" || a.B != "llm:tiny:latest" || a.N != 3 || *a.Agreed != 1 || *a.Kappa != 1 || len(a.Differ) != 0 {
		t.Errorf("%+v", a)
	}
}

// The wording of the question belongs to the verdicts' fingerprint.
func TestAnEditedQuestionIsAnotherDetector(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	judging(f, never)
	s := f.with(t, filled(t))
	r := api.VerifyRequest{Detector: "llm:tiny", Items: judgedItems(1)}
	before := verify(t, s, r)
	_, err := s.EditPrompt(t.Context(), api.EditPromptRequest{Name: "verdicts.zh", Text: "请判断，写 verdicts。\n资料：\n```\n{passages}\n```\n\n{claims}\n"})
	if err != nil {
		t.Fatal(err)
	}
	after := verify(t, s, r)
	if before.Fingerprint == after.Fingerprint {
		t.Error("the same fingerprint")
	}
	if last := f.asked()[1].text(); !strings.HasPrefix(last, "请判断，") {
		t.Errorf("asked %q", last)
	}
}

func TestDetectorsThatAreNone(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	for names, code := range map[string]string{
		"oracle": "detector_unknown", "evidence,": "detector_unknown", "evidence,evidence": "detector_twice", "llm:tiny,llm:tiny": "detector_twice",
		"evidence:tiny": "detector_unknown", "llm:absent": "llm_model_missing",
	} {
		if _, err := s.StartVerify(t.Context(), api.VerifyRequest{Detector: names, Items: judgedItems(1)}); !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", names, err, code)
		}
	}
}

// evaluated runs an evaluation of two strategies with a judge.
func judgedEval(t *testing.T, garbled func(int, string) bool, answers string) *api.EvalReport {
	t.Helper()
	f := newOllama(t)
	judging(f, garbled)
	s := f.with(t, filled(t))
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, `{"query_id":"q%d","question":"第%d问：年假有几天","answers":["十天"],"gold":[{"doc":"leave.md","quote":"每年享有十天年假"}]}`+"\n", i, i)
	}
	file := filepath.Join(folder(t, map[string]string{"q.jsonl": lines.String()}), "q.jsonl")
	j, err := s.StartEval(t.Context(), api.EvalRequest{KB: "kb", Dataset: file, Strategies: []string{"bm25", "hybrid"}, Model: answers,
		Metrics: []string{"Hit@5", "faithfulness", "hallucination_rate"}, Detector: "llm,evidence", JudgeModel: "tiny"})
	if j = ended(t, s, j, err); j.Eval == nil {
		t.Fatalf("%+v", j)
	}
	return j.Eval
}

// In an evaluation a garbled reply is a missing value with its reason, and the
// aggregate has n below of and bounds around it.
func TestEvaluationWithAJudgeThatRambles(t *testing.T) {
	t.Parallel()
	clean, some, all := judgedEval(t, never, ""), judgedEval(t, func(_ int, prompt string) bool { return strings.Contains(prompt, "第7问") }, ""), judgedEval(t, always, "")
	for i, run := range clean.Runs {
		for _, name := range []string{"faithfulness", "hallucination_rate"} {
			c, p, n := run.Metrics[name], some.Runs[i].Metrics[name], all.Runs[i].Metrics[name]
			if c.Value == nil || c.N != c.Of || len(c.Missing) != 0 {
				t.Errorf("%s of %s: %+v", name, run.Name, c)
			}
			if p.Value == nil || *p.Value != *c.Value || p.N >= p.Of || p.Of != c.Of || p.Bounds == nil {
				t.Errorf("%s of %s with some garbage: %+v", name, run.Name, p)
			}
			if n.Value != nil || n.N != 0 || n.Of != c.Of {
				t.Errorf("%s of %s with garbage alone: %+v", name, run.Name, n)
			}
			for _, m := range []runs.Metric{p, n} {
				missing := 0
				for reason, count := range m.Missing {
					if !judges.CallFailure(string(reason)) {
						t.Errorf("missing for %q", reason)
					}
					missing += count
				}
				if missing != m.Of-m.N {
					t.Errorf("%d are missing, %d have reasons", m.Of-m.N, missing)
				}
			}
		}
		if all.Runs[i].Metrics["Hit@5"].N != 20 {
			t.Errorf("retrieval: %+v", all.Runs[i].Metrics["Hit@5"])
		}
	}
	for _, r := range clean.Runs[0].Stored.Records {
		if a := r.Answer; a.Detector != "llm:tiny:latest" || len(a.Calls) == 0 || a.Calls[0].Reply == "" || len(a.Others) != 1 || a.Others[0].Detector != "evidence" || a.Others[0].Label == "" {
			t.Errorf("%.300s", fmt.Sprintf("%+v", a))
		}
	}
	for _, a := range clean.Advice {
		if a.Code == runs.JudgeIsGenerator {
			t.Errorf("%+v", a)
		}
	}
}

func TestAJudgeOfItsOwnAnswersIsWarnedOf(t *testing.T) {
	t.Parallel()
	own := judgedEval(t, never, "tiny")
	var codes []string
	for _, a := range own.Advice {
		codes = append(codes, a.Code)
	}
	if codes[0] != runs.JudgeIsGenerator {
		t.Errorf("advice %v", codes)
	}
}

// An installed NLI model judges the language that its config.json names, and no other.
func TestAnInstalledNLIModelJudges(t *testing.T) {
	t.Parallel()
	s := filled(t)
	items := judgedItems(2)
	items = append(items, api.VerifyItem{ID: "en", Context: []string{"The gate is red."}, Answer: "The gate is red."})
	if _, err := s.StartVerify(t.Context(), api.VerifyRequest{Detector: "nli", Items: items}); !fault.Is(err, "nli_none") {
		t.Errorf("without a model: %v", err)
	}
	folder, err := models.OpenFolder(s.cfg.Models)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Import(t.Context(), modelstest.StandIn(t, standin.BERTNLI), "zh-nli", rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nli", "nli:zh-nli"} {
		r := verify(t, s, api.VerifyRequest{Detector: name, Items: items})
		if r.Detector != "nli" || *r.Model != "zh-nli" || r.Summary.Scored != 2 || r.Summary.Unscored["unsupported_language"] != 1 || len(r.Warnings) != 0 {
			t.Errorf("%s: %+v, %+v", name, r.Summary, r.Warnings)
		}
	}
	if _, err := folder.Import(t.Context(), modelstest.StandIn(t, standin.TokenClassifier), "marks", rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	r := verify(t, s, api.VerifyRequest{Detector: "nli:marks", Items: items})
	if r.Detector != "nli" || *r.Model != "marks" || r.Summary.Scored != 1 || r.Summary.Unscored["unsupported_language"] != 2 {
		t.Errorf("a model that marks tokens: %+v, %+v", r.Summary, r.Warnings)
	}
	if _, err := s.StartVerify(t.Context(), api.VerifyRequest{Detector: "nli:absent", Items: items}); !fault.Is(err, "model_not_installed") {
		t.Errorf("an absent model: %v", err)
	}
}
