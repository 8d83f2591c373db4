// Package drawing reads what the drawings of office files say: text bodies, charts
// as tables of their cached values, diagrams as lists, and the order in which
// shapes are read.
package drawing

import (
	"strings"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/omml"
	"ragdesk/backend/parse/office/opc"
)

// BulletKind is how a paragraph of a text body is marked.
type BulletKind int

// The kinds of bullet; Unset leaves it to the styles above.
const (
	Unset BulletKind = iota
	None
	Sign
	Auto
)

// Bullet is the mark of a paragraph.
type Bullet struct {
	Kind BulletKind
	// Scheme names the numbers of Auto, such as "arabicPeriod".
	Scheme string
	// Start is the first number.
	Start int
}

// Levels are the bullets of a list style by level.
type Levels [9]Bullet

// Para is a paragraph of a text body.
type Para struct {
	// Level counts from 0.
	Level  int
	Bullet Bullet
	Text   string
}

// Body is a text body: its own list style and its paragraphs.
type Body struct {
	Style Levels
	Paras []Para
}

// Text returns the paragraphs that are not blank, a line each.
func (b Body) Text() string {
	var lines []string
	for _, p := range b.Paras {
		if s := strings.TrimSpace(p.Text); s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

// ReadBody reads the text body (txBody, rich or t) just started.
func ReadBody(r *opc.Reader) (Body, error) {
	var b Body
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "lstStyle":
			var err error
			b.Style, err = ReadLevels(r)
			return err
		case "p":
			p, err := readPara(r)
			b.Paras = append(b.Paras, p)
			return err
		}
		return nil
	})
	return b, err
}

// ReadLevels reads a list style just started, such as lstStyle or bodyStyle.
func ReadLevels(r *opc.Reader) (Levels, error) {
	var l Levels
	err := r.Children(func(e opc.Element) error {
		name := e.Name.Local
		if len(name) != len("lvl1pPr") || !strings.HasPrefix(name, "lvl") || name[3] < '1' || name[3] > '9' {
			return nil
		}
		return r.Children(func(e opc.Element) error {
			l[name[3]-'1'].read(e)
			return nil
		})
	})
	return l, err
}

// read takes a property that says something of the bullet.
func (b *Bullet) read(e opc.Element) {
	switch e.Name.Local {
	case "buNone":
		*b = Bullet{Kind: None}
	case "buChar", "buBlip":
		*b = Bullet{Kind: Sign}
	case "buAutoNum":
		*b = Bullet{Kind: Auto, Scheme: guard.Attr(e, "type"), Start: max(opc.Int(e, "startAt", 1), 1)}
	}
}

func readPara(r *opc.Reader) (Para, error) {
	var p Para
	var b strings.Builder
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "pPr":
			p.Level = min(max(opc.Int(e, "lvl", 0), 0), 8)
			return r.Children(func(e opc.Element) error {
				p.Bullet.read(e)
				return nil
			})
		case "br":
			b.WriteByte('\n')
		case "fld":
			if strings.HasPrefix(guard.Attr(e, "type"), "slidenum") {
				return nil
			}
			return readRun(r, &b)
		case "r":
			return readRun(r, &b)
		case "m", "oMath", "oMathPara":
			s, err := omml.Line(r)
			b.WriteString(s)
			return err
		}
		return nil
	})
	p.Text = b.String()
	return p, err
}

// readRun adds the text of a run.
func readRun(r *opc.Reader, b *strings.Builder) error {
	return r.Children(func(e opc.Element) error {
		if e.Name.Local != "t" {
			return nil
		}
		s, err := r.Run(e)
		b.WriteString(flow.Visible(s))
		return err
	})
}
