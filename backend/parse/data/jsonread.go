package data

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/record"
)

// jsonReader reads JSON, and what people write for it: comments, commas at the
// end, single quotes, bare names, line breaks in texts. Names and values keep
// their order, their repetitions and the digits of their numbers. Package
// encoding/json ends at the first of these oddities and cannot go on, and reads
// into maps without an order.
type jsonReader struct {
	s  string
	at int
	// depth is how many arrays and objects are open, values how many values were
	// read.
	depth, values       int
	maxDepth, maxValues int
	// odd is where s first departs from JSON, -1 where it does not.
	odd    int
	oddity string
}

// syntaxError is what is wrong with a JSON text, and where.
type syntaxError struct {
	at   int
	what string
}

// Error renders the error without its place.
func (e *syntaxError) Error() string { return e.what }

// position writes an offset as line and column, both from 1; columns are
// characters.
func position(s string, at int) string {
	at = min(at, len(s))
	line := 1 + strings.Count(s[:at], "\n")
	start := strings.LastIndexByte(s[:at], '\n') + 1
	return fmt.Sprintf("line %d, column %d", line, 1+utf8.RuneCountInString(s[start:at]))
}

func (r *jsonReader) fail(what string) error { return &syntaxError{r.at, what} }

// unusual notes that s departs from JSON here, oddFrom that it does at an offset.
func (r *jsonReader) unusual(what string) { r.oddFrom(r.at, what) }

func (r *jsonReader) oddFrom(at int, what string) {
	if r.odd < 0 {
		r.odd, r.oddity = at, what
	}
}

// space passes blanks and comments.
func (r *jsonReader) space() error {
	for r.at < len(r.s) {
		rest := r.s[r.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		case c == '#' || strings.HasPrefix(rest, "//"):
			r.unusual("comment")
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				r.at += end
			} else {
				r.at = len(r.s)
			}
		case strings.HasPrefix(rest, "/*"):
			r.unusual("comment")
			end := strings.Index(rest, "*/")
			if end < 0 {
				return r.fail("unclosed comment")
			}
			r.at += end + 2
		case strings.HasPrefix(rest, "\u00a0"), strings.HasPrefix(rest, "\uFEFF"):
			r.unusual("blank")
			_, n := utf8.DecodeRuneInString(rest)
			r.at += n
		default:
			return nil
		}
	}
	return nil
}

// next returns the next byte after blanks, 0 at the end.
func (r *jsonReader) next() (byte, error) {
	if err := r.space(); err != nil {
		return 0, err
	}
	if r.at == len(r.s) {
		return 0, nil
	}
	return r.s[r.at], nil
}

// value reads one value. Errors are a *syntaxError, limit_depth or limit_cells.
func (r *jsonReader) value() (record.Value, error) {
	if r.values++; r.values > r.maxValues {
		return record.Value{}, fault.New("limit_cells", fault.P("limit", r.maxValues))
	}
	c, err := r.next()
	switch {
	case err != nil:
		return record.Value{}, err
	case c == '{' || c == '[':
		if r.depth++; r.depth > r.maxDepth {
			return record.Value{}, fault.New("limit_depth", fault.P("limit", r.maxDepth))
		}
		r.at++
		v := record.Value{Kind: record.KindArray}
		if c == '{' {
			v.Kind = record.KindObject
		}
		v.Members, err = r.members(c + 2) // '}' and ']' follow two after
		r.depth--
		return v, err
	case c == '"' || c == '\'':
		s, err := r.text(c)
		return record.Scalar(s), err
	}
	return r.bare()
}

// members reads up to the closing byte.
func (r *jsonReader) members(closing byte) ([]record.Member, error) {
	var all []record.Member
	for {
		c, err := r.next()
		switch {
		case err != nil:
			return nil, err
		case c == closing:
			if len(all) > 0 {
				r.unusual("comma at the end")
			}
			r.at++
			return all, nil
		}
		var m record.Member
		if closing == '}' {
			if m.Name, err = r.name(); err != nil {
				return nil, err
			}
		}
		if m.Value, err = r.value(); err != nil {
			return nil, err
		}
		all = append(all, m)
		if c, err = r.next(); err != nil {
			return nil, err
		}
		switch c {
		case ',':
			r.at++
		case closing:
			r.at++
			return all, nil
		case 0:
			return nil, r.fail("unexpected end")
		default:
			return nil, r.fail("no comma after a value")
		}
	}
}

