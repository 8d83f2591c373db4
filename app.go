package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/desktop"
	"ragdesk/backend/i18n"
)

// App is the Service as the desktop window calls it: one method an operation,
// under the context of the window's life, since the window passes none.
type App struct {
	svc api.Service
	// ctx is that of the window; it may be read once started is closed.
	ctx     context.Context //nolint:containedctx // the window gives one context for its whole life and none a call
	started chan struct{}
}

func newApp(svc api.Service) *App { return &App{svc: svc, started: make(chan struct{})} }

// startup takes the window's context. The page may call before it is there.
func (a *App) startup(ctx context.Context) {
	a.ctx = ctx
	close(a.started)
}

func (a *App) context() context.Context {
	<-a.started
	return a.ctx
}

// window opens the desktop window and returns the program's exit code.
func window(page fs.FS) int {
	lang := i18n.FromEnvironment()
	svc, err := app.New(app.Config{LimitMemory: app.MemoryLimiter()})
	if err == nil {
		a := newApp(svc)
		err = errors.Join(desktop.Run(desktop.Config{
			Title: "ragdesk", Page: page, App: a, Startup: a.startup, Events: svc,
			ErrorBody: func(err error) api.ErrorBody { return i18n.ErrorBody(lang, err) },
		}), svc.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, i18n.ErrorBody(lang, err).Message)
		return 1
	}
	return 0
}

// Info describes the program.
func (a *App) Info(r api.InfoRequest) (api.Info, error) { return a.svc.Info(a.context(), r) }

// Doctor checks machine, assets and libraries.
func (a *App) Doctor(r api.DoctorRequest) (api.DoctorReport, error) {
	return a.svc.Doctor(a.context(), r)
}

// ListKBs lists the knowledge bases.
func (a *App) ListKBs(r api.ListKBsRequest) (api.KBList, error) { return a.svc.ListKBs(a.context(), r) }

// RemoveKB deletes a knowledge base.
func (a *App) RemoveKB(r api.RemoveKBRequest) (api.RemovedKB, error) {
	return a.svc.RemoveKB(a.context(), r)
}

// Words lists a knowledge base's own words.
func (a *App) Words(r api.WordsRequest) (api.Words, error) { return a.svc.Words(a.context(), r) }

// StartEditWords changes a knowledge base's own words.
func (a *App) StartEditWords(r api.EditWordsRequest) (api.Job, error) {
	return a.svc.StartEditWords(a.context(), r)
}

// ListDocuments lists the documents of a knowledge base.
func (a *App) ListDocuments(r api.ListDocumentsRequest) (api.DocumentList, error) {
	return a.svc.ListDocuments(a.context(), r)
}

// DocumentText returns a document's text as it was read.
func (a *App) DocumentText(r api.DocumentTextRequest) (api.DocumentText, error) {
	return a.svc.DocumentText(a.context(), r)
}

// RemoveDocuments removes documents from a knowledge base.
func (a *App) RemoveDocuments(r api.RemoveDocumentsRequest) (api.RemovedDocuments, error) {
	return a.svc.RemoveDocuments(a.context(), r)
}

// ExportChunks returns all chunks of a knowledge base.
func (a *App) ExportChunks(r api.ExportChunksRequest) (api.ChunkExport, error) {
	return a.svc.ExportChunks(a.context(), r)
}

// PreviewChunks shows how a file would be cut.
func (a *App) PreviewChunks(r api.PreviewChunksRequest) (api.ChunkPreview, error) {
	return a.svc.PreviewChunks(a.context(), r)
}

// Search runs one strategy.
func (a *App) Search(r api.SearchRequest) (api.SearchResponse, error) {
	return a.svc.Search(a.context(), r)
}

// Compare runs several strategies on one query.
func (a *App) Compare(r api.CompareRequest) (api.CompareResponse, error) {
	return a.svc.Compare(a.context(), r)
}

// Ask answers from a knowledge base.
func (a *App) Ask(r api.AskRequest) (api.AskResponse, error) { return a.svc.Ask(a.context(), r) }

