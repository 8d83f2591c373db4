package mail_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/ole/oletest"
	"ragdesk/backend/parse/mail"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "rewrite golden files")

// env reads files inside files: pages without their tags, texts as they are.
func env() guard.Env {
	return guard.Env{Limits: guard.Defaults(), Nested: func(ctx context.Context, in rag.Input) (rag.Document, error) {
		s := string(in.Bytes)
		d := rag.Document{Source: in.Source, Text: s, Health: rag.Health{Confidence: 1, Images: strings.Count(s, "<img")}}
		switch filepath.Ext(in.Source) {
		case ".html":
			d.Encoding = "UTF-8"
			if strings.Contains(s, "<table") {
				d.Text = "| table |"
				d.Blocks = []rag.Block{{Kind: rag.BlockTable, Span: rag.Span{End: len(d.Text)}}}
				return d, nil
			}
			var out strings.Builder
			for i, piece := range strings.Split(s, "<") {
				if _, after, ok := strings.Cut(piece, ">"); ok {
					piece = after
				} else if i > 0 {
					piece = ""
				}
				out.WriteString(piece)
			}
			d.Text = out.String()
			return d, nil
		case ".txt", ".rtf", ".csv":
			return d, nil
		case ".eml":
			return mail.Parse(ctx, in, env())
		case ".locked":
			return rag.Document{}, guard.Password("x")
		}
		return rag.Document{}, fault.New("format_unsupported", fault.P("ext", filepath.Ext(in.Source)))
	}}
}

type read func(context.Context, rag.Input, guard.Env) (rag.Document, error)

