package evaluate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// styled evaluates one answer and returns its style, and the run it is in.
func styled(t *testing.T, question, answer string, refused bool, references ...string) (*runs.Style, runs.Result, []runs.Advice) {
	t.Helper()
	exp, err := evaluate.Run(t.Context(), evaluate.Setup{
		Questions: []evaluate.Question{{ID: "q", Text: question, Answerable: true, Answers: references}}, Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}},
		Searcher: &script{lists: map[string]map[string][]rag.ChunkID{"vector": {question: {"c1"}}}}, Judge: alwaysRelevant{},
		Answerer: scripted{question: {Text: answer, Abstained: refused, Label: "faithful"}}, Metrics: []string{"abstention"},
	}, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	return exp.Runs[0].Stored.Records[0].Answer.Style, exp.Runs[0], exp.Advice
}

func TestStyle(t *testing.T) {
	t.Parallel()
	ratio := func(v float64) *float64 { return &v }
	short := "Leave is ten days a year. "
	long := strings.TrimSpace(strings.Repeat(short, 30))
	for name, c := range map[string]struct {
		question, answer string
		references       []string
		want             *runs.Style
	}{
		"the worked example": {"年假有几天？", "年假每年 10 天，由 HRBP 审批 [1]。请提前三天申请。", []string{"10 天"},
			&runs.Style{Length: 17, Sentences: 2, Longest: 10, Paragraph: 17, Ratio: ratio(8.5), Hints: []string{"terms_unexplained"}, Terms: []string{"HRBP"}}},
		"explained, or asked for": {"What does the SLA say?", "The SLA holds. The service level objective (SLO) is 99.9%. An RTO (recovery time objective) of 1 h.", nil,
			&runs.Style{Length: 18, Sentences: 3, Longest: 8, Paragraph: 18, Hints: []string{}, Terms: []string{}}},
		"one long paragraph": {"q", long, nil,
			&runs.Style{Length: 180, Sentences: 30, Longest: 6, Paragraph: 180, Hints: []string{"paragraph_long", "structure_missing"}, Terms: []string{}}},
		"a list": {"q", strings.Repeat("- Leave is ten days a year.\n", 30), nil,
			&runs.Style{Length: 180, Sentences: 30, Longest: 6, Hints: []string{}, Terms: []string{}}},
		"a long sentence": {"q", strings.Repeat("word ", 31) + ".", nil, &runs.Style{Length: 31, Sentences: 1, Longest: 31, Paragraph: 31, Hints: []string{"sentence_long"}, Terms: []string{}}},
		"nothing":         {"q", " … ", nil, nil},
	} {
		got, _, _ := styled(t, c.question, c.answer, false, c.references...)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	_, run, advice := styled(t, "q", long, false, "ten days")
	if s := run.Style; *s.Length.Value != 180 || *s.Sentence.Value != 6 || *s.Ratio.Value != 90 || s.Hints["paragraph_long"] != 1 || s.Hints["sentence_long"] != 0 {
		t.Errorf("length %v, sentence %v, ratio %v, hints %v", *s.Length.Value, *s.Sentence.Value, *s.Ratio.Value, s.Hints)
	}
	last := advice[len(advice)-1]
	if last.Code != "answers_structure_missing" || last.Params["n"] != "1" || last.Params["of"] != "1" {
		t.Errorf("%+v", last)
	}
	if style, run, _ := styled(t, "q", "The documents do not say.", true); style != nil || run.Style.Length.Of != 0 {
		t.Errorf("a refusal has the style %+v in %+v", style, run.Style)
	}
}

// alwaysRelevant is a judge that finds every chunk relevant.
type alwaysRelevant struct{}

func (alwaysRelevant) Ranking(_ int, ids []rag.ChunkID) (measure.Ranking, error) {
	out := measure.Ranking{HasGold: true, Ideal: []int{1}}
	for _, id := range ids {
		out.Items = append(out.Items, measure.Item{ID: string(id), Grade: 1})
	}
	return out, nil
}

func (alwaysRelevant) Gold(int) (evaluate.Gold, error) {
	return evaluate.Gold{Relevant: []runs.Relevant{{ID: "c1", Grade: 1}}}, nil
}
