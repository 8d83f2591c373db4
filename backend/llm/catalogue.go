package llm

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
	// PurposeDaily answers from documents well enough for daily use.
	PurposeDaily Purpose = "daily"
	// PurposeStrong is for reasoning over several passages, and as a judge.
	PurposeStrong Purpose = "strong"
)

// Offer is a model of the catalogue.
type Offer struct {
	// Name is what is pulled.
	Name string
	// Asset names the file of build/assets.lock that it can be imported from instead;
	// empty for none.
	Asset string
	// Bytes is about the size of the download.
	Bytes int64
	// CacheBytes is what a token of the window takes in memory: two vectors of two
	// bytes a value for each layer and key-value head.
	CacheBytes int64
	// Context is the longest window it was made for, in tokens.
	Context int
	// Languages are those it writes well.
	Languages []string
	Licence   string
	Purpose   Purpose
}

// Offers lists the catalogue, by size. Sizes are those of the registry's four-bit
// versions, and of sixteen bits for SmolLM2; shapes are those of the published
// configurations.
func Offers() []Offer {
	zh, en := []string{"zh", "en"}, []string{"en"}
	const mb, gb = 1_000_000, 1_000_000_000
	return []Offer{
		{"smollm2-135m-instruct", "smollm2-135m-instruct-q4_1.gguf", 98 * mb, kv(30, 3, 64), 8192, en, "Apache-2.0", PurposeTry},
		{"gemma-3-270m-base", "gemma-3-270m-q4_k_m.gguf", 253 * mb, kv(18, 1, 256), 32768, zh, "Gemma", PurposeContinue},
		{"smollm2:360m", "", 726 * mb, kv(32, 5, 64), 8192, en, "Apache-2.0", PurposeTry},
		{"qwen2.5:0.5b", "", 398 * mb, kv(24, 2, 64), 32768, zh, "Apache-2.0", PurposeSmall},
		{"qwen3:0.6b", "", 523 * mb, kv(28, 8, 128), 40960, zh, "Apache-2.0", PurposeSmall},
		{"gemma3:1b", "", 815 * mb, kv(26, 1, 256), 32768, zh, "Gemma", PurposeSmall},
		{"qwen2.5:1.5b", "", 986 * mb, kv(28, 2, 128), 32768, zh, "Apache-2.0", PurposeDaily},
		{"llama3.2:1b", "", 1300 * mb, kv(16, 8, 64), 131072, en, "Llama-3.2", PurposeSmall},
		{"qwen3:1.7b", "", 1400 * mb, kv(28, 8, 128), 40960, zh, "Apache-2.0", PurposeDaily},
		{"llama3.2:3b", "", 2 * gb, kv(28, 8, 128), 131072, en, "Llama-3.2", PurposeDaily},
		{"phi4-mini:3.8b", "", 2500 * mb, kv(32, 8, 128), 131072, en, "MIT", PurposeDaily},
		{"qwen3:4b", "", 2600 * mb, kv(36, 8, 128), 40960, zh, "Apache-2.0", PurposeStrong},
		{"gemma3:4b", "", 3300 * mb, kv(34, 4, 256), 131072, zh, "Gemma", PurposeStrong},
		{"qwen2.5:7b", "", 4700 * mb, kv(28, 4, 128), 32768, zh, "Apache-2.0", PurposeStrong},
		{"qwen3:8b", "", 5200 * mb, kv(36, 8, 128), 40960, zh, "Apache-2.0", PurposeStrong},
	}
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
