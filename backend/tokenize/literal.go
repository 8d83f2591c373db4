package tokenize

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
)

// addedToken is a literal that is found in text before anything else.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
}

// literals finds added tokens, the leftmost first and of those the longest.
type literals struct {
	// byFirst holds, for each first byte, the tokens that start with it, longest
	// first.
	byFirst [256][]addedToken
	any     bool
}

func newLiterals(tokens []addedToken) *literals {
	l := &literals{any: len(tokens) > 0}
	for _, tok := range tokens {
		list := &l.byFirst[tok.Content[0]]
		at := 0
		for at < len(*list) && len((*list)[at].Content) >= len(tok.Content) {
			at++
		}
		*list = append(*list, addedToken{})
		copy((*list)[at+1:], (*list)[at:])
		(*list)[at] = tok
	}
	return l
}

// match is a literal in a text, with the white space that belongs to it.
type match struct {
	id         int32
	start, end int
}

// matches yields the literals of s in order.
func matches[S string | []byte](l *literals, s S) iter.Seq[match] {
	return func(yield func(match) bool) {
		if !l.any {
			return
		}
		last := 0
		for i := 0; i < len(s); {
			tok, ok := starting(l, s[i:])
			if !ok {
				i++
				continue
			}
			m := match{tok.ID, i, i + len(tok.Content)}
			if tok.LStrip {
				m.start = last + len(strings.TrimRightFunc(string(s[last:i]), unicode.IsSpace))
			}
			if tok.RStrip {
				rest := string(s[m.end:])
				m.end += len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
			}
			if !yield(m) {
				return
			}
			last, i = m.end, m.end
		}
	}
}

// starting returns the longest literal that s starts with.
func starting[S string | []byte](l *literals, s S) (addedToken, bool) {
	for _, tok := range l.byFirst[s[0]] {
		if len(s) >= len(tok.Content) && string(s[:len(tok.Content)]) == tok.Content {
			return tok, true
		}
	}
	return addedToken{}, false
}

// literalsOf sorts added tokens into those that are sought in the text as it stands, and
// those that are sought after the steps, through which they go first.
func literalsOf(tokens []addedToken, steps []normaliser) (raw, normal *literals, err error) {
	var asWritten, after []addedToken
	for _, tok := range tokens {
		if tok.SingleWord {
			return nil, nil, fmt.Errorf("added token %q matches whole words only", tok.Content)
		}
		if !tok.Normalized {
			asWritten = append(asWritten, tok)
			continue
		}
		a := alignedOf(tok.Content, 0, false)
		for _, step := range steps {
			a = step.apply(a)
		}
		if tok.Content = string(a.buf); tok.Content != "" {
			after = append(after, tok)
		}
	}
	return newLiterals(asWritten), newLiterals(after), nil
}
