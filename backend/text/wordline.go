package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// maxWordLength bounds a word of a lexicon, in folded characters, and maxFreq its
// frequency.
const (
	maxWordLength = 50
	maxFreq       = listCount
)

// wordTags are the tags of parts of speech in dictionaries for jieba and its kin.
const wordTags = ` a ad ag an b bg c d df dg e eng f g h i j k l m mg mq n ng nr nrfg nrt ns nt nz o p q qg r rg rr rz s t tg u ud ug uj ul uv uz v vd vg vi vn vq x y yg z zg un nw vl `

// ParseWord reads a line of a user dictionary, "word [frequency] [tag]"; the tag is
// that of a part of speech, which is not used. A line that is no word is the fault
// "word_fields" {line}, "word_frequency" {word, frequency, most}, "word_long" {word,
// most} or "word_blank" {word}.
func ParseWord(line string) (rag.Word, error) {
	fields := strings.Fields(strings.ToValidUTF8(line, "\uFFFD"))
	if len(fields) == 0 {
		return rag.Word{}, fault.New("word_blank", fault.P("word", ""))
	}
	w := rag.Word{Word: fields[0]}
	rest := fields[1:]
	if len(rest) > 0 && !strings.Contains(wordTags, " "+rest[0]+" ") {
		freq, err := strconv.ParseInt(rest[0], 10, 64)
		switch {
		case err != nil && looksNumeric(rest[0]), err == nil && (freq < 1 || freq > maxFreq):
			return w, fault.New("word_frequency", fault.P("word", w.Word), fault.P("frequency", rest[0]), fault.P("most", int64(maxFreq)))
		case err != nil:
			return w, fault.New("word_fields", fault.P("line", line))
		}
		w.Freq, rest = freq, rest[1:]
	}
	if len(rest) > 0 && strings.Contains(wordTags, " "+rest[0]+" ") {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		return w, fault.New("word_fields", fault.P("line", line))
	}
	return w, checkWord(w.Word)
}

func looksNumeric(s string) bool {
	return strings.TrimLeft(s, "+-.0123456789eE") == ""
}

// checkWord returns the fault of what cannot be a word.
func checkWord(word string) error {
	term := Fold(word).Text
	if strings.ContainsRune(word, utf8.RuneError) || strings.ContainsFunc(term, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) ||
		!strings.ContainsFunc(term, func(r rune) bool { return classOf(r) != otherClass }) {
		return fault.New("word_blank", fault.P("word", word))
	}
	if utf8.RuneCountInString(term) > maxWordLength {
		return fault.New("word_long", fault.P("word", word), fault.P("most", maxWordLength))
	}
	return nil
}
