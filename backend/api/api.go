// Package api is the contract of ragdesk: the one Service that the desktop
// window, the page and the command line call, its requests and responses, its
// events and its error body.
//
// The JSON of a response is the JSON every entrance prints; docs/formats.md has
// a page and a golden file for each. Spans here count Unicode code points. Keys
// are always present and null where they do not apply, which is why optional
// values are pointers without omitempty.
package api

// ErrorBody is an error as every entrance shows it.
type ErrorBody struct {
	Code string `json:"code"`
	// Message is in the caller's language and names the next step.
	Message string            `json:"message"`
	Params  map[string]string `json:"params"`
}

// ErrorResponse is what is printed instead of a response.
type ErrorResponse struct {
	Error ErrorBody `json:"error"`
}

// Span is a half-open range of Unicode code points of a document's text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Notice is a warning: a stable code and a detail without language.
type Notice struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// UploadedFile says where a file lies that was sent over HTTP: PUT
// /api/files/FOLDER/PATH keeps one in the workspace, for StartIngest to read.
type UploadedFile struct {
	// Path is empty where nothing was kept: another file has that name, of other content.
	Path string `json:"path"`
	// Free is the name that such a file could have beside the other, else empty.
	Free string `json:"free"`
}

// InfoRequest asks what this program is.
type InfoRequest struct{}

// Info describes the program and what a first screen needs.
type Info struct {
	Version   string `json:"version"`
	Workspace string `json:"workspace"`
	// Strategies are the names that retrieval accepts.
	Strategies []string `json:"strategies"`
	// Rerankers are the names that --reranker accepts.
	Rerankers []string         `json:"rerankers"`
	Samples   []SampleQuestion `json:"samples"`
	Embedder  string           `json:"embedder"`
}

// SampleQuestion is a question that a built-in library answers.
type SampleQuestion struct {
	KB       string `json:"kb"`
	Language string `json:"lang"`
	Question string `json:"question"`
}

// DoctorRequest asks for a check of machine, assets and libraries.
type DoctorRequest struct{}

// DoctorReport lists checks; OK is false when one failed.
type DoctorReport struct {
	OK     bool          `json:"ok"`
	Checks []DoctorCheck `json:"checks"`
}

// DoctorCheck is one thing looked at. Status is ok, warning or failed; Error
// tells what to do about a check that is not ok.
type DoctorCheck struct {
	Name   string     `json:"name"`
	Status string     `json:"status" tstype:"'ok' | 'warning' | 'failed'"`
	Detail string     `json:"detail"`
	Error  *ErrorBody `json:"error"`
}
