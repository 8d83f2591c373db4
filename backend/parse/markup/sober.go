package markup

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/fault"
)

// maxElements is how many tags a page may have.
const maxElements = 2_000_000

// seam parts two pieces of text that must not become one in the tree.
const seam = "<!---->"

// maxMerged is how many pieces of text the tree may join into one.
const maxMerged = 64

// sober rewrites a page so that building its tree takes time and memory in
// proportion to its size, without changing its text. HTML's rules for formatting
// elements that overlap copy them for every paragraph, and neighbouring texts
// are joined one by one; so comments, scripts, styles and tags that only format
// are left out, and long runs of text are parted.
type sober struct {
	z   *html.Tokenizer
	out bytes.Buffer
	// scripts says that the page is read as a browser with scripts reads it, which
	// passes what is meant for others.
	scripts bool
	// at is where the next token starts, lastEnds where the last end tag of a raw
	// element does.
	at       int
	lastEnds map[atom.Atom]int
	page     string
	// formats tells, for each kind of formatting element, which of the open ones
	// were kept as span.
	formats map[atom.Atom][]bool
	// seen are the elements that occur once.
	seen map[atom.Atom]bool
	// raw says that the token before starts an element whose content is no markup,
	// afterText that nothing was written since a text, and openEnded that this text
	// may go on as markup.
	raw, afterText, openEnded bool
	texts, elements           int
}

// sobered returns the page rewritten. Without scripts, what is meant for browsers
// without them is content too. Faults: limit_elements.
func sobered(page string, scripts bool) ([]byte, error) {
	s := sober{
		z: html.NewTokenizer(strings.NewReader(page)), page: page, scripts: scripts,
		formats: map[atom.Atom][]bool{}, seen: map[atom.Atom]bool{}, lastEnds: map[atom.Atom]int{},
	}
	s.out.Grow(len(page))
	for {
		kind := s.z.Next()
		if kind == html.ErrorToken {
			if errors.Is(s.z.Err(), io.EOF) {
				return s.out.Bytes(), nil
			}
			return nil, s.z.Err()
		}
		s.at += len(s.z.Raw())
		if err := s.token(kind); err != nil {
			return nil, err
		}
	}
}

func (s *sober) token(kind html.TokenType) error {
	raw := s.z.Raw()
	switch kind {
	case html.TextToken:
		s.text(raw)
	case html.DoctypeToken:
		if s.out.Len() == 0 {
			s.out.Write(raw)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		if s.elements++; s.elements > maxElements {
			return fault.New("limit_elements", fault.P("limit", maxElements))
		}
		s.start(raw, kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		s.end(raw)
	}
	return nil
}

// text writes a piece of text, after a seam where joining it to the one before
// could make markup of both or costs too much.
func (s *sober) text(raw []byte) {
	if s.texts++; !s.raw && (s.openEnded && s.afterText || s.texts%maxMerged == 0) {
		s.out.WriteString(seam)
	}
	s.out.Write(raw)
	s.raw, s.afterText = false, true
	s.openEnded = bytes.ContainsAny(raw[max(0, len(raw)-40):], "<&")
}

// tag writes a tag.
func (s *sober) tag(raw []byte) {
	s.out.Write(raw)
	s.raw, s.afterText = false, false
}

// start writes a start tag, or not.
func (s *sober) start(raw []byte, selfClosed bool) {
	name, a := tagName(raw)
	switch {
	case a == atom.Script, a == atom.Style:
		if selfClosed {
			s.z.NextIsNotRawText()
			return
		}
		s.skip(a)
	case !s.scripts && forOthers(a):
		s.z.NextIsNotRawText()
	case isRaw(a):
		if s.tag(raw); selfClosed || !s.ends(a) {
			s.z.NextIsNotRawText()
			s.tag([]byte("</" + a.String() + ">"))
			return
		}
		s.raw = true
	case a == atom.Html, a == atom.Body:
		// A further one only adds attributes to the first.
		if !s.seen[a] {
			s.tag(raw)
		}
		s.seen[a] = true
	case isFormat(a):
		kept := tells(raw)
		s.formats[a] = append(s.formats[a], kept)
		if kept {
			s.out.WriteString("<span")
			s.tag(raw[1+len(name):])
		}
	default:
		s.tag(raw)
	}
}

// end writes an end tag, or not.
func (s *sober) end(raw []byte) {
	_, a := tagName(raw)
	if !s.scripts && forOthers(a) {
		return
	}
	if !isFormat(a) {
		s.tag(raw)
		return
	}
	open := s.formats[a]
	if len(open) == 0 {
		return
	}
	if open[len(open)-1] {
		s.tag([]byte("</span>"))
	}
	s.formats[a] = open[:len(open)-1]
}

// ends reports whether the element just started has an end tag.
func (s *sober) ends(a atom.Atom) bool {
	last, known := s.lastEnds[a]
	if !known {
		for _, name := range []string{a.String(), strings.ToUpper(a.String())} {
			last = max(last, strings.LastIndex(s.page, "</"+name))
		}
		s.lastEnds[a] = last
	}
	return last >= s.at
}

// skip passes the content of a raw element and its end tag.
func (s *sober) skip(a atom.Atom) {
	for {
		kind := s.z.Next()
		raw := s.z.Raw()
		s.at += len(raw)
		switch kind {
		case html.ErrorToken:
			return
		case html.EndTagToken:
			if _, end := tagName(raw); end == a {
				return
			}
		}
	}
}

// tagName returns the name in a tag's source.
func tagName(raw []byte) (name []byte, a atom.Atom) {
	name = bytes.TrimPrefix(raw[1:], []byte("/"))
	if end := bytes.IndexAny(name, " \t\n\r\f/>"); end >= 0 {
		name = name[:end]
	}
	return name, atom.Lookup(bytes.ToLower(name))
}

// isFormat reports whether an element is one of HTML's formatting elements, none
// of which says more of its text than how it looks.
func isFormat(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small,
		atom.Strike, atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// tells reports whether a formatting tag says something that is needed: that it
// is hidden, or a program's language.
func tells(raw []byte) bool {
	raw = bytes.ToLower(raw)
	for _, word := range []string{"hidden", "display", "lang"} {
		if bytes.Contains(raw, []byte(word)) {
			return true
		}
	}
	return false
}

// forOthers reports whether an element holds what is meant for browsers without
// scripts or frames, or keeps them from it.
func forOthers(a atom.Atom) bool {
	return a == atom.Noscript || a == atom.Noframes || a == atom.Frameset
}

// isRaw reports whether an element's content is text whatever it looks like.
func isRaw(a atom.Atom) bool {
	switch a {
	case atom.Title, atom.Textarea, atom.Xmp, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext:
		return true
	}
	return false
}
