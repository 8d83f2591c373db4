package pdf_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// file writes small PDF files for tests. Objects 1 and 2 are the catalog and the
// page tree; fonts are F1 (Helvetica), F2 (its bold) and F3, which shows any
// character and maps it, F4 the same without the map.
type file struct {
	objects []string
	pages   []int
	// glyphs are the characters of F3, in the order of their codes.
	glyphs  []rune
	catalog string
	info    string
	// userKey and ownKey are passwords; encrypted says that they are used.
	encrypted       bool
	userKey, ownKey string
	brokenTail      bool
}

const (
	objCatalog = 1 + iota
	objPages
	objHelvetica
	objBold
	objAny
	objUnmapped
	objFirst
)

// add adds an object and returns its number.
func (f *file) add(s string) int {
	for len(f.objects) < objFirst {
		f.objects = append(f.objects, "")
	}
	f.objects = append(f.objects, s)
	return len(f.objects) - 1
}

func stream(dict, data string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

// page adds a page of 595 × 842 points with content; entries are more of its
// dictionary.
func (f *file) page(content, entries string) int {
	c := f.add(stream("", content))
	p := f.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R %s %s /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R /F4 6 0 R >> >> >>",
		c, box(entries), entries))
	f.pages = append(f.pages, p)
	return p
}

func box(entries string) string {
	if strings.Contains(entries, "/MediaBox") {
		return ""
	}
	return "/MediaBox [0 0 595 842]"
}

// show writes s at a place in a font and size.
func show(font string, size, x, y float64, s string) string {
	s = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
	return fmt.Sprintf("BT /%s %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n", font, size, x, y, s)
}

// any writes s in a font that has all characters.
func (f *file) any(font string, size, x, y float64, s string) string {
	var codes strings.Builder
	for _, r := range s {
		i := slices.Index(f.glyphs, r)
		if i < 0 {
			f.glyphs = append(f.glyphs, r)
			i = len(f.glyphs) - 1
		}
		// Low codes are left out, as subsets do.
		fmt.Fprintf(&codes, "%04X", i+3)
	}
	return fmt.Sprintf("BT /%s %g Tf 1 0 0 1 %g %g Tm <%s> Tj ET\n", font, size, x, y, codes.String())
}

// lines writes lines below each other.
func lines(font string, size, x, y, step float64, ls ...string) string {
	out := ""
	for i, l := range ls {
		out += show(font, size, x, y-float64(i)*step, l)
	}
	return out
}

func (f *file) toUnicode() string {
	var b strings.Builder
	b.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n")
	for i, r := range f.glyphs {
		var u [2]uint16
		n := 1
		u[0] = uint16(r)
		if r > 0xffff {
			u[0], u[1], n = uint16(0xd800+(r-0x10000)>>10), uint16(0xdc00+(r-0x10000)&0x3ff), 2
		}
		fmt.Fprintf(&b, "1 beginbfchar <%04X> <", i+3)
		for _, v := range u[:n] {
			fmt.Fprintf(&b, "%04X", v)
		}
		b.WriteString("> endbfchar\n")
	}
	b.WriteString("endcmap end end")
	return b.String()
}

// bytes returns the file.
func (f *file) bytes() []byte {
	if len(f.objects) < objFirst {
		f.add("null")
	}
	descriptor := f.add("<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>")
	cid := f.add(fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000 /FontDescriptor %d 0 R >>", descriptor))
	uni := f.add(stream("", f.toUnicode()))
	f.objects[objCatalog] = "<< /Type /Catalog /Pages 2 0 R " + f.catalog + " >>"
	kids := make([]string, len(f.pages))
	for i, p := range f.pages {
		kids[i] = fmt.Sprintf("%d 0 R", p)
	}
	f.objects[objPages] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	f.objects[objHelvetica] = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
	f.objects[objBold] = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>"
	f.objects[objAny] = fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", cid, uni)
	f.objects[objUnmapped] = fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [%d 0 R] >>", cid)
	info := f.add("<< " + f.info + " >>")
	return f.assemble(info)
}

func (f *file) assemble(info int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	c := f.crypt()
	offsets := make([]int, len(f.objects))
	for i := 1; i < len(f.objects); i++ {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i, c.object(i, f.objects[i]))
	}
	if f.brokenTail {
		return b.Bytes()
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(f.objects))
	for _, o := range offsets[1:] {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(f.objects), info, c.trailer(), start)
	return b.Bytes()
}

// crypt is the standard security handler of revision 2: RC4 with 40 bits.
type crypt struct {
	key        []byte
	o, u, id   []byte
	permission int32
}

const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

func padded(s string) []byte { return []byte((s + padding)[:32]) }

func rc4ed(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

func (f *file) crypt() *crypt {
	if !f.encrypted {
		return nil
	}
	c := &crypt{id: []byte("0123456789abcdef"), permission: -64}
	own := md5.Sum(padded(f.ownKey))
	c.o = rc4ed(own[:5], padded(f.userKey))
	h := md5.New()
	h.Write(padded(f.userKey))
	h.Write(c.o)
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], uint32(c.permission))
	h.Write(p[:])
	h.Write(c.id)
	c.key = h.Sum(nil)[:5]
	c.u = rc4ed(c.key, []byte(padding))
	return c
}

// object encrypts the stream of an object; strings in tests' dictionaries are not
// looked at.
func (c *crypt) object(n int, s string) string {
	head, rest, ok := strings.Cut(s, "stream\n")
	if c == nil || !ok {
		return s
	}
	data := strings.TrimSuffix(rest, "\nendstream")
	sum := md5.Sum(append(slices.Clone(c.key), byte(n), byte(n>>8), byte(n>>16), 0, 0))
	return head + "stream\n" + string(rc4ed(sum[:10], []byte(data))) + "\nendstream"
}

func (c *crypt) trailer() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("/ID [<%x> <%x>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <%x> /U <%x> /P %d >>", c.id, c.id, c.o, c.u, c.permission)
}

// rule draws a line.
func rule(x0, y0, x1, y1 float64) string { return fmt.Sprintf("%g %g m %g %g l S\n", x0, y0, x1, y1) }

// attach adds a file inside the file and returns the object that describes it.
func (f *file) attach(name, content string) int {
	n := f.add(stream("/Type /EmbeddedFile", content))
	return f.add(fmt.Sprintf("<< /Type /Filespec /F (%s) /UF (%s) /EF << /F %d 0 R >> >>", name, name, n))
}

// pinned adds a mark for a page's /Annots that a file is attached to.
func (f *file) pinned(name, content string) int {
	return f.add(fmt.Sprintf("<< /Type /Annot /Subtype /FileAttachment /Rect [72 600 90 620] /FS %d 0 R >>", f.attach(name, content)))
}
