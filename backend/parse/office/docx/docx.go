// Package docx reads WordprocessingML documents: .docx, .docm, .dotx and .dotm in
// the transitional and the strict form.
//
// The text is what a reader of the final document sees: insertions are in it and
// deletions are not, moved text stands where it went, fields show their results,
// lists and headings their numbers. Footnotes follow the paragraph that refers to
// them, endnotes the document. Headers and footers are counted, not read.
//
//	doc, err := docx.Read(ctx, pkg, "word/document.xml", in, env)
package docx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/rag"
)

const mediaType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// Read reads the document whose main part is named. Faults: corrupt and the limits
// of package guard.
func Read(ctx context.Context, pkg *opc.Package, main string, in rag.Input, env guard.Env) (rag.Document, error) {
	b := &doctext.Builder{MediaType: mediaType, ParsedBy: "docx/1"}
	d := &document{pkg: pkg, env: env, out: b, numbers: newNumbering(), notes: make(map[string]note)}
	if err := d.open(main); err != nil {
		return rag.Document{}, fmt.Errorf("read document parts: %w", err)
	}
	if err := d.readNotes(ctx); err != nil {
		return rag.Document{}, fmt.Errorf("read notes: %w", err)
	}
	r, err := pkg.XML(main)
	if err != nil {
		return rag.Document{}, err
	}
	w := &flow.Writer{Out: b, Limits: env.Limits}
	if err := d.body(ctx, r, w); err != nil {
		return rag.Document{}, fmt.Errorf("read document: %w", err)
	}
	if err := d.repeated(ctx); err != nil {
		return rag.Document{}, fmt.Errorf("read headers: %w", err)
	}
	if d.hidden > 0 {
		b.Warn(doctext.WarnHiddenText, strconv.Itoa(d.hidden))
	}
	return b.Document(in, env.Limits)
}

// document is the state of reading one document.
type document struct {
	pkg *opc.Package
	env guard.Env
	out *doctext.Builder
	// main are the relations of the main part, rels those of the part being read.
	main, rels opc.Relations
	styles     styles
	numbers    *numbering
	notes      map[string]note
	// footnotes and endnotes count the references so far.
	footnotes, endnotes int
	// waiting are footnotes for after the block being read, last those for after
	// the document.
	waiting, last []flow.Block
	// fields are the complex fields that are open.
	fields []field
	// carry is a paragraph whose end was deleted: it goes on in the next one.
	carry string
	// hidden counts characters of hidden text.
	hidden int
	// silent says that what is read is not the document's own text, so that
	// pictures do not count.
	silent bool
	// inNote says that a note is being read, whose own references are not followed.
	inNote bool
}

func (d *document) warnPart(part string) { d.out.Warn(doctext.WarnPart, part) }

// part returns the first part of a kind that the main part leads to, or else the
// usual name when there is such a part.
func (d *document) part(kind, usual string) string {
	if p := d.main.First(kind); p != "" {
		return p
	}
	return usual
}

// open reads the parts beside the main one.
func (d *document) open(main string) (err error) {
	if d.main, err = d.pkg.Relations(main); err != nil {
		return err
	}
	d.rels = d.main
	err = d.pkg.Optional(d.part("styles", "word/styles.xml"), d.warnPart, func(r *opc.Reader) (err error) {
		d.styles, err = readStyles(r)
		return err
	})
	if err != nil {
		return err
	}
	return d.pkg.Optional(d.part("numbering", "word/numbering.xml"), d.warnPart, d.numbers.read)
}

// body writes the blocks of the main part.
func (d *document) body(ctx context.Context, r *opc.Reader, w *flow.Writer) error {
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "body" {
			return nil
		}
		return d.blocks(ctx, r, func(b flow.Block) error {
			if err := w.Add(b); err != nil {
				return err
			}
			notes := d.waiting
			d.waiting = nil
			for _, n := range notes {
				if err := w.Add(n); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	for _, n := range append(d.waiting, d.last...) {
		if err := w.Add(n); err != nil {
			return err
		}
	}
	return w.Flush()
}

// repeated counts the lines of headers and footers.
func (d *document) repeated(ctx context.Context) error {
	inner := document{pkg: d.pkg, env: d.env, out: &doctext.Builder{}, styles: d.styles, numbers: d.numbers.fresh(), silent: true}
	for _, kind := range []string{"header", "footer"} {
		for _, part := range d.main.All(kind) {
			rels, err := d.pkg.Relations(part)
			if err != nil {
				return err
			}
			inner.main, inner.rels = d.main, rels
			err = d.pkg.Optional(part, d.warnPart, func(r *opc.Reader) error {
				return inner.blocks(ctx, r, func(b flow.Block) error {
					d.out.Health.Repeated += lines(b)
					return nil
				})
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lines counts the lines of a block that are not blank.
func lines(b flow.Block) int {
	n := 0
	for _, line := range strings.Split(flow.Flat([]flow.Block{b}), "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}
