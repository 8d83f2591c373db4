package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/pdf"
	"ragdesk/backend/rag"
)

// TestReadsPages checks what the text of small files is. Each case is one kind of
// thing that PDF files do.
func TestReadsPages(t *testing.T) {
	t.Parallel()
	r := pdf.NewReader()
	defer r.Close()
	for _, c := range []struct {
		name string
		make func(f *file)
		want string
	}{
		{"lines become paragraphs and divided words are whole", func(f *file) {
			f.page(lines("F1", 10, 72, 700, 12,
				"The compressor needs fresh oil after two thousand hours of infor-",
				"mation gathering, and the filter is to be changed at the same time, as",
				"the manual says on its first page.")+
				lines("F1", 10, 72, 640, 12, "A second paragraph."), "")
		}, "The compressor needs fresh oil after two thousand hours of information gathering, and the filter is to be changed at the same time, as the manual says on its first page.\n\nA second paragraph."},
		{"Chinese lines join without a blank", func(f *file) {
			f.page(f.any("F3", 12, 72, 700, "空压机每运行两千小时须更换润滑油并")+f.any("F3", 12, 72, 684, "记录油品型号。"), "")
		}, "空压机每运行两千小时须更换润滑油并记录油品型号。"},
		{"radicals, ligatures and vertical marks are the characters they show", func(f *file) {
			f.page(f.any("F3", 12, 72, 700, "⼀⼆⽤⺠︒ﬃcacy豈"), "")
		}, "一二用民。fficacy豈"},
		{"a rare character beyond the basic plane", func(f *file) {
			f.page(f.any("F3", 12, 72, 700, "𠮷野家"), "")
		}, "𠮷野家"},
		{"a page turned by its own entry", func(f *file) {
			f.page("BT /F1 12 Tf 0 1 -1 0 100 100 Tm (Landscape text) Tj ET\nBT /F1 12 Tf 0 1 -1 0 140 100 Tm (its second paragraph) Tj ET\n", "/Rotate 90")
		}, "Landscape text\n\nits second paragraph"},
		{"a page drawn sideways without such an entry", func(f *file) {
			f.page("BT /F1 12 Tf 0 1 -1 0 100 100 Tm (Sideways first) Tj ET\nBT /F1 12 Tf 0 1 -1 0 140 100 Tm (sideways second) Tj ET\n", "")
		}, "Sideways first\n\nsideways second"},
		{"invisible text over a scan is text", func(f *file) {
			f.page("3 Tr "+show("F1", 12, 72, 700, "Recognised layer"), "")
		}, "Recognised layer"},
		{"text beside the page is none of it", func(f *file) {
			f.page(show("F1", 12, 72, 700, "Inside the page there is much text")+show("F1", 12, 900, 700, "slug line"), "")
		}, "Inside the page there is much text"},
		{"a note written on the page is text, a comment is none", func(f *file) {
			note := f.add("<< /Type /Annot /Subtype /FreeText /Rect [72 600 300 620] /Contents (Approved by Li) /DA (/Helv 10 Tf) >>")
			comment := f.add("<< /Type /Annot /Subtype /Text /Rect [72 500 90 520] /Contents (is this right?) >>")
			f.page(show("F1", 12, 72, 700, "Plan"), fmt.Sprintf("/Annots [%d 0 R %d 0 R]", note, comment))
		}, "Plan\n\nApproved by Li"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &file{}
			c.make(f)
			doc, err := r.Parse(t.Context(), rag.Input{Source: "x.pdf", Bytes: f.bytes()}, env(r))
			if err != nil {
				t.Fatal(err)
			}
			check(t, doc)
			if doc.Text != c.want {
				t.Errorf("got\n%s\nwant\n%s", doc.Text, c.want)
			}
			if len(doc.Warnings) > 0 {
				t.Errorf("warnings %v", doc.Warnings)
			}
		})
	}
}

// check holds doc against what every document promises.
func check(t *testing.T, doc rag.Document) {
	t.Helper()
	at := 0
	for _, b := range doc.Blocks {
		if b.Span.Start < at || b.Span.End > len(doc.Text) || b.Span.Start >= b.Span.End {
			t.Fatalf("block %v after %d in %d bytes", b.Span, at, len(doc.Text))
		}
		if gap := doc.Text[at:b.Span.Start]; strings.TrimSpace(gap) != "" {
			t.Fatalf("text %q between blocks", gap)
		}
		at = b.Span.End
	}
	if len(doc.Pages) > doc.Health.Pages {
		t.Fatalf("%d page spans of %d pages", len(doc.Pages), doc.Health.Pages)
	}
}

