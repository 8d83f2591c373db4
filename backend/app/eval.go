package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/dataset"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/job"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/runstore"
)

// evaluated is the result of an eval job.
type evaluated struct{ report api.EvalReport }

// evaluation is what an eval request or a config file asks for.
type evaluation struct {
	library, dataset evaluate.Ref
	model            string
	reindex          bool
	entries          []evaluate.Entry
	metrics          []string
	gain             measure.Gain
	relevance        dataset.Relevance
	baseline         string
	primary          string
	seed             uint64
	output, out      string
	// answers is the model that answers, empty for quotes; by are who judges.
	answers string
	by      detecting
	// lang is the language of the reports in out.
	lang string
}

// StartEval evaluates strategies on a dataset.
func (s *Service) StartEval(ctx context.Context, r api.EvalRequest) (api.Job, error) {
	plan, err := s.plan(ctx, r)
	if err != nil {
		return api.Job{}, err
	}
	plan.lang = i18n.Language(ctx)
	if err := checkOut(plan.out); err != nil {
		return api.Job{}, err
	}
	if _, err := s.openShelf(ctx); err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("eval", func(ctx context.Context, progress *job.Reporter) (any, error) {
		report, err := s.evaluate(ctx, plan, progress)
		if err != nil {
			return nil, err
		}
		return evaluated{report}, nil
	})
	return jobSnapshot("", snap), nil
}

// plan reads a request; what is wrong with it shows before any work.
func (s *Service) plan(ctx context.Context, r api.EvalRequest) (evaluation, error) {
	if r.Config != "" {
		return s.configPlan(ctx, r)
	}
	if r.KB == "" {
		return evaluation{}, fault.New("argument_missing", fault.P("argument", "--kb"))
	}
	if r.Dataset == "" {
		return evaluation{}, fault.New("argument_missing", fault.P("argument", "--dataset"))
	}
	e := evaluation{
		library: evaluate.Ref{Value: r.KB}, dataset: evaluate.Ref{Value: r.Dataset, IsPath: IsPath(r.Dataset)},
		metrics: r.Metrics, baseline: r.Baseline, primary: r.Primary, seed: r.Seed, out: r.Out, answers: r.Model,
		by: detecting{r.Detector, r.JudgeModel, r.Fresh},
	}
	strategies := r.Strategies
	if len(strategies) == 0 {
		strategies = []string{"vector", "bm25", "hybrid", defaultStrategy}
	}
	pipelines, err := sidePipelines(s.resolver(ctx, r.KB), strategies, r.Retrieval)
	if err != nil {
		return evaluation{}, err
	}
	for _, p := range pipelines {
		e.entries = append(e.entries, evaluate.Entry{Pipeline: p})
	}
	if r.Gain != "" {
		if e.gain, err = measure.ParseGain(r.Gain); err != nil {
			return evaluation{}, err
		}
	}
	if e.relevance, err = dataset.ParseRelevance(r.Relevance, r.Unit); err != nil {
		return evaluation{}, err
	}
	return e, evaluate.CheckMetrics(r.Metrics)
}

// checkOut refuses a folder for reports that is a file, before hours of work end in it: the
// fault "out_is_file" {path}.
func checkOut(out string) error {
	if info, err := os.Stat(out); out != "" && err == nil && !info.IsDir() {
		return fault.New("out_is_file", fault.P("path", out))
	}
	return nil
}

