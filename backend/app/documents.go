package app

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/ingest"
	"ragdesk/backend/rag"
)

// ListDocuments lists documents, aliases and files that were not read by source.
func (s *Service) ListDocuments(ctx context.Context, r api.ListDocumentsRequest) (api.DocumentList, error) {
	for _, status := range r.Status {
		if known := rag.Statuses(); !slices.Contains(known, status) {
			return api.DocumentList{}, fault.New("status_unknown", fault.P("status", status), fault.P("known", strings.Join(known, ", ")))
		}
	}
	held, err := s.holding(ctx, r.KB)
	if err != nil {
		return api.DocumentList{}, err
	}
	out := api.DocumentList{Documents: held.statuses(i18n.Language(ctx))}
	out.Summary = summary(out.Documents)
	if len(r.Status) > 0 {
		out.Documents = slices.DeleteFunc(out.Documents, func(d api.DocumentStatus) bool { return !slices.Contains(r.Status, d.Status) })
	}
	return out, nil
}

// holding is all that a library lists.
type holding struct {
	documents []rag.DocumentRow
	aliases   []rag.Alias
	unread    []rag.Unread
}

func (s *Service) holding(ctx context.Context, kb string) (h holding, err error) {
	lib, err := s.library(ctx, kb)
	if err != nil {
		return h, err
	}
	if h.documents, err = s.store.Documents(ctx, lib); err != nil {
		return h, err
	}
	if h.aliases, err = s.store.Aliases(ctx, lib); err != nil {
		return h, err
	}
	h.unread, err = s.store.Unread(ctx, lib)
	return h, err
}

// statuses puts what the library holds in order. A file of it that could not be read
// again is listed once.
func (h holding) statuses(lang string) []api.DocumentStatus {
	out := []api.DocumentStatus{}
	byID := make(map[rag.DocumentID]rag.DocumentRow, len(h.documents))
	at := map[string]int{} // by place, then by source
	for _, d := range h.documents {
		byID[d.ID] = d
		at[d.RealPath] = len(out)
		out = append(out, documentStatus(lang, ingest.Outcome{Source: d.Source, Status: d.Status, Doc: d, Warnings: d.Warnings}))
	}
	for _, a := range h.aliases {
		out = append(out, documentStatus(lang, ingest.Outcome{Source: a.Source, Status: rag.StatusAlias, Doc: byID[a.DocID]}))
	}
	for i, d := range out {
		if _, taken := at[d.Source]; !taken {
			at[d.Source] = i
		}
	}
	for _, u := range h.unread {
		i, known := at[u.Place]
		if !known {
			i, known = at[u.Source]
		}
		if !known {
			i = len(out)
			out = append(out, api.DocumentStatus{Source: u.Source})
		}
		notRead(lang, u, &out[i])
	}
	slices.SortStableFunc(out, func(a, b api.DocumentStatus) int { return cmp.Compare(a.Source, b.Source) })
	return out
}

// notRead tells in s that a file was not read.
func notRead(lang string, u rag.Unread, s *api.DocumentStatus) {
	s.Status = u.Status
	s.Warnings = append(list(s.Warnings), notices(u.Warnings)...)
	if u.Code != "" {
		body := i18n.ErrorBody(lang, &fault.Error{Code: u.Code, Params: u.Params})
		s.Error = &body
	}
	place := ingest.ShownPlace(u.Place)
	s.Path, s.Tried = &place, &u.Tried
}

