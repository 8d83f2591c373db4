package biff_test

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/biff"
	"ragdesk/backend/rag"
)

var le = binary.LittleEndian

// rec is one record.
func rec(id int, parts ...any) []byte {
	var body []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int: // two bytes
			body = le.AppendUint16(body, uint16(p))
		case byte:
			body = append(body, p)
		case uint32:
			body = le.AppendUint32(body, p)
		case float64:
			body = le.AppendUint64(body, math.Float64bits(p))
		case string:
			body = append(body, p...)
		case []byte:
			body = append(body, p...)
		}
	}
	head := le.AppendUint16(nil, uint16(id))
	return append(le.AppendUint16(head, uint16(len(body))), body...)
}

// wide is s as characters of two bytes.
func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = le.AppendUint16(b, u)
	}
	return string(b)
}

// sheetPart is a sheet of a test's book.
type sheetPart struct {
	name    string
	state   byte
	kind    byte
	records [][]byte
}

// book puts a stream together.
func book(version int, globals [][]byte, sheets ...sheetPart) []byte {
	build := func(offsets []int) (stream []byte, at []int) {
		stream = rec(0x809, version, 5, 0, 0)
		stream = append(stream, slices.Concat(globals...)...)
		for i, s := range sheets {
			name := append([]byte{byte(len([]rune(s.name))), 1}, wide(s.name)...)
			if version != 0x600 {
				name = append([]byte{byte(len(s.name))}, s.name...)
			}
			stream = append(stream, rec(0x85, uint32(offsets[i]), s.state, s.kind, name)...)
		}
		stream = append(stream, rec(0x0a)...)
		for _, s := range sheets {
			at = append(at, len(stream))
			stream = append(stream, rec(0x809, version, 0x10, 0, 0)...)
			stream = append(stream, slices.Concat(s.records...)...)
			stream = append(stream, rec(0x0a)...)
		}
		return stream, at
	}
	_, at := build(make([]int, len(sheets)))
	stream, _ := build(at)
	return stream
}

func env() guard.Env { return guard.Env{Limits: guard.Defaults()} }

func parse(t *testing.T, stream []byte) rag.Document {
	t.Helper()
	d, err := biff.Parse(context.Background(), stream, rag.Input{Source: "dir/报价.xls"}, env())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shown lists what the cells of a document show, without its headings.
func shown(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "# ") || strings.Contains(line, "---") {
			continue
		}
		for cell := range strings.SplitSeq(line, "|") {
			if cell = strings.TrimSpace(cell); cell != "" {
				out = append(out, cell)
			}
		}
	}
	return strings.Join(out, " | ")
}

func label(row, col int, s string) []byte {
	return rec(0x204, row, col, 0, len([]rune(s)), byte(1), wide(s))
}

func number(row, col, xf int, v float64) []byte { return rec(0x203, row, col, xf, v) }

