package tokenvec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"sync"
	"unsafe"

	"ragdesk/backend/rag"
)

// A file is a magic number followed by records, each a header and its payload,
// the row lengths and the codes:
//
//	key [16]byte | rows uint32 | dim uint32 | crc32 of the payload uint32 | inv rows×float32 | codes rows×dim int8
//
// all little-endian. It is only ever appended to, by whoever may write to the
// workspace; a torn record at its end is cut off by the next writer. It is a
// cache: losing it costs time, never a result.
const (
	magic        = "rdtokv1\n"
	recordHeader = 16 + 4 + 4 + 4
	// maxRows and maxDim refuse what no model gives, that is, damage.
	maxRows, maxDim = 1 << 16, 1 << 14
)

// File is a library's token vectors on disk. A nil File is empty. It is safe for
// concurrent use; one File at a time may append.
type File struct {
	path string

	mu      sync.Mutex
	f       *os.File
	scanned int64
	at      map[key]place
}

type place struct {
	offset    int64 // of the payload
	rows, dim int
	crc       uint32
}

// OpenFile returns the file at path, which need not exist yet.
func OpenFile(path string) *File { return &File{path: path, at: map[key]place{}} }

// Close closes the file.
func (t *File) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.f == nil {
		return nil
	}
	err := t.f.Close()
	t.f, t.scanned, t.at = nil, 0, map[key]place{}
	return err
}

// get returns the codes under k; whatever is wrong with the file is a miss.
func (t *File) get(k key) (rag.TokenCodes, bool) {
	if t == nil {
		return rag.TokenCodes{}, false
	}
	t.mu.Lock()
	p, ok := t.at[k]
	if (!ok || t.f == nil) && t.refresh() == nil {
		p, ok = t.at[k]
	}
	f := t.f
	t.mu.Unlock()
	if !ok || f == nil {
		return rag.TokenCodes{}, false
	}
	payload := make([]byte, p.rows*(4+p.dim))
	if _, err := f.ReadAt(payload, p.offset); err != nil || crc32.ChecksumIEEE(payload) != p.crc {
		return rag.TokenCodes{}, false
	}
	return decode(p, payload), true
}

func decode(p place, payload []byte) rag.TokenCodes {
	c := rag.TokenCodes{Rows: p.rows, Dim: p.dim, Inv: make([]float32, p.rows)}
	for i := range c.Inv {
		c.Inv[i] = float32frombits(payload[4*i:])
	}
	codes := payload[4*p.rows:]
	if len(codes) > 0 {
		// int8 and byte have the same size; payload is ours alone.
		c.Codes = unsafe.Slice((*int8)(unsafe.Pointer(&codes[0])), len(codes))
	}
	return c
}

// refresh reads the headers of what was appended since; t.mu is held.
func (t *File) refresh() error {
	if t.f == nil {
		f, err := os.Open(t.path)
		if err != nil {
			return err
		}
		t.f = f
	}
	end, err := t.scan(t.f, t.scanned)
	t.scanned = end
	return err
}

// scan indexes the whole records of f from offset on and returns their end.
func (t *File) scan(f *os.File, offset int64) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return offset, err
	}
	if offset == 0 {
		head := make([]byte, len(magic))
		if _, err := f.ReadAt(head, 0); err != nil || string(head) != magic {
			return 0, errors.Join(err, fmt.Errorf("%s: not a file of token vectors", t.path))
		}
		offset = int64(len(magic))
	}
	var header [recordHeader]byte
	for offset+recordHeader <= info.Size() {
		if _, err := f.ReadAt(header[:], offset); err != nil {
			return offset, err
		}
		p := place{
			offset: offset + recordHeader,
			rows:   int(binary.LittleEndian.Uint32(header[16:])),
			dim:    int(binary.LittleEndian.Uint32(header[20:])),
			crc:    binary.LittleEndian.Uint32(header[24:]),
		}
		end := p.offset + int64(p.rows)*int64(4+p.dim)
		if p.rows > maxRows || p.dim > maxDim || end > info.Size() {
			return offset, nil
		}
		t.at[key(header[:16])] = p
		offset = end
	}
	return offset, nil
}

// Appender adds to a File. Only the workspace's writer may have one.
type Appender struct {
	file   *File
	f      *os.File
	size   int64
	budget int64
}

// Append opens the file for adding, up to budget bytes in all; a torn end is cut
// off.
func (t *File) Append(budget int64) (*Appender, error) {
	f, err := os.OpenFile(t.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the token vectors: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	end, err := t.scan(f, 0)
	if err != nil { // new or foreign: begin again
		t.at, t.scanned = map[key]place{}, 0
		end = int64(len(magic))
		if err := errors.Join(f.Truncate(0), writeAt(f, []byte(magic), 0)); err != nil {
			return nil, errors.Join(fmt.Errorf("begin the token vectors: %w", err), f.Close())
		}
	}
	if err := f.Truncate(end); err != nil {
		return nil, errors.Join(fmt.Errorf("cut the token vectors: %w", err), f.Close())
	}
	return &Appender{file: t, f: f, size: end, budget: budget}, nil
}

func writeAt(f *os.File, b []byte, offset int64) error {
	_, err := f.WriteAt(b, offset)
	return err
}

// Close closes the file for adding.
func (a *Appender) Close() error { return a.f.Close() }

// Put adds the codes of texts, embedded under fingerprint, that are not there yet
// and still fit the budget.
func (a *Appender) Put(fingerprint string, texts []string, codes []rag.TokenCodes) error {
	w := bufio.NewWriterSize(io.NewOffsetWriter(a.f, a.size), 1<<20)
	size := a.size
	added := map[key]place{}
	for i, t := range texts {
		k := keyOf(fingerprint, t)
		n := recordHeader + int64(codes[i].Rows)*int64(4+codes[i].Dim)
		if _, twice := added[k]; twice || size+n > a.budget || a.has(k) {
			continue
		}
		crc, err := writeRecord(w, k, codes[i])
		if err != nil {
			return fmt.Errorf("add token vectors: %w", err)
		}
		added[k] = place{size + recordHeader, codes[i].Rows, codes[i].Dim, crc}
		size += n
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("add token vectors: %w", err)
	}
	a.size = size
	a.file.mu.Lock()
	defer a.file.mu.Unlock()
	maps.Copy(a.file.at, added)
	return nil
}

func (a *Appender) has(k key) bool {
	a.file.mu.Lock()
	defer a.file.mu.Unlock()
	_, ok := a.file.at[k]
	return ok
}

func writeRecord(w *bufio.Writer, k key, c rag.TokenCodes) (crc uint32, err error) {
	payload := make([]byte, 0, c.Rows*(4+c.Dim))
	for _, v := range c.Inv {
		payload = appendFloat32(payload, v)
	}
	for _, q := range c.Codes {
		payload = append(payload, byte(q))
	}
	header := append(make([]byte, 0, recordHeader), k[:]...)
	header = binary.LittleEndian.AppendUint32(header, uint32(c.Rows))
	header = binary.LittleEndian.AppendUint32(header, uint32(c.Dim))
	crc = crc32.ChecksumIEEE(payload)
	header = binary.LittleEndian.AppendUint32(header, crc)
	if _, err := w.Write(header); err != nil {
		return 0, err
	}
	_, err = w.Write(payload)
	return crc, err
}
