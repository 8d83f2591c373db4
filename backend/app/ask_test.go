package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/llm"
)

// soon waits until a condition holds.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// running counts the replies that the host is writing.
func (f *ollama) running() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// patient is with, without a limit on the silence between two words.
func (f *ollama) patient(t *testing.T, s *Service) *Service {
	t.Helper()
	return on(t, s.cfg.Workspace, llm.Hosts{Configured: f.URL, Timeouts: llm.Timeouts{Idle: time.Minute}})
}

func TestAnAnswerGrowsWhileItIsWritten(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.step = make(chan struct{})
	f.reply = func(string) string { return "年假 是 每年十天 [1]。" }
	s := f.patient(t, filled(t))
	r := api.AskRequest{KB: "kb", Query: "年假有几天", Model: "tiny"}
	j, err := s.StartAsk(t.Context(), r)
	if err != nil || j.Kind != "ask" || j.Answer != nil {
		t.Fatalf("%+v, %v", j, err)
	}
	texts := make(chan string, 64)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_ = s.Subscribe(ctx, func(e api.Event) error { texts <- e.Job.Text; return nil })
	}()
	text := func() string {
		j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID})
		if err != nil {
			t.Fatal(err)
		}
		return j.Text
	}
	soon(t, "the first word", func() bool { return text() == "年假 " })
	if j.Answer == nil || len(j.Answer.Hits) == 0 || j.Answer.Answer != "" || j.Answer.Prompt == "" || j.Answer.Check.Sentences == nil {
		t.Errorf("while it is written there is %+v", j.Answer)
	}
	f.step <- struct{}{}
	soon(t, "the second word", func() bool { return text() == "年假 是 " })
	time.Sleep(150 * time.Millisecond) // the next word is news of its own
	close(f.step)
	soon(t, "the end", func() bool { text(); return j.State == "done" })
	if j.Text != "年假 是 每年十天 [1]。" || j.Answer == nil || j.Answer.Answer != j.Text || len(j.Answer.Citations) != 1 || j.Error != nil {
		t.Errorf("at the end: %+v", j)
	}
	direct, err := s.Ask(t.Context(), r)
	if err != nil || direct.Answer != j.Answer.Answer || direct.Fingerprint != j.Answer.Fingerprint {
		t.Errorf("the same as a call: %+v, %v", direct, err)
	}
	seen := map[string]bool{}
	for len(texts) > 0 {
		seen[<-texts] = true
	}
	if !seen["年假 是 每年十天 [1]。"] {
		t.Errorf("events told %v", seen)
	}
}

func TestACancelledAnswerLeavesNoRequest(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.step = make(chan struct{})
	f.reply = func(string) string { return "年假 是 每年十天 [1]。" }
	s := f.patient(t, filled(t))
	for range 3 {
		j, err := s.StartAsk(t.Context(), api.AskRequest{KB: "kb", Query: "年假有几天", Model: "tiny"})
		if err != nil {
			t.Fatal(err)
		}
		soon(t, "the first word", func() bool {
			j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID})
			return err == nil && j.Text != ""
		})
		if list, err := s.ListJobs(t.Context(), api.ListJobsRequest{}); err != nil || len(list.Jobs) != 1 || list.Jobs[0].ID != j.ID {
			t.Errorf("running: %+v, %v", list, err)
		}
		if _, err := s.CancelJob(t.Context(), api.JobRequest{ID: j.ID}); err != nil {
			t.Fatal(err)
		}
		soon(t, "the end of the job", func() bool {
			j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID})
			return err == nil && j.State == "cancelled"
		})
		if j.Error.Code != "cancelled" || j.Answer == nil || len(j.Answer.Hits) == 0 || j.Answer.Answer != "" || j.Text != "年假 " {
			t.Errorf("%+v", j)
		}
		soon(t, "the end of the request", func() bool { return f.running() == 0 })
	}
	if list, err := s.ListJobs(t.Context(), api.ListJobsRequest{}); err != nil || len(list.Jobs) != 0 {
		t.Errorf("all have ended, and there are %+v, %v", list, err)
	}
	// What was broken off is not kept, and the service goes on.
	asked := len(f.asked())
	close(f.step)
	if out := ask(t, s, api.AskRequest{}); out.Answer != "年假 是 每年十天 [1]。" || len(f.asked()) != asked+1 {
		t.Errorf("afterwards: %q, asked %d times", out.Answer, len(f.asked()))
	}
}

