package api

// DemoRequest builds the built-in libraries.
type DemoRequest struct{}

// JobRequest names a job.
type JobRequest struct {
	ID string `json:"id"`
}

// Job is a snapshot of long work.
type Job struct {
	ID string `json:"id"`
	// Kind is ingest, import, demo or eval.
	Kind string `json:"kind" tstype:"'ingest' | 'import' | 'demo'"`
	// State is running, done, failed or cancelled.
	State string `json:"state" tstype:"'running' | 'done' | 'failed' | 'cancelled'"`
	// Stage names what is being done; Done of Total units, Total 0 if unknown.
	Stage string `json:"stage"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
	// SecondsLeft is an estimate, null while there is none.
	SecondsLeft *float64 `json:"seconds_left"`
	// Report is the result of a finished or cancelled ingest or import.
	Report *IngestReport `json:"report"`
	// Eval is the result of a finished evaluation.
	Eval  *EvalReport `json:"eval"`
	Error *ErrorBody  `json:"error"`
}

// Event is news of a job.
type Event struct {
	Seq int64 `json:"seq"`
	// Kind is progress, item or end.
	Kind string `json:"kind" tstype:"'progress' | 'item' | 'end'"`
	Job  Job    `json:"job"`
	// Item is the finished file of an item event.
	Item *DocumentStatus `json:"item"`
}
