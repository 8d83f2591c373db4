package mail

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Properties of Outlook's messages, by their numbers in hexadecimal.
const (
	propSubject    = "0037"
	propBody       = "1000"
	propRTF        = "1009"
	propHTML       = "1013"
	propSender     = "0C1A"
	propSenderMail = "0C1F"
	propSenderSMTP = "5D01"
	propTo         = "0E04"
	propCC         = "0E03"
	propData       = "3701"
	propShortName  = "3704"
	propLongName   = "3707"
	propMediaType  = "370E"

	propSent      = 0x00390040
	propDelivered = 0x0E060040
	propCodepage  = 0x3FFD0003
	propInternet  = 0x3FDE0003

	typeUnicode = "001F"
	typeBytes   = "001E"
	typeBinary  = "0102"
	typeObject  = "000D"
)

// outlook is a message in a compound file: the file's root, or a storage of it.
type outlook struct {
	file *ole.File
	// at is the path of the message with a '/' at its end, "" for the root.
	at string
	// fixed are the properties of a fixed size.
	fixed map[uint32][]byte
}

// Sizes of what stands before the properties of a message, of a message inside
// another, and of a property.
const (
	headMessage  = 32
	headInner    = 24
	propertySize = 16
)

// ParseMSG reads a message of Outlook.
func ParseMSG(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	f, err := ole.Open(in.Bytes)
	if err != nil {
		return rag.Document{}, guard.Corrupt("msg", fmt.Errorf("open container: %w", err))
	}
	if !f.Has("__properties_version1.0") {
		return rag.Document{}, guard.Corrupt("msg", errors.New("no message in the container"))
	}
	w := newWriter(env, "application/vnd.ms-outlook", "msg/1")
	if err := w.outlook(ctx, f, "", 1); err != nil {
		return rag.Document{}, err
	}
	return w.Document(in, env.Limits)
}

// outlook adds the message at a path at a level of headings.
func (w *writer) outlook(ctx context.Context, f *ole.File, at string, level int) error {
	if level > maxNesting {
		return fault.New("limit_depth", fault.P("limit", maxNesting))
	}
	m := &outlook{file: f, at: at, fixed: map[uint32][]byte{}}
	head := headMessage
	if at != "" {
		head = headInner
	}
	b, _ := f.Stream(at + "__properties_version1.0")
	for i := head; i+propertySize <= len(b); i += propertySize {
		m.fixed[binary.LittleEndian.Uint32(b[i:])] = b[i+8 : i+16]
	}
	w.Heading(level, m.text(propSubject))
	w.Paragraph(m.details())
	r, err := w.outlookText(ctx, m)
	if err != nil {
		return err
	}
	w.texts(r, level)
	return w.outlookFiles(ctx, m, level+1)
}

// text returns a property of characters, "" without.
func (m *outlook) text(prop string) string {
	if b, ok := m.file.Stream(m.at + "__substg1.0_" + prop + typeUnicode); ok {
		s, err := text.Loose("UTF-16LE", b)
		if err != nil {
			return ""
		}
		return strings.TrimRight(s, "\x00")
	}
	b, ok := m.file.Stream(m.at + "__substg1.0_" + prop + typeBytes)
	if !ok {
		return ""
	}
	return strings.TrimRight(charset.Labelled(b, m.codepage(propCodepage)).Text, "\x00")
}

// codepage names the encoding that a property states, "" without.
func (m *outlook) codepage(prop uint32) string {
	v := m.fixed[prop]
	if v == nil || binary.LittleEndian.Uint32(v) == 0 {
		return ""
	}
	if n := binary.LittleEndian.Uint32(v); n != 65001 {
		return strconv.Itoa(int(n))
	}
	return "UTF-8"
}

// details are who wrote to whom and when, a line each.
func (m *outlook) details() string {
	from := m.text(propSender)
	address := m.text(propSenderSMTP)
	if other := m.text(propSenderMail); address == "" && strings.Contains(other, "@") {
		address = other
	}
	if address != "" && address != from {
		from = strings.TrimSpace(from + " <" + address + ">")
	}
	sent := m.time(propSent)
	if sent == "" {
		sent = m.time(propDelivered)
	}
	var lines []string
	for _, l := range []struct{ label, value string }{{"From", from}, {"To", m.text(propTo)}, {"Cc", m.text(propCC)}, {"Date", sent}} {
		if !text.IsBlank(l.value) {
			lines = append(lines, l.label+": "+strings.TrimSpace(l.value))
		}
	}
	return strings.Join(lines, "\n")
}

// time writes a property that is a time, in UTC; "" without.
func (m *outlook) time(prop uint32) string {
	v := m.fixed[prop]
	if v == nil {
		return ""
	}
	// Ticks of 100 ns since 1601.
	const epoch = 11644473600
	ticks := binary.LittleEndian.Uint64(v)
	if ticks == 0 || ticks > 1<<62 {
		return ""
	}
	return time.Unix(int64(ticks/1e7)-epoch, 0).UTC().Format("2006-01-02 15:04:05 -0700")
}

