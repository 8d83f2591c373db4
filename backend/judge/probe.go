package judge

import (
	"context"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
	"ragdesk/backend/text"
)

// probeMargin is the effect in marks below which a bias does not matter.
const probeMargin = .25

// probeLevel is the one-sided level of a probe's test.
const probeLevel = .05

// Marks of the two examples of the anchoring probe.
const lowExample, highExample = 2, 5

// Reasons why a probe was not run or says nothing.
const (
	// ReasonTwoAnswers: the probe needs another answer to the same question.
	ReasonTwoAnswers = "needs_two_answers"
	// ReasonOwn: the probe needs answers of the judge's own model beside another's.
	ReasonOwn = "needs_own"
	// ReasonTooFew: fewer than two answers have all their marks.
	ReasonTooFew = "too_few"
)

// Probed is an answer that probes are run on.
type Probed struct {
	ID string
	In rag.Judged
	// Support is the share of its claims that a detector finds supported; nil when
	// unknown.
	Support *float64
	// Other is another answer to the same question, and OtherSupport its support; nil
	// without one.
	Other        *rag.Judged
	OtherSupport *float64
	// Own says that the judge's model wrote the answer, and not the other one.
	Own bool
}

// Probe runs one of runs.Probes on some answers. The marks are those that the judge gives,
// without the caps of the program, which would hide a bias.
func (r *Rubric) Probe(ctx context.Context, probe string, items []Probed, seed uint64, progress rag.Progress) (runs.ProbeResult, error) {
	out := runs.ProbeResult{Probe: probe, Margin: probeMargin, Missing: map[string]int{}, Items: []runs.ProbeItem{}, Verdict: runs.BiasNotRun}
	run := map[string]func(context.Context, Probed) (probeMarks, error){
		runs.ProbeLength: r.padded, runs.ProbePosition: r.swapped, runs.ProbeSelf: r.own, runs.ProbeAnchoring: r.anchored,
	}[probe]
	var effects []float64
	for _, item := range items {
		if reason := r.needs(probe, item); reason != "" {
			out.Reason = reason
			progress.Add(1)
			continue
		}
		found, err := run(ctx, item)
		if err != nil {
			return runs.ProbeResult{}, err
		}
		out.Of++
		line := runs.ProbeItem{ID: item.ID}
		if found.missing != "" {
			out.Missing[found.missing]++
		} else {
			line.Without, line.With, line.Low, line.High = &found.without, &found.with, found.low, found.high
			effects = append(effects, found.with-found.without)
		}
		out.Items = append(out.Items, line)
		progress.Add(1)
	}
	if out.Of > 0 {
		out.Reason = ""
		conclude(&out, effects, seed)
	}
	return out, ctx.Err()
}

// needs is what an item lacks for a probe, empty for nothing.
func (r *Rubric) needs(probe string, item Probed) string {
	reason, _ := r.unmarkable(item.In)
	switch {
	case reason != "":
		return reason
	case probe == runs.ProbePosition && r.second(item) == "":
		return ReasonTwoAnswers
	case probe != runs.ProbeSelf:
		return ""
	case !item.Own:
		return ReasonOwn
	case item.Other == nil || !r.can(*item.Other) || item.Support == nil || item.OtherSupport == nil:
		return ReasonTwoAnswers
	}
	return ""
}

// conclude computes effect, interval and verdict.
func conclude(p *runs.ProbeResult, effects []float64, seed uint64) {
	p.N = len(effects)
	if p.N < 2 {
		p.Verdict, p.Reason = runs.BiasInconclusive, ReasonTooFew
		return
	}
	effect := stats.Mean(effects)
	p.Effect, p.Verdict = &effect, runs.BiasInconclusive
	o := stats.Options{Seed: seed}
	ci, err := stats.BootstrapMean(effects, o)
	if err != nil {
		p.Reason = ReasonTooFew
		return
	}
	p.CI = &runs.CI{ci.Low, ci.High}
	test, err := stats.SignFlip(effects, o)
	if err != nil {
		p.Reason = ReasonTooFew
		return
	}
	one := test.P / 2
	if effect <= 0 {
		one = 1 - one
	}
	p.P = &one
	switch {
	case ci.Low > 0 && one < probeLevel:
		p.Verdict = runs.BiasFound
	case ci.High < probeMargin && p.N >= fewestClear:
		p.Verdict = runs.BiasNotFound
	}
}

