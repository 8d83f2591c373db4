package data

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/record"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// ParseNotebook reads a Jupyter notebook of format 3 or 4: cells of Markdown as
// such, cells of code as code, and the text of what they print. Pictures are
// counted.
func ParseNotebook(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	b, s, err := open(in, "application/x-ipynb+json", "ipynb/1")
	if err != nil {
		return rag.Document{}, err
	}
	l := env.Limits.Filled()
	if text.IsBlank(s) {
		return b.Document(in, l)
	}
	v, _, err := readJSON(s, l)
	var bad *syntaxError
	if errors.As(err, &bad) {
		err = guard.Corrupt("ipynb", fmt.Errorf("%s: %w", position(s, bad.at), bad))
	}
	if err != nil {
		return rag.Document{}, err
	}
	cells, ok := cellsOf(v)
	if !ok {
		return rag.Document{}, guard.Corrupt("ipynb", errors.New("no cells"))
	}
	n := notebook{b: b, env: env, language: member(v, "metadata", "language_info", "name").Text}
	b.Title = "" // the first heading, or the file's name
	for _, c := range cells {
		if ctx.Err() != nil {
			return rag.Document{}, ctx.Err()
		}
		if err := n.cell(ctx, c.Value); err != nil {
			return rag.Document{}, err
		}
	}
	return b.Document(in, l)
}

// cellsOf returns a notebook's cells; format 3 keeps them in sheets.
func cellsOf(v record.Value) (cells []record.Member, ok bool) {
	if c := member(v, "cells"); c.Kind == record.KindArray {
		return c.Members, true
	}
	sheets := member(v, "worksheets")
	for _, sheet := range sheets.Members {
		cells = append(cells, member(sheet.Value, "cells").Members...)
	}
	return cells, sheets.Kind == record.KindArray
}

// member returns the value at a path of names, the zero Value without it.
func member(v record.Value, path ...string) record.Value {
	for _, name := range path {
		found := record.Value{}
		for _, m := range v.Members {
			if m.Name == name {
				found = m.Value
				break
			}
		}
		v = found
	}
	return v
}

// source is a text that may be written as an array of its lines.
func source(v record.Value) string {
	if v.Kind == record.KindScalar {
		return v.Text
	}
	var b strings.Builder
	for _, m := range v.Members {
		b.WriteString(m.Value.Text)
	}
	return b.String()
}

// notebook writes cells.
type notebook struct {
	b        *doctext.Builder
	env      guard.Env
	language string
}

func (n *notebook) cell(ctx context.Context, c record.Value) error {
	s := source(member(c, "source"))
	switch member(c, "cell_type").Text {
	case "markdown":
		return n.nested(ctx, "cell.md", s)
	case "heading":
		level, _ := strconv.Atoi(member(c, "level").Text) // none is 0, which Heading makes 1
		n.b.Heading(level, s)
		return nil
	case "code":
		if s == "" {
			s = source(member(c, "input"))
		}
		n.b.Code(n.language, s)
		for _, o := range member(c, "outputs").Members {
			if err := n.output(ctx, o.Value); err != nil {
				return err
			}
		}
		return nil
	}
	n.b.Paragraph(s)
	return nil
}

// colours are the sequences that colour a terminal's text.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// output writes what a cell of code printed: a table before its plain text, and
// plain text before others.
func (n *notebook) output(ctx context.Context, o record.Value) error {
	switch member(o, "output_type").Text {
	case "stream":
		n.b.Code("", colours.ReplaceAllString(source(member(o, "text")), ""))
		return nil
	case "error", "pyerr":
		n.b.Code("", member(o, "ename").Text+": "+colours.ReplaceAllString(member(o, "evalue").Text, ""))
		return nil
	}
	data := member(o, "data")
	if data.Kind != record.KindObject {
		data = o // format 3
	}
	rich := func(name, old string) string {
		if s := source(member(data, name)); s != "" {
			return s
		}
		return source(member(data, old))
	}
	for _, m := range data.Members {
		if strings.HasPrefix(m.Name, "image/") || m.Name == "png" || m.Name == "jpeg" || m.Name == "svg" {
			n.b.Health.Images++
		}
	}
	if s := rich("text/html", "html"); strings.Contains(strings.ToLower(s), "<table") {
		return n.nested(ctx, "output.html", s)
	}
	if s := rich("text/markdown", "markdown"); s != "" {
		return n.nested(ctx, "output.md", s)
	}
	if s := rich("text/plain", "text"); s != "" {
		n.b.Code("", colours.ReplaceAllString(s, ""))
		return nil
	}
	if s := rich("text/html", "html"); s != "" {
		return n.nested(ctx, "output.html", s)
	}
	n.b.Paragraph(rich("text/latex", "latex"))
	return nil
}

// nested writes a text of another format; one that cannot be read as such stays
// as it is.
func (n *notebook) nested(ctx context.Context, name, s string) error {
	if text.IsBlank(s) {
		return nil
	}
	if n.env.Nested != nil {
		d, err := n.env.Nested(ctx, rag.Input{Source: name, Bytes: []byte(s), Encoding: "UTF-8"})
		if err == nil {
			n.b.Append(d, 0)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	n.b.Paragraph(s)
	return nil
}
