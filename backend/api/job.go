package api

import "ragdesk/backend/runs"

// DemoRequest builds the built-in libraries.
type DemoRequest struct{}

// ListJobsRequest asks for all running jobs.
type ListJobsRequest struct{}

// JobList has jobs in the order of their start.
type JobList struct {
	Jobs []Job `json:"jobs"`
}

// JobRequest names a job.
type JobRequest struct {
	ID string `json:"id"`
}

// Job is a snapshot of long work.
type Job struct {
	ID string `json:"id"`
	// Kind is ingest, import, demo, eval, detect, mark, probe, rescore, tune, reindex, words, ask, compare, backup, restore,
	// or of models pull, install, verify or measure.
	Kind string `json:"kind" tstype:"'ingest' | 'import' | 'demo' | 'eval' | 'detect' | 'mark' | 'probe' | 'rescore' | 'tune' | 'reindex' | 'words' | 'ask' | 'compare' | 'backup' | 'restore' | 'pull' | 'install' | 'verify' | 'measure'"`
	// State is running, done, failed or cancelled.
	State string `json:"state" tstype:"'running' | 'done' | 'failed' | 'cancelled'"`
	// Stage names what is being done; Done of Total units, Total 0 if unknown.
	Stage string `json:"stage"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
	// SecondsLeft is an estimate, null while there is none.
	SecondsLeft *float64 `json:"seconds_left"`
	// Text is what a language model has written so far, of ask, and of compare in the
	// first column without an answer.
	Text string `json:"text"`
	// Report is the result of a finished or cancelled ingest, import or reindex.
	Report *IngestReport `json:"report"`
	// Live is what an evaluation has shown so far, by the questions that all runs have
	// answered; null in progress events and at the end.
	Live *runs.Live `json:"live"`
	// Eval is the result of a finished evaluation.
	Eval *EvalReport `json:"eval"`
	// Tune is the result of a finished choice of fusion.
	Tune *TuneReport `json:"tune"`
	// Answer is the result of a finished ask, Comparison that of compare. One that runs,
	// or was broken off, has what there is so far: what was found, and in a comparison the
	// answers that are whole, null where there is none yet. Progress events are without.
	Answer     *AskResponse     `json:"answer"`
	Comparison *CompareResponse `json:"comparison"`
	// Judged is the result of a finished detect job.
	Judged *VerifyReport `json:"judged"`
	// Marked is the result of a finished mark job, Probed that of probe, Rescored that
	// of rescore.
	Marked   *MarkReport    `json:"marked"`
	Probed   *ProbeReport   `json:"probed"`
	Rescored *RescoreReport `json:"rescored"`
	// Model is the result of a finished pull or import of a model, Verified that of
	// verify, Speed that of measure.
	Model    *Model             `json:"model"`
	Verified *ModelVerification `json:"verified"`
	Speed    *RerankerSpeed     `json:"speed"`
	// Words is the result of a change of words.
	Words *Words `json:"words"`
	// Exported is the result of a finished backup, Restored that of restore.
	Exported *BundleExport `json:"exported"`
	Restored *BundleImport `json:"restored"`
	Error    *ErrorBody    `json:"error"`
}

// Event is news of a job.
type Event struct {
	Seq int64 `json:"seq"`
	// Kind is progress, item or end.
	Kind string `json:"kind" tstype:"'progress' | 'item' | 'end'"`
	Job  Job    `json:"job"`
	// Item is the finished file of an item event; null where the job has more of its
	// result.
	Item *DocumentStatus `json:"item"`
}
