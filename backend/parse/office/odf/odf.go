// Package odf reads OpenDocument files: texts (.odt, .ott), spreadsheets (.ods,
// .ots), slides (.odp, .otp) and drawings (.odg), as zip packages or flat (.fodt
// and its kin).
//
// What was deleted under tracking is not in the text, nor are annotations. Rows and
// columns that a file repeats a million times cost as much as they hold.
//
//	doc, err := odf.Read(ctx, pkg, in, env)
package odf

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/rag"
)

// Codes of the warnings Read gives.
const (
	// WarnRows: a row that holds something is repeated very often, and stands in the
	// text a thousand times; the detail is "sheet: count".
	WarnRows = "repeated_rows_cut"
)

const mediaPrefix = "application/vnd.oasis.opendocument."

// Read reads an OpenDocument package. Faults: password, corrupt and the limits of
// package guard.
func Read(ctx context.Context, pkg *opc.Package, in rag.Input, env guard.Env) (rag.Document, error) {
	d := newDocument(pkg, in, env)
	if err := d.encrypted(); err != nil {
		return rag.Document{}, err
	}
	err := pkg.Optional("styles.xml", d.warnPart, func(r *opc.Reader) error { return d.root(ctx, r) })
	if err != nil {
		return rag.Document{}, fmt.Errorf("read styles: %w", err)
	}
	r, err := pkg.XML("content.xml")
	if err != nil {
		return rag.Document{}, err
	}
	return d.finish(ctx, r)
}

// ReadFlat reads an OpenDocument file that is one XML document. Faults: corrupt
// and the limits of package guard.
func ReadFlat(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	r, err := opc.NewReader(in.Bytes, env.Limits)
	if err != nil {
		return rag.Document{}, err
	}
	return newDocument(nil, in, env).finish(ctx, r)
}

// document is the state of reading one file.
type document struct {
	// pkg is nil for flat files.
	pkg    *opc.Package
	in     rag.Input
	env    guard.Env
	out    *doctext.Builder
	w      flow.Writer
	styles styles
	// lists are the numbers of lists by their style and by their id, to be gone on
	// with; outlineAt those of headings.
	lists     map[string]*counters
	outlineAt counters
	// footnotes and endnotes count the notes so far; waiting are footnotes for after
	// the block being read, last those for after the document.
	footnotes, endnotes int
	waiting, last       []flow.Block
	// hidden counts characters of hidden text.
	hidden int
	// silent says that what is read is not the document's own text.
	silent bool
	// cells counts the cells of all sheets so far, pages the pages.
	cells, pages int
	// slideTitled says that the first page is a title for all others.
	slideTitled bool
}

func newDocument(pkg *opc.Package, in rag.Input, env guard.Env) *document {
	b := &doctext.Builder{ParsedBy: "odf/1", MediaType: mediaPrefix + "text"}
	return &document{pkg: pkg, in: in, env: env, out: b, w: flow.Writer{Out: b, Limits: env.Limits},
		styles: newStyles(), lists: make(map[string]*counters)}
}

func (d *document) warnPart(part string) { d.out.Warn(doctext.WarnPart, part) }

// encrypted returns the fault for a file whose manifest says that parts of it are
// encrypted.
func (d *document) encrypted() error {
	found := false
	err := d.pkg.Optional("META-INF/manifest.xml", d.warnPart, func(r *opc.Reader) error {
		var walk func(opc.Element) error
		walk = func(e opc.Element) error {
			found = found || e.Name.Local == "encryption-data"
			return r.Children(walk)
		}
		return r.Children(walk)
	})
	if err == nil && (found || d.pkg.Has("encrypted-package")) {
		return guard.Password(strings.TrimPrefix(strings.ToLower(path.Ext(d.in.Source)), "."))
	}
	return err
}

// finish reads the content and ends the document.
func (d *document) finish(ctx context.Context, r *opc.Reader) (rag.Document, error) {
	if err := d.root(ctx, r); err != nil {
		return rag.Document{}, err
	}
	for _, b := range append(d.waiting, d.last...) {
		if err := d.w.Add(b); err != nil {
			return rag.Document{}, err
		}
	}
	if err := d.w.Flush(); err != nil {
		return rag.Document{}, err
	}
	if d.hidden > 0 {
		d.out.Warn(doctext.WarnHiddenText, strconv.Itoa(d.hidden))
	}
	return d.out.Document(d.in, d.env.Limits)
}

// root reads the parts of an OpenDocument root element.
func (d *document) root(ctx context.Context, r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "styles", "automatic-styles":
			return d.styles.read(r)
		case "master-styles":
			return d.masters(ctx, r)
		case "body":
			return r.Children(func(e opc.Element) error { return d.body(ctx, r, e) })
		}
		return nil
	})
}

// body reads the content by its kind.
func (d *document) body(ctx context.Context, r *opc.Reader, e opc.Element) error {
	switch e.Name.Local {
	case "text":
		return d.blocks(ctx, r, d.emit)
	case "spreadsheet":
		d.out.MediaType, d.out.Title = mediaPrefix+"spreadsheet", path.Base(d.in.Source)
		return d.sheets(ctx, r)
	case "presentation", "drawing":
		d.out.MediaType = mediaPrefix + e.Name.Local
		if e.Name.Local == "drawing" {
			d.out.MediaType = mediaPrefix + "graphics"
		}
		return d.slides(ctx, r)
	}
	return nil
}

// emit writes a block and the footnotes it refers to.
func (d *document) emit(b flow.Block) error {
	if err := d.w.Add(b); err != nil {
		return err
	}
	notes := d.waiting
	d.waiting = nil
	for _, n := range notes {
		if err := d.w.Add(n); err != nil {
			return err
		}
	}
	return nil
}

// masters counts the lines of headers and footers.
func (d *document) masters(ctx context.Context, r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		if e.Name.Local != "master-page" {
			return nil
		}
		return r.Children(func(e opc.Element) error {
			if !strings.HasPrefix(e.Name.Local, "header") && !strings.HasPrefix(e.Name.Local, "footer") ||
				guard.Attr(e, "display") == "false" {
				return nil
			}
			inner := newDocument(d.pkg, d.in, d.env)
			inner.styles, inner.silent = d.styles, true
			return inner.blocks(ctx, r, func(b flow.Block) error {
				for _, line := range strings.Split(flow.Flat([]flow.Block{b}), "\n") {
					if strings.TrimSpace(line) != "" {
						d.out.Health.Repeated++
					}
				}
				return nil
			})
		})
	})
}
