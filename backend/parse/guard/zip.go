package guard

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"ragdesk/backend/fault"
)

// freeInflated is the unpacked size below which no ratio is asked for.
const freeInflated = 1 << 20

// Zip is a zip archive whose unpacking is bounded. It is for one goroutine.
type Zip struct {
	limits Limits
	files  []*zip.File
	byName map[string]*zip.File
	// left is what may still be unpacked.
	left int64
}

// OpenZip reads the archive's directory. Faults: corrupt, limit_inflated when
// the directory alone is beyond all reason.
func OpenZip(b []byte, l Limits) (*Zip, error) {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, Corrupt("zip", err)
	}
	z := &Zip{limits: l, files: r.File, byName: make(map[string]*zip.File, len(r.File)), left: l.Inflated}
	for _, f := range r.File {
		if _, twice := z.byName[clean(f.Name)]; !twice {
			z.byName[clean(f.Name)] = f
		}
	}
	return z, nil
}

// clean makes an entry's name one that OOXML relations and hrefs reach: slashes,
// no leading one, no dots.
func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

// Files lists the entries in the archive's order.
func (z *Zip) Files() []*zip.File { return z.files }

// Has reports whether name is an entry.
func (z *Zip) Has(name string) bool { return z.byName[clean(name)] != nil }

// Read unpacks the entry name; fs.ErrNotExist when there is none.
func (z *Zip) Read(name string) ([]byte, error) {
	f := z.byName[clean(name)]
	if f == nil {
		return nil, fmt.Errorf("zip entry %q: %w", name, fs.ErrNotExist)
	}
	return z.ReadFile(f)
}

// ReadFile unpacks an entry. Faults: password, limit_inflated, limit_ratio,
// corrupt.
func (z *Zip) ReadFile(f *zip.File) ([]byte, error) {
	if f.Flags&1 != 0 {
		return nil, Password("zip")
	}
	r, err := f.Open()
	if err != nil {
		return nil, Corrupt("zip", fmt.Errorf("entry %q: %w", f.Name, err))
	}
	defer func() { _ = r.Close() }() // read-only
	allowed := min(z.left, max(freeInflated, int64(f.CompressedSize64)*z.limits.Ratio))
	b, err := io.ReadAll(io.LimitReader(r, allowed+1))
	switch {
	case int64(len(b)) > allowed && allowed == z.left:
		return nil, fault.New("limit_inflated", fault.P("limit", z.limits.Inflated))
	case int64(len(b)) > allowed:
		return nil, fault.New("limit_ratio", fault.P("limit", z.limits.Ratio), fault.P("part", f.Name))
	case err != nil:
		return nil, Corrupt("zip", fmt.Errorf("entry %q: %w", f.Name, err))
	}
	z.left -= int64(len(b))
	return b, nil
}
