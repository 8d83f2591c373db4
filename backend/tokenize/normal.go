package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// source is the range of a text that a normalised byte comes from.
type source struct{ from, to int }

// aligned is normalised text: valid UTF-8 with the source of every byte.
type aligned struct {
	buf []byte
	at  []source
}

func newAligned(size int) *aligned {
	return &aligned{make([]byte, 0, size), make([]source, 0, size)}
}

// put appends s as what became of the range from from to to.
func (a *aligned) put(s []byte, from, to int) {
	a.buf = append(a.buf, s...)
	for range s {
		a.at = append(a.at, source{from, to})
	}
}

// alignedOf is s as it stands at byte start of its text. Bytes that are no UTF-8
// become U+FFFD.
func alignedOf(s string, start int, simplify bool) *aligned {
	a := newAligned(len(s))
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			a.buf = append(a.buf, b)
			a.at = append(a.at, source{start + i, start + i + 1})
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if simplify {
			r = text.Simplified(r)
		}
		at := source{start + i, start + i + n}
		before := len(a.buf)
		a.buf = utf8.AppendRune(a.buf, r)
		for range len(a.buf) - before {
			a.at = append(a.at, at)
		}
		i += n
	}
	return a
}

// normaliser is one step from a text to what the model's pieces are cut from.
type normaliser interface{ apply(in *aligned) *aligned }

// strip drops white space at the ends.
type strip struct{ left, right bool }

func (s strip) apply(in *aligned) *aligned {
	lo, hi := 0, len(in.buf)
	if s.left {
		lo = hi - len(bytes.TrimLeftFunc(in.buf, unicode.IsSpace))
	}
	if s.right {
		hi = lo + len(bytes.TrimRightFunc(in.buf[lo:], unicode.IsSpace))
	}
	return &aligned{in.buf[lo:hi], in.at[lo:hi]}
}

// replace puts content in the place of a pattern: every occurrence of literal,
// or every run of at least two blanks.
type replace struct {
	literal, content []byte
	blanks           bool
}

// next returns where the next match in s lies; start is −1 when there is none.
func (r replace) next(s []byte) (start, end int) {
	if !r.blanks {
		start = bytes.Index(s, r.literal)
		return start, start + len(r.literal)
	}
	start = bytes.Index(s, []byte("  "))
	for end = start; end >= 0 && end < len(s) && s[end] == ' '; end++ {
	}
	return start, end
}

func (r replace) apply(in *aligned) *aligned {
	start, end := r.next(in.buf)
	if start < 0 {
		return in
	}
	out := newAligned(len(in.buf))
	for i := 0; ; start, end = r.next(in.buf[i:]) {
		if start < 0 {
			out.buf = append(out.buf, in.buf[i:]...)
			out.at = append(out.at, in.at[i:]...)
			return out
		}
		out.buf = append(out.buf, in.buf[i:i+start]...)
		out.at = append(out.at, in.at[i:i+start]...)
		out.put(r.content, in.at[i+start].from, in.at[i+end-1].to)
		i += end
	}
}
