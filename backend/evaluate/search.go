package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// StageSearch names the part of Run that Progress counts: one unit a question
// and strategy.
const StageSearch = "evaluate"

// Run searches every question with every entry and assesses what came back.
//
// Questions are searched Workers at a time, and the order of the entries rotates
// from question to question, so that no entry always pays for a cold cache. A
// search that fails is recorded with the code of its fault; when all of them fail,
// Run returns the first one's error. After cancellation the error is ctx.Err() and
// the Journal has what was finished; running the same Setup with it again searches
// only what is missing and gives the same result. A fingerprint that changes on
// the way is the fault "library_changed".
func Run(ctx context.Context, s Setup, progress rag.Progress) (runs.Experiment, error) {
	p, err := s.check()
	if err != nil {
		return runs.Experiment{}, err
	}
	found := &outcomes{plan: p, done: make([][]*runs.Finished, len(p.Entries)), prints: make([]string, len(p.Entries))}
	for i := range found.done {
		found.done[i] = make([]*runs.Finished, len(p.Questions))
	}
	found.live = newLive(&found.plan)
	if err := found.load(ctx); err != nil {
		return runs.Experiment{}, err
	}
	if err := found.searchAll(ctx, progress); err != nil {
		return runs.Experiment{}, err
	}
	found.live.tell()
	if err := found.failure(); err != nil {
		return runs.Experiment{}, err
	}
	return assess(ctx, found.stored(), p.options())
}

// outcomes collects the searches of a plan.
type outcomes struct {
	plan

	mu sync.Mutex
	// done is by entry and question.
	done   [][]*runs.Finished
	prints []string
	live   *live
	// first is the first search that failed, in the order of the clock; it is shown
	// only when every search failed.
	first error
}

