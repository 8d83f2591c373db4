// Package oletest writes OLE compound files for tests.
//
//	b := oletest.File(map[string][]byte{"Workbook": stream, "a/b": nil})
package oletest

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// Numbers of the format.
const (
	sector     = 512
	miniSector = 64
	cutoff     = 4096
	entrySize  = 128
	free       = 0xffffffff
	chainEnd   = 0xfffffffe
	fatMark    = 0xfffffffd
)

// entry is a directory entry.
type entry struct {
	name         string
	kind         byte
	content      []byte
	child, right uint32
	start        uint32
	children     []int
}

// File returns a compound file with the given streams; a '/' in a name parts
// storages. Streams are in the order of their names.
func File(streams map[string][]byte) []byte {
	w := &writer{}
	w.directory(streams)
	var mini []byte
	var miniFAT []uint32
	for i := range w.entries {
		e := &w.entries[i]
		if e.kind != 2 {
			continue
		}
		if len(e.content) >= cutoff {
			e.start = w.store(e.content)
			continue
		}
		e.start = chainEnd
		if len(e.content) > 0 {
			e.start = uint32(len(mini) / miniSector)
			mini = append(mini, pad(e.content, miniSector)...)
			for n := int(e.start) + 1; n < len(mini)/miniSector; n++ {
				miniFAT = append(miniFAT, uint32(n))
			}
			miniFAT = append(miniFAT, chainEnd)
		}
	}
	miniStart, miniCount := uint32(chainEnd), 0
	w.entries[0].start = chainEnd
	if len(mini) > 0 {
		w.entries[0].content = mini
		w.entries[0].start = w.store(mini)
		b := words(miniFAT)
		for len(b)%sector != 0 {
			b = binary.LittleEndian.AppendUint32(b, free)
		}
		miniStart, miniCount = w.store(b), len(b)/sector
	}
	dir := w.store(w.directoryBytes())
	return w.finish(dir, miniStart, miniCount)
}

// writer collects sectors.
type writer struct {
	entries []entry
	body    []byte
	fat     []uint32
}

// directory makes the entries: the root, then storages and streams.
func (w *writer) directory(streams map[string][]byte) {
	w.entries = []entry{{name: "Root Entry", kind: 5, child: free, right: free}}
	index := map[string]int{"": 0}
	var add func(path string) int
	add = func(path string) int {
		if i, ok := index[path]; ok {
			return i
		}
		parent, name := "", path
		if i := strings.LastIndexByte(path, '/'); i >= 0 {
			parent, name = path[:i], path[i+1:]
		}
		p := add(parent)
		w.entries = append(w.entries, entry{name: name, kind: 1, child: free, right: free})
		i := len(w.entries) - 1
		index[path] = i
		w.entries[p].children = append(w.entries[p].children, i)
		return i
	}
	for _, path := range slices.Sorted(maps.Keys(streams)) {
		i := add(path)
		w.entries[i].kind, w.entries[i].content = 2, streams[path]
	}
	for i := range w.entries {
		last := -1
		for _, c := range w.entries[i].children {
			if last < 0 {
				w.entries[i].child = uint32(c)
			} else {
				w.entries[last].right = uint32(c)
			}
			last = c
		}
	}
}

// store adds content as a chain of sectors and returns the first.
func (w *writer) store(b []byte) uint32 {
	first := uint32(len(w.fat))
	b = pad(b, sector)
	w.body = append(w.body, b...)
	for n := range len(b) / sector {
		w.fat = append(w.fat, first+uint32(n)+1)
	}
	w.fat[len(w.fat)-1] = chainEnd
	return first
}

func (w *writer) directoryBytes() []byte {
	var out []byte
	for _, e := range w.entries {
		b := make([]byte, entrySize)
		name := utf16.Encode([]rune(e.name + "\x00"))
		for i, u := range name[:min(len(name), 32)] {
			binary.LittleEndian.PutUint16(b[2*i:], u)
		}
		binary.LittleEndian.PutUint16(b[64:], uint16(2*min(len(name), 32)))
		b[66], b[67] = e.kind, 1
		binary.LittleEndian.PutUint32(b[68:], free)
		binary.LittleEndian.PutUint32(b[72:], e.right)
		binary.LittleEndian.PutUint32(b[76:], e.child)
		binary.LittleEndian.PutUint32(b[116:], e.start)
		binary.LittleEndian.PutUint64(b[120:], uint64(len(e.content)))
		out = append(out, b...)
	}
	for len(out)%sector != 0 {
		b := make([]byte, entrySize)
		for _, at := range []int{68, 72, 76} {
			binary.LittleEndian.PutUint32(b[at:], free)
		}
		out = append(out, b...)
	}
	return out
}

// finish adds the table of chains and the header.
func (w *writer) finish(dir, miniStart uint32, miniCount int) []byte {
	tables := 1
	for (len(w.fat)+tables+sector/4-1)/(sector/4) > tables {
		tables++
	}
	first := len(w.fat)
	for range tables {
		w.fat = append(w.fat, fatMark)
	}
	b := words(w.fat)
	for len(b)%sector != 0 {
		b = binary.LittleEndian.AppendUint32(b, free)
	}
	head := make([]byte, sector)
	copy(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le := binary.LittleEndian
	le.PutUint16(head[24:], 0x3e)
	le.PutUint16(head[26:], 3)
	le.PutUint16(head[28:], 0xfffe)
	le.PutUint16(head[30:], 9)
	le.PutUint16(head[32:], 6)
	le.PutUint32(head[44:], uint32(tables))
	le.PutUint32(head[48:], dir)
	le.PutUint32(head[56:], cutoff)
	le.PutUint32(head[60:], miniStart)
	le.PutUint32(head[64:], uint32(miniCount))
	le.PutUint32(head[68:], chainEnd)
	for i := range 109 {
		v := uint32(free)
		if i < tables {
			v = uint32(first + i)
		}
		le.PutUint32(head[76+4*i:], v)
	}
	return append(append(head, w.body...), b...)
}

func words(list []uint32) []byte {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// pad fills b with zeros to whole units.
func pad(b []byte, unit int) []byte {
	out := slices.Clone(b)
	for len(out)%unit != 0 {
		out = append(out, 0)
	}
	return out
}
