// Package tokenize cuts text into the pieces of a model's vocabulary, in pure Go
// and with the same ids as the reference tokenizers library: the word pieces of
// BERT, the Unigram pieces of XLM-RoBERTa, and the byte pairs of ModernBERT and
// RoBERTa.
//
// A tokenizer is read from a model's tokenizer.json or, for XLM-RoBERTa, from a
// sentencepiece model. Of the former the normaliser, the pre-tokeniser, the
// vocabulary, the added tokens and the places of the special tokens count; its
// truncation and padding are ignored, since limits belong to whoever runs the
// model. A file that asks for anything else is refused, not approximated.
//
// Invariants, for every text, valid UTF-8 or not: spans lie within the text and
// on rune boundaries, starts and ends never decrease, and a token's span covers
// the characters it was made from. Characters that the normaliser drops belong
// to no token, except inside a token.
//
//	t, err := tokenize.Open("tokenizer.json", tokenize.Options{})
//	for _, tok := range t.Tokens("北京 embedding") {
//		fmt.Println(tok.ID, tok.Span)
//	}
//	in := t.EncodePair("首都？", "北京是首都。", 512)
package tokenize
