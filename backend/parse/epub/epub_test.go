package epub_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/epub"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

var heading = regexp.MustCompile(`<h([1-6])>(.*?)</h`)

// env reads chapters: headings and, as one paragraph, what is between p and /p.
func env() guard.Env {
	return guard.Env{Limits: guard.Defaults(), Nested: func(_ context.Context, in rag.Input) (rag.Document, error) {
		if filepath.Ext(in.Source) != ".html" {
			return rag.Document{}, fault.New("format_unsupported")
		}
		s := string(in.Bytes)
		switch {
		case strings.Contains(s, "broken"):
			return rag.Document{}, guard.Corrupt("html", fmt.Errorf("broken"))
		case strings.Contains(s, "bomb"):
			return rag.Document{}, fault.New("limit_depth")
		}
		d := rag.Document{Source: in.Source, Health: rag.Health{Images: strings.Count(s, "<img"), Confidence: 1}}
		add := func(kind rag.BlockKind, s string) rag.Span {
			if d.Text != "" {
				d.Text += "\n\n"
			}
			span := rag.Span{Start: len(d.Text), End: len(d.Text) + len(s)}
			d.Text += s
			d.Blocks = append(d.Blocks, rag.Block{Kind: kind, Span: span})
			return span
		}
		for _, m := range heading.FindAllStringSubmatch(s, -1) {
			level := int(m[1][0] - '0')
			span := add(rag.BlockHeading, strings.Repeat("#", level)+" "+m[2])
			d.Sections = append(d.Sections, rag.Section{Level: level, Title: m[2], Span: span})
		}
		if _, after, ok := strings.Cut(s, "<p>"); ok {
			p, _, _ := strings.Cut(after, "</p>")
			add(rag.BlockParagraph, p)
		}
		return d, nil
	}}
}

// container names the package.
const container = `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`

