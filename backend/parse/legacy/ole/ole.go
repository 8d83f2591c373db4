// Package ole reads OLE compound files, the container of the binary formats of
// Office 97 to 2003 and of Outlook's messages.
//
// Invariants: a stream is never longer than the file; a file cut off in its last
// sector is read as far as it goes.
//
//	f, err := ole.Open(in.Bytes)
//	book, ok := f.Stream("Workbook")
package ole

import (
	"bytes"
	"io"
	"strings"

	"github.com/richardlehane/mscfb"
)

// Magic is what every compound file starts with.
const Magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Is reports whether b starts as a compound file.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte(Magic)) }

// File is an open compound file. It is for one goroutine.
type File struct {
	size    int64
	names   []string
	entries map[string]*mscfb.File
	read    map[string][]byte
	cut     bool
}

// sector is the largest size of a sector, up to which a last one may be cut off,
// and step the smallest one, in which streams are read.
const (
	sector = 4096
	step   = 512
)

// padded reads b as if zeros filled its last sector.
type padded struct{ b []byte }

// ReadAt implements io.ReaderAt.
func (p padded) ReadAt(dst []byte, off int64) (int, error) {
	if off < 0 || off >= int64(len(p.b)) || off+int64(len(dst)) > int64(len(p.b))+sector {
		return 0, io.EOF
	}
	n := copy(dst, p.b[off:])
	clear(dst[n:])
	return len(dst), nil
}

// Open reads the directory of b. The error says what is wrong with it.
func Open(b []byte) (*File, error) {
	r, err := mscfb.New(padded{b})
	if err != nil {
		return nil, err
	}
	f := &File{size: int64(len(b)), entries: make(map[string]*mscfb.File, len(r.File)), read: map[string][]byte{}}
	for _, e := range r.File {
		name := strings.Join(append(e.Path[:len(e.Path):len(e.Path)], e.Name), "/")
		key := strings.ToLower(name)
		if _, twice := f.entries[key]; twice || e.Name == "" {
			continue
		}
		f.entries[key] = e
		f.names = append(f.names, name)
	}
	return f, nil
}

// Names lists streams and storages by their paths, '/'-separated, without the
// control character that some names start with.
func (f *File) Names() []string { return f.names }

// Has reports whether there is a stream or storage of that path, whatever the
// case of its letters.
func (f *File) Has(path string) bool { return f.entries[strings.ToLower(path)] != nil }

// Cut reports whether a stream that was read ended before its stated size.
func (f *File) Cut() bool { return f.cut }

// Stream returns the content of a stream, as far as it can be read; ok is false
// when there is none.
func (f *File) Stream(path string) (content []byte, ok bool) {
	e := f.entries[strings.ToLower(path)]
	if e == nil || e.FileInfo().IsDir() {
		return nil, false
	}
	key := strings.ToLower(path)
	if b, done := f.read[key]; done {
		return b, true
	}
	var out bytes.Buffer
	for want := min(e.Size, f.size); int64(out.Len()) < want; {
		// A sector at a time, so that a broken chain gives all that is before the
		// break.
		n, err := io.CopyN(&out, e, min(step, want-int64(out.Len())))
		if err != nil || n == 0 {
			break
		}
	}
	f.cut = f.cut || int64(out.Len()) < e.Size
	f.read[key] = out.Bytes()
	return out.Bytes(), true
}