func TestCells(t *testing.T) {
	t.Parallel()
	globals := [][]byte{
		rec(0x41e, 164, 9, byte(1), wide(`yyyy"年"m"`)), // a quote left open
		rec(0x41e, 165, 7, byte(0), "0.000\"x"),
		rec(0xe0, 0, 0, 0), rec(0xe0, 0, 14, 0), rec(0xe0, 0, 9, 0), rec(0xe0, 0, 164, 0), rec(0xe0, 0, 31, 0),
		rec(0xfc, uint32(1), uint32(1), 4, byte(0), "shar"),
	}
	rk := func(row, col, xf int, v uint32) []byte { return rec(0x27e, row, col, xf, v) }
	for name, c := range map[string]struct {
		records [][]byte
		want    string
	}{
		"number":            {[][]byte{number(0, 0, 0, 1234.5)}, "1234.5"},
		"noise":             {[][]byte{number(0, 0, 0, 0.1+0.2)}, "0.3"},
		"RK integer":        {[][]byte{rk(0, 0, 0, 0xfffffff6)}, "-3"},
		"RK hundredths":     {[][]byte{rk(0, 0, 0, 12345<<2|3)}, "123.45"},
		"RK float":          {[][]byte{rk(0, 0, 0, 0x3ff80000)}, "1.5"},
		"MULRK":             {[][]byte{rec(0xbd, 0, 0, 0, uint32(1<<2|2), 0, uint32(2<<2|2), 1)}, "1 | 2"},
		"date":              {[][]byte{number(0, 0, 1, 45366)}, "2024-03-15"},
		"Chinese date":      {[][]byte{number(0, 0, 4, 45366)}, "2024年3月15日"},
		"percent":           {[][]byte{number(0, 0, 2, 0.25)}, "25%"},
		"broken format":     {[][]byte{number(0, 0, 3, 45366)}, "2024年3"},
		"unknown format":    {[][]byte{number(0, 0, 99, 5)}, "5"},
		"shared":            {[][]byte{rec(0xfd, 0, 0, 0, uint32(0))}, "shar"},
		"shared, missing":   {[][]byte{rec(0xfd, 0, 0, 0, uint32(9)), number(0, 1, 0, 1)}, "1"},
		"label":             {[][]byte{label(0, 0, "标签")}, "标签"},
		"true":              {[][]byte{rec(0x205, 0, 0, 0, byte(1), byte(0))}, "TRUE"},
		"error":             {[][]byte{rec(0x205, 0, 0, 0, byte(0x2a), byte(1))}, "#N/A"},
		"formula":           {[][]byte{rec(6, 0, 0, 0, 42.5, 0, uint32(0))}, "42.5"},
		"formula, text":     {[][]byte{rec(6, 0, 0, 0, "\x00\x00\x00\x00\x00\x00\xff\xff", 0, uint32(0)), rec(0x207, 2, byte(1), wide("文字"))}, "文字"},
		"formula, long":     {[][]byte{rec(6, 0, 0, 0, "\x00\x00\x00\x00\x00\x00\xff\xff", 0, uint32(0)), rec(0x207, 6, byte(0), "abc"), rec(0x3c, byte(1), wide("文字x"))}, "abc文字x"},
		"formula, truth":    {[][]byte{rec(6, 0, 0, 0, "\x01\x00\x01\x00\x00\x00\xff\xff", 0, uint32(0))}, "TRUE"},
		"formula, error":    {[][]byte{rec(6, 0, 0, 0, "\x02\x00\x07\x00\x00\x00\xff\xff", 0, uint32(0))}, "#DIV/0!"},
		"formula, nothing":  {[][]byte{rec(6, 0, 0, 0, "\x03\x00\x00\x00\x00\x00\xff\xff", 0, uint32(0)), number(0, 1, 0, 7)}, "7"},
		"text of no use":    {[][]byte{rec(0x207, 2, byte(1), wide("文字")), number(0, 1, 0, 7)}, "7"},
		"an embedded chart": {[][]byte{number(0, 0, 0, 1), rec(0x809, 0x600, 0x20), number(0, 1, 0, 2), rec(0x0a), number(0, 2, 0, 3)}, "1 | 3"},
		"merged":            {[][]byte{label(0, 0, "甲"), label(0, 1, "x"), label(1, 1, "y"), rec(0xe5, 1, 0, 1, 0, 0)}, "甲 | x | 甲 | y"},
		"short records":     {[][]byte{rec(0x203, 0), rec(0xfd, 0), rec(0xbd, 0), rec(6), rec(0x204), rec(0xe5, 9), number(1, 0, 0, 8)}, "8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, book(0x600, globals, sheetPart{name: "S", records: c.records}))
			if got := shown(d.Text); got != c.want {
				t.Errorf("cells %q, want %q\n%s", got, c.want, d.Text)
			}
		})
	}
}

// TestSharedStringsAcrossRecords cuts the table of strings at every byte and
// states anew at each cut whether characters are wide.
func TestSharedStringsAcrossRecords(t *testing.T) {
	t.Parallel()
	for cut := 1; cut < 12; cut++ {
		for _, flip := range []bool{false, true} {
			first := rec(0xfc, uint32(3), uint32(3), 12, byte(0), "abcdefghijkl"[:cut])
			rest := append([]byte{0}, "abcdefghijkl"[cut:]...)
			if flip {
				rest = append([]byte{1}, wide("abcdefghijkl"[cut:])...)
			}
			// A rich text with its runs and a far-eastern one with its reading.
			rest = append(rest, string(rune(2))+"\x00\x09\x01\x00"+wide("富文")+"runs"...)
			rest = append(rest, "\x02\x00\x05\x03\x00\x00\x00"+wide("読み")+"xyz"...)
			globals := [][]byte{first, rec(0x3c, rest)}
			d := parse(t, book(0x600, globals, sheetPart{name: "S", records: [][]byte{
				rec(0xfd, 0, 0, 0, uint32(0)), rec(0xfd, 0, 1, 0, uint32(1)), rec(0xfd, 0, 2, 0, uint32(2))}}))
			if got := shown(d.Text); got != "abcdefghijkl | 富文 | 読み" {
				t.Errorf("cut at %d, flip %t: %q", cut, flip, got)
			}
		}
	}
}