// load takes over what the journal has.
func (o *outcomes) load(ctx context.Context) error {
	if o.Journal == nil {
		return nil
	}
	finished, err := o.Journal.Finished(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	for i := range finished {
		f := &finished[i]
		if f.Entry < 0 || f.Entry >= len(o.Entries) || f.Question < 0 || f.Question >= len(o.Questions) {
			return fault.New("journal_mismatch")
		}
		if q := o.Questions[f.Question]; valid(q.ID) != f.Record.QueryID || valid(q.Text) != f.Record.Query {
			return fault.New("journal_mismatch")
		}
		if err := o.keepFingerprint(f.Entry, f.Fingerprint); err != nil {
			return err
		}
		if o.done[f.Entry][f.Question] != nil {
			continue // the journal has it twice
		}
		o.done[f.Entry][f.Question] = f
		if err := o.live.finished(f.Question, o.done); err != nil {
			return err
		}
	}
	o.live.tell()
	return nil
}

// searchAll runs what is not done yet.
func (o *outcomes) searchAll(ctx context.Context, progress rag.Progress) error {
	progress.Stage(StageSearch, len(o.Entries)*len(o.Questions))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers)
schedule:
	for q := range o.Questions {
		for i := range o.Entries {
			entry := (q + i) % len(o.Entries)
			if o.done[entry][q] != nil {
				progress.Add(1)
				continue
			}
			if gctx.Err() != nil {
				break schedule
			}
			g.Go(func() error {
				if err := o.searchOne(gctx, entry, q); err != nil {
					return err
				}
				progress.Add(1)
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// searchOne searches and judges one question under one entry.
func (o *outcomes) searchOne(ctx context.Context, entry, question int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p := o.Entries[entry].Pipeline
	p.TopK = max(p.TopK, o.depth)
	start := time.Now()
	res, searchErr := o.Searcher.Search(ctx, p, o.Questions[question].Text)
	took := time.Since(start)
	if searchErr != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	record, err := o.judged(question, res, searchErr)
	if err != nil {
		return fmt.Errorf("judge question %q: %w", o.Questions[question].ID, err)
	}
	if searchErr == nil && o.answering() {
		if record, err = o.answered(ctx, entry, question, res, record); err != nil {
			return err
		}
	}
	f := &runs.Finished{Entry: entry, Question: question, Fingerprint: res.Fingerprint, Record: record}
	if searchErr == nil {
		f.MS = map[string]float64{runs.Total: milliseconds(took)}
		for stage, d := range res.Took {
			f.MS[string(stage)] = milliseconds(d)
		}
	}
	return o.keep(f, searchErr)
}

// answered adds the answer from the hits that the pipeline itself would list.
func (o *outcomes) answered(ctx context.Context, entry, question int, res Result, r runs.Record) (runs.Record, error) {
	q := o.Questions[question]
	hits := res.Hits[:min(len(res.Hits), o.Entries[entry].Pipeline.TopK)]
	a, err := o.Answerer.Answer(ctx, q, hits)
	if err != nil {
		return runs.Record{}, fmt.Errorf("answer question %q: %w", q.ID, err)
	}
	if a.Error == nil {
		a.Reference = reference(q, a.Text)
		if !a.Abstained {
			a.Style = styleOf(q, a.Text)
		}
	}
	r.Answer = &a
	return throughJSON(r)
}

// keep stores an outcome, in the journal too.
func (o *outcomes) keep(f *runs.Finished, searchErr error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if searchErr != nil && o.first == nil {
		o.first = searchErr
	}
	if searchErr == nil {
		if err := o.keepFingerprint(f.Entry, f.Fingerprint); err != nil {
			return err
		}
	}
	if o.Journal != nil {
		if err := o.Journal.Append(*f); err != nil {
			return fmt.Errorf("append to the journal: %w", err)
		}
	}
	o.done[f.Entry][f.Question] = f
	return o.live.finished(f.Question, o.done)
}

// keepFingerprint remembers an entry's first fingerprint and refuses another.
func (o *outcomes) keepFingerprint(entry int, fingerprint string) error {
	switch known := o.prints[entry]; {
	case fingerprint == "" || fingerprint == known:
		return nil
	case known == "":
		o.prints[entry] = fingerprint
		return nil
	}
	return fault.New("library_changed", fault.P("kb", o.Library.KB), fault.P("name", o.Entries[entry].Name))
}

// failure returns the first error when not one search worked. A journal has only
// the code of an error; its fault stands for it then.
func (o *outcomes) failure() error {
	var recorded *runs.Failure
	for _, entry := range o.done {
		for _, f := range entry {
			if f.Record.Error == nil {
				return nil
			}
			recorded = f.Record.Error
		}
	}
	if o.first != nil {
		return fmt.Errorf("search %d questions: %w", len(o.Questions), o.first)
	}
	return &fault.Error{Code: recorded.Code, Params: recorded.Params}
}

// stored returns the runs with their records in the order of the questions.
func (o *outcomes) stored() []runs.Stored {
	out := make([]runs.Stored, len(o.Entries))
	for i := range o.Entries {
		out[i] = runs.Stored{Run: o.run(i), Records: make([]runs.Record, len(o.Questions))}
		out[i].Fingerprint = o.prints[i]
		out[i].Timing.Workers = o.Workers
		out[i].ID = runs.NewID(out[i].Run)
		for q, f := range o.done[i] {
			out[i].Records[q] = f.Record
			if f.MS != nil {
				out[i].Timing.Queries = append(out[i].Timing.Queries, runs.QueryTiming{QueryID: f.Record.QueryID, MS: f.MS})
			}
		}
	}
	return out
}

// judged makes the record of a question from its search, without what assess adds.
func (o *outcomes) judged(question int, res Result, searchErr error) (runs.Record, error) {
	q := o.Questions[question]
	gold, err := o.Judge.Gold(question)
	if err != nil {
		return runs.Record{}, err
	}
	hits := res.Hits[:min(len(res.Hits), o.depth)]
	ranking, err := o.Judge.Ranking(question, nil)
	if err != nil {
		return runs.Record{}, err
	}
	r := runs.Record{
		QueryID: valid(q.ID), Query: valid(q.Text), Type: q.Type, Lang: q.Lang, Cluster: q.Cluster,
		Answerable: q.Answerable, Stale: q.Stale, Expected: list(q.Expected),
		Retrieved: make([]runs.Retrieved, len(hits)), Dropped: []runs.Dropped{},
		Ideal: list(ranking.Ideal), ByUnit: ranking.ByUnit,
		// A question with gold counts, whatever the library holds of it.
		HasGold:  ranking.HasGold || q.Answerable && !q.Stale,
		Relevant: list(gold.Relevant), Error: failureOf(searchErr),
	}
	if r.Cluster == "" {
		r.Cluster = q.ID
	}
	if gold.Unreachable != "" {
		r.Unreachable = &gold.Unreachable
	}
	for i, h := range hits {
		item, err := o.item(question, h.Chunk.ID)
		if err != nil {
			return runs.Record{}, err
		}
		r.Retrieved[i] = retrieved(i+1, h, item)
	}
	if r.Dropped, err = o.relevantDropped(question, res.Dropped); err != nil {
		return runs.Record{}, err
	}
	// A ranking that measure refuses must not reach a journal.
	if _, err = measure.Judge(r.Ranking(0)); err != nil {
		return runs.Record{}, err
	}
	return throughJSON(r)
}

// throughJSON makes a record what it would be after a journal, so that bytes which
// are no UTF-8 come out the same with and without an interruption.
func throughJSON(r runs.Record) (runs.Record, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return runs.Record{}, err
	}
	var out runs.Record
	err = json.Unmarshal(b, &out)
	return out, err
}

// item judges one chunk.
func (o *outcomes) item(question int, id rag.ChunkID) (measure.Item, error) {
	ranking, err := o.Judge.Ranking(question, []rag.ChunkID{id})
	if err != nil {
		return measure.Item{}, err
	}
	if len(ranking.Items) != 1 {
		return measure.Item{}, fmt.Errorf("chunk %q has %d items, not one", id, len(ranking.Items))
	}
	return ranking.Items[0], nil
}

// relevantDropped returns the relevant ones of what thresholds removed.
func (o *outcomes) relevantDropped(question int, dropped []rag.Dropped) ([]runs.Dropped, error) {
	out := []runs.Dropped{}
	for _, d := range dropped {
		item, err := o.item(question, d.Chunk.ID)
		if err != nil {
			return nil, err
		}
		if item.Grade < 1 && len(item.Units) == 0 {
			continue
		}
		found := runs.Dropped{ChunkID: d.Chunk.ID, Source: d.Source, Stage: d.Stage}
		if d.Scored {
			found.Score = &d.Score
		}
		out = append(out, found)
	}
	return out, nil
}

func retrieved(rank int, h rag.Hit, item measure.Item) runs.Retrieved {
	out := runs.Retrieved{
		ChunkID: h.Chunk.ID, DocID: h.Chunk.DocID, Source: h.Source, Rank: rank,
		Score: h.Score, ScoreStage: h.ScoreStage, Grade: item.Grade, Units: list(item.Units),
	}
	if item.ID != string(h.Chunk.ID) {
		out.Item = &item.ID
	}
	if rank <= runs.ExcerptHits {
		out.Excerpt = excerpt(h.Chunk.Text)
	}
	return out
}

// excerpt is the beginning of a text, in code points.
func excerpt(text string) string {
	n := 0
	for i := range text {
		if n == runs.ExcerptPoints {
			return text[:i]
		}
		n++
	}
	return text
}

func failureOf(err error) *runs.Failure {
	if err == nil {
		return nil
	}
	f := fault.Of(err)
	params := f.Params
	if params == nil {
		params = map[string]string{}
	}
	return &runs.Failure{Code: f.Code, Params: params}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// list is never nil, so that JSON has [] in place of null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
