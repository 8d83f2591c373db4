package tokenize

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// charMap is a sentencepiece model's precompiled character map: a Darts double
// array (Yata, Morita, Fuketa and Aoe, 2007, as the Darts-clone library lays it
// out) from strings to offsets of NUL-terminated replacements.
type charMap struct {
	units        []uint32
	replacements []byte
	joinings     *joinings
	// basic holds, for each rune of the basic plane, the index in shorts of its
	// replacement; 0 means that it stays.
	basic  []int32
	shorts [][]byte
}

// newCharMap reads a map as a tokenizer.json or a sentencepiece model holds it:
// the length of the double array in bytes, the array, the replacements.
func newCharMap(blob []byte) (*charMap, error) {
	if len(blob) < 4 {
		return nil, fmt.Errorf("character map of %d bytes", len(blob))
	}
	size := int(binary.LittleEndian.Uint32(blob))
	if size%4 != 0 || size == 0 || size > len(blob)-4 {
		return nil, fmt.Errorf("character map: array of %d bytes in %d", size, len(blob)-4)
	}
	m := &charMap{
		units: make([]uint32, size/4), replacements: blob[4+size:],
		joinings: newJoinings(), basic: make([]int32, 1<<16), shorts: [][]byte{nil},
	}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(blob[4+4*i:])
	}
	if !utf8.Valid(m.replacements) {
		return nil, errors.New("character map: replacements are not UTF-8")
	}
	var room [utf8.UTFMax]byte
	for r := range rune(len(m.basic)) {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		if to, ok := m.lookup(utf8.AppendRune(room[:0], r)); ok {
			m.basic[r] = int32(len(m.shorts))
			m.shorts = append(m.shorts, to)
		}
	}
	return m, nil
}

// lookup returns the replacement of the shortest entry that s starts with. The
// reference takes it for all of s.
func (m *charMap) lookup(s []byte) (to []byte, ok bool) {
	at := offset(m.units[0])
	for _, b := range s {
		at ^= uint32(b)
		if b == 0 || int(at) >= len(m.units) {
			return nil, false
		}
		unit := m.units[at]
		if unit&(1<<31|0xff) != uint32(b) {
			return nil, false
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if int(at) >= len(m.units) {
			return nil, false
		}
		start := int(m.units[at] &^ (1 << 31))
		if start > len(m.replacements) {
			return nil, false
		}
		end := bytes.IndexByte(m.replacements[start:], 0)
		if end < 0 {
			end = len(m.replacements) - start
		}
		return m.replacements[start : start+end], true
	}
	return nil, false
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// one returns the replacement of the character r, whose bytes are s.
func (m *charMap) one(r rune, s []byte) (to []byte, ok bool) {
	if int(r) >= len(m.basic) {
		return m.lookup(s)
	}
	i := m.basic[r]
	return m.shorts[i], i != 0
}

// apply maps in, cluster by cluster.
func (m *charMap) apply(in *aligned) *aligned {
	out := newAligned(len(in.buf) + len(in.buf)/8)
	for i := 0; i < len(in.buf); {
		n := m.joinings.cluster(in.buf[i:])
		_, size := utf8.DecodeRune(in.buf[i:])
		if n > size && n < shortCluster {
			if to, ok := m.lookup(in.buf[i : i+n]); ok {
				out.put(to, in.at[i].from, in.at[i+n-1].to)
				i += n
				continue
			}
		}
		for end := i + n; i < end; i += size {
			var r rune
			r, size = utf8.DecodeRune(in.buf[i:])
			if to, ok := m.one(r, in.buf[i:i+size]); ok {
				out.put(to, in.at[i].from, in.at[i+size-1].to)
				continue
			}
			out.buf = append(out.buf, in.buf[i:i+size]...)
			out.at = append(out.at, in.at[i:i+size]...)
		}
	}
	return out
}
