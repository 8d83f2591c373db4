package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"

	"ragdesk/backend/app"
	"ragdesk/backend/cli"
	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/build/standin"
)

// TestMain lets the test binary be ragdesk itself, with a page of one line.
func TestMain(m *testing.M) {
	app.ParserMain()
	testscript.Main(suite{m}, map[string]func(){
		"ragdesk": func() {
			os.Exit(cli.Main(os.Args[1:], fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>page</title>")}}))
		},
	})
}

// scratchEnv names the folder for what several tests share.
const scratchEnv = "RAGDESK_TEST_SCRATCH"

// suite is the tests with a scratch folder around them.
type suite struct{ *testing.M }

func (s suite) Run() int {
	dir, err := os.MkdirTemp("", "ragdesk-cli-")
	if err == nil {
		// No test sees the models, the mirror and the Ollama of whoever runs it.
		err = errors.Join(os.Setenv(scratchEnv, dir), os.Setenv(models.FolderEnv, filepath.Join(dir, "models")), os.Unsetenv("RAGDESK_MIRROR"),
			os.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data")), os.Setenv("OLLAMA_HOST", "127.0.0.1:1"), os.Unsetenv("RAGDESK_LLM_HOST"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := s.M.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScripts runs testdata/script/*.txt, each beside a copy of testdata/tree and
// on a workspace that holds it as library "tree" (windows of 60 code points, 15
// shared) and testdata/list.jsonl as library "list".
func TestScripts(t *testing.T) {
	t.Parallel()
	workspace := filledWorkspace(t)
	hub := modelHub(t)
	standIns := map[string]string{
		"RERANKER": modelstest.StandIn(t, standin.BERTReranker), "EMBEDDER": modelstest.StandIn(t, standin.E5Embedder),
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("RAGDESK_WORKSPACE", filepath.Join(e.WorkDir, "ws"))
			e.Setenv("RAGDESK_CACHE", cacheDir(t))
			e.Setenv(models.FolderEnv, filepath.Join(e.WorkDir, "models"))
			e.Setenv("HUB", hub.URL)
			for name, dir := range standIns {
				e.Setenv(name, dir)
			}
			e.Setenv("LANG", "C.UTF-8")
			e.Setenv("zwsp", "\u200b\ufeff")
			return errors.Join(
				os.CopyFS(filepath.Join(e.WorkDir, "ws"), os.DirFS(workspace)),
				os.CopyFS(filepath.Join(e.WorkDir, "tree"), os.DirFS(filepath.Join("testdata", "tree"))))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonValue, "keys": jsonKeys,
		},
	})
}

// modelHub is a stand-in hub with a reranker and an embedder of the catalogue.
func modelHub(t *testing.T) *modelstest.Hub {
	t.Helper()
	return modelstest.StartHub(t, map[string]standin.Kind{
		"Xenova/bge-reranker-base": standin.XLMRReranker, "Xenova/multilingual-e5-small": standin.E5Embedder,
	})
}

// cacheDir is where the models are unpacked, so that no test does it again.
func cacheDir(t *testing.T) string {
	t.Helper()
	assets, err := models.Open("")
	if err == nil {
		_, err = assets.Embedder(models.DefaultEmbedder)
	}
	if fault.Is(err, "asset_missing") {
		t.Skipf("needs the assets, run %q: %v", models.FetchCommand, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return assets.Dir()
}

// filledWorkspace is made once for all tests; none of them writes to it.
func filledWorkspace(t *testing.T) string {
	t.Helper()
	cacheDir(t)
	dir, err := filled()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var filled = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(os.Getenv(scratchEnv), "ws")
	if err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"ingest", "--kb", "tree", "--chunker", "chars", "--chunk-size", "60", "--chunk-overlap", "15", "tree"},
		{"chunks", "import", "--kb", "list", "list.jsonl"},
	} {
		r := run(context.Background(), "testdata", args, "RAGDESK_WORKSPACE="+dir)
		if r.code != 0 {
			return "", fmt.Errorf("%v: exit %d: %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	return dir, nil
})

// result is what a finished process left.
type result struct {
	stdout, stderr string
	code           int
}

// run runs ragdesk as a process in dir.
func run(ctx context.Context, dir string, args []string, env ...string) result {
	cmd := exec.CommandContext(ctx, "ragdesk", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{"LC_ALL=", "LC_MESSAGES=", "LANG=C.UTF-8"}, env...)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	r := result{out.String(), errOut.String(), 0}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		r.code, r.stderr = -1, err.Error()
	}
	return r
}

// exits runs a program and checks its exit code; "exits CODE PROGRAM ARG…".
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s\nstdout: %s\nstderr: %s", code, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// jsonValue checks a value of the one JSON document on stdout: json PATH VALUE.
// A path is keys and indexes joined with dots, "len" for a list's length, "" for
// all; a value that is not JSON is a string.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	got := at(ts, args[0])
	var want any
	if json.Unmarshal([]byte(args[1]), &want) != nil {
		want = args[1]
	}
	a, b := compact(got), compact(want)
	if (a == b) == neg {
		ts.Fatalf("%s is %s, wanted %s: %t", args[0], a, b, !neg)
	}
}

// jsonKeys checks that an object of stdout has exactly the given keys; "keys
// PATH KEY…".
func jsonKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: keys PATH KEY…")
	}
	object, ok := at(ts, args[0]).(map[string]any)
	if !ok {
		ts.Fatalf("%s is no object", args[0])
	}
	got, want := slices.Sorted(maps.Keys(object)), slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(got, want) {
		ts.Fatalf("%s has the keys %v, want %v", args[0], got, want)
	}
}

func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// at reads a place in the JSON document that is all of stdout.
func at(ts *testscript.TestScript, path string) any {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("stdout is no JSON: %v\n%s", err, ts.ReadFile("stdout"))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("stdout has more than one JSON document:\n%s", ts.ReadFile("stdout"))
	}
	if path == "" {
		return v
	}
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[key]
			if !ok {
				ts.Fatalf("%s: no key %s in %s", path, key, compact(x))
			}
			v = next
		case []any:
			if key == "len" {
				v = len(x)
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(x) {
				ts.Fatalf("%s: no element %s of %d", path, key, len(x))
			}
			v = x[i]
		default:
			ts.Fatalf("%s: %s of %s", path, key, compact(x))
		}
	}
	return v
}
