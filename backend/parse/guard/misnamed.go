package guard

import (
	"context"
	"fmt"
	"path"
	"strings"

	"ragdesk/backend/rag"
)

// WarnExtension says that the content is of another format than the name says.
// The detail names both, such as "xls: html".
const WarnExtension = "extension_mismatch"

// ReadAs reads in as a file with the extension ext, without its dot; the document
// keeps the file's own name.
func ReadAs(ctx context.Context, in rag.Input, env Env, ext string) (rag.Document, error) {
	alias := in
	alias.Source = in.Source + "." + ext
	d, err := env.Nested(ctx, alias)
	if err != nil {
		return rag.Document{}, fmt.Errorf("read %s as %s: %w", path.Base(in.Source), ext, err)
	}
	d.Source = in.Source
	if d.Title == path.Base(alias.Source) {
		d.Title = path.Base(in.Source)
	}
	return d, nil
}

// Misnamed reads a file that is not of the format that its name says, by the
// parser of ".doc", which finds out what it is, and warns of it.
func Misnamed(ctx context.Context, in rag.Input, env Env, format string) (rag.Document, error) {
	d, err := ReadAs(ctx, in, env, "doc")
	if err != nil {
		return rag.Document{}, err
	}
	found := "doc"
	kept := make([]rag.Notice, 0, len(d.Warnings)+1)
	for _, w := range d.Warnings {
		if w.Code != WarnExtension {
			kept = append(kept, w)
			continue
		}
		_, found, _ = strings.Cut(w.Detail, ": ")
	}
	d.Warnings = append(kept, rag.Notice{Code: WarnExtension, Detail: format + ": " + found})
	return d, nil
}
