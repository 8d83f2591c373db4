package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

func TestHeadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		// want are "level title ‹source of the heading›".
		want []string
	}{
		{"levels", "# 一\n## 二 #\n###### six\n####### seven\n", []string{"1 一 ‹# 一›", "2 二 ‹## 二 #›", "6 six ‹###### six›"}},
		{"spaces", "   #  a  b  ##  \n    # code\n#tag\n#\n# \n#\ttab\n", []string{"1 a  b ‹#  a  b  ##  ›", "1 tab ‹#\ttab›"}},
		{"closing run needs space", "# C#\n## a \\##\n", []string{"1 C# ‹# C#›", `2 a \## ‹## a \##›`}},
		{
			"setext", "标题\n===\n\nTwo\nlines\n--\n\n---\n\na\n\n===\n",
			[]string{"1 标题 ‹标题\n===›", "2 Two lines ‹Two\nlines\n--›"},
		},
		{"CRLF and CR", "A\r\n==\r\n\r\n## B\r\n\rC\r-\r", []string{"1 A ‹A\r\n==›", "2 B ‹## B›", "2 C ‹C\r-›"}},
		{"no end of line", "text\n\n## last", []string{"2 last ‹## last›"}},
		{
			"fences", "```sh\n# no\n~~~\n```\n# yes\n~~~~ x\n# no\n~~~\n```\n~~~~\n## yes\n```\n# open to the end",
			[]string{"1 yes ‹# yes›", "2 yes ‹## yes›"},
		},
		{"inline code is no fence", "``` a ` b\n# yes\n", []string{"1 yes ‹# yes›"}},
		{"comment block", "<!-- a\n# no\n\n# no\n--> rest\n# yes\n<!-- one line -->\n# yes\n", []string{"1 yes ‹# yes›", "1 yes ‹# yes›"}},
		{"comment in a line", "text <!-- begins\n# no\n--> ends\n\n# yes\n", []string{"1 yes ‹# yes›"}},
		{"comment never closed in a line", "text <!-- begins\n\n# yes\n", []string{"1 yes ‹# yes›"}},
		{
			"raw HTML", "<script>\n# no\n</script>\n# yes\n<div>\n# no\n\n# yes\n<pre>\n\n# no\n</pre>\n<divx>\n\n# yes\n",
			[]string{"1 yes ‹# yes›", "1 yes ‹# yes›", "1 yes ‹# yes›"},
		},
		{"front matter", "---\ntitle: x\n# no\n---\n# yes\n", []string{"1 yes ‹# yes›"}},
		{"TOML front matter", "+++\na = 1\n# no\n+++\nYes\n===\n", []string{"1 Yes ‹Yes\n===›"}},
		{"a rule is no front matter", "---\n\n# yes\n\n---\n", []string{"1 yes ‹# yes›"}},
		{"lists", "- item\n---\n\n- item\nlazy\n---\n\n1. a\n\n   # in the list\n\n   ```\n# not closed by this\n   ```\n\n# yes\n", []string{"1 yes ‹# yes›"}},
		{"quotes", "> # no\n> text\n---\n# yes\n", []string{"1 yes ‹# yes›"}},
		{"rules", "* * *\n___\na\n***\n", nil},
		{"interrupted paragraph", "para\n# yes\nmore\n---\n", []string{"1 yes ‹# yes›", "2 more ‹more\n---›"}},
		{"code after a paragraph", "para\n    still para\n---\n", []string{"2 para still para ‹para\n    still para\n---›"}},
		{"table", "| a | b |\n| --- | --- |\n| 1 | 2 |\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := parseBytes(t, "a.md", []byte(c.source))
			var got []string
			for _, s := range d.Sections {
				got = append(got, fmt.Sprintf("%d %s ‹%s›", s.Level, s.Title, d.Text[s.Span.Start:s.Span.End]))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestManyUnclosedCommentsAreLinear(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("text <!-- opens\n\n", 50_000) + "# last"
	if d := parseBytes(t, "a.md", []byte(source)); len(d.Sections) != 1 {
		t.Errorf("%d sections", len(d.Sections))
	}
}

// FuzzParse holds every input, whole or forced into an encoding, against what a
// document promises.
func FuzzParse(f *testing.F) {
	for name, s := range sampleTexts {
		for _, encoding := range text.Charsets() {
			if b, ok := encode(encoding, s); ok && len(name)%3 == len(encoding)%3 {
				f.Add(b, true, "")
			}
		}
	}
	f.Add([]byte("# a\r\n\r\nb\n=\n```\n# c\n"), true, "utf-8")
	f.Add([]byte("\xff\xfe\x00\x00\x00\xd8"), false, "")
	f.Add([]byte("\x84\x31\x95\x33\x81\x30"), false, "gbk")
	f.Add([]byte("a\n|b|\n|-|\n|1|\n\n    x\n===\n| --- |\n"), true, "")
	f.Add([]byte("- a\n  ```\n<!--\n-->\n---\n"), true, "")
	f.Fuzz(func(t *testing.T, b []byte, markdown bool, encoding string) {
		source := "a.txt"
		if markdown {
			source = "a.md"
		}
		d, err := parse.New(parse.Options{}).Parse(t.Context(), rag.Input{Source: source, Bytes: b, Encoding: encoding})
		if err != nil {
			return
		}
		checkDocument(t, d)
		checkBlocks(t, d)
		if markdown && len(d.Blocks) == 0 && !text.IsBlank(d.Text) {
			t.Errorf("no block holds %.40q", d.Text)
		}
	})
}
