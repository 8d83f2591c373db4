package api

// EngineStatusRequest asks what there is to write answers with.
type EngineStatusRequest struct {
	// Wake starts a built-in engine that does not run, so that it can be asked for
	// its models.
	Wake bool `json:"wake"`
}

// EngineStatus describes the language model host that is used first.
type EngineStatus struct {
	// Source is where the host comes from; none means that answers are quoted from
	// the passages.
	Source string `json:"source" tstype:"'configured' | 'ollama' | 'builtin' | 'none'"`
	// Host is its address; null for an engine that does not run.
	Host *string `json:"host"`
	// Version is the host's own; null unless it runs.
	Version *string `json:"version"`
	// State is stopped for a built-in engine that starts when it is needed.
	State string `json:"state" tstype:"'running' | 'stopped' | 'unreachable' | 'unavailable'"`
	// Remote is true for another machine, where questions and passages go.
	Remote bool          `json:"remote"`
	Models []EngineModel `json:"models"`
	// DefaultModel is what answers a question that names no model.
	DefaultModel string `json:"default_model"`
	// FreeMemory is what this machine has free, in bytes; null when unknown.
	FreeMemory *int64 `json:"free_memory"`
	// Error says why there is no host or why it does not answer, and what to do.
	Error *ErrorBody `json:"error"`
}

// EngineModel is a model installed on a host.
type EngineModel struct {
	Name string `json:"name"`
	// Bytes is its size on disk.
	Bytes int64 `json:"bytes"`
	// Quantization is as in the model's file, such as "Q4_K_M".
	Quantization string `json:"quantization"`
	// Context is the longest window it was made for, in tokens; null when unknown.
	Context *int `json:"context"`
	// Chat is false for a model that only continues text, or only embeds it.
	Chat bool `json:"chat"`
	// Loaded is what it takes of memory now, in bytes; null unless it is loaded.
	Loaded *int64 `json:"loaded"`
	// Memory is about what it takes with a window of 8192 tokens, in bytes.
	Memory int64 `json:"memory"`
	// Demonstration marks a model that is too small for its answers to be trusted.
	Demonstration bool `json:"demonstration"`
}
