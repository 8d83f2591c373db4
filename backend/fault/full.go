package fault

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// full returns the fault of a disk without space when that is what err comes from,
// whatever it was wrapped in on its way; nil otherwise.
func full(err error) *Error {
	var (
		path *fs.PathError
		link *os.LinkError
		f    *Error
		name = "?"
	)
	for inner := err; errors.As(inner, &f); inner = f.Err {
		if f.Code == "disk_full" {
			return f
		}
	}
	if !slices.ContainsFunc(fullErrnos[:], func(errno syscall.Errno) bool { return errors.Is(err, errno) }) {
		return nil
	}
	switch {
	case errors.As(err, &path):
		name = path.Path
	case errors.As(err, &link):
		name = link.New
	case errors.As(err, &f) && f.Params["path"] != "":
		name = f.Params["path"]
	}
	return Wrap(err, "disk_full", P("path", name))
}
