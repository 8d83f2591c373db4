package pdf

import (
	"context"

	"github.com/klippa-app/go-pdfium"

	"ragdesk/backend/parse/guard"
)

// SmallReader returns a reader whose PDFium runs out of memory early.
func SmallReader() *Reader {
	r := NewReader()
	r.memory = 768 // 48 MiB
	return r
}

// Warm starts PDFium, so that what is measured does not wait for it.
func (r *Reader) Warm(ctx context.Context, env guard.Env) error {
	return r.use(ctx, env.Cache, func(pdfium.Pdfium) error { return nil })
}
