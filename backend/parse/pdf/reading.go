package pdf

import (
	"context"
	"errors"
	"fmt"

	"github.com/klippa-app/go-pdfium"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/layout"
)

// maxCrashes is how often PDFium may crash over one file. Each crash costs the
// page that it happened on.
const maxCrashes = 5

// reading is the work on one file. It outlives the instance of PDFium that it
// runs in: when that crashes, another goes on behind the page at fault.
type reading struct {
	b   *doctext.Builder
	env guard.Env
	// pages are those of the file once it has been opened; the next of them is the
	// one at work.
	pages []page
	next  int
	// broken are the numbers of pages that cannot be read, first is the reason of
	// the first.
	broken []int
	first  error
	// runes counts the characters so far.
	runes   int64
	crashes int
	// written says that the pages are in the document; what is left is around them.
	written bool
	// files are those inside the file; leftOut counts those beyond maxAttachments.
	files   []attachment
	leftOut int
}

// survives reports whether the work can go on after a crash, and leaves out what
// caused it.
func (w *reading) survives() bool {
	w.crashes++
	switch {
	case w.pages == nil || w.crashes > maxCrashes:
		return false
	case w.written:
		return true
	case w.next < len(w.pages):
		w.breaks(errors.New("the PDF library crashed"))
		return true
	case w.env.OCR: // a page crashed when it was drawn
		w.env.OCR = false
		return true
	}
	return false
}

// breaks notes that the page at work cannot be read, and goes on behind it.
func (w *reading) breaks(err error) {
	w.next++
	w.broken = append(w.broken, w.next)
	if w.first == nil {
		w.first = err
	}
}

// run does what is left to do.
func (w *reading) run(ctx context.Context, instance pdfium.Pdfium, data []byte) error {
	if w.written { // a crash in what follows the pages: that is given up
		w.b.Warn(doctext.WarnAttachment, "")
		return nil
	}
	s, err := open(instance, data, w.env.Limits)
	if err != nil {
		return err
	}
	defer s.close()
	s.files, s.leftOut = w.files, w.leftOut // of pages read before a crash
	if w.pages == nil {
		w.pages = make([]page, s.pages)
		if s.damaged {
			w.b.Warn(WarnDamaged, "")
		}
	}
	if err := w.readPages(ctx, s); err != nil {
		return err
	}
	if len(w.broken) == len(w.pages) {
		return guard.Corrupt("pdf", w.first)
	}
	if w.env.OCR {
		if err := s.recognise(ctx, w.b, w.pages); err != nil {
			return err
		}
	}
	w.write(s)
	s.writeXFA(w.b, w.env.Limits)
	w.files, w.leftOut = s.attachments(w.env.Limits)
	return nil
}

// readPages reads the pages from next on. A page that cannot be read is noted.
func (w *reading) readPages(ctx context.Context, s *session) error {
	for w.next < len(w.pages) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.next > 0 && w.next%pagesPerOpening == 0 {
			if err := s.reopen(); err != nil {
				return err
			}
		}
		p, err := s.readPage(w.next)
		var f *fault.Error
		switch {
		case errors.As(err, &f), err != nil && gone(err):
			return fmt.Errorf("read page %d: %w", w.next+1, err)
		case err != nil:
			w.breaks(err)
			continue
		}
		if w.runes += int64(p.runes); w.runes > w.env.Limits.Text {
			return fault.New("limit_text", fault.P("limit", w.env.Limits.Text))
		}
		w.pages[w.next] = p
		w.files, w.leftOut = s.files, s.leftOut
		w.next++
	}
	return nil
}

// write hands the pages to the document.
func (w *reading) write(s *session) {
	warnPages(w.b, WarnPages, w.broken)
	judge(w.b, w.pages)
	w.b.Title = s.title()
	outline := s.outline()
	texts := make([]layout.Page, len(w.pages))
	for i, p := range w.pages {
		texts[i] = p.text
	}
	w.b.Health.Repeated = layout.DropRepeated(texts)
	layout.Write(w.b, texts, outline)
	w.written = true
}
