package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"ragdesk/build"
)

// download gets files over HTTP and goes on where an earlier try stopped.
type download struct {
	client *http.Client
	// tries is how often a file is asked for when the network or the server fails;
	// pause is the wait before the second try, and doubles.
	tries int
	pause time.Duration
	// stall is how long a connection may give nothing.
	stall time.Duration
}

// permanent is a failure that asking again does not mend.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// get downloads url to path, through path+".part", which stays when the download
// is interrupted and is continued by the next.
func (d download) get(ctx context.Context, url, path string, a build.Asset) error {
	part := path + ".part"
	pause := d.pause
	var err error
	for try := 1; try <= d.tries; try++ {
		if try > 1 {
			select {
			case <-time.After(pause):
				pause *= 2
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		var resumed bool
		resumed, err = d.once(ctx, url, part, a.Size)
		if err == nil {
			err = verify(part, a)
			if err == nil {
				return os.Rename(part, path)
			}
			if gone := os.Remove(part); gone != nil {
				return gone
			}
			var wrong *hashError
			if !errors.As(err, &wrong) || !resumed {
				return err
			}
			// The part was of another version: once more, from the start.
			continue
		}
		var final permanent
		if errors.As(err, &final) || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("gave up after %d tries: %w", d.tries, err)
}

// once asks for what part lacks of size bytes and appends it. resumed tells
// whether bytes of an earlier try are in the file.
func (d download) once(ctx context.Context, url, part string, size int64) (resumed bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	file, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return false, permanent{err}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	have, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return false, permanent{err}
	}
	if have == size {
		return true, nil
	}
	watch := time.AfterFunc(d.stall, func() { cancel(errStalled) })
	defer watch.Stop()
	resp, err := d.ask(ctx, url, have)
	if err != nil {
		return false, fmt.Errorf("%w%s", err, stalled(ctx))
	}
	defer func() { _ = resp.Body.Close() }() // opened for reading
	resumed, err = d.position(resp, file, have)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(file, io.LimitReader(&watched{resp.Body, watch, d.stall}, size+1))
	if err != nil {
		return resumed, fmt.Errorf("read %s: %w%s", url, err, stalled(ctx))
	}
	if now, err := file.Seek(0, io.SeekCurrent); err != nil || now < size {
		return resumed, fmt.Errorf("read %s: %d of %d bytes came: %w", url, now, size, io.ErrUnexpectedEOF)
	}
	return resumed, nil
}

var errStalled = errors.New("no bytes came")

// stalled explains a cancelled context that nobody else cancelled.
func stalled(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), errStalled) {
		return " (" + errStalled.Error() + ")"
	}
	return ""
}

func (d download) ask(ctx context.Context, url string, have int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, permanent{err}
	}
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	return d.client.Do(req)
}

// position makes file ready for the body of resp: at its end for the part that
// was asked for, empty for a whole file. It refuses other answers.
func (d download) position(resp *http.Response, file *os.File, have int64) (resumed bool, err error) {
	begins := fmt.Sprintf("bytes %d-", have)
	switch code := resp.StatusCode; {
	case code == http.StatusPartialContent && strings.HasPrefix(resp.Header.Get("Content-Range"), begins):
		return true, nil
	case code == http.StatusOK:
		return false, empty(file)
	case code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable:
		if err := empty(file); err != nil {
			return false, err
		}
		return false, fmt.Errorf("server answers %s with range %q to one from %d", resp.Status, resp.Header.Get("Content-Range"), have)
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return false, fmt.Errorf("server answers %s", resp.Status)
	default:
		return false, permanent{fmt.Errorf("server answers %s", resp.Status)}
	}
}

func empty(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return permanent{err}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return permanent{err}
	}
	return nil
}

// watched puts off a watchdog whenever bytes arrive.
type watched struct {
	r     io.Reader
	watch *time.Timer
	stall time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.watch.Reset(w.stall)
	}
	return n, err
}
