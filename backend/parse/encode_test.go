package parse_test

import (
	"sync"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// encoders hold, by encoding, the bytes of each character: what text.Decode
// reads, turned round.
var encoders sync.Map // encoding name → map[rune][]byte

// encode returns s in the named encoding; ok is false when it cannot carry s.
func encode(encoding, s string) (b []byte, ok bool) {
	switch encoding {
	case "UTF-8":
		return []byte(s), true
	case "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE":
		return encodeUnicode(encoding, s), true
	}
	table, found := encoders.Load(encoding)
	if !found {
		table, _ = encoders.LoadOrStore(encoding, invert(encoding))
	}
	for _, r := range s {
		c := table.(map[rune][]byte)[r]
		if c == nil && encoding == "GB18030" && r >= 0x10000 {
			c = gbSupplementary(r)
		}
		if c == nil {
			return nil, false
		}
		b = append(b, c...)
	}
	return b, true
}

func encodeUnicode(encoding, s string) []byte {
	var out []byte
	put := func(v uint32, size int) {
		for i := range size {
			shift := 8 * i
			if encoding[len(encoding)-2] == 'B' {
				shift = 8 * (size - 1 - i)
			}
			out = append(out, byte(v>>shift))
		}
	}
	for _, r := range s {
		switch {
		case encoding[:6] == "UTF-32":
			put(uint32(r), 4)
		case r >= 0x10000:
			put(0xd800+uint32(r-0x10000)>>10, 2)
			put(0xdc00+uint32(r-0x10000)&0x3ff, 2)
		default:
			put(uint32(r), 2)
		}
	}
	return out
}

// gbSupplementary is the linear part of GB18030, from 90 30 81 30 on.
func gbSupplementary(r rune) []byte {
	n := int(r-0x10000) + 189000
	return []byte{byte(0x81 + n/12600), byte(0x30 + n/1260%10), byte(0x81 + n/10%126), byte(0x30 + n%10)}
}

// invert lists the characters of one, two and, for GB18030, four bytes.
func invert(encoding string) map[rune][]byte {
	table := map[rune][]byte{}
	add := func(b ...byte) {
		s, err := text.Decode(encoding, b)
		if r, n := utf8.DecodeRuneInString(s); err == nil && n == len(s) && table[r] == nil {
			table[r] = b
		}
	}
	for i := range 0x100 {
		add(byte(i))
	}
	for i := 0x81; i < 0xff; i++ {
		for j := 0x40; j < 0xff; j++ {
			add(byte(i), byte(j))
		}
	}
	if encoding == "GB18030" {
		for n := range 39420 {
			add(byte(0x81+n/12600), byte(0x30+n/1260%10), byte(0x81+n/10%126), byte(0x30+n%10))
		}
	}
	return table
}
