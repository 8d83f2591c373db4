// Package rtf reads the Rich Text Format of word processors.
//
// Headings come from styles and outline levels, lists with their numbers, tables
// with merged cells repeated, notes at their places, text boxes after the
// paragraph they are anchored in. Hidden and deleted text, fields' instructions
// and all that describes the document is left out; headers and footers are
// counted, and pictures.
//
//	doc, err := rtf.Parse(ctx, rag.Input{Source: "合同.rtf", Bytes: b}, env)
//
// Faults: limit_depth, limit_text, corrupt, and for a file that is no RTF those
// of the format that it is.
package rtf

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// Parse reads in. A file of another format is read as what it is.
func Parse(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	content := bytes.TrimLeft(bytes.TrimPrefix(in.Bytes, []byte("\xef\xbb\xbf")), " \t\r\n\x00")
	if !bytes.HasPrefix(content, []byte(`{\rtf`)) {
		return guard.Misnamed(ctx, in, env, "rtf")
	}
	r := &reader{b: content, limits: env.Limits, fonts: map[int]*font{}, styles: map[int]*style{},
		builder: &doctext.Builder{MediaType: "application/rtf", ParsedBy: "rtf/1"}, page: "1252"}
	r.flow = doctext.Flow{Builder: r.builder}
	r.sinks = []*strings.Builder{{}}
	r.st.uc = 1
	if err := r.run(ctx); err != nil {
		return rag.Document{}, err
	}
	r.builder.Encoding = r.encoding()
	return r.builder.Document(in, env.Limits)
}

// state is what a group inherits and ends with.
type state struct {
	font int
	uc   int
	// skip: text is of no use here; shape: but a picture in it is one.
	skip, shape bool
	// before is skip outside a pair of an old and a Unicode text.
	before          bool
	hidden, deleted bool
	table           tableKind
	capture         capture
	para            paragraph
	// nested: definitions are of a row in a cell.
	nested bool
}

// paragraph is what is known of a paragraph beside its text.
type paragraph struct {
	style, outline, list, level int
	inTable                     bool
	depth                       int
}

// tableKind is a table of the document's head.
type tableKind byte

const (
	noTable tableKind = iota
	fontTable
	styleTable
)

// capture is what a group's text is kept for.
type capture byte

const (
	noCapture capture = iota
	captureNote
	captureHeader
	captureMarker
	captureBox
)

// reader is the state of a reading.
type reader struct {
	b      []byte
	at     int
	limits guard.Limits
	st     state
	stack  []state
	// page is the code page of bytes in fonts without one.
	page   string
	fonts  map[int]*font
	styles map[int]*style
	// font and style are the entries being defined, name the text of the entry.
	fontAt, styleAt int
	name            strings.Builder
	// pending are bytes not decoded yet, of the code page pendingPage; rawHigh
	// says that some stood in the file as they are.
	pending     []byte
	pendingPage string
	rawHigh     bool
	// surrogate is the first half of a pair; skipChars are what still stands for
	// the last Unicode character.
	surrogate rune
	skipChars int
	star      bool
	// sinks are where text goes, the last one now.
	sinks  []*strings.Builder
	marker string
	boxes  []string
	// hidden counts what was left out as hidden.
	hidden  int
	builder *doctext.Builder
	flow    doctext.Flow
	rows    rows
}

// encoding names the document's code page.
func (r *reader) encoding() string {
	if r.page == "macintosh" || strings.HasPrefix(r.page, "UTF") {
		return r.page
	}
	return "windows-" + r.page
}

// checkEvery is how many bytes lie between two looks at the context.
const checkEvery = 1 << 16

// run reads the whole file.
func (r *reader) run(ctx context.Context) error {
	for check := 0; r.at < len(r.b); {
		if r.at >= check {
			if err := ctx.Err(); err != nil {
				return err
			}
			if int64(r.builder.Len()+r.sinks[len(r.sinks)-1].Len()) > r.limits.Text {
				return fault.New("limit_text", fault.P("limit", r.limits.Text))
			}
			check = r.at + checkEvery
		}
		c := r.b[r.at]
		r.at++
		switch c {
		case '{':
			if err := r.open(); err != nil {
				return err
			}
		case '}':
			if len(r.stack) == 1 {
				r.lastCell()
			}
			r.closeGroup()
			if len(r.stack) == 0 {
				r.finish()
				return nil
			}
		case '\\':
			r.control()
		case '\r', '\n', 0:
		case '\t':
			r.text("\t")
		default:
			r.char(c, true)
		}
	}
	r.builder.Warn(doctext.WarnTruncated, "")
	r.lastCell()
	for len(r.stack) > 0 {
		r.closeGroup()
	}
	r.finish()
	return nil
}

