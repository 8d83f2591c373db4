package cli_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// questions are in the library "tree" of TestScripts: graded gold, gold that the
// library lacks, and a question without an answer.
const questions = `{"query_id":"q1","question":"潮水涨落","type":"factual","gold":[{"doc":"rare.txt","quote":"潮水涨了又落","grade":2},{"doc":"leave.md"}]}
{"query_id":"q2","question":"How many tea pots are there?","type":"unanswerable"}
{"query_id":"q3","question":"谁修理了灯塔的灯","type":"reasoning","gold":[{"doc":"nowhere.txt"}]}
{"query_id":"q4","question":"病假期间工资按几成发放","type":"factual","gold":[{"doc":"leave.md","quote":"病假期间工资按八成发放"}]}
`

// writeAll writes files of a folder of its own and returns the folder.
func writeAll(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// must runs ragdesk and returns what it printed.
func must(t *testing.T, workspace, dir string, code int, args ...string) string {
	t.Helper()
	r := run(t.Context(), dir, args, "RAGDESK_WORKSPACE="+workspace)
	if r.code != code || r.stderr != "" && code == 0 && strings.Contains(strings.Join(args, " "), "--json") {
		t.Fatalf("%v: exit %d, want %d: %s%s", args, r.code, code, r.stdout, r.stderr)
	}
	return r.stdout
}

// report is what of an evaluation the tests look at.
type report struct {
	Runs []struct {
		RunID   string `json:"run_id"`
		Name    string
		Metrics map[string]struct{ Value *float64 }
	}
	Comparisons []struct{ A, B string }
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// TestRunsComeBack evaluates, and then shows, compares and exports what was
// stored: the exported lists, scored as TREC files, have the same values.
func TestRunsComeBack(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	dir := writeAll(t, map[string]string{"questions.jsonl": questions})
	names := []string{"nDCG@10", "Recall@5", "MRR", "P@3"}
	first := decode[report](t, must(t, workspace, dir, 0, "eval", "--kb", "tree", "--dataset", "questions.jsonl",
		"--strategies", "bm25,hybrid", "--metrics", strings.Join(names, ","), "--json"))

	listed := decode[struct {
		Runs []struct {
			RunID string `json:"run_id"`
		}
		Broken []string
	}](t, must(t, workspace, dir, 0, "runs", "list", "--json"))
	if len(listed.Runs) != 2 || len(listed.Broken) != 0 {
		t.Fatalf("listed %+v, want two runs", listed)
	}
	for _, r := range first.Runs {
		shown := decode[report](t, must(t, workspace, dir, 0, "runs", "show", r.RunID, "--json"))
		for _, name := range names {
			if *shown.Runs[0].Metrics[name].Value != *r.Metrics[name].Value {
				t.Errorf("%s shows another %s than it had", r.RunID, name)
			}
		}
		files := writeAll(t, map[string]string{
			"run":   must(t, workspace, dir, 0, "runs", "export", r.RunID, "--format", "trec"),
			"qrels": must(t, workspace, dir, 0, "runs", "export", r.RunID, "--format", "qrels"),
		})
		scored := decode[struct{ Metrics map[string]float64 }](t, must(t, workspace, files, 0, "score",
			"--qrels", "qrels", "--run", "run", "--metrics", strings.Join(names, ","), "--gain", "exp", "--json"))
		for _, name := range names {
			if want := *r.Metrics[name].Value; math.Abs(scored.Metrics[name]-want) > 1e-12 {
				t.Errorf("%s of the exported run %s is %v, want %v", name, r.Name, scored.Metrics[name], want)
			}
		}
	}
	both := decode[report](t, must(t, workspace, dir, 0, "runs", "compare", first.Runs[1].RunID, first.Runs[0].RunID, "--json"))
	if len(both.Comparisons) != len(names) || both.Comparisons[0].A != "hybrid" || both.Comparisons[0].B != "bm25" {
		t.Errorf("compared %+v, want each metric of bm25 against hybrid", both.Comparisons)
	}
	must(t, workspace, dir, 2, "runs", "compare", first.Runs[0].RunID, first.Runs[0].RunID, "--json")
	must(t, workspace, dir, 2, "runs", "export", first.Runs[0].RunID, "--format", "word", "--json")
	must(t, workspace, dir, 1, "runs", "show", "19990101", "--json")
	if csv := must(t, workspace, dir, 0, "runs", "export", first.Runs[0].RunID, "--format", "csv"); !strings.Contains(csv, "q4") {
		t.Errorf("no question in the table %q", csv)
	}
}

// steadyRun replaces what in an evaluation differs from run to run.
func steadyRun(s, workspace, dir string) string {
	s = strings.ReplaceAll(steady(s, workspace), dir, "OUT")
	for _, r := range []struct{ pattern, with string }{
		{`\d{8}-\d{6}-([a-z0-9-]+)-[0-9a-f]{6}`, `20260102-030405-$1-abcdef`},
		{`"created":( ?)"[^"]*"`, `"created":$1"2026-01-02T03:04:05Z"`},
		{`"(version|go|os|arch)":( ?)"[^"]*"`, `"$1":$2"…"`},
		{`"(cpus|workers)":( ?)\d+`, `"$1":${2}2`},
		{`"(p50|p95|total|vector|bm25|fusion|rerank)":( ?)[\d.]+`, `"$1":${2}0.5`},
		{`"content":( ?)"[0-9a-f]{16}"`, `"content":$1"0123456789abcdef"`},
		{`("latency_ms": \{\s*"diff": )[-\d.e]+(,\s*"ci": \[\s*)[-\d.e]+(,\s*)[-\d.e]+(\s*\],\s*"verdict": )"\w+"`, `${1}0.5${2}0.25${3}0.75$4"slower"`},
	} {
		s = regexp.MustCompile(r.pattern).ReplaceAllString(s, r.with)
	}
	return s
}

// TestFormatsOfEvaluation holds the JSON of an evaluation, of what is stored of
// it and of what goes into it against docs/formats. The strategies are BM25 and
// its reranking, whose ranks do not differ by machine here.
func TestFormatsOfEvaluation(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	dir := writeAll(t, map[string]string{
		"questions.jsonl": questions,
		"wrong.jsonl":     strings.Replace(questions, `"grade":2`, `"grade":7`, 1),
		"qrels":           "q 0 d1 3\nq 0 d2 2\nq 0 d3 1\n",
		"questions.csv":   "编号,提问,来源文件,原文片段\n1,灯塔看守人何时记录？,rare.txt,灯塔看守人每晚记录一次潮位\n",
		"run":             "q Q0 d5 1 0.9 t\nq Q0 d1 2 0.8 t\nq Q0 d3 3 0.6 t\n",
		"eval_config.yaml": "dataset_path: ./questions.jsonl\nknowledge_base: tree\nretriever: {type: bm25, top_k: 3}\n" +
			"metrics: [hit_rate@3, ndcg@5, faithfulness]\noutput: ./report.json\n",
	})
	clean := func(s string) string { return steadyRun(s, workspace, dir) }
	eval := must(t, workspace, dir, 0, "eval", "--kb", "tree", "--dataset", "questions.jsonl", "--strategies", "bm25,bm25+rerank",
		"--metrics", "Hit@1,nDCG@3", "--top-k", "2", "--rerank-depth", "2", "--seed", "1", "--json")
	golden(t, "eval.json", clean(eval))
	id := decode[report](t, eval).Runs[0].RunID
	for file, name := range map[string]string{"run.json": "run.json", "results.jsonl": "run-results.jsonl", "metrics.json": "run-metrics.json", "timing.json": "run-timing.json"} {
		b, err := os.ReadFile(filepath.Join(workspace, "runs", id, file))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, clean(string(b)))
	}
	for _, c := range []struct {
		name string
		code int
		args []string
	}{
		{"runs-show.json", 0, []string{"runs", "show", id, "--metrics", "nDCG@3"}},
		{"runs-note.json", 0, []string{"runs", "note", id, "换了重排器"}},
		{"runs-list.json", 0, []string{"runs", "list"}},
		{"eval-estimate.json", 0, []string{"eval", "--kb", "tree", "--dataset", "questions.jsonl", "--strategies", "bm25", "--estimate"}},
		{"runs-questions.json", 0, []string{"runs", "questions", id}},
		{"score.json", 0, []string{"score", "--qrels", "qrels", "--run", "run", "--metrics", "nDCG@3,MRR", "--per-query"}},
		{"dataset-validate.json", 2, []string{"dataset", "validate", "--kb", "tree", "wrong.jsonl"}},
		{"dataset-import.json", 0, []string{"dataset", "import", "--name", "tides", "questions.jsonl"}},
		{"dataset-list.json", 0, []string{"dataset", "list"}},
		{"dataset-split.json", 0, []string{"dataset", "split", "tides", "--parts", "dev=0.5,test=0.5"}},
		{"dataset-sample.json", 0, []string{"dataset", "sample", "tides", "--n", "2"}},
		{"dataset-questions.json", 0, []string{"dataset", "questions", "tides", "--kb", "tree"}},
		{"dataset-preview.json", 0, []string{"dataset", "preview", "questions.csv"}},
		{"dataset-label.json", 0, []string{"dataset", "label", "labelled", "--kb", "tree", "--question", "灯塔何时亮？", "--doc", "rare.txt", "--start", "0", "--end", "4", "--grade", "2"}},
		{"dataset-leakcheck.json", 0, []string{"dataset", "leakcheck", "tides", "--kb", "tree"}},
		{"dataset-export.jsonl", 0, []string{"dataset", "export", "tides"}},
		{"tune.json", 0, []string{"tune", "--kb", "tree", "--dataset", "questions.jsonl", "--strategies", "union,weighted", "--alphas", "0.25",
			"--baseline", "union", "--primary", "MRR@3", "--save", "--unconfirmed"}},
		{"tune-forget.json", 0, []string{"tune", "--kb", "tree", "--forget"}},
	} {
		golden(t, c.name, clean(must(t, workspace, dir, c.code, append(c.args, "--json")...)))
	}
	must(t, workspace, dir, 0, "eval", "-c", "eval_config.yaml", "--json")
	flat, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err = errors.Join(err, os.Remove(filepath.Join(dir, "report.json"))); err != nil {
		t.Fatal(err)
	}
	golden(t, "eval-flat.json", clean(string(flat)))
}

// TestFormatOfSelftest looks at one vector: their names and values are those of
// the packages that own them.
func TestFormatOfSelftest(t *testing.T) {
	t.Parallel()
	cacheDir(t)
	out := must(t, t.TempDir(), "", 0, "selftest", "--json")
	one := regexp.MustCompile(`(?s)(\n    \}),\n.*(\n  \])`)
	golden(t, "selftest.json", one.ReplaceAllString(out, "$1$2"))
}

// TestFormatOfVerify judges answers of each kind.
func TestFormatOfVerify(t *testing.T) {
	t.Parallel()
	cacheDir(t)
	dir := t.TempDir()
	items := `{"id":"said","question":"年假有几天？","context":["员工每年享有十天年假。病假另行计算。"],"answer":"员工每年享有十天年假。","label":"faithful"}
{"id":"other","question":"How long is the leave?","context":["Employees are entitled to ten days of paid leave a year."],"answer":"Employees are entitled to 25 days of paid leave a year.","label":"hallucinated"}
{"question":"年假有几天？","context":"员工每年享有十天年假。","answer":"资料中没有相关信息。"}
{"id":"ja","question":"休暇は何日ですか","context":["有給休暇は年に十日です。"],"answer":"有給休暇は年に二十日あります。"}
`
	if err := os.WriteFile(filepath.Join(dir, "items.jsonl"), []byte(items), 0o600); err != nil {
		t.Fatal(err)
	}
	out := must(t, t.TempDir(), dir, 0, "verify", "--json", "--lang", "en", "items.jsonl")
	out = regexp.MustCompile(`"score": 0\.\d+`).ReplaceAllString(out, `"score": 0.5`)
	golden(t, "verify.json", regexp.MustCompile(`"fingerprint": ".*"`).ReplaceAllString(out, `"fingerprint": "…"`))
}

// TestFormatOfLabels labels what a detector judged, and compares.
func TestFormatOfLabels(t *testing.T) {
	t.Parallel()
	cacheDir(t)
	dir, workspace := t.TempDir(), t.TempDir()
	items := `{"id":"said","question":"年假有几天？","context":["员工每年享有十天年假。病假另行计算。"],"answer":"员工每年享有十天年假。"}
{"id":"other","question":"How long is the leave?","context":["Employees are entitled to ten days of paid leave a year."],"answer":"Employees are entitled to 25 days of paid leave a year."}
{"id":"third","question":"How long is the leave?","context":["Employees are entitled to ten days of paid leave a year."],"answer":"Employees are entitled to ten days of paid leave a year."}
`
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("items.jsonl", items)
	write("verdicts.json", must(t, workspace, dir, 0, "verify", "--json", "items.jsonl"))
	r := run(t.Context(), dir, []string{"labels", "export", "verdicts.json", "--sample", "100%"}, "RAGDESK_WORKSPACE="+workspace)
	golden(t, "labels-export.jsonl", r.stdout)
	state := map[string]string{"": "supported", "25 days": "contradicted"}
	var filled []string
	for line := range strings.Lines(r.stdout) {
		said := state[""]
		if strings.Contains(line, "25 days") {
			said = state["25 days"]
		}
		filled = append(filled, strings.Replace(line, `"state":""`, `"state":"`+said+`"`, 1))
	}
	write("filled.jsonl", strings.Join(filled, ""))
	golden(t, "labels-import.json", must(t, workspace, dir, 0, "labels", "import", "filled.jsonl", "--by", "anna", "--json"))
	unsteady := regexp.MustCompile(`"(fingerprint|last|at)": "[^"]+"`)
	golden(t, "labels-agreement.json", unsteady.ReplaceAllString(
		must(t, workspace, dir, 0, "labels", "agreement", "verdicts.json", "--disagreements", "5", "--json"), `"$1": "…"`))
	golden(t, "labels-list.json", unsteady.ReplaceAllString(must(t, workspace, dir, 0, "labels", "list", "--json"), `"$1": "…"`))
}
