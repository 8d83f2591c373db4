package legacy

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/numfmt"
	"ragdesk/backend/rag"
)

// maxRow and maxColumn bound the indexes that an XML spreadsheet may jump to.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// xmlSheets is the state while an XML spreadsheet of Office 2003 is read.
type xmlSheets struct {
	env     guard.Env
	out     *doctext.Builder
	formats map[string]string
	style   string
	sheet   *grid.Sheet
	sheets  int
	name    string
	row     int
	col     int
	// of the open cell
	kind      string
	cellStyle string
	across    int
	down      int
	data      strings.Builder
	inData    bool
	inComment int
}

// parseXMLSpreadsheet reads an XML spreadsheet of Office 2003.
func parseXMLSpreadsheet(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	r, err := charset.Read(in.Bytes, charset.Hint{Forced: in.Encoding})
	if err != nil {
		return rag.Document{}, err
	}
	b := &doctext.Builder{Title: path.Base(in.Source), Encoding: r.Encoding, MediaType: "application/vnd.ms-excel", ParsedBy: "xmlss/1"}
	b.Health.Confidence = r.Confidence
	b.WarnAll(r.Warnings)
	s := &xmlSheets{env: env, out: b, formats: map[string]string{}}
	x := guard.NewXML(bytes.NewReader(utf8Declared(r.Text)), env.Limits)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return rag.Document{}, ctx.Err()
		}
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rag.Document{}, err
		}
		if err := s.token(ctx, t); err != nil {
			return rag.Document{}, err
		}
	}
	return b.Document(in, env.Limits)
}

// utf8Declared drops the XML declaration of text that is UTF-8 by now.
func utf8Declared(s string) []byte {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "<?xml") {
		if _, rest, ok := strings.Cut(s, "?>"); ok {
			s = rest
		}
	}
	return []byte(s)
}

func (s *xmlSheets) token(ctx context.Context, t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return s.start(t)
	case xml.EndElement:
		return s.end(ctx, t.Name.Local)
	case xml.CharData:
		if s.inData && s.inComment == 0 {
			s.data.Write(t)
		}
	}
	return nil
}

func (s *xmlSheets) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "Style":
		s.style = guard.Attr(e, "ID")
	case "NumberFormat":
		s.formats[s.style] = namedFormat(guard.Attr(e, "Format"))
	case "Worksheet":
		if s.sheets++; s.sheets > s.env.Limits.Pages {
			return fault.New("limit_pages", fault.P("limit", s.env.Limits.Pages), fault.P("pages", s.sheets))
		}
		s.name = guard.Attr(e, "Name")
		s.sheet, s.row, s.col = grid.New(s.env.Limits), -1, -1
	case "Row":
		s.row, s.col = index(e, s.row, maxRow), -1
	case "Cell":
		s.col = index(e, s.col, maxColumn)
		s.across, s.down = number(e, "MergeAcross", maxColumn), number(e, "MergeDown", maxRow)
		s.cellStyle = guard.Attr(e, "StyleID")
		s.data.Reset()
	case "Visible":
		s.data.Reset()
		s.inData = true
	case "Comment":
		s.inComment++
	case "Data":
		if s.inComment == 0 {
			s.inData, s.kind = true, guard.Attr(e, "Type")
		}
	}
	return nil
}

func (s *xmlSheets) end(ctx context.Context, name string) error {
	switch name {
	case "Comment":
		s.inComment--
	case "Data":
		s.inData = false
	case "Cell":
		return s.cell()
	case "Visible":
		s.inData = false
		if v := strings.TrimSpace(s.data.String()); v == "SheetHidden" || v == "SheetVeryHidden" {
			s.out.Warn(doctext.WarnHidden, s.name)
		}
	case "Worksheet":
		if s.sheet != nil {
			defer func() { s.sheet = nil }()
			s.out.Page()
			if !s.sheet.Blank() {
				s.out.Heading(1, s.name)
			}
			return s.sheet.Write(ctx, s.out)
		}
	}
	return nil
}

// cell ends a cell.
func (s *xmlSheets) cell() error {
	if s.sheet == nil || s.row < 0 || s.col < 0 {
		return nil
	}
	row, col := s.row, s.col
	s.col += s.across
	if s.across > 0 || s.down > 0 {
		s.sheet.Merge(grid.Range{Top: row, Left: col, Bottom: row + s.down, Right: col + s.across})
	}
	value := s.data.String()
	switch s.kind {
	case "Number":
		if f, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			return s.sheet.Set(row, col, grid.Numeric(f, numfmt.Parse(s.formats[s.cellStyle]), false))
		}
	case "DateTime":
		if f, ok := serial(value); ok {
			format := s.formats[s.cellStyle]
			if format == "" {
				format = "yyyy-mm-dd"
			}
			return s.sheet.Set(row, col, grid.Numeric(f, numfmt.Parse(format), false))
		}
	case "Boolean":
		return s.sheet.Set(row, col, grid.Cell{Text: map[bool]string{true: "TRUE", false: "FALSE"}[strings.TrimSpace(value) == "1"]})
	}
	return s.sheet.Set(row, col, grid.Cell{Text: value})
}

// serial returns the day number of an ISO date and time.
func serial(s string) (float64, bool) {
	t, err := time.Parse("2006-01-02T15:04:05.999", strings.TrimSpace(s))
	if err != nil {
		return 0, false
	}
	return t.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24, true
}

// index is the place of a row or cell: the stated one, counted from 1, or the one
// after the last.
func index(e xml.StartElement, last, limit int) int {
	if n := number(e, "Index", limit); n > 0 {
		return n - 1
	}
	return min(last+1, limit)
}

// number reads an attribute that counts, at most limit.
func number(e xml.StartElement, name string, limit int) int {
	n, err := strconv.Atoi(guard.Attr(e, name))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, limit)
}

// namedFormat returns the number format behind the names that XML spreadsheets
// use.
func namedFormat(name string) string {
	formats := map[string]string{
		"General Number": "", "General Date": "yyyy-mm-dd hh:mm", "Long Date": "yyyy-mm-dd", "Medium Date": "yyyy-mm-dd",
		"Short Date": "yyyy-mm-dd", "Long Time": "h:mm:ss", "Medium Time": "h:mm", "Short Time": "h:mm",
		"Currency": "#,##0.00", "Euro Currency": "€#,##0.00", "Fixed": "0.00", "Standard": "#,##0.00",
		"Percent": "0.00%", "Scientific": "",
	}
	if f, ok := formats[name]; ok {
		return f
	}
	return name
}
