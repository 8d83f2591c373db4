package measure

// MaxCitations is how many citations of a sentence ALCE reads.
const MaxCitations = 3

// CitedSentence is a sentence of an answer with its citations, as ALCE judges them.
type CitedSentence struct {
	// Supported: all its cited passages together entail it. It does not count
	// without a valid citation.
	Supported bool
	Citations []CitationSupport
}

// CitationSupport is what one citation does for its sentence.
type CitationSupport struct {
	// Valid: it names a passage of the prompt.
	Valid bool
	// Alone: its passage entails the sentence by itself.
	Alone bool
	// Needed: the others without it do not entail the sentence.
	Needed bool
}

// CitationScores are the citation measures of ALCE, over the sentences that need a
// source.
type CitationScores struct {
	// Recall is the share of sentences that their citations entail together.
	Recall Value
	// Precision is the share of all citations that bear out a supported sentence,
	// alone or because the others do not suffice; 0 without citations.
	Precision Value
	// Coverage is the share of sentences with a valid citation.
	Coverage Value
}

// Citations computes ALCE's measures. An answer without sentences has none
// (NoClaims).
func Citations(sentences []CitedSentence) CitationScores {
	supported, covered, cites, right := 0, 0, 0, 0
	for _, s := range sentences {
		valid := false
		for _, c := range s.Citations[:min(len(s.Citations), MaxCitations)] {
			cites++
			valid = valid || c.Valid
			if s.Supported && c.Valid && (c.Alone || c.Needed) {
				right++
			}
		}
		if valid {
			covered++
			if s.Supported {
				supported++
			}
		}
	}
	out := CitationScores{Recall: ratio(supported, len(sentences), NoClaims), Coverage: ratio(covered, len(sentences), NoClaims)}
	switch {
	case len(sentences) == 0:
		out.Precision = Absent(NoClaims)
	case cites == 0:
		out.Precision = Of(0)
	default:
		out.Precision = ratio(right, cites, NoClaims)
	}
	return out
}

// Support is how far the first citation of a sentence bears it out, as TREC's RAG
// track grades it.
type Support uint8

// The grades, with their weights 0, 0, ½ and 1.
const (
	Uncited Support = iota
	NoSupport
	PartialSupport
	FullSupport
)

func (s Support) weight() float64 {
	switch s {
	case FullSupport:
		return 1
	case PartialSupport:
		return .5
	}
	return 0
}

// WeightedSupport returns the weighted precision, Σ weights / cited sentences, and
// the weighted recall, Σ weights / all sentences. Without a cited sentence the
// precision is 0; without sentences both are absent (NoClaims).
func WeightedSupport(sentences []Support) (precision, recall Value) {
	if len(sentences) == 0 {
		return Absent(NoClaims), Absent(NoClaims)
	}
	sum, cited := 0.0, 0
	for _, s := range sentences {
		sum += s.weight()
		if s != Uncited {
			cited++
		}
	}
	precision = Of(0)
	if cited > 0 {
		precision = Of(sum / float64(cited))
	}
	return precision, Of(sum / float64(len(sentences)))
}

// Nugget is a key point of a reference answer and how far an answer covers it.
type Nugget struct {
	// Vital points must be in a good answer; the others are welcome.
	Vital bool
	// Covered is FullSupport, PartialSupport or NoSupport.
	Covered Support
}

// NuggetScores are the key-point coverages of TREC's nuggets: the strict ones count
// full coverage alone, the others half of a partial one. Without points of the kind
// a score is absent (NoReference).
type NuggetScores struct {
	Vital, StrictVital, All, StrictAll Value
}

// Nuggets computes the coverage of key points.
func Nuggets(points []Nugget) NuggetScores {
	var all, strictAll, vital, strictVital float64
	nVital := 0
	for _, p := range points {
		w, strict := p.Covered.weight(), 0.0
		if p.Covered == FullSupport {
			strict = 1
		}
		all, strictAll = all+w, strictAll+strict
		if p.Vital {
			nVital++
			vital, strictVital = vital+w, strictVital+strict
		}
	}
	of := func(sum float64, n int) Value {
		if n == 0 {
			return Absent(NoReference)
		}
		return Of(sum / float64(n))
	}
	return NuggetScores{of(vital, nVital), of(strictVital, nVital), of(all, len(points)), of(strictAll, len(points))}
}

// KeyPointShares are the shares of key points that an answer states, leaves out and
// gets wrong (completeness, irrelevance and hallucination of RAGEval). They are
// absent without points (NoReference) and when one is not judged (Unjudged).
type KeyPointShares struct{ Complete, Irrelevant, Wrong Value }

// PointVerdict is what an answer does with a key point. The zero value is unjudged.
type PointVerdict uint8

// The verdicts on a key point.
const (
	PointUnjudged PointVerdict = iota
	PointStated
	PointLeftOut
	PointWrong
)

// KeyPoints computes the shares.
func KeyPoints(points []PointVerdict) KeyPointShares {
	count := map[PointVerdict]int{}
	for _, p := range points {
		count[p]++
	}
	if count[PointUnjudged] > 0 {
		v := Absent(Unjudged)
		return KeyPointShares{v, v, v}
	}
	of := func(p PointVerdict) Value { return ratio(count[p], len(points), NoReference) }
	return KeyPointShares{of(PointStated), of(PointLeftOut), of(PointWrong)}
}

// Refusals counts what became of questions with and without an answer in the
// documents.
type Refusals struct {
	// RightRefusals are unanswerable questions that were refused, WrongAnswers those
	// that were answered; WrongRefusals are answerable questions that were refused,
	// Answered those that were answered.
	RightRefusals, WrongAnswers, WrongRefusals, Answered int
}

// Recall is the share of unanswerable questions that were refused.
func (r Refusals) Recall() Value {
	return ratio(r.RightRefusals, r.RightRefusals+r.WrongAnswers, NoRelevant)
}

// Precision is the share of refusals that were right.
func (r Refusals) Precision() Value {
	return ratio(r.RightRefusals, r.RightRefusals+r.WrongRefusals, NoValues)
}

// Accuracy is the share of questions that were refused or answered as they should.
func (r Refusals) Accuracy() Value {
	return ratio(r.RightRefusals+r.Answered, r.RightRefusals+r.WrongAnswers+r.WrongRefusals+r.Answered, NoValues)
}
