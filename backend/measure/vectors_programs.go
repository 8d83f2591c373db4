package measure

import (
	"fmt"
	"strings"
)

// otherPrograms lists where other programs differ from trec_eval: on query A, on
// repeated documents, on equal scores, on what is not relevant or was not run.
func otherPrograms() []vectorCase {
	twice := "R Q0 a 1 .9 t\nR Q0 a 2 .8 t\n"
	short := "S 0 a 1\nS 0 b 1\nS 0 c 1\n"
	return []vectorCase{
		{
			name: "mlflow", dialect: DialectMLflow, qrels: gradedQrels, run: gradedRun,
			want: []vectorWant{{"A", "P@5", .5}, {"A", "R@5", .6667}},
		},
		{
			name: "mlflow repeated", dialect: DialectMLflow, qrels: "R 0 a 1\n", run: twice,
			want: []vectorWant{{"R", "P@2", 1}, {"R", "R@2", 1}, {"R", "nDCG@2", 1}},
		},
		{
			name: "mlflow nothing", dialect: DialectMLflow, qrels: "N 0 a 0\n", run: "X Q0 a 1 1 t\n",
			want: []vectorWant{{"N", "R@5", 1}, {"N", "nDCG@5", 1}, {"N", "P@5", 0}},
		},
		{
			name: "phoenix", dialect: DialectPhoenix, qrels: gradedQrels, run: gradedRun,
			want: []vectorWant{{"A", "nDCG", .6399}, {"A", "P@5", .4}, {"A", "MRR", .5}},
		},
		{
			name: "trulens ties", dialect: DialectTruLens, qrels: "T 0 a 1\n",
			run:  "T Q0 b 1 .5 t\nT Q0 a 2 .5 t\nT Q0 c 3 .4 t\n",
			want: []vectorWant{{"T", "P@1", .5}, {"T", "R@1", 1}, {"T", "Hit@1", 0}, {"T", "P@3", .3333}},
		},
		{
			name: "trulens nothing", dialect: DialectTruLens, qrels: "N 0 a 0\n", run: "N Q0 a 1 1 t\n",
			want: []vectorWant{{"N", "P@1", -1}, {"N", "R@1", -1}, {"N", "nDCG@1", -1}},
		},
		{
			name: "autorag alternatives", dialect: DialectAutoRAG, qrels: gradedQrels, run: gradedRun,
			want: []vectorWant{{"A", "AP", .5}, {"A", "MRR", .5}, {"A", "R", 1}},
		},
		{
			name: "autorag all", dialect: DialectAutoRAG, qrels: "A 1 d1 3\nA 2 d2 2\nA 3 d3 1\n", run: gradedRun,
			want: []vectorWant{{"A", "AP", .25}, {"A", "MRR", .25}, {"A", "R", .6667}},
		},
		{
			name: "autorag short", dialect: DialectAutoRAG, qrels: short, run: "S Q0 a 1 1 t\n",
			want: []vectorWant{{"S", "nDCG", 1}},
		},
		{
			name: "trec short", dialect: DialectTREC, qrels: short, run: "S Q0 a 1 1 t\n",
			want: []vectorWant{{"S", "nDCG@5", .4693}},
		},
		{
			name: "autorag repeated", dialect: DialectAutoRAG, qrels: "R 0 a 1\n", run: twice,
			want: []vectorWant{{"R", "nDCG", 1.6309}, {"R", "P", .5}},
		},
		{
			name: "continuous-eval", dialect: DialectContinuousEval, qrels: "C 1 a 1\nC 2 a 1\n", run: "C Q0 a 1 1 t\n",
			want: []vectorWant{{"C", "AP", 1.5}, {"C", "P", 2}, {"C", "R", 1}},
		},
		constantScorer(),
		{
			name: "beir accuracy", dialect: DialectBEIR, qrels: "B 0 zb 1\n", run: "B Q0 za 1 2 t\nB Q0 zb 2 1 t\n",
			want: []vectorWant{{"B", "Hit@1", 1}, {"B", "MRR@1", 0}},
		},
		{
			name: "beir not run", dialect: DialectBEIR, qrels: "Q 0 a1 1\nU 0 a1 1\n", run: "Q Q0 a1 1 1 t\n",
			want: []vectorWant{{"", "R@5", 1}, {"U", "R@5", -1}},
		},
		{
			name: "trec not run", dialect: DialectTREC, qrels: "Q 0 a1 1\nU 0 a1 1\n", run: "Q Q0 a1 1 1 t\n",
			want: []vectorWant{{"", "R@5", .5}, {"U", "R@5", 0}},
		},
	}
}

// constantScorer gives eleven documents one score: the first in the file is the
// last by name, so that it is found at rank 1 or not among ten, as one orders.
func constantScorer() vectorCase {
	var run strings.Builder
	for i := range 11 {
		fmt.Fprintf(&run, "K Q0 d%02d %d 1 t\n", i, i+1)
	}
	return vectorCase{
		name: "beir constant scorer", dialect: DialectBEIR, qrels: "K 0 d00 1\n", run: run.String(),
		want: []vectorWant{{"K", "MRR@10", 1}, {"K", "nDCG@10", 0}},
	}
}
