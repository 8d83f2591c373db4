package builtin_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/builtin"
	"ragdesk/backend/dataset"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/rag"
	"ragdesk/build/standin"
)

var update = flag.Bool("update", false, "write the golden files")

// sampleLibrary is the library "sample" as a dataset is bound to it: whole
// documents, or with the chunks that a service made of them.
type sampleLibrary struct {
	texts  map[rag.DocumentID]string
	rows   []rag.DocumentRow
	chunks []rag.ChunkRow
}

func newSampleLibrary(t *testing.T, chunks []api.Chunk) *sampleLibrary {
	t.Helper()
	l := &sampleLibrary{texts: map[rag.DocumentID]string{}}
	ids := map[string]rag.DocumentID{}
	for _, d := range builtin.Sample().Documents {
		ids[d.Path] = rag.DocumentID(d.Path)
	}
	for _, c := range chunks {
		ids[c.Source] = rag.DocumentID(c.DocID)
	}
	for _, d := range builtin.Sample().Documents {
		id := ids[d.Path]
		l.texts[id] = string(d.Bytes)
		l.rows = append(l.rows, rag.DocumentRow{Document: rag.Document{ID: id, Source: d.Path}})
	}
	for _, c := range chunks {
		id := rag.DocumentID(c.DocID)
		span, ok := rag.BytesOf(l.texts[id], rag.Span{Start: c.Span.Start, End: c.Span.End})
		if !ok || l.texts[id][span.Start:span.End] != c.Text {
			t.Fatalf("chunk %s of %s does not lie at %v", c.ChunkID, c.Source, c.Span)
		}
		l.chunks = append(l.chunks, rag.ChunkRow{Chunk: rag.Chunk{ID: rag.ChunkID(c.ChunkID), DocID: id, Span: span}, Source: c.Source})
	}
	return l
}

func (l *sampleLibrary) Documents(context.Context) ([]rag.DocumentRow, error) { return l.rows, nil }
func (l *sampleLibrary) Aliases(context.Context) ([]rag.Alias, error)         { return nil, nil }
func (l *sampleLibrary) Text(_ context.Context, id rag.DocumentID) (string, error) {
	return l.texts[id], nil
}

func (l *sampleLibrary) EachChunk(_ context.Context, visit func(rag.ChunkRow) error) error {
	for _, c := range l.chunks {
		if err := visit(c); err != nil {
			return err
		}
	}
	return nil
}

