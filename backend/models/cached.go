package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"ragdesk/backend/fault"
	"ragdesk/build"
)

// cached is an asset's place in the cache folder.
type cached struct {
	asset build.Asset
	path  string
}

// stamp records the state of a file whose hash was checked. A file that still
// has this size and time is taken as unchanged.
type stamp struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime_ns"`
	SHA256  string `json:"sha256"`
}

func (f cached) stampPath() string { return f.path + ".ok" }

// state reads the file's size and time; ok is false when there is none of the
// right size.
func (f cached) state() (s stamp, ok bool) {
	info, err := os.Stat(f.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != f.asset.Size {
		return stamp{}, false
	}
	return stamp{info.Size(), info.ModTime().UnixNano(), f.asset.SHA256}, true
}

// stamped reports whether the file is as it was when its hash was checked.
func (f cached) stamped() bool {
	now, ok := f.state()
	if !ok {
		return false
	}
	raw, err := os.ReadFile(f.stampPath())
	if err != nil {
		return false
	}
	var then stamp
	return json.Unmarshal(raw, &then) == nil && then == now
}

// verified hashes an existing file and stamps it if it is right. A stamp that
// cannot be written only costs the next start another hash.
func (f cached) verified() bool {
	before, ok := f.state()
	if !ok {
		return false
	}
	file, err := os.Open(f.path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // opened for reading
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil || hex.EncodeToString(h.Sum(nil)) != f.asset.SHA256 {
		return false
	}
	f.writeStamp(before)
	return true
}

// unpack writes the raw file from its compressed form, checks it and renames it
// into place.
func (f cached) unpack(src io.Reader) error {
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritable(dir, err)
	}
	f.sweep()
	tmp, err := os.CreateTemp(dir, f.asset.File+tempMark+"*")
	if err != nil {
		return unwritable(dir, err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // renamed away, when all went well
	err = f.fill(tmp, src)
	if closed := tmp.Close(); err == nil && closed != nil {
		err = unwritable(tmp.Name(), closed)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), f.path); err != nil {
		// Windows keeps a library that a process has loaded: it may be right.
		if f.verified() {
			return nil
		}
		return unwritable(f.path, err)
	}
	if now, ok := f.state(); ok {
		f.writeStamp(now)
	}
	return nil
}

// fill decompresses src into tmp, on disk and checked when it returns.
func (f cached) fill(tmp *os.File, src io.Reader) error {
	z, err := zstd.NewReader(src)
	if err != nil {
		return fmt.Errorf("decompress asset %s: %w", f.asset.Name, err)
	}
	defer z.Close()
	h := sha256.New()
	in := &source{r: io.TeeReader(io.LimitReader(z, f.asset.Size+1), h)}
	n, err := io.Copy(tmp, in)
	switch sum := hex.EncodeToString(h.Sum(nil)); {
	case in.err != nil:
		return fault.Wrap(in.err, "asset_corrupt", fault.P("asset", f.asset.Name), fault.P("command", FetchCommand))
	case err != nil:
		return unwritable(tmp.Name(), err)
	case n != f.asset.Size || sum != f.asset.SHA256:
		err := fmt.Errorf("%d bytes with sha256 %s, want %d with %s", n, sum, f.asset.Size, f.asset.SHA256)
		return fault.Wrap(err, "asset_corrupt", fault.P("asset", f.asset.Name), fault.P("command", FetchCommand))
	}
	if err := tmp.Chmod(0o644); err != nil {
		return unwritable(tmp.Name(), err)
	}
	if err := tmp.Sync(); err != nil {
		return unwritable(tmp.Name(), err)
	}
	return nil
}

// source remembers a reading error, to tell it from one of writing.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// writeStamp replaces the stamp in one step.
func (f cached) writeStamp(s stamp) {
	raw, err := json.Marshal(s)
	if err != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(f.path), f.asset.File+tempMark+"*")
	if err != nil {
		return
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // renamed away, when all went well
	_, err = tmp.Write(raw)
	if closed := errors.Join(tmp.Chmod(0o644), tmp.Close()); err != nil || closed != nil {
		return
	}
	// An error leaves the old stamp, which does not fit: the next start hashes.
	_ = os.Rename(tmp.Name(), f.stampPath())
}

const (
	// tempMark is part of the names of unfinished files.
	tempMark = ".tmp-"
	// abandoned is the age at which an unfinished file has no writer any more.
	abandoned = time.Hour
)

// sweep removes what killed processes left unfinished.
func (f cached) sweep() {
	dir := filepath.Dir(f.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), f.asset.File+tempMark) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name())) // another process may have done it
		}
	}
}
