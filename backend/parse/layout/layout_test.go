package layout_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/layout"
	"ragdesk/backend/rag"
)

// at makes a segment of size 10 whose letters take half an em, Han a whole one.
func at(x, y float64, s string) layout.Segment {
	w := 0.0
	for _, r := range s {
		if doctext.Unspaced(r) {
			w += 10
		} else {
			w += 5
		}
	}
	return layout.Segment{Text: s, Box: layout.Box{X0: x, Y0: y, X1: x + w, Y1: y + 11}, Size: 10, Runes: utf8.RuneCountInString(s)}
}

// column stacks lines 13 points apart.
func column(x, y float64, lines ...string) []layout.Segment {
	var out []layout.Segment
	for i, l := range lines {
		out = append(out, at(x, y+float64(i)*13, l))
	}
	return out
}

func rowAt(y float64, xs []float64, cells ...string) []layout.Segment {
	var out []layout.Segment
	for i, c := range cells {
		if c != "" {
			out = append(out, at(xs[i], y, c))
		}
	}
	return out
}

func read(t *testing.T, pages ...layout.Page) rag.Document {
	t.Helper()
	var b doctext.Builder
	layout.Write(&b, pages, nil)
	doc, err := b.Document(rag.Input{Source: "x"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func prose(seed uint64, n int) []string {
	rng := rand.New(rand.NewPCG(seed, 0))
	words := strings.Fields("pump valve oil filter inspect replace record shall weekly operator pressure seal")
	var out []string
	for range n {
		l := ""
		for len(l) < 42 {
			l += words[rng.IntN(len(words))] + " "
		}
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

func TestColumnsAreReadOneAfterTheOther(t *testing.T) {
	t.Parallel()
	left, right := prose(1, 12), prose(2, 12)
	for name, shift := range map[string]float64{"on the same lines": 0, "on lines of their own": 6} {
		var segs []layout.Segment
		segs = append(segs, at(60, 40, "A title that goes across both of the columns of the page, as titles of articles do, and over the gutter"))
		l, r := column(60, 70, left...), column(330, 70+shift, right...)
		// The file draws them line by line.
		for i := range l {
			segs = append(segs, l[i], r[i])
		}
		segs = append(segs, at(60, 260, "A note that goes across both of the columns again, under the text of the article, and over the gutter"))
		got := strings.Join(strings.Fields(read(t, layout.Order(segs, nil, 595, 842)).Text), " ")
		want := strings.Join(append(append([]string{segs[0].Text}, append(left, right...)...), segs[len(segs)-1].Text), " ")
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestRowsOfShortCellsAreATable(t *testing.T) {
	t.Parallel()
	xs := []float64{60, 200, 300, 400}
	segs := slices.Concat(
		rowAt(100, xs, "Item", "Price", "Stock", "State"),
		rowAt(120, xs, "Pump", "12.50", "3", "new"),
		rowAt(140, xs, "Valve", "", "10", "old"),
		rowAt(160, xs, "Seal", "0.80", "250", ""))
	doc := read(t, layout.Order(segs, nil, 595, 842))
	want := "| Item | Price | Stock | State |\n| --- | --- | --- | --- |\n| Pump | 12.50 | 3 | new |\n| Valve |  | 10 | old |\n| Seal | 0.80 | 250 |  |"
	if doc.Text != want || doc.Health.Tables != 1 || doc.Health.RowsKept != 4 {
		t.Errorf("%+v\n%s", doc.Health, doc.Text)
	}
}

func TestLabelsKeepTheirValues(t *testing.T) {
	t.Parallel()
	segs := slices.Concat(
		rowAt(100, []float64{60, 200}, "Name:", "Wang Wei"),
		rowAt(115, []float64{60, 200}, "Department:", "Service"))
	text := read(t, layout.Order(segs, nil, 595, 842)).Text
	if !strings.Contains(text, "Name:  Wang Wei") || !strings.Contains(text, "Department:  Service") {
		t.Errorf("%s", text)
	}
}

// net draws the rules of a grid.
func net(xs, ys []float64) []layout.Box {
	var out []layout.Box
	for _, x := range xs {
		out = append(out, layout.Box{X0: x, Y0: ys[0], X1: x, Y1: ys[len(ys)-1]})
	}
	for _, y := range ys {
		out = append(out, layout.Box{X0: xs[0], Y0: y, X1: xs[len(xs)-1], Y1: y})
	}
	return out
}

func TestRulesMakeCells(t *testing.T) {
	t.Parallel()
	xs, ys := []float64{50, 150, 300, 450}, []float64{90, 120, 160, 200}
	segs := slices.Concat(
		rowAt(100, []float64{55, 155, 305}, "部件", "Task", "Every"),
		column(55, 125, "Compressor,", "left"), column(155, 125, "Change oil and re-", "cord its type"), column(305, 125, "2000 h"),
		column(55, 170, "Pump"), column(155, 170, "Check"))
	doc := read(t, layout.Order(segs, net(xs, ys), 595, 842))
	want := "| 部件 | Task | Every |\n| --- | --- | --- |\n| Compressor, left | Change oil and record its type | 2000 h |\n| Pump | Check |  |"
	if doc.Text != want {
		t.Errorf("got\n%s\nwant\n%s", doc.Text, want)
	}
}

func TestACellOverSeveralRowsIsRepeated(t *testing.T) {
	t.Parallel()
	xs, ys := []float64{50, 150, 300}, []float64{90, 120, 150, 180}
	var rules []layout.Box
	for _, x := range xs {
		rules = append(rules, layout.Box{X0: x, Y0: 90, X1: x, Y1: 180})
	}
	for i, y := range ys {
		from := 50.0
		if i == 2 { // no rule under the first row's first cell
			from = 150
		}
		rules = append(rules, layout.Box{X0: from, Y0: y, X1: 300, Y1: y})
	}
	segs := slices.Concat(
		rowAt(100, []float64{55, 155}, "Group", "Task"),
		[]layout.Segment{at(55, 145, "Daily")}, rowAt(130, []float64{55, 155}, "", "Oil"), rowAt(160, []float64{55, 155}, "", "Filter"))
	doc := read(t, layout.Order(segs, rules, 595, 842))
	if want := "|  |  |\n| --- | --- |\n| Group | Task |\n| Daily | Oil |\n| Daily | Filter |"; doc.Text != want {
		t.Errorf("got\n%s\nwant\n%s", doc.Text, want)
	}
}

func TestRulesBetweenRowsMakeRowsOfSeveralLines(t *testing.T) {
	t.Parallel()
	xs := []float64{60, 200, 330}
	segs := slices.Concat(
		rowAt(100, xs, "Measure", "Base", "New"),
		rowAt(130, xs, "recall@5", "0.84", "0.87"), rowAt(143, xs, "share of relevant", "", "better"), rowAt(156, xs, "passages", "", ""),
		rowAt(190, xs, "mrr", "0.69", "0.78"), rowAt(203, xs, "", "", "worse"),
		rowAt(240, xs, "ndcg", "0.74", "0.81"), rowAt(253, xs, "gain", "", ""))
	var rules []layout.Box
	for _, y := range []float64{118, 178, 228, 270} {
		for _, x := range xs { // a rule for each cell
			rules = append(rules, layout.Box{X0: x - 5, Y0: y, X1: x + 125, Y1: y + 1})
		}
	}
	doc := read(t, layout.Order(segs, rules, 595, 842))
	want := "| Measure | Base | New |\n| --- | --- | --- |\n| recall@5 share of relevant passages | 0.84 | 0.87 better |\n| mrr | 0.69 | 0.78 worse |\n| ndcg gain | 0.74 | 0.81 |"
	if doc.Text != want {
		t.Errorf("got\n%s\nwant\n%s", doc.Text, want)
	}
}

func TestContentsAreNoHeadings(t *testing.T) {
	t.Parallel()
	segs := column(60, 100, "Introduction . . . . . . . . . . 1", "安全操作……………………3")
	if got, want := read(t, layout.Order(segs, nil, 595, 842)).Text, "Introduction … 1\n\n安全操作 … 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatRepeatsIsDropped(t *testing.T) {
	t.Parallel()
	var pages []layout.Page
	for i := range 20 {
		chapter := "Chapter of pumps"
		if i >= 8 {
			chapter = "Chapter of valves"
		}
		segs := append(column(60, 200, prose(uint64(i), 5)...), at(60, 30, chapter), at(300, 810, fmt.Sprintf("– %d –", i+7)))
		if i%6 == 0 {
			segs = append(segs, at(60, 90, fmt.Sprintf("Section %d", i*i+2)))
		}
		pages = append(pages, layout.Order(segs, nil, 595, 842))
	}
	if n := layout.DropRepeated(pages); n != 40 {
		t.Errorf("%d lines dropped", n)
	}
	text := read(t, pages...).Text
	if strings.Contains(text, "Chapter") || strings.Contains(text, "–") || strings.Count(text, "Section") != 4 {
		t.Errorf("%s", text)
	}
}

func TestListsKeepTheirMarkers(t *testing.T) {
	t.Parallel()
	segs := slices.Concat(
		rowAt(100, []float64{60, 80}, "1.", "Stop the machine"),
		rowAt(114, []float64{60, 80}, "", "and wait five minutes."),
		rowAt(128, []float64{60, 80}, "2.", "Open the valve."),
		rowAt(142, []float64{80, 100}, "•", "slowly"),
		[]layout.Segment{at(60, 156, "（三）检查压力")})
	if got, want := read(t, layout.Order(segs, nil, 595, 842)).Text,
		"1. Stop the machine and wait five minutes.\n2. Open the valve.\n  - slowly\n（三） 检查压力"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestVerticalWritingGoesFromRightToLeft(t *testing.T) {
	t.Parallel()
	upright := func(x float64, s string) layout.Segment {
		n := float64(utf8.RuneCountInString(s))
		return layout.Segment{Text: s, Box: layout.Box{X0: x, Y0: 100, X1: x + 10, Y1: 100 + 10*n}, Size: 10, Vertical: true, Runes: int(n)}
	}
	segs := []layout.Segment{upright(100, "入到第三列结束"), upright(140, "竖排文字从右边开始读"), upright(120, "接着读左边的一列再进")}
	if got, want := read(t, layout.Order(segs, nil, 595, 842)).Text, "竖排文字从右边开始读接着读左边的一列再进入到第三列结束"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTurnedTextStandsApart(t *testing.T) {
	t.Parallel()
	stamp := layout.Segment{Text: "arXiv:1234.5678", Box: layout.Box{X0: 20, Y0: 300, X1: 31, Y1: 400}, Size: 10, Quarter: 3, Runes: 15}
	segs := append([]layout.Segment{stamp}, column(60, 100, prose(3, 8)...)...)
	text := read(t, layout.Order(segs, nil, 595, 842)).Text
	if !strings.HasSuffix(text, "\n\narXiv:1234.5678") {
		t.Errorf("%s", text)
	}
}

// TestNothingIsLostOrDoubled orders random pages: each segment is in the text
// once.
func TestNothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var segs []layout.Segment
		for i := range rng.IntN(60) {
			s := at(float64(rng.IntN(500)), float64(rng.IntN(60)*13), fmt.Sprintf("w%dx", i))
			s.Quarter = []int{0, 0, 0, 0, 1, 2, 3, layout.Skew}[rng.IntN(8)]
			segs = append(segs, s)
		}
		var rules []layout.Box
		if rng.IntN(2) == 0 {
			rules = net([]float64{100, 220, 340}, []float64{100, 200, 300, 400})
		}
		text := read(t, layout.Order(segs, rules, 595, 842)).Text
		for _, s := range segs {
			if n := strings.Count(text, s.Text); n != 1 {
				t.Fatalf("seed %d: %q is there %d times in\n%s", seed, s.Text, n, text)
			}
		}
	}
}

// TestHugePagesEnd orders pages that only a hostile file has.
func TestHugePagesEnd(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	var segs []layout.Segment
	for range 12000 {
		segs = append(segs, at(rng.Float64()*500, rng.Float64()*800, "x"))
	}
	var xs, ys []float64
	for i := range 390 {
		xs, ys = append(xs, float64(i*4)), append(ys, float64(i*4))
	}
	if p := layout.Order(segs, net(xs, ys), 595, 842); p.Empty() {
		t.Error("no text")
	}
	for i := range segs { // one row of everything
		segs[i].Box.Y0, segs[i].Box.Y1 = 100, 111
	}
	if p := layout.Order(segs, nil, 595, 842); p.Empty() {
		t.Error("no text")
	}
}

func BenchmarkOrder(b *testing.B) {
	var segs []layout.Segment
	for i := range 60 {
		segs = append(segs, column(60+float64(i%2)*270, 40+float64(i/2)*13, prose(uint64(i), 1)...)...)
	}
	for b.Loop() {
		layout.Order(segs, nil, 595, 842)
	}
}
