// Package xlsx reads SpreadsheetML workbooks: .xlsx, .xlsm, .xltx and .xltm in the
// transitional and the strict form.
//
// Each sheet is a page under a heading with its name. Cells are shown as their
// number formats show them; formulas show the value that was saved with them.
// Hidden sheets, rows and columns are read, comments are not. What a sheet claims
// to use counts for nothing: only cells that exist are looked at.
//
//	doc, err := xlsx.Read(ctx, pkg, "xl/workbook.xml", in, env)
package xlsx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/rag"
)

const mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// Read reads the workbook whose main part is named. Faults: corrupt and the limits
// of package guard.
func Read(ctx context.Context, pkg *opc.Package, main string, in rag.Input, env guard.Env) (rag.Document, error) {
	b := &doctext.Builder{MediaType: mediaType, ParsedBy: "xlsx/1", Title: path.Base(in.Source)}
	w := &workbook{pkg: pkg, limits: env.Limits, out: b}
	if err := w.open(main); err != nil {
		return rag.Document{}, fmt.Errorf("read workbook: %w", err)
	}
	for i, s := range w.sheets {
		if i >= env.Limits.Pages {
			return rag.Document{}, fault.New("limit_pages", fault.P("limit", env.Limits.Pages), fault.P("pages", len(w.sheets)))
		}
		if err := w.write(ctx, s); err != nil {
			return rag.Document{}, fmt.Errorf("read sheet %q: %w", s.name, err)
		}
	}
	return b.Document(in, env.Limits)
}

// sheetRef is a sheet as the workbook lists it.
type sheetRef struct {
	name, id string
	hidden   bool
}

// workbook is the state of reading one workbook.
type workbook struct {
	pkg    *opc.Package
	limits guard.Limits
	out    *doctext.Builder
	rels   opc.Relations
	sheets []sheetRef
	// date1904 says that days are counted from 1904.
	date1904 bool
	strings  []string
	formats  formats
	// cells counts the cells of all sheets so far.
	cells int
}

func (w *workbook) warnPart(part string) { w.out.Warn(doctext.WarnPart, part) }

// part returns the part a kind of relation leads to, or else its usual name.
func (w *workbook) part(kind, usual string) string {
	if p := w.rels.First(kind); p != "" {
		return p
	}
	return usual
}

func (w *workbook) open(main string) (err error) {
	if w.rels, err = w.pkg.Relations(main); err != nil {
		return err
	}
	r, err := w.pkg.XML(main)
	if err != nil {
		return err
	}
	if err := r.Children(func(e opc.Element) error { return w.workbookElement(r, e) }); err != nil {
		return err
	}
	// Texts are the content of a sheet: without them it must not pass for read.
	if part := w.part("sharedStrings", "xl/sharedStrings.xml"); w.pkg.Has(part) {
		if w.strings, err = readStrings(w.pkg, part); err != nil {
			return err
		}
	}
	return w.pkg.Optional(w.part("styles", "xl/styles.xml"), w.warnPart, func(r *opc.Reader) (err error) {
		w.formats, err = readFormats(r)
		return err
	})
}

func (w *workbook) workbookElement(r *opc.Reader, e opc.Element) error {
	switch e.Name.Local {
	case "workbookPr":
		w.date1904 = opc.True(guard.Attr(e, "date1904"))
	case "sheets":
		return r.Children(func(e opc.Element) error {
			if e.Name.Local == "sheet" {
				state := guard.Attr(e, "state")
				w.sheets = append(w.sheets, sheetRef{guard.Attr(e, "name"), opc.RelAttr(e, "id"),
					state == "hidden" || state == "veryHidden"})
			}
			return nil
		})
	}
	return nil
}

// write reads a sheet and adds it to the document.
func (w *workbook) write(ctx context.Context, s sheetRef) error {
	w.out.Page()
	rel := w.rels.ByID(s.id)
	r, err := w.pkg.XML(rel.Target)
	if errors.Is(err, fs.ErrNotExist) || rel.Target == "" {
		w.warnPart(s.name)
		return nil
	}
	if err != nil {
		return err
	}
	if s.hidden {
		w.out.Warn(doctext.WarnHidden, s.name)
	}
	sheet := &sheetReader{w: w, grid: grid.New(w.left())}
	if err := sheet.read(ctx, r); err != nil {
		return err
	}
	w.cells += sheet.cells
	if sheet.noValue > 0 {
		w.out.Warn(doctext.WarnNoValues, s.name+": "+strconv.Itoa(sheet.noValue))
	}
	rels, err := w.pkg.Relations(rel.Target)
	if err != nil {
		return err
	}
	if err := w.tables(rels, sheet.grid); err != nil {
		return err
	}
	drawn, err := w.drawings(rels)
	if err != nil {
		return err
	}
	if sheet.grid.Blank() && len(drawn) == 0 {
		return nil
	}
	w.out.Heading(1, s.name)
	if err := sheet.grid.Write(ctx, w.out); err != nil {
		return err
	}
	return w.add(drawn)
}

// left returns the limits less the cells that were read.
func (w *workbook) left() guard.Limits {
	l := w.limits
	l.Cells = max(l.Cells-w.cells, 0)
	return l
}