// name reads a member's name and the colon after it.
func (r *jsonReader) name() (string, error) {
	var name string
	var err error
	switch c, _ := r.next(); c {
	case '"', '\'':
		name, err = r.text(c)
	default:
		start := r.at
		for r.at < len(r.s) && (isLetter(r.s[r.at]) || r.s[r.at] >= utf8.RuneSelf) {
			r.at++
		}
		if name = r.s[start:r.at]; name == "" {
			err = r.fail("no name of a member")
			break
		}
		r.oddFrom(start, "name without quotes")
	}
	if err != nil {
		return "", err
	}
	if c, err := r.next(); err != nil || c != ':' {
		return "", r.fail("no colon after a name")
	}
	r.at++
	return name, nil
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c == '-'
}

// bare reads a value without quotes: a number or a word.
func (r *jsonReader) bare() (record.Value, error) {
	start := r.at
	for r.at < len(r.s) && (isLetter(r.s[r.at]) || r.s[r.at] == '+' || r.s[r.at] == '.') {
		r.at++
	}
	word := r.s[start:r.at]
	switch {
	case word == "true", word == "false", word == "null", isNumber(word):
		return record.Scalar(word), nil
	case word == "":
		if r.at == len(r.s) {
			return record.Value{}, r.fail("unexpected end")
		}
		return record.Value{}, r.fail("no value")
	case isOddWord(word):
		r.oddFrom(start, "value "+word)
		return record.Scalar(word), nil
	}
	r.at = start
	return record.Value{}, r.fail("no value")
}

// isNumber reports whether s is a number of JSON.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		digits := len(s) - 1 - len(strings.TrimLeft(s[1:], "0123456789"))
		if digits == 0 {
			return false
		}
		s = s[1+digits:]
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = strings.TrimLeft(s[1:], "+-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isOddWord reports whether s is a value in the languages that JSON is mixed up
// with.
func isOddWord(s string) bool {
	switch s {
	case "NaN", "Infinity", "-Infinity", "+Infinity", "undefined", "True", "False", "None":
		return true
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return true
	}
	_, err := strconv.ParseInt(s, 0, 64)
	return err == nil
}

// text reads a text from its quote to its end.
func (r *jsonReader) text(quote byte) (string, error) {
	if quote != '"' {
		r.unusual("single quote")
	}
	start := r.at
	r.at++
	from := r.at
	var b strings.Builder
	for r.at < len(r.s) {
		switch c := r.s[r.at]; c {
		case quote:
			s := r.s[from:r.at]
			r.at++
			if b.Len() == 0 {
				return s, nil
			}
			b.WriteString(s)
			return b.String(), nil
		case '\\':
			b.WriteString(r.s[from:r.at])
			r.escape(&b)
			from = r.at
		default:
			if c < 0x20 {
				r.unusual("control character in a text")
			}
			r.at++
		}
	}
	r.at = start
	return "", r.fail("text without an end")
}

// escape reads a backslash and what it stands for.
func (r *jsonReader) escape(b *strings.Builder) {
	if r.at+1 >= len(r.s) {
		r.at++
		return
	}
	const letters, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := r.s[r.at+1]
	switch i := strings.IndexByte(letters, c); {
	case i >= 0:
		b.WriteByte(meaning[i])
		r.at += 2
	case c == 'u':
		r.unicode(b)
	default:
		r.unusual("escape")
		r.at += 2
		if c == '\n' {
			return // a line that goes on
		}
		if c >= utf8.RuneSelf {
			r.at--
			return
		}
		b.WriteByte(c)
	}
}

// unicode reads \uXXXX, and the second half of a pair.
func (r *jsonReader) unicode(b *strings.Builder) {
	first, ok := hex4(r.s[r.at:])
	if !ok {
		r.unusual("escape")
		b.WriteString(`\u`)
		r.at += 2
		return
	}
	r.at += 6
	if utf16.IsSurrogate(first) {
		second, ok := hex4(r.s[r.at:])
		if pair := utf16.DecodeRune(first, second); ok && pair != utf8.RuneError {
			first = pair
			r.at += 6
		}
	}
	b.WriteRune(first) // half a pair becomes U+FFFD
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || !strings.HasPrefix(s, `\u`) {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