func parse(t *testing.T, f *file) rag.Document {
	t.Helper()
	r := pdf.NewReader()
	t.Cleanup(func() { r.Close() })
	doc, err := r.Parse(t.Context(), rag.Input{Source: "dir/x.pdf", Bytes: f.bytes()}, env(r))
	if err != nil {
		t.Fatal(err)
	}
	check(t, doc)
	return doc
}

func hasWarning(doc rag.Document, code, detail string) bool {
	for _, w := range doc.Warnings {
		if w.Code == code && w.Detail == detail {
			return true
		}
	}
	return false
}

func TestRightToLeftTextIsLogical(t *testing.T) {
	t.Parallel()
	f := &file{}
	// In the file the glyphs run from left to right as they are seen; those of
	// U+FE70 to U+FEFF are shapes of letters.
	f.page(f.any("F3", 12, 300, 700, "ﻢﻟﺎﻌﻟﺎﺑ ﺎﺒﺣﺮﻣ"), "")
	if doc := parse(t, f); doc.Text != "مرحبا بالعالم" {
		t.Errorf("%q (%+q)", doc.Text, doc.Text)
	}
}

func TestHeadersAndFootersAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	f := &file{}
	for i := range 6 {
		f.page(show("F1", 9, 72, 810, "ACME Handbook 2024")+
			lines("F1", 11, 72, 740, 14, fmt.Sprintf("Chapter text number %d stands here and is", i*i+10), "as long as it has to be for a page of text."+strings.Repeat(" More", i))+
			show("F1", 9, 290, 30, fmt.Sprintf("Page %d of 6", i+1)), "")
	}
	doc := parse(t, f)
	if strings.Contains(doc.Text, "ACME") || strings.Contains(doc.Text, "of 6") || doc.Health.Repeated != 12 {
		t.Errorf("%d dropped of\n%s", doc.Health.Repeated, doc.Text)
	}
	if doc.Health.Pages != 6 || doc.Health.PagesWithText != 6 || len(doc.Pages) != 6 {
		t.Errorf("health %+v, %d pages", doc.Health, len(doc.Pages))
	}
	for i, p := range doc.Pages {
		if s, err := p.Of(doc.Text); err != nil || !strings.Contains(s, fmt.Sprintf("number %d ", i*i+10)) {
			t.Errorf("page %d is %q (%v)", i+1, s, err)
		}
	}
}

func TestALineOnTwoPagesIsNoHeader(t *testing.T) {
	t.Parallel()
	f := &file{}
	for range 2 {
		f.page(show("F1", 9, 72, 810, "Contract 17/2024")+show("F1", 11, 72, 700, "Body"), "")
	}
	if doc := parse(t, f); strings.Count(doc.Text, "Contract 17/2024") != 2 || doc.Health.Repeated != 0 {
		t.Errorf("%d dropped of\n%s", doc.Health.Repeated, doc.Text)
	}
}

func TestHeadingsComeFromSizeWeightAndOutline(t *testing.T) {
	t.Parallel()
	f := &file{}
	body := func(y float64) string {
		return lines("F1", 10, 72, y, 12,
			"Body text that is long enough to be the size of most of the page and that",
			"goes on over a second line until it ends.")
	}
	p := f.page(show("F2", 20, 72, 780, "Operations Manual")+body(750)+
		show("F2", 14, 72, 700, "1. Safety")+body(680)+
		show("F2", 10, 72, 640, "Gloves")+body(625)+
		show("F1", 10, 72, 590, "Plain outline entry")+body(575), "")
	item := f.add("")
	root := f.add(fmt.Sprintf("<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count 1 >>", item, item))
	f.objects[item] = fmt.Sprintf("<< /Title (Plain Outline Entry) /Parent %d 0 R /Dest [%d 0 R /Fit] /Next %d 0 R >>", root, p, item)
	f.catalog = fmt.Sprintf("/Outlines %d 0 R", root)
	f.info = "/Title (Microsoft Word - manual.doc)"
	doc := parse(t, f)
	var got []string
	for _, s := range doc.Sections {
		got = append(got, fmt.Sprintf("%d %s", s.Level, s.Title))
	}
	if want := "1 Operations Manual|2 1. Safety|3 Gloves|1 Plain outline entry"; strings.Join(got, "|") != want {
		t.Errorf("sections %q", got)
	}
	if doc.Title != "Operations Manual" {
		t.Errorf("title %q", doc.Title)
	}
}