// sampleSet reads the questions and binds them.
func sampleSet(t *testing.T, l *sampleLibrary) (dataset.Dataset, *dataset.Corpus, []dataset.Binding) {
	t.Helper()
	ds, problems, err := dataset.Parse(t.Context(), bytes.NewReader(builtin.SampleQuestions()), dataset.FormatJSON)
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	corpus, err := dataset.Open(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	bindings, problems, notices, err := corpus.Check(t.Context(), ds, nil)
	if err != nil || len(problems)+len(notices) > 0 {
		t.Fatalf("problems %v, notices %v, error %v", problems, notices, err)
	}
	return ds, corpus, bindings
}

func TestSampleQuestionsAreBalanced(t *testing.T) {
	t.Parallel()
	ds, _, _ := sampleSet(t, newSampleLibrary(t, nil))
	if !bytes.Equal(ds.Bytes(), builtin.SampleQuestions()) {
		t.Error("the file is not in canonical form")
	}
	s := ds.Describe()
	if s.Questions < 130 || math.Abs(float64(s.Variants)/float64(s.Questions)-0.5) > 0.05 {
		t.Errorf("%d questions, %d of them variants", s.Questions, s.Variants)
	}
	for _, typ := range dataset.Types() {
		if n := s.Types[typ]; float64(n) < dataset.MinTypeShare*float64(s.Questions) {
			t.Errorf("%d questions of type %s among %d", n, typ, s.Questions)
		}
	}
	if len(s.Types) != len(dataset.Types()) || len(s.Langs) != 2 || math.Abs(float64(s.Langs["zh"]-s.Langs["en"])) > 20 {
		t.Errorf("types %v, languages %v", s.Types, s.Langs)
	}
	seen := map[string]bool{}
	for _, q := range ds.Questions {
		if seen[q.Text] || q.Type != dataset.TypeUnanswerable && (len(q.Answers) == 0 || len(q.KeyPoints) == 0) {
			t.Errorf("%s repeats another question or lacks its answer", q.ID)
		}
		seen[q.Text] = true
		direct := 0
		for _, g := range q.Gold {
			if g.Quote == "" || g.Grade != dataset.GradeDirect && g.Grade != dataset.GradeBackground {
				t.Errorf("%s: gold %+v", q.ID, g)
			}
			if g.Grade == dataset.GradeDirect {
				direct++
			}
		}
		if q.Type == dataset.TypeMultiHop && direct < 2 || q.HasGold() && direct == 0 {
			t.Errorf("%s has %d passages that answer", q.ID, direct)
		}
	}
}

// TestSampleQuotesAreExact holds each quote against its document, letter for letter.
func TestSampleQuotesAreExact(t *testing.T) {
	t.Parallel()
	l := newSampleLibrary(t, nil)
	ds, _, bindings := sampleSet(t, l)
	for i, q := range ds.Questions {
		for k, g := range q.Gold {
			text := l.texts[rag.DocumentID(g.Doc)]
			if n := strings.Count(text, g.Quote); n == 0 || n > 1 && g.Points == nil {
				t.Errorf("%s: %q occurs %d times in %s", q.ID, g.Quote, n, g.Doc)
			}
			if bindings[i].Labels[k].Quote != g.Quote {
				t.Errorf("%s: %q is bound to %q", q.ID, g.Quote, bindings[i].Labels[k].Quote)
			}
		}
	}
}

// TestSampleVariantsUseOtherWords: most variants share little wording with their
// passages, and less than their originals do.
func TestSampleVariantsUseOtherWords(t *testing.T) {
	t.Parallel()
	ds, corpus, bindings := sampleSet(t, newSampleLibrary(t, nil))
	leaks, err := corpus.LeakCheck(t.Context(), ds, bindings)
	if err != nil {
		t.Fatal(err)
	}
	variant := map[string]bool{}
	for _, q := range ds.Questions {
		variant[q.ID] = q.VariantOf != ""
	}
	sum, n := map[bool]float64{}, map[bool]int{}
	for _, l := range leaks {
		sum[variant[l.Question]] += l.Overlap
		n[variant[l.Question]]++
		if variant[l.Question] && l.Verbatim {
			t.Errorf("%s repeats its passage: overlap %.2f", l.Question, l.Overlap)
		}
	}
	original, other := sum[false]/float64(n[false]), sum[true]/float64(n[true])
	if other > 0.1 || original < 2*other {
		t.Errorf("mean overlap of originals %.3f, of variants %.3f", original, other)
	}
}

// TestSampleQuestionsThroughThePipelines asks every question of the real library by
// vectors alone and by hybrid + rerank, and lists those whose first hit reranking
// mends and those whose it spoils. The ranked lists of every strategy are kept
// too, so that a change of any ranking shows as a diff.
func TestSampleQuestionsThroughThePipelines(t *testing.T) {
	t.Parallel()
	modelstest.Runtime(t)
	modelstest.Embedder(t, models.DefaultEmbedder)
	svc, err := app.New(app.Config{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	buildDemo(t, svc)
	export, err := svc.ExportChunks(t.Context(), api.ExportChunksRequest{KB: builtin.NameSample})
	if err != nil {
		t.Fatal(err)
	}
	ds, corpus, bindings := sampleSet(t, newSampleLibrary(t, export.Chunks))
	var mended, spoilt, missed []string
	first := [2]int{}
	asked := 0
	for i, q := range ds.Questions {
		if !q.HasGold() {
			continue
		}
		asked++
		j := corpus.Judge(bindings[i], dataset.Relevance{})
		if j.Cause != "" {
			t.Errorf("%s has no relevant chunk: %s", q.ID, j.Cause)
		}
		var ranks [2]int
		for k, strategy := range []string{"vector", "hybrid+rerank"} {
			ranks[k] = firstRelevant(t, svc, q.Text, strategy, j)
			if ranks[k] == 1 {
				first[k]++
			}
		}
		line := fmt.Sprintf("%s %s→%s %s", q.ID, rankName(ranks[0]), rankName(ranks[1]), q.Text)
		switch {
		case ranks[0] != 1 && ranks[1] == 1:
			mended = append(mended, line)
		case ranks[0] == 1 && ranks[1] != 1:
			spoilt = append(spoilt, line)
		case ranks[0] != 1 && ranks[1] != 1:
			missed = append(missed, line)
		}
	}
	if len(mended) < 10 {
		t.Errorf("reranking mends %d questions", len(mended))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "first hit relevant, of %d questions with gold: vector %d, hybrid+rerank %d\n", asked, first[0], first[1])
	for _, part := range []struct {
		title string
		lines []string
	}{{"mended", mended}, {"spoilt", spoilt}, {"wrong in both", missed}} {
		fmt.Fprintf(&b, "\n%s: %d (rank of the first relevant chunk, vector→hybrid+rerank)\n%s\n", part.title, len(part.lines), strings.Join(part.lines, "\n"))
	}
	goldenFile(t, "sample_ranks.golden.txt", b.String())
	goldenFile(t, "sample_lists.golden.txt", sampleLists(t, svc, ds, func(i int) dataset.Judgment {
		return corpus.Judge(bindings[i], dataset.Relevance{})
	}))
	goldenFile(t, "classic_lists.golden.txt", classicLists(t, svc))
}

// rankDepth is how far down a relevant chunk is looked for.
const rankDepth = 20

// rankName prints a rank, 0 for none within rankDepth.
func rankName(rank int) string {
	if rank == 0 {
		return "–"
	}
	return fmt.Sprint(rank)
}

// firstRelevant returns the rank of the first relevant hit, 0 without one.
func firstRelevant(t *testing.T, svc *app.Service, query, strategy string, j dataset.Judgment) int {
	t.Helper()
	depth := rankDepth
	res, err := svc.Search(t.Context(), api.SearchRequest{
		KB: builtin.NameSample, Query: query, Strategy: strategy, Retrieval: api.Retrieval{TopK: &depth},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		if j.Grade(rag.ChunkID(h.ChunkID)) > 0 {
			return h.Rank
		}
	}
	return 0
}

// buildDemo makes the built-in libraries and waits for them.
func buildDemo(t *testing.T, svc *app.Service) {
	t.Helper()
	job, err := svc.StartDemo(t.Context(), api.DemoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var end api.Job
	err = svc.Subscribe(ctx, func(e api.Event) error {
		if e.Job.ID == job.ID && e.Kind == "end" {
			end = e.Job
			cancel()
		}
		return nil
	})
	if end.State != "done" {
		t.Fatalf("the libraries were not built: %+v, error %v", end, err)
	}
}

// goldenFile holds got against testdata/name, that of this kind of processor.
func goldenFile(t *testing.T, name, got string) {
	t.Helper()
	path, err := standin.Reference(name)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