func parse(t *testing.T, f read, source string) rag.Document {
	t.Helper()
	d, err := f(context.Background(), rag.Input{Source: "m.eml", Bytes: []byte(strings.ReplaceAll(source, "\n", "\r\n"))}, env())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestHeaders(t *testing.T) {
	t.Parallel()
	gb := "\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7" // 你好世界
	for name, c := range map[string]struct{ header, want string }{
		"plain":                  {"Subject: hello\nFrom: A <a@x>\nTo: b@x,\n c@x\nDate: Fri, 15 Mar 2024 10:20:30 +0800", "# hello\n\nFrom: A <a@x>\nTo: b@x, c@x\nDate: 2024-03-15 10:20:30 +0800"},
		"B":                      {"Subject: =?utf-8?B?" + b64("你好") + "?= x", "# 你好 x"},
		"Q":                      {"Subject: =?ISO-8859-1?Q?caf=E9_au_lait?=", "# café au lait"},
		"GB 2312":                {"Subject: =?gb2312?B?" + b64(gb) + "?=", "# 你好世界"},
		"words cut a character":  {"Subject: =?utf-8?B?" + b64("你好"[:4]) + "?=\n =?utf-8?B?" + b64("你好"[4:]) + "?=", "# 你好"},
		"blank between words":    {"Subject: =?utf-8?Q?a?=  =?utf-8?Q?b?= c", "# ab c"},
		"with a language":        {"Subject: =?utf-8*zh?Q?=E4=BD=A0?=", "# 你"},
		"blank inside a word":    {"Subject: =?utf-8?Q?a b?=", "# a b"},
		"unknown encoding":       {"Subject: =?x-none?Q?abc?=", "# abc"},
		"no word":                {"Subject: =?utf-8?X?abc?=", "# =?utf-8?X?abc?="},
		"UTF-8 as it is":         {"Subject: 你好", "# 你好"},
		"GBK as it is":           {"Subject: " + gb, "# 你好世界"},
		"a date of no form":      {"Date: yesterday", "Date: yesterday"},
		"names are of any case":  {"SUBJECT: a\nfRoM: b", "# a\n\nFrom: b"},
		"an envelope before":     {"From x@y Fri Mar 15\nSubject: a", "# a"},
		"the first of two holds": {"Subject: a\nSubject: b", "# a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, mail.Parse, c.header+"\n\nbody")
			if want := c.want + "\n\nbody"; d.Text != want {
				t.Errorf("text %q, want %q", d.Text, want)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"no header at all":        {"just words", "just words"},
		"no blank line":           {"Subject: a\nbody, not: a field\nmore", "# a\n\nbody, not: a field\nmore"},
		"no body":                 {"Subject: a\n\n", "# a"},
		"base64":                  {"Content-Transfer-Encoding: base64\n\n" + b64("你好，世界"), "你好，世界"},
		"base64 without its end":  {"Content-Transfer-Encoding: BASE64\n\n" + strings.TrimRight(b64("word"), "="), "word"},
		"base64 in two":           {"Content-Transfer-Encoding: base64\n\n" + b64("a") + b64("b"), "ab"},
		"base64 with dirt":        {"Content-Transfer-Encoding: base64\n\n" + b64("wo") + "\n!!\n" + b64("rd"), "word"},
		"quoted":                  {"Content-Transfer-Encoding: quoted-printable\n\na=3Db=\nc =E4=BD=A0 =zz=", "a=bc 你 =zz"},
		"charset":                 {"Content-Type: text/plain; charset=gb2312\n\n\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7\xa3\xac\xce\xd2\xc3\xc7\xb5\xc4\xb9\xab\xcb\xbe", "你好世界，我们的公司"},
		"charset that lies":       {"Content-Type: text/plain; charset=gb2312\n\n你好世界，我们的公司在这里。", "你好世界，我们的公司在这里。"},
		"charset that is none":    {"Content-Type: text/plain; charset=\"x y\"\n\nabc", "abc"},
		"ISO-2022-JP":             {"Content-Type: text/plain; charset=ISO-2022-JP\n\n\x1b$B$3$s\x1b(B", "こん"},
		"flowed":                  {"Content-Type: text/plain; format=flowed\n\none \ntwo\nthree\n> q \n> r\n-- \nme", "one two\nthree\n> q r\n--\nme"},
		"flowed, blanks deleted":  {"Content-Type: text/plain; format=flowed; delsp=yes\n\n中 \n文", "中文"},
		"a page":                  {"Content-Type: text/html\n\n<p>text</p>", "text"},
		"alternatives":            {multipart("alternative", "text/plain\n\nplain words", "text/html\n\n<p>rich words</p>"), "plain words"},
		"plain is empty":          {multipart("alternative", "text/plain\n\n \n", "text/html\n\n<p>rich</p>"), "rich"},
		"plain is poorer":         {multipart("alternative", "text/plain\n\nsee the page", "text/html\n\n<p>"+strings.Repeat("words ", 20)+"</p>"), strings.TrimSpace(strings.Repeat("words ", 20))},
		"plain flattens a table":  {multipart("alternative", "text/plain\n\ntable of many words", "text/html\n\n<table>"), "| table |"},
		"page alone":              {multipart("alternative", "text/html\n\nrich"), "rich"},
		"an invitation beside":    {multipart("alternative", "text/plain\n\nplain", "text/calendar\n\nBEGIN:VCALENDAR"), "plain"},
		"an invitation alone":     {multipart("alternative", "text/calendar\n\nBEGIN:VCALENDAR"), "BEGIN:VCALENDAR"},
		"related":                 {multipart("related", "text/html\n\n<img>rich", "image/png\nContent-ID: <a>\n\nx", "text/css\n\nbody{}"), "rich"},
		"frames":                  {multipart("related", "text/html\n\n<frameset>", "text/html; name=a.htm\n\nsheet 1", "text/html; name=b.htm\n\nsheet 2"), "sheet 1\n\nsheet 2"},
		"signed":                  {multipart("signed", "text/plain\n\nsigned words", "application/pgp-signature; name=s.asc\n\nxx"), "signed words"},
		"a file":                  {multipart("mixed", "text/plain\n\nbody", "text/plain; name=a.txt\nContent-Disposition: attachment\n\nfile"), "body\n\n## a.txt\n\nfile"},
		"a file of another type":  {multipart("mixed", "text/plain\n\nbody", "text/html\nContent-Disposition: attachment; filename=a.unknown\n\n<p>file"), "body\n\n## a.unknown\n\nfile"},
		"a file without a name":   {multipart("mixed", "text/plain\n\nbody", "text/csv\nContent-Disposition: attachment\n\na,b"), "body\n\n## attachment-a.csv\n\na,b"},
		"a long name":             {multipart("mixed", "text/plain\n\nb", "text/plain\nContent-Disposition: attachment;\n filename*0*=gb18030''%c4%e3;\n filename*1*=%ba%c3;\n filename*2=.txt\n\nfile"), "b\n\n## 你好.txt\n\nfile"},
		"an encoded name":         {multipart("mixed", "text/plain\n\nb", "text/plain\nContent-Disposition: attachment; filename=\"=?utf-8?B?"+b64("附件.txt")+"?=\"\n\nfile"), "b\n\n## 附件.txt\n\nfile"},
		"a name with a path":      {multipart("mixed", "text/plain\n\nb", "text/plain\nContent-Disposition: attachment; filename=\"C:\\dir\\a.txt\"\n\nfile"), "b\n\n## a.txt\n\nfile"},
		"a message in a message":  {"Subject: outer\n" + multipart("mixed", "text/plain\n\nbody", "message/rfc822\n\nSubject: inner\n\ninner body"), "# outer\n\nbody\n\n## message.eml\n\n### inner\n\ninner body"},
		"no boundary is stated":   {"Content-Type: multipart/mixed\n\n--b\nContent-Type: text/plain\n\nbody\n--b--\n", "body"},
		"no end":                  {"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nbody\n--b\n\nmore", "body\n\nmore"},
		"no part":                 {"Content-Type: multipart/mixed; boundary=b\n\nwords", "words"},
		"one boundary in another": {"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\none\n--bb--\n--b\n\ntwo\n--b--", "one\n\ntwo"},
		"after the end":           {"Content-Type: multipart/mixed; boundary=b\n\nbefore\n--b\n\nbody\n--b--\nafter", "body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, mail.Parse, c.in).Text; got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// multipart is a message of parts, each a media type with fields and a body.
func multipart(kind string, parts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Content-Type: multipart/%s; boundary=\"=_x\"\n\n", kind)
	for _, p := range parts {
		b.WriteString("--=_x\nContent-Type: " + p + "\n")
	}
	return b.String() + "--=_x--\n"
}

func TestWhatIsNotText(t *testing.T) {
	t.Parallel()
	d := parse(t, mail.Parse, multipart("mixed", "text/plain\n\nbody", "image/png\n\nx", "image/png; name=a.png\nContent-Disposition: attachment\n\nx",
		"application/x; name=a.bin\n\nx", "application/x; name=b.locked\n\nx"))
	if d.Health.Images != 2 {
		t.Errorf("%d images", d.Health.Images)
	}
	want := []rag.Notice{{Code: doctext.WarnAttachment, Detail: "a.bin: format_unsupported"}, {Code: doctext.WarnAttachment, Detail: "b.locked: password"}}
	if len(d.Warnings) != 2 || d.Warnings[0] != want[0] || d.Warnings[1] != want[1] {
		t.Errorf("warnings %v", d.Warnings)
	}
	d = parse(t, mail.Parse, multipart("related", "text/html\n\n<img><img>rich", "image/png\n\nx"))
	if d.Health.Images != 2 {
		t.Errorf("%d images shown by a page", d.Health.Images)
	}
	if d.Encoding != "UTF-8" || d.MediaType != "message/rfc822" {
		t.Errorf("%s in %s", d.MediaType, d.Encoding)
	}
}

func TestArchivedPage(t *testing.T) {
	t.Parallel()
	page := "From: <Saved by Blink>\nSubject: =?utf-8?Q?=E9=A1=B5?=\n" + multipart("related", "text/html\n\n<img>page", "image/png\n\nx", "text/css\n\ny")
	d := parse(t, mail.ParseMHT, page)
	if d.Text != "page" || d.Title != "页" || d.Health.Images != 1 {
		t.Errorf("%q, title %q, %+v", d.Text, d.Title, d.Health)
	}
	if _, err := mail.ParseMHT(context.Background(), rag.Input{Bytes: []byte("words")}, env()); !fault.Is(err, "corrupt") {
		t.Errorf("no header: %v", err)
	}
}

func TestMailbox(t *testing.T) {
	t.Parallel()
	d := parse(t, mail.ParseMbox, "From a@x Fri Mar 15\nSubject: one\n\nbody\n>From the start\n>>From more\nFrom inside\n\nFrom b@x Sat\nSubject: two\n\nmore\n\nFrom c@x\n\nno subject")
	want := "# one\n\nbody\nFrom the start\n>From more\nFrom inside\n\n# two\n\nmore\n\nno subject"
	if d.Text != want || len(d.Sections) != 2 || d.Title != "m.eml" {
		t.Errorf("got\n%s\nwant\n%s", d.Text, want)
	}
	if d := parse(t, mail.ParseMbox, ""); d.Text != "" {
		t.Errorf("empty: %q", d.Text)
	}
}

// wide is s in UTF-16.
func wide(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// properties are the fixed ones of a message, after a head of so many bytes.
func properties(head int, list map[uint32]uint64) []byte {
	b := make([]byte, head)
	for tag, v := range list {
		b = binary.LittleEndian.AppendUint32(b, tag)
		b = binary.LittleEndian.AppendUint32(b, 6)
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func TestOutlook(t *testing.T) {
	t.Parallel()
	inner := "__attach_version1.0_#00000002/__substg1.0_3701000D/"
	b := oletest.File(map[string][]byte{
		"__properties_version1.0":                               properties(32, map[uint32]uint64{0x00390040: 133549356300000000, 0x3FFD0003: 936}),
		"__substg1.0_0037001F":                                  wide("报价单"),
		"__substg1.0_0C1A001E":                                  []byte("\xd5\xc5\xc8\xfd"),
		"__substg1.0_5D01001F":                                  wide("zhang@example.com"),
		"__substg1.0_0E04001F":                                  wide("李四"),
		"__substg1.0_1000001F":                                  wide("正文。\r\n\r\n第二段。\x00"),
		"__attach_version1.0_#00000000/__properties_version1.0": properties(8, nil),
		"__attach_version1.0_#00000000/__substg1.0_3707001F":    wide("附件.txt"),
		"__attach_version1.0_#00000000/__substg1.0_37010102":    []byte("附件内容"),
		"__attach_version1.0_#00000001/__substg1.0_3704001F":    wide("a.jpg"),
		"__attach_version1.0_#00000001/__substg1.0_37010102":    []byte("x"),
		inner + "__properties_version1.0":                       properties(24, nil),
		inner + "__substg1.0_0037001F":                          wide("内嵌"),
		inner + "__substg1.0_1000001F":                          wide("内嵌正文"),
		"__attach_version1.0_#00000003/__substg1.0_3704001F":    wide("object"),
	})
	for name, f := range map[string]read{"msg": mail.ParseMSG, "a message called eml": mail.Parse} {
		d, err := f(context.Background(), rag.Input{Source: "m.msg", Bytes: b}, env())
		if err != nil {
			t.Fatal(err)
		}
		want := "# 报价单\n\nFrom: 张三 <zhang@example.com>\nTo: 李四\nDate: 2024-03-15 00:20:30 +0000\n\n正文。\n\n第二段。\n\n" +
			"## 内嵌\n\n内嵌正文\n\n## 附件.txt\n\n附件内容"
		if d.Text != want || d.Health.Images != 1 || len(d.Warnings) != 1 || d.Warnings[0].Detail != "object: format_unsupported" {
			t.Errorf("%s: got\n%s\nwant\n%s\n%+v %v", name, d.Text, want, d.Health, d.Warnings)
		}
	}
}

func TestOutlookForms(t *testing.T) {
	t.Parallel()
	rtf := func(mark uint32, size int, body []byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(body)+12))
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
		b = binary.LittleEndian.AppendUint32(b, mark)
		return append(binary.LittleEndian.AppendUint32(b, 0), body...)
	}
	// Two letters, and ten bytes from the start of what is taken to stand before.
	packed := []byte{0b0100, 'a', 'b', 0x00, 0x08}
	for name, c := range map[string]struct {
		prop    string
		content []byte
		want    string
		warning string
	}{
		"a page in bytes":   {"10130102", []byte("<p>\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7</p>"), "你好世界", ""},
		"a page":            {"1013001F", wide("<p>page</p>"), "page", ""},
		"plain RTF":         {"10090102", rtf(0x414c454d, 5, []byte("{rtf}rest")), "{rtf}", ""},
		"compressed RTF":    {"10090102", rtf(0x75465a4c, 12, packed), `ab{\rtf1\ans`, ""},
		"cut off RTF":       {"10090102", rtf(0x75465a4c, 99, packed[:4]), "ab", ""},
		"too short for RTF": {"10090102", []byte("x"), "", "body.rtf: corrupt"},
		"another mark":      {"10090102", rtf(1, 5, []byte("x")), "", "body.rtf: corrupt"},
		"too much RTF":      {"10090102", rtf(0x75465a4c, 1<<30, packed), "", "body.rtf: limit_inflated"},
	} {
		b := oletest.File(map[string][]byte{"__properties_version1.0": properties(32, map[uint32]uint64{0x3FDE0003: 936}), "__substg1.0_" + c.prop: c.content})
		d, err := mail.ParseMSG(context.Background(), rag.Input{Source: "m.msg", Bytes: b}, env())
		warned := ""
		if len(d.Warnings) > 0 {
			warned = d.Warnings[0].Detail
		}
		if err != nil || d.Text != c.want || warned != c.warning {
			t.Errorf("%s: %q %v (%v), want %q %q", name, d.Text, d.Warnings, err, c.want, c.warning)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	deep := ""
	for i := range 100 {
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	few, small := env(), env()
	few.Limits.Pages = 2
	small.Limits.Text = 5
	for name, c := range map[string]struct {
		f    read
		in   string
		env  guard.Env
		code string
	}{
		"deep":             {mail.Parse, deep, env(), "limit_depth"},
		"many parts":       {mail.Parse, multipart("mixed", "text/plain\n\na", "text/plain\n\nb"), few, "limit_pages"},
		"long":             {mail.Parse, "Subject: a\n\nlonger than that", small, "limit_text"},
		"encrypted":        {mail.Parse, multipart("encrypted", "application/pgp-encrypted\n\nVersion: 1"), env(), "password"},
		"encrypted, other": {mail.Parse, "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx", env(), "password"},
		"a picture":        {mail.Parse, "\x89PNG\r\n\x1a\n", env(), "corrupt"},
		"no mailbox":       {mail.ParseMbox, "words", env(), "corrupt"},
		"no container":     {mail.ParseMSG, "words", env(), "corrupt"},
		"no message":       {mail.ParseMSG, string(oletest.File(map[string][]byte{"Workbook": nil})), env(), "corrupt"},
		"broken container": {mail.Parse, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", env(), "corrupt"},
	} {
		if d, err := c.f(context.Background(), rag.Input{Bytes: []byte(c.in)}, c.env); !fault.Is(err, c.code) {
			t.Errorf("%s: %q, %v; want %s", name, d.Text, err, c.code)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := mail.Parse(ctx, rag.Input{Bytes: []byte("Subject: a\n\nb")}, env()); err == nil {
		t.Error("a cancelled reading gives a document")
	}
}

// rich is a message with all kinds of parts.
func rich() string {
	return "Subject: =?gb2312?B?" + b64("\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7") + "?=\nFrom: =?utf-8?Q?=E5=BC=A0?= <z@x>\nTo: a@x\nCc: b@x\nDate: Fri, 15 Mar 2024 10:20:30 +0800\n" +
		strings.ReplaceAll(multipart("mixed", "multipart/alternative; boundary=in\n\n--in\nContent-Type: text/plain; charset=utf-8\n\n第一段。\n\n> 引用\n\n-- \n张\n--in\nContent-Type: text/html\n\n<p>第一段。</p>\n--in--",
			"text/plain; name=a.txt\n\n附件", "image/png\n\nx", "application/x; name=a.bin\n\nx", "message/rfc822\n\nSubject: inner\n\nbody"), "\r", "")
}

func TestGolden(t *testing.T) {
	t.Parallel()
	d := parse(t, mail.Parse, rich())
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

// TestSharedFiles reads a message made by a mail program.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder with sample files")
	}
	b, err := os.ReadFile(filepath.Join(dir, "eml_with_attachment.eml"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := mail.Parse(context.Background(), rag.Input{Source: "m.eml", Bytes: b}, env())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(d.Text, "This email contains an attachment.") || !strings.Contains(d.Text, "## ") {
		t.Errorf("text\n%s\n%v", d.Text, d.Warnings)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(rich()))
	f.Add([]byte("Content-Type: multipart/related; boundary=a; start=<x>\n\n--a\nContent-Type: text/html; charset*=x''%ff\n\n=?a?b?c?=\n--a--"))
	f.Add(oletest.File(map[string][]byte{"__properties_version1.0": make([]byte, 64), "__substg1.0_10090102": make([]byte, 20)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		e := env()
		e.Limits.Text, e.Limits.Pages = 1<<20, 200
		for _, read := range []read{mail.Parse, mail.ParseMHT, mail.ParseMbox} {
			d, err := read(context.Background(), rag.Input{Source: "f.eml", Bytes: b}, e)
			if err != nil && fault.Of(err).Code == "internal" {
				t.Errorf("%v is no fault", err)
			}
			if strings.ToValidUTF8(d.Text, "") != d.Text {
				t.Error("the text is no UTF-8")
			}
		}
	})
}
