package ocr

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // its size is asked for
	_ "image/jpeg" // its size is asked for
	_ "image/png"  // its size is asked for
	"path"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/layout"
	"ragdesk/backend/rag"
)

// Extensions lists those of the pictures that Parse reads.
func Extensions() []string {
	return []string{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp"}
}

// Parse reads a picture's text, if env asks for it and the machine can; else the
// document is empty and counts the picture. Faults: corrupt {format, reason},
// limit_inflated {limit}, limit_pages, limit_text.
func Parse(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	var b doctext.Builder
	b.ParsedBy = "ocr/1"
	if len(in.Bytes) == 0 {
		return b.Document(in, env.Limits)
	}
	kind, ok := sniff(in.Bytes)
	if !ok {
		return rag.Document{}, guard.Corrupt(strings.TrimPrefix(strings.ToLower(path.Ext(in.Source)), "."), errors.New("not a picture"))
	}
	b.MediaType = "image/" + kind
	if w, h := size(kind, in.Bytes); int64(w)*int64(h) > env.Limits.Inflated/4 {
		return rag.Document{}, fault.New("limit_inflated", fault.P("limit", env.Limits.Inflated))
	}
	b.Health.Images = 1
	if !env.OCR {
		return b.Document(in, env.Limits)
	}
	e, err := Find(ctx)
	switch {
	case errors.Is(err, ErrMissing):
		b.Warn(WarnMissing, Install())
		return b.Document(in, env.Limits)
	case err != nil:
		return rag.Document{}, err
	}
	pages, err := e.Read(ctx, in.Bytes)
	switch {
	case errors.Is(err, ErrPicture):
		return rag.Document{}, guard.Corrupt(kind, err)
	case err != nil:
		return rag.Document{}, fmt.Errorf("read picture: %w", err)
	case len(pages) > env.Limits.Pages:
		return rag.Document{}, fault.New("limit_pages", fault.P("limit", env.Limits.Pages), fault.P("pages", len(pages)))
	}
	b.Health.Images = 0
	write(&b, e, pages)
	return b.Document(in, env.Limits)
}

// write adds recognised pages to a document, each as a page of it, and the
// warnings about them.
func write(b *doctext.Builder, e *Engine, pages []Page) {
	var used, doubtful []string
	texts := make([]layout.Page, len(pages))
	for i, p := range pages {
		if !p.Sure() {
			b.Health.Images++
			doubtful = append(doubtful, strconv.Itoa(i+1))
			continue
		}
		used = append(used, strconv.Itoa(i+1))
		texts[i] = p.Text
	}
	b.Health.Repeated += layout.DropRepeated(texts)
	layout.Write(b, texts, nil)
	if len(used) > 0 {
		b.Warn(WarnUsed, strings.Join(used, ", "))
	}
	if len(doubtful) > 0 {
		b.Warn(WarnDoubtful, strings.Join(doubtful, ", "))
	}
	e.WarnAbsent(b)
}

// sniff tells the kind of picture by its first bytes.
func sniff(b []byte) (kind string, ok bool) {
	switch kind := charset.Signature(b); kind {
	case "png", "jpeg", "gif", "tiff":
		return kind, true
	}
	switch {
	case bytes.HasPrefix(b, []byte("BM")):
		return "bmp", true
	case bytes.HasPrefix(b, []byte("II+\x00")), bytes.HasPrefix(b, []byte("MM\x00+")): // BigTIFF
		return "tiff", true
	case bytes.HasPrefix(b, []byte("RIFF")) && len(b) >= 12 && string(b[8:12]) == "WEBP":
		return "webp", true
	}
	return "", false
}

// size returns the picture's width and height where its head states them, so
// that a small file cannot unpack to a huge one; tesseract bounds the others.
func size(kind string, b []byte) (w, h int) {
	switch kind {
	case "bmp":
		if len(b) >= 26 {
			w, h = int(int32(binary.LittleEndian.Uint32(b[18:]))), int(int32(binary.LittleEndian.Uint32(b[22:])))
			return max(w, -w), max(h, -h)
		}
	case "png", "jpeg", "gif":
		if c, _, err := image.DecodeConfig(bytes.NewReader(b)); err == nil {
			return c.Width, c.Height
		}
	}
	return 0, 0
}
