package measure

// generationVectors are worked examples of the measures of answers, published or
// counted by hand. An absent value is reported as −1.
func generationVectors() []Vector {
	var out []Vector
	for _, part := range [][]generationCase{ragasCases(), checkerCases(), citationCases()} {
		for _, c := range part {
			v := Vector{Name: c.name, Got: -1, Want: c.want}
			if c.value.OK() {
				v.Got = c.value.Score
			}
			out = append(out, v)
		}
	}
	return out
}

type generationCase struct {
	name  string
	value Value
	want  float64
}

func ragasCases() []generationCase {
	evasive := []bool{true, true, true}
	return []generationCase{
		{"context precision 1 0 1", ContextPrecision([]Verdict{Yes, No, Yes}), .8333},
		{"context precision 0 0 1", ContextPrecision([]Verdict{No, No, Yes}), .3333},
		{"context precision 0 0", ContextPrecision([]Verdict{No, No}), 0},
		{"context recall 3 of 4", ContextRecall([]Verdict{Yes, Yes, No, Yes}), .75},
		{"faithfulness 2 of 3", Faithfulness([]Verdict{Yes, No, Yes}), .6667},
		{"answer relevancy", AnswerRelevancy([]float64{.9, .8, .7}, nil).Value, .8},
		{"answer relevancy noncommittal", AnswerRelevancy([]float64{.9, .8, .7}, evasive).Value, 0},
		{"answer relevancy clamped", AnswerRelevancy([]float64{-.2, -.1}, nil).Value, 0},
		{"answer correctness", AnswerCorrectness(2, 1, 1, .8), .7},
	}
}

// checkerCases: three claims of a reference, four of an answer, two passages.
func checkerCases() []generationCase {
	c := Check(Matrices{
		Reference: [][]bool{{true, false}, {false, false}, {true, false}},
		Answer:    [][]bool{{true, false}, {false, true}, {false, false}, {true, false}},
		Correct:   []bool{true, false, false, false}, Recalled: []bool{true, false, false},
	})
	return []generationCase{
		{"RAGChecker precision", c.Precision, .25}, {"RAGChecker recall", c.Recall, .3333}, {"RAGChecker F1", c.F1, .2857},
		{"RAGChecker claim recall", c.ClaimRecall, .6667}, {"RAGChecker context precision", c.ContextPrecision, .5},
		{"RAGChecker utilization", c.Utilization, .5},
		{"RAGChecker noise relevant", c.NoiseRelevant, .25}, {"RAGChecker noise irrelevant", c.NoiseIrrelevant, .25},
		{"RAGChecker hallucination", c.Hallucination, .25}, {"RAGChecker self-knowledge", c.SelfKnowledge, 0},
		{"RAGChecker faithfulness", c.Faithfulness, .75},
	}
}

// citationCases: a sentence that its citation bears out, one that needs the first of
// its two, and one without; TREC's three sentences; four nuggets, three of them
// vital.
func citationCases() []generationCase {
	alce := Citations([]CitedSentence{
		{Supported: true, Citations: []CitationSupport{{Valid: true, Alone: true, Needed: true}}},
		{Supported: true, Citations: []CitationSupport{{Valid: true, Alone: true, Needed: true}, {Valid: true}}},
		{},
	})
	precision, recall := WeightedSupport([]Support{FullSupport, PartialSupport, Uncited})
	nuggets := Nuggets([]Nugget{{true, FullSupport}, {true, PartialSupport}, {true, NoSupport}, {false, FullSupport}})
	points := KeyPoints([]PointVerdict{PointStated, PointStated, PointLeftOut, PointWrong})
	refusals := Refusals{RightRefusals: 8, WrongAnswers: 2, WrongRefusals: 2, Answered: 38}
	return []generationCase{
		{"ALCE recall", alce.Recall, .6667}, {"ALCE precision", alce.Precision, .6667}, {"ALCE coverage", alce.Coverage, .6667},
		{"TREC support precision", precision, .75}, {"TREC support recall", recall, .5},
		{"nuggets vital", nuggets.Vital, .5}, {"nuggets strict vital", nuggets.StrictVital, .3333},
		{"nuggets all", nuggets.All, .625}, {"nuggets strict all", nuggets.StrictAll, .5},
		{"key points complete", points.Complete, .5}, {"key points irrelevant", points.Irrelevant, .25}, {"key points wrong", points.Wrong, .25},
		{"refusals precision", refusals.Precision(), .8}, {"refusals recall", refusals.Recall(), .8}, {"refusals accuracy", refusals.Accuracy(), .92},
	}
}
