package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// maxConfigBytes bounds a config file.
const maxConfigBytes = 1 << 20

// Ref names a dataset or a library, by path or by name.
type Ref struct {
	// Value is a cleaned path when IsPath, else a name.
	Value  string
	IsPath bool
}

// Config is an evaluation as eval_config.yaml describes it. Every path in it is
// resolved against the file's folder.
type Config struct {
	// File is the config file itself.
	File       string
	Dataset    Ref
	Library    Ref
	Retrievers []Retriever
	// Metrics are names as typed; nil when the file names none.
	Metrics []string
	// Output is the path of the flat report; empty for none.
	Output string
	// Reindex allows a library to be built again for another embedder.
	Reindex bool
	// Relevance and Unit are those of package runs.
	Relevance, Unit   string
	Gain              measure.Gain
	Baseline, Primary string
	Seed              uint64
	// Answers is the language model that answers, empty for quotes; Detector who judges,
	// several with commas between; Judge the language model that judges where a detector or a
	// metric asks one. Empty means the default.
	Answers, Detector, Judge string
}

// Retriever is a strategy with what differs from it; nil means the strategy's own
// value.
type Retriever struct {
	// Name is what reports call it; empty means Strategy.
	Name string
	// Strategy is a name that rag.ParseStrategy reads, or "@" and a resolved path.
	Strategy string
	// Model is the embedder that the library must have; empty means any.
	Model string
	// Reranker is a reranker's name, nil when the strategy decides.
	Reranker    *string
	TopK        *int
	Candidates  *int
	RerankDepth *int
	Fusion      *string
	Alpha       *float64
	RRFK        *int
	Thresholds  map[rag.Stage]float64
}

// configFile is the file's own shape.
type configFile struct {
	DatasetPath   string          `yaml:"dataset_path"`
	KnowledgeBase string          `yaml:"knowledge_base"`
	Retriever     *retrieverFile  `yaml:"retriever"`
	Retrievers    []retrieverFile `yaml:"retrievers"`
	Metrics       names           `yaml:"metrics"`
	Output        string          `yaml:"output"`
	Reindex       bool            `yaml:"reindex"`
	Relevance     string          `yaml:"relevance"`
	Unit          string          `yaml:"unit"`
	Gain          string          `yaml:"gain"`
	Baseline      string          `yaml:"baseline"`
	Primary       string          `yaml:"primary"`
	Seed          uint64          `yaml:"seed"`
	AnswerModel   string          `yaml:"answer_model"`
	Detector      names           `yaml:"detector"`
	JudgeModel    string          `yaml:"judge_model"`
}

type retrieverFile struct {
	Type        string             `yaml:"type"`
	Name        string             `yaml:"name"`
	Model       string             `yaml:"model"`
	TopK        *int               `yaml:"top_k"`
	Rerank      *rerankChoice      `yaml:"rerank"`
	RerankDepth *int               `yaml:"rerank_depth"`
	Candidates  *int               `yaml:"candidates"`
	Fusion      *string            `yaml:"fusion"`
	Alpha       *float64           `yaml:"alpha"`
	RRFK        *int               `yaml:"rrf_k"`
	Thresholds  map[string]float64 `yaml:"thresholds"`
}

// rerankChoice reads true, false or the name of a reranker.
type rerankChoice string

// UnmarshalYAML implements yaml.Unmarshaler.
func (r *rerankChoice) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: rerank is true, false or a name", n.Line)
	}
	*r = rerankChoice(n.Value)
	switch {
	case n.Tag == "!!bool" && strings.EqualFold(n.Value, "true"):
		*r = rag.RerankDefault
	case n.Tag == "!!bool", n.Tag == "!!null":
		*r = rag.RerankNone
	}
	return nil
}

// names reads a list, or one string with commas.
type names []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (m *names) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(m))
	}
	for _, name := range strings.Split(n.Value, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*m = append(*m, name)
		}
	}
	return nil
}

