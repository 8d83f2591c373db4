package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/report"
	"ragdesk/backend/runs"
)

// small is an experiment with every kind of outcome, small enough to read.
func small(t *testing.T) runs.Experiment {
	t.Helper()
	all := stored(t, 24, []skill{{"vector", .62, .74, .80, .90, 18}, {"hybrid+rerank", .86, .95, .97, .99, 205}})
	r := &all[1].Records[7]
	r.Error, r.Retrieved = &runs.Failure{Code: "timeout", Params: map[string]string{}}, []runs.Retrieved{}
	return compared(t, all)
}

func TestGoldenForms(t *testing.T) {
	t.Parallel()
	exp := small(t)
	for name, write := range map[string]func(io.Writer) error{
		"report.html":      func(w io.Writer) error { return report.HTML(w, exp, report.Options{Language: report.Chinese}) },
		"report.en.md":     func(w io.Writer) error { return report.Markdown(w, exp, report.English) },
		"report.zh.md":     func(w io.Writer) error { return report.Markdown(w, exp, report.Chinese) },
		"report.zh.txt":    func(w io.Writer) error { return report.Text(w, exp, report.Chinese) },
		"queries.csv":      func(w io.Writer) error { return report.CSV(w, exp) },
		"summary.csv":      func(w io.Writer) error { return report.SummaryCSV(w, exp) },
		"flat.json":        func(w io.Writer) error { return report.Flat(w, exp) },
		"run.trec":         func(w io.Writer) error { return report.TRECRun(w, exp.Runs[1].Stored) },
		"qrels.trec":       func(w io.Writer) error { return report.TRECQrels(w, exp.Runs[1].Stored) },
		"junit.golden.xml": func(w io.Writer) error { return report.JUnit(w, exp, report.English) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, name, write)
		})
	}
}

func page(t *testing.T, exp runs.Experiment, lang string) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, exp, report.Options{Language: lang}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page must work from a disk: nothing in it may ask for anything, and its policy
// must allow its own style and nothing else.
func TestPageIsSelfContained(t *testing.T) {
	t.Parallel()
	html := page(t, small(t), report.English)
	for _, bad := range []string{"<script", "javascript:", "url(", "@import", " src=", "<link", "<iframe", "<img", "http://", "https://", " style=", " onclick="} {
		if strings.Contains(html, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	for _, href := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if !strings.HasPrefix(href[1], "#") || !strings.Contains(html, ` id="`+href[1][1:]+`"`) {
			t.Errorf("a link leads to %q", href[1])
		}
	}
	style := html[strings.Index(html, "<style>")+len("<style>") : strings.Index(html, "</style>")]
	sum := sha256.Sum256([]byte(style))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if !strings.Contains(strings.ReplaceAll(html, "&#43;", "+"), policy) {
		t.Errorf("the page's policy is not %q", policy)
	}
}

func TestPageShowsTheNumbers(t *testing.T) {
	t.Parallel()
	exp := small(t)
	html := page(t, exp, report.English)
	for _, r := range exp.Runs {
		for name, m := range r.Metrics {
			if m.Value != nil && !strings.Contains(html, strconv.FormatFloat(*m.Value, 'f', 3, 64)) {
				t.Errorf("%s of %s is not on the page", name, r.Name)
			}
		}
	}
	for _, a := range exp.Advice {
		for _, lang := range []string{report.English, report.Chinese} {
			if said := report.Advice(lang, a); !strings.Contains(html, strings.NewReplacer("+", "&#43;", "&", "&amp;").Replace(said)) && !strings.Contains(html, said) {
				t.Errorf("the page does not say %q", said)
			}
		}
	}
}

func TestPageOfOneRun(t *testing.T) {
	t.Parallel()
	exp := compared(t, stored(t, 12, []skill{{"bm25", .7, .8, .9, 1, 4}}))
	html := page(t, exp, report.Chinese)
	if strings.Contains(html, `id="moves"`) || !strings.Contains(html, `class="solo"`) {
		t.Error("a page of one run compares it")
	}
	if err := report.HTML(io.Discard, runs.Experiment{}, report.Options{}); !fault.Is(err, "runs_missing") {
		t.Errorf("no runs give %v", err)
	}
}

// Whatever a question, a document or a name holds, it is text in every form.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const bad = `"><script>alert(1)</script><svg onload=x> =1+1|*_` + "`\x00\r\n" + `</style>`
	all := stored(t, 12, []skill{{"vector", .2, .3, .4, .5, 18}, {"bm25", .2, .3, .4, .5, 4}})
	for i := range all {
		all[i].Library.KB, all[i].Dataset.Name, all[i].Strategy = bad, bad, bad
		all[i].Name = "=" + bad + strconv.Itoa(i)
		all[i].Timing.Queries[0].MS[bad] = 3
		for q := range all[i].Records {
			r := &all[i].Records[q]
			r.QueryID, r.Query, r.Type, r.Lang = bad+strconv.Itoa(q), "="+bad, bad, bad
			r.Expected = []runs.Expected{{Doc: bad, Quote: bad}}
			for h := range r.Retrieved {
				r.Retrieved[h].Source, r.Retrieved[h].Excerpt = bad, bad
			}
		}
	}
	exp := compared(t, all)
	html := page(t, exp, report.English)
	if strings.Contains(html, "<script") || strings.Contains(html, "<svg onload") || strings.Count(html, "</style>") != 1 {
		t.Error("a text reaches the page as markup")
	}
	var b bytes.Buffer
	if err := report.CSV(&b, exp); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatalf("the CSV cannot be read: %v", err)
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if strings.HasPrefix(cell, "=") {
				t.Fatalf("column %s holds a formula: %q", rows[0][i], cell)
			}
		}
	}
	b.Reset()
	if err := report.TRECRun(&b, exp.Runs[0].Stored); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if n := len(strings.Fields(line)); n != 6 {
			t.Fatalf("a line of the TREC run has %d fields: %q", n, line)
		}
	}
	b.Reset()
	if err := report.JUnit(&b, exp, report.English); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
		t.Errorf("the XML cannot be read: %v", err)
	}
	b.Reset()
	if err := report.Markdown(&b, exp, report.English); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script") {
		t.Error("a text reaches the Markdown as markup")
	}
}

