package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
)

// Task is what a model does.
type Task string

// The tasks.
const (
	TaskEmbed  Task = "embedder"
	TaskRerank Task = "reranker"
	// TaskNLI tells whether a text follows from another, contradicts it, or neither; or
	// marks the tokens of a text that do not follow, see Description.Tokens.
	TaskNLI Task = "nli"
)

// Variant is one graph of a model, with what one must know to run it.
type Variant struct {
	Precision Precision
	// Path is the .onnx file; Data are the files beside it that hold weights.
	Path string
	Data []string
	// Inputs are names in the order ids, mask, types, as ort wants them.
	Inputs []string
	// Output is the name of the logits or the token vectors.
	Output string
	// Half is the output's shape when it is float16, with −1 for open dimensions;
	// else nil.
	Half []int64
}

// Batches reports whether texts may share a run. int8 graphs scale activations
// over a batch, so that a text's result would depend on its neighbours.
func (v Variant) Batches() bool { return v.Precision == FP32 || v.Precision == FP16 }

// Description is a model as its folder describes it. Fields of another task are
// zero.
type Description struct {
	Dir  string
	Task Task
	// Variants has at most one of each precision, the fastest first.
	Variants  []Variant
	Tokenizer string
	// Lowercase says that the model was trained on lower-case text although its
	// tokenizer.json keeps capitals.
	Lowercase bool
	// Simplify says that the model reads traditional characters better as
	// simplified ones.
	Simplify bool
	// Limit is the longest input in tokens, special ones included.
	Limit int
	// Pad is the id of the padding token.
	Pad     int64
	Dim     int
	Pooling Pooling
	// QueryPrefix and DocumentPrefix are put before a text of that role.
	QueryPrefix, DocumentPrefix string
	// Labels are what the logits of an NLI model stand for, in their order: "entailment",
	// "neutral" and "contradiction", or with Tokens LabelSupported and LabelUnsupported.
	Labels []string
	// Tokens says that an NLI model has logits for every token.
	Tokens bool
	// Languages are those that config.json or the catalogue names, "multi" for many; empty
	// when neither does.
	Languages []string
}

// Variant returns the variant of the given precision, or the first for "". One
// that is absent is a fault "model_precision_missing" with those that are there.
func (d Description) Variant(p Precision) (Variant, error) {
	var have []string
	for _, v := range d.Variants {
		if p == "" || v.Precision == p {
			return v, nil
		}
		have = append(have, string(v.Precision))
	}
	return Variant{}, fault.New("model_precision_missing",
		fault.P("path", d.Dir), fault.P("precision", p), fault.P("known", strings.Join(have, ", ")))
}

// config is what is read of a model's several JSON files.
type config struct {
	Architectures []string          `json:"architectures"`
	ModelType     string            `json:"model_type"`
	Hidden        int               `json:"hidden_size"`
	Positions     int               `json:"max_position_embeddings"`
	Pad           *int64            `json:"pad_token_id"`
	Labels        map[string]string `json:"id2label"`
	NameOrPath    string            `json:"_name_or_path"`
	// Language is a code or a list of codes.
	Language json.RawMessage `json:"language"`
}

// languages reads the codes.
func (c config) languages() ([]string, error) {
	if c.Language == nil || string(c.Language) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(c.Language, &one) == nil {
		return []string{strings.ToLower(one)}, nil
	}
	var list []string
	if err := json.Unmarshal(c.Language, &list); err != nil {
		return nil, errors.New("config.json: language is neither a code nor a list of codes")
	}
	for i := range list {
		list[i] = strings.ToLower(list[i])
	}
	return list, nil
}

// nliLabels are the labels of an NLI model in the order of its logits; ok is false when
// they are others.
func (c config) nliLabels() (labels []string, ok bool) {
	labels = make([]string, len(c.Labels))
	for key, name := range c.Labels {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(labels) || labels[i] != "" {
			return nil, false
		}
		for _, known := range nliNames() {
			if strings.HasPrefix(strings.ToLower(name), known[:6]) {
				labels[i] = known
			}
		}
	}
	sorted := slices.Sorted(slices.Values(labels))
	return labels, slices.Equal(sorted, nliNames())
}

