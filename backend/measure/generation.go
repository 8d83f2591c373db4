package measure

import "math"

// Reasons why a measure of an answer is absent.
const (
	// NoClaims: the answer states nothing that could be checked.
	NoClaims Reason = "no_claims"
	// Unjudged: a verdict that the measure needs is missing.
	Unjudged Reason = "unjudged"
	// NoReference: the question has no reference answer or key points.
	NoReference Reason = "no_reference"
	// NoContext: nothing was retrieved.
	NoContext Reason = "no_context"
)

// Verdict is a judge's answer to a yes-or-no question.
type Verdict int8

// The verdicts. The zero value is no verdict, which is neither yes nor no.
const (
	Missing Verdict = iota
	No
	Yes
)

// tally counts the verdicts; complete is false when one is missing.
func tally(verdicts []Verdict) (yes int, complete bool) {
	complete = true
	for _, v := range verdicts {
		switch v {
		case Yes:
			yes++
		case Missing:
			complete = false
		}
	}
	return yes, complete
}

// shareOf is the share of yes among verdicts, absent with none when there are no
// verdicts and with Unjudged when one is missing.
func shareOf(verdicts []Verdict, none Reason) Value {
	yes, complete := tally(verdicts)
	switch {
	case len(verdicts) == 0:
		return Absent(none)
	case !complete:
		return Absent(Unjudged)
	}
	return Of(float64(yes) / float64(len(verdicts)))
}

// Faithfulness is the share of an answer's claims that its context supports:
// supported / claims. An answer without claims has none (NoClaims).
func Faithfulness(supported []Verdict) Value { return shareOf(supported, NoClaims) }

// ContextRecall is the share of the reference's sentences, or key points, that can
// be attributed to the context.
func ContextRecall(attributed []Verdict) Value { return shareOf(attributed, NoReference) }

// ContextPrecision is the rank-weighted precision of a context, with useful in
// the order of the ranking:
//
//	Σ_k useful_k · (Σ_{i≤k} useful_i / k) / Σ useful
//
// It divides by what is useful among the retrieved, so evidence that was not
// retrieved costs nothing. Nothing useful is 0. Judged against the answer in place
// of the reference it is the context utilisation of Ragas.
func ContextPrecision(useful []Verdict) Value {
	yes, complete := tally(useful)
	switch {
	case len(useful) == 0:
		return Absent(NoContext)
	case !complete:
		return Absent(Unjudged)
	case yes == 0:
		return Of(0)
	}
	sum, seen := 0.0, 0
	for k, v := range useful {
		if v == Yes {
			seen++
			sum += float64(seen) / float64(k+1)
		}
	}
	return Of(sum / float64(yes))
}

// Relevancy is the answer relevancy with what was done to it.
type Relevancy struct {
	Value
	// Raw is the mean cosine before it was clamped to [0, 1].
	Raw float64
	// Clamped reports that Raw lay outside [0, 1]; Noncommittal that every
	// question was generated from an answer that commits to nothing, which makes
	// the value 0 whatever the cosines.
	Clamped, Noncommittal bool
}

// AnswerRelevancy is the mean cosine between the question and the questions that
// the answer would answer, 0 when all of them say that the answer is noncommittal,
// and clamped to [0, 1]. noncommittal is as long as cosines, or nil.
func AnswerRelevancy(cosines []float64, noncommittal []bool) Relevancy {
	if len(cosines) == 0 {
		return Relevancy{Value: Absent(Unjudged)}
	}
	sum, evasive := 0.0, 0
	for i, c := range cosines {
		sum += c
		if i < len(noncommittal) && noncommittal[i] {
			evasive++
		}
	}
	r := Relevancy{Raw: sum / float64(len(cosines)), Noncommittal: evasive == len(cosines)}
	r.Clamped = r.Raw < 0 || r.Raw > 1
	r.Value = Of(min(max(r.Raw, 0), 1))
	if r.Noncommittal {
		r.Value = Of(0)
	}
	return r
}

// CorrectnessWeight is the weight of the statements' F1 in AnswerCorrectness.
const CorrectnessWeight = .75

// AnswerCorrectness compares an answer's statements with the reference's: tp are in
// both, fp in the answer alone, fn in the reference alone; similarity is the cosine
// of the two texts.
//
//	.75 · F1 + .25 · similarity, F1 = tp / (tp + (fp + fn)/2)
//
// Without statements it is absent (NoClaims). A negative similarity counts as 0.
func AnswerCorrectness(tp, fp, fn int, similarity float64) Value {
	if tp+fp+fn == 0 {
		return Absent(NoClaims)
	}
	f1 := float64(tp) / (float64(tp) + float64(fp+fn)/2)
	return Of(CorrectnessWeight*f1 + (1-CorrectnessWeight)*min(max(similarity, 0), 1))
}

