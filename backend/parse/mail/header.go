package mail

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"

	"ragdesk/backend/parse/charset"
)

// header holds the fields of a message or part, in their order, names in lower
// case, values unfolded and otherwise as they were.
type header []struct{ name, value string }

// maxHeader bounds the bytes of a header that are looked at.
const maxHeader = 1 << 20

// splitHeader parts b into header and body at the first blank line. Without a
// field at the start all of b is body.
func splitHeader(b []byte) (header, []byte) {
	var h header
	var folded []string // the lines of the last field
	end := func() {
		if len(h) > 0 && len(folded) > 0 {
			h[len(h)-1].value = strings.Join(folded, " ")
		}
		folded = nil
	}
	defer end()
	rest := b
	for read := 0; len(rest) > 0 && read < maxHeader; {
		line, after := cutLine(rest)
		text := strings.TrimRight(string(line), "\r\n")
		switch name, value, ok := strings.Cut(text, ":"); {
		case strings.TrimSpace(text) == "":
			if len(h) > 0 {
				return h, after
			}
		case len(h) > 0 && (text[0] == ' ' || text[0] == '\t'):
			folded = append(folded, strings.TrimSpace(text))
		case ok && fieldName(name):
			end()
			h = append(h, struct{ name, value string }{name: strings.ToLower(strings.TrimSpace(name))})
			folded = append(folded, strings.TrimSpace(value))
		case strings.HasPrefix(text, "From ") || strings.HasPrefix(text, ">From "): // an envelope
		case len(h) == 0:
			return nil, b
		default:
			return h, rest // a body without a blank line before it
		}
		read += len(line)
		rest = after
	}
	return h, rest
}

// fieldName reports whether s is the name of a header's field.
func fieldName(s string) bool {
	s = strings.TrimRight(s, " \t")
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) < 0
}

// cutLine parts b after its first line.
func cutLine(b []byte) (line, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i+1], b[i+1:]
	}
	return b, nil
}

// get returns the first value of a field, "" without.
func (h header) get(name string) string {
	for _, f := range h {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// text returns a field's value with its encoded words decoded.
func (h header) text(name string) string { return decodeWords(h.get(name)) }

// word is an encoded word: a character encoding, B or Q, and the text.
var word = regexp.MustCompile(`=\?([^?\s]+)\?([bBqQ])\?([^?]*)\?=`)

// decodeWords decodes the encoded words of a header's value. Neighbours in one
// encoding are decoded together, since a character may be cut between them; bytes
// without an encoding are read by evidence.
func decodeWords(s string) string {
	var out strings.Builder
	var pending []byte
	label := ""
	flush := func() {
		if len(pending) > 0 {
			out.WriteString(charset.Labelled(pending, label).Text)
		}
		pending = nil
	}
	at := 0
	for _, m := range word.FindAllStringSubmatchIndex(s, -1) {
		between := s[at:m[0]]
		name, _, _ := strings.Cut(strings.ToLower(s[m[2]:m[3]]), "*") // without a language
		if strings.TrimSpace(between) != "" || name != label {
			flush()
		}
		if strings.TrimSpace(between) != "" || at == 0 {
			out.WriteString(plain(between))
		}
		label = name
		if content := s[m[6]:m[7]]; strings.EqualFold(s[m[4]:m[5]], "b") {
			pending = append(pending, decodeBase64([]byte(content))...)
		} else {
			pending = append(pending, decodeQuoted([]byte(strings.ReplaceAll(content, "_", " ")))...)
		}
		at = m[1]
	}
	flush()
	out.WriteString(plain(s[at:]))
	return strings.Join(strings.Fields(out.String()), " ")
}

// plain reads the part of a value that is no encoded word.
func plain(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return charset.Labelled([]byte(s), "").Text
		}
	}
	return s
}

// value parts a field such as Content-Type into its value in lower case and its
// parameters, decoded.
func (h header) parts(name string) (value string, params map[string]string) {
	rest := h.get(name)
	value, rest, _ = strings.Cut(rest, ";")
	params = map[string]string{}
	pieces := map[string][]piece{}
	for rest != "" {
		var key, v string
		key, v, rest = cutParam(rest)
		if key == "" {
			continue
		}
		base, number, encoded := pieceOf(key)
		if number < 0 {
			if _, twice := params[base]; !twice {
				params[base] = decodeWords(v)
			}
			continue
		}
		pieces[base] = append(pieces[base], piece{number, encoded, v})
	}
	for key, list := range pieces {
		params[key] = join(list)
	}
	return strings.ToLower(strings.TrimSpace(value)), params
}

