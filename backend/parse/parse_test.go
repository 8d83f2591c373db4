package parse_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

func parseBytes(t *testing.T, source string, b []byte) rag.Document {
	t.Helper()
	d, err := parse.New(parse.Options{}).Parse(t.Context(), rag.Input{Source: source, Bytes: b})
	if err != nil {
		t.Fatalf("parse %s: %v", source, err)
	}
	return d
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source, bytes, encoding, code string
		params                              map[string]string
	}{
		{"unknown format", "a/b.xyz", "x", "", "format_unsupported", map[string]string{"ext": ".xyz"}},
		{"too large", "a.txt", "0123456789abcdefg", "", "limit_bytes", map[string]string{"limit": "16", "size": "17"}},
		{"picture", "a.txt", "\x89PNG\r\n\x1a\n\x00", "", "binary_content", map[string]string{"kind": "png"}},
		{"noise", "a", "\x01\x02\x03abc\x04\x05\x06", "", "binary_content", map[string]string{"kind": "unknown"}},
		{"unknown encoding", "a.txt", "x", "ebcdic", "encoding_unknown", map[string]string{"encoding": "ebcdic"}},
		{"forced and wrong", "a.txt", "ab\xff", "utf8", "encoding", map[string]string{"encoding": "UTF-8", "offset": "2"}},
		{"damaged", "a.txt", "检索\xff增强", "", "encoding", map[string]string{"encoding": "UTF-8", "offset": "6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := parse.New(parse.Options{Limits: guard.Limits{Bytes: 16}})
			_, err := p.Parse(t.Context(), rag.Input{Source: c.source, Bytes: []byte(c.bytes), Encoding: c.encoding})
			f := fault.Of(err)
			if f == nil || f.Code != c.code {
				t.Fatalf("error %v, want %s", err, c.code)
			}
			for k, v := range c.params {
				if f.Params[k] != v {
					t.Errorf("%s = %q, want %q", k, f.Params[k], v)
				}
			}
		})
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source, bytes       string
		text, title, media        string
		encoding, language, warns string
	}{
		{
			"plain", "注释/说明.txt", "检索增强。\r\n 第二行 \n", "检索增强。\r\n 第二行 \n", "说明.txt",
			"text/plain", "UTF-8", "zh", "",
		},
		{"no extension", "README", "Read me first, please.", "Read me first, please.", "README", "text/plain", "UTF-8", "en", ""},
		{"log", "a/b.LOG", "one\n", "one\n", "b.LOG", "text/plain", "UTF-8", "en", ""},
		{
			"markdown", "x.md", "intro\n\n## 第二章 检索\n正文\n", "intro\n\n## 第二章 检索\n正文\n", "第二章 检索",
			"text/markdown", "UTF-8", "zh", "",
		},
		{"empty", "a.txt", "", "", "a.txt", "text/plain", "UTF-8", "", ""},
		{"UTF-8 mark", "a.txt", "\xef\xbb\xbf检索", "检索", "a.txt", "text/plain", "UTF-8", "zh", ""},
		{"mark inside", "a.txt", "a\uFEFFb", "a\uFEFFb", "a.txt", "text/plain", "UTF-8", "en", ""},
		{"NUL", "a.txt", "ab\x00cd and so on", "ab\x00cd and so on", "a.txt", "text/plain", "UTF-8", "en", "control_chars U+0000 ×1"},
		{
			"colours", "a.log", "\x1b[31mred alert\x1b[0m in 检索服务 \u0085 \u0080", "\x1b[31mred alert\x1b[0m in 检索服务 \u0085 \u0080", "a.log",
			"text/plain", "UTF-8", "zh", "control_chars U+001B ×2, U+0080 ×1",
		},
		{"layout", "a.txt", "a\tb\vc\fd\r\n", "a\tb\vc\fd\r\n", "a.txt", "text/plain", "UTF-8", "en", ""},
		{"replaced", "a.txt", "a\uFFFDb\uFFFD", "a\uFFFDb\uFFFD", "a.txt", "text/plain", "UTF-8", "en", "replacement_chars U+FFFD ×2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := parseBytes(t, c.source, []byte(c.bytes))
			warns := ""
			for _, n := range d.Warnings {
				warns += n.Code + " " + n.Detail
			}
			got := []string{d.Text, d.Title, d.MediaType, d.Encoding, d.Language, warns, d.Source}
			want := []string{c.text, c.title, c.media, c.encoding, c.language, c.warns, c.source}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if d.ParsedBy == "" || d.ID != "" {
				t.Errorf("parsed by %q, id %q", d.ParsedBy, d.ID)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"a.txt": "text", "A.TXT": "text", "a.text": "text", "x.y/Unknownfile": "text", "a.log": "text",
		"a.md": "markdown", "a.Markdown": "markdown", "a.pdf": "pdf", "a.mdxx": "", ".hiddenname": "", "a.md/b.doc": "doc", "a.md/b.exe": "",
	} {
		if got, ok := parse.Format(source); got != want || ok != (want != "") {
			t.Errorf("Format(%q) = %q, %v", source, got, ok)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := parse.New(parse.Options{}).Parse(ctx, rag.Input{Source: "a.txt"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The files that SHARED_FILES names are made to trip readers; what they must say
// is from the list that comes with them.
func TestAwkwardFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder of files")
	}
	for name, want := range map[string]struct{ phrase, encoding, title string }{
		"gen_utf16be_nobom.txt":   {"须经总经理审批", "UTF-16BE", "gen_utf16be_nobom.txt"},
		"gen_utf16le_bom.txt":     {"须经财务总监审批", "UTF-16LE", "gen_utf16le_bom.txt"},
		"gen_hardwrap_footer.txt": {"每天工作时间为上午九点至下\r\n午六点", "UTF-8", "gen_hardwrap_footer.txt"},
		"gen_injection.md":        {"付款期限为验收合格后 45 天", "UTF-8", "供应商须知"},
		"gen_conflict_v1.md":      {"每年享有 5 天年假", "UTF-8", "年假规定（2022版）"},
		"gen_conflict_v2.md":      {"每年享有 10 天年假", "UTF-8", "年假规定（2024版，自2024年7月1日起施行，2022版同时废止）"},
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		d := parseBytes(t, name, b)
		if !strings.Contains(d.Text, want.phrase) || d.Encoding != want.encoding || d.Title != want.title ||
			d.Language != "zh" || len(d.Warnings) > 0 {
			t.Errorf("%s: %s %q %s %v", name, d.Encoding, d.Title, d.Language, d.Warnings)
		}
	}
}

// checkDocument checks what every document promises.
func checkDocument(tb testing.TB, d rag.Document) {
	tb.Helper()
	if !utf8.ValidString(d.Text) || d.Encoding == "" || d.MediaType == "" || d.Title == "" {
		tb.Errorf("encoding %q, type %q, title %q, text %.40q", d.Encoding, d.MediaType, d.Title, d.Text)
	}
	last := 0
	for _, s := range d.Sections {
		if s.Span.Start < last || s.Span.End <= s.Span.Start || s.Span.End > len(d.Text) || s.Level < 1 || s.Level > 6 {
			tb.Fatalf("section %+v after %d in a text of %d", s, last, len(d.Text))
		}
		if heading := d.Text[s.Span.Start:s.Span.End]; !utf8.ValidString(heading) || strings.TrimSpace(s.Title) == "" {
			tb.Errorf("section %+v: %q", s, heading)
		}
		last = s.Span.End
	}
}