func TestGarbledPagesAreNamed(t *testing.T) {
	t.Parallel()
	f := &file{}
	f.page(show("F1", 12, 72, 700, "Readable"), "")
	f.page(f.any("F4", 12, 72, 700, "绝密内容不可读取"), "")
	doc := parse(t, f)
	if !hasWarning(doc, pdf.WarnGarbled, "2") || doc.Health.Garbled < 0.4 {
		t.Errorf("warnings %v, health %+v, text %q", doc.Warnings, doc.Health, doc.Text)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	f := &file{encrypted: true, ownKey: "owner"}
	f.page(show("F1", 12, 72, 700, "Owner only"), "")
	if doc := parse(t, f); doc.Text != "Owner only" {
		t.Errorf("%q", doc.Text)
	}
	r := pdf.NewReader()
	defer r.Close()
	f = &file{encrypted: true, userKey: "secret", ownKey: "owner"}
	f.page(show("F1", 12, 72, 700, "Nobody reads this"), "")
	if _, err := r.Parse(t.Context(), rag.Input{Source: "x.pdf", Bytes: f.bytes()}, env(r)); !fault.Is(err, "password") {
		t.Errorf("error %v, want password", err)
	}
}

func TestFormValuesStandWhereTheirFieldsDo(t *testing.T) {
	t.Parallel()
	f := &file{}
	fields := []int{
		f.add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Wang Wei) /Rect [150 695 300 715] >>"),
		f.add("<< /Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (dept) /Opt [[(a) (Sales)] [(b) (Service)]] /V (b) /Rect [150 665 300 685] >>"),
		f.add("<< /Type /Annot /Subtype /Widget /FT /Btn /T (ok) /V /On /AS /On /Rect [150 635 165 650] /AP << /N << /On 3 0 R /Off 3 0 R >> >> >>"),
	}
	refs := ""
	for _, n := range fields {
		refs += fmt.Sprintf("%d 0 R ", n)
	}
	f.page(show("F1", 12, 72, 700, "Name:")+show("F1", 12, 72, 670, "Department:")+show("F1", 12, 72, 640, "Agreed:"), "/Annots ["+refs+"]")
	f.catalog = "/AcroForm << /Fields [" + refs + "] /DA (/F1 10 Tf) /DR << /Font << /F1 3 0 R >> >> >>"
	doc := parse(t, f)
	rest := doc.Text
	for _, want := range []string{"Name:", "Wang Wei", "Department:", "Service", "Agreed:", "☑"} {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("%q is not in order in\n%s", want, doc.Text)
		}
		rest = after
	}
}

func TestAttachmentsAreReadOrNamed(t *testing.T) {
	t.Parallel()
	f := &file{}
	f.page(show("F1", 12, 72, 700, "Cover sheet"), "")
	a, b := f.attach("notes.txt", "attached words"), f.attach("setup.exe", "MZ")
	f.page("", fmt.Sprintf("/Annots [%d 0 R]", f.pinned("pinned.txt", "pinned words")))
	f.catalog = fmt.Sprintf("/Names << /EmbeddedFiles << /Names [(a) %d 0 R (b) %d 0 R] >> >>", a, b)
	doc := parse(t, f)
	if doc.Text != "Cover sheet\n\n# notes.txt\n\nattached words\n\n# pinned.txt\n\npinned words" {
		t.Errorf("text %q", doc.Text)
	}
	if !hasWarning(doc, doctext.WarnAttachment, "setup.exe (format_unsupported)") {
		t.Errorf("warnings %v", doc.Warnings)
	}
}

func TestAttachmentsBeyondTheLimitAreCounted(t *testing.T) {
	t.Parallel()
	f := &file{}
	f.page(show("F1", 12, 72, 700, "Cover sheet"), "")
	names := ""
	for i := range 203 {
		names += fmt.Sprintf("(%03d) %d 0 R ", i, f.attach("a.txt", "words"))
	}
	f.page("", fmt.Sprintf("/Annots [%d 0 R]", f.pinned("pinned.txt", "pinned words")))
	f.catalog = "/Names << /EmbeddedFiles << /Names [" + names + "] >> >>"
	doc := parse(t, f)
	if n := strings.Count(doc.Text, "# a.txt"); n != 200 || !hasWarning(doc, doctext.WarnAttachment, "… +4") {
		t.Errorf("%d files read, warnings %v", n, doc.Warnings)
	}
}