func (s *Service) configPlan(ctx context.Context, r api.EvalRequest) (evaluation, error) {
	c, err := evaluate.ReadConfig(r.Config)
	if err != nil {
		return evaluation{}, err
	}
	e := evaluation{
		library: c.Library, dataset: c.Dataset, reindex: c.Reindex, metrics: c.Metrics, gain: c.Gain,
		baseline: c.Baseline, primary: c.Primary, seed: c.Seed, output: c.Output, out: r.Out,
		answers: c.Answers, by: detecting{names: c.Detector, model: c.Judge},
	}
	if e.relevance, err = dataset.ParseRelevance(c.Relevance, c.Unit); err != nil {
		return evaluation{}, err
	}
	kb := ""
	if !c.Library.IsPath {
		kb = c.Library.Value
	}
	find := s.resolver(ctx, kb)
	for _, ret := range c.Retrievers {
		if ret.Model != "" && e.model != "" && ret.Model != e.model {
			return evaluation{}, fault.New("models_differ", fault.P("a", e.model), fault.P("b", ret.Model))
		}
		e.model = cmp.Or(e.model, ret.Model)
		p, err := retrieverPipeline(find, ret)
		if err != nil {
			return evaluation{}, err
		}
		e.entries = append(e.entries, evaluate.Entry{Name: ret.Name, Pipeline: p})
	}
	return e, evaluate.CheckMetrics(c.Metrics)
}

func retrieverPipeline(find resolver, ret evaluate.Retriever) (rag.Pipeline, error) {
	thresholds := map[string]float64{}
	for stage, v := range ret.Thresholds {
		thresholds[string(stage)] = v
	}
	settings := api.Retrieval{TopK: ret.TopK, Candidates: ret.Candidates, RerankDepth: ret.RerankDepth,
		Fusion: ret.Fusion, Reranker: ret.Reranker, Thresholds: thresholds}
	p, err := pipeline(find, ret.Strategy, settings)
	if err != nil {
		return rag.Pipeline{}, err
	}
	set(&p.RRFK, ret.RRFK)
	if ret.Alpha != nil {
		if !usesAlpha(p, ret.Fusion) {
			return rag.Pipeline{}, rag.Unfit("alpha", *ret.Alpha)
		}
		p.Alpha = *ret.Alpha
	}
	return p, p.Validate()
}

// evaluate runs a plan.
func (s *Service) evaluate(ctx context.Context, plan evaluation, progress rag.Progress) (api.EvalReport, error) {
	ds, found, err := s.readDataset(ctx, plan.dataset.Value)
	if err != nil {
		return api.EvalReport{}, err
	}
	// What is wrong with the questions themselves shows before any embedding.
	if err := dataset.Refuse(plan.dataset.Value, dataset.Blocking(found)); err != nil {
		return api.EvalReport{}, err
	}
	lib, err := s.evalLibrary(ctx, plan, progress)
	if err != nil {
		return api.EvalReport{}, err
	}
	if err := s.refuseEmptyFilters(ctx, plan, lib); err != nil {
		return api.EvalReport{}, err
	}
	b, err := s.bind(ctx, plan.dataset.Value, ds, found, lib)
	if err != nil {
		return api.EvalReport{}, err
	}
	if err := s.rememberBindings(ctx, b, lib); err != nil {
		return api.EvalReport{}, err
	}
	setup, err := s.setup(ctx, plan, b, lib)
	if err != nil {
		return api.EvalReport{}, err
	}
	if watched, ok := progress.(interface{ Show(any) }); ok {
		setup.Live = func(l runs.Live) { watched.Show(l) }
	}
	exp, err := s.runSetup(ctx, setup, progress)
	if err != nil {
		return api.EvalReport{}, err
	}
	if err := s.calibrate(ctx, &exp); err != nil {
		return api.EvalReport{}, err
	}
	report := api.EvalReport{Experiment: exp, KB: lib.Name, Files: []string{}}
	report.Files, err = writeReports(exp, plan.output, plan.out, plan.lang)
	return report, err
}

// runSetup evaluates with a journal, so that an interrupted evaluation goes on
// where it stopped, and stores the runs.
func (s *Service) runSetup(ctx context.Context, setup evaluate.Setup, progress rag.Progress) (runs.Experiment, error) {
	key, err := setup.Key()
	if err != nil {
		return runs.Experiment{}, err
	}
	rs := s.runs()
	journal, err := rs.Journal(key)
	if err != nil {
		return runs.Experiment{}, err
	}
	setup.Journal = journal
	exp, err := evaluate.Run(ctx, setup, progress)
	if err != nil {
		_ = journal.Close() // what it holds is kept for the next try
		return runs.Experiment{}, err
	}
	for _, r := range exp.Runs {
		if err := rs.Save(r.Stored, r.Scores); err != nil {
			return runs.Experiment{}, err
		}
	}
	return exp, journal.Remove()
}

