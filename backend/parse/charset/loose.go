package charset

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// ReadLoose is Read for formats that are worth reading with a broken character
// in them, such as web pages and tables: bytes that are no character become
// U+FFFD with the warning WarnDamaged, unless a user chose the encoding. A
// declared encoding that only a label can tell, such as ISO-2022-JP or KOI8-R,
// holds where the bytes do not speak for another. Faults: binary_content, and
// those of Read for a chosen encoding.
func ReadLoose(b []byte, h Hint) (Reading, error) {
	r, err := Read(b, h)
	switch {
	case h.Forced != "" || fault.Is(err, "binary_content"):
		return r, err
	case err == nil && (speaksForItself(r) || !labelTells(b, h.Declared)):
		return r, nil
	}
	if labelTells(b, h.Declared) {
		return Labelled(b, h.Declared), nil
	}
	name := "UTF-8"
	if f := fault.Of(err); f.Params["encoding"] != "" {
		name = f.Params["encoding"]
	}
	s, looseErr := text.Loose(name, b)
	if looseErr != nil {
		return Reading{}, err
	}
	return settleLoose(strings.TrimPrefix(s, "\uFEFF"), name), nil
}

// labelTells reports whether declared names an encoding that evidence does not
// find, and b is not plainly something else.
func labelTells(b []byte, declared string) bool {
	if _, strict := text.Charset(declared); declared == "" || strict {
		return false
	}
	if _, err := text.Loose(declared, nil); err != nil {
		return false
	}
	switch {
	case !utf8.Valid(b):
		return true
	case utf8.RuneCount(b) < len(b):
		return false // UTF-8 beyond ASCII
	}
	return bytes.Contains(b, []byte("\x1b")) || bytes.Contains(b, []byte("~{"))
}

// speaksForItself reports whether a reading is in one of the encodings whose
// bytes other text does not happen to form, without a doubt.
func speaksForItself(r Reading) bool {
	single := strings.HasPrefix(r.Encoding, "windows-") || r.Encoding == "UTF-8"
	return !single && !slices.ContainsFunc(r.Warnings, func(n rag.Notice) bool { return n.Code == WarnUncertain })
}
