package odf

import (
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/office/opc"
)

// mathText writes the MathML element just started in a line.
func mathText(r *opc.Reader) (string, error) {
	args, err := mathArgs(r)
	return strings.Join(args, ""), err
}

// mathArgs returns the children of a MathML element, each in a line.
func mathArgs(r *opc.Reader) ([]string, error) {
	var out []string
	err := r.Children(func(e opc.Element) error {
		s, err := mathTerm(r, e)
		out = append(out, s)
		return err
	})
	return out, err
}

func mathTerm(r *opc.Reader, e opc.Element) (string, error) {
	switch e.Name.Local {
	case "mi", "mn", "mo", "mtext", "ms":
		s, err := r.Text()
		return strings.TrimSpace(s), err
	case "annotation", "annotation-xml", "mphantom":
		return "", nil
	}
	args, err := mathArgs(r)
	if err != nil {
		return "", err
	}
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch e.Name.Local {
	case "mfrac":
		return bracket(arg(0)) + "/" + bracket(arg(1)), nil
	case "msup", "mover":
		return arg(0) + "^" + bracket(arg(1)), nil
	case "msub", "munder":
		return arg(0) + "_" + bracket(arg(1)), nil
	case "msubsup", "munderover":
		return arg(0) + "_" + bracket(arg(1)) + "^" + bracket(arg(2)) + " ", nil
	case "msqrt":
		return "√(" + strings.Join(args, "") + ")", nil
	case "mroot":
		return "√(" + arg(1) + "&" + arg(0) + ")", nil
	case "mfenced":
		return "(" + strings.Join(args, ", ") + ")", nil
	case "mtable":
		return "[" + strings.Join(args, "; ") + "]", nil
	case "mtr":
		return strings.Join(args, ", "), nil
	}
	return strings.Join(args, ""), nil
}

// bracket puts what is longer than a character or a word in brackets.
func bracket(s string) string {
	if utf8.RuneCountInString(s) <= 1 || !strings.ContainsAny(s, " +-−×·*/=,_^<>≤≥|") {
		return s
	}
	return "(" + s + ")"
}