func (s *Service) runs() *runstore.Store {
	return runstore.Open(filepath.Join(s.cfg.Workspace, "runs"))
}

// setup prepares an evaluation of bound questions.
func (s *Service) setup(ctx context.Context, plan evaluation, b bound, lib rag.Library) (evaluate.Setup, error) {
	own, err := pipeline(s.resolver(ctx, lib.Name), defaultStrategy, api.Retrieval{})
	if err != nil {
		return evaluate.Setup{}, err
	}
	content, err := s.contentHash(ctx, lib)
	if err != nil {
		return evaluate.Setup{}, err
	}
	j := judge{make([]dataset.Judgment, len(b.Questions))}
	questions := make([]evaluate.Question, len(b.Questions))
	clusters := b.Clusters()
	members := map[string]int{}
	for _, c := range clusters {
		members[c]++
	}
	for i, q := range b.Questions {
		j.judgments[i] = b.corpus.Judge(b.bindings[i], plan.relevance)
		questions[i] = evaluate.Question{
			ID: q.ID, Text: q.Text, Type: q.Type, Lang: q.Language(), Answerable: q.HasGold(),
			Stale: j.judgments[i].Cause == dataset.CauseStale, Expected: expected(q), Answers: q.Answers, KeyPoints: q.KeyPoints,
		}
		if members[clusters[i]] > 1 {
			questions[i].Cluster = clusters[i]
		}
	}
	answers, err := s.evalAnswerer(ctx, lib, plan)
	if err != nil {
		return evaluate.Setup{}, err
	}
	return evaluate.Setup{
		Answerer: answers, Answering: answers.answering(), Questions: questions, Entries: plan.entries, Judge: j, Searcher: searcher{s, lib.Name},
		Metrics: plan.metrics, Gain: plan.gain, Baseline: plan.baseline, Primary: plan.primary, Seed: plan.seed, Own: &own,
		Library: runs.Library{KB: lib.Name, Fingerprint: lib.Fingerprint(), Revision: lib.Revision, Documents: lib.Documents,
			Content: content, Chunks: lib.Chunks, Chunker: lib.Chunker, ChunkSize: lib.ChunkSize, ChunkOverlap: lib.ChunkOverlap, Embedder: lib.Embedder},
		Dataset:   runs.Dataset{Name: b.Name, Ref: plan.dataset.Value, Hash: b.Hash(), Questions: len(b.Questions)},
		Relevance: string(cmp.Or(plan.relevance.Rule, dataset.RuleContains)), Unit: string(cmp.Or(plan.relevance.Unit, dataset.UnitChunk)),
		Program: runs.Program{Version: Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()},
		Now:     time.Now().UTC(),
	}, nil
}

func expected(q dataset.Question) []runs.Expected {
	out := []runs.Expected{}
	for _, g := range q.Gold {
		if g.Grade > dataset.GradeNone {
			out = append(out, runs.Expected{Doc: g.Doc, Quote: g.Quote})
		}
	}
	return out
}

