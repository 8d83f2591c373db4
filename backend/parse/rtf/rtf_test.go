package rtf_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/rtf"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "rewrite golden files")

func env() guard.Env {
	return guard.Env{Limits: guard.Defaults(), Nested: func(_ context.Context, in rag.Input) (rag.Document, error) {
		name := filepath.Base(in.Source)
		return rag.Document{Source: in.Source, Title: name, Text: "read as " + filepath.Ext(name)}, nil
	}}
}

func parse(t *testing.T, source string) rag.Document {
	t.Helper()
	d, err := rtf.Parse(context.Background(), rag.Input{Source: "a.rtf", Bytes: []byte(source)}, env())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fonts is a table of fonts by their sets of characters.
const fonts = `{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset134 SimSun;}{\f2\fcharset136 Ming;}{\f3\fcharset128 Mincho;}{\f4\fcharset2 Symbol;}{\f5\fcharset2 Wingdings;}{\f6\fcharset204 Arial;}{\f7\fcharset129 Batang;}}`

func TestCharacters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"ASCII":                          {`a b\par c`, "a b\n\nc"},
		"GBK":                            {`\f1 \'c4\'e3\'ba\'c3`, "你好"},
		"GBK, second byte a letter":      {`\f1 \'81@`, "丂"},
		"Big5":                           {`\f2 \'a7\'41\'a6\'6e`, "你好"},
		"Shift-JIS, second byte a slash": {`\f3 \'95\'5c\'8e\'a6`, "表示"},
		"Shift-JIS, escaped slash":       {`\f3 \'95\\\'8e\'a6`, "表示"},
		"Korean":                         {`\f7 \'c7\'d1`, "한"},
		"Cyrillic":                       {`\f6 \'cf\'f0`, "Пр"},
		"Western":                        {`caf\'e9 \'93q\'94`, "café “q”"},
		"across groups":                  {`{\f1 \'c4}{\f1 \'e3}`, "你"},
		"raw GBK":                        {"\\f1 \xc4\xe3", "你"},
		"raw UTF-8":                      {`你好`, "你好"},
		"unicode":                        {`\u20320?\u22909?`, "你好"},
		"unicode, negative":              {`\u-28671?`, "送"},
		"unicode, pair":                  {`\u-10179?\u-8704?`, "😀"},
		"unicode, lone half":             {`a\u-10179?b`, "ab"},
		"unicode, two bytes of old":      {`{\uc2\u20320\'c4\'e3}x`, "你x"},
		"unicode, nothing of old":        {`\uc0\u20320 x`, "你x"},
		"unicode, group ends":            {`{\u20320}ab`, "你ab"},
		"unicode, control in place":      {`\u8212\emdash x`, "—x"},
		"unicode, beyond all":            {`a\u99999999?b`, "ab"},
		"quotes and dashes":              {`\ldblquote a\rdblquote\emdash\endash\bullet`, "“a”—–•"},
		"escapes":                        {`\{a\\b\}\~c\_d\-e`, "{a\\b}\u00a0c-de"},
		"line and tab":                   {`a\line b\tab c`, "a\nb\tc"},
		"line end after a slash":         {"a\\\nb", "a\n\nb"},
		"line ends are nothing":          {"a\r\nb", "ab"},
		"symbols":                        {`\f4 a\f5 \'fc\f0 x`, "α✓x"},
		"symbols by number":              {`\f5 \u61692?`, "✓"},
		"bad hex":                        {`a\'zzb`, "azzb"},
		"bin":                            {`a\bin3 {{{b`, "ab"},
		"bin beyond the end":             {`a\bin999 `, "a"},
		"bin of less than nothing":       {`a\bin-5 b`, "ab"},
		"a hyphen after a word":          {`a\b-b`, "a-b"},
		"hidden":                         {`a{\v hid}b\v c\v0 d`, "abd"},
		"deleted":                        {`a{\deleted gone\par}b`, "ab"},
		"revised stays":                  {`a{\revised new}b`, "anewb"},
		"unknown words":                  {`a\foo1\bar b`, "ab"},
		"unknown destination":            {`a{\*\foo bar}b`, "ab"},
		"old and Unicode":                {`{\upr{a\'c4\'e3}{\*\ud{a\u20320?}}}b`, "a你b"},
		"field":                          {`{\field{\*\fldinst{HYPERLINK "http://x"}}{\fldrslt{\ul link}}}.`, "link."},
		"index entry":                    {`a{\xe{\v entry}}b`, "ab"},
		"math":                           {`{\mmath{\*\moMath{\mr x}{\mr =1}}}`, "x=1"},
		"object's picture of text":       {`{\object{\*\objdata 0105}{\result text}}`, "text"},
		"picture data":                   {`a{\pict\pngblip 89504e47}b`, "ab"},
		"a NUL":                          {"a\x00b", "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, `{\rtf1\ansi\ansicpg1252\deff0`+fonts+"\n"+c.in+`}`).Text; got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
		})
	}
}

func TestCodePageOfTheDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want, encoding string }{
		"ansicpg":               {`{\rtf1\ansi\ansicpg936 \'c4\'e3}`, "你", "windows-936"},
		"Western font, Chinese": {`{\rtf1\ansicpg936{\fonttbl{\f0\fcharset0 A;}}\f0 \'c4\'e3}`, "你", "windows-936"},
		"Western font, Western": {`{\rtf1\ansicpg936{\fonttbl{\f0\fcharset0 A;}}\f0 caf\'e9 x}`, "café x", "windows-936"},
		"Macintosh":             {`{\rtf1\mac \'8e}`, "é", "macintosh"},
		"PC":                    {`{\rtf1\pc \'82}`, "é", "windows-437"},
		"of the font":           {`{\rtf1\ansi{\fonttbl{\f0\cpg1251 A;}}\f0 \'cf}`, "П", "windows-1252"},
		"fonts without groups":  {`{\rtf1\ansi{\fonttbl\f0\fcharset0 A;\f1\fcharset134 B;}\f1 \'c4\'e3}`, "你", "windows-1252"},
		"unknown":               {`{\rtf1\ansicpg99999 \'e9}`, "é", "windows-99999"},
	} {
		if d := parse(t, c.in); d.Text != c.want || d.Encoding != c.encoding {
			t.Errorf("%s: %q in %s, want %q in %s", name, d.Text, d.Encoding, c.want, c.encoding)
		}
	}
}

