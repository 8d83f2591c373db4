package api

import "ragdesk/backend/runs"

// EvalRequest evaluates strategies on a dataset. With Config the file says
// everything and only Out may be set beside it.
type EvalRequest struct {
	// Config is the path of an eval_config.yaml.
	Config string `json:"config"`
	KB     string `json:"kb"`
	// Dataset is a name, or a path when it has a separator or an extension.
	Dataset    string    `json:"dataset"`
	Strategies []string  `json:"strategies"`
	Retrieval  Retrieval `json:"retrieval"`
	// Metrics are names such as "nDCG@10"; empty means the defaults.
	Metrics []string `json:"metrics"`
	// Gain of nDCG, exp or linear; empty means exp.
	Gain string `json:"gain"`
	// Relevance is contains, overlaps or document; Unit is chunk or gold.
	Relevance string `json:"relevance"`
	Unit      string `json:"unit"`
	// Baseline names a strategy, Primary a metric; empty means the first strategy
	// and nDCG@10.
	Baseline string `json:"baseline"`
	Primary  string `json:"primary"`
	Seed     uint64 `json:"seed"`
	// Model answers the questions where a metric is of answers; empty means quotes from
	// the passages. Detector names who judges the answers, as in VerifyRequest: the first
	// for the metrics. JudgeModel is the language model of an "llm" that names none, and the
	// one whose marks the rubric_… metrics are. Fresh
	// leaves the judge's earlier replies aside.
	Model      string `json:"model"`
	Detector   string `json:"detector"`
	JudgeModel string `json:"judge_model"`
	Fresh      bool   `json:"fresh"`
	// Out is a folder for the report in every format; empty means none.
	Out string `json:"out"`
}

// EvalEstimate is what an evaluation would take. Seconds is all of it, measured on a few
// of the questions.
type EvalEstimate struct {
	Questions int     `json:"questions"`
	Searches  int     `json:"searches"`
	Seconds   float64 `json:"seconds"`
	// Finished searches are in the journal of an interrupted evaluation.
	Finished int `json:"finished"`
	// Answers and Judging are null where nothing is answered.
	Answers *CallEstimate `json:"answers"`
	Judging *CallEstimate `json:"judging"`
}

// CallEstimate is what answering, or judging, takes.
type CallEstimate struct {
	// By is the model or the detector.
	By string `json:"by"`
	// Calls of a language model, Kept of which earlier replies are kept: about as many,
	// by a sample.
	Calls int `json:"calls"`
	Kept  int `json:"kept"`
	// Seconds leaves kept calls out; SecondsPerCall is the model's speed, 0 without one.
	Seconds        float64 `json:"seconds"`
	SecondsPerCall float64 `json:"seconds_per_call"`
}

// EvalReport is the result of an eval job.
type EvalReport struct {
	runs.Experiment `tstype:",extends,required"`
	KB              string `json:"kb"`
	// Files are the paths that were written.
	Files []string `json:"files"`
}

// ScoreRequest scores a TREC run against qrels.
type ScoreRequest struct {
	Qrels   string   `json:"qrels"`
	Run     string   `json:"run"`
	Metrics []string `json:"metrics"`
	// Dialect is trec, ranx or rag, or that of another program, as in
	// measure.Dialects; empty means trec.
	Dialect string `json:"dialect"`
	// Gain of nDCG, exp or linear; empty means the dialect's.
	Gain     string `json:"gain"`
	PerQuery bool   `json:"per_query"`
}

// ScoreResponse has a value a metric, null where it has none.
type ScoreResponse struct {
	Metrics  map[string]*float64            `json:"metrics"`
	PerQuery map[string]map[string]*float64 `json:"per_query"`
}

// DatasetFileRequest names a file of questions and what to do with it.
type DatasetFileRequest struct {
	File string `json:"file"`
	// Name is the dataset's name in the workspace, for an import.
	Name string `json:"name"`
	// KB is the knowledge base that gold is looked up in; empty means none.
	KB string `json:"kb"`
	// Columns maps a field to the column or key of the file that has it, as in
	// DatasetPreview; null goes by the names and their synonyms.
	Columns map[string]string `json:"columns" tstype:"{ [key: string]: string } | null"`
}