// ReadConfig reads a config file. The faults are "not_found" and "unreadable" with
// the path, those of ParseConfig, of measure.Parse, of rag.ParseStrategy, and
// "run_name_twice" and "baseline_unknown".
func ReadConfig(path string) (Config, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, fault.Wrap(err, "not_found", fault.P("path", path))
	}
	if err != nil {
		return Config{}, fault.Wrap(err, "unreadable", fault.P("path", path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	raw, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err != nil {
		return Config{}, fault.Wrap(err, "unreadable", fault.P("path", path))
	}
	return ParseConfig(raw, path)
}

// ParseConfig reads the content of a config file that lies at path. Its own faults
// all name the file: "config_invalid" for what is no YAML of this shape, with line (0
// when it is not known) and detail; "config_key_unknown", with line and key;
// "config_key_missing"; "config_keys_both", for two keys that exclude each other;
// "config_value", with key, value and what is known.
func ParseConfig(raw []byte, path string) (Config, error) {
	if len(raw) > maxConfigBytes {
		return Config{}, fault.New("config_invalid", fault.P("file", path), fault.P("line", 0), fault.P("detail", fmt.Sprintf("> %d bytes", maxConfigBytes)))
	}
	var y configFile
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&y); err != nil && !errors.Is(err, io.EOF) {
		return Config{}, yamlFault(path, err)
	}
	c := Config{
		File: path, Reindex: y.Reindex, Baseline: y.Baseline, Primary: y.Primary, Seed: y.Seed, Metrics: y.Metrics,
		Answers: strings.TrimSpace(y.AnswerModel), Detector: strings.Join(y.Detector, ","), Judge: strings.TrimSpace(y.JudgeModel),
		Dataset: refOf(y.DatasetPath, path), Library: refOf(y.KnowledgeBase, path), Output: resolve(y.Output, path),
	}
	if err := c.fill(y); err != nil {
		return Config{}, err
	}
	return c, nil
}

// yamlPlace is how the YAML library names a place.
var yamlPlace = regexp.MustCompile(`line (\d+): (.*)`)

// unknownField is how it names a key that the file's shape does not have.
var unknownField = regexp.MustCompile(`^field (\S+) not found in type \S+$`)

func yamlFault(path string, err error) error {
	said := err.Error()
	var several *yaml.TypeError
	if errors.As(err, &several) && len(several.Errors) > 0 {
		said = several.Errors[0]
	}
	file := fault.P("file", path)
	m := yamlPlace.FindStringSubmatch(said)
	if m == nil {
		return fault.Wrap(err, "config_invalid", file, fault.P("line", 0), fault.P("detail", strings.TrimPrefix(said, "yaml: ")))
	}
	line := fault.P("line", m[1])
	if key := unknownField.FindStringSubmatch(m[2]); key != nil {
		return fault.Wrap(err, "config_key_unknown", file, line, fault.P("key", key[1]))
	}
	return fault.Wrap(err, "config_invalid", file, line, fault.P("detail", m[2]))
}

// fill checks and completes what the shape of the file does not.
func (c *Config) fill(y configFile) error {
	missing := func(key string) error {
		return fault.New("config_key_missing", fault.P("file", c.File), fault.P("key", key))
	}
	if c.Dataset.Value == "" {
		return missing("dataset_path")
	}
	if c.Library.Value == "" {
		return missing("knowledge_base")
	}
	var err error
	c.Relevance, err = c.choice("relevance", y.Relevance, runs.RelevanceContains, runs.RelevanceOverlaps, runs.RelevanceDocument)
	if err != nil {
		return err
	}
	if c.Unit, err = c.choice("unit", y.Unit, runs.UnitChunk, runs.UnitGold); err != nil {
		return err
	}
	if y.Gain != "" {
		if c.Gain, err = measure.ParseGain(y.Gain); err != nil {
			return err
		}
	}
	if err := CheckMetrics(c.Metrics); err != nil {
		return err
	}
	switch {
	case y.Retriever == nil && len(y.Retrievers) == 0:
		return missing("retriever")
	case y.Retriever != nil && len(y.Retrievers) > 0:
		return fault.New("config_keys_both", fault.P("file", c.File), fault.P("a", "retriever"), fault.P("b", "retrievers"))
	case y.Retriever != nil:
		y.Retrievers = []retrieverFile{*y.Retriever}
	}
	return c.fillRetrievers(y.Retrievers)
}

// choice returns one of several values, the first when none is given.
func (c *Config) choice(key, value string, known ...string) (string, error) {
	if value == "" {
		return known[0], nil
	}
	if !slices.Contains(known, value) {
		return "", configValue(c.File, key, value, known)
	}
	return value, nil
}

func configValue(path, key string, value any, known []string) error {
	return fault.New("config_value", fault.P("file", path), fault.P("key", key), fault.P("value", value),
		fault.P("known", strings.Join(known, ", ")))
}

func (c *Config) fillRetrievers(all []retrieverFile) error {
	seen := make([]string, len(all))
	for i, y := range all {
		r, err := y.retriever(c.File)
		if err != nil {
			return err
		}
		seen[i] = r.Name
		c.Retrievers = append(c.Retrievers, r)
	}
	_, err := baselineOf(seen, c.Baseline)
	return err
}

// retriever checks one retriever. "rerank" adds reranking to a strategy that has
// none.
func (y retrieverFile) retriever(path string) (Retriever, error) {
	r := Retriever{
		Name: y.Name, Strategy: strings.TrimSpace(y.Type), Model: y.Model, TopK: y.TopK, Candidates: y.Candidates,
		RerankDepth: y.RerankDepth, Fusion: y.Fusion, Alpha: y.Alpha, RRFK: y.RRFK,
	}
	if y.Rerank != nil {
		name := string(*y.Rerank)
		r.Reranker = &name
	}
	if file, isFile := strings.CutPrefix(r.Strategy, "@"); isFile {
		r.Strategy = "@" + resolve(file, path)
	} else {
		p, err := rag.ParseStrategy(r.Strategy)
		if err != nil {
			return Retriever{}, err
		}
		switch {
		case r.Reranker == nil:
		case *r.Reranker == rag.RerankNone:
			r.Strategy = strings.TrimSuffix(r.Strategy, "+rerank")
		case p.Reranker == rag.RerankNone:
			r.Strategy += "+rerank"
		}
	}
	for _, stage := range slices.Sorted(maps.Keys(y.Thresholds)) {
		v := y.Thresholds[stage]
		if !slices.Contains(rag.Stages(), rag.Stage(stage)) || math.IsNaN(v) || math.IsInf(v, 0) {
			known := []string{}
			for _, s := range rag.Stages() {
				known = append(known, string(s))
			}
			return Retriever{}, configValue(path, "thresholds", fmt.Sprintf("%s: %v", stage, v), known)
		}
		if r.Thresholds == nil {
			r.Thresholds = map[rag.Stage]float64{}
		}
		r.Thresholds[rag.Stage(stage)] = v
	}
	if r.Name == "" {
		r.Name = r.Strategy
	}
	return r, nil
}

// refOf tells a path from a name: a path has a separator or an extension.
func refOf(value, config string) Ref {
	value = strings.TrimSpace(value)
	if strings.ContainsAny(value, `/\`) || filepath.Ext(value) != "" {
		return Ref{Value: resolve(value, config), IsPath: true}
	}
	return Ref{Value: value}
}

// resolve makes a path relative to the folder of the config file; an empty one
// stays empty.
func resolve(path, config string) string {
	path = strings.TrimSpace(path)
	if path == "" {
		return ""
	}
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(config), path)
}