// fewestClear is how many answers it takes to clear a judge: with five, a bias that shows
// on every one would be found.
const fewestClear = 5

// probeMarks are an answer's marks without and with what might bias; missing is the reason
// of a call that brought none.
type probeMarks struct {
	without, with float64
	// low and high are the marks under the examples of the anchoring probe.
	low, high *float64
	missing   string
}

// mean asks for the marks of one answer, and returns their mean.
func (r *Rubric) mean(ctx context.Context, in rag.Judged, example string) (float64, string, error) {
	got, reply, err := r.ask(ctx, in, example)
	if err != nil || !reply.OK() {
		return 0, reply.Reason, err
	}
	sum := 0
	for _, m := range got.marks() {
		sum += m.Given
	}
	return float64(sum) / float64(len(runs.Dimensions())), "", nil
}

// padded marks the answer, and the same with everything said twice.
func (r *Rubric) padded(ctx context.Context, item Probed) (out probeMarks, err error) {
	long := item.In
	long.Answer = pad(item.In.Answer)
	if out.without, out.missing, err = r.mean(ctx, item.In, ""); err != nil || out.missing != "" {
		return out, err
	}
	out.with, out.missing, err = r.mean(ctx, long, "")
	return out, err
}

// pad says everything in an answer again, in words that add nothing.
func pad(answer string) string {
	lead, again := "To answer the question in full detail: ", " In other words, to state it once more: "
	if text.Language(answer) == "zh" {
		lead, again = "关于这个问题，下面给出完整而详细的说明：", "换句话说，再完整地重复一遍："
	}
	said := strings.TrimSpace(answer)
	return lead + said + again + said
}

// swapped marks two answers side by side, in both orders: without is the mean mark of an
// answer in the second place, with in the first.
func (r *Rubric) swapped(ctx context.Context, item Probed) (probeMarks, error) {
	a, b := item.In.Answer, r.second(item)
	firstA, secondB, reply, err := r.askPair(ctx, item.In, a, b)
	if err != nil || !reply.OK() {
		return probeMarks{missing: reply.Reason}, err
	}
	firstB, secondA, reply, err := r.askPair(ctx, item.In, b, a)
	if err != nil || !reply.OK() {
		return probeMarks{missing: reply.Reason}, err
	}
	return probeMarks{without: float64(secondA+secondB) / 2, with: float64(firstA+firstB) / 2}, nil
}

// second is another answer to set beside the item's: that of somebody else, or its own
// first half.
func (r *Rubric) second(item Probed) string {
	if item.Other != nil && r.can(*item.Other) && item.Other.Answer != item.In.Answer {
		return item.Other.Answer
	}
	sentences := text.Sentences(item.In.Answer)
	if len(sentences) < 2 {
		return ""
	}
	return strings.TrimSpace(item.In.Answer[:sentences[(len(sentences)-1)/2].End])
}

// own marks the answer of the judge's model and that of another for faithfulness. What one is
// better by, as the detector has it, is taken off: with is the own mark less its due.
func (r *Rubric) own(ctx context.Context, item Probed) (out probeMarks, err error) {
	mine, reply, err := r.ask(ctx, item.In, "")
	if err != nil || !reply.OK() {
		return probeMarks{missing: reply.Reason}, err
	}
	theirs, reply, err := r.ask(ctx, *item.Other, "")
	if err != nil || !reply.OK() {
		return probeMarks{missing: reply.Reason}, err
	}
	due := (*item.Support - *item.OtherSupport) * (mostMark - leastMark)
	return probeMarks{
		without: float64(theirs.marks()[runs.DimensionFaithfulness].Given),
		with:    float64(mine.marks()[runs.DimensionFaithfulness].Given) - due,
	}, nil
}

// anchored marks the answer without an example in the prompt, and with one of low and one of high
// marks. with is the mark without, moved by the mean of what each example moves it towards itself: noise,
// which returns to the mean under either, cancels.
func (r *Rubric) anchored(ctx context.Context, item Probed) (out probeMarks, err error) {
	w := r.wording(item.In)
	var low, high float64
	for _, p := range []struct {
		mark    *float64
		example string
	}{{&out.without, ""}, {&low, w.Example(lowExample)}, {&high, w.Example(highExample)}} {
		if *p.mark, out.missing, err = r.mean(ctx, item.In, p.example); err != nil || out.missing != "" {
			return out, err
		}
	}
	out.low, out.high = &low, &high
	out.with = out.without + ((high-out.without)+(out.without-low))/2
	return out, nil
}
