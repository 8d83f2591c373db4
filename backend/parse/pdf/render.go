package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/parse/guard"
)

const (
	// scanDPI is the resolution at which text in pictures is recognised best.
	scanDPI = 300
	// maxPixels bounds the picture of a page; larger pages get a lower resolution.
	maxPixels = 25_000_000
)

// Render draws pages, counted from 0, as PNG pictures at about 300 dots per inch
// and hands each to use in order; an error of use ends it. A page that cannot be
// drawn is left out. Faults: those of Parse.
func (r *Reader) Render(ctx context.Context, data []byte, pages []int, env guard.Env, use func(page int, picture []byte) error) error {
	for _, i := range pages {
		var picture []byte
		// The instance is free while the picture is used, which may take long.
		err := r.use(ctx, env.Cache, func(instance pdfium.Pdfium) error {
			s, err := open(instance, data, env.Limits)
			if err != nil {
				return err
			}
			defer s.close()
			picture, err = s.picture(i)
			return err
		})
		if err != nil {
			return fmt.Errorf("draw page %d: %w", i+1, err)
		}
		if picture == nil {
			continue
		}
		if err := use(i, picture); err != nil {
			return err
		}
	}
	return nil
}

// picture draws page i; nil when it cannot be drawn.
func (s *session) picture(i int) ([]byte, error) {
	size, err := s.GetPageSize(&requests.GetPageSize{Page: s.page(i)})
	if err != nil {
		if gone(err) {
			return nil, fmt.Errorf("%w: %w", errGone, err)
		}
		return nil, nil
	}
	drawn, err := s.RenderPageInDPI(&requests.RenderPageInDPI{
		Page: s.page(i), DPI: resolution(size.Width, size.Height),
		ImageFormat: requests.RenderImageFormatGrayscale,
	})
	if err != nil {
		if gone(err) {
			return nil, fmt.Errorf("%w: %w", errGone, err)
		}
		return nil, nil
	}
	defer drawn.Cleanup()
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, drawn.Result.RenderedImage); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return b.Bytes(), nil
}

// resolution returns the dots per inch for a page of w × h points.
func resolution(w, h float64) int {
	area := w * h / (72 * 72)
	if !(area > 0) {
		return 72
	}
	return max(1, min(scanDPI, int(math.Sqrt(maxPixels/area))))
}
