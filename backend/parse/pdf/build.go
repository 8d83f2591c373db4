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
	"ragdesk/backend/rag"
)

// garbledPage is the share of characters without meaning from which a page is
// named in a warning.
const garbledPage = 0.1

// Parse reads a PDF file. Faults: corrupt {format, reason}, password {format},
// limit_pages {limit, pages}, limit_text {limit}.
func (r *Reader) Parse(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	b := &doctext.Builder{MediaType: "application/pdf", ParsedBy: "pdf/1"}
	job := reading{b: b, env: env}
	for {
		err := r.use(ctx, env.Cache, func(instance pdfium.Pdfium) error { return job.run(ctx, instance, in.Bytes) })
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return rag.Document{}, ctx.Err()
		}
		if errors.Is(err, ErrClosed) || !gone(err) || !job.survives() {
			return rag.Document{}, asFault(err)
		}
	}
	// PDFium is free again: an attachment may be a PDF.
	if err := appendNested(ctx, b, job.files, job.leftOut, in, env); err != nil {
		return rag.Document{}, err
	}
	return b.Document(in, env.Limits)
}

// asFault makes the end of PDFium itself the file's fault.
func asFault(err error) error {
	var f *fault.Error
	if gone(err) && !errors.Is(err, ErrClosed) && !errors.As(err, &f) {
		return guard.Corrupt("pdf", errors.New("the PDF library crashed"))
	}
	return err
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
	case strings.HasPrefix(lower, "microsoft ") && strings.Contains(lower, " - "), strings.HasPrefix(lower, "untitled"), lower == "title", lower == "(anonymous)", lower == "anonymous",
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