func TestAComparisonGrowsByColumn(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	f.step = make(chan struct{})
	f.reply = func(string) string { return "年假 是 每年十天 [1]。" }
	s := f.patient(t, filled(t))
	r := api.CompareRequest{KB: "kb", Query: "年假有几天", Strategies: []string{"vector", "bm25"}, Model: "tiny", Fresh: true}
	j, err := s.StartCompare(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string, answered int) func() bool {
		return func() bool {
			if j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID}); err != nil {
				t.Fatal(err)
			}
			if j.Comparison == nil || j.Text != text {
				return false
			}
			n := 0
			for _, col := range j.Comparison.Strategies {
				if col.Answer != nil {
					n++
				}
			}
			return n == answered && len(j.Comparison.Movement) > 0
		}
	}
	soon(t, "the first word of the first column", at("年假 ", 0))
	first := j.Comparison.Strategies[0]
	for range 3 { // the other words of the first
		f.step <- struct{}{}
	}
	soon(t, "the first word of the second column", at("年假 ", 1))
	if first.Answer != nil {
		t.Errorf("what was shown has changed: %+v", first)
	}
	if _, err := s.CancelJob(t.Context(), api.JobRequest{ID: j.ID}); err != nil {
		t.Fatal(err)
	}
	soon(t, "the end", func() bool { return at("年假 ", 1)() && j.State == "cancelled" })
}

func TestAComparisonAsAJob(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	s := f.with(t, filled(t))
	r := api.CompareRequest{KB: "kb", Query: "年假有几天", Strategies: []string{"vector", "bm25"}, Model: "tiny"}
	j, err := s.StartCompare(i18n.WithLanguage(t.Context(), i18n.Chinese), r)
	if j = ended(t, s, j, err); j.Comparison == nil || len(j.Comparison.Strategies) != 2 || *j.Comparison.Model != "tiny:latest" {
		t.Fatalf("%+v", j)
	}
	for _, col := range j.Comparison.Strategies {
		if col.Answer == nil || !strings.Contains(*col.Answer, "每年十天") {
			t.Errorf("%s: %+v", col.Strategy, col.Answer)
		}
	}
	if _, err := s.StartCompare(t.Context(), api.CompareRequest{KB: "kb", Query: " "}); !fault.Is(err, "query_blank") {
		t.Errorf("a blank question: %v", err)
	}
	if _, err := s.StartAsk(t.Context(), api.AskRequest{Query: "年假"}); !fault.Is(err, "argument_missing") {
		t.Errorf("no library: %v", err)
	}
	j, err = s.StartAsk(t.Context(), api.AskRequest{KB: "kb", Query: "年假", Model: "big"})
	if j = ended(t, s, j, err); j.State != "failed" || j.Error.Code != "llm_model_missing" || j.Answer != nil {
		t.Errorf("a missing model: %+v", j)
	}
}

// Of codes that read alike the one that is asked for is quoted, and one that the
// documents do not have is told.
func TestACodeThatIsNotThereIsNoticed(t *testing.T) {
	t.Parallel()
	s := service(t)
	load(t, s, folder(t, map[string]string{
		"manual.md": "# 热水器手册\n\n## 故障代码\n\nE1 表示点火失败，请检查燃气阀门是否打开。E5 表示出水温度超过 75 度，机器自动停机。E9 表示风机故障，须联系售后。\n",
		"travel.md": "# Travel\n\n## Hotels\n\nA room may cost 140 euros a night in Lyon and 190 euros in Paris.\n",
	}))
	for _, c := range []struct{ question, quote, unnamed string }{
		{"E1 故障怎么办？", "E1 表示点火失败", ""},
		{"e5 是什么意思？", "E5 表示", ""},
		{"故障代码 E7 是什么？", "", "E7"},
		{"What may a hotel room cost?", "A room may cost", ""},
		{"hotel", "A room may cost", ""},
	} {
		out, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: c.question, Model: "extractive"})
		if err != nil {
			t.Fatal(err)
		}
		unnamed := ""
		for _, w := range out.Warnings {
			if w.Code == "code_unnamed" {
				unnamed = w.Detail
			}
		}
		if !strings.HasPrefix(out.Answer, c.quote) || unnamed != c.unnamed {
			t.Errorf("%s: %q, warnings %+v", c.question, out.Answer, out.Warnings)
		}
	}
}

// An extracted answer quotes the best there is; that it fits badly is said, by the
// bound of the model of the quote's own language.
func TestAWeakQuoteIsNoticed(t *testing.T) {
	t.Parallel()
	s := service(t)
	load(t, s, folder(t, map[string]string{
		"leave.md": "# 休假\n\n员工每年有十天年假，未休完的最多结转五天。\n",
		"sla.md":   "# Service\n\nBackups are made every six hours and kept for 35 days.\n",
	}))
	for _, c := range []struct {
		question, model string
		weak            bool
	}{
		{"没有休完的年假最多结转几天？", "bge-small-zh-v1.5", false},
		{"火星上的重力是多少？", "bge-small-zh-v1.5", true},
		{"How many days are backups kept?", "all-MiniLM-L6-v2", false},
		{"Who painted the ceiling of the Sistine Chapel?", "", true},
	} {
		out, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: c.question, Model: "extractive"})
		if err != nil {
			t.Fatal(err)
		}
		weak := false
		for _, w := range out.Warnings {
			weak = weak || w.Code == "weak_quote" && strings.Contains(w.Detail, c.model)
		}
		if weak != c.weak || out.Abstained {
			t.Errorf("%s: %q, warnings %+v", c.question, out.Answer, out.Warnings)
		}
	}
}