// packageOf describes a book: items as "id href type properties", and the spine.
func packageOf(spine string, items ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>一本 书</dc:title><dc:title>副题</dc:title></metadata><manifest>`)
	for _, i := range items {
		f := append(strings.Fields(i), "", "", "")
		fmt.Fprintf(&b, `<item id="%s" href="%s" media-type="%s" properties="%s"/>`, f[0], f[1], f[2], f[3])
	}
	b.WriteString(`</manifest><spine toc="ncx">`)
	for id := range strings.FieldsSeq(spine) {
		fmt.Fprintf(&b, `<itemref idref="%s"/>`, id)
	}
	return b.String() + `</spine></package>`
}

// archive makes a zip of names and contents in turn.
func archive(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	page = "application/xhtml+xml"
	ncx  = `<ncx><docTitle><text>Book</text></docTitle><navMap><navPoint><navLabel><text>Part</text></navLabel><content src="part.xhtml"/><navPoint><navLabel><text>第 二
章</text></navLabel><content src="text/b%20c.xhtml#top"/></navPoint></navPoint></navMap></ncx>`
	nav = `<html xmlns:epub="e"><body><nav epub:type="landmarks"><ol><li><a href="a.xhtml">Start</a></li></ol></nav><nav epub:type="toc"><ol><li><a href="a.xhtml">One</a><ol><li><a href="b.xhtml">Two <b>&amp;</b> half</a></li></ol></li></ol></nav></body></html>`
)

func parse(t *testing.T, files ...string) rag.Document {
	t.Helper()
	d, err := epub.Parse(context.Background(), rag.Input{Source: "b.epub", Bytes: archive(t, files...)}, env())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBooks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []string
		want  string
		warns []rag.Notice
	}{
		"EPUB 2": {[]string{"META-INF/container.xml", container,
			"OEBPS/book.opf", packageOf("b a", "a text/a.xhtml "+page, "b text/b%20c.xhtml "+page, "ncx toc.ncx application/x-dtbncx+xml"),
			"OEBPS/toc.ncx", ncx, "OEBPS/text/a.xhtml", "<h1>Alpha</h1><h2>Sub</h2><p>words</p>", "OEBPS/text/b c.xhtml", "<p>more</p>"},
			"## 第 二 章\n\nmore\n\n# Alpha\n\n## Sub\n\nwords", nil},
		"EPUB 3": {[]string{"META-INF/container.xml", container,
			"OEBPS/book.opf", packageOf("nav a b a", "nav nav.xhtml "+page+" nav", "a a.xhtml "+page, "b b.xhtml "+page),
			"OEBPS/nav.xhtml", nav, "OEBPS/a.xhtml", "<p>first</p>", "OEBPS/b.xhtml", "<p>second</p>"},
			"# One\n\nfirst\n\n## Two & half\n\nsecond", nil},
		"no container": {[]string{"x/book.opf", packageOf("a", "a a.xhtml "+page), "x/a.xhtml", "<p>words</p>"}, "words", nil},
		"a wrong container": {[]string{"META-INF/container.xml", strings.Replace(container, "book.opf", "none.opf", 1),
			"book.opf", packageOf("a", "a a.xhtml "+page), "a.xhtml", "<p>words</p>"}, "words", nil},
		"no spine": {[]string{"book.opf", packageOf("", "a a.xhtml "+page), "b.html", "<p>b</p>", "a.xhtml", "<p>a</p>"}, "b\n\na",
			[]rag.Notice{{Code: epub.WarnSpine}}},
		"missing and broken chapters": {[]string{"book.opf", packageOf("a b c none", "a a.xhtml "+page, "b b.xhtml "+page, "c c.xhtml "+page), "b.xhtml", "broken", "c.xhtml", "<p>c</p>"}, "c",
			[]rag.Notice{{Code: epub.WarnChapter, Detail: "a.xhtml: missing"}, {Code: epub.WarnChapter, Detail: "b.xhtml: corrupt"}}},
		"a broken table of contents": {[]string{"book.opf", packageOf("a", "a a.xhtml "+page, "ncx toc.ncx application/x-dtbncx+xml"), "toc.ncx", "<ncx><a></b>", "a.xhtml", "<p>a</p>"}, "a", nil},
		"a guide to the contents": {[]string{"book.opf", strings.Replace(packageOf("t a", "t t.xhtml "+page, "a a.xhtml "+page), "</package>", `<guide><reference type="toc" href="t.xhtml"/></guide></package>`, 1),
			"t.xhtml", "<p>contents</p>", "a.xhtml", "<p>a</p>"}, "a", nil},
		"a page of contents": {[]string{"book.opf", packageOf("t a b", "t t.xhtml "+page, "a a.xhtml "+page, "b b.xhtml "+page, "nav nav.xhtml "+page+" nav"), "nav.xhtml", nav,
			"t.xhtml", "<h1>Contents</h1><p>One\nTwo & half</p>", "a.xhtml", "<p>One</p>", "b.xhtml", "<p>b</p>"}, "# One\n\n## Two & half\n\nb", nil},
		"contents alone":  {[]string{"book.opf", packageOf("nav", "nav nav.xhtml "+page+" nav"), "nav.xhtml", "<p>all there is</p>"}, "all there is", nil},
		"scrambled fonts": {[]string{"book.opf", packageOf("a", "a a.xhtml "+page), "a.xhtml", "<p>a</p>", "META-INF/encryption.xml", encryption("http://www.idpf.org/2008/embedding", "a.xhtml")}, "a", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, c.files...)
			if d.Text != c.want || d.Title != "一本 书" {
				t.Errorf("title %q, got\n%s\nwant\n%s", d.Title, d.Text, c.want)
			}
			if !slices.Equal(d.Warnings, c.warns) {
				t.Errorf("warnings %v, want %v", d.Warnings, c.warns)
			}
		})
	}
}

func encryption(method, file string) string {
	return `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="` +
		method + `"/><enc:CipherData><enc:CipherReference URI="` + file + `"/></enc:CipherData></enc:EncryptedData></encryption>`
}

func TestPictures(t *testing.T) {
	t.Parallel()
	d := parse(t, "book.opf", packageOf("c a", "c cover.svg image/svg+xml", "a a.xhtml "+page), "cover.svg", "<svg/>", "a.xhtml", "<img><img><p>a</p>")
	if d.Health.Images != 3 || d.Text != "a" {
		t.Errorf("%q, %+v", d.Text, d.Health)
	}
}

