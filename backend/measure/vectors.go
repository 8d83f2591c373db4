package measure

import (
	"context"
	"fmt"
	"strings"
)

// Vector is a value with a known answer.
type Vector struct {
	Name      string
	Got, Want float64
}

// VectorTolerance is how far Got may lie from Want: answers are published to
// four places.
const VectorTolerance = 1e-4

// Vectors recomputes values whose answers are known from the reference programs
// or by hand, so that a running program can show that it still counts right. An
// absent value is reported as −1.
func Vectors() ([]Vector, error) {
	var out []Vector
	for _, c := range vectorCases() {
		ctx := context.Background()
		qrels, err := ReadQrels(ctx, strings.NewReader(c.qrels), c.name)
		if err != nil {
			return nil, fmt.Errorf("vector %s: %w", c.name, err)
		}
		run, err := ReadRun(ctx, strings.NewReader(c.run), c.name)
		if err != nil {
			return nil, fmt.Errorf("vector %s: %w", c.name, err)
		}
		for _, w := range c.want {
			v, err := vectorOf(qrels, run, c, w)
			if err != nil {
				return nil, fmt.Errorf("vector %s %s: %w", c.name, w.measure, err)
			}
			out = append(out, v)
		}
	}
	return append(out, generationVectors()...), nil
}

func vectorOf(qrels *Qrels, run *Run, c vectorCase, w vectorWant) (Vector, error) {
	m, err := Parse(w.measure)
	if err != nil {
		return Vector{}, err
	}
	report, err := Score(context.Background(), qrels, run,
		Options{Measures: []Measure{m}, Dialect: c.dialect, AverageTies: c.averageTies})
	if err != nil {
		return Vector{}, err
	}
	v := report.Means[0].Value
	for _, q := range report.Queries {
		if q.Query == w.query {
			v = q.Values[0]
		}
	}
	got := -1.0
	if v.OK() {
		got = v.Score
	}
	return Vector{Name: strings.TrimSpace(c.name + " " + w.query + " " + w.measure), Got: got, Want: w.value}, nil
}

type vectorCase struct {
	name        string
	dialect     Dialect
	averageTies bool
	qrels, run  string
	want        []vectorWant
}

type vectorWant struct {
	// query is empty for the mean.
	query, measure string
	value          float64
}

// Query A: graded, with one relevant document not found and one unjudged.
const (
	gradedQrels = "A 0 d1 3\nA 0 d2 2\nA 0 d3 1\nA 0 d4 0\n"
	gradedRun   = "A Q0 d5 1 .9 t\nA Q0 d1 2 .8 t\nA Q0 d4 3 .7 t\nA Q0 d3 4 .6 t\n"
)

// vectorCases lists trec_eval's answers for four queries (A graded, B tied, C
// without relevant documents, D without results), for a negative grade, and with
// equal scores averaged; the example of ranx's documentation; a worked example of
// three questions; and what other programs make of the same lists.
func vectorCases() []vectorCase {
	return append([]vectorCase{
		{
			name: "trec", dialect: DialectTREC,
			qrels: gradedQrels + "B 0 b1 1\nC 0 c1 0\nC 0 c2 0\nD 0 x1 1\n",
			run: gradedRun +
				"B Q0 b2 2 .5 t\nB Q0 b1 1 .5 t\nC Q0 c1 1 2 t\nC Q0 c9 2 1 t\nE Q0 e1 1 1 t\n",
			want: trecAnswers(),
		},
		{
			name: "tie won", dialect: DialectTREC,
			qrels: "B 0 b2 1\n", run: "B Q0 b2 1 .5 t\nB Q0 b1 2 .5 t\n",
			want: []vectorWant{{"B", "RR", 1}},
		},
		{
			name: "negative grade", dialect: DialectTREC,
			qrels: "N 0 d1 1\nN 0 d2 -1\n", run: "N Q0 d2 1 2 t\nN Q0 d1 2 1 t\n",
			want: []vectorWant{{"N", "nDCG@2", .6309}, {"N", "RR", .5}, {"N", "AP", .5}},
		},
		{
			name: "ties averaged", dialect: DialectTREC, averageTies: true,
			qrels: "T 0 b 1\n", run: "T Q0 a 1 1 t\nT Q0 b 2 1 t\nT Q0 c 3 1 t\n",
			want: []vectorWant{{"T", "RR", .6111}, {"T", "P@1", .3333}, {"T", "nDCG@3", .7103}},
		},
		{
			name: "ranx", dialect: DialectRanx,
			qrels: "q1 0 12 5\nq1 0 25 3\nq2 0 11 6\nq2 0 22 1\n",
			run: "q1 Q0 12 1 9 t\nq1 Q0 23 2 8 t\nq1 Q0 25 3 7 t\nq1 Q0 36 4 6 t\nq1 Q0 32 5 5 t\nq1 Q0 35 6 4 t\n" +
				"q2 Q0 12 1 9 t\nq2 Q0 11 2 8 t\nq2 Q0 25 3 7 t\nq2 Q0 36 4 6 t\nq2 Q0 22 5 5 t\nq2 Q0 35 6 4 t\n",
			want: []vectorWant{
				{"q1", "ndcg@5", .9430}, {"q2", "ndcg@5", .6292}, {"", "ndcg@5", .7861},
				{"q1", "map@5", .8333}, {"q2", "map@5", .45}, {"", "map@5", .6416}, {"", "mrr", .75},
				{"q1", "ndcg_burges@5", .9741}, {"q2", "ndcg_burges@5", .6308},
			},
		},
		{
			name: "precision of what came back", dialect: DialectRAG,
			qrels: gradedQrels, run: gradedRun,
			want: []vectorWant{{"A", "P@5", .5}, {"A", "P", .5}, {"A", "R@5", .6667}},
		},
		threeQuestions(),
	}, otherPrograms()...)
}

