package evaluate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// Question is one question of a dataset.
type Question struct {
	ID   string
	Text string
	// Type and Lang group the questions; either may be empty.
	Type, Lang string
	// Cluster names the group of variants that the question belongs to; empty means
	// that it has none.
	Cluster string
	// Answerable says that the question has gold. Stale says that its gold no
	// longer fits the documents: it is searched and left out of every measure.
	Answerable, Stale bool
	// Expected is the gold as a person reads it.
	Expected []runs.Expected
	// Answers are reference answers, KeyPoints the facts that a good answer states.
	Answers, KeyPoints []string
}

// Result is what a Searcher returns.
type Result struct {
	Hits    []rag.Hit
	Dropped []rag.Dropped
	Took    map[rag.Stage]time.Duration
	// Fingerprint names pipeline, models and indexes. It must not change during an
	// evaluation.
	Fingerprint string
}

// Searcher runs a pipeline on a query; its TopK is the depth of the evaluation.
// It is safe for concurrent use.
type Searcher interface {
	Search(ctx context.Context, p rag.Pipeline, query string) (Result, error)
}

// Judge says what is relevant. Questions are named by their index in
// Setup.Questions. It is safe for concurrent use.
type Judge interface {
	// Ranking judges the chunks retrieved for a question. That of one chunk has one
	// item: the chunk, or what is judged in its place, such as its document; that of
	// none has only what exists to be found.
	Ranking(question int, ids []rag.ChunkID) (measure.Ranking, error)
	// Gold returns all that the library holds for a question.
	Gold(question int) (Gold, error)
}

// Gold is what of a question's gold a library holds.
type Gold struct {
	// Relevant are the items that Ranking can find, with their grades.
	Relevant []runs.Relevant
	// Unreachable is why there are none although the question has gold:
	// runs.NotIndexed or runs.SplitByChunking; empty otherwise.
	Unreachable runs.Cause
}

// Journal keeps finished searches across interruptions. Append is called by one
// goroutine at a time.
type Journal interface {
	// Finished returns what was appended before, in any order.
	Finished(ctx context.Context) ([]runs.Finished, error)
	Append(runs.Finished) error
}

// Entry is a pipeline to evaluate.
type Entry struct {
	// Name is unique in a Setup; empty means Pipeline.Strategy.
	Name     string
	Pipeline rag.Pipeline
}

// Setup is an evaluation.
type Setup struct {
	Questions []Question
	Entries   []Entry
	Searcher  Searcher
	Judge     Judge
	// Answerer is nil when nothing is answered; it is asked only when Metrics has
	// one of answers.
	Answerer Answerer
	// Journal is nil when nothing is to be kept.
	Journal Journal
	// Live is told now and then what there is so far; nil for nobody. It is called by
	// one goroutine at a time.
	Live func(runs.Live)

	// Metrics are names as typed; empty means DefaultMetrics.
	Metrics []string
	// Gain is that of nDCG where a metric leaves it open; the default is
	// exponential.
	Gain measure.Gain
	// Baseline names an entry; empty means the first. Primary names one of Metrics;
	// empty means nDCG@10, else the first nDCG, else the first metric.
	Baseline, Primary string
	Seed              uint64
	// Resamples of bootstrap and permutation; 0 means the default of package stats.
	Resamples int
	// Workers is how many questions are searched at a time; 0 means one a core.
	Workers int
	// Own is the pipeline that searches of the library use, nil when unknown.
	Own *rag.Pipeline

	// The following are kept with the runs.
	Purpose string
	Library runs.Library
	Dataset runs.Dataset
	// Answering is who answers and judges; it is kept where something is answered.
	Answering       *runs.Answering
	Relevance, Unit string
	Program         runs.Program
	// Now is when the evaluation began.
	Now time.Time
}

// Key names what a journal of this Setup holds: two Setups with the same key search
// the same questions with the same pipelines down to the same depth in the same
// library. The error is that of Run.
func (s Setup) Key() (string, error) {
	p, err := s.check()
	if err != nil {
		return "", err
	}
	pipelines := make([]rag.Pipeline, len(p.Entries))
	for i, e := range p.Entries {
		pipelines[i] = e.Pipeline
	}
	answers := ""
	if p.answering() {
		answers = p.Answerer.Fingerprint()
	}
	b, err := json.Marshal([]any{
		answers, p.Questions, pipelines, p.depth, p.Library, p.Relevance, p.Unit, p.Program.Version, runs.Format,
	})
	if err != nil {
		return "", fmt.Errorf("encode the setup: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}

// plan is a Setup that was checked, with what follows from it.
type plan struct {
	Setup
	metrics  []metric
	primary  int
	baseline int
	depth    int
}

// answering reports whether questions are answered.
func (p plan) answering() bool {
	return p.Answerer != nil && slices.ContainsFunc(p.metrics, metric.answers)
}

// check fills in what the setup leaves open. The faults are "eval_empty",
// "run_name_twice", "baseline_unknown", "primary_unknown", those of
// measure.Parse and of rag.Pipeline.Validate.
func (s Setup) check() (plan, error) {
	p := plan{Setup: s}
	if len(s.Questions) == 0 || len(s.Entries) == 0 {
		return plan{}, fault.New("eval_empty", fault.P("questions", len(s.Questions)), fault.P("strategies", len(s.Entries)))
	}
	var err error
	if p.metrics, err = parseMetrics(s.Metrics, s.Gain); err != nil {
		return plan{}, err
	}
	if p.primary, err = primaryOf(p.metrics, s.Primary); err != nil {
		return plan{}, err
	}
	p.Entries = append([]Entry(nil), s.Entries...)
	names := make([]string, len(p.Entries))
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Name == "" {
			e.Name = e.Pipeline.Strategy
		}
		if err := e.Pipeline.Validate(); err != nil {
			return plan{}, fmt.Errorf("strategy %s: %w", e.Name, err)
		}
		names[i] = e.Name
		p.depth = max(p.depth, e.Pipeline.TopK)
	}
	if p.baseline, err = baselineOf(names, s.Baseline); err != nil {
		return plan{}, err
	}
	p.depth = max(p.depth, depthOf(p.metrics))
	if p.Workers <= 0 {
		p.Workers = runtime.NumCPU()
	}
	return p, nil
}

// baselineOf returns the index of the baseline among unique names.
func baselineOf(names []string, baseline string) (int, error) {
	index := make(map[string]int, len(names))
	for i, name := range names {
		if _, twice := index[name]; twice {
			return 0, fault.New("run_name_twice", fault.P("name", name))
		}
		index[name] = i
	}
	if baseline == "" {
		return 0, nil
	}
	i, ok := index[baseline]
	if !ok {
		return 0, fault.New("baseline_unknown", fault.P("baseline", baseline), fault.P("known", strings.Join(names, ", ")))
	}
	return i, nil
}

// run returns the particulars of an entry's run, without fingerprint.
func (p plan) run(entry int) runs.Run {
	e := p.Entries[entry]
	out := runs.Run{
		Format: runs.Format, Name: e.Name, Strategy: e.Pipeline.Strategy, Created: p.Now, Purpose: p.Purpose, Pipeline: e.Pipeline,
		Library: p.Library, Dataset: p.Dataset, Relevance: p.Relevance, Unit: p.Unit, Gain: gainName(p.Gain),
		Metrics: metricNames(p.metrics), Primary: p.metrics[p.primary].name, Depth: p.depth, Seed: p.Seed,
		Program: p.Program,
	}
	if p.answering() {
		out.Answering = p.Answering
	}
	return out
}
