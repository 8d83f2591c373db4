package mail

import (
	"bytes"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
)

// part is a message or a part of one.
type part struct {
	header
	// kind is the media type, such as "text/plain".
	kind   string
	params map[string]string
	// name is the file's name, "" without; attached says that it is to be shown
	// as a file, file that its sender said so.
	name           string
	attached, file bool
	// body is decoded; parts are those of a multipart.
	body  []byte
	parts []part
}

// maxNesting is how deep parts are read inside parts.
const maxNesting = 32

// parser counts what it reads.
type parser struct {
	limits guard.Limits
	parts  int
}

// parse reads a message or part. Faults: limit_depth, limit_pages for too many
// parts.
func (p *parser) parse(b []byte, defaultKind string, depth int) (part, error) {
	if depth > min(maxNesting, p.limits.Depth) {
		return part{}, fault.New("limit_depth", fault.P("limit", min(maxNesting, p.limits.Depth)))
	}
	if p.parts++; p.parts > p.limits.Pages {
		return part{}, fault.New("limit_pages", fault.P("limit", p.limits.Pages), fault.P("pages", p.parts))
	}
	var m part
	var raw []byte
	m.header, raw = splitHeader(b)
	m.kind, m.params = m.header.parts("content-type")
	if !strings.Contains(m.kind, "/") {
		m.kind = defaultKind
	}
	disposition, params := m.header.parts("content-disposition")
	if m.name = params["filename"]; m.name == "" {
		m.name = m.params["name"]
	}
	m.name = path.Base(strings.ReplaceAll(m.name, `\`, "/"))
	if m.name == "." || m.name == "/" {
		m.name = ""
	}
	m.file = disposition == "attachment"
	m.attached = m.file || m.name != "" && disposition != "inline"
	if !strings.HasPrefix(m.kind, "multipart/") {
		m.body = decodeBody(raw, m.get("content-transfer-encoding"))
		return m, nil
	}
	inner := "text/plain"
	if m.kind == "multipart/digest" {
		inner = "message/rfc822"
	}
	for _, piece := range split(raw, m.params["boundary"]) {
		child, err := p.parse(piece, inner, depth+1)
		if err != nil {
			return part{}, err
		}
		m.parts = append(m.parts, child)
	}
	if len(m.parts) == 0 { // no boundary was found: it is text after all
		m.kind, m.body = "text/plain", raw
	}
	return m, nil
}

// decodeBody undoes a transfer encoding.
func decodeBody(b []byte, encoding string) []byte {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return decodeBase64(b)
	case "quoted-printable":
		return decodeQuoted(b)
	}
	return b
}

// split cuts the body of a multipart at its boundary. An unstated boundary is
// looked for in the first line that is one; a missing end is the body's.
func split(b []byte, boundary string) [][]byte {
	var parts [][]byte
	start := -1
	for at := 0; at < len(b); {
		line, _ := cutLine(b[at:])
		text := bytes.TrimRight(line, " \t\r\n")
		if boundary == "" && len(text) > 2 && bytes.HasPrefix(text, []byte("--")) {
			boundary = string(text[2:])
		}
		rest, ok := bytes.CutPrefix(text, []byte("--"+boundary))
		if ok && boundary != "" && (len(rest) == 0 || string(rest) == "--") {
			if start >= 0 {
				parts = append(parts, trimLineEnd(b[start:at]))
			}
			if start = at + len(line); len(rest) > 0 {
				return parts
			}
		}
		at += len(line)
	}
	if start >= 0 && start < len(b) {
		parts = append(parts, b[start:])
	}
	return parts
}

// trimLineEnd drops the line end that belongs to the boundary after b.
func trimLineEnd(b []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
}

// unflow joins the lines of text that its writer's program broke, by the rules
// of format=flowed; remove says that the blank at the end of a line goes.
func unflow(s string, remove bool) string {
	var out []byte
	open, depth := false, 0
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		quotes := len(line) - len(strings.TrimLeft(line, ">"))
		content := strings.TrimPrefix(line[quotes:], " ")
		signature := content == "-- "
		if !open || quotes != depth || signature {
			if len(out) > 0 {
				out = append(out, '\n')
			}
			if quotes > 0 {
				out = append(append(out, line[:quotes]...), ' ')
			}
		}
		out = append(out, content...)
		open, depth = strings.HasSuffix(content, " ") && !signature, quotes
		if open && remove {
			out = out[:len(out)-1]
		}
	}
	return string(out)
}
