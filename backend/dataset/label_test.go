package dataset_test

import (
	"bytes"
	"testing"

	"ragdesk/backend/dataset"
	"ragdesk/backend/rag"
)

func passage(t *testing.T, start, end, grade int) dataset.Gold {
	t.Helper()
	g, ok := dataset.Passage("a/店.md", "😀𠮷野家的牛丼三百九十元。", rag.Span{Start: start, End: end}, grade)
	if !ok {
		t.Fatalf("span %d–%d is refused", start, end)
	}
	return g
}

func TestLabelAddsReplacesAndTakesAway(t *testing.T) {
	t.Parallel()
	d := dataset.Dataset{Name: "d", Questions: []dataset.Question{{ID: "q2", Text: "牛丼多少钱？", Type: dataset.TypeUnanswerable}}}
	at := d.Label("", " 牛丼多少钱？ ", passage(t, 1, 4, dataset.GradeDirect))
	if at != 0 || len(d.Questions) != 1 || d.Questions[0].Gold[0].Quote != "𠮷野家" || d.Questions[0].Type != "" {
		t.Fatalf("at %d: %+v", at, d.Questions)
	}
	d.Label("q2", "", passage(t, 1, 4, dataset.GradeBackground))
	if g := d.Questions[0].Gold; len(g) != 1 || g[0].Grade != dataset.GradeBackground {
		t.Fatalf("the same passage is labelled twice: %+v", g)
	}
	if at = d.Label("", "另一个问题", passage(t, 5, 7, dataset.GradeDirect)); d.Questions[at].ID != "q3" {
		t.Errorf("new id %q, want one past the used q2", d.Questions[at].ID)
	}
	read, problems, err := dataset.Parse(t.Context(), bytes.NewReader(d.Bytes()), dataset.FormatJSON)
	if err != nil || len(problems) > 0 || read.Hash() != d.Hash() {
		t.Errorf("does not read back: %v %v", problems, err)
	}
	if d.Unlabel(at, passage(t, 5, 7, 0)) || d.Find("q3", "") >= 0 {
		t.Error("a question without label or answer stays")
	}
	d.Questions[0].Answers = []string{"三百九十元"}
	if !d.Unlabel(0, passage(t, 1, 4, 0)) {
		t.Error("a question with an answer goes")
	}
}

func TestPassageRefusesWhatIsNoText(t *testing.T) {
	t.Parallel()
	for _, s := range []rag.Span{{Start: -1, End: 2}, {Start: 2, End: 2}, {Start: 1, End: 9}, {Start: 1, End: 3}} {
		if g, ok := dataset.Passage("a", "a \tbc", s, 1); ok {
			t.Errorf("%v gives %+v", s, g)
		}
	}
}

func TestALabelTakesThePlaceOfAStaleOne(t *testing.T) {
	t.Parallel()
	stale := dataset.Gold{Doc: "gone.md", Quote: "no longer there", Grade: dataset.GradeDirect}
	d := dataset.Dataset{Name: "d", Questions: []dataset.Question{{ID: "q", Text: "old words", Type: "factual", Gold: []dataset.Gold{passage(t, 1, 4, 1), stale}}}}
	now := passage(t, 5, 7, dataset.GradeDirect)
	if kept, ok := d.Relabel(0, 1, &now); !kept || !ok || len(d.Questions[0].Gold) != 2 || d.Questions[0].Gold[1].Quote != now.Quote {
		t.Errorf("%+v", d.Questions[0])
	}
	if _, ok := d.Relabel(0, 2, &now); ok {
		t.Error("a label that is not there is replaced")
	}
	if kept, ok := d.Relabel(0, 0, nil); !kept || !ok || len(d.Questions[0].Gold) != 1 {
		t.Errorf("taken away: %+v", d.Questions[0])
	}
	d.Label("q", "new words", now)
	if q := d.Questions[0]; q.Text != "new words" || q.Type != "factual" || len(q.Gold) != 1 {
		t.Errorf("the question does not take the text, or loses its type: %+v", q)
	}
}
