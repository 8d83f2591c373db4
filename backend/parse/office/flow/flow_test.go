package flow_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/office/flow"
)

func TestLineAndLabel(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"中国\n银行": "中国银行", "a\nb": "a b", "中\na": "中 a", "完。\n《书》": "完。《书》", " a \n\n b ": "a b", "": "", "カナ\nカナ": "カナカナ", "한국\n은행": "한국 은행",
	} {
		if got := flow.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	for marker, want := range map[string]string{"": "x", "1.": "1. x", "一、": "一、x", "第一章": "第一章 x", "（一）": "（一）x"} {
		if got := flow.Label(marker, "x"); got != want {
			t.Errorf("Label(%q) = %q, want %q", marker, got, want)
		}
	}
}

func TestFlat(t *testing.T) {
	t.Parallel()
	got := flow.Flat([]flow.Block{
		{Text: " a\n\nb "}, {Kind: flow.Item, Text: "x"}, {Kind: flow.Item, Marker: "2.", Text: "y"}, {Text: ""},
		{Kind: flow.Heading, Marker: "1", Text: "h"}, {Kind: flow.Table, Rows: [][]string{{"1", "", "2\n3"}, {""}}},
	})
	if want := "a\nb\n- x\n2. y\n1 h\n1 | 2 3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGrid(t *testing.T) {
	t.Parallel()
	g := flow.Grid{Limit: 100}
	for _, row := range [][]flow.Cell{
		{{Text: "a", Rows: 2}, {Text: "b", Cols: 2}},
		{{Text: "c"}, {Text: "d"}},
		{{Text: "e"}, {Text: "f", Cols: 2, Rows: 3}},
		{{Text: "g"}},
		{},
		{{Text: "h", Cols: -1}, {Above: true}},
	} {
		if err := g.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	want := [][]string{{"a", "b", "b"}, {"a", "c", "d"}, {"e", "f", "f"}, {"g", "f", "f"}, {"", "f", "f"}, {"h", "f"}}
	if diff := cmp.Diff(want, g.Rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if g.Header() != 2 {
		t.Errorf("header of %d rows, want 2", g.Header())
	}
	if err := g.Row([]flow.Cell{{Cols: 1 << 30}}); !fault.Is(err, "limit_cells") {
		t.Errorf("a cell over all columns: %v", err)
	}
}