func TestStructure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"heading by style":       {`{\stylesheet{\s0 Normal;}{\s1\sbasedon0 heading 1;}{\s5\sbasedon1 Mine;}}\pard\s1 A\par\pard\s5 B\par\pard c`, "# A\n\n# B\n\nc"},
		"heading, Chinese name":  {`{\stylesheet{\s2 \u26631?\u39064? 2;}}\pard\s2 A\par\pard c`, "## A\n\nc"},
		"heading by outline":     {`\pard\outlinelevel1 A\par\pard c`, "## A\n\nc"},
		"outline of text":        {`\pard\outlinelevel9 A\par`, "A"},
		"styles based in a ring": {`{\stylesheet{\s1\sbasedon2 a;}{\s2\sbasedon1 b;}}\pard\s1 A`, "A"},
		"numbered heading":       {`{\stylesheet{\s1 heading 1;}}\pard\s1{\listtext 1.1\tab}A\par`, "# 1.1 A"},
		"list":                   {`\pard{\listtext 1.\tab}\ls1 a\par{\listtext 2.\tab}b\par\pard c`, "1. a\n2. b\n\nc"},
		"nested list":            {`\pard{\listtext\f4 \'b7\tab}\ls1 a\par\pard{\listtext a)\tab}\ls1\ilvl1 b\par`, "- a\n  a) b"},
		"old list":               {`\pard{\pntext\f4 \'b7\tab}{\*\pn\pnlvlblt{\pntxtb\'b7}}a\par`, "- a"},
		"table":                  {`\trowd\cellx1\cellx2\pard\intbl a\cell b\cell\row\trowd\cellx1\cellx2 c\par d\cell \cell\row\pard e`, "| a | b |\n| --- | --- |\n| c<br>d |  |\n\ne"},
		"two tables":             {`\trowd\cellx1\pard\intbl a\cell\row\pard\par\trowd\cellx1\pard\intbl b\cell\row\pard`, "|  |\n| --- |\n| a |\n\n|  |\n| --- |\n| b |"},
		"merged":                 {`\trowd\clvmgf\cellx1\cellx2\pard\intbl a\cell b\cell\row\trowd\clvmrg\cellx1\cellx2 \cell c\cell\row\trowd\clmgf\cellx1\clmrg\cellx2 d\cell\cell\row\pard`, "| a | b |\n| --- | --- |\n| a | c |\n| d | d |"},
		"cells by width":         {`\trowd\cellx2000\cellx3000\pard\intbl a\cell b\cell\row\trowd\cellx1000\cellx2000\cellx3000 c\cell d\cell e\cell\row\pard`, "| a | a | b |\n| --- | --- | --- |\n| c | d | e |"},
		"more cells than shapes": {`\trowd\cellx2000\cellx3000\pard\intbl a\cell b\cell\cell\row\trowd\cellx1000\cellx2000\cellx3000 c\cell d\cell e\cell\cell\row\pard`, "| a | a | b |\n| --- | --- | --- |\n| c | d | e |"},
		"header rows":            {`\trowd\trhdr\cellx1\pard\intbl a\cell\row\trowd\trhdr\cellx1 b\cell\row\trowd\cellx1 c\cell\row`, "| a |\n| --- |\n| b |\n| c |"},
		"table in a cell":        {`\trowd\cellx1\pard\intbl\itap2 x\nestcell y\nestcell{\*\nesttableprops\trowd\cellx1\cellx2\nestrow}{\nonesttables\par}\pard\intbl\itap1 z\cell\row`, "|  |\n| --- |\n| x \\| y<br>z |"},
		"row without an end":     {`\trowd\cellx1\pard\intbl a\cell\pard b\par`, "|  |\n| --- |\n| a |\n\nb"},
		"cut off in a row":       {`\trowd\cellx1\pard\intbl a\cell b`, "|  |  |\n| --- | --- |\n| a | b |"},
		"footnote":               {`a{\super\chftn}{\footnote\pard{\super\chftn} the\par note}b\par c`, "a[^1]b\n\nc\n\n[^1]: the note"},
		"note in a cell":         {`\trowd\cellx1\pard\intbl a{\footnote n}\cell\row`, "|  |\n| --- |\n| a[^1] |\n\n[^1]: n"},
		"text box":               {`a{\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt\pard box\par two}}{\shprslt{\*\do old}}}b\par c`, "ab\n\nbox\n\ntwo\n\nc"},
		"header and footer":      {`{\header\pard head\par}{\footerf foot}body`, "body"},
		"a list in a header":     {`{\header{\listtext 1.\tab}x}body`, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, `{\rtf1\ansi\deff0`+fonts+c.in+`}`).Text; got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	d := parse(t, `{\rtf1{\header logo{\pict 00}\par second}a{\pict 00}{\*\shppict{\pict 00}}{\nonshppict{\pict 00}}{\shp{\*\shpinst{\sp{\sn pib}{\sv{\pict 00}}}}}{\*\listpicture{\pict 00}}}`)
	if d.Health.Images != 3 || d.Health.Repeated != 2 || len(d.Warnings) != 0 {
		t.Errorf("health %+v, warnings %v", d.Health, d.Warnings)
	}
	if d := parse(t, `{\rtf1 a{\v gone}{\deleted\v more}{\xe{\v entry}}}`); len(d.Warnings) != 1 || d.Warnings[0] != (rag.Notice{Code: doctext.WarnHiddenText, Detail: "4"}) {
		t.Errorf("hidden text: %v", d.Warnings)
	}
	if d := parse(t, `{\rtf1 a\par {b`); d.Text != "a\n\nb" || len(d.Warnings) != 1 || d.Warnings[0].Code != doctext.WarnTruncated {
		t.Errorf("cut off: %q %v", d.Text, d.Warnings)
	}
	if d := parse(t, "{\\rtf1 a}\x00\x00{trailing}"); d.Text != "a" || len(d.Warnings) != 0 {
		t.Errorf("trailing bytes: %q %v", d.Text, d.Warnings)
	}
	if d := parse(t, "\xef\xbb\xbf\r\n{\\rtf1}"); d.Text != "" || d.Title != "a.rtf" {
		t.Errorf("empty: %q %q", d.Text, d.Title)
	}
}