// EngineStatus tells what there is to write answers with.
func (a *App) EngineStatus(r api.EngineStatusRequest) (api.EngineStatus, error) {
	return a.svc.EngineStatus(a.context(), r)
}

// EstimateEval says what an evaluation would take.
func (a *App) EstimateEval(r api.EvalRequest) (api.EvalEstimate, error) {
	return a.svc.EstimateEval(a.context(), r)
}

// StartEval starts an evaluation as a job.
func (a *App) StartEval(r api.EvalRequest) (api.Job, error) {
	return a.svc.StartEval(a.context(), r)
}

// StartTune starts a choice of fusion as a job.
func (a *App) StartTune(r api.TuneRequest) (api.Job, error) {
	return a.svc.StartTune(a.context(), r)
}

// ForgetTuning makes "auto" of a knowledge base the default again.
func (a *App) ForgetTuning(r api.ForgetTuningRequest) (api.ForgottenTuning, error) {
	return a.svc.ForgetTuning(a.context(), r)
}

// StartVerify judges answers against their contexts.
func (a *App) StartVerify(r api.VerifyRequest) (api.Job, error) {
	return a.svc.StartVerify(a.context(), r)
}

// Score scores a TREC run.
func (a *App) Score(r api.ScoreRequest) (api.ScoreResponse, error) {
	return a.svc.Score(a.context(), r)
}

// Selftest computes the golden vectors again.
func (a *App) Selftest(r api.SelftestRequest) (api.SelftestReport, error) {
	return a.svc.Selftest(a.context(), r)
}

// PreviewDataset shows how a file of questions begins.
func (a *App) PreviewDataset(r api.DatasetFileRequest) (api.DatasetPreview, error) {
	return a.svc.PreviewDataset(a.context(), r)
}

// ValidateDataset looks a file of questions over.
func (a *App) ValidateDataset(r api.DatasetFileRequest) (api.DatasetReport, error) {
	return a.svc.ValidateDataset(a.context(), r)
}

// ImportDataset stores a file of questions.
func (a *App) ImportDataset(r api.DatasetFileRequest) (api.DatasetReport, error) {
	return a.svc.ImportDataset(a.context(), r)
}

// ListDatasets lists the datasets.
func (a *App) ListDatasets(r api.ListDatasetsRequest) (api.DatasetList, error) {
	return a.svc.ListDatasets(a.context(), r)
}

// ExportDataset returns a dataset.
func (a *App) ExportDataset(r api.DatasetRequest) (api.DatasetContent, error) {
	return a.svc.ExportDataset(a.context(), r)
}

// ListQuestions lists the questions of a dataset.
func (a *App) ListQuestions(r api.QuestionsRequest) (api.QuestionList, error) {
	return a.svc.ListQuestions(a.context(), r)
}

// LabelPassage writes a judgment into a dataset.
func (a *App) LabelPassage(r api.LabelRequest) (api.LabelResult, error) {
	return a.svc.LabelPassage(a.context(), r)
}

// SplitDataset divides a dataset.
func (a *App) SplitDataset(r api.SplitDatasetRequest) (api.DatasetList, error) {
	return a.svc.SplitDataset(a.context(), r)
}

// SampleDataset draws questions.
func (a *App) SampleDataset(r api.SampleDatasetRequest) (api.DatasetList, error) {
	return a.svc.SampleDataset(a.context(), r)
}

// LeakCheck compares questions with their passages.
func (a *App) LeakCheck(r api.LeakCheckRequest) (api.LeakReport, error) {
	return a.svc.LeakCheck(a.context(), r)
}

// RateAnswer keeps what a person says of an answer.
func (a *App) RateAnswer(r api.RateAnswerRequest) (api.Rating, error) {
	return a.svc.RateAnswer(a.context(), r)
}

// ListRatings lists what people said of answers.
func (a *App) ListRatings(r api.RatingsRequest) (api.RatingList, error) {
	return a.svc.ListRatings(a.context(), r)
}

