package measure

import (
	"cmp"
	"slices"
	"strings"

	"ragdesk/backend/fault"
)

// list is a query as programs see it that are given a ranked list and a list of
// what is relevant. Documents that stand twice in either are kept.
type list struct {
	// docs are in the order of their scores, those of equal ones as in the file.
	docs   []string
	scores []float64
	// filed are the same documents as they stand in the file.
	filed  []string
	judged []judgment
}

type judgment struct {
	doc   string
	part  uint32
	grade int
}

// program counts a query as another program does.
type program struct {
	// measures are those that the program has, in the words of Known.
	measures []string
	value    func(list, Measure) Value
}

// programOf returns the program that d follows; false for a dialect that judges
// profiles.
func programOf(d Dialect) (program, bool) {
	switch d {
	case DialectMLflow:
		return program{[]string{"Recall@K", "Precision@K", "nDCG@K"}, mlflow}, true
	case DialectPhoenix:
		return program{[]string{"Hit", "Precision", "Precision@K", "MRR", "nDCG", "nDCG@K"}, phoenix}, true
	case DialectTruLens:
		return program{[]string{"Hit", "Hit@K", "Recall", "Recall@K", "Precision", "Precision@K", "MRR", "nDCG", "nDCG@K"}, truLens}, true
	case DialectAutoRAG:
		return program{[]string{"Recall", "Recall@K", "Precision", "Precision@K", "MRR", "MRR@K", "MAP", "MAP@K", "nDCG", "nDCG@K"}, autoRAG}, true
	case DialectContinuousEval:
		return program{[]string{"Recall", "Precision", "MRR", "MAP", "nDCG"}, continuousEval}, true
	case DialectBEIR:
		return program{[]string{"Hit@K", "MRR@K"}, beir}, true
	}
	return program{}, false
}

// Has reports whether d has m. The dialects of other programs have what those
// compute, with the gain of their own.
func (d Dialect) Has(m Measure) bool {
	p, ok := programOf(d)
	return !ok || p.has(m) || d == DialectBEIR && slices.Contains(treceval(), cutName(m))
}

// treceval lists what BEIR has trec_eval compute.
func treceval() []string { return []string{"Recall@K", "Precision@K", "MAP@K", "nDCG@K"} }

// cutName is m's name in the words of Known.
func cutName(m Measure) string {
	if m.K > 0 {
		return m.Kind.String() + "@K"
	}
	return m.Kind.String()
}

func (p program) has(m Measure) bool {
	return slices.Contains(p.measures, cutName(m)) && m.Gain != GainExponential
}

// checkMeasures reports the first measure that d does not have with the fault
// "dialect_measure" {dialect, metric, known}.
func checkMeasures(d Dialect, ms []Measure) error {
	for _, m := range ms {
		if d.Has(m) {
			continue
		}
		p, _ := programOf(d)
		if d == DialectBEIR {
			p.measures = append(p.measures, treceval()...)
		}
		return fault.New("dialect_measure", fault.P("dialect", d.String()), fault.P("metric", m.String()),
			fault.P("known", strings.Join(p.measures, ", ")))
	}
	return nil
}

// programValues computes ms of a query by the rules of another program. A query
// that was not run retrieved nothing, but for BEIR, which takes means over those
// that were.
func (w *worker) programValues(p program, judged, results *group) ([]Value, error) {
	l := newList(judged, results)
	var profile Profile
	if w.opts.Dialect == DialectBEIR {
		if results == nil {
			return slices.Repeat([]Value{Absent(NotRun)}, len(w.opts.Measures)), nil
		}
		trec := worker{opts: Options{Dialect: DialectTREC}, qrelsFile: w.qrelsFile, runFile: w.runFile}
		var err error
		if profile, err = trec.profile(judged, results); err != nil {
			return nil, err
		}
	}
	out := make([]Value, len(w.opts.Measures))
	for i, m := range w.opts.Measures {
		if p.has(m) {
			out[i] = p.value(l, m)
		} else {
			out[i] = profile.Value(m, DialectTREC)
		}
	}
	return out, nil
}

func newList(judged, results *group) list {
	var l list
	for _, r := range judged.rows {
		l.judged = append(l.judged, judgment{string(judged.id(r)), r.part, int(r.value)})
	}
	if results == nil {
		return l
	}
	for _, r := range results.rows {
		l.filed = append(l.filed, string(results.id(r)))
	}
	rows := slices.Clone(results.rows)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.value, a.value) })
	for _, r := range rows {
		l.docs = append(l.docs, string(results.id(r)))
		l.scores = append(l.scores, r.value)
	}
	return l
}

// within returns the documents within m's cut.
func (l list) within(m Measure) []string {
	if m.K > 0 && m.K < len(l.docs) {
		return l.docs[:m.K]
	}
	return l.docs
}

// gold returns the judgments at level and above.
func (l list) gold(level int) []judgment {
	return slices.DeleteFunc(slices.Clone(l.judged), func(j judgment) bool { return j.grade < level })
}

// grades maps relevant documents to their grades; of a document judged twice the
// first judgment counts.
func grades(gold []judgment) map[string]int {
	out := make(map[string]int, len(gold))
	for _, j := range gold {
		if _, ok := out[j.doc]; !ok {
			out[j.doc] = j.grade
		}
	}
	return out
}

// count counts the documents that are relevant, each time they stand there.
func count(docs []string, relevant map[string]int) int {
	n := 0
	for _, doc := range docs {
		if relevant[doc] > 0 {
			n++
		}
	}
	return n
}

// first returns 1/rank of the first relevant document, else 0.
func first(docs []string, relevant map[string]int) float64 {
	for i, doc := range docs {
		if relevant[doc] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// gained is Σ gain_i / log2(i + 1).
func gained(gains []int) float64 {
	sum := 0.0
	for i, gain := range gains {
		sum += float64(gain) / discount(i+1)
	}
	return sum
}

// ones returns n gains of 1.
func ones(n int) []int { return slices.Repeat([]int{1}, max(n, 0)) }

// ratio0 is a/b, and 0 for b = 0.
func ratio0(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
