package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"ragdesk/backend/api"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func ptr[T any](v T) *T { return &v }

// hit makes a hit of a stage that another stage did not list.
func hit(rank int, id, text string, score float64, matches ...api.Match) api.Hit {
	return api.Hit{
		Rank: rank, ChunkID: id, Source: id + ".md", Text: text, Headings: []string{"手册", "请假"}, Score: score, ScoreStage: "fusion",
		Trace: []api.StageScore{
			{Stage: "vector", Rank: ptr(rank), Score: ptr(0.9 - float64(rank)/10)}, {Stage: "bm25"},
			{Stage: "fusion", Rank: ptr(rank), Score: ptr(score)},
		},
		Matches: matches,
	}
}

// comparison is what a compare of two strategies can look like.
func comparison() api.CompareResponse {
	a := hit(1, "leave", "年假每年十天。\r\n满三年的十五天。", 0.0328, api.Match{Start: 0, End: 2, Term: "年假"})
	b := hit(2, "travel", strings.Repeat("long words ", 40)+"end", 0.0161)
	moved := hit(1, "travel", b.Text, 0.5)
	fresh := hit(2, "new", "🌊潮水涨落", 0.4)
	took := map[string]*float64{"vector": ptr(3.21), "bm25": nil, "fusion": ptr(0.01), "rerank": nil, "total": ptr(4.5)}
	return api.CompareResponse{
		Query: "年假有几天", KB: "kb", QueryTerms: []string{"年假", "几天"},
		Strategies: []api.Column{
			{Strategy: "vector", Hits: []api.Hit{a, b}, Prompt: "first prompt", TimingsMS: took},
			{Strategy: "classic", Hits: []api.Hit{moved, fresh}, Prompt: "资料：…", Answer: ptr("年假每年十天。 [1]"), Check: &api.AnswerCheck{
				CitationCoverage: ptr(1.0), CitationAccuracy: ptr(0.5), Used: []api.UsedChunk{{ChunkID: "travel", Rank: 1}},
				Sentences: []api.AnswerSentence{{Text: "年假每年十天。", Support: &api.SentenceSupport{ChunkID: "travel", Rank: 1, Score: 0.71, Supported: true}},
					{Text: "满三年的十五天。", Support: &api.SentenceSupport{ChunkID: "new", Rank: 2, Score: 0.31}}, {Text: "另有规定。"}},
			}, TimingsMS: took, Warnings: []api.Notice{{Code: "passages_cut", Detail: "[2] new"}},
				Dropped: []api.Dropped{{Source: "x.md", Text: "dropped\ntext", Stage: "rerank", Score: ptr(0.1), Rank: ptr(1), Threshold: ptr(0.2)}, {Source: "y.md", Text: "never scored", Stage: "rerank", Threshold: ptr(0.2)},
					{Source: "z.md", Text: "ranked too low", Stage: "rerank", Score: ptr(0.3), Rank: ptr(3), Threshold: ptr(0.2), MaxRank: ptr(2)},
					{Source: "w.md", Text: "never ranked", Stage: "rerank", MaxRank: ptr(2)}}},
			{Strategy: "bm25", TimingsMS: took, Prompt: "last prompt", Answer: ptr("年假每年八天。"), Check: &api.AnswerCheck{
				Sentences: []api.AnswerSentence{{Text: "年假每年八天。"}, {Text: "满三年的十五天。"}, {Text: "只在\n这里。"}}}},
		},
		AnswerDiffs: []api.AnswerDiff{{Strategy: "bm25", Against: "classic", Same: 1, Changed: 1, OnlyHere: 1, OnlyThere: 1, Rows: []api.AnswerDiffRow{
			{State: "changed", Here: ptr(0), There: ptr(0), Similarity: ptr(0.7)}, {State: "same", Here: ptr(1), There: ptr(1), Similarity: ptr(1.0)},
			{State: "only_there", There: ptr(2)}, {State: "only_here", Here: ptr(2)},
		}}},
		Movement: []api.Movement{
			{ChunkID: "travel", Source: "travel.md", Ranks: map[string]*int{"vector": ptr(2), "classic": ptr(1), "bm25": nil}},
			{ChunkID: "new", Source: "new.md", Ranks: map[string]*int{"vector": nil, "classic": ptr(2), "bm25": nil}},
			{ChunkID: "leave", Source: "leave.md", Ranks: map[string]*int{"vector": ptr(1), "classic": nil, "bm25": nil}},
		},
	}
}

