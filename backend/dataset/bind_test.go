package dataset_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ragdesk/backend/dataset"
	"ragdesk/backend/rag"
)

// bound is what a test expects of a label.
type bound struct {
	state dataset.State
	// source#text, or "whole"
	source, text string
}

func labelOf(l dataset.Label, texts map[rag.DocumentID]string) bound {
	b := bound{l.State, l.Source, ""}
	if l.State == dataset.StateBound || l.State == dataset.StateMoved {
		b.text = "whole"
		if !l.Whole {
			b.text = texts[l.Doc][l.Span.Start:l.Span.End]
		}
	}
	return b
}

func TestReferences(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 4, 0, "a/readme.md", "甲乙丙丁戊", "b/readme.md", "子丑", "b/notes.tar.gz", "n", "top.txt", "t", "a/top.txt", "u")
	s.aliases = []rag.Alias{{Source: "c/other.md", DocID: "id:top.txt"}}
	s.rows = append(s.rows, rag.DocumentRow{Document: rag.Document{ID: "readme.md", Source: "z/zz.md"}})
	s.texts["readme.md"] = "by id"
	c := open(t, s)
	for ref, want := range map[string]bound{
		"a/readme.md#1":  {"bound", "a/readme.md", "戊"},
		"id:b/readme.md": {"bound", "b/readme.md", "whole"},
		"b/readme.md":    {"bound", "b/readme.md", "whole"},
		`b\readme.md`:    {"bound", "b/readme.md", "whole"},
		"./b/readme":     {"bound", "b/readme.md", "whole"},
		"readme.md":      {"bound", "z/zz.md", "whole"}, // an id goes before an ending
		"readme":         {"ambiguous", "", ""},
		"notes.tar.gz":   {"bound", "b/notes.tar.gz", "whole"},
		"notes.tar":      {"bound", "b/notes.tar.gz", "whole"},
		"notes":          {"not_indexed", "", ""},
		"top.txt":        {"bound", "top.txt", "whole"}, // a source goes before an ending
		"top":            {"ambiguous", "", ""},
		"other":          {"bound", "top.txt", "whole"},
		"eadme.md":       {"not_indexed", "", ""},
		"":               {"not_indexed", "", ""},
	} {
		b, err := c.Bind(t.Context(), dataset.Question{Gold: []dataset.Gold{{Doc: ref, Grade: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := labelOf(b.Labels[0], s.texts); got != want {
			t.Errorf("%q: %+v, want %+v", ref, got, want)
		}
	}
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	const text = "\ufeff第一行：价格为１２０元。\r\n第二 行　（含税）\u200b，价格为120元。\nThe price  is 1,200\n yuan. 👩‍👩‍👧𠮷"
	s := newShelf(t, 10, 0, "d.md", text)
	c := open(t, s)
	at := func(part string) *rag.Span {
		i := strings.LastIndex(text, part)
		n := utf8.RuneCountInString(text[:i])
		return &rag.Span{Start: n, End: n + utf8.RuneCountInString(part)}
	}
	for _, q := range []struct {
		name   string
		quote  string
		points *rag.Span
		want   bound
		count  int
	}{
		{"exact", "第一行", nil, bound{"bound", "d.md", "第一行"}, 1},
		{"exact goes before width", "120元", nil, bound{"bound", "d.md", "120元"}, 1},
		{"width and blanks", "第二行(含税),价格", nil, bound{"bound", "d.md", "第二 行　（含税）\u200b，价格"}, 1},
		{"line break", "price is 1,200 yuan", nil, bound{"bound", "d.md", "price  is 1,200\n yuan"}, 1},
		{"emoji", "👩‍👩‍👧𠮷", nil, bound{"bound", "d.md", "👩‍👩‍👧𠮷"}, 1},
		{"repeated", "价格为", nil, bound{"bound", "d.md", "价格为"}, 2},
		{"given place", "价格为", at("价格为"), bound{"bound", "d.md", "价格为"}, 0},
		{"given place, other width", "120元", &rag.Span{Start: 8, End: 12}, bound{"bound", "d.md", "１２０元"}, 0},
		{"place without quote", "", at("含税"), bound{"bound", "d.md", "含税"}, 0},
		{"wrong place", "第一行", &rag.Span{Start: 20, End: 23}, bound{"bound", "d.md", "第一行"}, 1},
		{"place beyond the end", "第一行", &rag.Span{Start: 20, End: 2300}, bound{"bound", "d.md", "第一行"}, 1},
		{"blank quote", " \n", nil, bound{"bound", "d.md", "whole"}, 0},
		{"neither fits", "", &rag.Span{Start: 20, End: 2300}, bound{"offsets_disagree", "d.md", ""}, 0},
		{"no such quote", "第三行", at("含税"), bound{"quote_not_found", "d.md", ""}, 0},
	} {
		b, err := c.Bind(t.Context(), dataset.Question{Gold: []dataset.Gold{{Doc: "d.md", Quote: q.quote, Points: q.points, Grade: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := labelOf(b.Labels[0], s.texts); got != q.want || b.Labels[0].Count != q.count {
			t.Errorf("%s: %+v, %d times, want %+v, %d", q.name, got, b.Labels[0].Count, q.want, q.count)
		}
	}
	// A quote that occurs twice is the one nearest to the place that was given.
	b, err := c.Bind(t.Context(), dataset.Question{Gold: []dataset.Gold{{Doc: "d.md", Quote: "价格为", Points: &rag.Span{Start: 25, End: 27}}}})
	if err != nil || b.Labels[0].Span.Start != strings.LastIndex(text, "价格为") {
		t.Errorf("nearest: %+v, error %v", b.Labels[0], err)
	}
	// In a chunk that is named, its own occurrence counts.
	b, err = c.Bind(t.Context(), dataset.Question{Gold: []dataset.Gold{{Doc: "d.md#2", Quote: "价格为"}}})
	if err != nil || b.Labels[0].Span.Start != strings.LastIndex(text, "价格为") {
		t.Errorf("in a chunk: %+v, error %v", b.Labels[0], err)
	}
}

// TestTolerantFindingKeepsPlaces plants quotes with other blanks and widths into
// random text and finds each where it was planted.
func TestTolerantFindingKeepsPlaces(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	letters := []rune("甲乙丙丁abc,。𠮷é０１")
	wide := map[rune]rune{'a': 'ａ', 'b': 'ｂ', 'c': 'ｃ', ',': '，', '０': '0', '１': '1', '。': '｡'}
	random := func(n int) []rune {
		out := make([]rune, n)
		for i := range out {
			out[i] = letters[rng.IntN(len(letters))]
		}
		return out
	}
	for range 300 {
		quote := append([]rune("《"), append(random(1+rng.IntN(8)), '》')...)
		var planted []rune
		for i, r := range quote {
			if w, ok := wide[r]; ok && rng.IntN(2) == 0 {
				r = w
			}
			if i > 0 && rng.IntN(3) == 0 {
				planted = append(planted, []rune(" \n　\t")[rng.IntN(4)])
			}
			planted = append(planted, r)
		}
		before, after := string(random(rng.IntN(20))), string(random(rng.IntN(20)))
		s := newShelf(t, 50, 0, "d", before+string(planted)+after)
		b, err := open(t, s).Bind(t.Context(), dataset.Question{Gold: []dataset.Gold{{Doc: "d", Quote: string(quote)}}})
		if err != nil {
			t.Fatal(err)
		}
		want := rag.Span{Start: len(before), End: len(before) + len(string(planted))}
		if l := b.Labels[0]; l.State != dataset.StateBound || l.Span != want || l.Quote != string(planted) {
			t.Fatalf("%q in %q: %+v, want %v", string(quote), s.texts["id:d"], l, want)
		}
	}
}

// TestBindAgain changes documents under labels that were bound before.
func TestBindAgain(t *testing.T) {
	t.Parallel()
	questions := []dataset.Question{{ID: "q", Gold: []dataset.Gold{
		{Doc: "same", Quote: "甲乙", Grade: 2},
		{Doc: "moved", Quote: "甲乙", Grade: 2},
		{Doc: "edited", Quote: "甲乙", Grade: 2},
		{Doc: "gone", Quote: "甲乙", Grade: 2},
		{Doc: "chunk#1", Grade: 1},
		{Doc: "offsets", Points: &rag.Span{Start: 2, End: 4}, Grade: 1},
		{Doc: "all", Grade: 1},
		{Doc: "later", Quote: "甲乙", Grade: 1},
		{Doc: "renamed", Quote: "甲乙", Grade: 1},
	}}}
	old := newShelf(t, 4, 0, "same", "前甲乙后", "moved", "前甲乙后", "edited", "前甲乙后", "gone", "甲乙", "chunk", "一二三四五六七八",
		"offsets", "零零甲乙", "all", "全文", "renamed", "甲乙")
	before, err := open(t, old).BindAll(t.Context(), questions, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := newShelf(t, 3, 0, "same", "前甲乙后", "moved", "新的开头。前甲乙后", "edited", "前丙后", "chunk", "零一二三四五六七八九",
		"offsets", "零甲乙", "all", "新全文", "later", "甲乙", "dir/renamed", "甲乙")
	corpus := open(t, now)
	check := func(prior []dataset.Binding, want []bound) []dataset.Binding {
		t.Helper()
		after, err := corpus.BindAll(t.Context(), questions, prior)
		if err != nil {
			t.Fatal(err)
		}
		var got []bound
		for _, l := range after[0].Labels {
			got = append(got, labelOf(l, now.texts))
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(bound{})); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		return after
	}
	want := []bound{
		{"bound", "same", "甲乙"}, {"moved", "moved", "甲乙"}, {"stale", "edited", ""}, {"stale", "gone", ""},
		{"moved", "chunk", "五六七八"}, {"moved", "offsets", "甲乙"}, {"bound", "all", "whole"}, {"bound", "later", "甲乙"},
		{"bound", "dir/renamed", "甲乙"},
	}
	after := check(before, want)
	// Once moved, a label is where it is; what is stale stays so.
	want[1].state, want[4].state, want[5].state = "bound", "bound", "bound"
	after = check(after, want)
	// A document that comes back is found again.
	now = newShelf(t, 9, 0, "edited", "前甲乙后", "gone", "又甲乙")
	corpus = open(t, now)
	after = check(after, []bound{
		{"stale", "same", ""}, {"stale", "moved", ""}, {"bound", "edited", "甲乙"}, {"moved", "gone", "甲乙"},
		{"stale", "chunk", ""}, {"stale", "offsets", ""}, {"stale", "all", ""}, {"stale", "later", ""}, {"stale", "dir/renamed", ""},
	})
	j := corpus.Judge(after[0], dataset.Relevance{})
	if len(j.Relevant()) != 2 || j.LeftOut != 7 || j.Cause != "" {
		t.Errorf("judged by %v, %d left out, cause %q", j.Relevant(), j.LeftOut, j.Cause)
	}
}

// TestCheckReportsProblemsAndNotices binds a dataset in which everything is wrong
// that a library shows.
func TestCheckReportsProblemsAndNotices(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 50, 0, "a/x.md", "甲乙甲乙", "b/x.md", "丙", "c.md", "会改的文字")
	ds := parse(t, "", `{"query_id":"1","question":"?","gold":[{"doc":"none.md"},{"doc":"a/x.md","quote":"丁"}]}
{"query_id":"2","question":"?","gold":[{"doc":"x.md"},{"doc":"b/x.md","start":3,"end":4}]}
{"query_id":"3","question":"?","gold":[{"doc":"a/x.md","quote":"甲乙"},{"doc":"b/x.md","quote":"丙","start":7,"end":8},{"doc":"none.md"}]}
{"query_id":"4","question":"?","gold":[{"doc":"c.md","quote":"会改"}]}
{"query_id":"5","question":"?","gold":[{"doc":"c.md","quote":"文字"}]}`)
	c := open(t, s)
	bindings, problems, notices, err := c.Check(t.Context(), ds, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Problem{
		{Line: 1, Code: "unknown_document", Detail: "none.md"},
		{Line: 1, Code: "quote_not_found", Detail: "a/x.md: 丁"},
		{Line: 2, Code: "ambiguous_document", Detail: "x.md: a/x.md, b/x.md"},
		{Line: 2, Code: "offsets_disagree", Detail: "b/x.md [3,4)"},
		{Line: 3, Code: "unknown_document", Detail: "none.md"},
	}
	wantNotices := []dataset.Problem{
		{Line: 3, Code: "quote_repeated", Detail: "a/x.md: 甲乙"},
		{Line: 3, Code: "offsets_disagree", Detail: "b/x.md [7,8)"},
	}
	if diff := cmp.Diff(want, problems) + cmp.Diff(wantNotices, notices); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if blocking := dataset.Blocking(problems); len(blocking) != 3 || dataset.Refuse("f", blocking) == nil {
		t.Errorf("blocking %v", blocking)
	}
	changed := newShelf(t, 50, 0, "a/x.md", "甲乙甲乙", "b/x.md", "丙", "c.md", "新的文字")
	_, _, notices, err = open(t, changed).Check(t.Context(), ds, bindings)
	wantNotices = append(wantNotices,
		dataset.Problem{Line: 4, Code: "gold_stale", Detail: "c.md: 会改"}, dataset.Problem{Line: 5, Code: "gold_moved", Detail: "c.md: 文字"})
	if diff := cmp.Diff(wantNotices, notices, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

func TestBindReadsEachDocumentOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 50, 0, "a", "甲", "b", "乙", "c", "丙")
	var questions []dataset.Question
	for range 20 {
		questions = append(questions, dataset.Question{ID: "q", Gold: []dataset.Gold{{Doc: "a", Quote: "甲"}, {Doc: "b"}}})
	}
	if _, err := open(t, s).BindAll(t.Context(), questions, nil); err != nil || s.reads != 2 {
		t.Errorf("%d reads, error %v", s.reads, err)
	}
	delete(s.texts, "id:a")
	if _, err := open(t, s).BindAll(t.Context(), questions, nil); err == nil {
		t.Error("a document without a text binds")
	}
}
