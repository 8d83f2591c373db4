package answer_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/answer"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "write the golden files")

// hits makes a ranking of chunks that all belong to one document, one after
// another; it returns that document's text as well.
func hits(texts ...string) (out []rag.Hit, doc string) {
	for i, s := range texts {
		start := utf8.RuneCountInString(doc)
		points := rag.Span{Start: start, End: start + utf8.RuneCountInString(s)}
		out = append(out, rag.Hit{
			Rank: i + 1, Source: "docs/手册.md",
			Chunk: rag.Chunk{ID: rag.ChunkID(string(rune('a' + i))), Text: s, Points: points},
		})
		doc += s
	}
	return out, doc
}

// scored is a reranker that gives texts with a word that word's score.
type scored map[string]float64

func (s scored) Rerank(_ context.Context, _ string, in []rag.Passage) ([]rag.Relevance, error) {
	out := make([]rag.Relevance, len(in))
	for i, p := range in {
		for word, score := range s {
			if strings.Contains(p.Text, word) {
				out[i].Score = score
			}
		}
	}
	return out, nil
}
func (scored) Name() string        { return "scored" }
func (scored) Fingerprint() string { return "scored" }

func noCoverage(string, string) float64 { return 0 }

func extract(t *testing.T, scorer rag.Reranker, texts ...string) answer.Answer {
	t.Helper()
	in, doc := hits(texts...)
	a, err := answer.Extractor{Scorer: scorer, Coverage: noCoverage}.Extract(t.Context(), "zh", "问题", in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Citations {
		span, ok := rag.BytesOf(doc, c.Points)
		if !ok || doc[span.Start:span.End] != c.Quote || c.State != answer.CitationVerified {
			t.Errorf("citation %+v is not at its place in %q", c, doc)
		}
		if c.Source != "docs/手册.md" || !strings.Contains(a.Text, c.Quote) {
			t.Errorf("citation %+v of answer %q", c, a.Text)
		}
	}
	if a.Abstained != (len(a.Citations) == 0) {
		t.Errorf("abstained %t with %d citations", a.Abstained, len(a.Citations))
	}
	return a
}

func TestTheBestSentencesAreQuoted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scorer scored
		texts  []string
		want   string
	}{
		"the best alone": {scored{"十天": 0.9, "食堂": 0.5},
			[]string{"食堂中午开门。年假每年十天。会议室要预约。"}, "年假每年十天。 [1]"},
		"near ones too, in reading order": {scored{"十天": 0.90, "折算": 0.89, "食堂": 0.5},
			[]string{"不满一年的按月折算。食堂中午开门。", "年假每年十天👍。"}, "不满一年的按月折算。 [1]\n年假每年十天👍。 [2]"},
		"three at most": {scored{"年假": 0.9},
			[]string{"年假一天。年假两天。年假三天。年假四天。"}, "年假一天。 [1]\n年假两天。 [1]\n年假三天。 [1]"},
		"equal words once": {scored{"年假": 0.9},
			[]string{"年假每年十天。", "年假每年十天。"}, "年假每年十天。 [1]"},
		"a lower hit needs more": {scored{"十天": 0.9, "十五天": 0.905},
			[]string{"年假每年十天。", "年假是十五天。"}, "年假每年十天。 [1]\n年假是十五天。 [2]"},
		"no headings, no list marks": {scored{"标题": 1, "年假": 0.9},
			[]string{"# 标题在这里\n\n- 年假每年十天。\n"}, "年假每年十天。 [1]"},
		"rare characters before it": {scored{"年假": 0.9},
			[]string{"𠮷野家👩‍👩‍👧。", "  年假每年十天。"}, "年假每年十天。 [2]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := extract(t, c.scorer, c.texts...).Text; got != c.want {
				t.Errorf("answer %q, want %q", got, c.want)
			}
		})
	}
}

func TestCoverageOfTermsCounts(t *testing.T) {
	t.Parallel()
	in, _ := hits("年假每年十天。病假另行计算。")
	a, err := answer.Extractor{Scorer: scored{"年假": 0.5, "病假": 0.4}, Coverage: func(_, sentence string) float64 {
		if strings.Contains(sentence, "病假") {
			return 1
		}
		return 0
	}}.Extract(t.Context(), "zh", "病假", in)
	if err != nil || a.Text != "病假另行计算。 [1]" {
		t.Errorf("answer %q (%v)", a.Text, err)
	}
}

func TestNothingToQuoteIsARefusal(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"no hits":              nil,
		"no words":             {"——\n1.\n…", "  "},
		"headings only":        {"# 标题在这里\n\n## 另一个标题"},
		"one endless sentence": {strings.Repeat("年假", 300)},
	} {
		if a := extract(t, scored{}, texts...); !a.Abstained || a.Text != answer.Refusal("zh") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a, err := answer.Extractor{Scorer: scored{}, Coverage: noCoverage}.Extract(t.Context(), "en", "question", nil)
	if err != nil || a.Text != "Not in the documents." {
		t.Errorf("in English: %q (%v)", a.Text, err)
	}
}

func TestOnlyTheFirstHitsAreRead(t *testing.T) {
	t.Parallel()
	texts := []string{"一号段落在此。", "二号段落在此。", "三号段落在此。", "四号段落在此。", "五号段落在此。", "六号段落最好。"}
	if a := extract(t, scored{"最好": 1, "一号": 0.5}, texts...); a.Text != "一号段落在此。 [1]" {
		t.Errorf("answer %q", a.Text)
	}
}

type failing struct{ scored }

func (failing) Rerank(context.Context, string, []rag.Passage) ([]rag.Relevance, error) {
	return nil, errors.New("no model")
}

func TestAFailingScorerIsAnError(t *testing.T) {
	t.Parallel()
	in, _ := hits("年假每年十天。")
	broken := answer.Extractor{Scorer: failing{}, Coverage: noCoverage}
	if a, err := broken.Extract(t.Context(), "zh", "年假", in); err == nil || a.Text != "" {
		t.Errorf("%+v, %v", a, err)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
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
