package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
)

// programResult is what the program took: times in milliseconds, memory in MB.
type programResult struct {
	// Models is what it holds when its models have worked in a small library; all
	// other memory is above that.
	Models                   float64
	First, Median            float64
	Steps                    map[string]float64
	Searched, SearchPeak     float64
	Ingested, IngestPeak     float64
	Ingest                   float64
	Processor, GC            float64
	SearchProcessor, Indexed float64
}

// reranked is how many questions the program reranks for, whose passages have no
// kept token vectors.
const reranked = 5

// measureProgram compares the program with its memory limit and without one.
func measureProgram(ctx context.Context, c config) error {
	var limited, free programResult
	if err := measure(ctx, "program", c, &limited); err != nil {
		return err
	}
	c.Round = 1
	if err := measure(ctx, "program", c, &free, "GOMEMLIMIT=off"); err != nil {
		return err
	}
	fmt.Printf("\nThe program over the %d chunks, %s, %d questions by hybrid, %d by hybrid+rerank before; memory above the models:\n\n", c.Chunks, models.DefaultEmbedder, c.Queries, reranked)
	fmt.Println("| | with its limit | without |")
	fmt.Println("|---|---|---|")
	line := func(what, format string, get func(programResult) float64) {
		fmt.Printf("| %s | "+format+" | "+format+" |\n", what, get(limited), get(free))
	}
	line("models and program", "%.0f MB", func(r programResult) float64 { return r.Models })
	line("after searching", "%.0f MB", func(r programResult) float64 { return r.Searched })
	line("most while searching", "%.0f MB", func(r programResult) float64 { return r.SearchPeak })
	line(fmt.Sprintf("after adding %d files", added), "%.0f MB", func(r programResult) float64 { return r.Ingested })
	line("most while adding", "%.0f MB", func(r programResult) float64 { return r.IngestPeak })
	line("first search, with the loading of the vectors", "%.0f ms", func(r programResult) float64 { return r.First })
	line("median search", "%.1f ms", func(r programResult) float64 { return r.Median })
	for _, step := range rag.Steps() {
		line("of it "+string(step), "%.1f ms", func(r programResult) float64 { return r.Steps[string(step)] })
	}
	line("processor time of searching", "%.1f s", func(r programResult) float64 { return r.SearchProcessor })
	line("of searching and adding", "%.1f s", func(r programResult) float64 { return r.Processor })
	line("of it collecting garbage", "%.1f s", func(r programResult) float64 { return r.GC })
	return nil
}

// program searches in the library and adds files to it through the Service.
func program(ctx context.Context, c config) (r programResult, err error) {
	s, err := app.New(app.Config{Workspace: c.Dir, LimitMemory: app.MemoryLimiter()})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	warm := fmt.Sprintf("warm%d", c.Round)
	if _, err := ingestFiles(ctx, s, c, warm, 4*added, 8); err != nil {
		return r, err
	}
	qs, err := questions(c.Data, c.Queries)
	if err != nil {
		return r, err
	}
	ask := func(kb, question, strategy string) (api.SearchResponse, error) {
		return s.Search(ctx, api.SearchRequest{KB: kb, Query: question, Strategy: strategy})
	}
	if _, err := ask(warm, qs[0].Text, "hybrid+rerank"); err != nil {
		return r, err
	}
	debug.FreeOSMemory()
	r.Models = memoryMB("VmRSS")
	began, collected := processorSeconds(), collectorSeconds()
	resetPeak()
	for i, q := range qs[:reranked] {
		got, err := ask(kb, q.Text, "hybrid+rerank")
		if err != nil {
			return r, err
		}
		if i == 0 {
			r.First = *got.TimingsMS["total"]
		}
	}
	steps := map[string][]float64{}
	for _, q := range qs {
		got, err := ask(kb, q.Text, "hybrid")
		if err != nil {
			return r, err
		}
		for step, ms := range got.TimingsMS {
			if ms != nil {
				steps[step] = append(steps[step], *ms)
			}
		}
	}
	r.Steps = map[string]float64{}
	for step, ms := range steps {
		r.Steps[step] = median(ms)
	}
	r.Median = r.Steps["total"]
	r.Searched, r.SearchPeak = memoryMB("VmRSS")-r.Models, memoryMB("VmHWM")-r.Models
	r.SearchProcessor = processorSeconds() - began
	resetPeak()
	start := time.Now()
	n, err := ingestFiles(ctx, s, c, kb, (5+c.Round)*added, added)
	if err != nil {
		return r, err
	}
	r.Ingest, r.Indexed = since(start), float64(n)
	r.Ingested, r.IngestPeak = memoryMB("VmRSS")-r.Models, memoryMB("VmHWM")-r.Models
	r.Processor, r.GC = processorSeconds()-began, collectorSeconds()-collected
	return r, nil
}

// create makes the library as the program does, with one file, so that it has the
// settings of the embedder: the random vectors that follow pass for its own.
func create(ctx context.Context, c config) (n int, err error) {
	s, err := app.New(app.Config{Workspace: c.Dir})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return ingestFiles(ctx, s, c, kb, 3*added, 1)
}

// ingestFiles adds n files of chunksPerDocument windows each and returns how many
// were indexed.
func ingestFiles(ctx context.Context, s *app.Service, c config, name string, first, n int) (int, error) {
	ws, err := windows(c.Data, (first+n)*chunksPerDocument)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "scale")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for i := first; i < first+n; i++ {
		var text strings.Builder
		for _, w := range ws[i*chunksPerDocument : (i+1)*chunksPerDocument] {
			text.WriteString(w.text)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%07d.txt", i)), []byte(text.String()), 0o600); err != nil {
			return 0, err
		}
	}
	size, overlap := windowSize, 0
	j, err := s.StartIngest(ctx, api.IngestRequest{KB: name, Paths: []string{dir}, Chunker: "chars", ChunkSize: &size, ChunkOverlap: &overlap, Embedder: models.DefaultEmbedder})
	for err == nil && j.State == "running" {
		time.Sleep(20 * time.Millisecond)
		j, err = s.GetJob(ctx, api.JobRequest{ID: j.ID})
	}
	switch {
	case err != nil:
		return 0, err
	case j.Error != nil:
		return 0, errors.New(j.Error.Message)
	case j.Report.Totals[rag.StatusIndexed] != n:
		return 0, fmt.Errorf("indexed %v of %d files", j.Report.Totals, n)
	}
	return n, nil
}

// resetPeak has the system forget the most memory that was used so far.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) } // nothing to forget elsewhere

// collectorSeconds is the processor time that collecting garbage took so far.
func collectorSeconds() float64 {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64() - sample[1].Value.Float64()
}
