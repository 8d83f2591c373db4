package doctext_test

import (
	"testing"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

func TestFlow(t *testing.T) {
	t.Parallel()
	var b doctext.Builder
	f := doctext.Flow{Builder: &b}
	f.Add(doctext.Para{Text: "概述", Heading: 1, Marker: "1."})
	f.Add(doctext.Para{Text: "  text" + f.Note("a\nnote")})
	f.Add(doctext.Para{Text: "one", List: true, Marker: "1."})
	f.Add(doctext.Para{Text: "bullet", List: true, Depth: 1, Marker: "·"})
	f.Add(doctext.Para{Text: "two", List: true, Marker: "2)"})
	f.Row([]string{"h"}, true)
	f.Row([]string{"g"}, true)
	f.Row([]string{"v"}, false)
	f.Add(doctext.Para{Text: " "})
	f.Row([]string{"a", "b"}, false)
	f.Row([]string{"c"}, false)
	f.EndTable()
	f.Row([]string{"alone"}, false)
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
