package epub

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"ragdesk/backend/parse/guard"
)

// pkg is what a book's package says; paths are those in the archive.
type pkg struct {
	title string
	// spine are the chapters in their order, types the media types of all files.
	spine []string
	types map[string]string
	// nav and ncx are the tables of contents of EPUB 3 and 2, contents the pages
	// that the guide calls one.
	nav, ncx string
	contents []string
}

// entry is a line of a table of contents.
type entry struct {
	path, title string
	// depth is 1 for the outermost.
	depth int
}

// resolve returns the path in the archive of a reference in a file of dir,
// without its fragment.
func resolve(dir, href string) string {
	href, _, _ = strings.Cut(href, "#")
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	if href == "" {
		return ""
	}
	return strings.TrimPrefix(path.Clean("/"+dir+"/"+href), "/")
}

// walk calls f with each token of an XML document.
func walk(b []byte, l guard.Limits, f func(t xml.Token)) error {
	x := guard.NewXML(bytes.NewReader(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))), l)
	for {
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		f(t)
	}
}

// readContainer returns the path of the first package that is a book's, "" for
// none.
func readContainer(b []byte, l guard.Limits) (string, error) {
	name := ""
	err := walk(b, l, func(t xml.Token) {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "rootfile" && name == "" {
			name = resolve("", guard.Attr(e, "full-path"))
		}
	})
	return name, err
}

// fontMethods scramble fonts with a key that everybody has.
func fontMethods() []string {
	return []string{"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
}

// readEncryption returns the paths of what needs a key.
func readEncryption(b []byte, l guard.Limits) (map[string]bool, error) {
	locked := map[string]bool{}
	method := ""
	err := walk(b, l, func(t xml.Token) {
		e, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "EncryptedData":
			method = ""
		case e.Name.Local == "EncryptionMethod" && method == "":
			method = guard.Attr(e, "Algorithm")
		case e.Name.Local == "CipherReference" && !slices.Contains(fontMethods(), method):
			locked[resolve("", guard.Attr(e, "URI"))] = true
		}
	})
	return locked, err
}

// readPackage reads the package in dir.
func readPackage(b []byte, dir string, l guard.Limits) (pkg, error) {
	p := pkg{types: map[string]string{}}
	byID := map[string]string{}
	var spine []string
	toc, inTitle := "", false
	err := walk(b, l, func(t xml.Token) {
		switch t := t.(type) {
		case xml.CharData:
			if inTitle {
				p.title += string(t)
			}
		case xml.EndElement:
			inTitle = false
		case xml.StartElement:
			inTitle = t.Name.Local == "title" && strings.TrimSpace(p.title) == ""
			switch t.Name.Local {
			case "item":
				file := resolve(dir, guard.Attr(t, "href"))
				byID[guard.Attr(t, "id")] = file
				p.types[file] = guard.Attr(t, "media-type")
				if slices.Contains(strings.Fields(guard.Attr(t, "properties")), "nav") {
					p.nav = file
				}
				if p.types[file] == "application/x-dtbncx+xml" && p.ncx == "" {
					p.ncx = file
				}
			case "spine":
				toc = guard.Attr(t, "toc")
			case "itemref":
				spine = append(spine, guard.Attr(t, "idref"))
			case "reference":
				if guard.Attr(t, "type") == "toc" {
					p.contents = append(p.contents, resolve(dir, guard.Attr(t, "href")))
				}
			}
		}
	})
	if err != nil {
		return pkg{}, err
	}
	p.title = strings.Join(strings.Fields(p.title), " ")
	if byID[toc] != "" {
		p.ncx = byID[toc]
	}
	for _, id := range spine {
		if byID[id] != "" {
			p.spine = append(p.spine, byID[id])
		}
	}
	return p, nil
}

// readNCX reads the table of contents of EPUB 2.
func readNCX(b []byte, dir string, l guard.Limits) ([]entry, error) {
	var entries []entry
	var label strings.Builder
	depth, inText, wanted := 0, false, false
	err := walk(b, l, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "navPoint":
				depth++
				wanted = true
				label.Reset()
			case "text":
				inText = wanted
			case "content":
				if wanted {
					entries = append(entries, entry{resolve(dir, guard.Attr(t, "src")), oneLine(label.String()), depth})
				}
				wanted = false
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "navPoint":
				depth--
			case "text":
				inText = false
			}
		case xml.CharData:
			if inText {
				label.Write(t)
			}
		}
	})
	return entries, err
}

// readNav reads the table of contents of EPUB 3: the lists of the element nav
// that is one, or of the first.
func readNav(b []byte, dir string, l guard.Limits) ([]entry, error) {
	var entries []entry
	var label strings.Builder
	href, depth, inNav, inLink := "", 0, false, false
	err := walk(b, l, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "nav":
				kind := guard.Attr(t, "type")
				inNav = kind == "" || strings.Contains(kind, "toc")
				depth = 0
			case "ol":
				depth++
			case "a":
				href, inLink = guard.Attr(t, "href"), inNav
				label.Reset()
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "nav":
				inNav = false
			case "ol":
				depth--
			case "a":
				if inLink {
					entries = append(entries, entry{resolve(dir, href), oneLine(label.String()), max(depth, 1)})
				}
				inLink = false
			}
		case xml.CharData:
			if inLink {
				label.Write(t)
			}
		}
	})
	return entries, err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
