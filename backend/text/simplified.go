package text

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// simplifiedFile lists pairs of characters, a traditional one and the simplified
// one that stands for it: the first choice of OpenCC's TSCharacters and a few
// variants, written by build/dict.
const simplifiedFile = "simplified.txt"

// simplifiedPages maps traditional characters to simplified ones; a page holds
// 256 neighbouring characters, nil if all of them stand for themselves. Without
// the table every character does; Ready reports that it is missing.
var simplifiedPages = sync.OnceValue(func() []*[256]rune {
	pages := make([]*[256]rune, 0x30000>>8)
	table, err := dictFiles.ReadFile("dict/" + simplifiedFile)
	if err != nil {
		return pages
	}
	for s := range strings.FieldsSeq(string(table)) {
		for len(s) > 0 {
			from, n := utf8.DecodeRuneInString(s)
			to, m := utf8.DecodeRuneInString(s[n:])
			s = s[n+m:]
			page := pages[from>>8]
			if page == nil {
				page = new([256]rune)
				pages[from>>8] = page
			}
			page[from&0xFF] = to
		}
	}
	return pages
})

// Simplified returns the simplified form of a Chinese character. One character
// always folds alike, whatever stands around it, so that a text and a query
// agree; it need not be the form that a writer would choose.
func Simplified(r rune) rune {
	pages := simplifiedPages()
	if p := int(r >> 8); p < len(pages) && pages[p] != nil {
		if to := pages[p][r&0xFF]; to != 0 {
			return to
		}
	}
	return r
}
