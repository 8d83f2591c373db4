package mail

import (
	"context"
	"net/mail"
	"path"
	"strings"
	"unicode"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// rendered is what a message or part shows: texts in their order, files beside
// them, and how many pictures.
type rendered struct {
	docs        []rag.Document
	attachments []part
	images      int
}

func (r *rendered) add(o rendered) {
	r.docs = append(r.docs, o.docs...)
	r.attachments = append(r.attachments, o.attachments...)
	r.images += o.images
}

// date writes a date year first; one that is not understood stays.
func date(s string) string {
	t, err := mail.ParseDate(s)
	if err != nil {
		return s
	}
	return t.Format("2006-01-02 15:04:05 -0700")
}

// render reads the texts of a part.
func (w *writer) render(ctx context.Context, m part) (rendered, error) {
	if err := ctx.Err(); err != nil {
		return rendered{}, err
	}
	switch {
	case m.kind == "multipart/alternative":
		return w.alternative(ctx, m)
	case m.kind == "multipart/related":
		return w.related(ctx, m)
	case strings.HasPrefix(m.kind, "multipart/"):
		var r rendered
		for _, child := range m.parts {
			o, err := w.render(ctx, child)
			if err != nil {
				return rendered{}, err
			}
			r.add(o)
		}
		return r, nil
	case signature(m.kind):
		return rendered{}, nil
	case strings.HasPrefix(m.kind, "image/") && !m.file:
		return rendered{images: 1}, nil
	case m.attached || !strings.HasPrefix(m.kind, "text/") && m.kind != "message/delivery-status":
		return rendered{attachments: []part{m}}, nil
	case m.kind == "text/html":
		return w.html(ctx, m)
	}
	return w.plainText(m), nil
}

// signature reports whether a part only proves who wrote the others.
func signature(kind string) bool {
	switch kind {
	case "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature":
		return true
	}
	return false
}

// plainText reads a part of plain text.
func (w *writer) plainText(m part) rendered {
	r := charset.Labelled(m.body, m.params["charset"])
	s := r.Text
	if strings.EqualFold(m.params["format"], "flowed") {
		s = unflow(s, strings.EqualFold(m.params["delsp"], "yes"))
	}
	w.note(r.Encoding)
	if text.IsBlank(s) {
		return rendered{}
	}
	return rendered{docs: []rag.Document{{Text: s, Warnings: r.Warnings, Health: rag.Health{Confidence: r.Confidence}}}}
}

func (w *writer) note(encoding string) {
	if w.encoding == "" {
		w.encoding = encoding
	}
}

// html reads a web page; one that cannot be read is told of and left out.
func (w *writer) html(ctx context.Context, m part) (rendered, error) {
	in := rag.Input{Source: "body.html", Bytes: m.body}
	if label := m.params["charset"]; label != "" {
		r := charset.Labelled(m.body, label)
		w.note(r.Encoding)
		in.Bytes, in.Encoding = []byte(r.Text), "UTF-8"
	}
	d, err := w.env.Nested(ctx, in)
	if err != nil {
		if ctx.Err() != nil {
			return rendered{}, ctx.Err()
		}
		w.Warn(doctext.WarnAttachment, "body.html: "+fault.Of(err).Code)
		return rendered{}, nil
	}
	w.note(d.Encoding)
	if text.IsBlank(d.Text) {
		return rendered{images: d.Health.Images}, nil
	}
	return rendered{docs: []rag.Document{d}}, nil
}

// alternative reads all alternatives and takes the plain one unless it is clearly
// poorer than the richest; files and pictures are taken from all.
func (w *writer) alternative(ctx context.Context, m part) (rendered, error) {
	var plain, rich, out rendered
	before := w.encoding
	for _, child := range m.parts {
		if child.kind == "text/calendar" && len(m.parts) > 1 || child.kind == "text/x-amp-html" {
			continue
		}
		o, err := w.render(ctx, child)
		if err != nil {
			return rendered{}, err
		}
		out.attachments = append(out.attachments, o.attachments...)
		switch {
		case child.kind == "text/plain":
			plain = o
		case len(o.docs) > 0:
			rich = o
		}
		out.images = max(out.images, o.images)
	}
	if out.docs = plain.docs; poorer(plain.docs, rich.docs) {
		out.docs = rich.docs
		if len(rich.docs) > 0 && rich.docs[0].Encoding != "" && before == "" {
			w.encoding = rich.docs[0].Encoding
		}
	}
	return out, nil
}

// poorer reports whether plain text is empty, holds less than half of what the
// rich text does, or flattens its tables.
func poorer(plain, rich []rag.Document) bool {
	if len(rich) == 0 {
		return false
	}
	p, _ := weigh(plain)
	r, tables := weigh(rich)
	return 2*p < r || tables > 0 && r > 0
}

// weigh counts the letters and digits of texts, and their tables.
func weigh(docs []rag.Document) (letters, tables int) {
	for _, d := range docs {
		for _, r := range d.Text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				letters++
			}
		}
		for _, b := range d.Blocks {
			if b.Kind == rag.BlockTable {
				tables++
			}
		}
	}
	return letters, tables
}

