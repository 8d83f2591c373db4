package doctext

// Codes of the warnings that readers of several formats give.
const (
	// WarnHidden: a hidden sheet, slide or text was read; the detail names it or
	// counts its characters.
	WarnHidden = "hidden_content"
	// WarnHiddenText: text formatted as hidden was left out; the detail counts its
	// characters.
	WarnHiddenText = "hidden_text_dropped"
	// WarnPart: a part of the file is missing or could not be read; the detail is
	// its name.
	WarnPart = "part_unreadable"
	// WarnNoValues: formulas were saved without their values and are not in the
	// text; the detail is "sheet: count".
	WarnNoValues = "formula_values_missing"
	// WarnTruncated: the file ends in the middle, or holds less than it states; what
	// is there was read.
	WarnTruncated = "truncated"
	// WarnAttachment: a file inside the file was not read; the detail is its name and
	// a code of the reason.
	WarnAttachment = "attachment_unread"
)
