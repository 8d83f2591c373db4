// Package epub reads books in EPUB 2 and 3.
//
// Chapters come in the order of the spine, each read as a web page with its own
// headings; one without a heading gets its title from the table of contents. The
// table of contents itself is not repeated. Pictures are counted.
//
//	doc, err := epub.Parse(ctx, rag.Input{Source: "书.epub", Bytes: b}, env)
//
// Faults: corrupt, password, limit_pages, limit_text, limit_depth,
// limit_entities, limit_inflated, limit_ratio.
package epub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Codes of the warnings Parse gives.
const (
	// WarnChapter: a chapter could not be read. The detail is its name and the code
	// of the fault.
	WarnChapter = "chapter_unread"
	// WarnSpine: the book does not say the order of its chapters; they were read in
	// the order of the file.
	WarnSpine = "order_unknown"
)

// book is an open file.
type book struct {
	zip *guard.Zip
	env guard.Env
	out *doctext.Builder
	pkg pkg
	// titles are those of the table of contents by the chapters' paths.
	titles map[string]entry
	// named are the titles alone.
	named map[string]bool
	// skip are the paths of tables of contents.
	skip map[string]bool
}

// Parse reads in. A file that is no zip archive is read as what it is.
func Parse(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	if !bytes.HasPrefix(in.Bytes, []byte("PK")) {
		return guard.Misnamed(ctx, in, env, "epub")
	}
	z, err := guard.OpenZip(in.Bytes, env.Limits)
	if err != nil {
		return rag.Document{}, err
	}
	b := &book{zip: z, env: env, titles: map[string]entry{}, named: map[string]bool{}, skip: map[string]bool{},
		out: &doctext.Builder{MediaType: "application/epub+zip", ParsedBy: "epub/1"}}
	if err := b.open(); err != nil {
		return rag.Document{}, err
	}
	b.out.Title = b.pkg.title
	if err := b.chapters(ctx); err != nil {
		return rag.Document{}, err
	}
	return b.out.Document(in, env.Limits)
}

// open reads what the book says of itself.
func (b *book) open() error {
	name, err := b.packageName()
	if err != nil {
		return err
	}
	content, err := b.zip.Read(name)
	if err != nil {
		return guard.Corrupt("epub", fmt.Errorf("read package: %w", err))
	}
	if b.pkg, err = readPackage(content, path.Dir(name), b.env.Limits); err != nil {
		return err
	}
	if b.pkg.nav != "" {
		b.skip[b.pkg.nav] = true
	}
	for _, p := range b.pkg.contents {
		b.skip[p] = true
	}
	if err := b.encrypted(); err != nil {
		return err
	}
	return b.contents()
}