func TestFlatReport(t *testing.T) {
	t.Parallel()
	exp := small(t)
	var b bytes.Buffer
	if err := report.Flat(&b, exp); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	first := exp.Runs[0]
	for _, name := range exp.Metrics {
		v, ok := got[name]
		if want := first.Metrics[name].Value; !ok || (want == nil) != (v == nil) || want != nil && v != *want {
			t.Errorf("%s at the top level is %v, want %v of the first run", name, v, want)
		}
	}
	if got["total_queries"] != float64(24) || got["failed_queries"] != float64(first.FailedQueries) {
		t.Errorf("total %v, failed %v", got["total_queries"], got["failed_queries"])
	}
	for _, key := range []string{"runs", "comparisons", "advice"} {
		if _, ok := got[key].([]any); !ok {
			t.Errorf("%s is no list", key)
		}
	}
}

// What we export and what trec_eval's rules make of it must be what we measured.
func TestTRECGivesOurNumbers(t *testing.T) {
	t.Parallel()
	exp := small(t)
	for _, r := range exp.Runs {
		dir := t.TempDir()
		paths := [2]string{filepath.Join(dir, "qrels"), filepath.Join(dir, "run")}
		for i, write := range []func(io.Writer, runs.Stored) error{report.TRECQrels, report.TRECRun} {
			var b bytes.Buffer
			if err := write(&b, r.Stored); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(paths[i], b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		named, err := measure.ParseList("hit_rate@5,recall@5,precision@5,mrr@10,ndcg@10")
		if err != nil {
			t.Fatal(err)
		}
		var ms []measure.Measure
		for _, n := range named {
			ms = append(ms, n.Measure)
		}
		got, err := measure.ScoreFiles(t.Context(), paths[0], paths[1], measure.Options{Measures: ms, Dialect: measure.DialectTREC})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range named {
			want := r.Metrics[n.Name]
			if m := got.Means[i]; m.N != want.N || math.Abs(m.Value.Score-*want.Value) > 1e-12 {
				t.Errorf("%s of %s is %v on %d there and %v on %d here", n.Name, r.Name, m.Value.Score, m.N, *want.Value, want.N)
			}
		}
	}
}

func TestTRECFields(t *testing.T) {
	t.Parallel()
	s := runs.Stored{Run: runs.Run{Name: "my run", Depth: 1000}, Records: []runs.Record{{
		QueryID: "#1 a", Answerable: true, HasGold: true, Ideal: []int{1},
		Relevant: []runs.Relevant{{ID: "a b", Grade: 1}},
	}}}
	for i := range 900 {
		s.Records[0].Retrieved = append(s.Records[0].Retrieved, runs.Retrieved{ChunkID: "c", Rank: i + 1})
	}
	for i := range s.Records[0].Retrieved {
		id := "doc " + strconv.Itoa(i)
		s.Records[0].Retrieved[i].Item = &id
	}
	odd := "50% off\u3000#2"
	s.Records[0].Retrieved[1].Item = &odd
	twice := "doc 0"
	s.Records[0].Retrieved[2].Item = &twice
	var b bytes.Buffer
	if err := report.TRECRun(&b, s); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if lines[0] != "%231%20a Q0 doc%200 1 899 my%20run" || lines[1] != "%231%20a Q0 50%25%20off%E3%80%80#2 2 898 my%20run" {
		t.Errorf("lines are %q and %q", lines[0], lines[1])
	}
	last := float32(math.Inf(1))
	for _, line := range lines {
		score, err := strconv.ParseFloat(strings.Fields(line)[4], 32)
		if err != nil || float32(score) >= last {
			t.Fatalf("scores do not fall strictly in single precision: %q after %v", line, last)
		}
		last = float32(score)
	}
	if len(lines) != 899 {
		t.Errorf("%d lines, want 899: an id stands once", len(lines))
	}
}

func TestJUnitCounts(t *testing.T) {
	t.Parallel()
	exp := small(t)
	var b bytes.Buffer
	if err := report.JUnit(&b, exp, report.English); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suites []struct {
			Tests    int        `xml:"tests,attr"`
			Failures int        `xml:"failures,attr"`
			Errors   int        `xml:"errors,attr"`
			Skipped  int        `xml:"skipped,attr"`
			Cases    []struct{} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for i, r := range exp.Runs {
		s := got.Suites[i]
		if s.Tests != r.TotalQueries || s.Failures != r.FailedQueries || s.Errors != r.ErroredQueries || s.Skipped != r.Unanswerable || len(s.Cases) != s.Tests {
			t.Errorf("suite of %s is %+v, want %d/%d/%d/%d", r.Name, s, r.TotalQueries, r.FailedQueries, r.ErroredQueries, r.Unanswerable)
		}
	}
}

// Every word is there in both languages with the same parameters, and every code of
// advice has its sentence.
func TestWords(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("words.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][2]string
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	hole := regexp.MustCompile(`\{\w+\}`)
	for key, w := range all {
		en, zh := hole.FindAllString(w[0], -1), hole.FindAllString(w[1], -1)
		slices.Sort(en)
		slices.Sort(zh)
		if w[0] == "" || w[1] == "" || !slices.Equal(slices.Compact(en), slices.Compact(zh)) {
			t.Errorf("%s: %q and %q do not match", key, w[0], w[1])
		}
	}
	for _, code := range runs.AdviceCodes() {
		if _, ok := all["advice."+code]; !ok {
			t.Errorf("advice %s has no words", code)
		}
	}
	for _, cause := range runs.Causes() {
		if _, ok := all["cause."+string(cause)]; !ok {
			t.Errorf("cause %s has no words", cause)
		}
	}
}

func TestAdviceFillsAndTranslates(t *testing.T) {
	t.Parallel()
	a := runs.Advice{Code: runs.HybridBelowLeg, Params: map[string]string{
		"run": "hybrid", "other": "bm25", "metric": "nDCG@10", "diff": "-0.030", "verdict": runs.Inconclusive,
	}}
	for lang, want := range map[string]string{
		report.English: "hybrid falls below its leg bm25 alone (nDCG@10 −0.030, inconclusive).",
		report.Chinese: "hybrid 低于单独的 bm25（nDCG@10 −0.030，无定论）。",
	} {
		if got := report.Advice(lang, a); !strings.HasPrefix(got, want) {
			t.Errorf("in %s it says %q", lang, got)
		}
	}
	braces := runs.Advice{Code: runs.MetricsLeftOut, Params: map[string]string{"metrics": "{depth}", "depth": "5"}}
	if got := report.Advice(report.English, braces); !strings.HasPrefix(got, "{depth} look deeper than the lists of all runs, which have 5 places") {
		t.Errorf("braces in a value are read: %q", got)
	}
	types := runs.Advice{Code: runs.TypesRare, Params: map[string]string{"types": "negation 4 %, odd 0 %"}}
	if got := report.Advice(report.Chinese, types); !strings.Contains(got, "否定 4 %、odd 0 %") {
		t.Errorf("types are %q", got)
	}
}

// TestAnswersOpen shows every verdict with its claims, their evidence, the judge's raw
// replies and the arithmetic.
func TestAnswersOpen(t *testing.T) {
	t.Parallel()
	all := stored(t, 6, []skill{{strategy: "vector", first: 1, three: 1, five: 1, list: 1}})
	relevancy := .625
	for q := range all[0].Records {
		r := &all[0].Records[q]
		r.Answer = &runs.Answer{
			Text: "An <answer>.", Model: "extractive", Detector: "llm", Label: "hallucinated", Context: []rag.ChunkID{r.Retrieved[0].ChunkID}, Relevancy: &relevancy,
			Claims: []runs.Claim{
				{Text: "borne out", Verdict: "supported", Reason: "matches", Score: .125, Evidence: &runs.ClaimEvidence{Text: "the evidence", Score: .5}},
				{Text: "made up", Verdict: "unverifiable", Reason: "unlike", Score: .875},
			},
			Calls: []runs.Call{{Reply: "{\"verdicts\": <raw>}", Reason: "reply_malformed"}},
			Others: []runs.Verdict{{Detector: "nli:m", Label: "unscored", Reason: "prompt_cut", Claims: []runs.Claim{{Text: "another claim", Verdict: "unscored", Reason: "prompt_cut"}},
				Calls: []runs.Call{{Reply: "raw of another"}}}},
			Rubric: &runs.Rubric{Replies: []string{"raw marks"}, Marks: map[string]runs.RubricMark{
				"faithfulness": {Mark: 3, Given: 5, Cap: "unsupported", Reason: "it names <b>"}, "relevance": {Mark: 4, Given: 4}, "completeness": {Mark: 1, Given: 1},
			}},
			Judgement: &runs.Judgement{Points: &runs.Statements{Calls: []runs.Call{{Reply: "raw points"}}}, Useful: &runs.Usefulness{Calls: []runs.Call{{Reply: "raw use"}}}, Asked: &runs.AskedBack{Calls: []runs.Call{{Reply: "raw questions"}}}},
		}
	}
	exp := compared(t, all)
	var b bytes.Buffer
	say := func(lang, code, detail string) string { return lang + ": " + code + detail }
	if err := report.HTML(&b, exp, report.Options{Language: report.English, Reason: say}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"An &lt;answer&gt;.", "borne out", "the evidence", "en: unlike", "zh: matches", "faithfulness 1 / 2 = 0.500", "risk 0.875",
		"nli:m</b>", "another claim", "raw of another", "raw marks", "raw points", "raw use", "raw questions",
		"faithfulness 3/5 (given 5, capped: content without support), (3 − 1)/4 = 0.500: it names &lt;b&gt;", "completeness 1/5, (1 − 1)/4 = 0.000",
		"cosine with the question) 0.625", "made up", "{&#34;verdicts&#34;: &lt;raw&gt;}", "reply_malformed",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestFurtherRows: what further detectors say and how the answers read stand in every form, with what is missing, and
// rows that no run has anything for do not.
func TestFurtherRows(t *testing.T) {
	t.Parallel()
	exp := compared(t, stored(t, 6, []skill{{strategy: "vector", first: 1, three: 1, five: 1, list: 1}, {strategy: "bm25", first: 1, three: 1, five: 1, list: 1}}))
	value := func(v float64) runs.Metric { return runs.Metric{Value: &v, N: 4, Of: 6, CI: &runs.CI{v / 2, 2 * v}} }
	exp.Runs[1].Others = []runs.DetectorScores{{Detector: "llm:<m>", Faithfulness: value(.25), HallucinationRate: runs.Metric{Of: 6}, Agree: 3, Both: 4}}
	exp.Runs[1].Style = &runs.StyleSummary{Length: value(12.5), Sentence: value(6), Hints: map[string]int{"sentence_long": 2, "paragraph_long": 0}}
	for name, write := range map[string]func(*bytes.Buffer, string) error{
		"text":     func(b *bytes.Buffer, lang string) error { return report.Text(b, exp, lang) },
		"Markdown": func(b *bytes.Buffer, lang string) error { return report.Markdown(b, exp, lang) },
		"HTML":     func(b *bytes.Buffer, lang string) error { return report.HTML(b, exp, report.Options{Language: lang}) },
	} {
		for lang, wants := range map[string][]string{
			report.English: {"Faithfulness by llm:", "0.250", "0.125, 0.500", "(n 4/6)", "– (n 0/6)", "3 / 4", "Answer length", "12.5", "6.2, 25.0", "Answers with a long sentence"},
			report.Chinese: {"忠实度（llm:", "判断一致", "回答长度", "有长句的回答"},
		} {
			var b bytes.Buffer
			if err := write(&b, lang); err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer(`\[`, "[", `\]`, "]", `\(`, "(", `\)`, ")", `\_`, "_").Replace(b.String())
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s in %s lacks %q", name, lang, want)
				}
			}
			for _, bad := range []string{"Length / reference", "与参考答案的长度比", "long paragraph", "有长段"} {
				if strings.Contains(got, bad) {
					t.Errorf("%s in %s has %q, of which there is nothing", name, lang, bad)
				}
			}
			if name != "text" && strings.Contains(got, "<m>") {
				t.Errorf("%s in %s has a name as markup", name, lang)
			}
		}
	}
}

func TestReportsNameEveryLibrary(t *testing.T) {
	t.Parallel()
	all := stored(t, 12, []skill{{"bm25", .7, .8, .9, 1, 4}, {"vector", .2, .3, .4, 1, 4}})
	all[1].Library.KB, all[1].Dataset.Name = "recipes", "more-questions"
	exp := compared(t, all)
	var text, markdown strings.Builder
	if err := errors.Join(report.Text(&text, exp, report.English), report.Markdown(&markdown, exp, report.English)); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), markdown.String(), page(t, exp, report.English)} {
		for _, want := range []string{"sample, recipes", "sample-questions, more-questions", "searched the library sample"} {
			if !strings.Contains(strings.ReplaceAll(out, "\\", ""), want) {
				t.Errorf("%q is not in\n%.400s", want, out)
			}
		}
	}
}

// Of many metrics some differ by chance: a table says which verdicts are exploratory.
func TestTablesSayWhatIsExploratory(t *testing.T) {
	t.Parallel()
	exp := compared(t, stored(t, 12, []skill{{"bm25", .7, .8, .9, 1, 4}, {"vector", .2, .3, .4, 1, 4}}))
	for i := range exp.Comparisons {
		exp.Comparisons[i].Verdict = runs.Worse
	}
	for _, c := range []struct{ lang, mark, legend string }{{report.English, "worse (exploratory)", "Exploratory: not"}, {report.Chinese, "更差（探索性）", "探索性：不属于"}} {
		for _, write := range []func(io.Writer, runs.Experiment, string) error{report.Text, report.Markdown} {
			var b strings.Builder
			if err := write(&b, exp, c.lang); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(b.String(), c.mark); n != len(exp.Comparisons)-1 || !strings.Contains(b.String(), c.legend) {
				t.Errorf("%d of %d verdicts are marked:\n%.1500s", n, len(exp.Comparisons)-1, b.String())
			}
		}
	}
}
