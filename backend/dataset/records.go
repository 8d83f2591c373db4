package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// maxRecord bounds the bytes of one record, so that a file without line ends
// cannot ask for all memory.
const maxRecord = 16 << 20

// record is one JSON value of a file, not yet parsed.
type record struct {
	// line is where it begins, from 1.
	line int
	raw  []byte
	// problem is set when raw cannot be used.
	problem, detail string
}

// scanner cuts JSON Lines or a JSON array into records and knows the lines. It
// goes on after a record that is broken.
type scanner struct {
	r *bufio.Reader
	// line is that of the byte to be read next.
	line int
	// indent is the blanks at the start of the line.
	indent []byte
	// blankSoFar says that the line has shown only blanks yet, leads that the byte
	// read last was the first other.
	blankSoFar, leads bool
	visit             func(record) error
	buf               []byte
	long              bool
}

// scanRecords calls visit for each record of r, in order.
func scanRecords(ctx context.Context, r io.Reader, visit func(record) error) error {
	s := &scanner{r: bufio.NewReaderSize(r, 64<<10), line: 1, blankSoFar: true}
	s.visit = func(rec record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return visit(rec)
	}
	if bom, err := s.r.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" {
		_, _ = s.r.Discard(3) // it was just peeked
	}
	first, err := s.skip(false)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	case first == '[':
		s.blankSoFar = true // what follows on the line counts as its start
		return s.array()
	}
	if err := s.r.UnreadByte(); err != nil {
		return err
	}
	return s.lines()
}

// next reads a byte and keeps count of lines and indentation.
func (s *scanner) next() (byte, error) {
	b, err := s.r.ReadByte()
	if err != nil {
		return 0, err
	}
	switch {
	case b == '\n':
		s.line++
		s.indent, s.blankSoFar, s.leads = s.indent[:0], true, false
	case s.blankSoFar && (b == ' ' || b == '\t'):
		s.indent = append(s.indent, b)
	default:
		s.blankSoFar, s.leads = false, s.blankSoFar
	}
	return b, nil
}

// skip returns the first byte that is no blank, nor a comma if those are skipped.
func (s *scanner) skip(commas bool) (byte, error) {
	for {
		b, err := s.next()
		if err != nil {
			return 0, err
		}
		if !isBlank(b) && (b != ',' || !commas) {
			return b, nil
		}
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// keep adds b to the record that is being read.
func (s *scanner) keep(b byte) {
	if len(s.buf) < maxRecord {
		s.buf = append(s.buf, b)
	} else {
		s.long = true
	}
}

// emit passes on the record that began at line.
func (s *scanner) emit(line int) error {
	rec := record{line: line, raw: bytes.TrimSpace(s.buf)}
	switch {
	case s.long:
		rec.problem, rec.detail = CodeTooLong, strconv.Itoa(maxRecord)
	case len(rec.raw) == 0:
		return nil
	case !utf8.Valid(rec.raw):
		rec.problem, rec.detail = CodeNotUTF8, ""
	}
	err := s.visit(rec)
	s.buf, s.long = s.buf[:0], false
	return err
}

// lines reads one record a line.
func (s *scanner) lines() error {
	for start, end := s.line, false; !end; start = s.line {
		for {
			b, err := s.next()
			if end = errors.Is(err, io.EOF); end {
				break
			}
			if err != nil {
				return err
			}
			if b == '\n' {
				break
			}
			s.keep(b)
		}
		if err := s.emit(start); err != nil {
			return err
		}
	}
	return nil
}

// array reads the elements of an array whose '[' has been read.
func (s *scanner) array() error {
	for {
		b, err := s.skip(true)
		if errors.Is(err, io.EOF) {
			return s.visit(record{line: s.line, problem: CodeBadJSON, detail: "▸]"})
		}
		if err != nil {
			return err
		}
		if b == ']' {
			return s.tail()
		}
		if err := s.element(b); err != nil {
			return err
		}
	}
}

// tail reports what follows the array.
func (s *scanner) tail() error {
	_, err := s.skip(false)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.visit(record{line: s.line, problem: CodeBadJSON, detail: "]▸…"})
}

// element reads the element of an array that begins with first. An element whose
// brackets do not match would swallow those after it: it also ends before a line
// that is indented as its own first line and begins with '{'. A string ends with
// its line, since JSON has no line ends in strings.
func (s *scanner) element(first byte) error {
	start := s.line
	indent, leads := bytes.Clone(s.indent), s.leads
	var n nesting
	for b := first; ; {
		s.keep(b)
		n.add(b)
		if n.closed {
			return s.emit(start)
		}
		if b == '\n' && leads && s.nextStartsElement(indent) {
			return s.emit(start)
		}
		ahead, err := s.r.Peek(1)
		if errors.Is(err, io.EOF) || err == nil && n.ends(ahead[0]) {
			return s.emit(start)
		}
		if b, err = s.next(); err != nil {
			return err
		}
	}
}

// nextStartsElement reports whether the line to be read begins with indent and '{'.
func (s *scanner) nextStartsElement(indent []byte) bool {
	ahead, err := s.r.Peek(len(indent) + 1)
	return err == nil && bytes.HasPrefix(ahead, indent) && ahead[len(indent)] == '{'
}

// nesting follows the brackets of one JSON value.
type nesting struct {
	depth             int
	inString, escaped bool
	// closed is set by the bracket that ends the value.
	closed bool
}

func (n *nesting) add(b byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.inString && b == '\\':
		n.escaped = true
	case b == '"':
		n.inString = !n.inString
	case b == '\n':
		n.inString = false
	case n.inString:
	case b == '{' || b == '[':
		n.depth++
	case b == '}' || b == ']':
		n.depth--
		n.closed = n.depth <= 0
	}
}

// ends reports whether the byte ahead ends a value without brackets.
func (n *nesting) ends(ahead byte) bool {
	return n.depth == 0 && !n.inString && (ahead == ',' || ahead == ']')
}
