package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/models"
)

// formats is where every shape has a page and its golden file.
const formats = "../../docs/formats"

// steady replaces what differs from run to run and from machine to machine:
// times, scores of a quantised model, fingerprints, keys and paths.
func steady(s, workspace string) string {
	s = strings.ReplaceAll(s, workspace, "WORKSPACE")
	for _, r := range []struct{ pattern, with string }{
		{`"(score|seconds|open|embed|load|read|vector|bm25|fusion|rerank|total|li)":( ?)(-?\d+\.\d+(e[-+]?\d+)?|0)\b`, `"$1":${2}0.5`},
		// A library is committed about once a second while it is filled.
		{`"revision":( ?)\d+`, `"revision":${1}1`},
		{`"fit":( ?)"\w+"`, `"fit":${1}"good"`},
		{`"free_memory":( ?)(\d+|null)`, `"free_memory":${1}8000000000`},
		{`"tried":( ?)"[^"]+"`, `"tried":${1}"2026-01-02T03:04:05Z"`},
		{`"path":( ?)"/[^"]*/(tree/|nowhere)`, `"path":${1}"/home/me/$2`},
		{`"seconds_left":( ?)[\d.]+`, `"seconds_left":${1}0.5`},
		{`"((?:template_|detector_)?fingerprint)":( ?)"[0-9a-f]{16}"`, `"$1":$2"0123456789abcdef"`},
		{`"(ms_per_pair|seconds_per_query)":( ?)[\d.e-]+`, `"$1":${2}0.5`},
		{`cross-encoder/1 [0-9a-f]{16}`, `cross-encoder/1 0123456789abcdef`},
		{`127\.0\.0\.1:\d+/\?token=[\w-]+`, `127.0.0.1:7717/?token=KEY`},
		{`"seq":\d+`, `"seq":7`},
	} {
		s = regexp.MustCompile(r.pattern).ReplaceAllString(s, r.with)
	}
	// Times may be whole numbers, which other values of these names are too.
	return timings.ReplaceAllStringFunc(s, func(object string) string {
		return number.ReplaceAllString(object, "${1}0.5")
	})
}

var (
	timings = regexp.MustCompile(`"(?:timings_ms|ms)":\s*\{[^{}]*\}`)
	number  = regexp.MustCompile(`(": ?)-?\d+(?:\.\d+)?(?:e[-+]?\d+)?\b`)
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(formats, name)
	if flag.Lookup("update").Value.String() == "true" { // the flag is that of print_test.go
		if err := errors.Join(os.MkdirAll(formats, 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sixDigits(string(want)), sixDigits(got)); diff != "" {
		t.Errorf("%s differs from what is printed; -update rewrites it (-want +got):\n%s", path, diff)
	}
}

var longNumber = regexp.MustCompile(`-?\d+\.\d{7,}(?:e-?\d+)?`)

// sixDigits rounds long numbers: what a model computes differs by processor behind the
// seventh digit.
func sixDigits(s string) string {
	return longNumber.ReplaceAllStringFunc(s, func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(x, 'g', 6, 64)
	})
}

// TestFormatsOfCommands runs each command whose JSON docs/formats.md describes.
// Later ones see what earlier ones did.
func TestFormatsOfCommands(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	for _, c := range []struct {
		name string
		code int
		args []string
	}{
		{"ingest.json", 3, []string{"ingest", "--kb", "formats", "tree", "nowhere.txt"}},
		{"docs-list.json", 0, []string{"docs", "list", "--kb", "formats"}},
		{"docs-text.json", 0, []string{"docs", "text", "--kb", "formats", "travel.txt"}},
		{"docs-rm.json", 0, []string{"docs", "rm", "--kb", "formats", "--yes", "travel.txt"}},
		{"kb-list.json", 0, []string{"kb", "list"}},
		{"kb-words.json", 3, []string{"kb", "words", "--kb", "formats", "--add", "灵犀三号 20 nz", "--add", "words.txt", "--stop", "公司"}},
		{"kb-rm.json", 0, []string{"kb", "rm", "--yes", "formats"}},
		{"chunks-export.jsonl", 0, []string{"chunks", "export", "--kb", "list"}},
		{"chunks-import.json", 0, []string{"chunks", "import", "--kb", "imported", "list.jsonl"}},
		{"chunks-preview.json", 0, []string{"chunks", "preview", "--kb", "tree", "tree/notes/rare.txt"}},
		{"search.json", 0, []string{"search", "--kb", "tree", "--top-k", "1", "--rerank-depth", "2", "--threshold", "bm25=0.2", "年假须提前申请"}},
		{"compare.json", 0, []string{"compare", "--kb", "tree", "--strategies", "bm25,classic", "--top-k", "1", "--answer", "病假工资按几成发放"}},
		{"ask.json", 0, []string{"ask", "--kb", "tree", "--top-k", "1", "病假工资按几成发放"}},
		{"prompts-list.json", 0, []string{"prompts", "list"}},
		{"error.json", 1, []string{"search", "--kb", "nobody", "病假"}},
	} {
		r := run(t.Context(), "testdata", append(c.args, "--json"), "RAGDESK_WORKSPACE="+workspace)
		if r.code != c.code || r.stderr != "" {
			t.Errorf("%s: exit %d, want %d: %s", c.name, r.code, c.code, r.stderr)
		}
		golden(t, c.name, steady(r.stdout, workspace))
	}
}

// TestFormatsOfBundles backs a workspace up and restores it. A bundle has the date of its making
// and the size of a database.
func TestFormatsOfBundles(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	if err := os.Mkdir(filepath.Join(workspace, "backups"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"bundle-export.json", []string{"export", filepath.Join(workspace, "backups", "all.ragbundle")}},
		{"bundle-list.json", []string{"list"}},
		{"bundle-show.json", []string{"show", "all.ragbundle"}},
		{"bundle-import.json", []string{"import", "--replace", "--yes", "all.ragbundle"}},
		{"bundle-rm.json", []string{"rm", "--yes", "all.ragbundle"}},
	} {
		r := run(t.Context(), "", append([]string{"bundle"}, append(c.args, "--json")...), "RAGDESK_WORKSPACE="+workspace)
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%s: exit %d: %s%s", c.name, r.code, r.stdout, r.stderr)
		}
		out := steady(r.stdout, workspace)
		for pattern, with := range map[string]string{
			`"(bytes|content_bytes|needed|free)": \d+`: `"$1": 1000000`,
			`"created": "[^"]*"`:                       `"created": "2026-01-02T03:04:05Z"`,
			`before-import-\d{8}-\d{6}`:                "before-import-20260102-030405",
			`"content": "[0-9a-f]{64}"`:                `"content": "0123456789abcdef"`,
		} {
			out = regexp.MustCompile(pattern).ReplaceAllString(out, with)
		}
		golden(t, c.name, out)
	}
}

