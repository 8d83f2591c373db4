package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

func TestMarkdownBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		// want are "kind ‹source›", a table with its header before a "¦".
		want         []string
		tables, rows int
	}{
		{"paragraphs", "一\n二\n\n\n  three\n", []string{"paragraph ‹一\n二›", "paragraph ‹  three›"}, 0, 0},
		{"headings", "# a #\ntext\nTwo\n---\nmore\n#\n", []string{
			"heading ‹# a #›", "heading ‹text\nTwo\n---›", "paragraph ‹more›", "heading ‹#›"}, 0, 0},
		{"one list", "- a\n- b\n\n  more of b\n\n  ```\n  # code\n  ```\n* c\nlazy\n\nafter\n", []string{
			"list ‹- a\n- b\n\n  more of b\n\n  ```\n  # code\n  ```\n* c\nlazy›", "paragraph ‹after›"}, 0, 0},
		{"numbers", "1. 甲\n2. 乙\n10) 丙\r\n", []string{"list ‹1. 甲\n2. 乙\n10) 丙›"}, 0, 0},
		{"quotes", "> a\n> b\nlazy\n\n> c\n", []string{"paragraph ‹> a\n> b\nlazy›", "paragraph ‹> c›"}, 0, 0},
		{"fence", "a\n```bash\n# not a heading\n\n- no list\n```\nb\n", []string{
			"paragraph ‹a›", "code ‹```bash\n# not a heading\n\n- no list\n```›", "paragraph ‹b›"}, 0, 0},
		{"open fence", "~~~\na\n\n", []string{"code ‹~~~\na›"}, 0, 0},
		{"indented code", "a\n\n    x\n\n    y\nb\n", []string{"paragraph ‹a›", "code ‹    x\n\n    y›", "paragraph ‹b›"}, 0, 0},
		{"table", "前言\n| 工龄 | 天数 |\n| :-- | --: |\n| 1–10 | 5 |\n| a \\| b | 6\nno bar\n\nafter | all\n", []string{
			"paragraph ‹前言›", "table ‹| 工龄 | 天数 |\n| :-- | --: |\n¦| 1–10 | 5 |\n| a \\| b | 6\nno bar›", "paragraph ‹after | all›"}, 1, 4},
		{"table without bars at the ends", "a | b\n--- | ---\n1 | 2", []string{"table ‹a | b\n--- | ---\n¦1 | 2›"}, 1, 2},
		{"table of a header", "| a |\n| - |\n# h\n", []string{"table ‹| a |\n| - |¦›", "heading ‹# h›"}, 1, 1},
		{"two tables", "|a|\n|-|\n|1|\n\n|b|\n|-|\n|2|\n", []string{"table ‹|a|\n|-|\n¦|1|›", "table ‹|b|\n|-|\n¦|2|›"}, 2, 4},
		{"no table", "a | b\n--- | --- | ---\n\n| --- |\n", []string{"paragraph ‹a | b\n--- | --- | ---›", "paragraph ‹| --- |›"}, 0, 0},
		{"rules", "a\n\n---\n\nb\n", []string{"paragraph ‹a›", "paragraph ‹---›", "paragraph ‹b›"}, 0, 0},
		{"HTML", "<div>\n# a\n\n<pre>\nx\n\ny\n</pre>\n<!-- c\n\nd -->\n", []string{
			"paragraph ‹<div>\n# a›", "code ‹<pre>\nx\n\ny\n</pre>›", "paragraph ‹<!-- c\n\nd -->›"}, 0, 0},
		{"front matter", "---\ntitle: 年假\n---\n\ntext\n", []string{"code ‹---\ntitle: 年假\n---›", "paragraph ‹text›"}, 0, 0},
		{"CR", "a\r\r- b\r", []string{"paragraph ‹a›", "list ‹- b›"}, 0, 0},
		{"nothing", " \n\t\n", nil, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := parseBytes(t, "a.md", []byte(c.source))
			var got []string
			for _, b := range d.Blocks {
				s := d.Text[b.Span.Start:b.Span.End]
				if b.Header.Len() > 0 {
					s = s[:b.Header.Len()] + "¦" + s[b.Header.Len():]
				}
				got = append(got, fmt.Sprintf("%s ‹%s›", b.Kind, s))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if d.Health.Tables != c.tables || d.Health.RowsRead != c.rows || d.Health.RowsKept != c.rows {
				t.Errorf("%+v", d.Health)
			}
			if d.Text != c.source {
				t.Errorf("text changed: %q", d.Text)
			}
			checkBlocks(t, d)
		})
	}
}

// checkBlocks checks what blocks promise: order, no overlap, nothing outside.
func checkBlocks(tb testing.TB, d rag.Document) {
	tb.Helper()
	last := 0
	for _, b := range d.Blocks {
		if b.Span.Start < last || b.Span.End <= b.Span.Start || b.Span.End > len(d.Text) {
			tb.Fatalf("block %+v after %d in a text of %d", b, last, len(d.Text))
		}
		if !text.IsBlank(d.Text[last:b.Span.Start]) {
			tb.Errorf("no block holds %q", d.Text[last:b.Span.Start])
		}
		if h := b.Header; h.Len() > 0 && (b.Kind != rag.BlockTable || !b.Span.Contains(h) || h.Start != b.Span.Start) {
			tb.Errorf("header %+v of block %+v", h, b)
		}
		last = b.Span.End
	}
	if len(d.Blocks) > 0 && !text.IsBlank(d.Text[last:]) {
		tb.Errorf("no block holds %q", d.Text[last:])
	}
}

func TestBlocksOfALongSourceAreLinear(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("| a | b |\n| --- | --- |\n| 1 | 2 |\n\n- x\n  - y\n\n> q\n\n", 20_000)
	d := parseBytes(t, "a.md", []byte(source))
	if d.Health.Tables != 20_000 || len(d.Blocks) != 60_000 {
		t.Errorf("%d tables, %d blocks", d.Health.Tables, len(d.Blocks))
	}
	checkBlocks(t, d)
}
