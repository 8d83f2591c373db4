package charset

import (
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// WarnDamaged says that bytes which are no character in the text's encoding were
// replaced by U+FFFD. The detail names the encoding.
const WarnDamaged = "encoding_damaged"

// Labelled decodes text that carries the name of its encoding outside itself,
// such as a part of a mail or a run of a document, and never fails: the label is
// a hint where the evidence can speak against it, and binding for encodings that
// only a label can tell, such as ISO-2022-JP or windows-1256. Bytes that are no
// character become U+FFFD with a warning.
func Labelled(b []byte, label string) Reading {
	if _, strict := text.Charset(label); !strict && label != "" {
		if s, err := text.Loose(label, b); err == nil {
			return settleLoose(s, label)
		}
	}
	r, err := decode(b, Hint{Declared: label})
	if err == nil {
		return Reading{r.encoding, r.text, r.warnings, r.confidence}
	}
	for _, name := range []string{label, "UTF-8"} {
		if s, err := text.Loose(name, b); err == nil {
			return settleLoose(s, name)
		}
	}
	return Reading{Encoding: label}
}

// settleLoose tells what a loose reading lost.
func settleLoose(s, label string) Reading {
	name := label
	if canonical, ok := text.Charset(label); ok {
		name = canonical
	}
	r := Reading{Encoding: name, Text: s, Confidence: 1}
	if lost := Garbled(s); lost > 0 {
		r.Confidence = 1 - lost
		r.Warnings = []rag.Notice{{Code: WarnDamaged, Detail: name}}
	}
	return r
}
