package measure

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// mlflow follows mlflow.metrics: precision divides by what came back within k,
// nDCG takes every grade for 1 and a repeated relevant document for a further
// relevant one, with an ideal no longer than what came back; nothing relevant and
// nothing retrieved is 1.
func mlflow(l list, m Measure) Value {
	relevant, docs := grades(l.gold(m.level())), l.within(m)
	switch {
	case m.Kind == Precision:
		return Of(divide(float64(count(docs, relevant)), len(docs)))
	case len(relevant) == 0 && len(docs) == 0:
		return Of(1)
	case len(relevant) == 0 || len(docs) == 0:
		return Of(0)
	case m.Kind == Recall:
		return Of(divide(float64(distinct(docs, relevant)), len(relevant)))
	}
	gains := make([]int, len(docs))
	for i, doc := range docs {
		gains[i] = min(relevant[doc], 1)
	}
	repeated := count(docs, relevant) - distinct(docs, relevant)
	return Of(gained(gains) / gained(ones(min(len(relevant)+repeated, len(docs)))))
}

// phoenix follows phoenix's RetrievalMetrics, which sees the grades of what was
// retrieved and nothing else: its ideal is the same list in the best order.
func phoenix(l list, m Measure) Value {
	relevant, docs := grades(l.gold(m.level())), l.within(m)
	switch m.Kind {
	case Hit:
		return Of(float64(min(count(docs, relevant), 1)))
	case Precision:
		depth := m.K
		if depth == 0 {
			depth = len(docs)
		}
		return Of(divide(float64(count(docs, relevant)), depth))
	case MRR:
		return Of(first(docs, relevant))
	}
	gains := make([]int, len(l.docs))
	for i, doc := range l.docs {
		gains[i] = relevant[doc]
	}
	return Of(ratio0(gained(gains[:len(docs)]), gained(descending(gains)[:len(docs)])))
}

// truLens follows TruLens' GroundTruthAgreement: precision and recall at k take
// in all documents that score as much as the k-th; a repeated document has a gain
// once; without gold all is absent.
func truLens(l list, m Measure) Value {
	relevant, docs := grades(l.gold(m.level())), l.within(m)
	if len(relevant) == 0 {
		return Absent(NoRelevant)
	}
	tied := len(docs)
	for tied > 0 && tied < len(l.docs) && l.scores[tied] == l.scores[tied-1] {
		tied++
	}
	switch m.Kind {
	case Hit:
		return Of(float64(min(count(docs, relevant), 1)))
	case Recall:
		return Of(divide(float64(distinct(l.docs[:tied], relevant)), len(relevant)))
	case Precision:
		if tied == 0 {
			return Absent(NoValues)
		}
		return Of(divide(float64(count(l.docs[:tied], relevant)), tied))
	case MRR:
		return Of(first(docs, relevant))
	}
	gains, seen := make([]int, len(docs)), map[string]bool{}
	for i, doc := range docs {
		if !seen[doc] {
			gains[i], seen[doc] = relevant[doc], true
		}
	}
	var ideal []int
	for _, grade := range relevant {
		ideal = append(ideal, grade)
	}
	ideal = descending(ideal)
	if k := cmp.Or(m.K, len(docs)); k < len(ideal) {
		ideal = ideal[:k]
	}
	if len(ideal) == 0 {
		return Absent(NoValues)
	}
	return Of(gained(gains) / gained(ideal))
}

// autoRAG follows AutoRAG: judgments of one iteration are alternatives, each
// iteration asks for one of them. Recall, MRR and MAP are means over iterations;
// average precision divides by the relevant documents that were retrieved; the
// ideal of nDCG is no longer than what came back, and a repeated document gains
// each time. Grades are not read.
func autoRAG(l list, m Measure) Value {
	gold, docs := l.gold(m.level()), l.within(m)
	if len(gold) == 0 {
		return Absent(NoRelevant)
	}
	all := grades(gold)
	switch m.Kind {
	case Precision:
		return Of(divide(float64(distinct(docs, all)), len(docs)))
	case NDCG:
		gains := make([]int, len(docs))
		for i, doc := range docs {
			gains[i] = min(all[doc], 1)
		}
		return Of(ratio0(gained(gains), gained(ones(min(len(gold), len(docs))))))
	}
	var parts []uint32
	sum := 0.0
	for _, j := range gold {
		if slices.Contains(parts, j.part) {
			continue
		}
		parts = append(parts, j.part)
		of := grades(slices.DeleteFunc(slices.Clone(gold), func(o judgment) bool { return o.part != j.part }))
		switch m.Kind {
		case Recall:
			sum += float64(min(count(docs, of), 1))
		case MRR:
			sum += first(docs, of)
		default:
			sum += precisionOfFound(docs, func(doc string) int { return min(of[doc], 1) })
		}
	}
	return Of(sum / float64(len(parts)))
}

// continuousEval follows continuous-eval as it was before version 0.3.14: a
// document judged twice is relevant twice wherever it stands, so that precision,
// average precision and nDCG pass 1. Average precision divides by what was
// found, grades are not read.
func continuousEval(l list, m Measure) Value {
	gold := l.gold(m.level())
	matches := map[string]int{}
	for _, j := range gold {
		matches[j.doc]++
	}
	found := 0
	for _, doc := range l.docs {
		found += matches[doc]
	}
	switch m.Kind {
	case Recall:
		hit := slices.DeleteFunc(slices.Clone(gold), func(j judgment) bool { return !slices.Contains(l.docs, j.doc) })
		return Of(divide(float64(len(hit)), len(gold)))
	case Precision:
		return Of(divide(float64(found), len(l.docs)))
	case MRR:
		return Of(first(l.docs, matches))
	case MAP:
		return Of(precisionOfFound(l.docs, func(doc string) int { return matches[doc] }))
	}
	if len(gold) == 0 {
		return Absent(NoRelevant)
	}
	gains := make([]int, len(l.docs))
	for i, doc := range l.docs {
		gains[i] = matches[doc]
	}
	return Of(gained(gains) / gained(ones(len(gold))))
}

// beir follows BEIR's own measures; the others are trec_eval's. MRR takes equal
// scores as in the file, whereas trec_eval orders them by document. Accuracy, our
// Hit, ranks documents by the second character of their names, backwards, and not
// by score; where one has none, BEIR stops, and the value is absent.
func beir(l list, m Measure) Value {
	relevant := grades(l.gold(1))
	if m.Kind == MRR {
		return Of(first(l.within(m), relevant))
	}
	second := func(doc string) rune {
		_, n := utf8.DecodeRuneInString(doc)
		r, _ := utf8.DecodeRuneInString(doc[n:])
		return r
	}
	if slices.ContainsFunc(l.filed, func(doc string) bool { return utf8.RuneCountInString(doc) < 2 }) {
		return Absent(NoValues)
	}
	l.docs = slices.Clone(l.filed)
	slices.SortStableFunc(l.docs, func(a, b string) int { return int(second(b)) - int(second(a)) })
	return Of(float64(min(count(l.within(m), relevant), 1)))
}

// precisionOfFound is the mean of the precisions at each match, matches(doc) of
// them where one document has several.
func precisionOfFound(docs []string, matches func(doc string) int) float64 {
	sum, found := 0.0, 0
	for i, doc := range docs {
		for range matches(doc) {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return divide(sum, found)
}

// distinct counts the relevant documents, each once.
func distinct(docs []string, relevant map[string]int) int {
	seen := map[string]bool{}
	for _, doc := range docs {
		if relevant[doc] > 0 {
			seen[doc] = true
		}
	}
	return len(seen)
}
