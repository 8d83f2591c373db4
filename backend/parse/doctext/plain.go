package doctext

import (
	"path"

	"ragdesk/backend/parse/charset"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Plain decodes in strictly and returns the document that is its text unchanged,
// without a media type; what in says of its own encoding is declared, "" for
// nothing. Faults are those of charset.Read.
func Plain(in rag.Input, declared string) (rag.Document, error) {
	r, err := charset.Read(in.Bytes, charset.Hint{Forced: in.Encoding, Declared: declared})
	if err != nil {
		return rag.Document{}, err
	}
	return rag.Document{
		Source:   in.Source,
		Title:    path.Base(in.Source),
		Encoding: r.Encoding,
		Language: text.Language(r.Text),
		Text:     r.Text,
		Warnings: append(r.Warnings, charset.Odd(r.Text)...),
		Health:   rag.Health{Confidence: r.Confidence, Garbled: charset.Garbled(r.Text)},
	}, nil
}
