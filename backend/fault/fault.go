// Package fault is the typed error of ragdesk: a stable code, parameters and a
// cause, without text in any language.
//
// A code names what went wrong for the user; the words, in Chinese and in
// English, belong to package i18n and are looked up by the code at the edge,
// where an error is printed once. Code below the edge wraps errors with
// fmt.Errorf as usual; Of finds the fault inside.
//
//	return fault.New("kb_unknown", fault.P("kb", name))
//	return fault.Wrap(err, "workspace_open", fault.P("path", dir))
package fault

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Error is a failure the user must know about or act on.
type Error struct {
	// Code is stable, lower snake case, and a key of both text catalogues.
	Code string
	// Params fill the text's placeholders; keys are lower snake case.
	Params map[string]string
	// Err is the cause, nil when the fault is its own cause.
	Err error
}

// Param is one named value of a fault.
type Param struct{ Key, Value string }

// P makes a parameter; value is printed with %v.
func P(key string, value any) Param { return Param{key, fmt.Sprint(value)} }

// New returns a fault without a cause.
func New(code string, params ...Param) *Error { return Wrap(nil, code, params...) }

// Wrap returns a fault caused by err.
func Wrap(err error, code string, params ...Param) *Error {
	e := &Error{Code: code, Params: make(map[string]string, len(params)), Err: err}
	for _, p := range params {
		e.Params[p.Key] = p.Value
	}
	return e
}

// Error renders the code and parameters for logs and tests; users see the
// catalogue's text instead.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Code)
	keys := make([]string, 0, len(e.Params))
	for k := range e.Params {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Fprintf(&b, " %s=%q", k, e.Params[k])
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Of returns the outermost fault in err's chain. A cancelled context becomes
// "cancelled", a passed deadline "timeout", a disk without space "disk_full" (path)
// whatever fault it was made of, and any other error "internal", so that an edge
// always has a code to show. Of(nil) is nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	noSpace := full(err)
	var f *Error
	switch {
	case errors.Is(err, context.Canceled):
		return Wrap(err, "cancelled")
	case noSpace != nil:
		return noSpace
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.DeadlineExceeded):
		return Wrap(err, "timeout")
	}
	return Wrap(err, "internal", P("detail", err.Error()))
}

// Is reports whether err carries the given code.
func Is(err error, code string) bool {
	var f *Error
	for errors.As(err, &f) {
		if f.Code == code {
			return true
		}
		err = f.Err
	}
	return false
}
