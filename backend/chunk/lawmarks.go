package chunk

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// lawRank orders the parts of a statute, outermost first.
type lawRank int

const (
	rankNone lawRank = iota
	rankPart
	rankSubpart
	rankTitle
	rankChapter
	rankSection // 节, or "Section" where articles are the leaves
	rankArticle
)

// lawMark is a line that opens a part or an article of a statute.
type lawMark struct {
	// start is where the line starts; line covers what it shows.
	start int
	line  rag.Span
	rank  lawRank
	// word is the lower-case English word that names it, or its Han character.
	word string
	// label is the heading: the whole line or, of an article, its number and title.
	label string
	// number is the number it bears, 0 when it is not plain.
	number int
	// close: text follows the number without a space or mark in between.
	close bool
}

// lawMarks finds the lines that open parts and articles, in text order.
func lawMarks(s string) []lawMark {
	var out []lawMark
	for at := 0; at < len(s); {
		end := nextLine(s, at, len(s))
		if m, ok := lawLine(s, rag.Span{Start: at, End: end}); ok {
			m.entitle(s, end)
			out = append(out, m)
		}
		at = end
	}
	return withoutContents(s, leaves(out))
}

// lawLine reads a line as a mark. Marks of Markdown before it are passed over.
func lawLine(s string, span rag.Span) (lawMark, bool) {
	line := trim(s, span, false)
	start := line.Start + len(s[line.Start:line.End]) - len(strings.TrimLeft(s[line.Start:line.End], "#*>_ \t\u3000"))
	body := strings.TrimRight(s[start:line.End], "*_# \t\u3000")
	if body == "" {
		return lawMark{}, false
	}
	m := lawMark{start: span.Start, line: rag.Span{Start: start, End: start + len(body)}}
	switch r, _ := utf8.DecodeRuneInString(body); {
	case r == '第':
		return m, m.chinese(body)
	case strings.HasPrefix(body, "附件") || strings.HasPrefix(body, "附录") || strings.HasPrefix(body, "附表"):
		m.rank, m.word, m.label = rankPart, "附", body
		return m, utf8.RuneCountInString(body) <= 30 && !strings.ContainsAny(body, "。，；：,;")
	case r == '§' || r < utf8.RuneSelf && unicode.IsLetter(r):
		return m, m.english(body)
	}
	return m, false
}

// entitle takes the line at byte next for the title of a part, or of an English
// article, that has none on its own line.
func (m *lawMark) entitle(s string, next int) {
	chinese := text.Han([]rune(m.word)[0])
	if chinese && (m.rank == rankArticle || !strings.HasSuffix(m.label, m.word)) || strings.ContainsRune(m.label, '\u2014') {
		return
	}
	if _, title, _ := strings.Cut(m.label, " "); !chinese && strings.Contains(strings.TrimSpace(title), " ") {
		return
	}
	span := trim(s, rag.Span{Start: next, End: nextLine(s, next, len(s))}, false)
	title := s[span.Start:span.End]
	first, _ := utf8.DecodeRuneInString(title)
	if title == "" || utf8.RuneCountInString(title) > maxHeading || strings.ContainsAny(title, "。；：.;:") || !chinese && !unicode.IsUpper(first) {
		return
	}
	if _, again := lawLine(s, span); again {
		return
	}
	m.label += " " + title
	m.line.End = span.End
}

// maxHeading is the most code points a heading of a part has.
const maxHeading = 50

// chinese reads "第五条 …" and "第一章 总则".
func (m *lawMark) chinese(body string) bool {
	rest := strings.TrimLeft(body[len("第"):], " \u3000")
	digits := strings.TrimLeftFunc(rest, func(r rune) bool { return hanNumeral(r) || r == ' ' || r == '\u3000' })
	number := rest[:len(rest)-len(digits)]
	if number == "" || len(number) > 40 {
		return false
	}
	m.number = hanNumber(number)
	for _, k := range []struct {
		word string
		rank lawRank
	}{{"条", rankArticle}, {"條", rankArticle}, {"分编", rankSubpart}, {"编", rankPart}, {"編", rankPart}, {"章", rankChapter}, {"节", rankSection}, {"節", rankSection}} {
		after, ok := strings.CutPrefix(digits, k.word)
		if !ok {
			continue
		}
		m.word, m.rank = k.word, k.rank
		if k.rank != rankArticle {
			m.label = body
			return utf8.RuneCountInString(body) <= maxHeading && !strings.ContainsAny(after, "。；，")
		}
		return m.article(body, after)
	}
	return false
}

// article reads what follows the number of a Chinese article.
func (m *lawMark) article(body, after string) bool {
	if rest, ok := strings.CutPrefix(after, "之"); ok { // 第十条之一
		tail := strings.TrimLeftFunc(rest, hanNumeral)
		if tail == rest {
			return false // 第十条之规定
		}
		after, m.number = tail, 0
	}
	m.label = body[:len(body)-len(after)]
	for _, pair := range []string{"【】", "〔〕", "[]", "（）", "()"} {
		open, size := utf8.DecodeRuneInString(pair)
		title := strings.TrimLeft(after, " \u3000")
		if r, _ := utf8.DecodeRuneInString(title); r != open {
			continue
		}
		if i := strings.Index(title, pair[size:]); i > 0 && utf8.RuneCountInString(title[:i]) <= 30 {
			m.label += title[:i+len(pair)-size]
		}
		return true
	}
	r, _ := utf8.DecodeRuneInString(after)
	// Text set close behind the number is an article unless it refers to one.
	m.close = after != "" && !unicode.IsSpace(r) && !strings.ContainsRune("：:、.．", r)
	return !m.close || !strings.ContainsRune("规規第和、至或及的所与與到中之款项項", r)
}