func trecAnswers() []vectorWant {
	return []vectorWant{
		{"A", "P@1", 0}, {"A", "P@3", .3333}, {"A", "P@5", .4}, {"A", "R@3", .3333}, {"A", "R@5", .6667},
		{"A", "RR", .5}, {"A", "AP", .3333}, {"A", "AP@3", .1667}, {"A", "success@1", 0}, {"A", "success@3", 1},
		{"A", "nDCG@3", .3975}, {"A", "nDCG@5", .4879}, {"A", "nDCG", .4879},
		{"A", "nDCG(gain=exp)@3", .4702}, {"A", "nDCG(gain=exp)@5", .5161},
		{"A", "AP(rel=2)", .25}, {"A", "P(rel=2)@3", .3333}, {"A", "nDCG(rel=2)@3", .3975},
		{"B", "RR", .5}, {"B", "AP", .5}, {"B", "nDCG", .6309},
		{"C", "AP", 0}, {"C", "RR", 0}, {"C", "P@5", 0}, {"C", "R@5", 0}, {"C", "nDCG", 0}, {"C", "success@3", 0},
		{"D", "AP", 0}, {"D", "RR", 0}, {"D", "nDCG@3", 0},
		{"", "map", .2083}, {"", "RR", .25}, {"", "P@3", .1667}, {"", "P@5", .15}, {"", "R@3", .3333},
		{"", "R@5", .4167}, {"", "nDCG", .2797}, {"", "nDCG@3", .2571}, {"", "success@3", .5},
	}
}

// threeQuestions: Q1 finds one of two at rank 1, Q2 its only one at rank 4, Q3
// two of three, the first at rank 1 and the second at rank 3.
func threeQuestions() vectorCase {
	return vectorCase{
		name: "three questions", dialect: DialectEval,
		qrels: "Q1 0 D2 1\nQ1 0 D5 1\nQ2 0 D9 1\nQ3 0 D1 1\nQ3 0 D4 1\nQ3 0 D7 1\n",
		run: "Q1 Q0 D2 1 5 t\nQ1 Q0 D3 2 4 t\nQ1 Q0 D6 3 3 t\nQ1 Q0 D8 4 2 t\nQ1 Q0 D0 5 1 t\n" +
			"Q2 Q0 D1 1 5 t\nQ2 Q0 D3 2 4 t\nQ2 Q0 D6 3 3 t\nQ2 Q0 D9 4 2 t\nQ2 Q0 D0 5 1 t\n" +
			"Q3 Q0 D1 1 5 t\nQ3 Q0 D3 2 4 t\nQ3 Q0 D4 3 3 t\nQ3 Q0 D6 4 2 t\nQ3 Q0 D0 5 1 t\n",
		want: []vectorWant{
			{"Q1", "Hit@2", 1}, {"Q1", "Recall@2", .5}, {"Q1", "Recall@5", .5}, {"Q1", "RR", 1},
			{"Q2", "Hit@2", 0}, {"Q2", "Recall@2", 0}, {"Q2", "Recall@5", 1}, {"Q2", "RR", .25},
			{"Q3", "Hit@2", 1}, {"Q3", "Recall@2", .3333}, {"Q3", "Recall@5", .6667}, {"Q3", "RR", 1},
			{"", "MRR", .75}, {"", "Hit@2", .6667},
		},
	}
}
