package opc

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"ragdesk/backend/parse/guard"
)

// Relation leads from a part to another part or to a place outside.
type Relation struct {
	ID string
	// Kind is the last segment of the relation's type, such as "hyperlink"; it is
	// the same in the strict and the transitional form of the format.
	Kind string
	// Target is a part's name, or an address when External.
	Target   string
	External bool
}

// Relations are those of one part, in the order they are written.
type Relations []Relation

// ByID returns the relation with the given id; the zero Relation without.
func (r Relations) ByID(id string) Relation {
	for _, rel := range r {
		if rel.ID == id && id != "" {
			return rel
		}
	}
	return Relation{}
}

// First returns the target of the first relation of the kind that stays inside
// the package, "" without.
func (r Relations) First(kind string) string {
	for _, rel := range r {
		if rel.Kind == kind && !rel.External {
			return rel.Target
		}
	}
	return ""
}

// All returns the targets of all relations of the kind inside the package.
func (r Relations) All(kind string) []string {
	var targets []string
	for _, rel := range r {
		if rel.Kind == kind && !rel.External {
			targets = append(targets, rel.Target)
		}
	}
	return targets
}

// Relations reads the relations of a part; part "" stands for the package. A part
// without relations has none.
func (p *Package) Relations(part string) (Relations, error) {
	dir, name := path.Split(part)
	r, err := p.XML(dir + "_rels/" + name + ".rels")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rels Relations
	err = r.Children(func(e Element) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		rel := Relation{ID: guard.Attr(e, "Id"), Kind: path.Base(guard.Attr(e, "Type")), Target: guard.Attr(e, "Target")}
		rel.External = strings.EqualFold(guard.Attr(e, "TargetMode"), "External")
		if !rel.External {
			rel.Target = p.resolve(dir, rel.Target)
		}
		rels = append(rels, rel)
		return nil
	})
	return rels, err
}

// resolve makes a relation's target a part's name.
func (p *Package) resolve(dir, target string) string {
	target, _, _ = strings.Cut(strings.ReplaceAll(target, `\`, "/"), "#")
	full := target
	if !strings.HasPrefix(target, "/") {
		full = path.Join("/", dir, target)
	}
	full = strings.TrimPrefix(path.Clean(full), "/")
	if p.Has(full) {
		return full
	}
	if plain, err := url.PathUnescape(full); err == nil && p.Has(plain) {
		return plain
	}
	// Some producers write targets from the root without saying so.
	if fromRoot := strings.TrimPrefix(path.Clean("/"+target), "/"); p.Has(fromRoot) {
		return fromRoot
	}
	return full
}