// ExportRatings gives them as lines of a file.
func (a *App) ExportRatings(r api.RatingsRequest) (api.RatingsExport, error) {
	return a.svc.ExportRatings(a.context(), r)
}

// AddRatedQuestion makes the question of a rated answer one of a dataset.
func (a *App) AddRatedQuestion(r api.AddRatedRequest) (api.LabelResult, error) {
	return a.svc.AddRatedQuestion(a.context(), r)
}

// ListRuns lists the stored runs.
func (a *App) ListRuns(r api.ListRunsRequest) (api.RunList, error) {
	return a.svc.ListRuns(a.context(), r)
}

// CompareRuns compares stored runs.
func (a *App) CompareRuns(r api.RunsRequest) (api.EvalReport, error) {
	return a.svc.CompareRuns(a.context(), r)
}

// RunQuestions returns a run with what it found for each question.
func (a *App) RunQuestions(r api.RunRequest) (api.RunQuestions, error) {
	return a.svc.RunQuestions(a.context(), r)
}

// NoteRun writes a note on a stored run.
func (a *App) NoteRun(r api.NoteRunRequest) (api.RunNote, error) {
	return a.svc.NoteRun(a.context(), r)
}

// ExportRun renders a stored run.
func (a *App) ExportRun(r api.ExportRunRequest) (api.RunExport, error) {
	return a.svc.ExportRun(a.context(), r)
}

// StartIngest adds files and folders as a job.
func (a *App) StartIngest(r api.IngestRequest) (api.Job, error) {
	return a.svc.StartIngest(a.context(), r)
}

// StartImportChunks adds ready-made chunks as a job.
func (a *App) StartImportChunks(r api.ImportChunksRequest) (api.Job, error) {
	return a.svc.StartImportChunks(a.context(), r)
}

// StartDemo builds the built-in libraries as a job.
func (a *App) StartDemo(r api.DemoRequest) (api.Job, error) { return a.svc.StartDemo(a.context(), r) }

// StartReindex indexes a knowledge base anew as a job.
func (a *App) StartReindex(r api.ReindexRequest) (api.Job, error) {
	return a.svc.StartReindex(a.context(), r)
}

// StartExportBundle writes the whole workspace into one file as a job.
func (a *App) StartExportBundle(r api.ExportBundleRequest) (api.Job, error) {
	return a.svc.StartExportBundle(a.context(), r)
}

// StartImportBundle restores a bundle as a job.
func (a *App) StartImportBundle(r api.ImportBundleRequest) (api.Job, error) {
	return a.svc.StartImportBundle(a.context(), r)
}

// InspectBundle says what a bundle holds.
func (a *App) InspectBundle(r api.BundleRequest) (api.BundleInspection, error) {
	return a.svc.InspectBundle(a.context(), r)
}

// ListBundles lists the workspace's own backups.
func (a *App) ListBundles(r api.ListBundlesRequest) (api.BundleList, error) {
	return a.svc.ListBundles(a.context(), r)
}

// RemoveBundle deletes a backup.
func (a *App) RemoveBundle(r api.BundleRequest) (api.RemovedBundle, error) {
	return a.svc.RemoveBundle(a.context(), r)
}

// ListModels lists the models.
func (a *App) ListModels(r api.ListModelsRequest) (api.ModelList, error) {
	return a.svc.ListModels(a.context(), r)
}

// StartPullModel downloads a model as a job.
func (a *App) StartPullModel(r api.PullModelRequest) (api.Job, error) {
	return a.svc.StartPullModel(a.context(), r)
}

// StartImportModel installs a model from a folder or a bundle as a job.
func (a *App) StartImportModel(r api.ImportModelRequest) (api.Job, error) {
	return a.svc.StartImportModel(a.context(), r)
}

// RemoveModel deletes an installed model.
func (a *App) RemoveModel(r api.ModelRequest) (api.RemovedModel, error) {
	return a.svc.RemoveModel(a.context(), r)
}

