package doctext_test

import (
	"strings"
	"testing"

	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

func TestAppendKeepsTheInnerStructure(t *testing.T) {
	t.Parallel()
	var inner doctext.Builder
	inner.Heading(1, "附件")
	inner.Paragraph("正文")
	inner.Table([][]string{{"a", "b"}, {"1", "2"}}, 1)
	inner.Heading(6, "deep")
	inner.Health.Images = 2
	inner.Health.Confidence = 0.5
	inner.Warn("hidden_content", "x")
	inner.Warn(charset.WarnReplacement, "U+FFFD ×9")
	d, err := inner.Document(rag.Input{Source: "a.docx"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var b doctext.Builder
	b.Heading(1, "Mail")
	b.Append(d, 1)
	got, err := b.Document(rag.Input{Source: "m.eml"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	want := "# Mail\n\n## 附件\n\n正文\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n###### deep"
	if got.Text != want {
		t.Errorf("text %q, want %q", got.Text, want)
	}
	if len(got.Sections) != 3 || got.Sections[1].Level != 2 || got.Text[got.Sections[1].Span.Start:got.Sections[1].Span.End] != "## 附件" {
		t.Errorf("sections %v", got.Sections)
	}
	table := got.Blocks[3]
	if table.Kind != rag.BlockTable || got.Text[table.Header.Start:table.Header.End] != "| a | b |\n| --- | --- |\n" {
		t.Errorf("table %v", table)
	}
	if got.Health.Images != 2 || got.Health.Tables != 1 || got.Health.RowsKept != 2 || got.Health.Confidence != 0.5 {
		t.Errorf("health %+v", got.Health)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].Code != "hidden_content" {
		t.Errorf("warnings %v: those on characters are for the whole text", got.Warnings)
	}
}

func TestAppendOfTextWithoutBlocks(t *testing.T) {
	t.Parallel()
	source := "one\r\ntwo\r\n\r\nHead\n====\nthree\n```sh\n# no\n\nheading\n```\nfour\n\n~~~\nopen"
	at := strings.Index(source, "Head")
	d := rag.Document{Text: source, Sections: []rag.Section{{Level: 1, Title: "Head", Span: rag.Span{Start: at, End: at + 9}}}}
	var b doctext.Builder
	b.Append(d, 2)
	got, err := b.Document(rag.Input{Source: "x"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, block := range got.Blocks {
		kinds = append(kinds, string(block.Kind))
	}
	if want := "one\ntwo\n\n### Head\n\nthree\n\n```sh\n# no\n\nheading\n```\n\nfour\n\n~~~\nopen"; got.Text != want {
		t.Errorf("text %q, want %q", got.Text, want)
	}
	if s := strings.Join(kinds, " "); s != "paragraph heading paragraph code paragraph code" {
		t.Errorf("blocks %s", s)
	}
}

func TestAppendOfDamagedSpans(t *testing.T) {
	t.Parallel()
	d := rag.Document{Text: "abc", Blocks: []rag.Block{{Kind: rag.BlockParagraph, Span: rag.Span{Start: 2, End: 9}}},
		Sections: []rag.Section{{Level: 1, Title: "t", Span: rag.Span{Start: 0, End: 99}}}}
	var b doctext.Builder
	b.Append(d, 0)
	if b.Len() != 0 {
		t.Errorf("%d bytes from a span outside the text", b.Len())
	}
}