func TestScansAndBlankPagesAreToldApart(t *testing.T) {
	t.Parallel()
	f := &file{}
	image := f.add(stream("/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x00\xff\xff\x00"))
	f.page("q 595 0 0 842 0 0 cm /Im Do Q", "")
	last := f.pages[0]
	f.objects[last] = strings.Replace(f.objects[last], "/Resources <<", fmt.Sprintf("/Resources << /XObject << /Im %d 0 R >>", image), 1)
	f.page("", "")
	doc := parse(t, f)
	if doc.Text != "" || doc.Health.Images != 1 || doc.Health.Pages != 2 || doc.Health.PagesWithText != 0 || !hasWarning(doc, pdf.WarnNoText, "1") {
		t.Errorf("text %q, health %+v, warnings %v", doc.Text, doc.Health, doc.Warnings)
	}
}

func TestXFAFormsGiveTheirData(t *testing.T) {
	t.Parallel()
	f := &file{}
	const values = `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form><insured>Zhang San</insured></form></xfa:data></xfa:datasets>`
	template := f.add(stream("", `<template xmlns="http://www.xfa.org/schema/xfa-template/2.8/"><subform><draw><value><text>Claim form</text></value></draw><event><script>secret()</script></event></subform></template>`))
	data := f.add(stream("", values))
	f.page(show("F1", 12, 72, 700, "Please wait..."), "")
	f.catalog = fmt.Sprintf("/NeedsRendering true /AcroForm << /Fields [] /XFA [(template) %d 0 R (datasets) %d 0 R] >>", template, data)
	doc := parse(t, f)
	if !strings.Contains(doc.Text, "Claim form") || !strings.Contains(doc.Text, "insured: Zhang San") || strings.Contains(doc.Text, "secret") {
		t.Errorf("text %q", doc.Text)
	}
	if len(doc.Warnings) != 1 || !hasWarning(doc, pdf.WarnXFA, "") {
		t.Errorf("warnings %v", doc.Warnings)
	}
	f.objects[data] = stream("", values[:len(values)-30])
	if doc := parse(t, f); !strings.Contains(doc.Text, "insured: Zhang San") || !hasWarning(doc, pdf.WarnDamaged, "") {
		t.Errorf("cut short: text %q, warnings %v", doc.Text, doc.Warnings)
	}
}

func TestDamagedAndHostileFilesEnd(t *testing.T) {
	t.Parallel()
	r := pdf.NewReader()
	defer r.Close()
	whole := func() *file {
		f := &file{}
		f.page(show("F1", 12, 72, 700, "Still here"), "")
		return f
	}
	noTail := whole()
	noTail.brokenTail = true
	ring := whole()
	ring.bytes()
	ring.pages = append(ring.pages, objPages)
	huge := &file{}
	huge.page(show("F1", 12, 72, 700, "Huge page"), "/MediaBox [0 0 1000000 1000000]")
	forms := &file{}
	x := forms.add("")
	forms.objects[x] = stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /XObject << /X %d 0 R >> >>", x), "/X Do")
	forms.page("/X Do "+show("F1", 12, 72, 700, "Ring of drawings"), "")
	forms.objects[forms.pages[0]] = strings.Replace(forms.objects[forms.pages[0]], "/Resources <<", fmt.Sprintf("/Resources << /XObject << /X %d 0 R >>", x), 1)
	good := whole().bytes()
	for _, c := range []struct {
		name       string
		data       []byte
		want, code string
	}{
		{"without its table of objects", noTail.bytes(), "Still here", ""},
		{"a page tree in a ring", ring.bytes(), "Still here", ""},
		{"a huge page", huge.bytes(), "Huge page", ""},
		{"a ring of drawings", forms.bytes(), "Ring of drawings", ""},
		{"junk before its start", append([]byte("\n\nHTTP/1.1 200 OK\n\n"), good...), "Still here", ""},
		{"cut short", good[:120], "", "corrupt"},
		{"no PDF", []byte("<html>not found</html>"), "", "corrupt"},
		{"empty", nil, "", "corrupt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			doc, err := r.Parse(ctx, rag.Input{Source: "x.pdf", Bytes: c.data}, env(r))
			switch {
			case c.code != "" && !fault.Is(err, c.code):
				t.Errorf("error %v, want %s", err, c.code)
			case c.code == "" && (err != nil || !strings.Contains(doc.Text, c.want)):
				t.Errorf("text %q (%v), want %q", doc.Text, err, c.want)
			}
		})
	}
}

