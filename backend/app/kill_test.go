package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// The environment of the process that ingests until it is killed.
const (
	killWorkspace = "RAGDESK_TEST_WORKSPACE"
	killFolder    = "RAGDESK_TEST_FOLDER"
)

func TestMain(m *testing.M) {
	ParserMain()
	if workspace := os.Getenv(killWorkspace); workspace != "" {
		var err error
		if bundle := os.Getenv(killBundle); bundle != "" {
			err = restoreAndReport(workspace, bundle)
		} else {
			err = ingestAndReport(workspace, os.Getenv(killFolder))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ingestAndReport ingests folder and prints "start", a line with the source of
// each document once it is reported as done, and "end".
func ingestAndReport(workspace, folder string) error {
	s, err := New(Config{Workspace: workspace, LockWait: 20 * time.Second})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	listening := make(chan struct{})
	go func() {
		close(listening)
		ended <- s.Subscribe(ctx, func(e api.Event) error {
			switch {
			case e.Item != nil && e.Item.Error == nil:
				fmt.Println(e.Item.Source)
			case e.Kind == "end":
				return errEnded
			}
			return nil
		})
	}()
	<-listening
	size, overlap := 60, 10
	fmt.Println("start")
	if _, err := s.StartIngest(ctx, api.IngestRequest{KB: "kb", Paths: []string{folder}, Chunker: "chars", ChunkSize: &size, ChunkOverlap: &overlap}); err != nil {
		return err
	}
	if err := <-ended; !errors.Is(err, errEnded) {
		return err
	}
	fmt.Println("end")
	return s.Close()
}

var errEnded = errors.New("ended")

// killed is a folder of documents, what each may hold in the library, and the
// workspace that is killed again and again.
type killed struct {
	workspace, folder string
	rng               *rand.Rand
	// text is what each file says now; before what the library may still say.
	text, before map[string]string
}

// rewrite gives n of the documents a new text.
func (k *killed) rewrite(t *testing.T, round, n int) {
	t.Helper()
	for _, i := range k.rng.Perm(150)[:n] {
		path := filepath.ToSlash(filepath.Join(k.folder, fmt.Sprintf("%03d.txt", i)))
		text := fmt.Sprintf("文档%d第%d版，𠮷野家👍。 mark%dround%d ", i, round, i, round) +
			strings.Repeat("潮水涨落，灯火通明。", 20+k.rng.IntN(100))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, unsure := k.before[path]; !unsure {
			k.before[path] = k.text[path]
		}
		k.text[path] = text
	}
}

// run starts an ingestion and kills it when shall says so, which is called with
// the number of documents reported so far and may block. It returns the documents
// that were reported and whether the process reached its end.
func (k *killed) run(t *testing.T, shall func(reported int, alive <-chan struct{}) bool) (done []string, complete bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), killWorkspace+"="+k.workspace, killFolder+"="+k.folder)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	alive, reported := make(chan struct{}), atomic.Int64{}
	reported.Store(-1)
	go func() {
		for {
			select {
			case <-alive:
				return
			default:
			}
			if shall(int(reported.Load()), alive) {
				_ = cmd.Process.Kill() // or it has ended by itself
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch line := lines.Text(); line {
		case "end":
			complete = true
		default:
			reported.Add(1)
			if line != "start" {
				done = append(done, line)
			}
		}
	}
	err = cmd.Wait()
	close(alive)
	// It may be killed between its last word and its end.
	if complete && err != nil && !strings.Contains(err.Error(), "killed") || !complete && stderr.Len() > 0 {
		t.Fatalf("ingestion ended with %v: %s", err, stderr.String())
	}
	return done, complete
}

// check holds the workspace against what was reported.
func (k *killed) check(t *testing.T, done []string) {
	t.Helper()
	st, err := store.Open(t.Context(), k.workspace)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(st.Check(t.Context()), st.Close()); err != nil {
		t.Errorf("the workspace is not sound: %v", err)
	}
	s, err := New(Config{Workspace: k.workspace, Notify: func(code string, _ ...fault.Param) { t.Errorf("opening it needed %s", code) }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	list, err := s.ListDocuments(t.Context(), api.ListDocumentsRequest{KB: "kb"})
	if fault.Is(err, "kb_unknown") && len(done) == 0 {
		return // killed before anything
	}
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, d := range list.Documents {
		doc, err := s.DocumentText(t.Context(), api.DocumentTextRequest{KB: "kb", Ref: *d.DocID})
		if err != nil {
			t.Fatal(err)
		}
		texts[d.Source] = doc.Text
		if doc.Text != k.text[d.Source] && (doc.Text == "" || doc.Text != k.before[d.Source]) {
			t.Errorf("%s holds neither its new text nor its old one: %q", d.Source, doc.Text)
		}
		if doc.Text == k.text[d.Source] {
			delete(k.before, d.Source) // this version is in for good
		}
	}
	for _, source := range done {
		if texts[source] != k.text[source] {
			t.Errorf("%s was reported as done and holds %q", source, texts[source])
		}
	}
	k.checkIndexes(t, s, texts)
}

// checkIndexes holds chunks, text index and vectors against the documents.
func (k *killed) checkIndexes(t *testing.T, s *Service, texts map[string]string) {
	t.Helper()
	export, err := s.ExportChunks(t.Context(), api.ExportChunksRequest{KB: "kb"})
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]int{}
	for _, c := range export.Chunks {
		span, ok := rag.BytesOf(texts[c.Source], rag.Span(c.Span))
		if !ok || texts[c.Source][span.Start:span.End] != c.Text {
			t.Errorf("chunk %s is not at its place in %s", c.ChunkID, c.Source)
		}
		covered[c.Source] = max(covered[c.Source], span.End)
	}
	for source, text := range texts {
		if covered[source] != len(text) {
			t.Errorf("the chunks of %s end at %d of %d", source, covered[source], len(text))
		}
	}
	snap, err := s.shelf.Open(t.Context(), "kb")
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	vectors, err := snap.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(export.Chunks); snap.Library.Chunks != n || snap.Text.Count() != n || vectors.Count() != n {
		t.Errorf("%d chunks, %d counted, %d in the text index, %d vectors", n, snap.Library.Chunks, snap.Text.Count(), vectors.Count())
	}
	first := slices.DeleteFunc(export.Chunks, func(c api.Chunk) bool { return c.Span.Start > 0 }) // no two are equal
	if len(first) == 0 {
		return
	}
	some := first[k.rng.IntN(len(first))]
	for _, strategy := range []string{"bm25", "vector"} {
		query := some.Text
		if strategy == "bm25" { // the document's own mark
			query = strings.Fields(texts[some.Source])[1]
		}
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: query, Strategy: strategy})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(found.Hits, func(h api.Hit) bool { return h.Source == some.Source }) {
			t.Errorf("%s does not find %s by %q", strategy, some.Source, query)
		}
	}
}

// TestKilledIngestionLosesNothingReported kills an ingesting process at seeded
// points: some time after it began, after some documents were reported, and
// while a commit makes its index.
func TestKilledIngestionLosesNothingReported(t *testing.T) {
	if testing.Short() {
		t.Skip("kills twenty processes")
	}
	needModel(t)
	k := &killed{workspace: t.TempDir(), folder: t.TempDir(), rng: rand.New(rand.NewPCG(20, 9)), text: map[string]string{}, before: map[string]string{}}
	k.rewrite(t, 0, 150)
	early := 0
	for round := range 20 {
		done, complete := k.run(t, k.point(round))
		if !complete {
			early++
		}
		k.check(t, done)
		if t.Failed() {
			t.Fatalf("after round %d, complete %t, %d reported", round, complete, len(done))
		}
		k.rewrite(t, round+1, 40)
	}
	if early < 12 {
		t.Errorf("only %d of 20 processes were killed before their end", early)
	}
	done, complete := k.run(t, func(int, <-chan struct{}) bool { return false })
	k.check(t, done)
	if !complete || len(done) != 150 || len(k.before) != 0 {
		t.Errorf("the run after all: complete %t, %d reported, %d documents still old", complete, len(done), len(k.before))
	}
}

// point chooses when to kill.
func (k *killed) point(round int) func(int, <-chan struct{}) bool {
	wait := time.Duration(k.rng.IntN(40)) * time.Millisecond
	switch round % 3 {
	case 0: // a while after the start
		after := time.Duration(k.rng.IntN(1200)) * time.Millisecond
		return func(reported int, alive <-chan struct{}) bool {
			if reported < 0 {
				return false
			}
			sleep(after, alive)
			return true
		}
	case 1: // while an index is made
		return func(_ int, alive <-chan struct{}) bool {
			found, err := filepath.Glob(filepath.Join(k.workspace, "index", "*", "*.building-*"))
			if err != nil || len(found) == 0 {
				return false
			}
			sleep(wait, alive)
			return true
		}
	}
	n := 1 + k.rng.IntN(20)
	return func(reported int, alive <-chan struct{}) bool { // after some were reported
		if reported < n {
			return false
		}
		sleep(wait/10, alive)
		return true
	}
}

func sleep(d time.Duration, alive <-chan struct{}) {
	select {
	case <-alive:
	case <-time.After(d):
	}
}
