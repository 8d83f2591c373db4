// Package pdf reads PDF files through PDFium, compiled to WebAssembly: the file's
// bytes never reach native code, and the sandbox sees no file and no network.
//
// PDFium gives characters and their places (glyph.go); they become segments, runs
// of text without a wide gap (segment.go), in which package layout finds columns,
// tables, paragraphs and headings. Form values and text written on pages come
// from annotations (form.go), rules and pictures from the drawing (drawing.go).
// Pages without text are drawn (render.go) and recognised (scan.go).
//
// Invariants: a character that PDFium reports is in the text once, or counted as
// repeated, or outside the page; form values and notes written on the page are
// text; right-to-left text is in logical order.
//
//	r := pdf.NewReader()
//	defer r.Close()
//	doc, err := r.Parse(ctx, in, env)
//
// Faults: corrupt {format, reason}, password {format}, limit_pages {limit, pages},
// limit_text {limit}.
// Warnings: see the Warn constants.
package pdf

// Codes of the warnings Parse gives; their details are page numbers such as
// "2, 5-7" unless said otherwise.
const (
	// WarnNoText: pages with a picture and without text.
	WarnNoText = "pages_without_text"
	// WarnGarbled: pages whose characters cannot be told from the file.
	WarnGarbled = "garbled_text"
	// WarnPages: pages that could not be read.
	WarnPages = "pages_unreadable"
	// WarnDamaged: the file's table of objects is broken or missing, or the data of
	// its XFA form is; what could be found was read. There is no detail.
	WarnDamaged = "file_damaged"
	// WarnXFA: a form of the XFA kind, whose text was taken from its data.
	WarnXFA = "xfa_form"
)
