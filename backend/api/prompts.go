package api

// ListPromptsRequest asks for the templates of prompts.
type ListPromptsRequest struct{}

// PromptList are the templates, by kind and language.
type PromptList struct {
	Prompts []PromptTemplate `json:"prompts"`
}

// PromptTemplate is the wording of a prompt.
type PromptTemplate struct {
	// Name is kind and language, such as "grounded.zh".
	Name string `json:"name"`
	// Kind is grounded, completion (for models without a chat template), condense,
	// multi-query or hyde.
	Kind     string `json:"kind"`
	Language string `json:"lang"`
	// Text is the wording in use, Builtin the program's own.
	Text    string `json:"text"`
	Builtin string `json:"builtin"`
	// Edited reports a wording of the user's.
	Edited bool `json:"edited"`
	// Placeholders must be in the wording, each in braces; {refusal} may be.
	Placeholders []string `json:"placeholders"`
	// Fingerprint changes with the wording.
	Fingerprint string `json:"fingerprint"`
	// Error says why an edited wording cannot be used, Text being the built-in one
	// then; null when it can.
	Error *ErrorBody `json:"error"`
}

// EditPromptRequest puts a wording in place of another.
type EditPromptRequest struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// PromptRequest names a template.
type PromptRequest struct {
	Name string `json:"name"`
}
