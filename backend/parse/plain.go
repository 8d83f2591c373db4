package parse

import (
	"context"
	"path"

	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// parsePlain reads plain text: its characters are the document.
func parsePlain(_ context.Context, in rag.Input, _ guard.Env) (rag.Document, error) {
	d, err := readText(in)
	if err != nil {
		return rag.Document{}, err
	}
	d.MediaType, d.ParsedBy = "text/plain", "text/1"
	return d, nil
}

// readText decodes in and fills what every text format shares.
func readText(in rag.Input) (rag.Document, error) {
	r, err := charset.Read(in.Bytes, charset.Hint{Forced: in.Encoding})
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
