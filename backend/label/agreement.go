package label

import (
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"slices"

	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// Reasons why a claim is in no agreement.
const (
	LeftUnclear   = "unclear"
	LeftDisputed  = disputed
	LeftNoVerdict = "no_verdict"
)

// Reasons why a kappa, or a corrected metric, is not there.
const (
	ReasonTooFew = "too_few"
	// ReasonOneClass: both raters gave the same one answer to everything, so chance
	// alone would agree.
	ReasonOneClass = "one_class"
)

// Warnings of an agreement, by code.
const (
	CautionFew        = "labels_few"
	CautionUnsure     = "band_unsure"
	CautionPrevalence = "prevalence_extreme"
)

// extremeShare is the share below which, or one minus above which, a class is so rare
// that kappa says little.
const extremeShare = .1

// Names of kappas.
const (
	kappaSupported = "supported"
	kappaStates    = "states"
	kappaOrdered   = "ordered"
	kappaAnswers   = "answers"
	kappaPeople    = "people"
)

// classNotSupported is the class of claims that are contradicted or unverifiable.
const classNotSupported = "not_supported"

// Options say who is compared.
type Options struct {
	// By is whose labels are A; empty means what people say together.
	By string
	// Against is another person; empty means the detector with Fingerprint.
	Against, Fingerprint string
	Seed                 uint64
	// Resamples of the bootstrap; 0 means the default.
	Resamples int
}

// Compare computes the agreement of A and B; src may be nil. It needs no labels: without any
// the report says that nothing is calibrated.
func Compare(ctx context.Context, b *Book, src *Source, o Options) (runs.Agreement, error) {
	pairs, left := Pairs(b, src, o)
	out := runs.Agreement{
		A: runs.Rater{Kind: "human", Name: o.By, People: b.people(pairs, o.By)}, N: len(pairs), Left: left,
		Warnings: []string{}, Languages: []runs.LanguageKappa{}, Corrected: []runs.CorrectedMetric{},
	}
	out.B = b.rater(src, o)
	c := comparer{ctx, o}
	main := c.kappa(kappaSupported, supportedClasses, stats.Unweighted, pairs, supportedClass)
	out.Kappas = []runs.KappaValue{
		main,
		c.kappa(kappaStates, stateClasses, stats.Unweighted, pairs, stateClass),
		c.kappa(kappaOrdered, orderedClasses, stats.Quadratic, pairs, orderedClass),
		c.kappa(kappaOrdered, orderedClasses, stats.Linear, pairs, orderedClass),
		c.kappa(kappaAnswers, answerClasses, stats.Unweighted, whole(b, src, pairs), supportedClass),
	}
	out.Kappa, out.CI, out.Reason, out.Band = main.Kappa, main.CI, main.Reason, runs.Band(main.Kappa, len(pairs))
	out.Sure = main.CI != nil && len(pairs) >= runs.FewLabels && runs.Band(&main.CI[0], main.N) == out.Band && runs.Band(&main.CI[1], main.N) == out.Band
	out.Classes = classes(pairs)
	notSupported := 0
	for _, p := range pairs {
		notSupported += 1 - supportedClass(p.A)
		if p.Differ() {
			out.Disagreements++
		}
	}
	out.Prevalence = rate(notSupported, len(pairs))
	out.Warnings = warnings(out)
	out.Languages = c.languages(pairs)
	out.Ceiling = c.ceiling(b, src)
	if src != nil {
		out.Source = src.Name
		if o.Against == "" && out.B.Fingerprint == src.Fingerprint {
			out.Corrected = corrected(b, *src, o)
		}
	}
	return out, ctx.Err()
}

// rater describes rater B.
func (b *Book) rater(src *Source, o Options) runs.Rater {
	if o.Against != "" {
		return runs.Rater{Kind: "human", Name: o.Against, People: 1}
	}
	r := runs.Rater{Kind: "detector", Fingerprint: o.Fingerprint, Name: b.Detectors()[o.Fingerprint]}
	if src != nil && (o.Fingerprint == "" || o.Fingerprint == src.Fingerprint) {
		r.Name, r.Fingerprint = src.Detector, src.Fingerprint
	}
	return r
}

// people counts who labelled the pairs.
func (b *Book) people(pairs []Pair, by string) int {
	if by != "" {
		return 1
	}
	names := map[string]bool{}
	for _, p := range pairs {
		for _, l := range b.Labels(p.Item.Key) {
			names[l.By] = true
		}
	}
	return len(names)
}

// Classes of the kappas. A refusal claims nothing, and so counts as supported where that
// is all that is asked.
var (
	supportedClasses = []string{classNotSupported, runs.StateSupported}
	stateClasses     = []string{runs.StateSupported, runs.StateUnverifiable, runs.StateContradicted, runs.StateAbstained}
	orderedClasses   = stateClasses[:3]
	answerClasses    = []string{string(rag.Hallucinated), string(rag.Faithful)}
)

func supportedClass(state string) int {
	if state == runs.StateUnverifiable || state == runs.StateContradicted {
		return 0
	}
	return 1
}

func stateClass(state string) int { return slices.Index(stateClasses, state) }

func orderedClass(state string) int { return slices.Index(orderedClasses, state) }

// comparer computes kappas.
type comparer struct {
	ctx context.Context //nolint:containedctx // it lives as long as one Compare
	o   Options
}

var weightNames = map[stats.Weights]string{stats.Unweighted: "none", stats.Linear: "linear", stats.Quadratic: "quadratic"}

// kappa is that of pairs by classes; pairs of which one has no class are left out.
func (c comparer) kappa(name string, names []string, w stats.Weights, pairs []Pair, class func(string) int) runs.KappaValue {
	out := runs.KappaValue{Name: name, Weights: weightNames[w], Classes: names, Table: [][]int{}}
	var a, b []int
	var clusters []string
	for _, p := range pairs {
		x, y := class(p.A), class(p.B)
		if x < 0 || y < 0 {
			continue
		}
		a, b, clusters = append(a, x), append(b, y), append(clusters, p.Item.AnswerKey)
	}
	out.N = len(a)
	table, err := stats.Crosstab(a, b, len(names))
	if err != nil {
		out.Reason = ReasonTooFew // classes are bounded and names are two or more
		return out
	}
	out.Table = table
	k, err := stats.Kappa(table, w, stats.DefaultLevel)
	switch {
	case errors.Is(err, stats.ErrUndefined):
		out.Reason = ReasonOneClass
		return out
	case err != nil:
		out.Reason = ReasonTooFew
		return out
	}
	out.Observed, out.Expected, out.Kappa = &k.Observed, &k.Expected, &k.Kappa
	if c.ctx.Err() != nil {
		return out
	}
	ci, err := stats.BootstrapKappa(a, b, clusters, len(names), w, stats.Options{Seed: c.o.Seed ^ seedOf(name+out.Weights), Resamples: c.o.Resamples})
	if err == nil && (out.N >= runs.FewLabels || ci.Low < ci.High) {
		out.CI = &runs.CI{ci.Low, ci.High}
	}
	return out
}

func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// languages is the first kappa by language, where there is more than one.
func (c comparer) languages(pairs []Pair) []runs.LanguageKappa {
	by := map[string][]Pair{}
	for _, p := range pairs {
		by[p.Item.Lang] = append(by[p.Item.Lang], p)
	}
	out := []runs.LanguageKappa{}
	for _, lang := range slices.Sorted(maps.Keys(by)) {
		k := c.kappa(kappaSupported, supportedClasses, stats.Unweighted, by[lang], supportedClass)
		out = append(out, runs.LanguageKappa{Lang: lang, N: k.N, Kappa: k.Kappa, CI: k.CI, Band: runs.Band(k.Kappa, k.N)})
	}
	return out
}

// ceiling is the agreement of the two people who labelled the most claims in common.
func (c comparer) ceiling(b *Book, src *Source) *runs.KappaValue {
	people := b.People()
	var best []Pair
	for i, first := range people {
		for _, second := range people[i+1:] {
			if pairs, _ := Pairs(b, src, Options{By: first.By, Against: second.By}); len(pairs) > len(best) {
				best = pairs
			}
		}
	}
	if len(best) == 0 {
		return nil
	}
	k := c.kappa(kappaPeople, supportedClasses, stats.Unweighted, best, supportedClass)
	return &k
}

// classes are the rates of B against A: not supported first, then each state.
func classes(pairs []Pair) []runs.ClassRates {
	out := []runs.ClassRates{one(classNotSupported, pairs, func(s string) bool { return supportedClass(s) == 0 })}
	for _, state := range stateClasses {
		out = append(out, one(state, pairs, func(s string) bool { return s == state }))
	}
	return out
}

func one(name string, pairs []Pair, is func(string) bool) runs.ClassRates {
	var both, onlyA, onlyB, neither int
	for _, p := range pairs {
		switch a, b := is(p.A), is(p.B); {
		case a && b:
			both++
		case a:
			onlyA++
		case b:
			onlyB++
		default:
			neither++
		}
	}
	return runs.ClassRates{
		Class: name, Sensitivity: rate(both, both+onlyA), Specificity: rate(neither, neither+onlyB), Precision: rate(both, both+onlyB),
	}
}

// rate is a share with Wilson's interval.
func rate(n, of int) runs.Rate {
	out := runs.Rate{N: of}
	if of == 0 {
		return out
	}
	v := float64(n) / float64(of)
	out.Value = &v
	if ci, err := stats.Wilson(n, of, stats.DefaultLevel); err == nil {
		out.CI = &runs.CI{ci.Low, ci.High}
	}
	return out
}

func warnings(a runs.Agreement) []string {
	out := []string{}
	if a.N < runs.FewLabels {
		out = append(out, CautionFew)
	}
	if a.Kappa != nil && !a.Sure && a.Band != runs.BandFew {
		out = append(out, CautionUnsure)
	}
	if p := a.Prevalence.Value; p != nil && (*p < extremeShare || *p > 1-extremeShare) {
		out = append(out, CautionPrevalence)
	}
	return out
}

// Calibrations are how far people agree with each detector on whether claims are
// supported, over all labels, by fingerprint.
func Calibrations(ctx context.Context, b *Book, seed uint64) (map[string]runs.Calibration, error) {
	out := map[string]runs.Calibration{}
	c := comparer{ctx, Options{Seed: seed}}
	for print, name := range b.Detectors() {
		pairs, _ := Pairs(b, nil, Options{Fingerprint: print})
		k := c.kappa(kappaSupported, supportedClasses, stats.Unweighted, pairs, supportedClass)
		out[print] = runs.Calibration{
			Detector: name, Fingerprint: print, N: k.N, People: b.people(pairs, ""), Kappa: k.Kappa, CI: k.CI, Band: runs.Band(k.Kappa, k.N),
		}
	}
	return out, ctx.Err()
}
