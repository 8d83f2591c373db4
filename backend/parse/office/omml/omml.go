// Package omml writes the formulas of office files in a line of text, as they
// would be typed: (a+b)/(2c), x_1^2, √(x), ∑_(i=1)^n i.
//
//	s, err := omml.Line(r) // r stands at m:oMath
package omml

import (
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/opc"
)

// Line reads the formula just started (oMath, oMathPara or a part of one) and its
// end.
func Line(r *opc.Reader) (string, error) {
	var b strings.Builder
	err := r.Children(func(e opc.Element) error {
		s, err := term(r, e)
		b.WriteString(s)
		return err
	})
	return b.String(), err
}

// term reads one element of a formula.
func term(r *opc.Reader, e opc.Element) (string, error) {
	switch e.Name.Local {
	case "r":
		return run(r)
	case "del", "moveFrom", "ctrlPr":
		return "", nil
	case "f", "sSup", "sSub", "sSubSup", "sPre", "rad", "nary", "func", "limLow", "limUpp", "d", "m", "eqArr", "acc",
		"bar", "groupChr":
		parts, err := children(r)
		if err != nil {
			return "", err
		}
		return write(e.Name.Local, parts), nil
	}
	if strings.HasSuffix(e.Name.Local, "Pr") {
		return "", nil
	}
	s, err := Line(r)
	if e.Name.Local == "oMath" && s != "" {
		// Formulas of one oMathPara stand on lines of their own.
		s += "\n"
	}
	return strings.TrimSuffix(s, "\n"), err
}

// run reads the text of a run.
func run(r *opc.Reader) (string, error) {
	var b strings.Builder
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "t" {
			return nil
		}
		s, err := r.Text()
		b.WriteString(s)
		return err
	})
	return b.String(), err
}

// parts are the arguments of a structure by name, and its properties.
type parts struct {
	args map[string][]string
	prop map[string]string
}

// arg returns the first argument of a name.
func (p parts) arg(name string) string {
	if a := p.args[name]; len(a) > 0 {
		return a[0]
	}
	return ""
}

// or returns a property, or otherwise when it is not stated.
func (p parts) or(name, otherwise string) string {
	if v, ok := p.prop[name]; ok {
		return v
	}
	return otherwise
}

// children reads the arguments and properties of a structure.
func children(r *opc.Reader) (parts, error) {
	p := parts{make(map[string][]string), make(map[string]string)}
	err := r.Children(func(e opc.Element) error {
		name := e.Name.Local
		switch {
		case strings.HasSuffix(name, "Pr"):
			return r.Children(func(e opc.Element) error {
				p.prop[e.Name.Local] = guard.Attr(e, "val")
				return nil
			})
		case name == "mr":
			row, err := children(r)
			p.args["mr"] = append(p.args["mr"], strings.Join(row.args["e"], ", "))
			return err
		}
		s, err := Line(r)
		p.args[name] = append(p.args[name], strings.TrimSpace(s))
		return err
	})
	return p, err
}

// write puts a structure on a line.
func write(kind string, p parts) string {
	e := p.arg("e")
	switch kind {
	case "f":
		return group(p.arg("num")) + "/" + group(p.arg("den"))
	case "sSup", "sSub", "sSubSup":
		return e + script("_", p.arg("sub")) + script("^", p.arg("sup"))
	case "sPre":
		return script("_", p.arg("sub")) + script("^", p.arg("sup")) + e
	case "rad":
		if deg := p.arg("deg"); deg != "" && !opc.True(p.or("degHide", "0")) {
			return "√(" + deg + "&" + e + ")"
		}
		return "√(" + e + ")"
	case "nary":
		return p.or("chr", "∫") + script("_", p.arg("sub")) + script("^", p.arg("sup")) + " " + e
	case "func":
		return p.arg("fName") + " " + e
	case "limLow":
		return e + script("_", p.arg("lim"))
	case "limUpp":
		return e + script("^", p.arg("lim"))
	case "d":
		return p.or("begChr", "(") + strings.Join(p.args["e"], p.or("sepChr", "|")) + p.or("endChr", ")")
	case "m":
		return "[" + strings.Join(p.args["mr"], "; ") + "]"
	case "eqArr":
		return strings.Join(p.args["e"], "\n")
	case "acc":
		return e + p.or("chr", "\u0302")
	}
	return e
}

// script writes what stands above or below; nothing for nothing.
func script(sign, s string) string {
	if s == "" {
		return ""
	}
	return sign + group(s)
}

// group puts what is longer than a character, a number or a word in brackets.
func group(s string) string {
	if utf8.RuneCountInString(s) <= 1 || !strings.ContainsAny(s, " +-−×·÷*/=,_^<>≤≥|&") {
		return s
	}
	return "(" + s + ")"
}
