package markup

import (
	"context"
	"path"
	"strings"

	"golang.org/x/net/html"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/record"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// ParseXML reads XML by what it holds: feeds as sections, drawings by their
// texts, outlines as lists, spreadsheets as such, books and articles as running
// text, and other data as tables and lines of "name: value".
func ParseXML(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	r, err := decode(in.Bytes, in.Encoding)
	if err != nil {
		return rag.Document{}, err
	}
	l := env.Limits.Filled()
	b := doctext.Builder{Title: path.Base(in.Source), MediaType: "application/xml", Encoding: r.Encoding, ParsedBy: "xml/1"}
	b.Health.Confidence = r.Confidence
	b.WarnAll(r.Warnings)
	if text.IsBlank(r.Text) {
		return b.Document(in, l)
	}
	root, err := readElements(ctx, r.Text, l)
	if err != nil {
		return rag.Document{}, err
	}
	switch {
	case root.is(" html "):
		return ParseHTML(ctx, in, env)
	case root.is(" workbook ") && root.space == spreadsheet && env.Nested != nil:
		d, err := env.Nested(ctx, rag.Input{Source: in.Source + ".xls", Bytes: in.Bytes, Encoding: in.Encoding})
		if err == nil || !fault.Is(err, "format_unsupported") {
			d.Source = in.Source
			return d, err
		}
	}
	w := xmlWriter{b: &b, limits: l, stop: ctx.Err}
	if err := w.document(root); err != nil {
		return rag.Document{}, err
	}
	return b.Document(in, l)
}

// spreadsheet is the namespace of the spreadsheets of Office 2003.
const spreadsheet = "urn:schemas-microsoft-com:office:spreadsheet"

// xmlWriter writes a document by its kind.
type xmlWriter struct {
	b      *doctext.Builder
	limits guard.Limits
	// stop is the context's error once it has one.
	stop func() error
	// repeated counts the bytes that cells over several columns were repeated with.
	repeated int
}

func (w *xmlWriter) document(root *element) error {
	switch {
	case root.is(" rss rdf ") && root.child(" channel ") != nil:
		w.b.MediaType = "application/rss+xml"
		return w.feed(root.child(" channel "), root)
	case root.is(" feed "):
		w.b.MediaType = "application/atom+xml"
		return w.feed(root, root)
	case root.is(" svg "):
		w.b.MediaType = "image/svg+xml"
		return w.page(&html.Node{Type: html.DocumentNode}, root)
	case root.is(" opml ") && root.child(" body ") != nil:
		w.outline(root)
	case root.is(" plist ") && root.elements():
		record.Write(w.b, property(root.kids), 1)
	case isProse(root):
		w.prose(root, 1)
	default:
		record.Write(w.b, recordOf(root), 1)
	}
	return w.stop()
}

// entryLevel is the level of the headings under which a feed's entries stand.
const entryLevel = 2

// page writes elements of HTML or a drawing.
func (w *xmlWriter) page(to *html.Node, kids ...*element) error {
	for _, k := range kids {
		to.AppendChild(k.html())
	}
	return writePage(w.stop, w.b, to, entryLevel, w.limits)
}

// fragment writes a text that is HTML, as feeds carry it, or plain.
func (w *xmlWriter) fragment(s string) error {
	if !strings.ContainsAny(s, "<&") {
		w.b.Paragraph(strings.TrimSpace(s))
		return nil
	}
	root, err := parseTree(s, false, true, w.limits)
	if err != nil {
		return err
	}
	return writePage(w.stop, w.b, root, entryLevel, w.limits)
}

// feed writes the entries of a feed as sections.
func (w *xmlWriter) feed(channel, root *element) error {
	if title := channel.child(" title ").flowed(); title != "" {
		w.b.Title = title
		w.b.Heading(1, title)
	}
	if err := w.fragment(channel.child(" description subtitle ").all()); err != nil {
		return err
	}
	for _, parent := range []*element{channel, root} {
		for _, e := range parent.kids {
			if !e.is(" item entry ") {
				continue
			}
			if err := w.entry(e); err != nil {
				return err
			}
			w.b.Health.RowsRead++
			w.b.Health.RowsKept++
		}
		if channel == root {
			break
		}
	}
	return w.stop()
}

// entry writes an entry of a feed: its title, who wrote it when, what it is about
// and what it says.
func (w *xmlWriter) entry(e *element) error {
	w.b.Heading(2, plainTitle(e.child(" title ").flowed()))
	var about []string
	for _, k := range e.kids {
		switch {
		case k.is(" pubdate published updated date author creator category "):
			if s := k.flowed(); s != "" {
				about = append(about, s)
			} else if s := k.attr("term"); s != "" {
				about = append(about, s)
			}
		case k.is(" enclosure thumbnail "):
			w.b.Health.Images++
		}
	}
	w.b.Paragraph(strings.Join(about, "\n"))
	body := e.child(" encoded content ")
	if body == nil || text.IsBlank(body.all()) {
		body = e.child(" description summary ")
	}
	switch {
	case body == nil:
		return nil
	case body.elements():
		return w.page(&html.Node{Type: html.DocumentNode}, body.kids...)
	}
	return w.fragment(body.all())
}

// plainTitle is a title without the HTML that feeds put into it.
func plainTitle(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return s
	}
	return textOf(root)
}

// outline writes the notes of an outliner as a list.
func (w *xmlWriter) outline(root *element) {
	if title := root.child(" head "); title != nil {
		if t := title.child(" title ").flowed(); t != "" {
			w.b.Title = t
			w.b.Heading(1, t)
		}
	}
	var items []doctext.Item
	var walk func(e *element, depth int)
	walk = func(e *element, depth int) {
		for _, k := range e.kids {
			if !k.is(" outline ") {
				continue
			}
			s := k.attr("text")
			if s == "" {
				s = k.attr("title")
			}
			if note := k.attr("_note"); note != "" {
				s += "\n" + note
			}
			items = append(items, doctext.Item{Depth: min(depth, maxIndent), Text: s})
			walk(k, depth+1)
		}
	}
	walk(root.child(" body "), 0)
	w.b.List(items)
}
