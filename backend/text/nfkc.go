package text

import "golang.org/x/text/unicode/norm"

// NFKC returns the compatibility composition of s (Unicode Standard Annex 15):
// ligatures, presentation forms, radicals and letters of unusual width become
// the characters they stand for. Bytes that are not UTF-8 are kept as they are.
func NFKC(s string) string { return norm.NFKC.String(s) }