// RemoveDocuments removes documents with their chunks and aliases, and forgets files
// that were not read.
func (s *Service) RemoveDocuments(ctx context.Context, r api.RemoveDocumentsRequest) (api.RemovedDocuments, error) {
	if len(r.Refs) == 0 {
		return api.RemovedDocuments{}, fault.New("argument_missing", fault.P("argument", "SOURCE"))
	}
	if _, err := s.library(ctx, r.KB); err != nil {
		return api.RemovedDocuments{}, err
	}
	if r.DryRun {
		_, removal, err := s.removalOf(ctx, r)
		return removal.out, err
	}
	w, err := s.store.Lock(ctx, "docs rm "+r.KB, s.cfg.LockWait)
	if err != nil {
		return api.RemovedDocuments{}, err
	}
	defer unlock(w)
	lib, removal, err := s.removalOf(ctx, r) // of the library as it is now that nobody else writes
	if err != nil {
		return api.RemovedDocuments{}, err
	}
	_, err = s.shelf.Commit(ctx, w, lib, removal.change)
	return removal.out, err
}

// removalOf finds out what a request removes.
func (s *Service) removalOf(ctx context.Context, r api.RemoveDocumentsRequest) (rag.Library, removal, error) {
	out := removal{out: api.RemovedDocuments{Removed: []string{}}}
	lib, err := s.store.Library(ctx, r.KB)
	if err != nil {
		return lib, out, err
	}
	if out.held, err = s.holding(ctx, r.KB); err != nil {
		return lib, out, err
	}
	for _, ref := range r.Refs {
		if out.path(ref) {
			continue
		}
		d, err := s.store.FindDocument(ctx, lib, ref)
		switch {
		case fault.Is(err, "document_unknown"):
			err = out.ending(ref)
		case err == nil:
			out.document(d)
		}
		if err != nil {
			return lib, removal{}, err
		}
	}
	return lib, out, nil
}

// removal gathers what goes.
type removal struct {
	held   holding
	change rag.Change
	out    api.RemovedDocuments
}

// path removes what is listed by a path and is not the document of it alone: another
// path of a document goes and the document stays, and a file that was not read goes
// with the document of its older bytes, if there is one.
func (r *removal) path(ref string) (done bool) {
	if slices.ContainsFunc(r.held.aliases, func(a rag.Alias) bool { return a.Source == ref }) {
		r.change.RemoveAliases = append(r.change.RemoveAliases, ref)
		done = true
	}
	clean := path.Clean(filepath.ToSlash(ref))
	if slices.Contains(r.out.Removed, clean) {
		return true
	}
	forgotten := r.forget(func(u rag.Unread) bool { return u.Source == ref || u.Source == clean })
	if !forgotten && !done {
		return false
	}
	for _, d := range r.held.documents {
		if forgotten && (d.Source == ref || d.Source == clean) {
			r.document(d)
			return true
		}
	}
	r.out.Removed = append(r.out.Removed, clean)
	return true
}

// ending forgets the one file that was not read whose path ends so.
func (r *removal) ending(ref string) error {
	var matches []string
	for _, u := range r.held.unread {
		if strings.HasSuffix(u.Source, "/"+path.Clean(filepath.ToSlash(ref))) {
			matches = append(matches, u.Source)
		}
	}
	switch len(matches) {
	case 0:
		return fault.New("document_unknown", fault.P("ref", ref))
	case 1:
		r.path(matches[0])
		return nil
	}
	return fault.New("document_ambiguous", fault.P("ref", ref), fault.P("matches", strings.Join(matches, ", ")))
}

// document removes a document, and what is known of reading its file again.
func (r *removal) document(d rag.DocumentRow) {
	if slices.Contains(r.change.Remove, d.ID) {
		return
	}
	r.change.Remove = append(r.change.Remove, d.ID)
	r.out.Removed = append(r.out.Removed, d.Source)
	r.forget(func(u rag.Unread) bool { return u.Place == d.RealPath || u.Source == d.Source })
}

// forget drops files that were not read.
func (r *removal) forget(which func(rag.Unread) bool) (any bool) {
	for _, u := range r.held.unread {
		if which(u) && !slices.Contains(r.change.ClearUnread, u.Place) {
			r.change.ClearUnread = append(r.change.ClearUnread, u.Place)
			any = true
		}
	}
	return any
}