// english reads "Article 5. …", "SECTION 2 Title", "§ 12 …" and "Chapter IV".
func (m *lawMark) english(body string) bool {
	word, rest, _ := strings.Cut(body, " ")
	if after, ok := strings.CutPrefix(body, "§"); ok {
		word, rest = "§", strings.TrimLeft(after, "§ \u00a0")
	}
	m.word, m.rank = englishPart(strings.ToLower(strings.TrimSuffix(word, ".")))
	switch m.word {
	case "":
		return false
	case "annex":
		m.label = body
		return utf8.RuneCountInString(body) <= maxHeading && !strings.ContainsAny(body, ",;")
	}
	number, title := rest, ""
	if i := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":—–", r) }); i >= 0 {
		number, title = rest[:i], strings.TrimLeft(rest[i:], " \u00a0")
	}
	plain := strings.TrimRight(number, ".")
	if m.number = latinNumber(plain); m.number == 0 && !numbered(plain) {
		return false
	}
	m.label = body
	if m.rank == rankArticle && utf8.RuneCountInString(body) > maxHeading {
		m.label = strings.TrimRight(body[:len(body)-len(title)], " :—–\u00a0")
	}
	// "Section 5 of the Act says" at the start of a line refers to one.
	r, _ := utf8.DecodeRuneInString(title)
	return !unicode.IsLower(r) && !strings.HasPrefix(title, ",")
}

// englishPart returns the usual form of the word that names a part of a statute,
// and its rank; "" for other words.
func englishPart(word string) (string, lawRank) {
	switch word {
	case "part":
		return word, rankPart
	case "subpart":
		return word, rankSubpart
	case "title":
		return word, rankTitle
	case "chapter":
		return word, rankChapter
	case "article", "art":
		return "article", rankArticle
	case "section", "sec":
		return "section", rankArticle
	case "§":
		return word, rankArticle
	case "annex", "appendix", "schedule":
		return "annex", rankPart
	}
	return "", rankNone
}

// numbered reports whether s is a number such as 12a or 3.1.
func numbered(s string) bool {
	return s != "" && len(s) <= 12 && '0' <= s[0] && s[0] <= '9' && strings.Trim(s, "0123456789abcdefghABCDEFGH.-") == ""
}

// latinNumber reads arabic and Roman numerals, 0 for anything else.
func latinNumber(s string) int {
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' || n > 1e6 {
			return romanNumber(s)
		}
		n = n*10 + int(r-'0')
	}
	return n
}

// romanNumber reads Roman numerals in capitals below 400, 0 for anything else.
func romanNumber(s string) int {
	values := map[rune]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100}
	n, last := 0, 0
	for _, r := range s {
		v := values[r]
		if v == 0 || len(s) > 12 {
			return 0
		}
		if n += v; last > 0 && last < v {
			n -= 2 * last
		}
		last = v
	}
	return n
}

// hanNumeral reports whether r can stand in the number of a Chinese article.
func hanNumeral(r rune) bool {
	return strings.ContainsRune("0123456789０１２３４５６７８９〇零○一二两兩三四五六七八九十百千", r)
}

// hanNumber reads 一百二十三, 一二三 and 123, 0 for anything else.
func hanNumber(s string) int {
	s = strings.Join(strings.Fields(text.Fold(s).Text), "")
	if digits, ok := text.Number([]rune(s)); ok {
		s = digits
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// withoutContents drops the marks of a table of contents: articles without a text
// that come again, and of what stands before the first article all but the last
// of each rank, in falling rank, that open it.
func withoutContents(s string, marks []lawMark) []lawMark {
	type number struct {
		word string
		n    int
	}
	last := map[number]int{}
	for i, m := range marks {
		last[number{m.word, m.number}] = i
	}
	first, kept := -1, marks[:0]
	for i, m := range marks {
		if m.rank == rankArticle && m.number > 0 && last[number{m.word, m.number}] > i && i+1 < len(marks) && text.IsBlank(s[m.line.End:marks[i+1].start]) {
			continue
		}
		if kept = append(kept, m); m.rank == rankArticle && first < 0 {
			first = len(kept) - 1
		}
	}
	if first < 0 {
		return kept
	}
	keep, rank := first, rankArticle
	for keep > 0 && kept[keep-1].rank < rank {
		keep--
		rank = kept[keep].rank
	}
	return kept[keep:]
}

// leaves decides which of English articles and sections are the leaves: the more
// frequent, so that the others become headings above them.
func leaves(marks []lawMark) []lawMark {
	count := map[string]int{}
	for _, m := range marks {
		if m.rank == rankArticle {
			count[m.word]++
		}
	}
	most := ""
	for _, word := range []string{"条", "條", "article", "section", "§"} {
		if count[word] > count[most] {
			most = word
		}
	}
	for i, m := range marks {
		if m.rank == rankArticle && m.word != most {
			marks[i].rank = rankSection
		}
	}
	return marks
}