// Labels of a model that marks tokens.
const (
	LabelSupported   = "supported"
	LabelUnsupported = "unsupported"
)

// tokenLabels are those of a model that marks tokens. Without names, or with those that
// libraries make up, the second one is what is not supported.
func (c config) tokenLabels() (labels []string, ok bool) {
	labels = []string{LabelSupported, LabelUnsupported}
	if len(c.Labels) == 0 {
		return labels, true
	}
	_, first := c.Labels["0"]
	_, second := c.Labels["1"]
	if len(c.Labels) != len(labels) || !first || !second {
		return nil, false
	}
	bad := func(key string) bool {
		name := strings.ToLower(c.Labels[key])
		return name == "label_1" || strings.Contains(name, "hallucinat") || strings.Contains(name, "unsupported") || strings.Contains(name, "not")
	}
	if bad("0") == bad("1") {
		return nil, false
	}
	if bad("0") {
		slices.Reverse(labels)
	}
	return labels, true
}

// nliNames are the labels of NLI, sorted.
func nliNames() []string { return []string{"contradiction", "entailment", "neutral"} }

// Describe reads a model's folder as the hub lays it out: config.json, graphs in
// the folder itself or in onnx/, tokenizer.json or a sentencepiece model, and the
// files of sentence-transformers. name, if it is in the catalogue, settles what
// files leave open; it may be empty. A folder that is no model, or one that this
// program cannot run, is a fault "model_invalid" with the path and the reason.
func Describe(dir, name string) (Description, error) {
	d, err := describe(dir, name)
	if err != nil {
		return Description{}, fault.Wrap(err, "model_invalid", fault.P("path", dir), fault.P("reason", err))
	}
	return d, nil
}

func describe(dir, name string) (Description, error) {
	var c config
	if err := readJSON(dir, "config.json", &c); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Description{}, err
	}
	d := Description{Dir: dir, Dim: c.Hidden, Task: TaskEmbed}
	if c.Pad != nil {
		d.Pad = *c.Pad
	}
	for _, a := range c.Architectures {
		if strings.HasSuffix(a, "ForSequenceClassification") {
			d.Task = TaskRerank
		}
		d.Tokens = d.Tokens || strings.HasSuffix(a, "ForTokenClassification")
	}
	var ok bool
	if d.Tokens {
		if d.Labels, ok = c.tokenLabels(); !ok {
			return Description{}, fmt.Errorf("it marks tokens with %d classes: two are known, one of them for what is hallucinated in id2label", len(c.Labels))
		}
		d.Task = TaskNLI
	}
	if d.Task == TaskRerank && len(c.Labels) > 1 {
		if d.Labels, ok = c.nliLabels(); !ok {
			return Description{}, fmt.Errorf("it sorts texts into %d classes: a reranker has one, and an NLI model entailment, neutral and contradiction in id2label", len(c.Labels))
		}
		d.Task = TaskNLI
	}
	var err error
	if d.Languages, err = c.languages(); err != nil {
		return Description{}, err
	}
	if err := d.findTokenizer(); err != nil {
		return Description{}, err
	}
	if err := d.findLimit(c); err != nil {
		return Description{}, err
	}
	if d.Task == TaskEmbed {
		if err := d.sentenceTransformers(); err != nil {
			return Description{}, err
		}
	}
	d.fromCatalogue(name, c.NameOrPath, filepath.Base(dir))
	return d, d.findVariants()
}

