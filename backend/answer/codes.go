package answer

import (
	"regexp"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// siblingCost is what a sentence loses that names another of the kind that is asked
// for, and not the one: of E1, what is said of E9 is no answer, however alike it reads.
const siblingCost = 0.3

// code is a name with a number, such as E1, A-204 or v2.3.
type code struct {
	// kind is what it has in common with its siblings, number what sets it apart.
	kind, number string
}

// codePattern finds codes in folded text: letters, perhaps a mark, digits.
var codePattern = regexp.MustCompile(`\b([a-z]+[-_./]?)([0-9]+(?:[-.][0-9]+)*)\b`)

// codesIn lists the codes of a text, each once.
func codesIn(s string) []code {
	var out []code
	seen := map[code]bool{}
	for _, m := range codePattern.FindAllStringSubmatch(text.Fold(s).Text, -1) {
		c := code{m[1], m[2]}
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}

// named reports that c, or a closer name for it as v2.3 is for v2, is among codes.
func (c code) named(codes []code) bool {
	for _, other := range codes {
		if other.kind == c.kind && (other.number == c.number || strings.HasPrefix(other.number, c.number+".")) {
			return true
		}
	}
	return false
}

// ofSiblings reports that a sentence is about others of a kind that is asked for.
func ofSiblings(asked []code, sentence string) bool {
	if len(asked) == 0 {
		return false
	}
	codes := codesIn(sentence)
	for _, c := range asked {
		if c.named(codes) {
			continue
		}
		for _, other := range codes {
			if other.kind == c.kind {
				return true
			}
		}
	}
	return false
}

// unnamed lists the codes of a question that none of the quoted passages has, not even
// in its headings or its source, as the question writes them.
func unnamed(asked []code, question string, quoted []rag.Hit) []string {
	var all []code
	for _, h := range quoted {
		all = append(all, codesIn(strings.Join(append([]string{h.Source, h.Chunk.Text, passageOf(h).Text}, h.Chunk.Headings...), "\n"))...)
	}
	var out []string
	for _, c := range asked {
		if !c.named(all) {
			out = append(out, written(question, c.kind+c.number))
		}
	}
	return out
}

// written is a folded name as a question writes it, or as it is.
func written(question, folded string) string {
	if at := strings.Index(strings.ToLower(question), folded); at >= 0 && at+len(folded) <= len(question) && strings.EqualFold(question[at:at+len(folded)], folded) {
		return question[at : at+len(folded)]
	}
	return folded
}
