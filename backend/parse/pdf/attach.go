package pdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// maxAttachments bounds the files read from inside one file.
const maxAttachments = 200

// attachment is a file inside the file.
type attachment struct {
	name string
	data []byte
}

// attachments returns the files inside the file.
func (s *session) attachments() []attachment {
	n, err := s.FPDFDoc_GetAttachmentCount(&requests.FPDFDoc_GetAttachmentCount{Document: s.doc})
	if err != nil {
		return nil
	}
	var out []attachment
	for k := range min(n.AttachmentCount, maxAttachments) {
		a, err := s.FPDFDoc_GetAttachment(&requests.FPDFDoc_GetAttachment{Document: s.doc, Index: k})
		if err != nil {
			continue
		}
		found := attachment{name: fmt.Sprintf("attachment-%d", k+1)}
		if name, err := s.FPDFAttachment_GetName(&requests.FPDFAttachment_GetName{Attachment: a.Attachment}); err == nil && name.Name != "" {
			found.name = path.Base(strings.ReplaceAll(strings.Map(printable, name.Name), `\`, "/"))
		}
		if file, err := s.FPDFAttachment_GetFile(&requests.FPDFAttachment_GetFile{Attachment: a.Attachment}); err == nil {
			found.data = file.Contents
		}
		out = append(out, found)
	}
	return out
}

// appendNested adds the attachments to the document, each under its name. Those
// that are not read are named in a warning.
func appendNested(ctx context.Context, b *doctext.Builder, files []attachment, in rag.Input, env guard.Env) error {
	var unread []string
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if env.Nested == nil || len(f.data) == 0 {
			unread = append(unread, f.name)
			continue
		}
		d, err := env.Nested(ctx, rag.Input{Source: in.Source + "/" + f.name, Bytes: f.data})
		if err != nil {
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("read attachment %q: %w", f.name, err)
			}
			unread = append(unread, f.name+" ("+fault.Of(err).Code+")")
			continue
		}
		b.Heading(1, f.name)
		b.Append(d, 1)
	}
	if len(unread) > 0 {
		b.Warn(WarnAttachment, strings.Join(unread, ", "))
	}
	return nil
}