// open starts a group.
func (r *reader) open() error {
	if len(r.stack) >= r.limits.Depth {
		return fault.New("limit_depth", fault.P("limit", r.limits.Depth))
	}
	r.stack = append(r.stack, r.st)
	r.skipChars, r.star = 0, false
	return nil
}

// closeGroup ends a group and what its text was kept for.
func (r *reader) closeGroup() {
	if len(r.stack) == 0 {
		return
	}
	r.skipChars, r.star = 0, false
	outer := r.stack[len(r.stack)-1]
	if r.st.capture != outer.capture || r.st.table != outer.table {
		r.flush()
	}
	ended := r.st
	r.st, r.stack = outer, r.stack[:len(r.stack)-1]
	switch {
	case ended.table != noTable:
		r.define(ended.table)
	case ended.capture != outer.capture:
		r.captured(ended.capture)
	}
}

// startCapture keeps the text of the group just begun apart.
func (r *reader) startCapture(c capture) {
	if r.st.skip || r.st.capture == c {
		return
	}
	r.flush()
	r.st.capture = c
	r.st.para = paragraph{}
	r.st.hidden, r.st.deleted = false, false
	r.sinks = append(r.sinks, &strings.Builder{})
}

// captured takes the text that was kept apart.
func (r *reader) captured(c capture) {
	last := len(r.sinks) - 1
	if last == 0 {
		return
	}
	s := r.sinks[last].String()
	r.sinks = r.sinks[:last]
	switch c {
	case captureNote:
		if !r.muted() {
			r.sink().WriteString(r.flow.Note(s))
		}
	case captureHeader:
		for line := range strings.Lines(s) {
			if strings.TrimSpace(line) != "" {
				r.builder.Health.Repeated++
			}
		}
	case captureMarker:
		if last > 1 {
			r.sink().WriteString(strings.TrimSpace(s) + " ")
			return
		}
		r.marker = s
	case captureBox:
		if strings.TrimSpace(s) != "" {
			r.boxes = append(r.boxes, strings.TrimSpace(s))
		}
	}
}

func (r *reader) sink() *strings.Builder { return r.sinks[len(r.sinks)-1] }

// muted reports whether text here is left out.
func (r *reader) muted() bool { return r.st.skip || r.st.hidden || r.st.deleted }

// char takes one byte of text; raw says that it stands in the file as it is.
func (r *reader) char(c byte, raw bool) {
	if r.skipChars > 0 {
		r.skipChars--
		return
	}
	page := r.fontPage()
	if page != r.pendingPage {
		r.flush()
		r.pendingPage = page
	}
	if r.muted() {
		r.hide()
		return
	}
	r.rawHigh = r.rawHigh || raw && c >= 0x80
	r.pending = append(r.pending, c)
}

// text takes characters that are decoded already.
func (r *reader) text(s string) {
	if r.skipChars > 0 {
		r.skipChars--
		return
	}
	r.flush()
	r.put(s)
}

// put writes characters where they belong, unless they are left out.
func (r *reader) put(s string) {
	if r.muted() {
		r.hide()
		return
	}
	r.emit(s)
}

// hide counts a character that is left out because it is formatted as hidden.
func (r *reader) hide() {
	if r.st.hidden && !r.st.skip && !r.st.deleted {
		r.hidden++
	}
}

// emit writes characters where they belong.
func (r *reader) emit(s string) {
	switch {
	case r.st.table != noTable:
		r.name.WriteString(s)
	default:
		r.sink().WriteString(s)
	}
}

// unicode takes a character given by its number.
func (r *reader) unicode(n int) {
	r.flush()
	if n < 0 {
		n += 1 << 16
	}
	c := rune(n)
	switch {
	case 0xd800 <= c && c < 0xdc00:
		r.surrogate = c
	case 0xdc00 <= c && c < 0xe000:
		if r.surrogate != 0 {
			r.put(string((r.surrogate-0xd800)<<10 + (c - 0xdc00) + 0x10000))
		}
		r.surrogate = 0
	case 0xf000 <= c && c <= 0xf0ff:
		r.put(r.symbol(byte(c)))
	case c > 0 && c <= 0x10ffff:
		r.put(string(c))
	}
	r.skipChars = r.st.uc
}

// pageName is what a code page is called by text.Loose.
func pageName(n int) string {
	switch n {
	case 0:
		return "1252"
	case 1200, 1201, 65001:
		return "UTF-8"
	}
	return strconv.Itoa(n)
}
