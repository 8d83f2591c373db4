package doctext_test

import (
	"testing"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// cells makes a row of texts.
func cells(texts ...string) []doctext.Cell {
	var row []doctext.Cell
	for _, s := range texts {
		row = append(row, doctext.Cell{Text: s})
	}
	return row
}

func TestFlow(t *testing.T) {
	t.Parallel()
	var b doctext.Builder
	f := doctext.Flow{Builder: &b}
	f.Add(doctext.Para{Text: "概述", Heading: 1, Marker: "1."})
	f.Add(doctext.Para{Text: "  text" + f.Note("a\nnote")})
	f.Add(doctext.Para{Text: "one", List: true, Marker: "1."})
	f.Add(doctext.Para{Text: "bullet", List: true, Depth: 1, Marker: "·"})
	f.Add(doctext.Para{Text: "two", List: true, Marker: "2)"})
	f.Row(cells("h"), true)
	f.Row(cells("g"), true)
	f.Row(cells("v"), false)
	f.Add(doctext.Para{Text: " "})
	f.Row(cells("a", "b"), false)
	f.Row(cells("c"), false)
	f.EndTable()
	f.Row(cells("alone"), false)
	f.Add(doctext.Para{Text: "end" + f.Note(" ")})
	f.Close()
	f.Close()
	d, err := b.Document(rag.Input{Source: "x"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	want := "# 1. 概述\n\ntext[^1]\n\n1. one\n  - bullet\n2) two\n\n| h |\n| --- |\n| g |\n| v |\n\n| a | b |\n| --- | --- |\n| c |  |\n\n" +
		"|  |\n| --- |\n| alone |\n\nend\n\n[^1]: a note"
	if d.Text != want {
		t.Errorf("got\n%s\nwant\n%s", d.Text, want)
	}
	if d.Health.Tables != 3 || d.Blocks[3].Header.Len() != len("| h |\n| --- |\n| g |\n") {
		t.Errorf("health %+v, header %v", d.Health, d.Blocks[3].Header)
	}
}

func TestFlowMergesCells(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows [][]doctext.Cell
		want string
	}{
		"flags": {[][]doctext.Cell{{{Text: "a"}, {Text: "b"}}, {{Above: true}, {Text: "c"}}, {{Text: "d"}, {Left: true}}},
			"| a | b |\n| --- | --- |\n| a | c |\n| d | d |"},
		"widths": {[][]doctext.Cell{{{Text: "wide", Right: 200}, {Text: "tall", Right: 300}}, {{Text: "a", Right: 100}, {Text: "b", Right: 205}, {Right: 301, Above: true}}},
			"| wide | wide | tall |\n| --- | --- | --- |\n| a | b | tall |"},
		"no grid": {[][]doctext.Cell{{{Text: "a", Right: 1000}, {Text: "b", Right: 3000}}, {{Text: "c", Right: 2000}, {Text: "d", Right: 3000}}},
			"| a | b |\n| --- | --- |\n| c | d |"},
		"widths that are wrong": {[][]doctext.Cell{{{Text: "a", Right: 300}, {Text: "b", Right: 100}}, {{Text: "c", Right: 100}}},
			"| a | b |\n| --- | --- |\n| c |  |"},
		"nothing above": {[][]doctext.Cell{{{Above: true}, {Text: "a"}, {Left: true, Text: "own"}}, {{Left: true}, {Text: "b"}}},
			"|  | a | own |\n| --- | --- | --- |\n|  | b |  |"},
	} {
		var b doctext.Builder
		f := doctext.Flow{Builder: &b}
		for _, row := range c.rows {
			f.Row(row, false)
		}
		f.Close()
		d, err := b.Document(rag.Input{Source: "x"}, guard.Defaults())
		if err != nil || d.Text != c.want {
			t.Errorf("%s: got\n%s\nwant (%v)\n%s", name, d.Text, err, c.want)
		}
	}
}
