package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/judge"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// asked is a prompt of the rubric as a scripted judge reads it.
type asked struct {
	Passages               []string
	Answer, Example        string
	First, Second, Wording string
}

// rubricWording writes prompts as JSON.
type rubricWording string

func (w rubricWording) Rubric(_ string, passages []string, answer, example string) string {
	return w.prompt(asked{Passages: passages, Answer: answer, Example: example})
}

func (w rubricWording) Pair(_ string, passages []string, first, second string) string {
	return w.prompt(asked{Passages: passages, First: first, Second: second})
}

func (w rubricWording) Example(mark int) string { return fmt.Sprint(mark) }
func (w rubricWording) Fingerprint() string     { return string(w) }

func (w rubricWording) prompt(a asked) string {
	a.Wording = string(w)
	raw, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// marker is a model that marks as a function says.
type marker struct {
	mu    sync.Mutex
	calls int
	reply func(call int, a asked) (string, error)
}

func (m *marker) Info(context.Context) (rag.GeneratorInfo, error) { return rag.GeneratorInfo{}, nil }

func (m *marker) Generate(ctx context.Context, req rag.GenerateRequest, _ func(string) error) (rag.Generation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var a asked
	if err := json.Unmarshal([]byte(req.Messages[0].Content), &a); err != nil || !json.Valid(req.Schema) {
		return rag.Generation{}, errors.Join(err, errors.New("no prompt or no schema"))
	}
	m.calls++
	text, err := m.reply(m.calls-1, a)
	if ctx.Err() != nil {
		return rag.Generation{}, ctx.Err()
	}
	return rag.Generation{Text: text, Done: rag.DoneStop}, err
}

func marking(reply func(call int, a asked) (string, error)) (*judge.Rubric, *marker) {
	m := &marker{reply: reply}
	return judge.NewRubric(judge.NewAsker(m, true), []string{"zh", "en"}, map[string]judge.RubricWording{"zh": rubricWording("zh"), "en": rubricWording("en")}, "m", "digest"), m
}

// marks is a reply.
func marks(f, r, c int, unsupported, missing string) string {
	one := func(mark int) map[string]any { return map[string]any{"reason": "names a fact", "mark": mark} }
	raw, err := json.Marshal(map[string]any{"faithfulness": one(f), "relevance": one(r), "completeness": one(c), "unsupported": unsupported, "missing": missing})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func gate() rag.Judged {
	return rag.Judged{Question: "What is the gate like?", Context: []string{"The gate is red. The wall is high."}, Answer: "The gate is red. The tower leans to the left."}
}

func TestRubricMarksAndCaps(t *testing.T) {
	t.Parallel()
	repeating := gate()
	repeating.Answer = "The gate is red. The wall is high. In other words, the gate is red."
	refusal := gate()
	refusal.Answer = "The documents do not say."
	for name, c := range map[string]struct {
		in       rag.Judged
		detected []rag.Claim
		reply    func(a asked) string
		want     map[string]int
		caps     map[string]string
		reason   string
		calls    int
	}{
		"as given": {in: gate(), reply: func(asked) string { return marks(4, 5, 2, "", "") }, want: map[string]int{"faithfulness": 4, "relevance": 5, "completeness": 2}, calls: 1},
		"unsupported by its own words": {in: gate(), reply: func(asked) string { return marks(5, 5, 5, "The tower leans to the left.", "") },
			want: map[string]int{"faithfulness": 3, "relevance": 5, "completeness": 5}, caps: map[string]string{"faithfulness": "unsupported"}, calls: 1},
		"what it calls unsupported is in the passages": {in: gate(), reply: func(asked) string { return marks(5, 5, 5, "The gate is red.", "") },
			want: map[string]int{"faithfulness": 5, "relevance": 5, "completeness": 5}, calls: 1},
		"what it calls unsupported is not in the answer": {in: gate(), reply: func(asked) string { return marks(5, 5, 5, "The moat is deep.", "") },
			want: map[string]int{"faithfulness": 5, "relevance": 5, "completeness": 5}, calls: 1},
		"unsupported by a detector": {in: gate(), detected: []rag.Claim{{Text: "The gate is red.", Verdict: rag.Supported}, {Text: "The tower leans", Verdict: rag.Unverifiable}},
			reply: func(asked) string { return marks(5, 4, 4, "", "") }, want: map[string]int{"faithfulness": 3, "relevance": 4, "completeness": 4},
			caps: map[string]string{"faithfulness": "unsupported"}, calls: 1},
		"a low mark is no cap": {in: gate(), reply: func(asked) string { return marks(2, 4, 4, "The tower leans to the left.", "") },
			want: map[string]int{"faithfulness": 2, "relevance": 4, "completeness": 4}, calls: 1},
		"a repeating answer is marked no higher than the concise one": {in: repeating, reply: func(a asked) string {
			if strings.Contains(a.Answer, "other words") {
				return marks(5, 5, 5, "", "")
			}
			return marks(5, 4, 3, "", "")
		}, want: map[string]int{"faithfulness": 5, "relevance": 4, "completeness": 3}, caps: map[string]string{"relevance": "repeats", "completeness": "repeats"}, calls: 2},
		"a one that names what is missing": {in: gate(), reply: func(asked) string { return marks(4, 4, 1, "", "the colour of the wall") },
			want: map[string]int{"faithfulness": 4, "relevance": 4, "completeness": 1}, calls: 1},
		"a one that does not": {in: gate(), reply: func(asked) string { return marks(4, 4, 1, "", " ") }, reason: judge.ReasonUnnamed, calls: 1},
		"a mark above five":   {in: gate(), reply: func(asked) string { return marks(6, 4, 1, "", "x") }, reason: judge.ReasonMark, calls: 1},
		"a mark that is no whole number": {in: gate(), reply: func(asked) string { return strings.Replace(marks(4, 4, 4, "", ""), `"mark":4`, `"mark":4.5`, 1) },
			reason: judge.ReasonMark, calls: 1},
		"no mark":           {in: gate(), reply: func(asked) string { return `{"faithfulness":{"reason":"r","mark":3}}` }, reason: judge.ReasonMark, calls: 1},
		"no reason":         {in: gate(), reply: func(asked) string { return strings.Replace(marks(4, 4, 4, "", ""), "names a fact", "", 1) }, reason: judge.ReasonBlankReason, calls: 1},
		"no JSON":           {in: gate(), reply: func(asked) string { return "I would say four." }, reason: judge.ReasonMalformed, calls: 1},
		"a refusal":         {in: refusal, reason: judge.ReasonAbstained},
		"another language":  {in: rag.Judged{Answer: "有給休暇は年に二十日あります。"}, reason: judge.ReasonLanguage},
		"nothing was said":  {in: rag.Judged{Answer: " …"}, reason: judge.ReasonEmpty},
		"marks as sentence": {in: gate(), reply: func(asked) string { return strings.Replace(marks(4, 4, 4, "", ""), `"mark":4`, `"mark":"four"`, 1) }, reason: judge.ReasonMalformed, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, m := marking(func(_ int, a asked) (string, error) { return c.reply(a), nil })
			got, err := r.Mark(t.Context(), c.in, c.detected)
			if err != nil {
				t.Fatal(err)
			}
			if got.Reason != c.reason || m.calls != c.calls || len(got.Replies) != c.calls || got.Scored() != (c.reason == "") {
				t.Fatalf("%+v after %d calls, want %q after %d", got, m.calls, c.reason, c.calls)
			}
			if c.reason != "" {
				return
			}
			values, caps := map[string]int{}, map[string]string{}
			for name, mark := range got.Marks {
				values[name] = mark.Mark
				if mark.Cap != "" {
					caps[name] = mark.Cap
				}
			}
			if c.caps == nil {
				c.caps = map[string]string{}
			}
			if diff := cmp.Diff(c.want, values) + cmp.Diff(c.caps, caps); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReasonsAreShort(t *testing.T) {
	t.Parallel()
	r, _ := marking(func(int, asked) (string, error) {
		return strings.ReplaceAll(marks(4, 4, 4, "", ""), "names a fact", strings.Repeat("理由", 40)), nil
	})
	got, err := r.Mark(t.Context(), gate(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range got.Marks {
		if utf8.RuneCountInString(m.Reason) != 50 || !strings.HasSuffix(m.Reason, "…") {
			t.Errorf("%s: %q", name, m.Reason)
		}
	}
}

func TestRubricFingerprintFollowsThePrompt(t *testing.T) {
	t.Parallel()
	of := func(zh, en rubricWording, digest string) string {
		return judge.NewRubric(judge.Asker{}, nil, map[string]judge.RubricWording{"zh": zh, "en": en}, "m", digest).Fingerprint()
	}
	prints := map[string]bool{of("a", "b", "d"): true, of("a2", "b", "d"): true, of("a", "b2", "d"): true, of("a", "b", "d2"): true}
	if again := of("a", "b", "d"); len(prints) != 4 || !prints[again] {
		t.Errorf("%d fingerprints of 4 judges", len(prints))
	}
}

// fairMarks are the marks of an unbiased judge, by the content alone: how many of the passages'
// numbers the answer has.
func fairMarks(a asked, answer string) int {
	n := 1
	for _, w := range strings.Fields(strings.Join(a.Passages, " ")) {
		if strings.Contains(answer, w) {
			n++
		}
	}
	return min(n, 4)
}

// biasedBy is a scripted judge with one bias, or none.
func biasedBy(bias string) func(int, asked) (string, error) {
	return func(_ int, a asked) (string, error) {
		if a.Answer == "" {
			first, second := min(fairMarks(a, a.First), 4), min(fairMarks(a, a.Second), 4)
			if bias == runs.ProbePosition {
				first++
			}
			return fmt.Sprintf(`{"reason":"r","first":%d,"second":%d}`, first, second), nil
		}
		m := fairMarks(a, a.Answer)
		switch {
		case bias == runs.ProbeLength && len(a.Answer) > 120,
			bias == runs.ProbeSelf && strings.Contains(a.Answer, "Certainly"),
			bias == runs.ProbeAnchoring && a.Example == "5":
			m++
		case bias == runs.ProbeAnchoring && a.Example == "2" && m > 1:
			m--
		}
		return marks(m, m, m, "", "what the passages say"), nil
	}
}

// probed are answers of various worth, each with another one.
func probed() []judge.Probed {
	var out []judge.Probed
	half, whole := .5, 1.0
	for i := range 12 {
		context := []string{fmt.Sprintf("alpha%d beta%d gamma%d", i, i, i)}
		own := rag.Judged{Question: "q", Context: context, Answer: fmt.Sprintf("Certainly alpha%d is one. It goes with beta%d too.", i, i)}
		other := rag.Judged{Question: "q", Context: context, Answer: fmt.Sprintf("There is alpha%d with beta%d in it.", i, i)}
		p := judge.Probed{ID: fmt.Sprint(i), In: own, Other: &other, Own: true, Support: &whole, OtherSupport: &whole}
		if i%3 == 0 { // the other is half as good, as the detector finds too
			other.Answer = "There is nothing of it."
			p.OtherSupport = &half
		}
		out = append(out, p)
	}
	return out
}

// TestProbesFindABiasAndOnlyThat runs each probe on a judge with each bias and on one without.
func TestProbesFindABiasAndOnlyThat(t *testing.T) {
	t.Parallel()
	for _, bias := range append([]string{""}, runs.Probes()...) {
		for _, probe := range runs.Probes() {
			r, _ := marking(biasedBy(bias))
			got, err := r.Probe(t.Context(), probe, probed(), 1, rag.NoProgress{})
			if err != nil {
				t.Fatal(err)
			}
			want := runs.BiasNotFound
			if probe == bias {
				want = runs.BiasFound
			}
			if got.Verdict != want || got.N != 12 || got.CI == nil || len(got.Items) != 12 {
				t.Errorf("a judge biased by %q: %s is %s, %v in %v", bias, probe, got.Verdict, got.Effect, got.CI)
			}
		}
	}
}

// TestProbesDoNotGuess: garbage is counted by reason, few answers clear nobody, and what lacks another
// answer is not run.
func TestProbesDoNotGuess(t *testing.T) {
	t.Parallel()
	calls := 0
	r, _ := marking(func(call int, a asked) (string, error) {
		if calls++; call%4 == 0 {
			return "no", nil
		}
		return biasedBy("")(call, a)
	})
	got, err := r.Probe(t.Context(), runs.ProbeLength, probed(), 1, rag.NoProgress{})
	if err != nil || got.Missing[judge.ReasonMalformed] == 0 || got.N+got.Missing[judge.ReasonMalformed] != 12 || got.Of != 12 {
		t.Errorf("%+v, %v", got, err)
	}
	all, _ := marking(func(int, asked) (string, error) { return "no", nil })
	if got, err = all.Probe(t.Context(), runs.ProbeLength, probed(), 1, rag.NoProgress{}); err != nil || got.Verdict != runs.BiasInconclusive || got.Effect != nil {
		t.Errorf("%+v, %v", got, err)
	}
	fair, _ := marking(biasedBy(""))
	if got, err = fair.Probe(t.Context(), runs.ProbeLength, probed()[:3], 1, rag.NoProgress{}); err != nil || got.Verdict != runs.BiasInconclusive {
		t.Errorf("three answers: %+v, %v", got, err)
	}
	alone := probed()[:2]
	for i := range alone {
		alone[i].Other, alone[i].In.Answer = nil, "One sentence."
	}
	for probe, reason := range map[string]string{runs.ProbePosition: judge.ReasonTwoAnswers, runs.ProbeSelf: judge.ReasonTwoAnswers} {
		if got, err = fair.Probe(t.Context(), probe, alone, 1, rag.NoProgress{}); err != nil || got.Verdict != runs.BiasNotRun || got.Reason != reason || got.Of != 0 {
			t.Errorf("%s: %+v, %v", probe, got, err)
		}
	}
}
