package answer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// mark is a citation as it stands in a reply.
type mark struct {
	// span is its bytes, the blanks before it included.
	span rag.Span
	// numbers are the passages it names, each once.
	numbers []int
}

// markPattern finds [1], 【2】, [1-3], [1, 2] and their full-width forms; a model
// may repeat the prompt's own words in them, as in [编号1] or [passage 1].
var markPattern = regexp.MustCompile(`(?i)[ \t\x{3000}]*[\[【［]\s*(` + markItem + `(?:\s*[,，、;；\-－‐‑–—~～]\s*` + markItem + `)*)\s*[\]】］]`)

const markItem = `\^?(?:编号|资料|来源|passages?|sources?|number|no\.|#)?\s*[:：]?\s*\p{Nd}{1,3}`

// maxRange bounds the passages that one range names; a longer one names its ends.
const maxRange = 50

// marks returns the citations of a reply in their order.
func marks(reply string) []mark {
	var out []mark
	for _, at := range markPattern.FindAllStringSubmatchIndex(reply, -1) {
		out = append(out, mark{rag.Span{Start: at[0], End: at[1]}, numbers(reply[at[2]:at[3]])})
	}
	return out
}

// numbers reads the list inside a citation.
func numbers(list string) []int {
	var out []int
	add := func(n int) {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	digits, last, through := "", -1, false
	end := func() {
		n, err := strconv.Atoi(digits)
		if err != nil {
			return // no digits
		}
		if through && last >= 0 && n > last && n-last <= maxRange {
			for i := last + 1; i < n; i++ {
				add(i)
			}
		}
		add(n)
		digits, last, through = "", n, false
	}
	for _, r := range text.NFKC(list) {
		switch {
		case '0' <= r && r <= '9':
			digits += string(r)
			continue
		case strings.ContainsRune("-‐‑–—~～", r):
			end()
			through = true
			continue
		}
		end()
	}
	end()
	return out
}
