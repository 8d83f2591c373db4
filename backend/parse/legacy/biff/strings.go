package biff

import (
	"strconv"

	"ragdesk/backend/text"
)

// segments reads across a record and its continuations.
type segments struct {
	parts [][]byte
	at    int
}

func segmentsOf(r record) *segments {
	return &segments{parts: append([][]byte{r.data}, r.rest...)}
}

// settle moves to a part with bytes left; false at the end of all.
func (s *segments) settle() bool {
	for len(s.parts) > 0 && s.at >= len(s.parts[0]) {
		s.parts, s.at = s.parts[1:], 0
	}
	return len(s.parts) > 0
}

func (s *segments) u8() int {
	if !s.settle() {
		return 0
	}
	s.at++
	return int(s.parts[0][s.at-1])
}

func (s *segments) u16() int { low := s.u8(); return low | s.u8()<<8 }
func (s *segments) u32() int { low := s.u16(); return low | s.u16()<<16 }

// skip moves n bytes on.
func (s *segments) skip(n int) {
	for n > 0 && s.settle() {
		step := min(n, len(s.parts[0])-s.at)
		s.at += step
		n -= step
	}
}

// Flags of a Unicode string.
const (
	flagWide = 1
	flagFar  = 4
	flagRich = 8
)

// unicode reads a string of BIFF8: a count of characters, flags, and characters
// of one or two bytes. Where a continuation begins among them it states anew how
// wide they are.
func (s *segments) unicode() string {
	count := s.u16()
	flags := s.u8()
	runs, extra := 0, 0
	if flags&flagRich != 0 {
		runs = s.u16()
	}
	if flags&flagFar != 0 {
		extra = s.u32()
	}
	out := s.chars(count, flags)
	s.skip(4 * runs)
	s.skip(extra)
	return out
}

// chars reads count characters as flags say, and as the flags at the start of
// each continuation say.
func (s *segments) chars(count, flags int) string {
	var wide []byte
	for count > 0 && len(s.parts) > 0 {
		if s.at >= len(s.parts[0]) {
			if !s.settle() {
				break
			}
			flags = s.u8()
			continue
		}
		left := s.parts[0][s.at:]
		if flags&flagWide == 0 {
			n := min(count, len(left))
			for _, c := range left[:n] {
				wide = append(wide, c, 0)
			}
			s.at += n
			count -= n
			continue
		}
		n := min(count, len(left)/2)
		wide = append(wide, left[:2*n]...)
		s.at += 2 * n
		count -= n
		if n == 0 { // half a character at the end of a part
			s.at = len(s.parts[0])
		}
	}
	decoded, err := text.Loose("UTF-16LE", wide)
	if err != nil {
		return ""
	}
	return decoded
}

// sharedStrings reads the table of strings, of at most limit bytes in all.
func sharedStrings(r record, limit int64) []string {
	s := segmentsOf(r)
	s.skip(4)
	count := s.u32()
	var table []string
	size := int64(0)
	for i := 0; i < count && size <= limit && s.settle(); i++ {
		v := s.unicode()
		size += int64(len(v)) + 16
		table = append(table, v)
	}
	return table
}

// bytesString decodes a string of one byte a character in the book's code page.
func bytesString(b []byte, codepage int) string {
	name := strconv.Itoa(codepage)
	switch codepage {
	case 0, 0x8001, 367:
		name = "windows-1252"
	case 0x8000:
		name = "macintosh"
	}
	s, err := text.Loose(name, b)
	if err != nil {
		s, _ = text.Loose("windows-1252", b) // a known name
	}
	return s
}
