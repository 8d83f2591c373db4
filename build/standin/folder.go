package standin

import (
	_ "embed" // the byte-level vocabulary
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Kind names a stand-in.
type Kind string

// The kinds, each with the layout of a folder on the hub.
const (
	// BERTReranker is a BERT cross-encoder with token types.
	BERTReranker Kind = "bert-reranker"
	// XLMRReranker is an XLM-RoBERTa cross-encoder in three precisions.
	XLMRReranker Kind = "xlmr-reranker"
	// XLMRExternal has its weights in an external file, two outputs, and a
	// sentencepiece model in the place of a tokenizer.json.
	XLMRExternal Kind = "xlmr-external"
	// E5Embedder is an XLM-RoBERTa embedder with mean pooling and prompts.
	E5Embedder Kind = "e5-embedder"
	// M3Embedder is an XLM-RoBERTa embedder with CLS pooling, external data and two
	// outputs.
	M3Embedder Kind = "m3-embedder"
	// BERTEmbedder is a BERT embedder without sentence-transformers files.
	BERTEmbedder Kind = "bert-embedder"
	// BERTNLI is a BERT classifier of pairs into three classes, for Chinese.
	BERTNLI Kind = "bert-nli"
	// TokenClassifier marks the tokens of an answer as supported or not; it has the
	// byte-level vocabulary of ModernBERT's kind, and no token types.
	TokenClassifier Kind = "token-classifier"
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{BERTReranker, XLMRReranker, XLMRExternal, E5Embedder, M3Embedder, BERTEmbedder, BERTNLI, TokenClassifier}
}

// Positions is the longest input that the stand-ins' graphs take, in tokens.
const Positions = 128

// longPositions is that of TokenClassifier, which reads a whole prompt.
const longPositions = 512

// byteLevel is a tokenizer.json that bpe.py trained.
//
//go:embed bpe.json
var byteLevel []byte

// byteLevelTokens is how many ids it has.
const byteLevelTokens = 2508

// Write makes the stand-in in dir, in a fraction of a second.
func Write(dir string, kind Kind) error { return WriteSized(dir, kind, Size{}) }

// WriteSized makes it with the given shape where that is not zero. Vocab counts
// no less than the tokenizer's own.
func WriteSized(dir string, kind Kind, size Size) error {
	small := Size{Hidden: 32, Heads: 4, Layers: 2, Inner: 64, Positions: Positions}
	if size.Hidden > 0 {
		small = size
	}
	e := encoder{Size: small, roberta: true, outputs: []string{"last_hidden_state"}}
	tokens := len(made().unigram) + 1
	if kind == BERTReranker || kind == BERTEmbedder || kind == BERTNLI {
		e.roberta = false
		tokens = len(made().words)
	}
	e.Vocab = max(size.Vocab, tokens)
	precisions := map[string]Precision{"model.onnx": FP32}
	switch kind {
	case BERTReranker:
		e.head, e.outputs, e.seed = true, []string{"logits"}, 1
	case XLMRReranker:
		e.head, e.outputs, e.seed = true, []string{"logits"}, 2
		precisions["model_fp16.onnx"], precisions["model_quantized.onnx"] = FP16, INT8
	case XLMRExternal:
		e.head, e.outputs, e.seed, e.dataFile = true, []string{"logits", "hidden_states"}, 3, "model.onnx_data"
	case E5Embedder:
		e.seed = 4
		precisions["model_qint8.onnx"] = INT8
	case M3Embedder:
		e.outputs, e.seed, e.dataFile = []string{"token_embeddings", "sentence_embedding"}, 5, "model.onnx_data"
	case BERTEmbedder:
		e.seed = 6
	case TokenClassifier:
		e.roberta, e.untyped, e.each, e.classes, e.outputs, e.seed = false, true, true, 2, []string{"logits"}, 8
		e.Vocab, e.Positions = max(size.Vocab, byteLevelTokens), max(size.Positions, longPositions)
	case BERTNLI:
		e.head, e.classes, e.outputs, e.seed = true, 3, []string{"logits"}, 7
	default:
		return fmt.Errorf("no stand-in of kind %q", kind)
	}
	files := map[string][]byte{}
	for name, p := range precisions {
		model, data := e.write(p)
		files["onnx/"+name] = model
		if data != nil {
			files["onnx/"+e.dataFile] = data
		}
	}
	if err := e.describe(kind, files); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// describe adds the tokenizer and the configuration.
func (e encoder) describe(kind Kind, files map[string][]byte) error {
	var err error
	put := func(name string, content any) {
		raw, failed := json.MarshalIndent(content, "", "  ")
		if failed != nil {
			err = failed
		}
		files[name] = append(raw, '\n')
	}
	config := map[string]any{
		"model_type": "bert", "hidden_size": e.Hidden, "max_position_embeddings": e.Positions,
		"num_hidden_layers": e.Layers, "pad_token_id": 0, "vocab_size": e.Vocab,
	}
	if e.roberta {
		config["model_type"], config["pad_token_id"] = "xlm-roberta", 1
		// XLM-RoBERTa numbers positions from 2.
		put("tokenizer_config.json", map[string]any{"model_max_length": e.Positions - 2})
	}
	if e.head {
		config["architectures"] = []string{map[bool]string{false: "BertForSequenceClassification", true: "XLMRobertaForSequenceClassification"}[e.roberta]}
		config["id2label"] = map[string]string{"0": "LABEL_0"}
		if e.classes > 0 {
			config["id2label"] = map[string]string{"0": "contradiction", "1": "ENTAILMENT", "2": "neutral"}
			config["language"] = "zh"
		}
	} else if kind == TokenClassifier {
		config["model_type"], config["architectures"], config["language"] = "modernbert", []string{"ModernBertForTokenClassification"}, "en"
	} else {
		config["architectures"] = []string{map[bool]string{false: "BertModel", true: "XLMRobertaModel"}[e.roberta]}
	}
	put("config.json", config)
	switch {
	case kind == TokenClassifier:
		files["tokenizer.json"] = byteLevel
	case kind == XLMRExternal:
		files["sentencepiece.bpe.model"] = sentencePiece()
	case e.roberta:
		put("tokenizer.json", unigramFile())
	default:
		put("tokenizer.json", wordPieceFile())
	}
	if kind == E5Embedder || kind == M3Embedder {
		put("modules.json", []map[string]any{
			{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
			{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
			{"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
		})
		put("1_Pooling/config.json", map[string]any{
			"word_embedding_dimension": e.Hidden, "pooling_mode_cls_token": kind == M3Embedder,
			"pooling_mode_mean_tokens": kind == E5Embedder, "pooling_mode_max_tokens": false,
		})
		put("sentence_bert_config.json", map[string]any{"max_seq_length": 64, "do_lower_case": false})
	}
	if kind == E5Embedder {
		put("config_sentence_transformers.json", map[string]any{
			"prompts": map[string]string{"query": "query: ", "document": "passage: "}, "default_prompt_name": nil,
		})
	}
	return err
}

func added(ids map[string]int) []map[string]any {
	var out []map[string]any
	for _, s := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "<pad>", "</s>", "<unk>", "<mask>"} {
		if id, ok := ids[s]; ok {
			out = append(out, map[string]any{
				"id": id, "content": s, "single_word": false, "lstrip": s == "<mask>", "rstrip": false, "normalized": false, "special": true,
			})
		}
	}
	return out
}

func wordPieceFile() map[string]any {
	vocab := map[string]int{}
	for i, p := range made().words {
		vocab[p] = i
	}
	return map[string]any{
		"version": "1.0", "truncation": map[string]any{"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
		"padding": nil, "added_tokens": added(vocab),
		"normalizer": map[string]any{
			"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true,
		},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "BertProcessing", "cls": []any{"[CLS]", 2}, "sep": []any{"[SEP]", 3}},
		"decoder":        map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": vocab,
		},
	}
}

func unigramFile() map[string]any {
	pieces := append(made().unigram[:len(made().unigram):len(made().unigram)], scoredPiece{"<mask>", 0})
	vocab, ids := make([][]any, len(pieces)), map[string]int{}
	for i, p := range pieces {
		vocab[i], ids[p.piece] = []any{p.piece, p.score}, i
	}
	meta := map[string]any{"type": "Metaspace", "replacement": sign, "prepend_scheme": "always", "split": true}
	token := func(s string) map[string]any {
		return map[string]any{"SpecialToken": map[string]any{"id": s, "type_id": 0}}
	}
	text := func(s string) map[string]any {
		return map[string]any{"Sequence": map[string]any{"id": s, "type_id": 0}}
	}
	special := func(s string) map[string]any {
		return map[string]any{"id": s, "ids": []int{ids[s]}, "tokens": []string{s}}
	}
	return map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added(ids),
		"normalizer":    map[string]any{"type": "Precompiled", "precompiled_charsmap": base64.StdEncoding.EncodeToString(made().charMap)},
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{map[string]any{"type": "WhitespaceSplit"}, meta}},
		"post_processor": map[string]any{
			"type": "TemplateProcessing", "single": []any{token("<s>"), text("A"), token("</s>")},
			"pair":           []any{token("<s>"), text("A"), token("</s>"), token("</s>"), text("B"), token("</s>")},
			"special_tokens": map[string]any{"<s>": special("<s>"), "</s>": special("</s>")},
		},
		"decoder": meta,
		"model":   map[string]any{"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": false},
	}
}

// sentencePiece is the same vocabulary as a sentencepiece model.
func sentencePiece() []byte {
	var m message
	add := func(p scoredPiece, typ int64) {
		m.sub(1, func(m *message) {
			m.text(1, p.piece)
			m.float(2, float32(p.score))
			m.number(3, typ)
		})
	}
	add(scoredPiece{"<unk>", 0}, 2)
	add(scoredPiece{"<s>", 0}, 3)
	add(scoredPiece{"</s>", 0}, 3)
	for _, p := range made().unigram[4:] {
		add(p, 1)
	}
	m.sub(2, func(m *message) { m.number(3, 1) })
	m.sub(3, func(m *message) {
		m.text(1, "nmt_nfkc")
		m.bytes(2, made().charMap)
	})
	return m
}
