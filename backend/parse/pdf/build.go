package pdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/layout"
	"ragdesk/backend/rag"
)

// garbledPage is the share of characters without meaning from which a page is
// named in a warning.
const garbledPage = 0.1

// Parse reads a PDF file. Faults: corrupt {format, reason}, password {format},
// limit_pages, limit_text, limit_memory {limit}.
func (r *Reader) Parse(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	var doc rag.Document
	var nested []attachment
	b := &doctext.Builder{MediaType: "application/pdf", ParsedBy: "pdf/1"}
	err := r.use(ctx, env.Cache, func(instance pdfium.Pdfium) error {
		s, err := open(instance, in.Bytes, env.Limits)
		if err != nil {
			return err
		}
		defer s.close()
		if s.damaged {
			b.Warn(WarnDamaged, "")
		}
		pages, err := s.readPages(ctx, b, env.Limits)
		if err != nil {
			return err
		}
		if env.OCR {
			if err := s.recognise(ctx, b, pages); err != nil {
				return err
			}
		}
		judge(b, pages)
		b.Title = s.title()
		texts := make([]layout.Page, len(pages))
		for i, p := range pages {
			texts[i] = p.text
		}
		b.Health.Repeated = layout.DropRepeated(texts)
		layout.Write(b, texts, s.outline())
		s.writeXFA(b, env.Limits)
		nested = s.attachments()
		return nil
	})
	if err != nil {
		return doc, err
	}
	// PDFium is free again: an attachment may be a PDF.
	if err := appendNested(ctx, b, nested, in, env); err != nil {
		return doc, err
	}
	return b.Document(in, env.Limits)
}

// readPages reads all pages. A page that cannot be read is warned of; when none
// can, the file is corrupt.
func (s *session) readPages(ctx context.Context, b *doctext.Builder, l guard.Limits) ([]page, error) {
	pages := make([]page, s.pages)
	var broken []int
	var first error
	size := int64(0)
	for i := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i > 0 && i%pagesPerOpening == 0 {
			if err := s.reopen(); err != nil {
				return nil, err
			}
		}
		p, err := s.readPage(i)
		var f *fault.Error
		switch {
		case errors.As(err, &f), errors.Is(err, errGone):
			return nil, err
		case err != nil:
			broken = append(broken, i+1)
			if first == nil {
				first = err
			}
			continue
		}
		if size += int64(p.runes); size > l.Text {
			return nil, fault.New("limit_text", fault.P("limit", l.Text))
		}
		pages[i] = p
	}
	if len(broken) == len(pages) {
		return nil, guard.Corrupt("pdf", first)
	}
	warnPages(b, WarnPages, broken)
	return pages, nil
}

// judge counts the pictures that are not in the text and warns of pages whose
// text is missing or means nothing.
func judge(b *doctext.Builder, pages []page) {
	var empty, garbled []int
	for i, p := range pages {
		b.Health.Images += p.images
		if p.images > 0 && p.runes == 0 && p.text.Empty() {
			empty = append(empty, i+1)
		}
		if p.bad > 0 && float64(p.bad) >= garbledPage*float64(p.runes) {
			garbled = append(garbled, i+1)
		}
	}
	warnPages(b, WarnNoText, empty)
	warnPages(b, WarnGarbled, garbled)
}

func warnPages(b *doctext.Builder, code string, pages []int) {
	if len(pages) > 0 {
		b.Warn(code, ranges(pages))
	}
}

// ranges writes ascending numbers briefly, such as "2, 5-7".
func ranges(n []int) string {
	var parts []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		if j == i {
			parts = append(parts, strconv.Itoa(n[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", n[i], n[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// title returns the title that the file states, "" when it is none that a reader
// would know it by.
func (s *session) title() string {
	t, err := s.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: s.doc, Tag: "Title"})
	if err != nil {
		return ""
	}
	return sensibleTitle(t.Value)
}

func sensibleTitle(s string) string {
	s = strings.Join(strings.Fields(strings.Map(printable, s)), " ")
	n := utf8.RuneCountInString(s)
	lower := strings.ToLower(s)
	switch {
	case n < 2 || n > 200 || !utf8.ValidString(s):
		return ""
	case strings.HasPrefix(lower, "microsoft ") && strings.Contains(lower, " - "), strings.HasPrefix(lower, "untitled"), lower == "title",
		strings.HasPrefix(lower, "document") && n < 14, strings.HasPrefix(s, "无标题"), strings.HasPrefix(s, "幻灯片"), lower == "powerpoint presentation",
		strings.HasPrefix(lower, "print"):
		return ""
	}
	// The name of the file it was made from is no title.
	if ext := path.Ext(lower); len(ext) >= 3 && len(ext) <= 6 && !strings.Contains(ext, " ") {
		return ""
	}
	letters := 0
	for _, r := range s {
		if meaningless(r) {
			return ""
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters*2 < n {
		return ""
	}
	return s
}