// cutParam takes the first parameter off a list.
func cutParam(s string) (key, value, rest string) {
	s = strings.TrimLeft(s, " \t;")
	i := strings.IndexAny(s, "=;")
	if i < 0 || s[i] == ';' {
		if i < 0 {
			return "", "", ""
		}
		return "", "", s[i+1:]
	}
	key = strings.ToLower(strings.TrimSpace(s[:i]))
	s = strings.TrimLeft(s[i+1:], " \t")
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ";")
		return key, strings.TrimSpace(value), rest
	}
	var out strings.Builder
	for i = 1; i < len(s) && s[i] != '"'; i++ {
		// A backslash escapes quotes only: file names of Windows have others.
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
		}
		out.WriteByte(s[i])
	}
	_, rest, _ = strings.Cut(s[min(i, len(s)):], ";")
	return key, out.String(), rest
}

// piece is a part of a parameter that was cut or encoded.
type piece struct {
	number  int
	encoded bool
	value   string
}

// pieceOf reads a parameter's key such as "name*1*"; number is -1 for one that is
// whole and plain.
func pieceOf(key string) (base string, number int, encoded bool) {
	base, rest, ok := strings.Cut(key, "*")
	if !ok {
		return key, -1, false
	}
	rest, encoded = strings.CutSuffix(rest, "*")
	if rest == "" {
		return base, 0, true
	}
	for _, c := range rest {
		if c < '0' || c > '9' || number > 1000 {
			return base, 0, encoded
		}
		number = 10*number + int(c-'0')
	}
	return base, number, encoded
}

// join puts the pieces of a parameter together and decodes them.
func join(list []piece) string {
	byNumber := map[int]piece{}
	for _, p := range list {
		byNumber[p.number] = p
	}
	var b []byte
	label := ""
	for i := 0; i < len(byNumber); i++ {
		p, ok := byNumber[i]
		if !ok {
			break
		}
		v := p.value
		if i == 0 && p.encoded {
			if parts := strings.SplitN(v, "'", 3); len(parts) == 3 {
				label, v = parts[0], parts[2]
			}
		}
		if p.encoded {
			b = append(b, decodePercent(v)...)
			continue
		}
		b = append(b, v...)
	}
	return charset.Labelled(b, label).Text
}

func decodePercent(s string) []byte {
	return decodeQuoted([]byte(strings.NewReplacer("=", "=3D", "%", "=").Replace(s)))
}

// decodeBase64 decodes what can be decoded: other characters are passed over, and
// padding may be missing or stand in the middle.
func decodeBase64(b []byte) []byte {
	out := make([]byte, 0, len(b)*3/4)
	var quad [4]byte
	n := 0
	flush := func() {
		var buf [3]byte
		if m, err := base64.RawStdEncoding.Decode(buf[:], quad[:n]); err == nil {
			out = append(out, buf[:m]...)
		}
		n = 0
	}
	for _, c := range b {
		switch {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '+', c == '/':
			quad[n] = c
			if n++; n == 4 {
				flush()
			}
		case c == '=' && n > 1:
			flush()
		}
	}
	if n > 1 {
		flush()
	}
	return out
}

// decodeQuoted decodes quoted-printable text; what is not encoded rightly stays.
func decodeQuoted(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '=' {
			out = append(out, b[i])
			continue
		}
		end := i + 1
		for end < len(b) && (b[end] == ' ' || b[end] == '\t' || b[end] == '\r') {
			end++
		}
		switch {
		case end == len(b):
			return out
		case b[end] == '\n': // a soft line break
			i = end
		case i+2 < len(b) && hex(b[i+1]) >= 0 && hex(b[i+2]) >= 0:
			out = append(out, byte(hex(b[i+1])<<4|hex(b[i+2])))
			i += 2
		default:
			out = append(out, '=')
		}
	}
	return out
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
