package ingest

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// place is where f lies: its absolute path, links not followed, and in an archive
// the name there.
func (f file) place() string {
	at, name, entry := splitEntry(f.path)
	if _, inside, ok := splitEntry(f.real); ok {
		name, entry = inside, true
	}
	at = absolute(at)
	if entry {
		at += entryMark + name
	}
	return at
}

// ShownPlace is the place of a file that was not read as a person writes it.
func ShownPlace(place string) string {
	return strings.ReplaceAll(place, entryMark, string(filepath.Separator))
}

// absolute is path from the root, or path itself where the working folder is gone.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// unread reports whether the item's file gives no document.
func (it *item) unread() bool {
	switch it.outcome.Status {
	case rag.StatusFailed, rag.StatusUnsupported:
		return true
	case rag.StatusSkipped:
		return !it.held
	}
	return false
}

// noted is what is kept of a file that was not read.
func (it *item) noted(now time.Time) rag.Unread {
	u := rag.Unread{
		Place: it.place, Source: it.source, Status: it.outcome.Status, Warnings: it.outcome.Warnings,
		Tried: now.UTC().Truncate(time.Second),
	}
	if it.outcome.Err != nil {
		f := fault.Of(it.outcome.Err)
		u.Code, u.Params, u.Warnings = f.Code, f.Params, nil
	}
	return u
}

// settle tells the item what the library knows of f. A document keeps its first
// source, and so does a file that was not read.
func (r *reader) settle(f file, it *item) {
	if f.path == "" && f.err != nil {
		return // a path without a name
	}
	it.place, it.source = f.place(), f.source
	if had, ok := r.known.unread[it.place]; ok {
		it.wasUnread, it.source = true, had.Source
		delete(r.known.unread, it.place)
	}
	real := f.real
	if real == "" {
		real = it.place
	}
	_, it.held = r.known.aliases[it.source]
	if id, ok := r.known.byReal[real]; ok {
		it.held = true
		if d := r.known.docs[id]; f.real == "" || respelled(f) {
			it.source = d.Source
		}
	}
}

// outlived forgets files that were not read once and are none of the library's any
// more: folders and archives that now were, what archives no longer hold or an
// ignored folder does and, with Sync, what is gone.
func (r *reader) outlived(pass func(*item) error) error {
	for _, place := range sortedKeys(r.known.unread) {
		at, _, _ := splitEntry(place)
		if !r.unpackedAt[at] && !r.scan.entered[place] && !inside(at, r.scan.skipped) &&
			(!r.opt.Sync || !inside(at, r.scan.places) || !missing(at)) {
			continue
		}
		if err := pass(&item{place: place, wasUnread: true}); err != nil {
			return err
		}
	}
	return nil
}

// given is a file or folder to ingest, and the source that it has; without one the
// path is.
type given struct{ path, source string }

// asGiven are paths as they were given.
func asGiven(paths []string) []given {
	out := make([]given, len(paths))
	for i, p := range paths {
		out[i] = given{path: p}
	}
	return out
}

// retry lists what to read again: the files of the given sources or, without any,
// all that failed or are of no known format, and with OCR what waits for that. A
// source that is no such file is the fault "unread_unknown" {source}.
func (k *known) retry(sources []string, ocr bool) ([]given, error) {
	all := map[given][]string{} // with the sources that it is known by
	add := func(place, source string) {
		at, name, entry := splitEntry(place)
		g := given{at, source}
		if entry { // read with the archive that holds it
			g.source = strings.TrimSuffix(source, "/"+name)
		}
		all[g] = append(all[g], source)
	}
	for _, u := range k.unread {
		if len(sources) > 0 || u.Status != rag.StatusSkipped {
			add(u.Place, u.Source)
		}
	}
	for _, d := range k.docs {
		if d.Status == rag.StatusNeedsOCR && d.RealPath != "" && (ocr || len(sources) > 0) {
			add(d.RealPath, d.Source)
		}
	}
	left := make(map[string]bool, len(sources))
	for _, s := range sources {
		left[path.Clean(filepath.ToSlash(s))] = true
	}
	var out []given
	for g, names := range all {
		wanted := len(sources) == 0
		for _, name := range names {
			if _, asked := left[name]; asked {
				wanted, left[name] = true, false
			}
		}
		if wanted {
			out = append(out, g)
		}
	}
	for _, s := range sortedKeys(left) {
		if left[s] {
			return nil, fault.New("unread_unknown", fault.P("source", s))
		}
	}
	slices.SortFunc(out, func(a, b given) int { return strings.Compare(a.source+"\x00"+a.path, b.source+"\x00"+b.path) })
	return out, nil
}
