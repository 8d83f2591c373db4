// Package archive unpacks zip archives of documents in memory, within limits,
// with names in whatever encoding they were written.
//
//	err := archive.New(guard.Defaults()).Unpack(ctx, b, func(e rag.ArchiveEntry) error { … })
//
// Faults: corrupt, password, limit_bytes, limit_inflated, limit_ratio,
// limit_files {limit}, limit_depth.
package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

const (
	// maxFiles bounds the entries of an archive.
	maxFiles = 100_000
	// maxDepth bounds archives inside archives.
	maxDepth = 3
)

// Unpacker implements rag.Unpacker. It is safe for concurrent use.
type Unpacker struct{ limits guard.Limits }

var _ rag.Unpacker = Unpacker{}

// New returns an unpacker with the given limits; zero fields are defaults.
func New(l guard.Limits) Unpacker { return Unpacker{l.Filled()} }

// IsArchive implements rag.Unpacker.
func (Unpacker) IsArchive(source string) bool { return strings.EqualFold(path.Ext(source), ".zip") }

// Unpack implements rag.Unpacker.
func (u Unpacker) Unpack(ctx context.Context, archive []byte, visit func(rag.ArchiveEntry) error) error {
	left := u.limits.Inflated
	return u.unpack(ctx, archive, "", 1, &left, visit)
}

func (u Unpacker) unpack(ctx context.Context, b []byte, prefix string, depth int, left *int64, visit func(rag.ArchiveEntry) error) error {
	if depth > maxDepth {
		return fault.New("limit_depth", fault.P("limit", maxDepth))
	}
	limits := u.limits
	limits.Inflated = *left
	z, err := guard.OpenZip(b, limits)
	if err != nil {
		return err
	}
	if len(z.Files()) > maxFiles {
		return fault.New("limit_files", fault.P("limit", maxFiles))
	}
	for i, name := range names(z.Files()) {
		f := z.Files()[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if strings.HasSuffix(f.Name, "/") || strings.HasSuffix(f.Name, `\`) || f.FileInfo().IsDir() {
			continue
		}
		e := rag.ArchiveEntry{Name: prefix + name, Modified: f.Modified}
		if size := f.UncompressedSize64; size > uint64(u.limits.Bytes) {
			e.Err = fault.New("limit_bytes", fault.P("limit", u.limits.Bytes), fault.P("size", size))
		} else {
			e.Bytes, e.Err = z.ReadFile(f)
		}
		*left -= int64(len(e.Bytes))
		if err := u.entry(ctx, e, depth, left, visit); err != nil {
			return err
		}
	}
	return nil
}

// entry visits a file or, when it is an archive, its files.
func (u Unpacker) entry(ctx context.Context, e rag.ArchiveEntry, depth int, left *int64, visit func(rag.ArchiveEntry) error) error {
	if e.Err != nil || !u.IsArchive(e.Name) {
		return visit(e)
	}
	var stopped error
	err := u.unpack(ctx, e.Bytes, e.Name+"/", depth+1, left, func(inner rag.ArchiveEntry) error {
		stopped = visit(inner)
		return stopped
	})
	if err == nil || stopped != nil || ctx.Err() != nil {
		return err
	}
	return visit(rag.ArchiveEntry{Name: e.Name, Err: err})
}

// names returns the entries' names in UTF-8, cleaned and unique.
func names(files []*zip.File) []string {
	raw := make([]string, len(files))
	var legacy bytes.Buffer
	for i, f := range files {
		raw[i] = f.Name
		if u := unicodeName(f.Extra); u != "" {
			raw[i] = u
		}
		if !utf8.ValidString(raw[i]) {
			legacy.WriteString(raw[i] + "\n")
		}
	}
	encoding := "GB18030" // what Chinese Windows writes; for too little evidence
	if r, err := charset.Read(legacy.Bytes(), charset.Hint{Declared: encoding}); err == nil && legacy.Len() > 0 {
		encoding = r.Encoding
	}
	seen := map[string]int{}
	for i, name := range raw {
		if !utf8.ValidString(name) {
			name = decoded(name, encoding)
		}
		name = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
		if seen[name]++; seen[name] > 1 {
			ext := path.Ext(name)
			name = fmt.Sprintf("%s#%d%s", strings.TrimSuffix(name, ext), seen[name], ext)
		}
		raw[i] = name
	}
	return raw
}

func decoded(name, encoding string) string {
	for _, e := range []string{encoding, "GB18030", "windows-1252"} {
		if r, err := charset.Read([]byte(name), charset.Hint{Forced: e}); err == nil {
			return r.Text
		}
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// unicodePath is the extra field that Info-ZIP writes for a name in UTF-8: one
// byte of version, four of the plain name's checksum, and the name.
const unicodePath = 0x7075

func unicodeName(extra []byte) string {
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if size > len(extra) {
			return ""
		}
		if id == unicodePath && size > 5 && extra[0] == 1 && utf8.Valid(extra[5:size]) {
			return string(extra[5:size])
		}
		extra = extra[size:]
	}
	return ""
}
