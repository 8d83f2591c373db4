package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"
)

// Model is an installed model.
type Model struct {
	Name string `json:"name"`
	// Digest is the hexadecimal SHA-256 of the manifest.
	Digest string `json:"digest"`
	// Bytes is the size on disk.
	Bytes    int64     `json:"size"`
	Modified time.Time `json:"modified_at"`
	// Family, Parameters ("134.52M") and Quantization ("Q4_1") are as in the file.
	Family       string `json:"family"`
	Parameters   string `json:"parameters"`
	Quantization string `json:"quantization"`
}

// Details are what a host knows of a model beside that.
type Details struct {
	Model
	// Context is the longest window it was made for, in tokens; 0 unknown.
	Context int
	// Chat reports a chat template.
	Chat bool
	// Thinks reports that it can write thoughts before its reply.
	Thinks bool
	// Embeds reports that it is an embedder and writes nothing.
	Embeds bool
	// Dim is the dimension of its embeddings; 0 unknown.
	Dim int
	// CacheBytes is what a token of the window takes in memory; 0 unknown.
	CacheBytes int64
	// Licence is the first line of its licence, "" for none.
	Licence string
	// Template is the chat template, in Go's template language.
	Template string
}

// Loaded is a model in memory.
type Loaded struct {
	Name, Digest string
	// Memory is what it takes in bytes, GPU that part of it on a graphics card.
	Memory, GPU int64
	Expires     time.Time
}

type wireDetails struct {
	Family            string `json:"family"`
	ParameterSize     string `json:"parameter_size"`
	QuantizationLevel string `json:"quantization_level"`
}

type wireModel struct {
	Name     string      `json:"name"`
	Digest   string      `json:"digest"`
	Size     int64       `json:"size"`
	SizeVRAM int64       `json:"size_vram"`
	Modified time.Time   `json:"modified_at"`
	Expires  time.Time   `json:"expires_at"`
	Details  wireDetails `json:"details"`
}

func (m wireModel) model() Model {
	return Model{
		Name: m.Name, Digest: m.Digest, Bytes: m.Size, Modified: m.Modified, Family: m.Details.Family,
		Parameters: m.Details.ParameterSize, Quantization: m.Details.QuantizationLevel,
	}
}

// List lists the installed models by name.
func (c *Client) List(ctx context.Context) ([]Model, error) {
	var out struct {
		Models []wireModel `json:"models"`
	}
	if err := c.ask(ctx, http.MethodGet, "/api/tags", "", nil, &out); err != nil {
		return nil, err
	}
	models := make([]Model, 0, len(out.Models))
	for _, m := range out.Models {
		models = append(models, m.model())
	}
	sort.Slice(models, func(i, j int) bool { return models[i].Name < models[j].Name })
	return models, nil
}

// Running lists the models in memory.
func (c *Client) Running(ctx context.Context) ([]Loaded, error) {
	var out struct {
		Models []wireModel `json:"models"`
	}
	if err := c.ask(ctx, http.MethodGet, "/api/ps", "", nil, &out); err != nil {
		return nil, err
	}
	loaded := make([]Loaded, 0, len(out.Models))
	for _, m := range out.Models {
		loaded = append(loaded, Loaded{Name: m.Name, Digest: m.Digest, Memory: m.Size, GPU: m.SizeVRAM, Expires: m.Expires})
	}
	sort.Slice(loaded, func(i, j int) bool { return loaded[i].Name < loaded[j].Name })
	return loaded, nil
}

// FullName is a model's name with its tag: "qwen3" is "qwen3:latest".
func FullName(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}

// Find returns the installed model of that name, whose tag may be left out.
func Find(models []Model, name string) (Model, bool) {
	i := slices.IndexFunc(models, func(m Model) bool { return strings.EqualFold(m.Name, FullName(name)) })
	if i < 0 {
		return Model{}, false
	}
	return models[i], true
}

type wireShow struct {
	License      string                     `json:"license"`
	Template     string                     `json:"template"`
	Details      wireDetails                `json:"details"`
	ModelInfo    map[string]json.RawMessage `json:"model_info"`
	Capabilities []string                   `json:"capabilities"`
}

// number is a whole number of the model's file, named without its architecture;
// 0 when there is none.
func (s wireShow) number(key string) int {
	var arch string
	var n int
	if json.Unmarshal(s.ModelInfo["general.architecture"], &arch) != nil ||
		json.Unmarshal(s.ModelInfo[arch+"."+key], &n) != nil {
		return 0
	}
	return n
}

// cacheBytes is the memory of a token in the window, from the model's shape.
func (s wireShow) cacheBytes() int64 {
	heads, dim := s.number("attention.head_count_kv"), s.number("attention.key_length")
	if all := s.number("attention.head_count"); all > 0 {
		if heads == 0 {
			heads = all
		}
		if dim == 0 {
			dim = s.number("embedding_length") / all
		}
	}
	return kv(int64(s.number("block_count")), int64(heads), int64(dim))
}

// Show tells what the host knows of an installed model.
func (c *Client) Show(ctx context.Context, name string) (Details, error) {
	var s wireShow
	if err := c.ask(ctx, http.MethodPost, "/api/show", name, map[string]string{"model": name}, &s); err != nil {
		return Details{}, err
	}
	models, err := c.List(ctx)
	if err != nil {
		return Details{}, err
	}
	m, ok := Find(models, name)
	if !ok { // an abbreviation of the host's own
		m = Model{Name: name, Family: s.Details.Family, Parameters: s.Details.ParameterSize, Quantization: s.Details.QuantizationLevel}
	}
	template := strings.TrimSpace(s.Template)
	licence, _, _ := strings.Cut(strings.TrimSpace(s.License), "\n")
	return Details{
		Model: m, Context: s.number("context_length"), Dim: s.number("embedding_length"),
		// A model without a template is given one that is nothing but the prompt.
		Chat:       template != "" && strings.ReplaceAll(template, " ", "") != "{{.Prompt}}",
		Thinks:     slices.Contains(s.Capabilities, "thinking"),
		Embeds:     slices.Contains(s.Capabilities, "embedding") && !slices.Contains(s.Capabilities, "completion"),
		CacheBytes: s.cacheBytes(),
		// Licences of models are long texts whose first line is their name.
		Licence: strings.TrimSpace(licence), Template: s.Template,
	}, nil
}

// Delete removes an installed model.
func (c *Client) Delete(ctx context.Context, name string) error {
	return c.ask(ctx, http.MethodDelete, "/api/delete", name, map[string]string{"model": name}, nil)
}

// Unload takes a model out of memory.
func (c *Client) Unload(ctx context.Context, name string) error {
	return c.ask(ctx, http.MethodPost, "/api/generate", name, map[string]any{"model": name, "keep_alive": 0}, nil)
}

// Remove deletes the generator's model from its host and returns what it was.
func (g *Generator) Remove(ctx context.Context) (Model, error) {
	d, err := g.details(ctx)
	if err != nil {
		return Model{}, err
	}
	return d.Model, g.client.Delete(ctx, d.Name)
}
