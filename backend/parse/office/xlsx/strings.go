package xlsx

import (
	"strings"

	"ragdesk/backend/parse/office/opc"
)

// readStrings reads the texts that cells share.
func readStrings(pkg *opc.Package, part string) ([]string, error) {
	r, err := pkg.XML(part)
	if err != nil {
		return nil, err
	}
	var out []string
	err = r.Children(func(e opc.Element) error {
		if e.Name.Local != "si" {
			return nil
		}
		s, err := richText(r)
		out = append(out, s)
		return err
	})
	return out, err
}

// richText reads the text just started (si or is): its runs, without the readings
// that stand above Japanese words.
func richText(r *opc.Reader) (string, error) {
	var b strings.Builder
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "t":
			s, err := r.Run(e)
			b.WriteString(s)
			return err
		case "r":
			return r.Children(func(e opc.Element) error {
				if e.Name.Local != "t" {
					return nil
				}
				s, err := r.Run(e)
				b.WriteString(s)
				return err
			})
		}
		return nil
	})
	return unescape(b.String()), err
}

// unescape replaces the _xHHHH_ that stand for characters XML cannot hold. Other
// control characters than line breaks and tabs are left out.
func unescape(s string) string {
	at := strings.Index(s, "_x")
	if at < 0 {
		return s
	}
	var b strings.Builder
	for at >= 0 {
		b.WriteString(s[:at])
		s = s[at:]
		if n, ok := escaped(s); ok {
			if n >= 0x20 || n == '\n' || n == '\t' {
				b.WriteRune(n)
			}
			s = s[len("_x0000_"):]
		} else {
			b.WriteString("_x")
			s = s[2:]
		}
		at = strings.Index(s, "_x")
	}
	b.WriteString(s)
	return b.String()
}

// escaped reads the _xHHHH_ at the beginning of s.
func escaped(s string) (rune, bool) {
	if len(s) < 7 || s[6] != '_' {
		return 0, false
	}
	n := rune(0)
	for _, c := range s[2:6] {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | (c - '0')
		case 'A' <= c && c <= 'F':
			n = n<<4 | (c - 'A' + 10)
		case 'a' <= c && c <= 'f':
			n = n<<4 | (c - 'a' + 10)
		default:
			return 0, false
		}
	}
	return n, n < 0xD800 || n > 0xDFFF
}