// contentHash names what the library's documents say, however they are cut.
func (s *Service) contentHash(ctx context.Context, lib rag.Library) (string, error) {
	rows, err := s.store.Documents(ctx, lib)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(rows))
	for i, d := range rows {
		lines[i] = d.Source + "\x00" + d.ContentHash + "\n"
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, l := range lines {
		h.Write([]byte(l))
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// judge is dataset's judgments as evaluate's port.
type judge struct{ judgments []dataset.Judgment }

// Ranking implements evaluate.Judge.
func (j judge) Ranking(question int, ids []rag.ChunkID) (measure.Ranking, error) {
	return j.judgments[question].Ranking(ids), nil
}

// Gold implements evaluate.Judge.
func (j judge) Gold(question int) (evaluate.Gold, error) {
	g := evaluate.Gold{}
	for _, r := range j.judgments[question].Relevant() {
		g.Relevant = append(g.Relevant, runs.Relevant{ID: r.ID, Grade: r.Grade})
	}
	switch j.judgments[question].Cause {
	case dataset.CauseNotIndexed:
		g.Unreachable = runs.NotIndexed
	case dataset.CauseSplit:
		g.Unreachable = runs.SplitByChunking
	case dataset.CauseNoGold, dataset.CauseStale:
	}
	return g, nil
}

// searcher is the one retrieval function as evaluate's port.
type searcher struct {
	service *Service
	kb      string
}

// Search implements evaluate.Searcher.
func (s searcher) Search(ctx context.Context, p rag.Pipeline, query string) (evaluate.Result, error) {
	f, err := s.service.find(ctx, s.kb, p, query, false)
	if err != nil {
		return evaluate.Result{}, err
	}
	took := f.Took
	took[runs.Total] = f.took()
	return evaluate.Result{Hits: f.Hits, Dropped: f.Dropped, Took: took, Fingerprint: f.fingerprint}, nil
}

// refuseEmptyFilters reports a pipeline whose filter no chunk passes, with code
// "filter_passes_nothing" {strategy, documents}: all its measures would be 0, and say
// nothing. Of what a filter names and no document has it tells once, however many
// strategies name it.
func (s *Service) refuseEmptyFilters(ctx context.Context, plan evaluation, lib rag.Library) error {
	told := map[rag.Notice]bool{}
	for _, entry := range plan.entries {
		warnings, err := s.filtered(ctx, lib, entry.Pipeline.Filter)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(warnings, func(n rag.Notice) bool { return n.Code == codePassesNothing }) {
			return fault.New(codePassesNothing, fault.P("strategy", entry.Pipeline.Strategy), fault.P("documents", lib.Documents))
		}
		for _, n := range warnings {
			if !told[n] {
				told[n] = true
				s.cfg.Notify(n.Code, fault.P("detail", n.Detail))
			}
		}
	}
	return nil
}

// evalLibrary returns the library of a plan: a knowledge base by name, or one
// made of the chunk list or folder that the plan names, kept for the next time.
func (s *Service) evalLibrary(ctx context.Context, plan evaluation, progress rag.Progress) (rag.Library, error) {
	want := cut{embedder: plan.model}
	if !plan.library.IsPath {
		lib, err := s.library(ctx, plan.library.Value)
		if err != nil {
			return rag.Library{}, err
		}
		if slices.Contains(strings.Split(lib.Embedder, "+"), plan.model) {
			want.embedder = "" // one of the library's own
		}
		err = s.checkSettings(ctx, lib, want)
		if fault.Is(err, "embedder_mismatch") && plan.reindex {
			return s.reembedded(ctx, lib, plan.model, progress)
		}
		return lib, err
	}
	path, err := filepath.Abs(plan.library.Value)
	if err != nil {
		return rag.Library{}, fmt.Errorf("find %s: %w", plan.library.Value, err)
	}
	sum := sha256.Sum256([]byte(path))
	name := fmt.Sprintf("%s #%s", filepath.Base(path), hex.EncodeToString(sum[:4]))
	ingestion, err := pathIngestion(path)
	if err != nil {
		return rag.Library{}, err
	}
	report, err := s.write(ctx, "eval", name, want, progress, ingestion)
	if fault.Is(err, "embedder_mismatch") && plan.reindex {
		if _, err := s.RemoveKB(ctx, api.RemoveKBRequest{KB: name}); err != nil {
			return rag.Library{}, err
		}
		report, err = s.write(ctx, "eval", name, want, progress, ingestion)
	}
	if err != nil {
		return rag.Library{}, err
	}
	for _, o := range report.Outcomes {
		if o.Err != nil { // an evaluation over a part of the documents would mislead
			return rag.Library{}, fmt.Errorf("ingest %s: %w", o.Source, o.Err)
		}
	}
	return report.Library, nil
}
