package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// Weights, as of Weight, below which a part of a sentence states nothing by
// itself.
const (
	leastClaim = 8
	leastFact  = 4
)

// Claims cuts an answer into statements that can be checked one by one: its
// sentences, and the parts of a sentence that say something of their own, as
// those behind 并且, 但 or ", and", and the clauses of a list of figures and dates.
// What only introduces, asks or heads is no claim. The spans lie in text order and
// without blanks and marks at their ends.
//
// An answer of one part is a claim, whatever it is.
func Claims(s string) []rag.Span {
	var all, out []rag.Span
	for _, said := range Statements(s) {
		for _, part := range clauses(s, said.Span) {
			part = bareSpan(s, part)
			if Letters(Uncited(s[part.Start:part.End])) == "" {
				continue
			}
			all = append(all, part)
			if !said.Heading && !introduces(s[part.Start:part.End]) {
				out = append(out, part)
			}
		}
	}
	if len(all) == 1 {
		return all
	}
	return out
}

// Statement is a sentence of an answer that has words.
type Statement struct {
	// Span has no blanks at its ends.
	Span rag.Span
	// Words are the sentence without its list mark and emphasis around it.
	Words string
	// Heading says that it is a Markdown heading, Leads that it only introduces or asks.
	Heading, Leads bool
}

// Statements cuts an answer into sentences, those that a source is named for. Claims cuts
// them further.
func Statements(s string) []Statement {
	var out []Statement
	for _, span := range Sentences(s) {
		whole := s[span.Start:span.End]
		if Weight(whole) == 0 {
			continue
		}
		span.Start += len(whole) - len(strings.TrimLeftFunc(whole, unicode.IsSpace))
		span.End = span.Start + len(strings.TrimSpace(whole))
		whole = s[span.Start:span.End]
		words := strings.Trim(whole[len(ListMark(whole)):], "*_ ")
		out = append(out, Statement{Span: span, Words: words, Heading: Heading(whole), Leads: introduces(words)})
	}
	return out
}

// citationMark is a citation as answers write them: [1], 【2】, [1, 3], [1-3].
const citationMark = `[ \t\x{3000}]*[\[【［]\s*\^?\p{Nd}{1,3}(?:\s*[,，、;；\-－–~～]\s*\^?\p{Nd}{1,3})*\s*[\]】］]`

var (
	citations      = regexp.MustCompile(citationMark)
	citationsAhead = regexp.MustCompile(`^(?:` + citationMark + `\s*)+`)
	citationsAfter = regexp.MustCompile(`(?:` + citationMark + `\s*)+$`)
)

// Uncited returns an answer without its citations.
func Uncited(s string) string { return citations.ReplaceAllString(s, "") }

var listMark = regexp.MustCompile(`^[\s>#*+•·|-]*(?:\p{Nd}{1,3}[.)、．)][\s*]*)?`)

// ListMark is what stands before the first word of a line: the marks of lists, quotes and
// headings.
func ListMark(s string) string { return listMark.FindString(s) }

// bareSpan takes blanks, list marks and emphasis off both ends.
func bareSpan(s string, span rag.Span) rag.Span {
	part := s[span.Start:span.End]
	span.Start += len(listMark.FindString(part))
	span.Start += len(citationsAhead.FindString(s[span.Start:span.End]))
	if at := citationsAfter.FindStringIndex(s[span.Start:span.End]); at != nil {
		span.End = span.Start + at[0]
	}
	part = s[span.Start:span.End]
	cut := strings.TrimLeftFunc(part, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_#,，、", r) })
	span.Start = span.End - len(cut)
	span.End = span.Start + len(strings.TrimRightFunc(cut, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_,，、", r) }))
	return span
}

// Heading reports a Markdown heading, which names what follows and says nothing.
func Heading(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "#") }

// introduces reports a part that leads to the next, or asks.
func introduces(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, " *_\""))
	return strings.ContainsRune(":：?？", last)
}

// Weight counts letters and digits; a Chinese character counts twice.
func Weight(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case Han(r):
			n += 2
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		}
	}
	return n
}

// joiners begin a clause that says something of its own.
var joiners = regexp.MustCompile(`(?i)^(?:并且|并|而且|而|但是|但|同时|此外|另外|因此|所以|然而|不过|后来|之后|其中|` +
	`and|but|while|whereas|however|although|so|which|who|where)(?:\b|\p{Han})`)