// report is what an ingestion can bring.
func report() api.IngestReport {
	doc := func(source, status string) api.DocumentStatus {
		return api.DocumentStatus{Source: source, Status: status, Warnings: []api.Notice{}}
	}
	read := doc("docs/手册.md", "indexed")
	read.Encoding, read.Chars, read.Chunks = ptr("GB18030"), ptr(1200), ptr(7)
	read.Warnings = []api.Notice{{Code: "encoding_uncertain", Detail: "GB18030 0.61, Big5 0.58"}}
	failed := doc("none.txt", "failed")
	failed.Error = &api.ErrorBody{Code: "not_found", Message: "none.txt does not exist. Check the path."}
	return api.IngestReport{
		KB: "kb", Documents: []api.DocumentStatus{read, failed, doc("old.txt", "removed")}, Seconds: 1.26,
		Totals: map[string]int{"indexed": 1, "failed": 1, "removed": 1, "chunks": 7},
	}
}

func TestResultsInWords(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		for name, show := range map[string]func(*env){
			"search": func(e *env) {
				c := comparison()
				e.printSearch(api.SearchResponse{
					Query: c.Query, QueryTerms: c.QueryTerms, Strategy: "hybrid",
					Hits: c.Strategies[0].Hits, Dropped: c.Strategies[1].Dropped, TimingsMS: c.Strategies[0].TimingsMS,
				})
			},
			"compare": func(e *env) { e.printCompare(comparison()) },
			"demo":    func(e *env) { e.printDemo(1, comparison()) },
			"ingest":  func(e *env) { e.printReport(report()) },
		} {
			var out bytes.Buffer
			show(&env{printer: printer{out: &out, err: &out, lang: lang, width: 72}})
			golden(t, name+"."+lang+".txt", out.String())
		}
	}
}

func TestAQueryWithoutWordsOrHits(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	e := &env{printer: printer{out: &out, lang: "en", width: 72}}
	e.printSearch(api.SearchResponse{Query: "？！", Strategy: "bm25", TimingsMS: map[string]*float64{"total": ptr(1.0)}})
	if got := out.String(); got != "query ？！\nstrategy bm25  total 1.0 ms\n\nno hits\n" {
		t.Errorf("%q", got)
	}
}

func TestSnippetsStayWithinTheirWidth(t *testing.T) {
	t.Parallel()
	e := &env{printer: printer{lang: "en", width: 40}}
	for _, text := range []string{"", "short", strings.Repeat("潮水涨落", 50), strings.Repeat("👩‍👩‍👧🌊", 40), strings.Repeat("a\n\tb ", 60)} {
		for at := 0; at < len([]rune(text)); at += 37 {
			h := api.Hit{Text: text, Matches: []api.Match{{Start: at, End: at + 1}}}
			got := e.snippet(h, 40)
			if w := uniseg.StringWidth(got); w > 40 || strings.ContainsAny(got, "\r\n\t") {
				t.Errorf("%d columns: %q", w, got)
			}
		}
	}
}

func TestPadAndClipCountColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, padded, clipped string }{
		{"ab", "ab    ", "ab"},
		{"潮水", "潮水  ", "潮水"},
		{"潮水涨落吗", "潮水涨落吗", "潮水…"},
		{"abcdefg", "abcdefg", "abcde…"},
	} {
		if got := pad(c.in, 6); got != c.padded {
			t.Errorf("pad(%q) = %q, want %q", c.in, got, c.padded)
		}
		if got := clip(c.in, 6); got != c.clipped {
			t.Errorf("clip(%q) = %q, want %q", c.in, got, c.clipped)
		}
	}
}

func TestLettersNameChunks(t *testing.T) {
	t.Parallel()
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := letter(i); got != want {
			t.Errorf("letter(%d) = %s, want %s", i, got, want)
		}
	}
}

func TestStylesNeedATerminal(t *testing.T) {
	t.Parallel()
	plain, styled := printer{}, printer{color: true}
	if plain.bold("x") != "x" || styled.bold("x") != "\x1b[1mx\x1b[0m" || styled.dim("") != "" {
		t.Errorf("%q, %q, %q", plain.bold("x"), styled.bold("x"), styled.dim(""))
	}
}

func TestSizesForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0 kB", 457_000: "457 kB", 1_000_000: "1 MB", 24_400_000: "24 MB"} {
		if got := megabytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
