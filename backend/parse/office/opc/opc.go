// Package opc reads the packages that office files are: zip archives of XML parts
// joined by relations. OpenDocument files, which have parts but no relations, are
// opened by it too.
//
// Names of parts are compared without regard to case, and with backslashes for
// slashes, since producers write both. XML parts may be in UTF-8, UTF-16 or any
// encoding their declaration names; characters that XML forbids are replaced, not
// refused. What mc:AlternateContent offers is read once.
//
//	p, err := opc.Open(in.Bytes, env.Limits)
//	r, err := p.XML("word/document.xml")
//	err = r.Children(func(e xml.StartElement) error { … })
package opc

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
)

// Package is an open office file. It is for one goroutine.
type Package struct {
	zip    *guard.Zip
	limits guard.Limits
	// parts maps a part's canonical name to its entry.
	parts map[string]*zip.File
	// defaults and overrides are the content types by extension and by name.
	defaults, overrides map[string]string
}

// Open reads the package's directory and its content types, if it states any.
// Faults: corrupt, password and the limits of package guard.
func Open(b []byte, l guard.Limits) (*Package, error) {
	z, err := guard.OpenZip(b, l)
	if err != nil {
		return nil, fmt.Errorf("open package: %w", err)
	}
	p := &Package{zip: z, limits: l, parts: make(map[string]*zip.File),
		defaults: make(map[string]string), overrides: make(map[string]string)}
	for _, f := range z.Files() {
		if key := canonical(f.Name); p.parts[key] == nil && !strings.HasSuffix(f.Name, "/") {
			p.parts[key] = f
		}
	}
	if err := p.readTypes(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read content types: %w", err)
	}
	return p, nil
}

// canonical is the form in which names of parts are compared.
func canonical(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	return strings.ToLower(strings.TrimPrefix(name, "/"))
}

// Has reports whether the package has the part.
func (p *Package) Has(part string) bool { return p.parts[canonical(part)] != nil }

// Names lists the parts whose canonical (lower-case) names begin with prefix, in
// order of their names.
func (p *Package) Names(prefix string) []string {
	var names []string
	for name := range p.parts {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Read unpacks a part; fs.ErrNotExist when there is none.
func (p *Package) Read(part string) ([]byte, error) {
	f := p.parts[canonical(part)]
	if f == nil {
		return nil, fmt.Errorf("part %q: %w", part, fs.ErrNotExist)
	}
	return p.zip.ReadFile(f)
}

// XML opens a part at its root element; fs.ErrNotExist when there is none.
func (p *Package) XML(part string) (*Reader, error) {
	b, err := p.Read(part)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(b, p.limits)
	if err != nil {
		return nil, fmt.Errorf("part %q: %w", part, err)
	}
	return r, nil
}

// Optional runs read over a part the document can do without. Faults that speak
// of hostility or of a missing password are returned; for any other failure warn
// is called with the part's name. A part that is missing is nothing.
func (p *Package) Optional(part string, warn func(part string), read func(*Reader) error) error {
	if part == "" || !p.Has(part) {
		return nil
	}
	r, err := p.XML(part)
	if err == nil {
		err = read(r)
	}
	if err == nil {
		return nil
	}
	if !fault.Is(err, "corrupt") {
		return err
	}
	warn(part)
	return nil
}

// readTypes reads [Content_Types].xml.
func (p *Package) readTypes() error {
	r, err := p.XML("[Content_Types].xml")
	if err != nil {
		return err
	}
	return r.Children(func(e Element) error {
		switch e.Name.Local {
		case "Default":
			p.defaults[strings.ToLower(guard.Attr(e, "Extension"))] = guard.Attr(e, "ContentType")
		case "Override":
			p.overrides[canonical(guard.Attr(e, "PartName"))] = guard.Attr(e, "ContentType")
		}
		return nil
	})
}

// Type returns the content type of a part, "" when none is stated.
func (p *Package) Type(part string) string {
	if t := p.overrides[canonical(part)]; t != "" {
		return t
	}
	return p.defaults[strings.TrimPrefix(path.Ext(canonical(part)), ".")]
}

// eof reports the end of a part in the middle of an element.
func eof(err error) error {
	if errors.Is(err, io.EOF) {
		return guard.Corrupt("xml", io.ErrUnexpectedEOF)
	}
	return err
}
