// Package tokenize cuts text into the word pieces of a BERT vocabulary, in pure
// Go and with the same ids as the reference tokenizers library.
//
// A WordPiece is read from a model's tokenizer.json. Of that file the normaliser
// (BertNormalizer), the pre-tokeniser (BertPreTokenizer), the vocabulary and the
// special tokens count; its truncation and padding are ignored, since limits
// belong to whoever runs the model.
//
// Invariants, for every text, valid UTF-8 or not: spans lie within the text and
// on rune boundaries, starts and ends never decrease, and a token's span covers
// the characters it was made from. Characters that the normaliser drops belong
// to no token, except inside a token.
//
//	wp, err := tokenize.Open("tokenizer.json", tokenize.Options{})
//	for _, tok := range wp.Tokens("北京 embedding") {
//		fmt.Println(tok.ID, tok.Span)
//	}
package tokenize