// outlookText reads the message's text from the best of its forms.
func (w *writer) outlookText(ctx context.Context, m *outlook) (rendered, error) {
	var plain, rich rendered
	if s := m.text(propBody); !text.IsBlank(s) {
		plain.docs = []rag.Document{{Text: s, Health: rag.Health{Confidence: 1}}}
		w.note("UTF-16LE")
	}
	if b, ok := m.file.Stream(m.at + "__substg1.0_" + propHTML + typeBinary); ok {
		var err error
		if rich, err = w.html(ctx, part{body: b, params: map[string]string{"charset": m.codepage(propInternet)}}); err != nil {
			return rendered{}, err
		}
	} else if s := m.text(propHTML); s != "" {
		var err error
		if rich, err = w.html(ctx, part{body: []byte(s), params: map[string]string{"charset": "UTF-8"}}); err != nil {
			return rendered{}, err
		}
	}
	if b, ok := m.file.Stream(m.at + "__substg1.0_" + propRTF + typeBinary); ok && len(plain.docs)+len(rich.docs) == 0 {
		var err error
		if rich, err = w.compressed(ctx, b); err != nil {
			return rendered{}, err
		}
	}
	if poorer(plain.docs, rich.docs) {
		return rich, nil
	}
	return plain, nil
}

// compressed reads a text in compressed RTF; one that cannot be read is told of.
func (w *writer) compressed(ctx context.Context, b []byte) (rendered, error) {
	source, err := inflateRTF(b, w.env.Limits.Inflated)
	var d rag.Document
	if err == nil {
		d, err = w.env.Nested(ctx, rag.Input{Source: "body.rtf", Bytes: source})
	}
	switch {
	case ctx.Err() != nil:
		return rendered{}, ctx.Err()
	case err != nil:
		w.Warn(doctext.WarnAttachment, "body.rtf: "+fault.Of(err).Code)
		return rendered{}, nil
	case text.IsBlank(d.Text):
		return rendered{images: d.Health.Images}, nil
	}
	return rendered{docs: []rag.Document{d}}, nil
}

// outlookFiles adds the message's attachments.
func (w *writer) outlookFiles(ctx context.Context, m *outlook, level int) error {
	var files []part
	for _, name := range m.file.Names() {
		rest, ok := strings.CutPrefix(name, m.at+"__attach_version1.0_#")
		if !ok || strings.Contains(rest, "/") {
			continue
		}
		a := &outlook{file: m.file, at: name + "/", fixed: m.fixed}
		file := part{name: a.text(propLongName), kind: strings.ToLower(a.text(propMediaType))}
		if file.name == "" {
			file.name = a.text(propShortName)
		}
		inner := a.at + "__substg1.0_" + propData + typeObject
		var isData bool
		file.body, isData = m.file.Stream(a.at + "__substg1.0_" + propData + typeBinary)
		switch {
		case m.file.Has(inner + "/__properties_version1.0"):
			if err := w.outlook(ctx, m.file, inner+"/", level); err != nil {
				return err
			}
		case isData:
			files = append(files, file)
		default:
			w.Warn(doctext.WarnAttachment, file.name+": format_unsupported")
		}
	}
	return w.attachments(ctx, files, level)
}

// Marks of the two forms of compressed RTF.
const (
	markCompressed = 0x75465a4c
	markPlain      = 0x414c454d
)

// dictionary is what the compressed form takes to stand before the text.
const dictionary = `{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0` +
	"\r\n" + `\par \pard\plain\f0\fs20\b\i\u\tab\tx`

// inflateRTF undoes the compression of a message's RTF, of at most limit bytes.
func inflateRTF(b []byte, limit int64) ([]byte, error) {
	if len(b) < 16 {
		return nil, guard.Corrupt("msg", errors.New("compressed text without a header"))
	}
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	mark := binary.LittleEndian.Uint32(b[8:])
	b = b[16:]
	switch {
	case size > limit:
		return nil, fault.New("limit_inflated", fault.P("limit", limit))
	case mark == markPlain:
		return b[:min(int64(len(b)), size)], nil
	case mark != markCompressed:
		return nil, guard.Corrupt("msg", fmt.Errorf("compressed text with mark %08x", mark))
	}
	var ring [4096]byte
	at := copy(ring[:], dictionary)
	var out []byte
	put := func(c byte) {
		out = append(out, c)
		ring[at] = c
		at = (at + 1) % len(ring)
	}
	for i := 0; i < len(b); {
		flags := b[i]
		i++
		for bit := 0; bit < 8 && i < len(b) && int64(len(out)) < size; bit++ {
			if flags>>bit&1 == 0 {
				put(b[i])
				i++
				continue
			}
			if i+2 > len(b) {
				return out, nil
			}
			from, n := int(b[i])<<4|int(b[i+1])>>4, int(b[i+1])&15+2
			i += 2
			if from == at {
				return out, nil
			}
			for range n {
				put(ring[from])
				from = (from + 1) % len(ring)
			}
		}
		if int64(len(out)) >= size {
			break
		}
	}
	return out, nil
}