func TestLimitsAndCancelledContexts(t *testing.T) {
	t.Parallel()
	r := pdf.NewReader()
	defer r.Close()
	f := &file{}
	for range 3 {
		f.page(show("F1", 12, 72, 700, "Some words on a page"), "")
	}
	data := f.bytes()
	e := env(r)
	e.Limits.Pages = 2
	if _, err := r.Parse(t.Context(), rag.Input{Source: "x.pdf", Bytes: data}, e); !fault.Is(err, "limit_pages") {
		t.Errorf("error %v, want limit_pages", err)
	}
	e = env(r)
	e.Limits.Text = 30
	if _, err := r.Parse(t.Context(), rag.Input{Source: "x.pdf", Bytes: data}, e); !fault.Is(err, "limit_text") {
		t.Errorf("error %v, want limit_text", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Parse(done, rag.Input{Source: "x.pdf", Bytes: data}, env(r)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
	if doc, err := r.Parse(t.Context(), rag.Input{Source: "x.pdf", Bytes: data}, env(r)); err != nil || doc.Health.Pages != 3 {
		t.Errorf("after a cancelled call: %v, %+v", err, doc.Health)
	}
}

// TestAStuckFileIsKilled has PDFium draw for a very long time, and reads the next
// file after it was stopped.
func TestAStuckFileIsKilled(t *testing.T) {
	t.Parallel()
	r := pdf.NewReader()
	defer r.Close()
	e := env(r)
	slow := &file{}
	// Drawings that each draw the next one ten times: 10^9 of them in all.
	next := slow.add(stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", show("F1", 1, 1, 1, "x")))
	for range 9 {
		next = slow.add(stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>", next), strings.Repeat("/X Do ", 10)))
	}
	slow.page("/X Do", "")
	p := slow.pages[0]
	slow.objects[p] = strings.Replace(slow.objects[p], "/Resources <<", fmt.Sprintf("/Resources << /XObject << /X %d 0 R >>", next), 1)
	if err := r.Warm(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := r.Parse(ctx, rag.Input{Source: "slow.pdf", Bytes: slow.bytes()}, e)
	if !errors.Is(err, context.DeadlineExceeded) && !fault.Is(err, "corrupt") {
		t.Errorf("error %v, want an end", err)
	}
	fine := &file{}
	fine.page(show("F1", 12, 72, 700, "The next file"), "")
	if doc, err := r.Parse(t.Context(), rag.Input{Source: "x.pdf", Bytes: fine.bytes()}, e); err != nil || doc.Text != "The next file" {
		t.Errorf("%q, %v", doc.Text, err)
	}
}

// TestACrashCostsAPage has PDFium run out of memory over one page of three.
func TestACrashCostsAPage(t *testing.T) {
	t.Parallel()
	f := &file{}
	pinned := f.pinned("pinned.txt", "pinned words")
	f.page(show("F1", 12, 72, 700, "Before it"), fmt.Sprintf("/Annots [%d 0 R]", pinned))
	next := f.add(stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", strings.Repeat(show("F1", 1, 1, 1, strings.Repeat("x", 2000)), 50)))
	for range 5 {
		next = f.add(stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>", next), strings.Repeat("/X Do ", 30)))
	}
	f.page("/X Do", "")
	p := f.pages[1]
	f.objects[p] = strings.Replace(f.objects[p], "/Resources <<", fmt.Sprintf("/Resources << /XObject << /X %d 0 R >>", next), 1)
	f.page(show("F1", 12, 72, 700, "After it"), "")
	r := pdf.SmallReader()
	defer r.Close()
	doc, err := r.Parse(t.Context(), rag.Input{Source: "x.pdf", Bytes: f.bytes()}, env(r))
	if err != nil || doc.Text != "Before it\n\nAfter it\n\n# pinned.txt\n\npinned words" || !hasWarning(doc, pdf.WarnPages, "2") {
		t.Errorf("%q, %v, %v", doc.Text, doc.Warnings, err)
	}
}

func TestAClosedReaderSaysSo(t *testing.T) {
	t.Parallel()
	r := pdf.NewReader()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Parse(t.Context(), rag.Input{}, guard.Env{Limits: guard.Defaults()}); !errors.Is(err, pdf.ErrClosed) {
		t.Errorf("error %v, want ErrClosed", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}