func TestSheets(t *testing.T) {
	t.Parallel()
	one := func(s string) [][]byte { return [][]byte{label(0, 0, s)} }
	d := parse(t, book(0x600, nil,
		sheetPart{name: "可见", records: one("a")},
		sheetPart{name: "隐藏", state: 1, records: one("b")},
		sheetPart{name: "深藏", state: 2, records: one("c")},
		sheetPart{name: "图", kind: 2, records: one("chart")},
		sheetPart{name: "模块", kind: 6, records: one("module")},
		sheetPart{name: "空"}))
	if want := "# 可见\n\na\n\n# 隐藏\n\nb\n\n# 深藏\n\nc"; d.Text != want {
		t.Errorf("text %q, want %q", d.Text, want)
	}
	if len(d.Warnings) != 2 || d.Warnings[0] != (rag.Notice{Code: doctext.WarnHidden, Detail: "隐藏"}) || d.Warnings[1].Detail != "深藏" {
		t.Errorf("warnings %v", d.Warnings)
	}
	if d.Health.Images != 1 || d.Health.Pages != 4 || d.Health.PagesWithText != 3 || d.Title != "报价.xls" {
		t.Errorf("health %+v, title %q", d.Health, d.Title)
	}
}

func TestDateSystemOf1904(t *testing.T) {
	t.Parallel()
	d := parse(t, book(0x600, [][]byte{rec(0x22, 1), rec(0xe0, 0, 14, 0)}, sheetPart{name: "S", records: [][]byte{number(0, 0, 0, 0)}}))
	if !strings.Contains(d.Text, "1904-01-01") {
		t.Errorf("text %q", d.Text)
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	txo := func(s string) [][]byte {
		return [][]byte{rec(0x1b6, 0, 0, 0, 0, 0, len([]rune(s)), 0, 0, 0), rec(0x3c, byte(1), wide(s)), rec(0x3c, "runs")}
	}
	records := slices.Concat([][]byte{label(0, 0, "x"), rec(0x5d, 0x15, 18, 6, 1)}, txo("文本框"),
		[][]byte{rec(0x5d, 0x15, 18, 0x19, 1)}, txo("批注"), [][]byte{rec(0x5d, 0x15, 18, 8, 1)})
	d := parse(t, book(0x600, nil, sheetPart{name: "S", records: records}))
	if d.Text != "# S\n\nx\n\n文本框" || d.Health.Images != 1 {
		t.Errorf("text %q, %d images", d.Text, d.Health.Images)
	}
}

func TestOlderBooks(t *testing.T) {
	t.Parallel()
	gbk := "\xd2\xbb\xb5\xa5" // 一单
	t.Run("Excel 95 with a code page", func(t *testing.T) {
		t.Parallel()
		d := parse(t, book(0x500, [][]byte{rec(0x42, 936)}, sheetPart{name: gbk, records: [][]byte{
			rec(0x204, 0, 0, 0, 4, gbk), number(0, 1, 0, 2), rec(6, 1, 0, 0, "\x00\x00\x00\x00\x00\x00\xff\xff", 0, uint32(0)), rec(0x207, 4, gbk), number(1, 1, 0, 3)}}))
		if !strings.HasPrefix(d.Text, "# 一单\n") || shown(d.Text) != "一单 | 2 | 一单 | 3" || d.Encoding != "windows-936" {
			t.Errorf("text %q in %s", d.Text, d.Encoding)
		}
	})
	t.Run("records alone", func(t *testing.T) {
		t.Parallel()
		stream := slices.Concat(rec(0x809, 0, 0x10, 0, 0), rec(0x204, 0, 0, 0, 20, "\xd6\xd0\xb9\xfa\xb5\xc4\xb1\xa8\xbc\xdb\xb5\xa5\xba\xcd\xc3\xf7\xcf\xb8\xb1\xed"),
			rec(0x204, 0, 1, 0, 4, "\xca\xfd\xc1\xbf"), number(1, 0, 0, 1.5), number(1, 1, 0, 2), rec(0x0a))
		if !biff.IsRaw(stream) {
			t.Error("not taken for a workbook")
		}
		if d := parse(t, stream); shown(d.Text) != "中国的报价单和明细表 | 数量 | 1.5 | 2" {
			t.Errorf("text %q", d.Text)
		}
	})
	t.Run("Excel 2", func(t *testing.T) {
		t.Parallel()
		stream := slices.Concat(rec(0x09, 2, 0x10), rec(4, 0, 0, "\x00\x00\x00", byte(3), "abc"), rec(2, 0, 1, "\x00\x00\x00", 7),
			rec(3, 1, 0, "\x00\x00\x00", 2.5), rec(5, 1, 1, "\x00\x00\x00", byte(1), byte(0)), rec(0x0a))
		if d := parse(t, stream); shown(d.Text) != "abc | 7 | 2.5 | TRUE" {
			t.Errorf("text %q", d.Text)
		}
	})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	sheet := sheetPart{name: "S", records: [][]byte{label(0, 0, "a"), label(70, 9, "b")}}
	small := env()
	small.Limits.Cells = 1
	pages := env()
	pages.Limits.Pages = 1
	bytes := env()
	bytes.Limits.Text = 1
	for name, c := range map[string]struct {
		stream []byte
		env    guard.Env
		code   string
	}{
		"encrypted":       {book(0x600, [][]byte{rec(0x2f, 1, 1)}, sheet), env(), "password"},
		"nothing":         {nil, env(), "corrupt"},
		"something else":  {[]byte("hello, world"), env(), "corrupt"},
		"too many cells":  {book(0x600, nil, sheet), small, "limit_cells"},
		"too many sheets": {book(0x600, nil, sheet, sheet), pages, "limit_pages"},
		"too much text":   {book(0x600, nil, sheet), bytes, "limit_text"},
	} {
		if _, err := biff.Parse(context.Background(), c.stream, rag.Input{}, c.env); !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := biff.Parse(ctx, book(0x600, nil, sheet), rag.Input{}, env()); err == nil {
		t.Error("a cancelled reading gives a document")
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	stream := book(0x600, nil, sheetPart{name: "S", records: [][]byte{label(0, 0, "kept"), label(1, 0, "lost")}})
	d := parse(t, stream[:len(stream)-7])
	if !strings.Contains(d.Text, "kept") || len(d.Warnings) != 1 || d.Warnings[0].Code != doctext.WarnTruncated {
		t.Errorf("text %q, warnings %v", d.Text, d.Warnings)
	}
	d = parse(t, book(0x600, nil, sheetPart{name: "S"})[:40])
	if len(d.Warnings) == 0 {
		t.Error("a sheet that the file lacks is not told of")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(book(0x600, [][]byte{rec(0xfc, uint32(2), uint32(2), 3, byte(0), "abc", 2, byte(1)), rec(0x3c, byte(1), wide("文字")),
		rec(0x41e, 164, 4, byte(0), "m/d;"), rec(0xe0, 0, 164)},
		sheetPart{name: "S", records: [][]byte{rec(0xfd, 0, 0, 0, uint32(1)), number(1, 1, 0, 45000), rec(0xe5, 1, 0, 2, 0, 3)}}))
	f.Add(book(0x500, [][]byte{rec(0x42, 932)}, sheetPart{name: "S", records: [][]byte{rec(0x204, 0, 0, 0, 2, "\x83\x41")}}))
	f.Add(rec(0x809, 0, 0x10, 0, 0))
	f.Fuzz(func(t *testing.T, stream []byte) {
		e := env()
		e.Limits.Cells, e.Limits.Text = 20000, 1<<20
		d, err := biff.Parse(context.Background(), stream, rag.Input{}, e)
		if err != nil && fault.Of(err).Code == "internal" {
			t.Errorf("%v is no fault", err)
		}
		if strings.ToValidUTF8(d.Text, "") != d.Text {
			t.Error("the text is no UTF-8")
		}
	})
}
