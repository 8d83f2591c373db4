package pdf

import (
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/parse/layout"
)

// maxLevels is how deep an outline is followed.
const maxLevels = 6

// maxOutline bounds the entries read of an outline, which may be a ring.
const maxOutline = 5000

// outline returns the levels of the outline's titles, folded.
func (s *session) outline() map[string]int {
	out := map[string]int{}
	left := maxOutline
	var walk func(parent *references.FPDF_BOOKMARK, level int)
	walk = func(parent *references.FPDF_BOOKMARK, level int) {
		first, err := s.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: s.doc, Bookmark: parent})
		if err != nil || level > maxLevels {
			return
		}
		for at := first.Bookmark; at != nil && left > 0; left-- {
			if t, err := s.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *at}); err == nil {
				if key := layout.FoldTitle(t.Title); key != "" && out[key] == 0 {
					out[key] = level
				}
			}
			walk(at, level+1)
			next, err := s.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: s.doc, Bookmark: *at})
			if err != nil {
				return
			}
			at = next.Bookmark
		}
	}
	walk(nil, 1)
	return out
}
