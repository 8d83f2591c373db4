package pdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/klippa-app/go-pdfium/references"
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

// attachments returns the first maxAttachments files inside the file, those
// attached to marks on its pages last, and how many it left out. A file without
// data could not be read or is too much.
func (s *session) attachments(l guard.Limits) (files []attachment, leftOut int) {
	leftOut = s.leftOut
	n, err := s.FPDFDoc_GetAttachmentCount(&requests.FPDFDoc_GetAttachmentCount{Document: s.doc})
	if err == nil {
		leftOut += max(0, n.AttachmentCount-maxAttachments)
		for k := range min(n.AttachmentCount, maxAttachments) {
			name := fmt.Sprintf("attachment-%d", k+1)
			a, err := s.FPDFDoc_GetAttachment(&requests.FPDFDoc_GetAttachment{Document: s.doc, Index: k})
			if err != nil {
				files = append(files, attachment{name: name})
				continue
			}
			files = append(files, s.attachment(a.Attachment, name))
		}
	}
	files = append(files, s.files...)
	if over := len(files) - maxAttachments; over > 0 {
		files, leftOut = files[:maxAttachments], leftOut+over
	}
	size := int64(0)
	for i := range files {
		if size += int64(len(files[i].data)); size > l.Inflated {
			files[i].data = nil
		}
	}
	return files, leftOut
}

func (s *session) attachment(a references.FPDF_ATTACHMENT, name string) attachment {
	found := attachment{name: name}
	if n, err := s.FPDFAttachment_GetName(&requests.FPDFAttachment_GetName{Attachment: a}); err == nil && n.Name != "" {
		found.name = path.Base(strings.ReplaceAll(strings.Map(printable, n.Name), `\`, "/"))
	}
	if file, err := s.FPDFAttachment_GetFile(&requests.FPDFAttachment_GetFile{Attachment: a}); err == nil {
		found.data = file.Contents
	}
	return found
}

// appendNested adds the attachments to the document, each under its name. Those
// that are not read are named in a warning, with how many were left out.
func appendNested(ctx context.Context, b *doctext.Builder, files []attachment, leftOut int, in rag.Input, env guard.Env) error {
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
	if leftOut > 0 {
		unread = append(unread, fmt.Sprintf("… +%d", leftOut))
	}
	if len(unread) > 0 {
		b.Warn(doctext.WarnAttachment, strings.Join(unread, ", "))
	}
	return nil
}
