package dataset_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// TestShapes reads the shapes of a file, each with what it holds in the canonical
// one.
func TestShapes(t *testing.T) {
	t.Parallel()
	gold := func(doc string, grade int) dataset.Gold { return dataset.Gold{Doc: doc, Grade: grade} }
	for _, c := range []struct {
		name, in string
		format   dataset.Format
		want     []dataset.Question
	}{
		{"canonical lines", `{"query_id":"a","question":"Q?","type":"multi-hop","lang":"en","variant_of":null,"answers":["x","y"],"key_points":["k"],"gold":[{"doc":"d.md","quote":"q","start":3,"end":4,"grade":2},{"doc":"e.md","quote":null,"start":null,"end":null,"grade":1}]}

{"query_id":"b","question":"Q!","variant_of":"a","gold":[{"doc":"d.md"}],"unknown":{"x":[1]}}`, "", []dataset.Question{
			{ID: "a", Text: "Q?", Type: "multi_hop", Lang: "en", Answers: []string{"x", "y"}, KeyPoints: []string{"k"}, Line: 1,
				Gold: []dataset.Gold{{Doc: "d.md", Quote: "q", Points: &rag.Span{Start: 3, End: 4}, Grade: 2}, gold("e.md", 1)}},
			{ID: "b", Text: "Q!", VariantOf: "a", Gold: []dataset.Gold{gold("d.md", 1)}, Line: 3},
		}},
		{"array over many lines", "\ufeff[\n  {\n    \"query\": \"一？\",\n    \"relevant_ids\": [\"c1\", 7]\n  },\r\n  {\"query\": \"二？\", \"relevant_chunks\": [\n    {\"id\": \"c2\", \"relevance\": 2},\n    \"c3\"\n  ]}\n]\n", "", []dataset.Question{
			{ID: "q1", Text: "一？", Gold: []dataset.Gold{gold("c1", 1), gold("7", 1)}, Line: 2},
			{ID: "q2", Text: "二？", Gold: []dataset.Gold{gold("c2", 2), gold("c3", 1)}, Line: 6},
		}},
		{"other names", `[{"id":5,"question":"?","doc_id":"no gold","ground_truth":"A","relevant_docs":"r.md","key_points":"k"},{"query":"?","answer":"B","relevant_chunk_ids":["c"],"type":"Yes/No"}]`, "", []dataset.Question{
			{ID: "5", Text: "?", Answers: []string{"A"}, KeyPoints: []string{"k"}, Gold: []dataset.Gold{gold("r.md", 1)}, Line: 1},
			{ID: "q2", Text: "?", Answers: []string{"B"}, Type: "Yes/No", Gold: []dataset.Gold{gold("c", 1)}, Line: 1},
		}},
		{"rows of contexts", `{"question":"?","contexts":["c1","c2"],"answer":"said","ground_truth":"true"}
{"user_input":"?","retrieved_contexts":[],"response":"said","reference":"true"}
{"question":"?","contexts":["c"],"answer":"said"}`, "", []dataset.Question{
			{ID: "q1", Text: "?", Answers: []string{"true"}, Contexts: []string{"c1", "c2"}, Response: "said", Line: 1},
			{ID: "q2", Text: "?", Answers: []string{"true"}, Response: "said", Line: 2},
			{ID: "q3", Text: "?", Contexts: []string{"c"}, Response: "said", Line: 3},
		}},
		{"table", "\ufeffquery_id,Question,type,answers,gold,key_points\n1,\"多行，\n问题\",factual,甲|乙,\"[{\"\"doc\"\":\"\"a.md\"\",\"\"quote\"\":\"\"x,y\"\",\"\"grade\"\":2}]\",\"[\"\"k|1\"\"]\"\n2,?,multi hop,,b.md|c.md,\n", "csv", []dataset.Question{
			{ID: "1", Text: "多行，\n问题", Type: "factual", Answers: []string{"甲", "乙"}, KeyPoints: []string{"k|1"}, Gold: []dataset.Gold{{Doc: "a.md", Quote: "x,y", Grade: 2}}, Line: 2},
			{ID: "2", Text: "?", Type: "multi_hop", Gold: []dataset.Gold{gold("b.md", 1), gold("c.md", 1)}, Line: 4},
		}},
		{"table with semicolons", "\ufeffquestion;relevant_ids;answers\n\"a; b, c?\";d;x\n", "csv", []dataset.Question{
			{ID: "q1", Text: "a; b, c?", Answers: []string{"x"}, Gold: []dataset.Gold{gold("d", 1)}, Line: 2},
		}},
		{"table with tabs, named csv", "question\trelevant_ids\n?\td\n", "csv", []dataset.Question{
			{ID: "q1", Text: "?", Gold: []dataset.Gold{gold("d", 1)}, Line: 2},
		}},
		{"table with a passage a row", "question\tdoc\tquote\tstart\tend\tgrade\tanswer\n?\ta b.md\tsaid \"so\"\t4\t9\t2\ta|b\n", "tsv", []dataset.Question{
			{ID: "q1", Text: "?", Answers: []string{"a|b"}, Gold: []dataset.Gold{{Doc: "a b.md", Quote: `said "so"`, Points: &rag.Span{Start: 4, End: 9}, Grade: 2}}, Line: 2},
		}},
	} {
		ds, problems, err := dataset.Parse(t.Context(), strings.NewReader(c.in), c.format)
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: problems %v, error %v", c.name, problems, err)
		}
		if diff := cmp.Diff(c.want, ds.Questions, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// folder writes files given as name and content in turn.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, path string, o dataset.Options) (dataset.Dataset, []dataset.Problem) {
	t.Helper()
	ds, problems, err := dataset.Read(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return ds, problems
}

func TestBEIRFolder(t *testing.T) {
	t.Parallel()
	dir := folder(t, "corpus.jsonl", "{\"_id\":\"d1\",\"title\":\"\",\"text\":\"x\"}\n{\"_id\":\"d2\",\"text\":\"y\"}\n",
		"queries.jsonl", "{\"_id\":\"q1\",\"text\":\"one\",\"metadata\":{}}\n{\"_id\":\"q2\",\"text\":\"of another split\"}\n{\"_id\":\"q3\",\"text\":\"three\"}\n",
		"qrels/dev.tsv", "query-id\tcorpus-id\tscore\nq3\td2\t1\nq3\td9\t1\n",
		"qrels/test.tsv", "query-id\tcorpus-id\tscore\r\nq1\td1\t2\r\nq1\td2\t-1\r\nq1\td1\t1\r\nq9\td1\t1\r\nq1\td2\t9\nbad line\n")
	ds, problems := read(t, dir, dataset.Options{})
	want := []dataset.Question{
		{ID: "q1", Text: "one", Line: 1, Gold: []dataset.Gold{{Doc: "d1", Grade: 2}, {Doc: "d2", Grade: 1}}},
		{ID: "q3", Text: "three", Line: 3, Gold: []dataset.Gold{{Doc: "d2", Grade: 1}, {Doc: "d9", Grade: 1}}},
	}
	if diff := cmp.Diff(want, ds.Questions, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	wantProblems := []dataset.Problem{
		{Line: 0, Code: "query_unknown", Detail: "q9"},
		{Line: 3, Code: "unknown_document", Detail: "d9"},
		{Line: 6, Code: "grade_out_of_range", Detail: "test.tsv: 9"},
		{Line: 7, Code: "bad_row", Detail: "test.tsv: 2 ≠ 3, 4"},
	}
	if diff := cmp.Diff(wantProblems, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestTRECTopicsAndQrels(t *testing.T) {
	t.Parallel()
	const classic = "<top>\n<num> Number: 301\n<title> crime &amp; order\n<desc> Description:\nlong\n</top>\n\n<top>\n<num> Number: 302\n<title>\nsecond title\n<narr> x\n</top>\n"
	const modern = "<topics task=\"x\">\n<topic number=\"301\">\n<query>short</query>\n<question>crime &amp; order</question>\n</topic>\n<topic number=\"302\"><title>second title</title></topic>\n</topics>\n"
	const lines = "301\tcrime & order\n302\tsecond title\n"
	const qrels = "301 0 FBIS-1 2\n301 0 FBIS-2 0\n302 0 FT-1 1\n"
	for name, topics := range map[string]string{"topics.txt": classic, "topics.xml": modern, "queries.tsv": lines} {
		dir := folder(t, name, topics, "qrels.txt", qrels)
		ds, problems := read(t, dir, dataset.Options{})
		apart, _ := read(t, filepath.Join(dir, name), dataset.Options{Qrels: filepath.Join(dir, "qrels.txt")})
		want := []dataset.Question{
			{ID: "301", Text: "crime & order", Gold: []dataset.Gold{{Doc: "FBIS-1", Grade: 2}, {Doc: "FBIS-2"}}},
			{ID: "302", Text: "second title", Gold: []dataset.Gold{{Doc: "FT-1", Grade: 1}}},
		}
		noLine := cmpopts.IgnoreFields(dataset.Question{}, "Line")
		if diff := cmp.Diff(want, ds.Questions, noLine, cmpopts.EquateEmpty()); diff != "" || len(problems) > 0 {
			t.Errorf("%s: problems %v (-want +got):\n%s", name, problems, diff)
		}
		if diff := cmp.Diff(ds.Questions, apart.Questions); diff != "" {
			t.Errorf("%s, two files (-folder +files):\n%s", name, diff)
		}
	}
}

func TestFormatIsTold(t *testing.T) {
	t.Parallel()
	dir := folder(t, "a.txt", "\ufeff\n [ {\"query\":\"?\",\"relevant_ids\":[\"d\"]} ]", "b", "question,relevant_ids\n?,d\n",
		"c.tsv", "query\trelevant_ids\n?\td\n", "d.JSON", "{\"query\":\"?\",\"relevant_ids\":\"d\"}")
	for _, name := range []string{"a.txt", "b", "c.tsv", "d.JSON"} {
		ds, problems := read(t, filepath.Join(dir, name), dataset.Options{})
		if len(problems) > 0 || len(ds.Questions) != 1 || ds.Questions[0].Gold[0].Doc != "d" || ds.Name != name[:1] {
			t.Errorf("%s: %+v, problems %v", name, ds, problems)
		}
	}
}

func TestReadFaults(t *testing.T) {
	t.Parallel()
	dir := folder(t, "x.jsonl", "{}", "sub/other.txt", "")
	for _, c := range []struct {
		path string
		o    dataset.Options
		code string
	}{
		{"none.jsonl", dataset.Options{}, "not_found"},
		{"x.jsonl", dataset.Options{Qrels: filepath.Join(dir, "none")}, "not_found"},
		{"x.jsonl", dataset.Options{Format: "yaml"}, "dataset_format_unknown"},
		{"sub", dataset.Options{}, "dataset_folder_unknown"},
		{"x.jsonl", dataset.Options{Qrels: dir}, "unreadable"},
	} {
		if _, _, err := dataset.Read(t.Context(), filepath.Join(dir, c.path), c.o); !fault.Is(err, c.code) {
			t.Errorf("%s %+v: error %v, want %s", c.path, c.o, err, c.code)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := dataset.Read(ctx, filepath.Join(dir, "x.jsonl"), dataset.Options{}); err == nil {
		t.Error("a cancelled reading succeeds")
	}
}

// TestEveryProblem reads files in which everything is wrong, each mistake listed
// once with its line.
func TestEveryProblem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		want []dataset.Problem
	}{
		{"broken.jsonl", []dataset.Problem{
			{Line: 2, Code: "duplicate_id", Detail: "ok, 1"},
			{Line: 3, Code: "question_blank", Detail: "blank"},
			{Line: 4, Code: "grade_out_of_range", Detail: "7"},
			{Line: 4, Code: "grade_out_of_range", Detail: "-1"},
			{Line: 4, Code: "grade_out_of_range", Detail: "1.5"},
			{Line: 4, Code: "grade_out_of_range", Detail: "high"},
			{Line: 5, Code: "gold_missing", Detail: "bare"},
			{Line: 6, Code: "gold_on_unanswerable", Detail: "a.md"},
			{Line: 7, Code: "bad_json", Detail: `…d":"cut","question":▸}`},
			{Line: 8, Code: "variant_unknown", Detail: "nobody"},
			{Line: 9, Code: "variant_cycle", Detail: "loop"},
			{Line: 10, Code: "offsets_invalid", Detail: "gold[0]: [1,?)"},
			{Line: 10, Code: "offsets_invalid", Detail: "gold[1]: [5,5)"},
			{Line: 10, Code: "bad_field", Detail: "gold[2].end: integer"},
			{Line: 10, Code: "offsets_invalid", Detail: "gold[2]: [1,?)"},
			{Line: 11, Code: "bad_field", Detail: "question: string"},
			{Line: 11, Code: "bad_field", Detail: "answers[1]: string"},
			{Line: 11, Code: "bad_field", Detail: "gold[1]: object, string"},
			{Line: 11, Code: "question_blank", Detail: "kinds"},
			{Line: 12, Code: "gold_document_blank", Detail: "words"},
			{Line: 13, Code: "bad_json", Detail: "{…}"},
			{Line: 14, Code: "not_utf8"},
			{Line: 15, Code: "gold_missing", Detail: "zero"},
			{Line: 16, Code: "gold_missing", Detail: "q13"},
		}},
		{"broken.json", []dataset.Problem{
			{Line: 5, Code: "bad_json", Detail: `    ▸"gold": ["x"]`},
			{Line: 9, Code: "bad_json", Detail: `…"question": "Quote?,▸`},
			{Line: 15, Code: "gold_missing", Detail: "q2"},
			{Line: 20, Code: "bad_json", Detail: "▸]"},
		}},
		{"broken.csv", []dataset.Problem{
			{Line: 2, Code: "bad_row", Detail: "2 ≠ 3"},
			{Line: 3, Code: "grade_out_of_range", Detail: "9"},
			{Line: 4, Code: "bad_quotes", Detail: `"`},
			{Line: 5, Code: "question_blank", Detail: "q2"},
			{Line: 5, Code: "gold_missing", Detail: "q2"},
		}},
		{"none.jsonl", []dataset.Problem{{Line: 0, Code: "no_questions", Detail: filepath.Join("testdata", "none.jsonl")}}},
		{"columns.csv", []dataset.Problem{{Line: 1, Code: "no_column", Detail: "question"}}},
	} {
		_, problems := read(t, filepath.Join("testdata", c.file), dataset.Options{})
		if diff := cmp.Diff(c.want, problems, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.file, diff)
		}
		if err := dataset.Refuse(c.file, problems); !fault.Is(err, "dataset_invalid") {
			t.Errorf("%s: refused with %v", c.file, err)
		}
	}
}

func TestManyProblemsAreCounted(t *testing.T) {
	t.Parallel()
	_, problems, err := dataset.Parse(t.Context(), strings.NewReader(strings.Repeat("x\n", 1234)), "")
	if err != nil {
		t.Fatal(err)
	}
	if last := problems[len(problems)-1]; len(problems) != 1001 || last != (dataset.Problem{Code: "more_problems", Detail: "234"}) {
		t.Errorf("%d problems, last %+v", len(problems), last)
	}
}

// TestLongRecord has a line above the limit between two good ones.
func TestLongRecord(t *testing.T) {
	t.Parallel()
	good := `{"question":"?","gold":["d"]}` + "\n"
	ds, problems, err := dataset.Parse(t.Context(), strings.NewReader(good+`{"question":"`+strings.Repeat("x", 17<<20)+"\"}\n"+good), "")
	if err != nil || len(ds.Questions) != 2 || len(problems) != 1 || problems[0].Code != "record_too_long" || problems[0].Line != 2 {
		t.Errorf("%d questions, problems %v, error %v", len(ds.Questions), problems, err)
	}
}

func TestHashIsOfTheContent(t *testing.T) {
	t.Parallel()
	lines := parse(t, "", `{"query_id":"a","question":"?","answers":["x"],"gold":[{"doc":"d","grade":1}]}`)
	array := parse(t, "", "[\n\n{\"answer\":\"x\",\"id\":\"a\",\"query\":\"?\",\"relevant_ids\":[\"d\"]}]")
	table := parse(t, "csv", "query_id,query,answer,relevant_ids\na,?,x,d\n")
	if lines.Hash() != array.Hash() || lines.Hash() != table.Hash() {
		t.Errorf("equal content hashes to %s, %s, %s", lines.Hash(), array.Hash(), table.Hash())
	}
	other := parse(t, "", `{"query_id":"a","question":"?","answers":["x"],"gold":[{"doc":"d","grade":2}]}`)
	if other.Hash() == lines.Hash() {
		t.Error("another grade has the same hash")
	}
	golden(t, "canonical.golden.jsonl", parse(t, "", string(lines.Bytes())).Bytes())
}

// roundTrip reads b: nothing panics, problems have lines of the file, and what is
// read without a problem comes back equal from its canonical form.
func roundTrip(t *testing.T, b []byte, kind byte) {
	t.Helper()
	formats := []dataset.Format{dataset.FormatJSON, dataset.FormatCSV, dataset.FormatTSV, dataset.FormatTREC}
	ds, problems, err := dataset.Parse(context.Background(), bytes.NewReader(b), formats[int(kind)%len(formats)])
	if err != nil {
		t.Fatal(err)
	}
	lines := 1 + bytes.Count(b, []byte("\n"))
	for _, p := range problems {
		if p.Line < 0 || p.Line > lines {
			t.Fatalf("problem %+v of %d lines", p, lines)
		}
	}
	if len(problems) > 0 {
		return
	}
	again, problems, err := dataset.Parse(context.Background(), bytes.NewReader(ds.Bytes()), dataset.FormatJSON)
	if err != nil || len(problems) > 0 || again.Hash() != ds.Hash() {
		t.Fatalf("problems %v, error %v, hash %s of %s, from\n%s", problems, err, again.Hash(), ds.Hash(), ds.Bytes())
	}
}

// seeds are files and pieces to start from.
func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	out := [][]byte{
		[]byte("[{\"question\":\"a\",\"gold\":[\"b\"]}{}}]x"), []byte("<top><num>Number: 1<title>x</top"),
		[]byte("[1,\"a\\\",{\n{"), []byte("question\tanswers\n?\ta|b\n"), []byte("1\tone\n2\ttwo"),
	}
	for _, name := range []string{"broken.jsonl", "broken.json", "broken.csv", "canonical.golden.jsonl"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// TestMutatedFiles damages files at a few places, seeded.
func TestMutatedFiles(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	files := seeds(t)
	const marks = "[]{}\",\\\n<> :a1|\t\xff"
	for range 4000 {
		b := bytes.Clone(files[rng.IntN(len(files))])
		for range 1 + rng.IntN(6) {
			at := rng.IntN(len(b) + 1)
			cut := min(at+rng.IntN(3), len(b))
			b = slices.Concat(b[:at], []byte{marks[rng.IntN(len(marks))]}, b[cut:])
		}
		roundTrip(t, b, byte(rng.IntN(4)))
	}
}

func FuzzParse(f *testing.F) {
	for _, b := range seeds(f) {
		for kind := range byte(4) {
			f.Add(b, kind)
		}
	}
	f.Fuzz(roundTrip)
}

// TestMisspeltKeysAreSaid: a key that is not read and looks like one that is gets a notice, at
// its first line; anybody's own keys get none.
func TestMisspeltKeysAreSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		format   dataset.Format
		want     []dataset.Problem
	}{
		{"question and gold", `{"question":"?","anwser":"a","gold":[{"doc":"d","grad":2,"qoute":"x"}]}
{"question":"?","anwser":"b","gold":[{"doc":"d","page":3}]}`, "", []dataset.Problem{
			{Line: 1, Code: "key_unread", Detail: "anwser → answer (×2)"},
			{Line: 1, Code: "key_unread", Detail: "grad → grade"},
			{Line: 1, Code: "key_unread", Detail: "qoute → quote"},
		}},
		{"other case", `{"question":"?","queryId":"a","keyPoints":["k"],"gold":["d"]}`, "", []dataset.Problem{
			{Line: 1, Code: "key_unread", Detail: "keyPoints → key_points"}, {Line: 1, Code: "key_unread", Detail: "queryId → query_id"},
		}},
		{"their own", `{"question":"?","metadata":{"anwser":1},"difficulty":"hard","tags":[],"title":"t","date":"d","level":1,"sources":[],"source":"s","gold":[{"doc":"d","title":"t"}]}`, "", nil},
		{"table", "question,anwser,relevant_ids,grad,page\n?,a,d,2,3\n?,b,d,2,3\n", "csv", []dataset.Problem{
			{Line: 1, Code: "key_unread", Detail: "anwser → answer"}, {Line: 1, Code: "key_unread", Detail: "grad → grade"},
		}},
	} {
		ds, problems, err := dataset.Parse(t.Context(), strings.NewReader(c.in), c.format)
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: problems %v, error %v", c.name, problems, err)
		}
		got := slices.DeleteFunc(ds.Notices(), func(p dataset.Problem) bool { return p.Code != "key_unread" })
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