// related reads the part that the others belong to; pages beside it only when it
// shows nothing itself, as a frame does.
func (w *writer) related(ctx context.Context, m part) (rendered, error) {
	root := 0
	for i, child := range m.parts {
		if start := m.params["start"]; start != "" && child.get("content-id") == start {
			root = i
		}
	}
	out, err := w.render(ctx, m.parts[root])
	if err != nil {
		return rendered{}, err
	}
	framed := len(out.docs) == 0
	for i, child := range m.parts {
		switch {
		case i == root:
		case framed && child.kind == "text/html":
			child.attached = false
			o, err := w.render(ctx, child)
			if err != nil {
				return rendered{}, err
			}
			out.add(o)
		case strings.HasPrefix(child.kind, "text/"), child.kind == "application/javascript", strings.HasPrefix(child.kind, "font/"),
			strings.Contains(child.kind, "xml") || path.Ext(child.name) == ".thmx":
			// Frames, styles, scripts and themes of the page.
		default:
			o, err := w.render(ctx, child)
			if err != nil {
				return rendered{}, err
			}
			out.add(o)
		}
	}
	return out, nil
}

// attachments adds each file that can be read as a section.
func (w *writer) attachments(ctx context.Context, files []part, level int) error {
	for i, file := range files {
		name := file.name
		if name == "" {
			name = file.text("subject")
		}
		source, known := sourceOf(file, i)
		if name == "" {
			name = source
		}
		d, err := w.env.Nested(ctx, rag.Input{Source: source, Bytes: file.body})
		if fault.Is(err, "format_unsupported") && known != "" && path.Ext(source) != known {
			d, err = w.env.Nested(ctx, rag.Input{Source: source + known, Bytes: file.body})
		}
		if fault.Is(err, "format_unsupported") && picture(name, file.kind) {
			w.Health.Images++
			continue
		}
		if err := w.attachment(ctx, name, d, err, level); err != nil {
			return err
		}
	}
	return nil
}

// attachment adds what was read of a file, or the warning that it was not.
func (w *writer) attachment(ctx context.Context, name string, d rag.Document, err error, level int) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		w.Warn(doctext.WarnAttachment, name+": "+fault.Of(err).Code)
		return nil
	}
	if !text.IsBlank(d.Text) {
		w.Heading(level, name)
	}
	w.Append(d, level)
	if int64(w.Len()) > w.env.Limits.Text {
		return fault.New("limit_text", fault.P("limit", w.env.Limits.Text))
	}
	return nil
}

// picture reports whether a file is one by its name or media type.
func picture(name, kind string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".tif", ".tiff", ".webp", ".svg":
		return true
	}
	return strings.HasPrefix(kind, "image/")
}

// sourceOf names a file for the choice of its parser; known is the extension that
// its media type stands for.
func sourceOf(file part, i int) (source, known string) {
	extensions := map[string]string{
		"application/pdf": ".pdf", "application/msword": ".doc", "application/vnd.ms-excel": ".xls",
		"application/vnd.ms-powerpoint": ".ppt", "application/rtf": ".rtf", "text/rtf": ".rtf", "text/html": ".html",
		"text/csv": ".csv", "text/markdown": ".md", "application/json": ".json", "application/xml": ".xml", "text/xml": ".xml",
		"message/rfc822": ".eml", "application/epub+zip": ".epub", "application/vnd.ms-outlook": ".msg", "application/zip": ".zip",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
	}
	if known = extensions[file.kind]; known == "" && strings.HasPrefix(file.kind, "text/") {
		known = ".txt"
	}
	if file.kind == "message/rfc822" {
		return "message.eml", known
	}
	if file.name == "" {
		return "attachment-" + string(rune('a'+i%26)) + known, known
	}
	return file.name, known
}
