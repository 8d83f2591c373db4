// Package standin makes small models with the architectures, file formats and
// folder layouts of those on the public hub: BERT and XLM-RoBERTa as rerankers and
// embedders, classifiers of pairs and of tokens, in fp32, fp16 and dynamically
// quantised int8, with and without external data, beside a tokenizer.json or a sentencepiece model. Their weights
// are seeded noise, so that what they compute means nothing and is always the same
// number. Tests load them where the real ones cannot be had.
//
//	err := standin.Write(dir, standin.XLMRReranker)
//
// The command build/standin/write puts them all into a folder, for Python to
// compute the numbers that tests expect. The scripts beside this file write those:
// graphemes.py a table of package tokenize, xlmr.py the real vocabulary of
// XLM-RoBERTa, bpe.py a byte-level one, reference_tokens.py and reference_models.py
// the fixtures.
package standin
