// Package markup reads web pages and XML as a reader sees them: headings,
// paragraphs, lists, tables and code, without scripts, styles, comments and what
// is hidden.
//
//	doc, err := markup.ParseHTML(ctx, rag.Input{Source: "通知.html", Bytes: b}, env)
//
// Invariants: inline mark-up and line breaks of the source add no space between
// Chinese or Japanese characters; what was dropped although it has text is
// counted in a warning; content is only dropped when enough of it is left.
//
// Faults: those of charset.ReadLoose, limit_depth, limit_entities, limit_cells,
// limit_elements {limit}, limit_text, and corrupt {format, reason} for XML.
package markup

// Codes of the warnings.
const (
	// WarnHidden says that text a browser does not show was dropped. The detail
	// counts its characters.
	WarnHidden = "hidden_dropped"
	// WarnBoilerplate says that navigation, header, footer and side bars of a page
	// with a main part were dropped. The detail counts their characters.
	WarnBoilerplate = "boilerplate_dropped"
	// WarnEmbedded says that the page shows content which is no text of its own.
	// The detail counts it by element.
	WarnEmbedded = "embedded_content"
)
