package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// lawRule makes a chunk of each article (第…条, Article, Section, §) with its
// paragraphs and items; what stands before the first article and under a heading
// without articles is packed as paragraphs. A long article is split at its
// paragraphs, then at items, then at sentences. The headings are the path of 编,
// 章, 节 and the article, whether the parser found them or not. A text without
// articles is cut as kind headings cuts it.
func lawRule() rule { return rule{name: "law/1", units: lawUnits} }

// opening is a line that starts a unit of a statute.
type opening struct {
	start int
	line  rag.Span
	// leaf: it is an article, else a heading.
	leaf bool
	path []string
}

// lawUnits returns the articles of doc, each with the headings before it.
func lawUnits(doc rag.Document, p *pieces, c tokens) []unit {
	marks := lawMarks(doc.Text)
	if len(marks) == 0 {
		return headingUnits(doc, p, c)
	}
	openings := lawOpenings(doc, marks)
	var units []unit
	if first := openings[0].start; first > 0 {
		units = append(units, unit{cut: cutAlways, split: byLines(0, bySentences, sameLine)})
	}
	head := -1 // where headings start that nothing followed yet
	for i, o := range openings {
		end := len(doc.Text)
		if i+1 < len(openings) {
			end = openings[i+1].start
		}
		if head < 0 {
			head = o.start
		}
		if !o.leaf && i+1 < len(openings) && text.IsBlank(doc.Text[o.line.End:end]) {
			continue
		}
		body := o.line.Start
		if !o.leaf {
			body = o.line.End
		}
		units = append(units, unit{start: head, cut: cutAlways, path: o.path, split: byLines(body, bySentences, paragraphLine)})
		head = -1
	}
	return units
}

// lawOpenings merges the marks of a statute with the headings the parser found,
// and gives each its path. A heading of the parser outranks those that only
// stand in the text under it.
func lawOpenings(doc rag.Document, marks []lawMark) []opening {
	const step = int(rankArticle) + 1
	var out []opening
	var sections []rag.Section
	level, next := 0, 0
	add := func(s rag.Section, o opening) {
		sections, out = append(sections, s), append(out, o)
	}
	for _, m := range marks {
		own := 0
		for ; next < len(doc.Sections) && doc.Sections[next].Span.Start <= m.line.End; next++ {
			s := doc.Sections[next]
			level = max(1, s.Level) * step
			if s.Span.End > m.start {
				own = level
				continue
			}
			add(rag.Section{Level: level, Title: s.Title, Span: s.Span}, opening{start: s.Span.Start, line: s.Span})
		}
		if own == 0 {
			own = level + int(m.rank)
		}
		add(rag.Section{Level: own, Title: strings.Join(strings.Fields(m.label), " "), Span: m.line},
			opening{start: m.start, line: m.line, leaf: m.rank == rankArticle})
	}
	for _, s := range doc.Sections[next:] {
		add(rag.Section{Level: max(1, s.Level) * step, Title: s.Title, Span: s.Span}, opening{start: s.Span.Start, line: s.Span})
	}
	path := headingPath{sections: sections}
	for i := range out {
		out[i].path = path.at(sections[i].Span.Start)
	}
	return out
}

// paragraphLine rates the lines of an article: paragraphs (款) before items (项).
func paragraphLine(line string, _ bool) cut {
	body := strings.TrimLeftFunc(line, unicode.IsSpace)
	r, size := utf8.DecodeRuneInString(body)
	if r != '（' && r != '(' {
		item := strings.TrimLeft(body, "0123456789abcdefghijklmnopqrstuvwxyz")
		if n := len(body) - len(item); n > 0 && n <= 3 && item != "" && strings.IndexByte(".)", item[0]) >= 0 {
			return cutLine
		}
		return cutFine
	}
	if i := strings.IndexAny(body[size:min(len(body), size+24)], "）)"); i > 0 {
		return cutLine
	}
	return cutFine
}

// Limits of what reads as a statute or a contract.
const (
	leastArticles = 4
	mostArticle   = 4000 // bytes an article has on average
)

// readsAsLaw reports whether s is mostly numbered articles: at least
// leastArticles, one after the other, over more than half of the text; in English
// also in the wording of obligations.
func readsAsLaw(s string) bool {
	if !strings.Contains(s, "条") && !strings.Contains(s, "條") && !strings.Contains(s, "§") &&
		!strings.Contains(s, "rticle ") && !strings.Contains(s, "ection ") && !strings.Contains(s, "ARTICLE ") && !strings.Contains(s, "SECTION ") {
		return false
	}
	articles, steps, close, start, number, english := 0, 0, 0, -1, 0, false
	for _, m := range lawMarks(s) {
		if m.rank != rankArticle {
			continue
		}
		if start < 0 {
			start = m.start
		}
		if articles++; m.number == 0 || m.number == number+1 || m.number == 1 {
			steps++
		}
		if m.close {
			close++
		}
		if m.number > 0 {
			number = m.number
		}
		english = m.word[0] < utf8.RuneSelf || m.word == "§"
	}
	if articles < leastArticles || steps*5 < articles*4 || close*5 > articles || (len(s)-start)*2 < len(s) || len(s)-start > mostArticle*articles {
		return false
	}
	return !english || 2*obligations(s) >= articles
}

// obligations counts the words by which English statutes and contracts oblige.
func obligations(s string) int {
	n := 0
	for _, word := range []string{" shall ", " must ", " may not ", "hereby", "hereof", "herein", "thereof", "pursuant to"} {
		n += strings.Count(s, word)
	}
	return n
}