// DatasetPreview is how a file of questions begins, and what its columns could be.
type DatasetPreview struct {
	// Format is json, csv, tsv or trec; the last has no columns.
	Format  string     `json:"format"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	// Fields are what a column can be mapped to; Suggested maps a field to a column.
	Fields    []string          `json:"fields"`
	Suggested map[string]string `json:"suggested" tstype:"{ [key: string]: string }"`
	// Sample are the first questions as they are read with the request's columns.
	Sample []Question `json:"sample"`
	// Problems are what an import with these columns would be refused for.
	Problems []Problem `json:"problems"`
	// Notices are what is to be known of the file, such as the encoding it was read in.
	Notices []Problem `json:"notices"`
}

// Problem is something wrong with a line of a dataset.
type Problem struct {
	// Line is from 1; 0 concerns the whole.
	Line   int    `json:"line"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// DatasetReport is what a look at a file of questions found.
type DatasetReport struct {
	Questions int            `json:"questions"`
	Problems  []Problem      `json:"problems"`
	Notices   []Problem      `json:"notices"`
	Types     map[string]int `json:"types"`
	// Valid is false where an evaluation would be refused.
	Valid bool `json:"valid"`
	// Name and Version are those of an imported dataset, else empty and 0.
	Name    string `json:"name"`
	Version int    `json:"version"`
}

// ListDatasetsRequest asks for the datasets of the workspace.
type ListDatasetsRequest struct{}

// DatasetList lists datasets by name, the newest version of each.
type DatasetList struct {
	Datasets []DatasetInfo `json:"datasets"`
}

// DatasetInfo is a dataset without its questions.
type DatasetInfo struct {
	Name      string `json:"name"`
	Version   int    `json:"version"`
	Questions int    `json:"questions"`
	Hash      string `json:"hash"`
}

// DatasetRequest names a dataset of the workspace.
type DatasetRequest struct {
	Name string `json:"name"`
}

// DatasetContent is a dataset as JSON Lines.
type DatasetContent struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// QuestionsRequest names a dataset and, for a check of its labels, a knowledge
// base; KB may be empty.
type QuestionsRequest struct {
	Name string `json:"name"`
	KB   string `json:"kb"`
}

// QuestionList is a dataset with its questions in order. Lines of problems and
// notices are places in the list, from 1.
type QuestionList struct {
	Name      string         `json:"name"`
	Version   int            `json:"version"`
	Questions []Question     `json:"questions"`
	Problems  []Problem      `json:"problems"`
	Notices   []Problem      `json:"notices"`
	Types     map[string]int `json:"types"`
}

// Question is one question of a dataset; its keys are those of the dataset's file.
type Question struct {
	QueryID   string   `json:"query_id"`
	Question  string   `json:"question"`
	Type      string   `json:"type"`
	Lang      string   `json:"lang"`
	VariantOf *string  `json:"variant_of"`
	Answers   []string `json:"answers"`
	KeyPoints []string `json:"key_points"`
	Gold      []Gold   `json:"gold"`
	// Source tells where the question came from, such as log or generated.
	Source string `json:"source"`
}

// Gold is a labelled passage. Quote is null for a whole document, Start and End
// count code points of the document's text and are null where they were not given.
type Gold struct {
	Doc   string  `json:"doc"`
	Quote *string `json:"quote"`
	Start *int    `json:"start"`
	End   *int    `json:"end"`
	Grade int     `json:"grade"`
	// State is where the label was found in the library that was named; null without
	// one. Only bound and moved ones are measured by.
	State *string `json:"state" tstype:"'bound' | 'moved' | 'stale' | 'not_indexed' | 'ambiguous' | 'quote_not_found' | 'offsets_disagree' | null"`
}

// LabelRequest says how far a passage answers a question of a dataset. A dataset
// and a question that are not there are made.
type LabelRequest struct {
	Dataset string `json:"dataset"`
	// QueryID finds the question; when it is empty, Question does. With both the question
	// takes the text of Question.
	QueryID  string `json:"query_id"`
	Question string `json:"question"`
	// Type is given to the question; empty leaves it as it is.
	Type string `json:"type"`
	KB   string `json:"kb"`
	// Doc is a document by id, source or unique ending; Span is in its text.
	Doc  string `json:"doc"`
	Span Span   `json:"span"`
	// Grade is 2 for an answer, 1 for background, 0 for neither; null takes the
	// label away, and with the last one a question that has no answer.
	Grade *int `json:"grade"`
	// Replace is the place, from 0, in the question's gold of a label that this one
	// takes the place of, as of a stale one; without a grade it is taken away, wherever
	// it lies. Null replaces the label of the same passage alone.
	Replace *int `json:"replace"`
}

// LabelResult is the new version of the dataset; Question is null when it went.
type LabelResult struct {
	Dataset   string    `json:"dataset"`
	Version   int       `json:"version"`
	Questions int       `json:"questions"`
	Question  *Question `json:"question"`
}

// SplitDatasetRequest divides a dataset; the parts become datasets of their own.
type SplitDatasetRequest struct {
	Name string `json:"name"`
	// Parts maps a part's name to its share.
	Parts map[string]float64 `json:"parts"`
	Seed  uint64             `json:"seed"`
	// Documents keeps questions about one document together.
	Documents bool `json:"documents"`
}

// SampleDatasetRequest draws questions; the sample becomes a dataset "NAME-N".
type SampleDatasetRequest struct {
	Name string `json:"name"`
	// N is how many; 0 means 200, or all of a smaller dataset.
	N    int    `json:"n"`
	Seed uint64 `json:"seed"`
}

// LeakCheckRequest compares questions with the wording of their gold.
type LeakCheckRequest struct {
	Name string `json:"name"`
	KB   string `json:"kb"`
}

// LeakReport lists how far each question repeats its passage.
type LeakReport struct {
	Verbatim    int    `json:"verbatim"`
	Paraphrased int    `json:"paraphrased"`
	Questions   []Leak `json:"questions"`
}

// Leak is how far one question repeats the wording of its gold, 0 to 1.
type Leak struct {
	QueryID  string  `json:"query_id"`
	Overlap  float64 `json:"overlap"`
	Verbatim bool    `json:"verbatim"`
}

// ListRunsRequest asks for the stored runs.
type ListRunsRequest struct{}

// RunList lists runs, the newest first.
type RunList struct {
	Runs []RunInfo `json:"runs"`
	// Broken names folders that look like runs and cannot be read.
	Broken []string `json:"broken"`
}

// RunInfo is a run without its records.
type RunInfo struct {
	runs.Run `tstype:",extends,required"`
	Scores   runs.Scores `json:"scores"`
	// Note is what a person wrote of the run; empty without.
	Note string `json:"note"`
}

// NoteRunRequest writes what a person has to say of a run, in the place of what was
// there; an empty Text takes it away.
type NoteRunRequest struct {
	Run  string `json:"run"`
	Text string `json:"text"`
}

// RunNote is the note of a run; empty without.
type RunNote struct {
	RunID string `json:"run_id"`
	Note  string `json:"note"`
}

// RunsRequest names stored runs by id, a unique beginning of it, or a folder.
type RunsRequest struct {
	Runs    []string `json:"runs"`
	Metrics []string `json:"metrics"`
}

// RunRequest names a stored run by id, a unique beginning of it, or a folder.
type RunRequest struct {
	Run string `json:"run"`
}

// RunQuestions is a run with what it returned for each question.
type RunQuestions struct {
	Run     runs.Run      `json:"run"`
	Records []runs.Record `json:"records"`
}

// ExportRunRequest names a run and a format: trec, qrels, json, csv, summary,
// html, markdown or junit.
type ExportRunRequest struct {
	Run string `json:"run"`
	// With are further runs to compare with it, Run being the baseline; trec and qrels
	// take none.
	With   []string `json:"with"`
	Format string   `json:"format"`
}

// RunExport is a run in another format.
type RunExport struct {
	Content string `json:"content"`
}

// SelftestRequest asks for the golden metric vectors to be computed again.
type SelftestRequest struct{}

// SelftestReport lists them; OK is false when one differs.
type SelftestReport struct {
	OK      bool             `json:"ok"`
	Vectors []SelftestVector `json:"vectors"`
}

// SelftestVector is one golden value.
type SelftestVector struct {
	Name string  `json:"name"`
	Want float64 `json:"want"`
	Got  float64 `json:"got"`
	OK   bool    `json:"ok"`
}
