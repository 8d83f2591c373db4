package slides

import (
	"encoding/binary"
	"iter"
)

// u16 and u32 read little-endian numbers, 0 beyond the end.
func u16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

func u32(b []byte, at int) uint32 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[at:])
}

// headSize is the size of a record's head.
const headSize = 8

// record is one record; those of version 15 hold others.
type record struct {
	version, instance, kind int
	body                    []byte
	// end is the offset after the record.
	end int
}

// recordAt reads the record at an offset; a body that is cut off is as long as
// the stream.
func recordAt(b []byte, at int) (record, bool) {
	if at < 0 || at+headSize > len(b) {
		return record{}, false
	}
	head := u16(b, at)
	r := record{version: head & 15, instance: head >> 4, kind: u16(b, at+2)}
	r.end = int(min(int64(at)+headSize+int64(u32(b, at+4)), int64(len(b))))
	r.body = b[at+headSize : r.end]
	return r, true
}

// children yields the records inside r.
func (r record) children() iter.Seq[record] {
	return func(yield func(record) bool) {
		for at := 0; ; {
			child, ok := recordAt(r.body, at)
			if !ok || !yield(child) {
				return
			}
			at = child.end
		}
	}
}

// container reports whether r holds records.
func (r record) container() bool { return r.version == 15 }
