package judge

import (
	"cmp"
	"slices"
	"strings"

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
