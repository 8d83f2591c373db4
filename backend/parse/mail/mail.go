// Package mail reads messages (.eml), archived web pages (.mht), mailboxes (.mbox)
// and Outlook's messages (.msg).
//
// A message is a section named by its subject: who wrote it to whom and when, its
// text, and each attachment that can be read as a section of its own, by its own
// format. Of alternatives the plain one is taken unless it is clearly poorer.
// Encodings are stated or found, broken transfer encodings are read as far as
// they go. What cannot be read is named in a warning.
//
//	doc, err := mail.Parse(ctx, rag.Input{Source: "m.eml", Bytes: b}, env)
//
// Faults: corrupt, password, limit_depth, limit_pages, limit_text.
package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/rag"
)

// Parse reads a message.
func Parse(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	if ole.Is(in.Bytes) {
		return ParseMSG(ctx, in, env)
	}
	content := bytes.TrimPrefix(in.Bytes, []byte("\xef\xbb\xbf"))
	if kind := charset.Signature(content); kind != "" {
		return rag.Document{}, guard.Corrupt("eml", fmt.Errorf("content is %s", kind))
	}
	w := newWriter(env, "message/rfc822", "eml/1")
	if err := w.message(ctx, content, 1); err != nil {
		return rag.Document{}, err
	}
	return w.Document(in, env.Limits)
}

// ParseMHT reads an archived web page: a message whose text is the page.
func ParseMHT(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	p := &parser{limits: env.Limits}
	m, err := p.parse(in.Bytes, "text/html", 0)
	if err != nil {
		return rag.Document{}, err
	}
	if len(m.header) == 0 {
		return rag.Document{}, guard.Corrupt("mht", errors.New("no header of a message"))
	}
	w := newWriter(env, "multipart/related", "mht/1")
	w.Title = m.text("subject")
	r, err := w.render(ctx, m)
	if err != nil {
		return rag.Document{}, err
	}
	w.texts(r, 0)
	if err := w.attachments(ctx, r.attachments, 1); err != nil {
		return rag.Document{}, err
	}
	return w.Document(in, env.Limits)
}

// ParseMbox reads a mailbox: messages one after the other.
func ParseMbox(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	messages := splitMbox(in.Bytes)
	if len(messages) == 0 && len(bytes.TrimSpace(in.Bytes)) > 0 {
		return rag.Document{}, guard.Corrupt("mbox", errors.New("no message"))
	}
	w := newWriter(env, "application/mbox", "mbox/1")
	w.Title = path.Base(in.Source)
	for i, m := range messages {
		if err := ctx.Err(); err != nil {
			return rag.Document{}, err
		}
		if err := w.message(ctx, m, 1); err != nil {
			return rag.Document{}, fmt.Errorf("message %d: %w", i+1, err)
		}
		if int64(w.Len()) > env.Limits.Text {
			return rag.Document{}, fault.New("limit_text", fault.P("limit", env.Limits.Text))
		}
	}
	return w.Document(in, env.Limits)
}

// splitMbox parts a mailbox at the lines "From " after a blank one or at the
// start, and undoes the quoting of such lines inside messages.
func splitMbox(b []byte) [][]byte {
	var messages [][]byte
	var open []byte
	inside, blank := false, true
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		if blank && bytes.HasPrefix(line, []byte("From ")) {
			if inside {
				messages = append(messages, open)
			}
			open, inside, blank = nil, true, false
			continue
		}
		blank = len(bytes.TrimSpace(line)) == 0
		if stripped := bytes.TrimLeft(line, ">"); len(stripped) < len(line) && bytes.HasPrefix(stripped, []byte("From ")) {
			line = line[1:]
		}
		if inside {
			open = append(open, line...)
		}
	}
	if inside {
		messages = append(messages, open)
	}
	return messages
}

// writer builds the document of one or more messages.
type writer struct {
	doctext.Builder
	env guard.Env
	// encoding is that of the first text read.
	encoding string
}

func newWriter(env guard.Env, mediaType, parsedBy string) *writer {
	w := &writer{env: env}
	w.MediaType, w.ParsedBy = mediaType, parsedBy
	return w
}

// message adds a message at a level of headings.
func (w *writer) message(ctx context.Context, b []byte, level int) error {
	p := &parser{limits: w.env.Limits}
	m, err := p.parse(b, "text/plain", 0)
	if err != nil {
		return err
	}
	if m.kind == "multipart/encrypted" || m.kind == "application/pkcs7-mime" && m.params["smime-type"] != "signed-data" {
		return guard.Password("eml")
	}
	subject := m.text("subject")
	w.Heading(level, subject)
	w.Paragraph(details(m.header))
	r, err := w.render(ctx, m)
	if err != nil {
		return err
	}
	w.texts(r, level)
	return w.attachments(ctx, r.attachments, level+1)
}

// texts adds the texts of a message. Pictures that a page shows are counted once,
// though they are parts as well.
func (w *writer) texts(r rendered, level int) {
	images := r.images
	for _, d := range r.docs {
		images -= d.Health.Images
		w.Append(d, level)
	}
	w.Health.Images += max(images, 0)
	if w.Encoding == "" {
		w.Encoding = w.encoding
	}
}

// details are who wrote to whom and when, a line each.
func details(h header) string {
	var lines []string
	for _, f := range []struct{ name, label string }{{"from", "From"}, {"to", "To"}, {"cc", "Cc"}, {"date", "Date"}} {
		value := h.text(f.name)
		if f.name == "date" {
			value = date(value)
		}
		if value != "" {
			lines = append(lines, f.label+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}
