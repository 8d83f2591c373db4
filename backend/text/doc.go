// Package text knows what the characters of Chinese and English text mean to a
// search: folding, sentences, languages, and the terms a text is found by.
//
// Offsets are half-open byte ranges of the text that was passed in, whatever
// folding does to the characters in between, so that what is found can be shown
// where it stands:
//
//	for _, t := range text.Analyze(s).Words {
//		fmt.Println(t.Term, s[t.Span.Start:t.Span.End])
//	}
//
// The package owns golang.org/x/text and the Chinese word list. The list is an
// FST that build/dict compiles into the folder dict and that is searched in the
// program's own bytes; it is opened at its first use.
package text