// packageName finds the description of the book: the one that the container
// names, or the first in the archive.
func (b *book) packageName() (string, error) {
	content, err := b.zip.Read("META-INF/container.xml")
	switch {
	case err == nil:
		name, err := readContainer(content, b.env.Limits)
		if err != nil {
			return "", err
		}
		if name != "" && b.zip.Has(name) {
			return name, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	for _, f := range b.zip.Files() {
		if strings.EqualFold(path.Ext(f.Name), ".opf") {
			return f.Name, nil
		}
	}
	return "", guard.Corrupt("epub", errors.New("no description of a book"))
}

// encrypted reports a book whose chapters need a key. Fonts are scrambled without
// one.
func (b *book) encrypted() error {
	content, err := b.zip.Read("META-INF/encryption.xml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	locked, err := readEncryption(content, b.env.Limits)
	if err != nil {
		return err
	}
	for _, p := range b.pkg.spine {
		if locked[p] {
			return guard.Password("epub")
		}
	}
	return nil
}

// contents reads the titles of chapters from the tables of contents; a broken one
// leaves them without.
func (b *book) contents() error {
	for _, source := range []struct {
		path string
		read func([]byte, string, guard.Limits) ([]entry, error)
	}{{b.pkg.nav, readNav}, {b.pkg.ncx, readNCX}} {
		if source.path == "" {
			continue
		}
		content, err := b.zip.Read(source.path)
		if err != nil {
			continue
		}
		entries, err := source.read(content, path.Dir(source.path), b.env.Limits)
		if err != nil && !fault.Is(err, "corrupt") {
			return err
		}
		for _, e := range entries {
			b.named[e.title] = true
			if _, known := b.titles[e.path]; !known {
				b.titles[e.path] = e
			}
		}
	}
	return nil
}

// order is the chapters' paths in their order.
func (b *book) order() []string {
	if len(b.pkg.spine) > 0 {
		return b.pkg.spine
	}
	b.out.Warn(WarnSpine, "")
	var paths []string
	for _, f := range b.zip.Files() {
		switch strings.ToLower(path.Ext(f.Name)) {
		case ".xhtml", ".html", ".htm":
			paths = append(paths, f.Name)
		}
	}
	return paths
}

// chapters adds the chapters.
func (b *book) chapters(ctx context.Context) error {
	order := b.order()
	if n := len(order); n > b.env.Limits.Pages {
		return fault.New("limit_pages", fault.P("limit", b.env.Limits.Pages), fault.P("pages", n))
	}
	done := map[string]bool{}
	for _, p := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if done[p] || b.skip[p] && len(order) > 1 {
			continue
		}
		done[p] = true
		if err := b.chapter(ctx, p); err != nil {
			return err
		}
		if int64(b.out.Len()) > b.env.Limits.Text {
			return fault.New("limit_text", fault.P("limit", b.env.Limits.Text))
		}
	}
	return nil
}

// chapter adds one chapter. One that is missing or broken is told of; a breach of
// a limit ends the reading.
func (b *book) chapter(ctx context.Context, p string) error {
	content, err := b.zip.Read(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.out.Warn(WarnChapter, p+": missing")
		return nil
	case fault.Is(err, "corrupt"):
		b.out.Warn(WarnChapter, p+": corrupt")
		return nil
	case err != nil:
		return err
	case strings.HasPrefix(b.pkg.types[p], "image/"):
		b.out.Health.Images++
		return nil
	}
	name := strings.TrimSuffix(path.Base(p), path.Ext(p))
	d, err := b.env.Nested(ctx, rag.Input{Source: name + ".xhtml", Bytes: content})
	if fault.Is(err, "format_unsupported") {
		d, err = b.env.Nested(ctx, rag.Input{Source: name + ".html", Bytes: content})
	}
	if err != nil {
		if code := fault.Of(err).Code; ctx.Err() != nil || strings.HasPrefix(code, "limit_") {
			return fmt.Errorf("chapter %s: %w", p, err)
		}
		b.out.Warn(WarnChapter, p+": "+fault.Of(err).Code)
		return nil
	}
	if b.repeatsContents(d) {
		return nil
	}
	if e, ok := b.titles[p]; ok && len(d.Sections) == 0 && !text.IsBlank(d.Text) {
		b.out.Heading(e.depth, e.title)
		// The title may stand there as a paragraph.
		if len(d.Blocks) > 0 {
			if s, err := d.Blocks[0].Span.Of(d.Text); err == nil && oneLine(s) == e.title {
				if d.Blocks = d.Blocks[1:]; len(d.Blocks) == 0 {
					d.Text = ""
				}
			}
		}
	}
	b.out.Append(d, 0)
	return nil
}

// repeatsContents reports whether a chapter is a table of contents: its lines,
// apart from headings, are titles of chapters.
func (b *book) repeatsContents(d rag.Document) bool {
	lines := 0
	for _, block := range d.Blocks {
		s, err := block.Span.Of(d.Text)
		if err != nil || block.Kind == rag.BlockHeading {
			continue
		}
		for line := range strings.Lines(s) {
			line = oneLine(strings.TrimLeft(line, "-*0123456789. \t"))
			if line != "" && !b.named[line] && !b.named[oneLine(s)] {
				return false
			}
			lines++
		}
	}
	return lines > 1
}
