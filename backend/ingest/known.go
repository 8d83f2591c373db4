package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"ragdesk/backend/rag"
)

// known is what the library holds, kept up to date while a run goes on.
type known struct {
	docs    map[rag.DocumentID]rag.DocumentRow
	byReal  map[string]rag.DocumentID
	byHash  map[string]rag.DocumentID
	aliases map[string]rag.Alias // by source
	// copies are the sources of aliases that name their file without a link, by
	// real path.
	copies map[string]string
	// unread are files that were not read, by place, as long as the run has not come
	// to them.
	unread map[string]rag.Unread
}

func loadKnown(ctx context.Context, c Catalogue, lib rag.Library) (*known, error) {
	docs, err := c.Documents(ctx, lib)
	if err != nil {
		return nil, fmt.Errorf("list the documents of %q: %w", lib.Name, err)
	}
	aliases, err := c.Aliases(ctx, lib)
	if err != nil {
		return nil, fmt.Errorf("list the aliases of %q: %w", lib.Name, err)
	}
	unread, err := c.Unread(ctx, lib)
	if err != nil {
		return nil, fmt.Errorf("list the files of %q that were not read: %w", lib.Name, err)
	}
	k := &known{
		docs:    make(map[rag.DocumentID]rag.DocumentRow, len(docs)),
		byReal:  make(map[string]rag.DocumentID, len(docs)),
		byHash:  make(map[string]rag.DocumentID, len(docs)),
		aliases: make(map[string]rag.Alias, len(aliases)),
		copies:  make(map[string]string, len(aliases)),
		unread:  make(map[string]rag.Unread, len(unread)),
	}
	for _, d := range docs {
		k.add(d)
	}
	for _, a := range aliases {
		k.addAlias(a)
	}
	for _, u := range unread {
		k.unread[u.Place] = u
	}
	return k, nil
}

func (k *known) addAlias(a rag.Alias) {
	k.aliases[a.Source] = a
	if spells(a.Source, a.RealPath) {
		k.copies[a.RealPath] = a.Source
	}
}

func (k *known) removeAlias(source string) {
	if real := k.aliases[source].RealPath; k.copies[real] == source {
		delete(k.copies, real)
	}
	delete(k.aliases, source)
}

// aliasOf returns the alias that f's path is, in this or another spelling.
func (k *known) aliasOf(f file) (a rag.Alias, ok bool) {
	if a, ok = k.aliases[f.source]; ok || !respelled(f) {
		return a, ok
	}
	a, ok = k.aliases[k.copies[f.real]]
	return a, ok
}

func (k *known) add(d rag.DocumentRow) {
	k.docs[d.ID] = d
	if d.RealPath != "" {
		k.byReal[d.RealPath] = d.ID
	}
	if d.ContentHash != "" {
		k.byHash[d.ContentHash] = d.ID
	}
}

func (k *known) remove(id rag.DocumentID) {
	d := k.docs[id]
	delete(k.docs, id)
	if k.byReal[d.RealPath] == id {
		delete(k.byReal, d.RealPath)
	}
	if k.byHash[d.ContentHash] == id {
		delete(k.byHash, d.ContentHash)
	}
}

// newID names the document of a file: a hash of its source, so that the same
// folder gives the same ids wherever it lies; of the real path as well when
// another file already has that source.
func (k *known) newID(f file) rag.DocumentID {
	id := hashID(f.source)
	if d, taken := k.docs[id]; taken && d.RealPath != f.real {
		return hashID(f.source + "\x00" + f.real)
	}
	return id
}

func hashID(s string) rag.DocumentID {
	sum := sha256.Sum256([]byte(s))
	return rag.DocumentID(hex.EncodeToString(sum[:8]))
}

// respelled reports whether f names its file without a link, so that another
// spelling of the path is the same document and not an alias of it.
func respelled(f file) bool {
	real, _, _ := strings.Cut(f.real, entryMark)
	abs, err := filepath.Abs(f.path)
	return err == nil && abs == real
}

// spells reports whether source, relative to whatever folder, can be the path
// real itself and not a link to it.
func spells(source, real string) bool {
	for strings.HasPrefix(source, "../") {
		source = source[len("../"):]
	}
	real = strings.ReplaceAll(filepath.ToSlash(real), entryMark, "/")
	return source == real || strings.HasSuffix(real, "/"+source)
}

// inside reports whether path lies under one of the folders.
func inside(path string, roots []string) bool {
	for _, root := range roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
