package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ragdesk/backend/embed"
	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/library/librarytest"
)

// choosy refuses texts with a word, as an embedder does whose output is not
// finite.
type choosy struct {
	*embed.Model
	word string
}

func (c choosy) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	for i, s := range texts {
		if strings.Contains(s, c.word) {
			return nil, fmt.Errorf("embed text %d: %w", i, fault.New("vector_invalid", fault.P("reason", "v[0]=NaN")))
		}
	}
	return c.Model.Documents(ctx, texts)
}

func TestABadVectorQuarantinesItsDocumentAlone(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"a.txt": "the tide turns", "bad.txt": strings.Repeat("fine words ", 20) + "cursed", "copy of bad.txt": strings.Repeat("fine words ", 20) + "cursed",
		"link to bad.txt": "-> bad.txt", "c.txt": "bread", "later.txt": "fine so far",
	})
	b := newBench(t, choosy{librarytest.Model(t), "cursed"})
	report := b.run(t, ingest.Options{Paths: []string{root, filepath.Join(root, "b", "..", "bad.txt")}})
	want(t, "statuses", statuses(root, report), map[string]string{
		"a.txt": "indexed", "bad.txt": "failed vector_invalid", "copy of bad.txt": "failed vector_invalid",
		"link to bad.txt": "failed vector_invalid", "c.txt": "indexed", "later.txt": "indexed",
	})
	// An update that is refused keeps the old text; an updated copy of it fails as well.
	write(t, filepath.Join(root, "later.txt"), "now cursed")
	report = b.run(t, ingest.Options{Paths: []string{root}})
	if got := statuses(root, report)["later.txt"]; got != "failed vector_invalid" {
		t.Errorf("later.txt: %s", got)
	}
	want(t, "the library", b.held(t), map[string]string{root + "/a.txt": "the tide turns", root + "/c.txt": "bread", root + "/later.txt": "fine so far"})
	// Once the text is mended, it comes in.
	write(t, filepath.Join(root, "bad.txt"), "mended")
	report = b.run(t, ingest.Options{Paths: []string{root}})
	if got := statuses(root, report); got["bad.txt"] != "indexed" || got["link to bad.txt"] != "alias" || got["copy of bad.txt"] != "failed vector_invalid" {
		t.Errorf("after mending: %v", got)
	}
}

func TestAnotherSpellingOfARefusedFileIsRefused(t *testing.T) {
	root := files(t, map[string]string{"bad.txt": "cursed"})
	t.Chdir(root)
	b := newBench(t, choosy{librarytest.Model(t), "cursed"})
	report := b.run(t, ingest.Options{Paths: []string{"bad.txt", filepath.Join(root, "bad.txt")}})
	want(t, "statuses", statuses(root, report), map[string]string{"bad.txt": "failed vector_invalid"})
	if len(report.Outcomes) != 2 || report.Outcomes[1].Err == nil {
		t.Errorf("outcomes %+v", report.Outcomes)
	}
}

// broken fails for another reason than a text.
type broken struct{ *embed.Model }

func (broken) Documents(context.Context, []string) ([][]float32, error) {
	return nil, fault.New("model_run", fault.P("path", "model.onnx"))
}

func TestABrokenModelStopsTheRun(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": "the tide turns"})
	b := newBench(t, broken{librarytest.Model(t)})
	p := &recorder{}
	report, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		return ingest.Run(t.Context(), ports, b.lib, ingest.Options{Paths: []string{root}}, p)
	})
	if !fault.Is(err, "model_run") || len(report.Outcomes) != 0 {
		t.Errorf("%v, %d outcomes", err, len(report.Outcomes))
	}
}

// gated embeds the first texts at once and the others never.
type gated struct {
	embedded atomic.Int64
	limit    int64
}

func (g *gated) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	if g.embedded.Add(int64(len(texts))) > g.limit {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = librarytest.Vector(s)
	}
	return out, nil
}

func (*gated) Query(_ context.Context, s string) ([]float32, error) {
	return librarytest.Vector(s), nil
}

func (*gated) Dim() int { return librarytest.Dim }

func (*gated) Fingerprint() string { return "gated" }

func TestCancelKeepsWhatWasReported(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for i := range 60 {
		tree[fmt.Sprintf("%03d.txt", i)] = fmt.Sprintf("document %d: %s", i, strings.Repeat("the tide turns ", 100))
	}
	root := files(t, tree)
	embedder := &gated{limit: 2000} // of 3,000; a commit comes by 1,024
	b := newBench(t, embedder)
	ctx, cancel := context.WithCancel(t.Context())
	p := &recorder{onNote: func(ingest.Outcome) { cancel() }}
	report, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		return ingest.Run(ctx, ports, b.lib, ingest.Options{Paths: []string{root}}, p)
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", err)
	}
	done := len(report.Outcomes)
	if done == 0 || done >= len(tree) || b.lib.Documents != done || len(p.noted) != done {
		t.Fatalf("%d outcomes, %d noted, %d documents", done, len(p.noted), b.lib.Documents)
	}
	// What was in the works at the time is finished by the next run.
	embedder.limit = 1 << 30
	report = b.run(t, ingest.Options{Paths: []string{root}})
	count := map[string]int{}
	for _, o := range report.Outcomes {
		count[o.Status]++
	}
	if count["unchanged"] != done || count["indexed"] != len(tree)-done {
		t.Errorf("the next run: %v, %d were done", count, done)
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	t.Parallel()
	b := newBench(t, librarytest.Model(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &recorder{}
	_, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		return ingest.Run(ctx, ports, b.lib, ingest.Options{Paths: []string{t.TempDir()}}, p)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