// TestFormatOfRatings rates an answer.
func TestFormatOfRatings(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	file := filepath.Join(workspace, "answer.json")
	asked := run(t.Context(), "", []string{"ask", "--kb", "tree", "--top-k", "1", "病假工资按几成发放", "--json"}, "RAGDESK_WORKSPACE="+workspace)
	if err := os.WriteFile(file, []byte(asked.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"rate", file, "down", "--reason", "答非所问"}, {"list"}} {
		r := run(t.Context(), "", append([]string{"ratings"}, append(args, "--json")...), "RAGDESK_WORKSPACE="+workspace)
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%v: exit %d: %s%s", args, r.code, r.stdout, r.stderr)
		}
		if args[0] == "list" {
			out := regexp.MustCompile(`"at": "[^"]*"`).ReplaceAllString(steady(r.stdout, workspace), `"at": "2026-01-02T03:04:05Z"`)
			golden(t, "ratings-list.json", regexp.MustCompile(`"id": "[0-9a-f]{24}"`).ReplaceAllString(out, `"id": "0123456789abcdef01234567"`))
		}
	}
}

// TestFormatsOfModels pulls a model from a stand-in hub and goes on with it.
func TestFormatsOfModels(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	hub := modelHub(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"models-pull.json", []string{"models", "pull", "bge-reranker-base"}},
		{"models-list.json", []string{"models", "list"}},
		{"models-verify.json", []string{"models", "verify"}},
		{"models-measure.json", []string{"models", "measure"}},
		{"models-rm.json", []string{"models", "rm", "--yes", "bge-reranker-base"}},
	} {
		r := run(t.Context(), "", append(c.args, "--json"), "RAGDESK_WORKSPACE="+workspace, "RAGDESK_MIRROR="+hub.URL,
			models.FolderEnv+"="+filepath.Join(workspace, "models"))
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%s: exit %d: %s%s", c.name, r.code, r.stdout, r.stderr)
		}
		out := strings.ReplaceAll(steady(r.stdout, workspace), strings.TrimPrefix(hub.URL, "http://"), "mirror.example")
		// A machine measures as many pairs as it has cores.
		golden(t, c.name, regexp.MustCompile(`"pairs": \d+`).ReplaceAllString(out, `"pairs": 8`))
	}
}

func TestFormatOfDoctor(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	r := run(t.Context(), "", []string{"doctor", "--json"}, "RAGDESK_WORKSPACE="+workspace)
	detail := regexp.MustCompile(`"detail": ".*"`)
	golden(t, "doctor.json", detail.ReplaceAllString(r.stdout, `"detail": "…"`))
}