func TestNoRTF(t *testing.T) {
	t.Parallel()
	d := parse(t, "plain words")
	if d.Text != "read as .doc" || d.Source != "a.rtf" || d.Title != "a.rtf" {
		t.Errorf("%q, source %q, title %q", d.Text, d.Source, d.Title)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	small := env()
	small.Limits.Text = 10
	for name, c := range map[string]struct {
		in   string
		env  guard.Env
		code string
	}{
		"deep": {`{\rtf1 ` + strings.Repeat("{", 100_000), env(), "limit_depth"},
		"long": {`{\rtf1 ` + strings.Repeat("a", 1<<17) + `}`, small, "limit_text"},
	} {
		if _, err := rtf.Parse(context.Background(), rag.Input{Bytes: []byte(c.in)}, c.env); !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rtf.Parse(ctx, rag.Input{Bytes: []byte(`{\rtf1 a}`)}, env()); err == nil {
		t.Error("a cancelled reading gives a document")
	}
}

// rich holds all kinds of structure at once.
func rich() string {
	cell := func(s string) string { return s + `\cell ` }
	return `{\rtf1\ansi\ansicpg936\deff0` + fonts +
		`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}}{\info{\title secret}}` +
		`{\header Confidential}` +
		`\pard\s1 \f1 \'c4\'ea\'bc\'d9\par\pard \u21592?\u24037?{\footnote\pard note\par} {\b bold}{\deleted gone}.\par` +
		`\pard\s2 Rules\par\pard{\listtext 1.\tab}\ls1 one\par{\listtext 2.\tab}two\par` +
		`\trowd\trhdr\cellx1\cellx2\pard\intbl ` + cell("years") + cell("days") + `\row\trowd\clvmgf\cellx1\cellx2 ` + cell("1") + cell("5") +
		`\row\trowd\clvmrg\cellx1\cellx2 ` + cell("") + cell("10") + `\row\pard after{\*\shppict{\pict 00}}\par}`
}

func TestGolden(t *testing.T) {
	t.Parallel()
	d := parse(t, rich())
	got := d.Text + fmt.Sprintf("\n\n%s %v\n%+v\n", d.Title, d.Warnings, d.Health)
	file := filepath.Join("testdata", "rich.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("got\n%s\nwant (%v)\n%s", got, err, want)
	}
}

// TestSharedFiles reads a file made by a word processor.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder with sample files")
	}
	b, err := os.ReadFile(filepath.Join(dir, "testRTFJapanese.rtf"))
	if err != nil {
		t.Fatal(err)
	}
	d := parse(t, string(b))
	for _, want := range []string{"1. ゾルゲの処刑記録、\n2. 「何等取乱シタル態度無ク」", "古書店で処刑記録見つかる\n\n"} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("%q is not in\n%s", want, d.Text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(rich()))
	f.Add([]byte(`{\rtf1{\upr{a}{\*\ud b}}\u-10179?{\footnote{\header{\shptxt x\cell\row\nestcell}}\nestrow\par}\bin5 }`))
	f.Add([]byte(`{\rtf1\cell\row\nestrow\trowd\clvmrg\cellx1\row{\fonttbl{\f1\fcharset2 Symbol;}}\f1\'ff\u61692?`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e := env()
		e.Limits.Text = 1 << 20
		d, err := rtf.Parse(context.Background(), rag.Input{Source: "f.rtf", Bytes: b}, e)
		if err != nil && fault.Of(err).Code == "internal" {
			t.Errorf("%v is no fault", err)
		}
		if strings.ToValidUTF8(d.Text, "") != d.Text {
			t.Error("the text is no UTF-8")
		}
	})
}
