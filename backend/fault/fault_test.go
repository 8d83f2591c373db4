package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"testing"

	"ragdesk/backend/fault"
)

func TestOfFindsTheFaultToShow(t *testing.T) {
	t.Parallel()
	inner := fault.New("inner", fault.P("n", 3))
	noSpace := &fs.PathError{Op: "write", Path: "index/tokens.bin", Err: syscall.ENOSPC}
	for name, c := range map[string]struct {
		err  error
		code string
	}{
		"fault":           {inner, "inner"},
		"wrapped fault":   {fmt.Errorf("read: %w", inner), "inner"},
		"outermost fault": {fault.Wrap(inner, "outer"), "outer"},
		"joined fault":    {errors.Join(io.EOF, inner), "inner"},
		"cancelled":       {fmt.Errorf("embed: %w", context.Canceled), "cancelled"},
		"cancelled fault": {fault.Wrap(context.Canceled, "outer"), "cancelled"},
		"deadline":        {fmt.Errorf("embed: %w", context.DeadlineExceeded), "timeout"},
		"anything else":   {io.ErrUnexpectedEOF, "internal"},
		"disk full":       {fmt.Errorf("index: %w", noSpace), "disk_full"},
		"disk full fault": {fault.Wrap(noSpace, "unwritable", fault.P("path", "a")), "disk_full"},
		"told already":    {fault.Wrap(fault.Wrap(noSpace, "disk_full", fault.P("path", "w")), "outer"), "disk_full"},
	} {
		if got := fault.Of(c.err); got.Code != c.code {
			t.Errorf("%s: code %q, want %q", name, got.Code, c.code)
		}
	}
	if got := fault.Of(fmt.Errorf("add: %w", noSpace)); got.Params["path"] != noSpace.Path || !errors.Is(got, syscall.ENOSPC) {
		t.Errorf("a full disk loses its place or cause: %v", got)
	}
	if fault.Of(nil) != nil {
		t.Error("no error has a fault")
	}
	if got := fault.Of(io.EOF); got.Params["detail"] != "EOF" || !errors.Is(got, io.EOF) {
		t.Errorf("an internal error loses its cause: %v", got)
	}
}

func TestIsLooksThroughTheChain(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("open: %w", fault.Wrap(fault.New("inner"), "outer"))
	for code, want := range map[string]bool{"outer": true, "inner": true, "other": false} {
		if fault.Is(err, code) != want {
			t.Errorf("Is(%s) = %t", code, !want)
		}
	}
	if fault.Is(nil, "outer") || fault.Is(io.EOF, "") {
		t.Error("an error without a fault has a code")
	}
}

func TestErrorNamesCodeParametersAndCause(t *testing.T) {
	t.Parallel()
	err := fault.Wrap(io.EOF, "kb_unknown", fault.P("kb", "手册"), fault.P("also", 1.5))
	const want = `kb_unknown also="1.5" kb="手册": EOF`
	if err.Error() != want {
		t.Errorf("%s, want %s", err, want)
	}
}
