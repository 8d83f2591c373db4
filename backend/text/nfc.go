package text

import (
	"iter"

	"golang.org/x/text/unicode/norm"
)

// NFC yields the parts of s whose canonical compositions (Unicode Standard Annex 15)
// together are that of s: how many bytes of s each takes, and its composition, which is
// valid until the next part. Bytes that are not UTF-8 are kept as they are.
func NFC(s []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		var it norm.Iter
		it.Init(norm.NFC, s)
		for at := 0; !it.Done(); {
			part := it.Next()
			if !yield(it.Pos()-at, part) {
				return
			}
			at = it.Pos()
		}
	}
}
