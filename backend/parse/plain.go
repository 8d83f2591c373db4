package parse

import (
	"context"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// parsePlain reads plain text: its characters are the document.
func parsePlain(_ context.Context, in rag.Input, _ guard.Env) (rag.Document, error) {
	d, err := doctext.Plain(in, "")
	if err != nil {
		return rag.Document{}, err
	}
	d.MediaType, d.ParsedBy = "text/plain", "text/1"
	return d, nil
}