// readJSON reads one file of a folder.
func readJSON(dir, name string, into any) error {
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// optional reads a file that need not be there.
func optional(dir, name string, into any) error {
	if err := readJSON(dir, name, into); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// findTokenizer chooses the tokenizer's file.
func (d *Description) findTokenizer() error {
	for _, name := range []string{"tokenizer.json", "sentencepiece.bpe.model", "sentencepiece.model"} {
		path := filepath.Join(d.Dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			d.Tokenizer = path
			break
		}
	}
	if d.Tokenizer == "" {
		return errors.New("neither tokenizer.json nor sentencepiece.bpe.model")
	}
	var wanted struct {
		Lower *bool `json:"do_lower_case"`
	}
	if err := optional(d.Dir, "tokenizer_config.json", &wanted); err != nil {
		return err
	}
	if wanted.Lower == nil || !*wanted.Lower || filepath.Base(d.Tokenizer) != "tokenizer.json" {
		return nil
	}
	var has struct {
		Normalizer struct {
			Type      string `json:"type"`
			Lowercase bool   `json:"lowercase"`
		} `json:"normalizer"`
	}
	if err := readJSON(d.Dir, "tokenizer.json", &has); err != nil {
		return err
	}
	d.Lowercase = has.Normalizer.Type == "BertNormalizer" && !has.Normalizer.Lowercase
	return nil
}

const (
	// defaultLimit is the longest input of a model that does not say.
	defaultLimit = 512
	// noLimit is from where model_max_length means that there is none.
	noLimit = 1_000_000
	// robertaOffset is how many positions XLM-RoBERTa leaves out at the start.
	robertaOffset = 2
)

// findLimit takes the least of what the files allow.
func (d *Description) findLimit(c config) error {
	var sentence struct {
		Max int `json:"max_seq_length"`
	}
	var tokenizer struct {
		Max float64 `json:"model_max_length"`
	}
	if err := errors.Join(optional(d.Dir, "sentence_bert_config.json", &sentence), optional(d.Dir, "tokenizer_config.json", &tokenizer)); err != nil {
		return err
	}
	positions := c.Positions
	if strings.Contains(c.ModelType, "roberta") {
		positions -= robertaOffset
	}
	if tokenizer.Max >= noLimit {
		tokenizer.Max = 0
	}
	for _, n := range []int{positions, int(tokenizer.Max), sentence.Max} {
		if n > 0 && (d.Limit == 0 || n < d.Limit) {
			d.Limit = n
		}
	}
	if d.Limit == 0 {
		d.Limit = defaultLimit
	}
	return nil
}

// sentenceTransformers reads pooling and prompts.
func (d *Description) sentenceTransformers() error {
	var modules []struct{ Type, Path string }
	if err := optional(d.Dir, "modules.json", &modules); err != nil {
		return err
	}
	pooling := "1_Pooling"
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndex(m.Type, ".")+1:]; kind {
		case "Pooling":
			pooling = m.Path
		case "Transformer", "Normalize":
		default:
			return fmt.Errorf("modules.json asks for a module %q", kind)
		}
	}
	if !fs.ValidPath(pooling) {
		return fmt.Errorf("modules.json names the folder %q", pooling)
	}
	var modes map[string]any
	if err := optional(d.Dir, pooling+"/config.json", &modes); err != nil {
		return err
	}
	for mode, on := range modes {
		if on != true {
			continue
		}
		switch mode {
		case "pooling_mode_cls_token":
			d.Pooling = PoolingCLS
		case "pooling_mode_mean_tokens":
			d.Pooling = PoolingMean
		default:
			if strings.HasPrefix(mode, "pooling_mode_") {
				return fmt.Errorf("%s is not supported", mode)
			}
		}
	}
	var prompts struct {
		Prompts map[string]string `json:"prompts"`
	}
	if err := optional(d.Dir, "config_sentence_transformers.json", &prompts); err != nil {
		return err
	}
	d.QueryPrefix = prompts.Prompts["query"]
	for _, key := range []string{"document", "passage"} {
		if p := prompts.Prompts[key]; p != "" {
			d.DocumentPrefix = p
			break
		}
	}
	return nil
}

// fromCatalogue settles what the files left open for a model that is known by
// one of its names.
func (d *Description) fromCatalogue(names ...string) {
	for _, name := range names {
		e, ok := known(name[strings.LastIndexByte(name, '/')+1:])
		if !ok {
			continue
		}
		d.Simplify = e.Simplify
		if len(d.Languages) == 0 {
			d.Languages = e.Languages
		}
		if d.QueryPrefix == "" && d.DocumentPrefix == "" {
			d.QueryPrefix, d.DocumentPrefix = e.QueryPrefix, e.DocumentPrefix
		}
		if d.Pooling == "" {
			d.Pooling = e.Pooling
		}
		break
	}
	if d.Task == TaskEmbed && d.Pooling == "" {
		d.Pooling = PoolingMean // as sentence-transformers does
	}
	if d.Task != TaskEmbed {
		d.Pooling, d.QueryPrefix, d.DocumentPrefix = "", "", ""
	}
}
