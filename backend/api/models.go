package api

// ListModelsRequest asks for the models there are.
type ListModelsRequest struct{}

// ModelList lists the program's own models, the installed ones, and those of the
// catalogue that can be installed.
type ModelList struct {
	Models []Model `json:"models"`
	// Folder is where models are installed.
	Folder string `json:"folder"`
	// Hub is where a pull goes: the public hub, or the mirror of RAGDESK_MIRROR.
	Hub string `json:"hub"`
	// DefaultEmbedder is the embedder of a library that names none, DefaultReranker
	// the reranker of a search that names none.
	DefaultEmbedder string `json:"default_embedder"`
	DefaultReranker string `json:"default_reranker"`
	// DefaultModel is what answers a question that names no model: the first installed
	// language model that the catalogue marks as capable, else "extractive".
	DefaultModel string `json:"default_model"`
	// ChatError says why the language models of a host cannot be listed; null when
	// they are.
	ChatError *ErrorBody `json:"chat_error"`
}

// Model is a model that is installed or can be.
type Model struct {
	// Name is what --embedder, --reranker, --model and models pull take.
	Name string `json:"name"`
	Kind string `json:"kind" tstype:"'embedder' | 'reranker' | 'chat'"`
	// Bundled models are part of the program, and so always installed.
	Bundled   bool `json:"bundled"`
	Installed bool `json:"installed"`
	// Languages are "zh", "en" or "multi"; empty when nothing is known.
	Languages []string `json:"languages"`
	// About says in the caller's language what the model is good for.
	About string `json:"about"`
	// Bytes is the size of what is installed, or about that of the download.
	Bytes int64 `json:"bytes"`
	// Licence is empty where it is not known.
	Licence string `json:"licence"`
	// Precisions are the installed ones, the default first, or those offered; of a
	// chat model its one quantisation, such as "Q4_K_M".
	Precisions []string `json:"precisions"`
	// Dim is the dimension of an embedder's vectors and Limit the longest input in
	// tokens, of a chat model its longest window; null where they are not known before
	// the model is installed.
	Dim   *int `json:"dim"`
	Limit *int `json:"limit"`
	// Source is "hub:HOST/OWNER/REPO@REVISION" or "import:NAME"; null unless
	// installed by the user.
	Source *string `json:"source"`
	// Path is the folder of an installed model; null for others.
	Path *string `json:"path"`
	// Command installs the model; null where it is installed.
	Command *string `json:"command"`
	// Host is where an installed chat model is; null for others.
	Host *string `json:"host" tstype:"'configured' | 'ollama' | 'builtin' | null"`
	// Memory is about what the model takes in bytes, a chat model with a window of 8192
	// tokens, null where it is not known; Fit is whether this machine has that free now.
	Memory *int64  `json:"memory"`
	Fit    *string `json:"fit" tstype:"'good' | 'tight' | 'none' | 'unknown' | null"`
	// Demonstration marks a chat model that is too small for its answers to be trusted.
	Demonstration bool `json:"demonstration"`
	// Error says why an installed model cannot be used.
	Error *ErrorBody `json:"error"`
}

// PullModelRequest downloads a model: from the hub, or, a chat model, by the host of
// language models. It is the one operation that goes out, and only when the user asks.
type PullModelRequest struct {
	// Name is one of the catalogue, or OWNER/NAME of the hub; a chat model beyond the
	// catalogue is named with its tag, NAME:TAG, or with its registry, HOST/OWNER/NAME.
	Name string `json:"name"`
	// Mirror is the address of a mirror; empty means RAGDESK_MIRROR or the hub. Chat
	// models take none.
	Mirror string `json:"mirror"`
	// Precision is int8, fp32, fp16 or q4; empty means the recommended one. Chat models
	// take none: it is part of their tag.
	Precision string `json:"precision"`
}

// ImportModelRequest installs a model from a folder, a bundle or a GGUF file.
type ImportModelRequest struct {
	Path string `json:"path"`
	// Name is what the model is called; empty means as its folder.
	Name string `json:"name"`
}

// ModelRequest names an installed model.
type ModelRequest struct {
	Name string `json:"name"`
}

// RemovedModel says what was deleted.
type RemovedModel struct {
	Removed string `json:"removed"`
	Bytes   int64  `json:"bytes"`
	// KBs are the knowledge bases that were indexed with it and cannot be searched
	// by meaning until it is back or they are indexed anew.
	KBs []string `json:"kbs"`
}

// ModelVerification is the result of a verify job.
type ModelVerification struct {
	// OK is false when a model is damaged.
	OK     bool            `json:"ok"`
	Models []VerifiedModel `json:"models"`
}

// VerifiedModel is a model whose files were hashed; Error says what is wrong.
type VerifiedModel struct {
	Name  string     `json:"name"`
	Files int        `json:"files"`
	Bytes int64      `json:"bytes"`
	Error *ErrorBody `json:"error"`
}

// MeasureRerankerRequest asks what a cross-encoder costs on this machine.
type MeasureRerankerRequest struct {
	// Reranker is its name; empty means the default cross-encoder.
	Reranker string `json:"reranker"`
	// Depth is how many passages a query reranks; 0 means 20.
	Depth int `json:"depth"`
}

// RerankerSpeed is the result of a measure job.
type RerankerSpeed struct {
	Reranker    string `json:"reranker"`
	Fingerprint string `json:"fingerprint"`
	// Tokens is the length of the measured pairs of query and passage, Pairs their
	// number.
	Tokens int `json:"tokens"`
	Pairs  int `json:"pairs"`
	// MSPerPair is milliseconds a pair when many are scored at once.
	MSPerPair float64 `json:"ms_per_pair"`
	Depth     int     `json:"depth"`
	// SecondsPerQuery is Depth times that, in seconds.
	SecondsPerQuery float64 `json:"seconds_per_query"`
}

// ReindexRequest indexes a knowledge base anew with another embedder or chunker.
// The old index serves until the new one is complete.
type ReindexRequest struct {
	KB string `json:"kb"`
	// Embedder, Chunker, ChunkSize and ChunkOverlap are those of the new index; empty
	// or null means as it is.
	Embedder     string `json:"embedder"`
	Chunker      string `json:"chunker"`
	ChunkSize    *int   `json:"chunk_size"`
	ChunkOverlap *int   `json:"chunk_overlap"`
}
