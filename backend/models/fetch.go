package models

import (
	"context"
	"crypto/sha1" //nolint:gosec // G505: git names objects by it; it is checked where the hub gives nothing better
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// partMark ends the name of a file that is not complete.
const partMark = ".part"

// fetch brings one file to dst, complete and checked or not at all. A part that
// an earlier try left beside dst is continued; one that this try leaves, because it
// was cancelled or the network failed, stays. Faults besides list's:
// "model_corrupt" (the whole file has another hash: it is removed),
// "models_unwritable".
func (h *Hub) fetch(ctx context.Context, e Entry, f remoteFile, dst string, progress rag.Progress) (File, error) {
	if sum, size, err := hashFile(ctx, dst); err == nil && f.sha256 != "" && sum == f.sha256 {
		progress.Add(int(size))
		return File{Path: f.path, Size: size, SHA256: sum}, nil
	}
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return File{}, folderUnwritable(filepath.Dir(dst), err)
	}
	part, err := os.OpenFile(dst+partMark, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return File{}, folderUnwritable(dst, err)
	}
	defer func() { _ = part.Close() }() // closed before, when all went well
	d := download{hub: h, entry: e, file: f, part: part, progress: progress}
	if err := d.start(); err != nil {
		return File{}, err
	}
	if err := h.retry(ctx, e.Repo, d.more); err != nil {
		return File{}, err
	}
	got, err := d.check(ctx)
	if err != nil {
		return File{}, err
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return File{}, folderUnwritable(dst, err)
	}
	if err := os.Rename(dst+partMark, dst); err != nil {
		return File{}, folderUnwritable(dst, err)
	}
	return got, nil
}

// download is a file on its way.
type download struct {
	hub      *Hub
	entry    Entry
	file     remoteFile
	part     *os.File
	progress rag.Progress
	// at is how many bytes the part holds; counted, how many were reported.
	at, counted int64
}

// start looks at what an earlier try left.
func (d *download) start() error {
	info, err := d.part.Stat()
	if err != nil {
		return folderUnwritable(d.part.Name(), err)
	}
	d.at = info.Size()
	if d.file.size > 0 && d.at > d.file.size {
		if err := d.restart(); err != nil {
			return err
		}
	}
	d.report()
	return nil
}

// restart forgets the part.
func (d *download) restart() error {
	if err := d.part.Truncate(0); err != nil {
		return permanent(folderUnwritable(d.part.Name(), err))
	}
	d.at = 0
	return nil
}

// report tells of bytes that were not told of: after a restart nothing is told
// twice.
func (d *download) report() {
	if d.at > d.counted {
		d.progress.Add(int(d.at - d.counted))
		d.counted = d.at
	}
}

// more is one request for what is missing.
func (d *download) more(ctx context.Context) (progress bool, err error) {
	if d.file.size > 0 && d.at == d.file.size {
		return false, nil
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	silent := time.AfterFunc(d.hub.idle, cancel)
	defer silent.Stop()
	defer func() {
		// A connection that was silent for too long was not cancelled by the user.
		if err != nil && inner.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("nothing came for %s", d.hub.idle)
		}
	}()
	address := d.hub.address(d.entry.Repo, "resolve", d.entry.Revision, d.file.path)
	resp, err := d.hub.request(inner, address, d.at)
	if err != nil {
		return false, err
	}
	defer func() { _ = resp.Body.Close() }() // what matters was read
	if err := d.hub.status(resp, d.entry.Repo, d.file.path); err != nil {
		return false, err
	}
	d.learn(resp)
	switch resp.StatusCode {
	case http.StatusRequestedRangeNotSatisfiable:
		if d.file.size == 0 {
			return false, nil // nothing is missing, or the hash will tell
		}
		return false, errors.Join(errors.New("the hub has less than was asked for"), d.restart())
	case http.StatusPartialContent:
		if first, ok := firstByte(resp); !ok || first != d.at {
			return false, errors.Join(errors.New("the hub sent another range"), d.restart())
		}
	default: // the whole file, whatever was asked for
		if err := d.restart(); err != nil {
			return false, err
		}
	}
	return d.copy(resp.Body, silent)
}

// learn takes the size and the hash that an answer or a redirect before it
// states, where the list did not.
func (d *download) learn(resp *http.Response) {
	if d.file.sha256 == "" && d.file.sha1 == "" {
		for r := resp; r != nil && d.file.sha256 == ""; {
			d.file.sha256 = linked(r.Header)
			if r.Request == nil {
				break
			}
			r = r.Request.Response
		}
	}
	if d.file.size == 0 && resp.ContentLength > 0 && resp.StatusCode == http.StatusOK {
		d.file.size = resp.ContentLength
	}
}

// firstByte reads the header Content-Range: bytes FIRST-LAST/SIZE.
func firstByte(resp *http.Response) (int64, bool) {
	s, ok := strings.CutPrefix(resp.Header.Get("Content-Range"), "bytes ")
	first, _, cut := strings.Cut(s, "-")
	n, err := strconv.ParseInt(first, 10, 64)
	return n, ok && cut && err == nil
}

// copy appends what comes to the part.
func (d *download) copy(body io.Reader, silent *time.Timer) (progress bool, err error) {
	buf := make([]byte, 1<<18)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			silent.Reset(d.hub.idle)
			if _, err := d.part.WriteAt(buf[:n], d.at); err != nil {
				return progress, permanent(folderUnwritable(d.part.Name(), err))
			}
			d.at += int64(n)
			progress = true
			d.report()
		}
		switch {
		case errors.Is(err, io.EOF):
			if d.file.size > 0 && d.at < d.file.size {
				return progress, io.ErrUnexpectedEOF
			}
			return progress, nil
		case err != nil:
			return progress, err
		}
	}
}

// check compares the whole part with what the hub says of the file.
func (d *download) check(ctx context.Context) (File, error) {
	if _, err := d.part.Seek(0, io.SeekStart); err != nil {
		return File{}, folderUnwritable(d.part.Name(), err)
	}
	sum := sha256.New()
	git := sha1.New() //nolint:gosec // G401: see the import
	fmt.Fprintf(git, "blob %d\x00", d.at)
	size, err := copyContext(ctx, io.MultiWriter(sum, git), d.part)
	if err != nil {
		return File{}, err
	}
	got, want := hexSum(sum), d.file.sha256
	if want == "" && d.file.sha1 != "" {
		if hexSum(git) != d.file.sha1 {
			got, want = hexSum(git), d.file.sha1
		}
	}
	if want != "" && got != want || d.file.size > 0 && size != d.file.size {
		err := fmt.Errorf("%d bytes with hash %s, want %d with %s", size, got, d.file.size, want)
		_ = d.part.Close()
		return File{}, fault.Wrap(errors.Join(err, os.Remove(d.part.Name())), "model_corrupt",
			fault.P("model", d.entry.Name), fault.P("file", d.file.path), fault.P("host", d.hub.Host()))
	}
	return File{Path: d.file.path, Size: size, SHA256: hexSum(sum)}, nil
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// hashFile returns a file's SHA-256 and size.
func hashFile(ctx context.Context, path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	h := sha256.New()
	if size, err = copyContext(ctx, h, f); err != nil {
		return "", 0, err
	}
	return hexSum(h), size, nil
}

// copyContext is io.Copy that ends with ctx.
func copyContext(ctx context.Context, to io.Writer, from io.Reader) (int64, error) {
	return io.Copy(to, readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return from.Read(p)
	}))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func folderUnwritable(path string, err error) error {
	return fault.Wrap(err, "models_unwritable", fault.P("path", path), fault.P("variable", FolderEnv))
}