// TestFormatOfDemo checks that a demo holds what compare and eval print.
func TestFormatOfDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and evaluates the sample library")
	}
	cacheDir(t)
	var demo struct {
		Questions []map[string]any `json:"questions"`
	}
	var top map[string]json.RawMessage
	out := demonstration().stdout
	if err := errors.Join(json.Unmarshal([]byte(out), &demo), json.Unmarshal([]byte(out), &top)); err != nil {
		t.Fatal(err)
	}
	keys := sortedKeys(top)
	if diff := cmp.Diff([]string{"eval", "questions"}, keys); diff != "" {
		t.Errorf("keys of a demo (-want +got):\n%s", diff)
	}
	var compare map[string]any
	if err := json.Unmarshal([]byte(read(t, "compare.json")), &compare); err != nil {
		t.Fatal(err)
	}
	for _, q := range demo.Questions {
		if diff := cmp.Diff(sortedKeys(compare), sortedKeys(q)); diff != "" {
			t.Errorf("a question of the demo is no comparison (-compare +demo):\n%s", diff)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(formats, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFormatsOfTheServer checks what serve prints and what its HTTP interface
// says of a job.
func TestFormatsOfTheServer(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	s := serve(t, workspace)
	golden(t, "serve.json", steady(s.first, workspace))

	stream, err := s.request(t.Context(), http.MethodGet, "/api/events", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	events := bufio.NewReader(stream.Body)
	if line, err := events.ReadString('\n'); err != nil || line != ": open\n" {
		t.Fatalf("the stream begins with %q, %v", line, err)
	}
	tree, err := filepath.Abs(filepath.Join("testdata", "tree", "notes", "rare.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, started := s.call(t, "StartIngest", fmt.Sprintf(`{"kb":"served","paths":[%q]}`, tree))
	var job struct{ ID, State string }
	if err := json.Unmarshal([]byte(started), &job); err != nil || job.State != "running" {
		t.Fatalf("started %s: %v", started, err)
	}
	clean := func(s string) string {
		s = strings.ReplaceAll(steady(s, workspace), filepath.ToSlash(tree), "tree/notes/rare.txt")
		// The id comes from the path, which is absolute here.
		return regexp.MustCompile(`"doc_id":"[0-9a-f]{16}"`).ReplaceAllString(s, `"doc_id":"0123456789abcdef"`)
	}
	// How many events of progress came before depends on how fast the machine is.
	got := clean(itemAndEnd(t, events))
	var before int
	if _, err := fmt.Sscanf(got, "id: %d\n", &before); err != nil {
		t.Fatalf("the events have no numbers: %s", got)
	}
	got = strings.NewReplacer(fmt.Sprintf("id: %d\n", before), "id: 4\n", fmt.Sprintf("id: %d\n", before+1), "id: 5\n").Replace(got)
	golden(t, "http-events.txt", got)
	_, got = s.call(t, "GetJob", fmt.Sprintf(`{"id":%q}`, job.ID))
	golden(t, "http-job.json", clean(got))
	_, failed := s.call(t, "GetJob", `{"id":"ingest-99"}`)
	golden(t, "http-error.json", failed)
}

// itemAndEnd reads a stream of events up to a job's end and returns the last item
// and the end.
func itemAndEnd(t *testing.T, events *bufio.Reader) string {
	t.Helper()
	var item, block string
	for {
		line, err := events.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, block)
		}
		if block += line; line != "\n" {
			continue
		}
		switch {
		case strings.Contains(block, `"kind":"item"`):
			item = block
		case strings.Contains(block, `"kind":"end"`):
			return item + block
		}
		block = ""
	}
}

// free are objects whose keys are values: names of strategies, stages, codes'
// parameters and statuses.
func free() map[string]bool {
	return map[string]bool{
		"ranks": true, "timings_ms": true, "parts": true, "params": true, "totals": true,
		"ms": true, "per_query": true, "missing": true, "errors": true, "causes": true, "buckets": true, "types": true,
		"unscored": true, "verdicts": true,
	}
}

// named are objects whose keys are values too, but not the keys of what they
// hold: metrics by name, quantiles by stage.
func named() map[string]bool { return map[string]bool{"metrics": true, "latency_ms": true} }

// inside returns the values of an object or list.
func inside(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		return slices.Collect(maps.Values(v))
	}
	return nil
}

// TestEveryKeyIsExplained holds docs/formats.md against the golden files: each
// file is named there and each key explained.
func TestEveryKeyIsExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(formats)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 18 {
		t.Errorf("only %d golden files", len(entries))
	}
	for _, e := range entries {
		if !strings.Contains(string(page), "formats/"+e.Name()) {
			t.Errorf("docs/formats.md does not name %s", e.Name())
		}
		for _, key := range keysOf(t, read(t, e.Name())) {
			if !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("docs/formats.md does not explain %s of %s", key, e.Name())
			}
		}
	}
}

// keysOf lists the keys of all objects in a text of JSON documents; lines that
// begin otherwise, as those of an event stream, are passed over.
func keysOf(t *testing.T, text string) []string {
	t.Helper()
	text = regexp.MustCompile(`(?m)^(id|event): .*$|^data: `).ReplaceAllString(text, "")
	seen := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			return sortedKeys(seen)
		}
		if err != nil {
			t.Fatal(err)
		}
		gather(v, seen)
	}
}

func gather(v any, seen map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			gather(x, seen)
		}
	case map[string]any:
		for k, x := range v {
			seen[k] = true
			switch {
			case free()[k]:
			case named()[k]:
				for _, inner := range inside(x) {
					gather(inner, seen)
				}
			case k == "groups":
				for _, byValue := range inside(x) {
					for _, group := range inside(byValue) {
						gather(group, seen)
					}
				}
			default:
				gather(x, seen)
			}
		}
	}
}
