package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/judge"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// assessing is a prompt of the assessor as a scripted judge reads it.
type assessing struct {
	Passages, Claims  []string
	Reference, Answer string
	N                 int
}

// assessWording writes prompts as JSON.
type assessWording struct{}

func (assessWording) Verdicts(_ string, passages, claims []string) string {
	return spelt(assessing{Passages: passages, Claims: claims})
}

func (assessWording) Useful(_, reference string, passages []string) string {
	return spelt(assessing{Passages: passages, Reference: reference})
}

func (assessWording) AskedBack(answer string, n int) string {
	return spelt(assessing{Answer: answer, N: n})
}

func (assessWording) Fingerprint() string { return "w" }

func spelt(a assessing) string {
	raw, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// assessed is a model that judges by the words: a claim that its context holds is supported, a passage
// that has a word of four letters of the reference is of use. garbage, when it is not nil, says which
// calls bring a reply that is none.
type assessed struct {
	mu      sync.Mutex
	calls   int
	garbage func(call int, a assessing) string
}

func (m *assessed) Info(context.Context) (rag.GeneratorInfo, error) { return rag.GeneratorInfo{}, nil }

func (m *assessed) Generate(_ context.Context, req rag.GenerateRequest, _ func(string) error) (rag.Generation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var a assessing
	if err := json.Unmarshal([]byte(req.Messages[0].Content), &a); err != nil || !json.Valid(req.Schema) {
		return rag.Generation{}, errors.Join(err, errors.New("no prompt or no schema"))
	}
	m.calls++
	if m.garbage != nil {
		if text := m.garbage(m.calls-1, a); text != "" {
			return rag.Generation{Text: text, Done: rag.DoneStop}, nil
		}
	}
	return rag.Generation{Text: m.says(a), Done: rag.DoneStop}, nil
}

func (m *assessed) says(a assessing) string {
	var list []map[string]any
	key := "verdicts"
	switch {
	case a.N > 0:
		key = "questions"
		for i := range a.N {
			list = append(list, map[string]any{"question": fmt.Sprintf("question %d?", i+1), "noncommittal": false})
		}
	case a.Claims == nil:
		for _, p := range a.Passages {
			useful := false
			for _, w := range strings.Fields(strings.TrimRight(a.Reference, ".")) {
				useful = useful || len(w) >= 4 && strings.Contains(p, w)
			}
			list = append(list, map[string]any{"reason": "r", "useful": useful})
		}
	default:
		for _, c := range a.Claims {
			v := map[string]any{"quote": "", "reason": "r", "verdict": "unverifiable"}
			if bare := strings.TrimRight(c, "."); strings.Contains(strings.Join(a.Passages, " "), bare) {
				v["quote"], v["verdict"] = bare, "supported"
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

func assessor(m *assessed) *judge.Assessor {
	asker := judge.NewAsker(m, true)
	w := assessWording{}
	verdicts := judge.NewLLM(asker, []string{"zh", "en"}, map[string]judge.Wording{"zh": w, "en": w}, "digest")
	return judge.NewAssessor(verdicts, map[string]judge.AssessWording{"zh": w, "en": w}, "m")
}

// castle is an answer to be assessed: of its two claims the reference has one, of the reference's
// claims the answer has one and the passages both.
func castle() judge.Assessed {
	return judge.Assessed{
		Judged: rag.Judged{
			Question: "Describe the castle.", Context: []string{"The gate is red and new.", "Bread is baked daily.", "The wall is high and old."},
			Answer: "The gate is red. Bread is baked daily.",
		},
		Reference: "The gate is red. The wall is high.", Points: []string{"The gate is red", "The wall is high", "Bread is baked daily"},
	}
}

var everyPart = []string{runs.PartCorrect, runs.PartRecalled, runs.PartFound, runs.PartPoints, runs.PartUseful, runs.PartUsed, runs.PartAsked}

func verdictsIn(s *runs.Statements) string {
	if s == nil {
		return "nothing"
	}
	out := []string{}
	for _, c := range s.Claims {
		if c.Verdict == string(rag.ClaimUnscored) {
			c.Verdict = c.Reason
		}
		out = append(out, c.Verdict)
	}
	return strings.Join(out, " ") + s.Reason
}

func usesIn(u *runs.Usefulness) string {
	if u == nil {
		return "nothing"
	}
	out := []string{}
	for _, p := range u.Passages {
		if p.Useful == nil {
			out = append(out, p.Reason)
			continue
		}
		out = append(out, fmt.Sprint(*p.Useful))
	}
	return strings.Join(out, " ") + u.Reason
}

func TestAssessment(t *testing.T) {
	t.Parallel()
	const yes, no = "supported", "unverifiable"
	refused := castle()
	refused.Answer, refused.Refused = "The documents do not say.", true
	bare := castle()
	bare.Reference, bare.Points, bare.Context = "", nil, nil
	for name, c := range map[string]struct {
		in                                         judge.Assessed
		parts                                      []string
		correct, recalled, found, points, use, own string
		asked, calls                               int
	}{
		"everything": {in: castle(), parts: everyPart, correct: yes + " " + no, recalled: yes + " " + no, found: yes + " " + yes,
			points: yes + " " + no + " " + yes, use: "true false true", own: "true true false", asked: 3, calls: 7},
		"what is asked for alone": {in: castle(), parts: []string{runs.PartUseful}, correct: "nothing", recalled: "nothing", found: "nothing", points: "nothing",
			use: "true false true", own: "nothing", calls: 1},
		"a refusal": {in: refused, parts: everyPart, correct: "nothing", recalled: "nothing", found: yes + " " + yes, points: "nothing", use: "true false true", own: "nothing", calls: 2},
		"neither reference nor passages": {in: bare, parts: everyPart, correct: "nothing", recalled: "nothing", found: "nothing", points: "nothing",
			use: "nothing", own: "nothing", asked: 3, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &assessed{}
			got, err := assessor(model).Assess(t.Context(), c.in, c.parts)
			if err != nil {
				t.Fatal(err)
			}
			have := []string{verdictsIn(got.Correct), verdictsIn(got.Recalled), verdictsIn(got.Found), verdictsIn(got.Points), usesIn(got.Useful), usesIn(got.Used)}
			if diff := cmp.Diff([]string{c.correct, c.recalled, c.found, c.points, c.use, c.own}, have); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			asked := 0
			if got.Asked != nil {
				asked = len(got.Asked.Questions)
			}
			if asked != c.asked || model.calls != c.calls {
				t.Errorf("%d questions after %d calls, want %d after %d", asked, model.calls, c.asked, c.calls)
			}
		})
	}
}

// TestGarbageIsNoAssessment: replies of no use are asked for again where that may help, and leave a
// typed reason: no verdict, no passage of use and no question comes of them.
func TestGarbageIsNoAssessment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		garbage          func(int, assessing) string
		correct, use     string
		asked            string
		calls, questions int
	}{
		"nothing but garbage": {func(int, assessing) string { return "certainly!" },
			"reply_malformed reply_malformed", "reply_malformed reply_malformed reply_malformed", "reply_malformed", 3 + 4 + 1, 0},
		"another count": {func(_ int, a assessing) string {
			return map[bool]string{true: `{"questions":[{"question":"a?","noncommittal":false}]}`, false: `{"verdicts":[]}`}[a.N > 0]
		}, "verdict_count verdict_count", "verdict_count verdict_count verdict_count", "verdict_count", 3 + 4 + 1, 0},
		"a key is missing": {func(_ int, a assessing) string {
			switch {
			case a.N > 0:
				return `{"questions":[{"question":"a?","noncommittal":true},{"question":" ","noncommittal":true},{"question":"c?","noncommittal":true}]}`
			case a.Claims != nil:
				return ""
			}
			return `{"verdicts":[` + strings.TrimSuffix(strings.Repeat(`{"reason":"r"},`, len(a.Passages)), ",") + `]}`
		}, "supported unverifiable", "reply_malformed reply_malformed reply_malformed", "reply_malformed", 1 + 4 + 1, 0},
		"every first reply": {func(_ int, a assessing) string {
			return map[bool]string{true: "{"}[len(a.Claims) > 1 || a.Claims == nil && len(a.Passages) > 1]
		}, "supported unverifiable", "true false true", "", 3 + 4 + 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &assessed{garbage: c.garbage}
			got, err := assessor(model).Assess(t.Context(), castle(), []string{runs.PartCorrect, runs.PartUseful, runs.PartAsked})
			if err != nil {
				t.Fatal(err)
			}
			if verdictsIn(got.Correct) != c.correct || usesIn(got.Useful) != c.use || got.Asked.Reason != c.asked || len(got.Asked.Questions) != c.questions || model.calls != c.calls {
				t.Errorf("%q, %q, %q with %d questions after %d calls, want %+v", verdictsIn(got.Correct), usesIn(got.Useful), got.Asked.Reason, len(got.Asked.Questions), model.calls, c)
			}
		})
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := assessor(&assessed{}).Assess(stopped, castle(), everyPart); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
