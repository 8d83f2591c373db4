package numfmt

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseSection reads one section of a code.
func parseSection(code string) section {
	p := parser{rest: code}
	for p.rest != "" {
		p.next()
	}
	p.settle()
	return p.s
}

// parser reads a section from the left.
type parser struct {
	s    section
	rest string
}

// add appends a token, joining literals.
func (p *parser) add(k kind, text string) {
	if n := len(p.s.tokens); k == literal && n > 0 && p.s.tokens[n-1].kind == literal {
		p.s.tokens[n-1].text += text
		return
	}
	p.s.tokens = append(p.s.tokens, token{k, text})
}

// take cuts n bytes off the rest.
func (p *parser) take(n int) string {
	n = min(n, len(p.rest))
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}

// halves are the ways to write the half of the day.
var halves = []string{"AM/PM", "A/P", "上午/下午", "오전/오후", "午前/午後"}

func (p *parser) next() {
	for _, word := range []string{"General", "G/通用格式"} {
		if len(p.rest) >= len(word) && strings.EqualFold(p.rest[:len(word)], word) {
			p.take(len(word))
			p.add(general, "")
			return
		}
	}
	for _, half := range halves {
		if len(p.rest) >= len(half) && strings.EqualFold(p.rest[:len(half)], half) {
			p.add(calendar, half)
			p.take(len(half))
			return
		}
	}
	c := p.rest[0]
	switch {
	case c == '"':
		p.quoted()
	case c == '[':
		p.bracket()
	case c == '\\':
		p.take(1)
		p.add(literal, p.char())
	case c == '_' || c == '*':
		// A blank as wide as a character, or a filling: layout alone.
		p.take(1)
		p.char()
	case c == '0' || c == '#' || c == '?':
		p.add(digit, p.take(1))
	case c == '@':
		p.take(1)
		p.add(at, "")
		p.s.text = true
	case c == '.':
		p.dot()
	case c == '%':
		p.take(1)
		p.add(percent, "")
	case (c == 'E' || c == 'e') && len(p.rest) > 1 && (p.rest[1] == '+' || p.rest[1] == '-'):
		p.add(exponent, p.take(2))
	case c == ',':
		p.take(1)
		p.add(literal, "\x00")
	case c == '/':
		p.take(1)
		p.add(slash, "/")
	case strings.IndexByte("ymdhsabegYMDHSABEG", c) >= 0:
		p.letters()
	default:
		p.add(literal, p.char())
	}
}

// char cuts off one character.
func (p *parser) char() string {
	_, n := utf8.DecodeRuneInString(p.rest)
	return p.take(n)
}

func (p *parser) quoted() {
	p.take(1)
	end := strings.IndexByte(p.rest, '"')
	if end < 0 {
		end = len(p.rest)
	}
	p.add(literal, p.take(end))
	p.take(1)
}

// dot reads a decimal point, or the fraction of a second after s.
func (p *parser) dot() {
	p.take(1)
	if n := len(p.s.tokens); n > 0 {
		last := p.s.tokens[n-1]
		zeros := len(p.rest) - len(strings.TrimLeft(p.rest, "0"))
		if zeros > 0 && (last.kind == calendar && strings.HasPrefix(last.text, "s") || last.kind == elapsed) {
			p.add(calendar, "."+p.take(min(zeros, 3)))
			p.rest = strings.TrimLeft(p.rest, "0")
			return
		}
	}
	p.add(point, "")
}

// letters reads a run of one letter of the calendar.
func (p *parser) letters() {
	c := strings.ToLower(p.rest[:1])
	n := 1
	for n < len(p.rest) && strings.ToLower(p.rest[n:n+1]) == c {
		n++
	}
	p.take(n)
	p.add(calendar, strings.Repeat(c, min(n, 5)))
}

// bracket reads [Red], [>100], [$€-407], [DBNum1] or [h].
func (p *parser) bracket() {
	end := strings.IndexByte(p.rest, ']')
	if end < 0 {
		p.rest = ""
		return
	}
	in := p.take(end + 1)[1:end]
	lower := strings.ToLower(in)
	switch {
	case in == "":
	case strings.Trim(lower, "h") == "" || strings.Trim(lower, "m") == "" || strings.Trim(lower, "s") == "":
		p.add(elapsed, lower[:min(len(lower), 2)])
	case strings.HasPrefix(in, "$"):
		symbol, lang, _ := strings.Cut(in[1:], "-")
		p.add(literal, symbol)
		if n, err := strconv.ParseUint(lang, 16, 32); err == nil {
			p.s.lang = int(n & 0xffff)
		}
	case strings.HasPrefix(lower, "dbnum") && len(in) == 6:
		p.s.numerals = int(in[5] - '0')
	case strings.IndexByte("<>=", in[0]) >= 0:
		p.condition(in)
	}
}

func (p *parser) condition(in string) {
	rest := strings.TrimLeft(in, "<>=")
	if v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64); err == nil {
		p.s.op, p.s.bound = in[:len(in)-len(rest)], v
	}
}

// settle decides what the section is, once all of it is read.
func (p *parser) settle() {
	s := &p.s
	for _, t := range s.tokens {
		if t.kind == calendar || t.kind == elapsed {
			s.date = true
		}
	}
	if s.date {
		for i, t := range s.tokens {
			if t.kind == literal {
				s.tokens[i].text = strings.ReplaceAll(t.text, "\x00", ",")
			}
		}
		s.minutes()
		return
	}
	s.shape()
}

// minutes tells the minutes among the m's: those after hours or before seconds.
func (s *section) minutes() {
	last := ""
	for i, t := range s.tokens {
		if t.kind != calendar && t.kind != elapsed {
			continue
		}
		if t.kind == calendar && (t.text == "m" || t.text == "mm") && (last == "h" || s.nextLetter(i) == "s") {
			s.tokens[i].text = strings.Repeat("n", len(t.text))
		}
		last = t.text[:1]
	}
}

// nextLetter returns the first letter of the calendar token after i.
func (s *section) nextLetter(i int) string {
	for _, t := range s.tokens[i+1:] {
		if t.kind == calendar || t.kind == elapsed {
			return t.text[:1]
		}
	}
	return ""
}
