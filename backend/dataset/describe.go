package dataset

import (
	"slices"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// Summary describes a dataset.
type Summary struct {
	Questions int `json:"questions"`
	// Types and Langs count questions; a question without a type is under "". The
	// language of one that does not name it is read off its text.
	Types map[string]int `json:"types"`
	Langs map[string]int `json:"langs"`
	// Variants counts questions that ask another one in other words.
	Variants int `json:"variants"`
	// WithGold counts questions with relevant gold, Gold their passages by grade.
	WithGold int         `json:"with_gold"`
	Gold     map[int]int `json:"gold"`
	// Lengths are in code points.
	QuestionLength Lengths `json:"question_length"`
	AnswerLength   Lengths `json:"answer_length"`
}

// Lengths describe a distribution of lengths; all are 0 without any. A percentile
// is the smallest length that at least so many percent do not exceed.
type Lengths struct {
	N    int     `json:"n"`
	Min  int     `json:"min"`
	Mean float64 `json:"mean"`
	P50  int     `json:"p50"`
	P90  int     `json:"p90"`
	Max  int     `json:"max"`
}

// Describe counts what a dataset holds.
func (d Dataset) Describe() Summary {
	s := Summary{Questions: len(d.Questions), Types: map[string]int{}, Langs: map[string]int{}, Gold: map[int]int{}}
	var questions, answers []int
	for _, q := range d.Questions {
		s.Types[q.Type]++
		s.Langs[q.Language()]++
		if q.VariantOf != "" {
			s.Variants++
		}
		if q.HasGold() {
			s.WithGold++
		}
		for _, g := range q.Gold {
			s.Gold[g.Grade]++
		}
		questions = append(questions, utf8.RuneCountInString(q.Text))
		for _, a := range q.Answers {
			answers = append(answers, utf8.RuneCountInString(a))
		}
	}
	s.QuestionLength, s.AnswerLength = lengthsOf(questions), lengthsOf(answers)
	return s
}

// Language is Lang, or what the text shows.
func (q Question) Language() string {
	if q.Lang != "" {
		return q.Lang
	}
	return text.Language(q.Text)
}

func lengthsOf(n []int) Lengths {
	if len(n) == 0 {
		return Lengths{}
	}
	slices.Sort(n)
	sum := 0
	for _, x := range n {
		sum += x
	}
	// The p-th percentile of N sorted values is the one at ⌈pN/100⌉, from 1.
	at := func(p int) int { return n[(p*len(n)+99)/100-1] }
	return Lengths{len(n), n[0], float64(sum) / float64(len(n)), at(50), at(90), n[len(n)-1]}
}