func TestNoBook(t *testing.T) {
	t.Parallel()
	e := env()
	e.Nested = func(_ context.Context, in rag.Input) (rag.Document, error) {
		return rag.Document{Source: in.Source, Title: filepath.Base(in.Source), Text: "other"}, nil
	}
	d, err := epub.Parse(context.Background(), rag.Input{Source: "x/b.epub", Bytes: []byte("%PDF")}, e)
	if err != nil || d.Text != "other" || d.Source != "x/b.epub" || d.Title != "b.epub" {
		t.Errorf("%+v (%v)", d, err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	few, small := env(), env()
	few.Limits.Pages, small.Limits.Text = 1, 5
	plain := packageOf("a b", "a a.xhtml "+page, "b b.xhtml "+page)
	for name, c := range map[string]struct {
		files []string
		env   guard.Env
		code  string
	}{
		"no package":       {[]string{"a.xhtml", "<p>a</p>"}, env(), "corrupt"},
		"a broken package": {[]string{"book.opf", "<package><a></package>"}, env(), "corrupt"},
		"locked":           {[]string{"book.opf", plain, "a.xhtml", "x", "META-INF/encryption.xml", encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "a.xhtml")}, env(), "password"},
		"entities":         {[]string{"book.opf", `<!DOCTYPE a [<!ENTITY b "c">]>` + strings.TrimPrefix(plain, `<?xml version="1.0"?>`)}, env(), "limit_entities"},
		"nesting":          {[]string{"book.opf", strings.Repeat("<a>", 100_000)}, env(), "limit_depth"},
		"a chapter's bomb": {[]string{"book.opf", plain, "a.xhtml", "bomb"}, env(), "limit_depth"},
		"a zip bomb":       {[]string{"book.opf", plain, "a.xhtml", strings.Repeat("a", 8<<20)}, env(), "limit_ratio"},
		"many chapters":    {[]string{"book.opf", plain, "a.xhtml", "<p>a</p>"}, few, "limit_pages"},
		"long":             {[]string{"book.opf", plain, "a.xhtml", "<p>longer than that</p>"}, small, "limit_text"},
	} {
		d, err := epub.Parse(context.Background(), rag.Input{Source: "b.epub", Bytes: archive(t, c.files...)}, c.env)
		if !fault.Is(err, c.code) {
			t.Errorf("%s: %q, %v; want %s", name, d.Text, err, c.code)
		}
	}
	if _, err := epub.Parse(context.Background(), rag.Input{Bytes: []byte("PK\x03\x04")}, env()); !fault.Is(err, "corrupt") {
		t.Errorf("a broken archive: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := epub.Parse(ctx, rag.Input{Bytes: archive(t, "book.opf", plain)}, env()); err == nil {
		t.Error("a cancelled reading gives a document")
	}
}

// TestSharedFiles reads a book made by another program.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder with sample files")
	}
	b, err := os.ReadFile(filepath.Join(dir, "testEPUB.epub"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := epub.Parse(context.Background(), rag.Input{Source: "b.epub", Bytes: b}, env())
	if err != nil || len(d.Sections) < 2 || !strings.Contains(d.Text, "This is the text for chapter One") {
		t.Errorf("%v, %d sections, text\n%s", err, len(d.Sections), d.Text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(container, packageOf("nav a", "nav nav.xhtml "+page+" nav", "a a.xhtml "+page), nav, ncx)
	f.Add("<container/>", "<package><title>x</title><spine/></package>", "<nav><ol><a>", "<navPoint><text>")
	f.Fuzz(func(t *testing.T, container, opf, nav, ncx string) {
		b := archive(t, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "OEBPS/nav.xhtml", nav, "OEBPS/toc.ncx", ncx, "META-INF/encryption.xml", ncx)
		_, err := epub.Parse(context.Background(), rag.Input{Source: "f.epub", Bytes: b}, env())
		if err != nil && fault.Of(err).Code == "internal" {
			t.Errorf("%v is no fault", err)
		}
	})
}