// clauses cuts a sentence where both sides say something of their own.
func clauses(s string, sentence rag.Span) []rag.Span {
	whole := s[sentence.Start:sentence.End]
	out := []rag.Span{}
	start, depth := 0, 0
	for i, r := range whole {
		switch r {
		case '(', '（', '[', '【', '「', '『', '《', '“':
			depth++
		case ')', '）', ']', '】', '」', '』', '》', '”':
			depth = max(depth-1, 0)
		case ',', '，', ';', '；':
			after := i + utf8.RuneLen(r)
			if depth > 0 || r == ',' && betweenDigits(whole, i) {
				continue
			}
			if ownFact(whole[start:i], untilMark(whole[after:])) {
				out = append(out, rag.Span{Start: sentence.Start + start, End: sentence.Start + i})
				start = after
			}
		}
	}
	return append(out, rag.Span{Start: sentence.Start + start, End: sentence.End})
}

func betweenDigits(s string, i int) bool {
	return i > 0 && i+1 < len(s) && s[i-1] >= '0' && s[i-1] <= '9' && s[i+1] >= '0' && s[i+1] <= '9'
}

// untilMark is a text up to its next comma or semicolon.
func untilMark(s string) string {
	for i, r := range s {
		if strings.ContainsRune(",，;；", r) && (r != ',' || !betweenDigits(s, i)) {
			return s[:i]
		}
	}
	return s
}

// ownFact reports two neighbouring clauses that are facts of their own: the second
// begins with a joining word and both say enough, or both hold a figure.
func ownFact(before, after string) bool {
	after = strings.TrimLeft(after, " \t")
	a, b := Weight(before), Weight(after)
	if figured(before) && figured(after) && a >= leastFact && b >= leastFact {
		return wordy(after)
	}
	return joiners.MatchString(after) && a >= leastClaim && b >= leastClaim
}

// figured reports a digit or a Chinese number.
func figured(s string) bool {
	for _, w := range Analyze(s).Words {
		if w.Term != "" && strings.Trim(w.Term, "0123456789.,") == "" {
			return true
		}
	}
	return false
}

// wordy reports a clause that has words beside its figure: "2024" of "May 5, 2024"
// is none.
func wordy(s string) bool {
	n := 0
	for _, w := range Analyze(s).Words {
		if !w.Stop && strings.Trim(w.Term, "0123456789.,") != "" && Weight(w.Term) >= 2 {
			n++
		}
	}
	return n >= 2
}

// otherLatin are function words of languages in Latin script that English does
// not have, most frequent ones.
var otherLatin = wordSet(`le la les des une est dans pour que qui pas sur avec plus aux ce cette sont
der die das und ist nicht mit von den dem ein eine auf für sich auch werden wird zu im
el los las una por con para del se su es en como más pero sus lo y
il di che non per sono della dei nel alla gli un è e
de het een van niet zijn op voor met dat ook te
o os as um uma não com mais dos das na no ao são
och att det som på är av en inte med till den
aber oder wenn nach bei aus über durch zum zur hat haben sind sein wurde wurden nur noch sehr kann müssen muss keine kein ihre ihr sie wir
nous vous leur leurs été être avoir ont elle elles mais où donc sans sous chaque
está están fue son tiene tienen hay sin sobre cada todos ser sido
sono ogni senza hanno essere stato
wordt worden zij hebben heeft maar geen bij naar over
são tem têm foi ser mas sem cada`)

// sharedLatin stand above and in English too.
var sharedLatin = wordSet(`die den war an in on to me no as so do am is was of for with per plus en de o e y se la un over hat bei sous sin fue son hay sub`)

func wordSet(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// sentenceWords is from how many words a text without one function word of English, and
// with one of another language, is not English.
const sentenceWords = 5

// Foreign reports Latin text that is visibly not English: its function words are
// those of another language. A short text, a name or a formula is not foreign.
func Foreign(s string) bool {
	english, other, n := 0, 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		n++
		switch {
		case otherLatin[w] && !sharedLatin[w]:
			other++
		case otherLatin[w]:
		case StopWord(w):
			english++
		}
	}
	return other > english && (other >= 2 || english == 0 && n >= sentenceWords)
}
