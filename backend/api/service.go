package api

import "context"

// Service is the product. Each operation takes a request and returns a complete
// response or a fault. Long work runs as a job: its start returns at once.
type Service interface {
	Info(ctx context.Context, r InfoRequest) (Info, error)
	Doctor(ctx context.Context, r DoctorRequest) (DoctorReport, error)

	ListKBs(ctx context.Context, r ListKBsRequest) (KBList, error)
	RemoveKB(ctx context.Context, r RemoveKBRequest) (RemovedKB, error)
	ListDocuments(ctx context.Context, r ListDocumentsRequest) (DocumentList, error)
	DocumentText(ctx context.Context, r DocumentTextRequest) (DocumentText, error)
	RemoveDocuments(ctx context.Context, r RemoveDocumentsRequest) (RemovedDocuments, error)
	Words(ctx context.Context, r WordsRequest) (Words, error)
	// StartEditWords changes a knowledge base's own words; the job's words are what
	// there is after it.
	StartEditWords(ctx context.Context, r EditWordsRequest) (Job, error)
	ExportChunks(ctx context.Context, r ExportChunksRequest) (ChunkExport, error)
	PreviewChunks(ctx context.Context, r PreviewChunksRequest) (ChunkPreview, error)

	Search(ctx context.Context, r SearchRequest) (SearchResponse, error)
	Compare(ctx context.Context, r CompareRequest) (CompareResponse, error)
	Ask(ctx context.Context, r AskRequest) (AskResponse, error)
	// StartAsk is Ask as a job, StartCompare is Compare: the job's text grows while a
	// model writes, its answer or comparison is the whole. Cancelling stops the model.
	StartAsk(ctx context.Context, r AskRequest) (Job, error)
	StartCompare(ctx context.Context, r CompareRequest) (Job, error)
	// ListPrompts lists the wordings that models are asked with, EditPrompt puts one of
	// the user's in place and ResetPrompt takes it back.
	ListPrompts(ctx context.Context, r ListPromptsRequest) (PromptList, error)
	EditPrompt(ctx context.Context, r EditPromptRequest) (PromptTemplate, error)
	ResetPrompt(ctx context.Context, r PromptRequest) (PromptTemplate, error)
	EngineStatus(ctx context.Context, r EngineStatusRequest) (EngineStatus, error)

	// EstimateEval says what StartEval would take.
	EstimateEval(ctx context.Context, r EvalRequest) (EvalEstimate, error)
	// StartEval evaluates strategies on a dataset; the job's eval is the report.
	StartEval(ctx context.Context, r EvalRequest) (Job, error)
	// StartTune chooses how a knowledge base fuses and reranks; the job's tune is the
	// report.
	StartTune(ctx context.Context, r TuneRequest) (Job, error)
	ForgetTuning(ctx context.Context, r ForgetTuningRequest) (ForgottenTuning, error)
	Score(ctx context.Context, r ScoreRequest) (ScoreResponse, error)
	Selftest(ctx context.Context, r SelftestRequest) (SelftestReport, error)
	// PreviewDataset shows how a file of questions begins, and guesses its columns.
	PreviewDataset(ctx context.Context, r DatasetFileRequest) (DatasetPreview, error)
	ValidateDataset(ctx context.Context, r DatasetFileRequest) (DatasetReport, error)
	ImportDataset(ctx context.Context, r DatasetFileRequest) (DatasetReport, error)
	ListDatasets(ctx context.Context, r ListDatasetsRequest) (DatasetList, error)
	ExportDataset(ctx context.Context, r DatasetRequest) (DatasetContent, error)
	ListQuestions(ctx context.Context, r QuestionsRequest) (QuestionList, error)
	// LabelPassage writes a judgment into a dataset, as a new version of it.
	LabelPassage(ctx context.Context, r LabelRequest) (LabelResult, error)
	SplitDataset(ctx context.Context, r SplitDatasetRequest) (DatasetList, error)
	SampleDataset(ctx context.Context, r SampleDatasetRequest) (DatasetList, error)
	LeakCheck(ctx context.Context, r LeakCheckRequest) (LeakReport, error)
	// StartVerify judges answers against their contexts; the job's judged is the
	// report.
	StartVerify(ctx context.Context, r VerifyRequest) (Job, error)
	// StartMark has a language model mark answers by the rubric; the job's marked is the
	// report. StartProbe probes such a judge for its known biases, StartRescore marks a
	// stored run again by the judge as it is now.
	StartMark(ctx context.Context, r MarkRequest) (Job, error)
	StartProbe(ctx context.Context, r ProbeRequest) (Job, error)
	StartRescore(ctx context.Context, r RescoreRequest) (Job, error)
	// ReviewQueue gives claims to label, blind, and LabelClaim keeps what a person says of
	// one; Labels sums up what there is.
	ReviewQueue(ctx context.Context, r ReviewQueueRequest) (ReviewQueue, error)
	LabelClaim(ctx context.Context, r LabelClaimRequest) (LabelClaimResult, error)
	Labels(ctx context.Context, r LabelsRequest) (Labels, error)
	ExportLabels(ctx context.Context, r ExportLabelsRequest) (LabelsExport, error)
	ImportLabels(ctx context.Context, r ImportLabelsRequest) (ImportedLabels, error)
	// Agreement compares people with a detector or with one another; Disagreements are
	// the claims on which they differ, with both verdicts.
	Agreement(ctx context.Context, r AgreementRequest) (AgreementReport, error)
	Disagreements(ctx context.Context, r DisagreementsRequest) (Disagreements, error)
	// RateAnswer keeps what a person says of an answer, in the place of what was said of it
	// before; ListRatings lists what is kept.
	RateAnswer(ctx context.Context, r RateAnswerRequest) (Rating, error)
	ListRatings(ctx context.Context, r RatingsRequest) (RatingList, error)
	ExportRatings(ctx context.Context, r RatingsRequest) (RatingsExport, error)
	// AddRatedQuestion makes the question of a rated answer one of a dataset.
	AddRatedQuestion(ctx context.Context, r AddRatedRequest) (LabelResult, error)
	ListRuns(ctx context.Context, r ListRunsRequest) (RunList, error)
	CompareRuns(ctx context.Context, r RunsRequest) (EvalReport, error)
	RunQuestions(ctx context.Context, r RunRequest) (RunQuestions, error)
	// NoteRun writes a note on a stored run, which lists, comparisons and exports show.
	NoteRun(ctx context.Context, r NoteRunRequest) (RunNote, error)
	ExportRun(ctx context.Context, r ExportRunRequest) (RunExport, error)

	StartIngest(ctx context.Context, r IngestRequest) (Job, error)
	StartImportChunks(ctx context.Context, r ImportChunksRequest) (Job, error)
	// StartDemo builds the built-in libraries where they are missing or old, and
	// keeps their questions as a dataset.
	StartDemo(ctx context.Context, r DemoRequest) (Job, error)
	// StartReindex indexes a knowledge base anew and then puts it in the old one's
	// place.
	StartReindex(ctx context.Context, r ReindexRequest) (Job, error)

	// StartExportBundle writes the whole workspace into one file; the job's exported is what is
	// in it. StartImportBundle restores one; the job's restored is what was.
	StartExportBundle(ctx context.Context, r ExportBundleRequest) (Job, error)
	StartImportBundle(ctx context.Context, r ImportBundleRequest) (Job, error)
	// InspectBundle says what a bundle holds, and what restoring it would meet here.
	InspectBundle(ctx context.Context, r BundleRequest) (BundleInspection, error)
	// ListBundles lists the backups in the workspace's own folder; RemoveBundle deletes one.
	ListBundles(ctx context.Context, r ListBundlesRequest) (BundleList, error)
	RemoveBundle(ctx context.Context, r BundleRequest) (RemovedBundle, error)

	ListModels(ctx context.Context, r ListModelsRequest) (ModelList, error)
	// StartPullModel downloads a model; the job's model is what was installed. A
	// cancelled or failed download is continued by the next.
	StartPullModel(ctx context.Context, r PullModelRequest) (Job, error)
	StartImportModel(ctx context.Context, r ImportModelRequest) (Job, error)
	RemoveModel(ctx context.Context, r ModelRequest) (RemovedModel, error)
	// StartVerifyModels hashes the files of one installed model, or of all.
	StartVerifyModels(ctx context.Context, r ModelRequest) (Job, error)
	StartMeasureReranker(ctx context.Context, r MeasureRerankerRequest) (Job, error)

	// ListJobs lists the jobs of this process that have not ended, the oldest first.
	ListJobs(ctx context.Context, r ListJobsRequest) (JobList, error)
	GetJob(ctx context.Context, r JobRequest) (Job, error)
	CancelJob(ctx context.Context, r JobRequest) (Job, error)
}

// Events is how an edge follows jobs: send is called in order until ctx ends or
// send fails. Progress is coalesced to at most ten a second and may be dropped;
// finished items and terminal events never are.
type Events interface {
	Subscribe(ctx context.Context, send func(Event) error) error
}
