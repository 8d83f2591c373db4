package text

import "golang.org/x/text/unicode/norm"

// NFD returns the canonical decomposition of s (Unicode Standard Annex 15):
// accented letters become a base letter followed by combining marks. Bytes that
// are not UTF-8 are kept as they are.
func NFD(s string) string { return norm.NFD.String(s) }
