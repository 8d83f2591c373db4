package app

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
)

// assessReply judges by the words of the prompt: a statement of the number that the passages have is supported,
// a passage with the reference's number is of use, and the questions asked back are the one that was asked.
func assessReply(prompt string) string {
	list, key := []map[string]any{}, "verdicts"
	between := func(from, to string) string {
		_, rest, _ := strings.Cut(prompt, from)
		part, _, _ := strings.Cut(rest, to)
		return part
	}
	switch {
	case strings.Contains(prompt, "反推"):
		key = "questions"
		hall := between("\n```", "车间")
		for range 3 {
			list = append(list, map[string]any{"question": strings.Trim(hall, "`\n") + "车间有几台机床？", "noncommittal": false})
		}
	case strings.Contains(prompt, "是否有用"):
		passages, reference := between("资料：\n", "问题："), strings.Trim(strings.TrimSpace(between("答案：\n", "JSON")), "`\n")
		for p := range strings.SplitSeq(passages, "[") {
			if strings.Contains(p, "]") {
				list = append(list, map[string]any{"reason": "台数", "useful": strings.Contains(p, reference)})
			}
		}
	default:
		passages := between("资料：\n", "问题：")
		for line := range strings.SplitSeq(strings.TrimSpace(between("陈述：\n", "JSON")), "\n") {
			v := map[string]any{"quote": "", "reason": "没有说到", "verdict": "unverifiable"}
			if said := machines.FindString(line); said != "" && strings.Contains(passages, said) {
				v["quote"], v["verdict"] = said, "supported"
			}
			list = append(list, v)
		}
	}
	raw, err := json.Marshal(map[string]any{key: list})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// machines finds how many a text speaks of.
var machines = regexp.MustCompile(`\d+台`)

// TestMetricsOfAJudge evaluates with every metric that asks a language model beside those that need none, on a
// scripted judge: what it says is measured, its replies are kept, and garbage is missing with its reason.
func TestMetricsOfAJudge(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.reply = assessReply
	s := on(t, service(t).cfg.Workspace, llm.Hosts{Configured: f.URL})
	questions := halls(t, s)
	want := api.EvalRequest{Dataset: questions, Metrics: []string{"Hit@5", "llm", "answer_relevancy"}}
	first := evaluatedBy(t, s, want)
	run, err := s.runs().Load(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Records {
		j := r.Answer.Judgement
		if j == nil || j.Model != "tiny:latest" || len(j.Useful.Passages) != len(r.Answer.Context) || j.Asked.Questions[0].Cosine == nil || j.Points != nil {
			t.Fatalf("%s: %+v", r.QueryID, j)
		}
		if m := r.Metrics; m["llm_context_recall"] == nil || *m["llm_context_recall"] != 1 || m["llm_key_points"] != nil {
			t.Errorf("%s: %v", r.QueryID, m)
		}
		if likeness := *r.Metrics["llm_answer_relevancy"]; likeness < .5 {
			t.Errorf("%s: relevancy %v of %+v", r.QueryID, likeness, j.Asked.Questions)
		}
	}
	shown, err := s.CompareRuns(t.Context(), api.RunsRequest{Runs: []string{first}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"llm_answer_relevancy", "llm_answer_correctness", "llm_context_precision", "llm_context_recall", "llm_context_utilization", "llm_noise_sensitivity", "llm_citation_recall", "llm_citation_precision"} {
		if m := shown.Runs[0].Metrics[name]; m.N != 8 || m.Of != 8 || m.CI == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if judges := run.Answering.Judges; len(judges) != 1 || judges[0].Model != "tiny:latest" || judges[0].Own {
		t.Errorf("judges %+v", judges)
	}
	asked := len(f.chats)
	evaluatedBy(t, s, want)
	if now := len(f.chats); now != asked {
		t.Errorf("a second evaluation asks %d times again", now-asked)
	}

	own := answer.Builtin(answer.KindUseful, "zh")
	if _, err := s.EditPrompt(t.Context(), api.EditPromptRequest{Name: own.Name(), Text: own.Text + strict}); err != nil {
		t.Fatal(err)
	}
	f.reply = func(string) string { return "好的，我来判断。" }
	garbage := want
	garbage.Fresh = true
	second := evaluatedBy(t, s, garbage)
	compare := api.RunsRequest{Runs: []string{first, second}, Metrics: []string{"llm_context_precision"}}
	if _, err := s.CompareRuns(t.Context(), compare); !fault.Is(err, "judgements_differ") {
		t.Errorf("compared under two prompts: %v", err)
	}
	if shown, err = s.CompareRuns(t.Context(), api.RunsRequest{Runs: []string{second}}); err != nil {
		t.Fatal(err)
	}
	for name, m := range shown.Runs[0].Metrics {
		if strings.HasPrefix(name, "llm_") && name != "llm_key_points" && (m.Value != nil || m.Missing["reply_malformed"] != 8) {
			t.Errorf("%s of garbage is %+v", name, m)
		}
	}
}