// F1 is the harmonic mean of a precision and a recall, 0 when both are 0, and absent
// when one is.
func F1(precision, recall Value) Value {
	switch {
	case !precision.OK():
		return precision
	case !recall.OK():
		return recall
	case precision.Score+recall.Score == 0:
		return Of(0)
	}
	return Of(2 * precision.Score * recall.Score / (precision.Score + recall.Score))
}

// Matrices are the entailments between an answer's claims, a reference's claims and
// the retrieved passages, in the order of the ranking.
type Matrices struct {
	// Reference[j][c]: passage c entails claim j of the reference.
	Reference [][]bool
	// Answer[i][c]: passage c entails claim i of the answer.
	Answer [][]bool
	// Correct[i]: the reference entails claim i of the answer.
	Correct []bool
	// Recalled[j]: the answer entails claim j of the reference.
	Recalled []bool
}

// Checked are the measures of RAGChecker. Those of the answer are absent without
// claims of the answer (NoClaims), those of the reference without such
// (NoReference), those of passages without passages (NoContext).
type Checked struct {
	Precision, Recall, F1 Value
	// ClaimRecall is the share of the reference's claims that some passage entails;
	// ContextPrecision the share of passages that entail one.
	ClaimRecall, ContextPrecision Value
	// Utilization is the share of the claims found that the answer uses.
	Utilization Value
	// NoiseRelevant and NoiseIrrelevant are the shares of wrong claims that come
	// from passages with and without something of the reference.
	NoiseRelevant, NoiseIrrelevant Value
	// Hallucination are wrong claims without a passage, SelfKnowledge right ones,
	// and Faithfulness those with one: the three sum to 1.
	Hallucination, SelfKnowledge, Faithfulness Value
}

// Check computes the measures of RAGChecker from its matrices. Rows are as long as
// the number of passages.
func Check(m Matrices) Checked {
	passages := 0
	for _, rows := range [][][]bool{m.Reference, m.Answer} {
		for _, row := range rows {
			passages = max(passages, len(row))
		}
	}
	relevant := make([]bool, passages)
	found, used := 0, 0
	for j, row := range m.Reference {
		if !anyOf(row) {
			continue
		}
		found++
		if m.Recalled[j] {
			used++
		}
		for c, entails := range row {
			relevant[c] = relevant[c] || entails
		}
	}
	out := Checked{
		Precision: ratio(trues(m.Correct), len(m.Correct), NoClaims), Recall: ratio(trues(m.Recalled), len(m.Recalled), NoReference),
		ClaimRecall:      ratio(found, len(m.Reference), NoReference),
		ContextPrecision: ratio(trues(relevant), passages, NoContext),
		Utilization:      ratio(used, found, NoRelevant),
	}
	out.F1 = F1(out.Precision, out.Recall)
	var noiseRelevant, noiseIrrelevant, invented, known, faithful int
	for i, row := range m.Answer {
		fromRelevant, fromIrrelevant := false, false
		for c, entails := range row {
			fromRelevant = fromRelevant || entails && relevant[c]
			fromIrrelevant = fromIrrelevant || entails && !relevant[c]
		}
		switch {
		case fromRelevant || fromIrrelevant:
			faithful++
		case m.Correct[i]:
			known++
		default:
			invented++
		}
		if !m.Correct[i] && fromRelevant {
			noiseRelevant++
		}
		if !m.Correct[i] && !fromRelevant && fromIrrelevant {
			noiseIrrelevant++
		}
	}
	n := len(m.Answer)
	out.NoiseRelevant, out.NoiseIrrelevant = ratio(noiseRelevant, n, NoClaims), ratio(noiseIrrelevant, n, NoClaims)
	out.Hallucination, out.SelfKnowledge = ratio(invented, n, NoClaims), ratio(known, n, NoClaims)
	out.Faithfulness = ratio(faithful, n, NoClaims)
	return out
}

func anyOf(row []bool) bool { return trues(row) > 0 }

func trues(row []bool) int {
	n := 0
	for _, b := range row {
		if b {
			n++
		}
	}
	return n
}

// ratio is n/of, absent with none when of is 0.
func ratio(n, of int, none Reason) Value {
	if of == 0 {
		return Absent(none)
	}
	return Of(math.Min(float64(n)/float64(of), 1))
}
