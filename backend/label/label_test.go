package label_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ragdesk/backend/fault"
	"ragdesk/backend/label"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// source has answers of one claim each, with the given verdicts.
func source(verdicts ...rag.ClaimVerdict) label.Source {
	s := label.Source{Name: "run", Detector: "d", Fingerprint: "d/1"}
	for i, v := range verdicts {
		l := rag.Hallucinated
		if v == rag.Supported {
			l = rag.Faithful
		}
		s.Add(label.Said{
			Question: "q", Answer: fmt.Sprintf("The answer has number %d in it.", i), Passages: []string{"a passage"}, Label: l,
			Claims: []rag.Claim{{Text: fmt.Sprintf("claim %d", i), Verdict: v}},
		})
	}
	return s
}

// labelled are events of one person saying states of the source's answers, in order; an empty
// state says nothing.
func labelled(by string, s label.Source, states ...string) []runs.LabelEvent {
	var out []runs.LabelEvent
	for i, state := range states {
		out = append(out, s.Events(s.Answers[i])...)
		if state != "" {
			out = append(out, runs.LabelEvent{Label: &runs.Label{Key: s.Answers[i].Items[0].Key, By: by, State: state, At: time.Unix(int64(i), 0)}})
		}
	}
	return out
}

func repeat[T any](n int, v T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// table is the verdicts and labels of metrics.md's example: both yes 20, the human only 5,
// the judge only 10, both no 15, where yes is not supported.
func table() (verdicts []rag.ClaimVerdict, states []string) {
	for _, c := range []struct {
		n       int
		human   string
		verdict rag.ClaimVerdict
	}{{20, "contradicted", rag.Contradicted}, {5, "contradicted", rag.Supported}, {10, "supported", rag.Contradicted}, {15, "supported", rag.Supported}} {
		verdicts = append(verdicts, repeat(c.n, c.verdict)...)
		states = append(states, repeat(c.n, c.human)...)
	}
	return verdicts, states
}

func TestCompareWithADetector(t *testing.T) {
	t.Parallel()
	verdicts, states := table()
	s := source(verdicts...)
	a, err := label.Compare(t.Context(), label.Fold(labelled("anna", s, states...)), &s, label.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	near := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	near("kappa", a.Kappa, .4)
	near("observed", a.Kappas[0].Observed, .7)
	near("sensitivity", a.Classes[0].Sensitivity.Value, 20./25)
	near("specificity", a.Classes[0].Specificity.Value, 15./25)
	near("precision", a.Classes[0].Precision.Value, 20./30)
	near("prevalence", a.Prevalence.Value, .5)
	near("raw hallucination rate", a.Corrected[1].Raw, .6)
	// All are labelled, so the corrected rate is the human one.
	near("corrected hallucination rate", a.Corrected[1].Value, .5)
	if a.Band != runs.BandDiscuss || a.Sure || a.Disagreements != 15 || a.N != 50 || a.A.People != 1 || a.B.Name != "d" {
		t.Errorf("band %s, sure %v, %d disagreements of %d, %+v against %+v", a.Band, a.Sure, a.Disagreements, a.N, a.A, a.B)
	}
	if a.CI == nil || a.CI[0] > .2 || a.CI[1] < .6 || a.CI[0] < .05 || a.CI[1] > .75 {
		t.Errorf("interval %v is not about [.15, .65]", a.CI)
	}
	if diff := cmp.Diff([]string{label.CautionUnsure}, a.Warnings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int{{20, 5}, {10, 15}}, a.Kappas[0].Table); diff != "" {
		t.Error(diff)
	}
}

// TestCorrectedBySample labels the first half of each stratum; the detector is wrong in a third of
// what it accuses and never in what it accepts.
func TestCorrectedBySample(t *testing.T) {
	t.Parallel()
	var verdicts []rag.ClaimVerdict
	var states []string
	for i := range 60 {
		verdict, state := rag.Contradicted, "contradicted"
		switch {
		case i%2 == 1:
			verdict, state = rag.Supported, "supported"
		case i%6 == 0:
			state = "supported"
		}
		if i >= 30 {
			state = ""
		}
		verdicts, states = append(verdicts, verdict), append(states, state)
	}
	s := source(verdicts...)
	a, err := label.Compare(t.Context(), label.Fold(labelled("anna", s, states...)), &s, label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Corrected[1]
	if got.Labelled != 30 || got.N != 60 || math.Abs(*got.Raw-.5) > 1e-9 || math.Abs(*got.Value-1./3) > 1e-9 {
		t.Errorf("raw %v, corrected %v of %d labelled", *got.Raw, *got.Value, got.Labelled)
	}
	if !(got.CI[0] < 1./3 && got.CI[1] > 1./3) || got.Strata != "language_verdict" {
		t.Errorf("%v by %s", got.CI, got.Strata)
	}
	// Faithfulness is the other side where an answer is one claim.
	if f := a.Corrected[0]; math.Abs(*f.Value-2./3) > 1e-9 {
		t.Errorf("faithfulness %v", *f.Value)
	}
}

// TestFewLabelsCorrectNothing: one label is no estimate.
func TestFewLabelsCorrectNothing(t *testing.T) {
	t.Parallel()
	s := source(rag.Supported, rag.Contradicted, rag.Supported)
	a, err := label.Compare(t.Context(), label.Fold(labelled("anna", s, "supported")), &s, label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := a.Corrected[0]; c.Value != nil || c.Reason != label.ReasonTooFew || c.Raw == nil {
		t.Errorf("%+v", c)
	}
	if a.Kappa != nil || a.Reason != label.ReasonOneClass || a.Band != runs.BandNone {
		t.Errorf("kappa %v, %s, %s", a.Kappa, a.Reason, a.Band)
	}
}

// TestUnanimousIsUndefined: a judge who passes everything agrees by chance alone.
func TestUnanimousIsUndefined(t *testing.T) {
	t.Parallel()
	s := source(repeat(40, rag.Supported)...)
	a, err := label.Compare(t.Context(), label.Fold(labelled("anna", s, repeat(40, "supported")...)), &s, label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Kappa != nil || a.Reason != label.ReasonOneClass || a.Band != runs.BandNone {
		t.Errorf("kappa %v, %s, %s", a.Kappa, a.Reason, a.Band)
	}
	if diff := cmp.Diff([]string{label.CautionPrevalence}, a.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestPeopleAndWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	s := source(repeat(6, rag.Supported)...)
	events := append(labelled("anna", s, "supported", "contradicted", "unclear", "supported", "supported"), labelled("bob", s, "supported", "supported", "unclear", "supported", "abstained", "contradicted")...)
	b := label.Fold(events)
	pairs, left := label.Pairs(b, &s, label.Options{})
	if diff := cmp.Diff(map[string]int{"disputed": 2, "unclear": 1}, left); diff != "" {
		t.Error(diff)
	}
	if len(pairs) != 3 {
		t.Errorf("%d pairs, want 3", len(pairs))
	}
	two, left := label.Pairs(b, nil, label.Options{By: "bob", Against: "anna"})
	if len(two) != 4 || left["unclear"] != 1 || left["no_verdict"] != 1 {
		t.Errorf("%d pairs of two people, left %v", len(two), left)
	}
	worst := label.Disagreements(b, nil, label.Options{By: "bob", Against: "anna"})
	if len(worst) != 2 || worst[0].A != "supported" || worst[0].B != "contradicted" {
		t.Errorf("disagreements %+v", worst)
	}
	// A third person makes a majority.
	b = label.Fold(append(events, labelled("eve", s, "", "contradicted")...))
	if pairs, left = label.Pairs(b, &s, label.Options{}); len(pairs) != 4 || left["disputed"] != 1 {
		t.Errorf("%d pairs, left %v", len(pairs), left)
	}
}

func TestHistoryAndTakingBack(t *testing.T) {
	t.Parallel()
	s := source(rag.Supported)
	b := label.Fold(append(labelled("anna", s, "supported"), append(labelled("anna", s, "contradicted"), labelled("bob", s, "abstained")...)...))
	key := s.Answers[0].Items[0].Key
	if l, ok := b.Label(key, "anna"); !ok || l.State != "contradicted" {
		t.Errorf("%+v %v", l, ok)
	}
	if h := b.History(key, "anna"); len(h) != 2 || h[0].State != "supported" {
		t.Errorf("history %+v", h)
	}
	b = label.Fold(append(labelled("anna", s, "supported"), runs.LabelEvent{Label: &runs.Label{Key: key, By: "anna"}}))
	if _, ok := b.Label(key, "anna"); ok || len(b.Labels(key)) != 0 || len(b.History(key, "")) != 2 {
		t.Error("a label that was taken back still counts, or its history is gone")
	}
	if people := b.People(); len(people) != 0 {
		t.Errorf("people %+v", people)
	}
}

// TestLabelsOutliveTheRun: the same content of another run, and in another order of passages, has
// the same key; other content has not.
func TestLabelsOutliveTheRun(t *testing.T) {
	t.Parallel()
	if runs.ClaimKey("q", "c", []string{"a", "b"}) != runs.ClaimKey("q ", "c", []string{"b", "a"}) {
		t.Error("the order of passages changes the key")
	}
	keys := map[string]bool{
		runs.ClaimKey("q", "c", []string{"a", "b"}): true, runs.ClaimKey("q", "c", []string{"ab"}): true, runs.ClaimKey("p", "c", []string{"a", "b"}): true,
		runs.ClaimKey("q", "d", []string{"a", "b"}): true, runs.AnswerKey("q", "c", []string{"a", "b"}): true, runs.ClaimKey("q", "c", nil): true,
	}
	if len(keys) != 6 {
		t.Errorf("%d keys of 6 contents", len(keys))
	}
	first, second := source(rag.Supported, rag.Contradicted), source(rag.Contradicted, rag.Supported)
	second.Fingerprint = "d/2"
	b := label.Fold(labelled("anna", first, "supported", "contradicted"))
	a, err := label.Compare(t.Context(), b, &second, label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.N != 2 || a.Disagreements != 2 || a.B.Fingerprint != "d/2" {
		t.Errorf("%d claims, %d differ, by %s", a.N, a.Disagreements, a.B.Fingerprint)
	}
	found, err := label.Calibrations(t.Context(), b, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]runs.Calibration{"d/1": {Detector: "d", Fingerprint: "d/1", N: 2, People: 1, Band: runs.BandFew}}
	if diff := cmp.Diff(want, found, cmpopts.IgnoreFields(runs.Calibration{}, "Kappa", "CI")); diff != "" {
		t.Error(diff)
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	var verdicts []rag.ClaimVerdict
	for range 10 {
		verdicts = append(verdicts, rag.Supported, rag.Supported, rag.Supported, rag.Supported, rag.Unverifiable)
	}
	verdicts = append(verdicts, rag.Contradicted)
	s := source(verdicts...)
	count := func(in []label.Answer) map[rag.ClaimVerdict]int {
		out := map[rag.ClaimVerdict]int{}
		for _, a := range in {
			out[a.Claims[0].Verdict]++
		}
		return out
	}
	draw := func(size string, seed uint64) []label.Answer {
		parsed, err := label.ParseSize(size)
		if err != nil {
			t.Fatal(err)
		}
		return label.Draw(s, parsed, seed)
	}
	for size, want := range map[string]map[rag.ClaimVerdict]int{
		"":     {rag.Supported: 4, rag.Unverifiable: 1, rag.Contradicted: 1},
		"25 %": {rag.Supported: 10, rag.Unverifiable: 3, rag.Contradicted: 1},
		"100%": {rag.Supported: 40, rag.Unverifiable: 10, rag.Contradicted: 1},
		"2":    {rag.Supported: 1, rag.Unverifiable: 1},
		"6":    {rag.Supported: 4, rag.Unverifiable: 1, rag.Contradicted: 1},
		"999":  {rag.Supported: 40, rag.Unverifiable: 10, rag.Contradicted: 1},
	} {
		if diff := cmp.Diff(want, count(draw(size, 1))); diff != "" {
			t.Errorf("%q: %s", size, diff)
		}
	}
	keys := func(in []label.Answer) string {
		var out []string
		for _, a := range in {
			out = append(out, a.Key)
		}
		return strings.Join(out, " ")
	}
	first, again := keys(draw("25%", 1)), keys(draw("25%", 1))
	if first != again || first == keys(draw("25%", 2)) {
		t.Error("a seed does not choose")
	}
	// A larger sample holds the smaller one, so that labels are not lost to it.
	for _, small := range draw("10%", 1) {
		if !strings.Contains(keys(draw("25%", 1)), small.Key) {
			t.Errorf("%s left the larger sample", small.Key)
		}
	}
	for _, size := range []string{"0", "-1", "0%", "101%", "x", "NaN%"} {
		if _, err := label.ParseSize(size); !fault.Is(err, "sample_size_invalid") {
			t.Errorf("%q: %v", size, err)
		}
	}
}

// TestAnswersCountOnce: a claim said twice is one, an answer that stands twice is one, and what cannot be
// labelled is counted.
func TestAnswersCountOnce(t *testing.T) {
	t.Parallel()
	s := label.Source{}
	said := label.Said{Question: "q", Answer: "a", Label: rag.Faithful, Claims: []rag.Claim{{Text: "c", Verdict: rag.Supported}, {Text: "c", Verdict: rag.Supported}}}
	s.Add(said)
	s.Add(said)
	s.Add(label.Said{Question: "q", Answer: "b", Label: rag.Unscored})
	if len(s.Answers) != 1 || len(s.Answers[0].Items) != 1 {
		t.Errorf("answers %+v", s.Answers)
	}
	if diff := cmp.Diff(map[string]int{"repeated": 1, "unscored": 1}, s.Left); diff != "" {
		t.Error(diff)
	}
	old := runs.Stored{Records: []runs.Record{{Answer: &runs.Answer{Context: []rag.ChunkID{"c"}, Label: "faithful", Claims: []runs.Claim{{Text: "x", Verdict: "supported"}}}}, {}}}
	if got := label.FromRun(old); len(got.Answers) != 0 || got.Left["no_passages"] != 1 {
		t.Errorf("an older run: %+v", got)
	}
}

// TestUnscoredClaimsAreNoVerdicts: what a judge left open is in no comparison and in no metric.
func TestUnscoredClaimsAreNoVerdicts(t *testing.T) {
	t.Parallel()
	s := source(rag.Supported, rag.ClaimUnscored, rag.Contradicted, rag.Supported)
	a, err := label.Compare(t.Context(), label.Fold(labelled("anna", s, repeat(4, "supported")...)), &s, label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.N != 3 || a.Left["no_verdict"] != 1 || a.Corrected[0].N != 3 || a.Disagreements != 1 {
		t.Errorf("%d compared, left %v, %d of the metric, %d differ", a.N, a.Left, a.Corrected[0].N, a.Disagreements)
	}
}

// Few labels are no ground for advice, however the kappa of them comes out, and a bootstrap
// that cannot vary is no certainty.
func TestFewLabelsGiveNoBand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		states  []string
		verdict []rag.ClaimVerdict
	}{
		{"kappa 0", []string{"supported", "supported", "supported", "contradicted"}, repeat(4, rag.Supported)},
		{"kappa 1", []string{"supported", "contradicted", "supported", "contradicted"}, []rag.ClaimVerdict{rag.Supported, rag.Contradicted, rag.Supported, rag.Contradicted}},
	} {
		s := source(c.verdict...)
		b := label.Fold(labelled("anna", s, c.states...))
		a, err := label.Compare(t.Context(), b, &s, label.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Kappa == nil || a.Band != runs.BandFew || a.Sure || a.CI != nil {
			t.Errorf("%s: kappa %v %v, %s, sure %t", c.name, a.Kappa, a.CI, a.Band, a.Sure)
		}
		if diff := cmp.Diff([]string{label.CautionFew}, a.Warnings); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		known, err := label.Calibrations(t.Context(), b, 0)
		if err != nil || known[s.Fingerprint].Band != runs.BandFew {
			t.Errorf("%s: %+v, %v", c.name, known, err)
		}
	}
}
