package judge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// spoken is the one language of answer and context, "zh" or "en"; ok is false when
// it is another one, or when they differ, and language then says what was found. A
// name or a number is in the language around it.
func spoken(in rag.Judged) (language string, ok bool) {
	language = text.Language(in.Answer)
	material := strings.Join(in.Context, "\n")
	around := text.Language(material)
	switch {
	case text.Languages(in.Answer) == nil: // figures alone
		language = cmp.Or(around, text.Language(in.Question))
	case language == "":
		return "other", false
	case language == "en" && around == "zh" && len(strings.Fields(in.Answer)) <= shortWords:
		language = "zh" // a name or a term inside Chinese
	case around != "" && around != language:
		return language + "/" + around, false
	case language == "en" && (text.Foreign(in.Answer) || text.Foreign(material)):
		return "other", false
	}
	if len(in.Context) > 0 && around == "" && text.Languages(material) != nil {
		return "other", false
	}
	return language, language != ""
}

// cover is spoken for a detector of certain languages.
func cover(languages []string, in rag.Judged) (language string, ok bool) {
	language, ok = spoken(in)
	return language, ok && slices.Contains(languages, language)
}

// foreignPieces is from how many pieces a word is none of a vocabulary's language.
const foreignPieces = 3

// foreign reports an answer of four words and more without one function word of English
// that an English vocabulary has to spell: most of its longer words that the context does
// not have fall into three pieces and more.
func foreign(t rag.Tokenizer, in rag.Judged) bool {
	material := strings.ToLower(strings.Join(in.Context, " "))
	pieces := t.Tokens(in.Answer)
	words, long, spelt := 0, 0, 0
	for _, w := range wordsOf(in.Answer) {
		said := strings.ToLower(in.Answer[w.Start:w.End])
		if text.StopWord(said) {
			return false
		}
		words++
		if len(said) < 4 || strings.Contains(material, said) {
			continue
		}
		long++
		n := 0
		for _, p := range pieces {
			if p.Span.Overlaps(w) {
				n++
			}
		}
		if n >= foreignPieces {
			spelt++
		}
	}
	return words >= 4 && long >= 3 && 2*spelt > long
}

// wordsOf are the runs of letters.
func wordsOf(s string) []rag.Span {
	var out []rag.Span
	start := -1
	for i, r := range s + " " {
		switch letter := unicode.IsLetter(r); {
		case letter && start < 0:
			start = i
		case !letter && start >= 0:
			out = append(out, rag.Span{Start: start, End: i})
			start = -1
		}
	}
	return out
}
