package lexical_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// searchUnder indexes the chunks under an analyzer and searches them.
func searchUnder(t *testing.T, z lexical.Analyzer, chunks []lexical.Entry, query string) []rag.Scored {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "index")
	if err := z.Build(t.Context(), "", dir, nil, chunks); err != nil {
		t.Fatal(err)
	}
	stats := lexical.Stats{Chunks: len(chunks)}
	for _, c := range chunks {
		stats.Terms = stats.Terms.Plus(z.Count(c.Text))
	}
	ix, err := z.Open(dir, stats)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	found, err := ix.Search(t.Context(), query, 10)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOwnWordsRank(t *testing.T) {
	t.Parallel()
	if err := text.Ready(); err != nil {
		t.Skip(err)
	}
	chunks := []lexical.Entry{
		{ID: "name", Text: "在今年春天举行的发布会上，公司宣布灵犀三号将于秋天在全国各大城市的门店上市，售价另行通知，详情请关注官方网站。"},
		{ID: "parts", Text: "灵犀，三号。灵犀，三号。灵犀，三号。"},
		{ID: "other", Text: "公司的年报由公司发布。"},
	}
	plain, own := lexical.Analyzer{}, lexical.NewAnalyzer([]rag.Word{{Word: "靈犀三號"}})
	if got := own.QueryTerms("灵犀三号何时上市"); !cmp.Equal(got, []string{"灵犀三号", "上市"}) {
		t.Errorf("terms with the word: %v", got)
	}
	if got := plain.QueryTerms("灵犀三号何时上市"); cmp.Equal(got, []string{"灵犀三号", "上市"}) {
		t.Errorf("terms without it: %v", got)
	}
	before := searchUnder(t, plain, chunks, "灵犀三号")
	after := searchUnder(t, own, chunks, "灵犀三号")
	if before[0].ID != "parts" || after[0].ID != "name" {
		t.Errorf("first is %s without the word and %s with it", before[0].ID, after[0].ID)
	}
	marks := own.Matches("灵犀三号", "買靈犀三號吧")
	if len(marks) != 1 || marks[0].Span != (rag.Span{Start: 3, End: 15}) {
		t.Errorf("marked: %v", marks)
	}
	// A name of letters and characters is found by its whole.
	mixed := lexical.NewAnalyzer([]rag.Word{{Word: "T恤"}})
	if found := searchUnder(t, mixed, []lexical.Entry{{ID: "shirt", Text: "纯棉T恤"}, {ID: "not", Text: "恤金"}}, "T恤"); found[0].ID != "shirt" {
		t.Errorf("T恤 finds %v", found)
	}
}

func TestStopWordsScoreNothing(t *testing.T) {
	t.Parallel()
	if err := text.Ready(); err != nil {
		t.Skip(err)
	}
	chunks := []lexical.Entry{{ID: "a", Text: "公司的年报"}, {ID: "b", Text: "公司公司公司，以及年报"}, {ID: "c", Text: "母公司"}}
	stopped := lexical.NewAnalyzer([]rag.Word{{Word: "公司", Stop: true}})
	if found := searchUnder(t, lexical.Analyzer{}, chunks, "公司"); len(found) != 3 {
		t.Errorf("without stop words %v", found)
	}
	if found := searchUnder(t, stopped, chunks, "公司"); len(found) != 0 {
		t.Errorf("a stop word finds %v", found)
	}
	if diff := cmp.Diff(searchUnder(t, stopped, chunks, "年报"), searchUnder(t, stopped, chunks, "公司年报")); diff != "" {
		t.Errorf("a stop word in a query changes (-without +with):\n%s", diff)
	}
	if got := stopped.QueryTerms("公司年报"); !cmp.Equal(got, []string{"年报"}) {
		t.Errorf("terms %v", got)
	}
}
