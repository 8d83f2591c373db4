package pdf

import (
	"bytes"
	"fmt"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium/requests"
)

const (
	// scanDPI is the resolution at which text in pictures is recognised best.
	scanDPI = 300
	// maxPixels bounds the picture of a page; larger pages get a lower resolution.
	maxPixels = 25_000_000
)

// picture draws page i, counted from 0, as a PNG of about 300 dots per inch; nil
// when it cannot be drawn.
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
