// Package pptx reads PresentationML slides: .pptx, .pptm, .ppsx, .potx and their
// kin in the transitional and the strict form.
//
// Slides are pages in the order they are shown: title, then shapes from top to
// bottom and from left to right, then the notes under a heading of their own.
// Hidden slides are read. What layouts and masters show on every slide is not.
//
//	doc, err := pptx.Read(ctx, pkg, "ppt/presentation.xml", in, env)
package pptx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

const mediaType = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

// Read reads the presentation whose main part is named. Faults: corrupt and the
// limits of package guard.
func Read(ctx context.Context, pkg *opc.Package, main string, in rag.Input, env guard.Env) (rag.Document, error) {
	b := &doctext.Builder{MediaType: mediaType, ParsedBy: "pptx/1"}
	p := &presentation{pkg: pkg, out: b, w: flow.Writer{Out: b, Limits: env.Limits}, limits: env.Limits,
		layouts: make(map[string]*layout)}
	slides, err := p.slides(main)
	if err != nil {
		return rag.Document{}, fmt.Errorf("read presentation: %w", err)
	}
	if n := len(slides); n > env.Limits.Pages {
		return rag.Document{}, fault.New("limit_pages", fault.P("limit", env.Limits.Pages), fault.P("pages", n))
	}
	for i, part := range slides {
		if err := ctx.Err(); err != nil {
			return rag.Document{}, err
		}
		if err := p.slide(part, i+1); err != nil {
			return rag.Document{}, fmt.Errorf("read slide %d: %w", i+1, err)
		}
	}
	return b.Document(in, env.Limits)
}

// presentation is the state of reading one presentation.
type presentation struct {
	pkg     *opc.Package
	out     *doctext.Builder
	w       flow.Writer
	limits  guard.Limits
	layouts map[string]*layout
	// titled says that the first slide is a title for all others.
	titled bool
}

func (p *presentation) warnPart(part string) { p.out.Warn(doctext.WarnPart, part) }

// slides returns the parts of the slides in order; without a list of them, those
// that there are by number.
func (p *presentation) slides(main string) ([]string, error) {
	rels, err := p.pkg.Relations(main)
	if err != nil {
		return nil, err
	}
	r, err := p.pkg.XML(main)
	if err != nil {
		return nil, err
	}
	var parts []string
	listed := false
	err = r.Children(func(e opc.Element) error {
		if e.Name.Local != "sldIdLst" {
			return nil
		}
		listed = true
		return r.Children(func(e opc.Element) error {
			if id := opc.RelAttr(e, "id"); e.Name.Local == "sldId" {
				parts = append(parts, rels.ByID(id).Target)
			}
			return nil
		})
	})
	if err != nil || listed {
		return parts, err
	}
	parts = p.pkg.Names("ppt/slides/slide")
	number := func(part string) int {
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(path.Base(part), "slide"), ".xml")) // other names first
		return n
	}
	slices.SortStableFunc(parts, func(a, b string) int { return number(a) - number(b) })
	return parts, nil
}

// slide reads a slide and writes it as a page.
func (p *presentation) slide(part string, number int) error {
	p.out.Page()
	r, err := p.pkg.XML(part)
	if errors.Is(err, fs.ErrNotExist) {
		p.warnPart("slide " + strconv.Itoa(number))
		return nil
	}
	if err != nil {
		return err
	}
	rels, err := p.pkg.Relations(part)
	if err != nil {
		return err
	}
	lay, err := p.layout(rels.First("slideLayout"))
	if err != nil {
		return err
	}
	if show := guard.Attr(r.Root(), "show"); show != "" && !opc.True(show) {
		p.out.Warn(doctext.WarnHidden, "slide "+strconv.Itoa(number))
	}
	s := &slideReader{p: p, rels: rels, layout: lay}
	shapes, err := s.tree(r)
	if err != nil {
		return err
	}
	title, rest := splitTitle(shapes)
	if number == 1 && lay.kind == "title" {
		p.titled = true
	}
	level := 1
	if p.titled && number > 1 {
		level = 2
	}
	blocks := make([]flow.Block, 0, len(rest)+1)
	if title != "" {
		blocks = append(blocks, flow.Block{Kind: flow.Heading, Level: level, Text: title})
	}
	blocks = append(blocks, ordered(rest)...)
	notes, err := p.notes(rels.First("notesSlide"), level+1)
	if err != nil {
		return err
	}
	for _, b := range append(blocks, notes...) {
		if err := p.w.Add(b); err != nil {
			return err
		}
	}
	return p.w.Flush()
}

// notes returns what the speaker's notes of a slide say, under a heading in their
// language.
func (p *presentation) notes(part string, level int) ([]flow.Block, error) {
	var body []flow.Block
	err := p.pkg.Optional(part, p.warnPart, func(r *opc.Reader) error {
		s := &slideReader{p: p, layout: &layout{}, notes: true}
		shapes, err := s.tree(r)
		for _, sh := range shapes {
			body = append(body, sh.blocks...)
		}
		return err
	})
	if err != nil || len(body) == 0 {
		return nil, err
	}
	name := "Notes"
	if text.Language(flow.Flat(body)) == "zh" {
		name = "备注"
	}
	return append([]flow.Block{{Kind: flow.Heading, Level: level, Text: name}}, body...), nil
}
