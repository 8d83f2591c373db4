package docx

import (
	"context"
	"strconv"

	"ragdesk/backend/parse/count"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
)

// note is the text of a footnote or endnote.
type note struct{ text string }

// readNotes reads footnotes and endnotes by their kind and id.
func (d *document) readNotes(ctx context.Context) error {
	counted := d.numbers
	d.numbers = counted.fresh()
	for kind, usual := range map[string]string{"footnote": "word/footnotes.xml", "endnote": "word/endnotes.xml"} {
		part := d.part(kind+"s", usual)
		rels, err := d.pkg.Relations(part)
		if err != nil {
			return err
		}
		d.rels, d.inNote = rels, true
		err = d.pkg.Optional(part, d.warnPart, func(r *opc.Reader) error {
			return r.Children(func(e opc.Element) error {
				if t := guard.Attr(e, "type"); e.Name.Local != kind || t != "" && t != "normal" {
					return nil
				}
				blocks, err := d.collect(ctx, r)
				d.notes[kind+guard.Attr(e, "id")] = note{flow.Flat(blocks)}
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	d.rels, d.inNote, d.numbers = d.main, false, counted
	return nil
}

// reference returns the mark of a note that a run refers to, and queues the note
// for after the paragraph or, an endnote, for after the document.
func (d *document) reference(kind, id string) string {
	n, ok := d.notes[kind+id]
	if !ok || d.inNote || n.text == "" {
		return ""
	}
	if kind == "endnote" {
		d.endnotes++
		mark := "[^" + count.Format("lowerRoman", d.endnotes) + "]"
		d.last = append(d.last, flow.Block{Text: mark + ": " + n.text})
		return mark
	}
	d.footnotes++
	mark := "[^" + strconv.Itoa(d.footnotes) + "]"
	d.waiting = append(d.waiting, flow.Block{Text: mark + ": " + n.text})
	return mark
}