// StartVerifyModels hashes the files of installed models as a job.
func (a *App) StartVerifyModels(r api.ModelRequest) (api.Job, error) {
	return a.svc.StartVerifyModels(a.context(), r)
}

// StartMeasureReranker measures a cross-encoder as a job.
func (a *App) StartMeasureReranker(r api.MeasureRerankerRequest) (api.Job, error) {
	return a.svc.StartMeasureReranker(a.context(), r)
}

// ListJobs lists the jobs that have not ended.
func (a *App) ListJobs(r api.ListJobsRequest) (api.JobList, error) {
	return a.svc.ListJobs(a.context(), r)
}

// GetJob returns a job's snapshot.
func (a *App) GetJob(r api.JobRequest) (api.Job, error) { return a.svc.GetJob(a.context(), r) }

// CancelJob asks a job to stop.
func (a *App) CancelJob(r api.JobRequest) (api.Job, error) { return a.svc.CancelJob(a.context(), r) }

// StartAsk is Ask as a job.
func (a *App) StartAsk(r api.AskRequest) (api.Job, error) { return a.svc.StartAsk(a.context(), r) }

// StartCompare is Compare as a job.
func (a *App) StartCompare(r api.CompareRequest) (api.Job, error) {
	return a.svc.StartCompare(a.context(), r)
}

// ListPrompts lists the wordings that models are asked with.
func (a *App) ListPrompts(r api.ListPromptsRequest) (api.PromptList, error) {
	return a.svc.ListPrompts(a.context(), r)
}

// EditPrompt puts a wording of the user's in place.
func (a *App) EditPrompt(r api.EditPromptRequest) (api.PromptTemplate, error) {
	return a.svc.EditPrompt(a.context(), r)
}

// ResetPrompt takes a wording of the user's back.
func (a *App) ResetPrompt(r api.PromptRequest) (api.PromptTemplate, error) {
	return a.svc.ResetPrompt(a.context(), r)
}

// ReviewQueue gives claims to label, without verdicts.
func (a *App) ReviewQueue(r api.ReviewQueueRequest) (api.ReviewQueue, error) {
	return a.svc.ReviewQueue(a.context(), r)
}

// LabelClaim keeps what a person says of a claim.
func (a *App) LabelClaim(r api.LabelClaimRequest) (api.LabelClaimResult, error) {
	return a.svc.LabelClaim(a.context(), r)
}

// Labels sums up what people said.
func (a *App) Labels(r api.LabelsRequest) (api.Labels, error) {
	return a.svc.Labels(a.context(), r)
}

// ExportLabels gives claims to label as a file.
func (a *App) ExportLabels(r api.ExportLabelsRequest) (api.LabelsExport, error) {
	return a.svc.ExportLabels(a.context(), r)
}

// ImportLabels reads labels from a file.
func (a *App) ImportLabels(r api.ImportLabelsRequest) (api.ImportedLabels, error) {
	return a.svc.ImportLabels(a.context(), r)
}

// Agreement compares people with a detector or with one another.
func (a *App) Agreement(r api.AgreementRequest) (api.AgreementReport, error) {
	return a.svc.Agreement(a.context(), r)
}

// Disagreements lists the claims on which they differ.
func (a *App) Disagreements(r api.DisagreementsRequest) (api.Disagreements, error) {
	return a.svc.Disagreements(a.context(), r)
}

// StartMark has a language model mark answers as a job.
func (a *App) StartMark(r api.MarkRequest) (api.Job, error) { return a.svc.StartMark(a.context(), r) }

// StartProbe probes a judge for its biases as a job.
func (a *App) StartProbe(r api.ProbeRequest) (api.Job, error) {
	return a.svc.StartProbe(a.context(), r)
}

// StartRescore marks a stored run again as a job.
func (a *App) StartRescore(r api.RescoreRequest) (api.Job, error) {
	return a.svc.StartRescore(a.context(), r)
}
