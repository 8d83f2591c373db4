package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/runs"
)

// halls are documents of one fact each, with a file of questions about them.
func halls(t *testing.T, s *Service) (questions string) {
	t.Helper()
	files := map[string]string{}
	var lines strings.Builder
	for i, hall := range []string{"木工", "铸造", "喷漆", "装配", "质检", "包装", "冲压", "焊接"} {
		files[hall+".md"] = fmt.Sprintf("%s车间位于厂区的第%d排，由设备科管理。%s车间一共有%d台机床，每周检修一次。", hall, i+1, hall, 11+i)
		fmt.Fprintf(&lines, `{"query_id":"q%d","question":"%s车间有几台机床？","answers":["%d台"],"gold":[{"doc":"%s.md"}]}`+"\n", i, hall, 11+i, hall)
	}
	if j := load(t, s, folder(t, files)); j.State != "done" {
		t.Fatalf("%+v", j)
	}
	questions = filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(questions, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return questions
}

// marksOf is a reply with the same mark in all dimensions.
func marksOf(mark int) string {
	one := fmt.Sprintf(`{"reason":"机床台数","mark":%d}`, mark)
	return fmt.Sprintf(`{"unsupported":"","missing":"台数","faithfulness":%[1]s,"relevance":%[1]s,"completeness":%[1]s}`, one)
}

// strict is what makes the judge of these tests strict.
const strict = "请从严打分。"

// judgeReply marks 3, strictly 2, and answers as a model does; bias adds one.
func judgeReply(bias string) func(string) string {
	return func(prompt string) string {
		mark := 3
		if strings.Contains(prompt, strict) {
			mark = 2
		}
		switch {
		case strings.Contains(prompt, "第一个回答"):
			first := mark
			if bias == runs.ProbePosition {
				first++
			}
			return fmt.Sprintf(`{"reason":"台数","first":%d,"second":%d}`, first, mark)
		case !strings.Contains(prompt, "faithfulness"):
			return "据我所知，车间一共有机床若干台。"
		case bias == runs.ProbeLength && strings.Contains(prompt, "换句话说，再完整地重复一遍"),
			bias == runs.ProbeAnchoring && strings.Contains(prompt, `"mark":5`),
			bias == runs.ProbeSelf && strings.Contains(prompt, "据我所知"):
			mark++
		}
		return marksOf(mark)
	}
}

func evaluatedBy(t *testing.T, s *Service, r api.EvalRequest) string {
	t.Helper()
	r.KB, r.Strategies, r.JudgeModel = "kb", []string{"bm25"}, "tiny"
	j, err := s.StartEval(t.Context(), r)
	if j = ended(t, s, j, err); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	return j.Eval.Runs[0].RunID
}

// TestMarksUnderTwoPrompts: runs that were marked under different prompts are compared only after the
// earlier one was marked again.
func TestMarksUnderTwoPrompts(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.reply = judgeReply("")
	s := on(t, service(t).cfg.Workspace, llm.Hosts{Configured: f.URL})
	questions := halls(t, s)
	want := api.EvalRequest{Dataset: questions, Metrics: []string{"faithfulness", "rubric_faithfulness", "rubric_relevance"}}
	first := evaluatedBy(t, s, want)
	run, err := s.runs().Load(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Records {
		if m := r.Answer.Rubric; !m.Scored() || m.Marks["faithfulness"].Mark != 3 || m.Model != "tiny:latest" || *r.Metrics["rubric_faithfulness"] != .5 {
			t.Fatalf("%s: %+v, metrics %v", r.QueryID, m, r.Metrics)
		}
	}
	own := answer.Builtin(answer.KindRubric, "zh")
	if _, err := s.EditPrompt(t.Context(), api.EditPromptRequest{Name: own.Name(), Text: own.Text + strict}); err != nil {
		t.Fatal(err)
	}
	second := evaluatedBy(t, s, want)

	compare := api.RunsRequest{Runs: []string{first, second}, Metrics: []string{"rubric_faithfulness"}}
	_, err = s.CompareRuns(t.Context(), compare)
	if refused := fault.Of(err); refused.Code != "judges_differ" || refused.Params["run"] != first {
		t.Fatalf("compared: %v", err)
	}
	if _, err = s.CompareRuns(t.Context(), api.RunsRequest{Runs: compare.Runs}); !fault.Is(err, "judges_differ") {
		t.Errorf("compared with the runs' own metrics: %v", err)
	}
	if _, err = s.CompareRuns(t.Context(), api.RunsRequest{Runs: compare.Runs, Metrics: []string{"faithfulness"}}); err != nil {
		t.Errorf("other metrics are refused too: %v", err)
	}

	j, err := s.StartRescore(t.Context(), api.RescoreRequest{Run: first, Model: "tiny"})
	j = ended(t, s, j, err)
	if j.Rescored == nil || j.Rescored.N != 8 || j.Rescored.Scored != 8 || j.Rescored.From == j.Rescored.To {
		t.Fatalf("%+v %+v", j.Rescored, j.Error)
	}
	for _, d := range j.Rescored.Dimensions {
		if d.N != 8 || *d.From != 3 || *d.To != 2 || *d.Diff != -1 {
			t.Errorf("%+v", d)
		}
	}
	// The stricter prompt, not the pipeline, made the difference.
	got, err := s.CompareRuns(t.Context(), compare)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Comparisons[0]; c.Metric != "rubric_faithfulness" || *c.ValueA != .25 || *c.Diff != 0 {
		t.Errorf("%+v", c)
	}
	// The run itself is as it was.
	again, err := s.runs().Load(first)
	if err != nil || cmp.Diff(run, again) != "" {
		t.Errorf("the run changed: %v", err)
	}
}

// TestProbesOfABiasedModel runs every probe, over HTTP, on a model with each bias.
func TestProbesOfABiasedModel(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.reply = judgeReply("")
	s := on(t, service(t).cfg.Workspace, llm.Hosts{Configured: f.URL})
	questions := halls(t, s)
	quoted := evaluatedBy(t, s, api.EvalRequest{Dataset: questions, Metrics: []string{"faithfulness"}})
	written := evaluatedBy(t, s, api.EvalRequest{Dataset: questions, Metrics: []string{"faithfulness"}, Model: "tiny"})
	probe := func(r api.ProbeRequest) map[string]runs.ProbeResult {
		t.Helper()
		r.Run, r.Model, r.Fresh = quoted, "tiny", true
		j, err := s.StartProbe(t.Context(), r)
		if j = ended(t, s, j, err); j.Probed == nil {
			t.Fatalf("%+v", j.Error)
		}
		out := map[string]runs.ProbeResult{}
		for _, p := range j.Probed.Probes {
			out[p.Probe] = p
		}
		return out
	}
	for _, bias := range []string{"", runs.ProbeLength, runs.ProbePosition, runs.ProbeAnchoring} {
		f.reply = judgeReply(bias)
		found := probe(api.ProbeRequest{Other: written})
		for name, p := range found {
			want := runs.BiasNotFound
			switch name {
			case bias:
				want = runs.BiasFound
			case runs.ProbeSelf:
				continue // the detector finds less in one of the two: see judge's own test
			}
			if p.Verdict != want || p.N != 8 {
				t.Errorf("biased by %q: %s is %s, %v of %d %v", bias, name, p.Verdict, p.Effect, p.N, p.Missing)
			}
		}
		if found[runs.ProbeSelf].Of != 8 {
			t.Errorf("own answers: %+v", found[runs.ProbeSelf])
		}
	}
	alone := probe(api.ProbeRequest{Probes: []string{runs.ProbeSelf}, Limit: 3})
	if p := alone[runs.ProbeSelf]; p.Verdict != runs.BiasNotRun || p.Reason != "needs_own" {
		t.Errorf("%+v", p)
	}
	for name, r := range map[string]struct {
		r    api.ProbeRequest
		code string
	}{
		"unknown probe": {api.ProbeRequest{Run: quoted, Model: "tiny", Probes: []string{"mood"}}, "probe_unknown"},
		"no run":        {api.ProbeRequest{Model: "tiny"}, "argument_missing"},
		"no model":      {api.ProbeRequest{Run: quoted, Model: answer.ExtractiveModel}, "judge_none"},
	} {
		if _, err := s.StartProbe(t.Context(), r.r); !fault.Is(err, r.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGarbageMarksAreNoMarks: what a judge says that is no mark lowers the coverage, with reasons.
func TestGarbageMarksAreNoMarks(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	calls := 0
	f.reply = func(prompt string) string {
		f.mu.Lock()
		defer f.mu.Unlock()
		if calls++; calls%4 == 0 {
			return "我觉得挺好。"
		}
		return judgeReply("")(prompt)
	}
	s := on(t, service(t).cfg.Workspace, llm.Hosts{Configured: f.URL})
	var items []api.VerifyItem
	for i := range 8 {
		items = append(items, api.VerifyItem{ID: fmt.Sprint(i), Question: "有几台？", Context: []string{"一共有十台。"}, Answer: fmt.Sprintf("车间里一共有%d台机床。", i)})
	}
	mark := func(model string) *api.MarkReport {
		t.Helper()
		j, err := s.StartMark(t.Context(), api.MarkRequest{Items: items, Model: model, Fresh: true})
		if j = ended(t, s, j, err); j.Marked == nil {
			t.Fatalf("%+v", j.Error)
		}
		return j.Marked
	}
	got := mark("tiny")
	if got.Scored != 6 || got.Unscored["reply_malformed"] != 2 || got.Means["faithfulness"] != 3 {
		t.Errorf("%+v", got)
	}
	f.reply = func(string) string { return "不知道" }
	if got = mark("tiny"); got.Scored != 0 || got.Unscored["reply_malformed"] != 8 || len(got.Means) != 0 {
		t.Errorf("%+v", got)
	}
	raw, err := json.Marshal(got.Items[0])
	if err != nil || !strings.Contains(string(raw), `"marks":null`) || !strings.Contains(string(raw), `"replies":["不知道"]`) {
		t.Errorf("%s %v", raw, err)
	}
}

// TestAJudgeAloneIsAModel: an estimate looks for the kept replies of all that ask a model.
func TestAJudgeAloneIsAModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by   evalAnswerer
		want bool
	}{
		"nobody":      {evalAnswerer{model: answer.ExtractiveModel, detectors: []detector{{}}}, false},
		"an answerer": {evalAnswerer{model: "m", detectors: []detector{{}}}, true},
		"a detector":  {evalAnswerer{model: answer.ExtractiveModel, detectors: []detector{{model: "m"}}}, true},
		"a rubric":    {evalAnswerer{model: answer.ExtractiveModel, detectors: []detector{{}}, rubric: &rubricJudge{}}, true},
	} {
		if got := c.by.asksModels(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
