package standin

import (
	"encoding/binary"
	"sort"

	"golang.org/x/text/unicode/norm"
)

// charMap is a precompiled character map as sentencepiece writes it: a Darts
// double array of what NFKC changes, with white space made blanks and control
// characters dropped, as in the rule nmt_nfkc.
func charMap() []byte {
	entries := map[string]string{}
	for r := rune(1); r < 0x30000; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		s := string(r)
		if to := norm.NFKC.String(s); to != s {
			entries[s] = to
		}
		if parts := norm.NFD.String(s); parts != s && norm.NFC.String(parts) == s {
			entries[parts] = s
		}
	}
	for _, r := range "\t\n\f\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd" {
		entries[string(r)] = " "
	}
	for r := rune(1); r < 0x20; r++ {
		if _, blank := entries[string(r)]; !blank {
			entries[string(r)] = ""
		}
	}
	d := darts{}
	d.reserve(0)
	d.taken[0] = true // the root
	for key := range entries {
		d.keys = append(d.keys, key)
	}
	sort.Strings(d.keys)
	var replacements []byte
	for _, key := range d.keys {
		d.values = append(d.values, uint32(len(replacements)))
		replacements = append(append(replacements, entries[key]...), 0)
	}
	d.place(0, 0, len(d.keys), 0)
	blob := binary.LittleEndian.AppendUint32(nil, uint32(4*len(d.units)))
	for _, u := range d.units {
		blob = binary.LittleEndian.AppendUint32(blob, u)
	}
	return append(blob, replacements...)
}

// darts is a double array that is being built. Unit b^c is the child by byte c of
// the node whose base is b; child 0 holds the node's value.
type darts struct {
	keys   []string
	values []uint32
	units  []uint32
	// taken marks units in use, bases the bases: two nodes with one base would
	// take each other's children for their own.
	taken, bases []bool
	from         int
}

// place builds the node at the unit at for keys[lo:hi], which share depth bytes.
func (d *darts) place(at, lo, hi, depth int) {
	type child struct {
		label  byte
		lo, hi int
	}
	var children []child
	leaf := len(d.keys[lo]) == depth
	first := lo
	if leaf {
		first++
	}
	for i := first; i < hi; {
		j := i
		for j < hi && d.keys[j][depth] == d.keys[i][depth] {
			j++
		}
		children = append(children, child{d.keys[i][depth], i, j})
		i = j
	}
	labels := make([]byte, 0, len(children)+1)
	if leaf {
		labels = append(labels, 0)
	}
	for _, c := range children {
		labels = append(labels, c.label)
	}
	base := d.free(labels)
	d.units[at] |= uint32(at^base) << 10
	if leaf {
		d.units[at] |= 1 << 8
		d.units[base] = 1<<31 | d.values[lo]
	}
	for _, c := range children {
		d.units[base^int(c.label)] = uint32(c.label)
	}
	for _, c := range children {
		d.place(base^int(c.label), c.lo, c.hi, depth+1)
	}
}

// free finds a base whose children labels are all free, and takes them.
func (d *darts) free(labels []byte) int {
	for d.taken[d.from] {
		d.from++
	}
	for at, tries := d.from, 0; ; at++ {
		d.reserve(at | 0xff)
		base := at ^ int(labels[0])
		if d.taken[at] || !d.fits(base, labels) {
			if tries++; tries > crowded {
				d.from++ // give up on a gap that nothing fits
			}
			continue
		}
		d.bases[base] = true
		for _, c := range labels {
			d.taken[base^int(c)] = true
		}
		return base
	}
}

// crowded is the number of places tried in vain after which a gap is given up.
const crowded = 1000

func (d *darts) fits(base int, labels []byte) bool {
	if d.bases[base] {
		return false
	}
	for _, c := range labels {
		if d.taken[base^int(c)] {
			return false
		}
	}
	return true
}

// reserve makes room for the unit at, and for the whole block of bases around it.
func (d *darts) reserve(at int) {
	for at >= len(d.units) {
		d.units = append(d.units, make([]uint32, 256)...)
		d.taken = append(d.taken, make([]bool, 256)...)
		d.bases = append(d.bases, make([]bool, 256)...)
	}
}
