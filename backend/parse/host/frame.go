package host

import (
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// request is a file to read.
type request struct {
	Source, Encoding string
	Bytes            []byte
	Options          Options
}

// response is the document or the reason why there is none.
type response struct {
	Document rag.Document
	// Failed says that there is an error; Code is empty for one without a code.
	Failed  bool
	Code    string
	Params  map[string]string
	Message string
	// Worn tells that the child should not be used again.
	Worn bool
}

// failure makes the response for an error.
func failure(err error) response {
	r := response{Failed: true, Message: err.Error()}
	var f *fault.Error
	if errors.As(err, &f) {
		r.Code, r.Params = f.Code, f.Params
	}
	return r
}

// result is what the response says.
func (r response) result() (rag.Document, error) {
	if !r.Failed {
		return r.Document, nil
	}
	cause := errors.New(r.Message)
	if r.Code == "" {
		return rag.Document{}, cause
	}
	return rag.Document{}, &fault.Error{Code: r.Code, Params: r.Params, Err: cause}
}

// maxFrame bounds a frame: a broken stream must not look like a long one.
const maxFrame = 1 << 32

// counted counts the bytes that gob writes, to be sent before them.
type counted struct{ parts [][]byte }

func (c *counted) Write(p []byte) (int, error) {
	c.parts = append(c.parts, append([]byte(nil), p...))
	return len(p), nil
}

// send writes v as a frame: eight bytes of length, then gob.
func send(w io.Writer, v any) error {
	var body counted
	if err := gob.NewEncoder(&body).Encode(v); err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	n := 0
	for _, p := range body.parts {
		n += len(p)
	}
	var head [8]byte
	binary.BigEndian.PutUint64(head[:], uint64(n))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	for _, p := range body.parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// receive reads a frame into v; io.EOF when there is none.
func receive(r io.Reader, v any) error {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint64(head[:])
	if n > maxFrame {
		return fmt.Errorf("frame of %d bytes", n)
	}
	body := io.LimitReader(r, int64(n))
	if err := gob.NewDecoder(body).Decode(v); err != nil {
		return fmt.Errorf("decode frame: %w", err)
	}
	_, err := io.Copy(io.Discard, body)
	return err
}
