package llm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"ragdesk/backend/fault"
)

// maxLine bounds a line of a stream. The last line of a reply holds every token of
// the conversation: about 1 MiB for a window of 131,072, 8 MiB for one of a million.
const maxLine = 8 << 20

// errDone stops a stream whose last line was seen.
var errDone = errors.New("stream is complete")

// stream posts in and passes each line of the answer to each, until that returns
// errDone. A line that says "error" is that error. It gives up when the first line
// takes longer than first, or a later one longer than idle.
func (c *Client) stream(ctx context.Context, path, model string, in any, first, idle time.Duration, each func(line []byte) error) error {
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := first
	watch := time.AfterFunc(limit, func() { cancel(stalled(limit)) })
	defer watch.Stop()
	res, err := c.send(bounded, http.MethodPost, path, model, in)
	if err != nil {
		return c.ended(ctx, bounded, err)
	}
	defer func() { _ = res.Body.Close() }() // what follows the last line is not wanted
	lines := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := readLine(lines)
		if err != nil {
			return c.ended(ctx, bounded, broken(err))
		}
		if !watch.Stop() { // it fired between the line and here
			return c.ended(ctx, bounded, stalled(limit))
		}
		if err := c.lineError(line, model); err != nil {
			return c.ended(ctx, bounded, err)
		}
		switch err := each(line); {
		case errors.Is(err, errDone):
			return nil
		case err != nil:
			return c.ended(ctx, bounded, err)
		}
		// The timer is at rest, so nobody reads limit while it changes.
		limit = idle
		watch.Reset(limit)
	}
}

// readLine returns the next line that is not empty, without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, more, err := r.ReadLine()
		if err != nil {
			return nil, err
		}
		if line = append(line, part...); len(line) > maxLine {
			return nil, errors.New("a line is longer than 8 MiB")
		}
		if !more && len(line) > 0 {
			return line, nil
		}
	}
}

// broken tells of a stream that ended or could not be read before its last line.
func broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fault.Wrap(err, "llm_stream_broken", fault.P("detail", err.Error()))
}

// lineError is the error that a line of a stream reports, or nil.
func (c *Client) lineError(line []byte, model string) error {
	var e struct {
		Error string `json:"error"`
		// Status is an HTTP status beside an error, and words elsewhere.
		Status json.RawMessage `json:"status"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return broken(err)
	}
	if e.Error == "" {
		return nil
	}
	var status int
	if json.Unmarshal(e.Status, &status) != nil {
		status = http.StatusInternalServerError
	}
	return c.classify(status, e.Error, model)
}
