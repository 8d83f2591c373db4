package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// server is a running "ragdesk serve".
type server struct {
	cmd    *exec.Cmd
	out    *bufio.Reader
	url    *url.URL
	first  string // what it printed before it was ready, as it printed it
	stderr bytes.Buffer
}

// serve starts a server over a workspace; it is ended with the test.
func serve(t *testing.T, workspace string) *server {
	t.Helper()
	s := &server{cmd: exec.CommandContext(t.Context(), "ragdesk", "serve", "--json")}
	s.cmd.Env = append(os.Environ(), "RAGDESK_WORKSPACE="+workspace, "LANG=C.UTF-8", "LC_ALL=")
	s.cmd.Stderr = &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	s.out = bufio.NewReader(out)
	for !strings.HasSuffix(s.first, "\n}\n") {
		line, err := s.out.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q: %s", err, s.first, s.stderr.String())
		}
		s.first += line
	}
	var ready struct{ URL string }
	if err := json.Unmarshal([]byte(s.first), &ready); err != nil {
		t.Fatal(err)
	}
	if s.url, err = url.Parse(ready.URL); err != nil {
		t.Fatal(err)
	}
	return s
}

// request is a request with the server's key.
func (s *server) request(ctx context.Context, method, path, body string) (*http.Response, error) {
	target := *s.url
	target.Path, target.RawQuery = path, ""
	r, err := http.NewRequestWithContext(ctx, method, target.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.url.Query().Get("token"))
	r.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(r)
}

// call does an operation and returns its JSON.
func (s *server) call(t *testing.T, operation, body string) (status int, response string) {
	t.Helper()
	r, err := s.request(t.Context(), http.MethodPost, "/api/"+operation, body)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, b.String()
}

// copied is a workspace of one's own like filledWorkspace.
func copied(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	if err := os.CopyFS(dir, os.DirFS(filledWorkspace(t))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestServeAnswersLikeTheCommandLine(t *testing.T) {
	t.Parallel()
	workspace := copied(t)
	s := serve(t, workspace)
	if s.url.Hostname() != "127.0.0.1" || len(s.url.Query().Get("token")) < 20 {
		t.Errorf("address %s", s.url)
	}
	page, err := s.request(t.Context(), http.MethodGet, "/", "")
	if err != nil {
		t.Fatal(err)
	}
	_ = page.Body.Close()
	if page.StatusCode != http.StatusOK {
		t.Errorf("the page: %s", page.Status)
	}
	_, got := s.call(t, "Search", `{"kb":"tree","query":"潮水","strategy":"classic","retrieval":{"top_k":2}}`)
	cli := run(t.Context(), "", []string{"search", "--kb", "tree", "--json", "--strategy", "classic", "--top-k", "2", "潮水"}, "RAGDESK_WORKSPACE="+workspace)
	if diff := cmp.Diff(untimed(t, cli.stdout), untimed(t, got)); diff != "" {
		t.Errorf("the server answers otherwise (-command +server):\n%s", diff)
	}
	status, got := s.call(t, "Search", `{"kb":"nobody","query":"潮水"}`)
	if status != http.StatusNotFound || !strings.Contains(got, `"code":"kb_unknown"`) {
		t.Errorf("an unknown library: %d %s", status, got)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := s.out.ReadString(0)
	if rest != "" || err == nil {
		t.Errorf("more on stdout: %q, %v", rest, err)
	}
	if err := s.cmd.Wait(); err != nil || s.stderr.Len() > 0 {
		t.Errorf("stopped by Ctrl-C: %v, stderr %q", err, s.stderr.String())
	}
}

// untimed is a response without its timings.
func untimed(t *testing.T, response string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(response), &v); err != nil {
		t.Fatalf("%v: %s", err, response)
	}
	delete(v, "timings_ms")
	return v
}

func TestInterruptedIngestionExitsWith130(t *testing.T) {
	t.Parallel()
	cacheDir(t)
	dir := t.TempDir()
	for i := range 200 {
		text := strings.Repeat(fmt.Sprintf("第%d篇，潮水涨落。", i), 300)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	workspace := filepath.Join(t.TempDir(), "ws")
	cmd := exec.CommandContext(t.Context(), "ragdesk", "ingest", "--kb", "kb", "--json", dir)
	cmd.Env = append(os.Environ(), "RAGDESK_WORKSPACE="+workspace)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for { // until it is at work
		if found, _ := filepath.Glob(filepath.Join(workspace, "index", "*", "*")); len(found) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 || errOut.Len() > 0 {
		t.Errorf("%v, stderr %q", err, errOut.String())
	}
	var body struct{ Error struct{ Code string } }
	if err := json.Unmarshal(out.Bytes(), &body); err != nil || body.Error.Code != "cancelled" {
		t.Errorf("stdout %q: %v", out.String(), err)
	}
	if r := run(t.Context(), "", []string{"kb", "list"}, "RAGDESK_WORKSPACE="+workspace); r.code != 0 {
		t.Errorf("afterwards: exit %d: %s", r.code, r.stderr)
	}
}

func TestDocumentTextIsExact(t *testing.T) {
	t.Parallel()
	cacheDir(t)
	dir := t.TempDir()
	env := "RAGDESK_WORKSPACE=" + filepath.Join(dir, "ws")
	for name, c := range map[string]struct{ bytes, text, encoding string }{
		"crlf.txt":  {"  one\r\ntwo\rthree\n\n ", "  one\r\ntwo\rthree\n\n ", "UTF-8"},
		"bom.txt":   {"\ufeff一行 𠮷👩‍👩‍👧", "一行 𠮷👩‍👩‍👧", "UTF-8"},
		"utf16.txt": {"\xff\xfe\x00\x4e\x4c\x88\x0a\x00", "一行\n", "UTF-16LE"},
		"nul.txt":   {"a whole line of words and one \x00, which stays", "a whole line of words and one \x00, which stays", "UTF-8"},
		"gbk.txt":   {strings.Repeat("\xc4\xea\xbc\xd9\xca\xae\xcc\xec\xa1\xa3", 10), strings.Repeat("年假十天。", 10), "GB18030"},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(c.bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := run(t.Context(), dir, []string{"ingest", "--kb", "kb", name}, env); r.code != 0 {
			t.Fatalf("%s: exit %d: %s%s", name, r.code, r.stdout, r.stderr)
		}
		if r := run(t.Context(), dir, []string{"docs", "text", "--kb", "kb", name}, env); r.stdout != c.text || r.code != 0 {
			t.Errorf("%s: %q, want %q (exit %d)", name, r.stdout, c.text, r.code)
		}
		var list struct {
			Documents []struct {
				Source, Encoding string
				Chars            int
			}
		}
		r := run(t.Context(), dir, []string{"docs", "list", "--kb", "kb", "--json"}, env)
		if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
			t.Fatal(err)
		}
		for _, d := range list.Documents {
			if d.Source == name && (d.Chars != len([]rune(c.text)) || d.Encoding != c.encoding) {
				t.Errorf("%s: %+v, want %d characters of %s", name, d, len([]rune(c.text)), c.encoding)
			}
		}
	}
}

// demonstration runs the demo in a folder of its own, without a network where the
// system lets a process give it up.
var demonstration = sync.OnceValue(func() (d struct {
	dir, workspace string
	offline        bool
	result
}) {
	var err error
	if d.dir, err = os.MkdirTemp(os.Getenv(scratchEnv), "demo"); err != nil {
		d.result = result{"", err.Error(), -1}
		return d
	}
	d.workspace = filepath.Join(d.dir, "ws")
	ctx := context.Background()
	d.offline = runtime.GOOS == "linux" && offline(ctx, "true").Run() == nil
	cmd := exec.CommandContext(ctx, "ragdesk", "demo", "--json")
	if d.offline {
		cmd = offline(ctx, "exec ragdesk demo --json")
	}
	var out, errOut bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = d.dir, &out, &errOut
	cmd.Env = append(os.Environ(), "RAGDESK_WORKSPACE="+d.workspace, "LANG=C.UTF-8", "LC_ALL=")
	if err := cmd.Run(); err != nil {
		d.code = -1
		errOut.WriteString(err.Error())
	}
	d.stdout, d.stderr = out.String(), errOut.String()
	return d
})

// offline is a shell command without a network but the loopback.
func offline(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "unshare", "-n", "sh", "-c", "ip link set lo up && "+command)
}

func TestDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and evaluates the sample library")
	}
	cacheDir(t)
	d := demonstration()
	if d.code != 0 || d.stderr != "" {
		t.Fatalf("exit %d: %s", d.code, d.stderr)
	}
	var report struct {
		Questions []struct {
			Query      string
			Strategies []struct {
				Strategy, Prompt string
				Answer           *string
				Hits             []struct{ Text string }
			}
		}
		Eval struct{ Runs []struct{ Strategy string } }
	}
	if err := json.Unmarshal([]byte(d.stdout), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Questions) != 4 || len(report.Eval.Runs) < 2 {
		t.Errorf("%d questions, %d runs", len(report.Questions), len(report.Eval.Runs))
	}
	for _, q := range report.Questions {
		var names []string
		for _, s := range q.Strategies {
			names = append(names, s.Strategy)
			if len(s.Hits) > 3 || s.Prompt == "" || s.Answer == nil {
				t.Errorf("%s, %s: %d hits, answer %v", q.Query, s.Strategy, len(s.Hits), s.Answer)
			}
		}
		if diff := cmp.Diff([]string{"vector", "bm25", "classic"}, names); diff != "" {
			t.Errorf("%s:\n%s", q.Query, diff)
		}
	}
	for _, name := range []string{"report.html", "report.json"} {
		if _, err := os.Stat(filepath.Join(d.dir, "ragdesk-demo", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestSampleScripts runs testdata/sample/*.txt, each on a copy of the workspace of the demo, whose library "sample"
// has 140 questions. The condition "offline" says that a command can be run without a network.
func TestSampleScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and evaluates the sample library")
	}
	cache := cacheDir(t)
	d := demonstration()
	if d.code != 0 {
		t.Fatalf("demo: exit %d: %s", d.code, d.stderr)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "sample"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("RAGDESK_WORKSPACE", filepath.Join(e.WorkDir, "ws"))
			e.Setenv("RAGDESK_CACHE", cache)
			e.Setenv("LANG", "C.UTF-8")
			return os.CopyFS(filepath.Join(e.WorkDir, "ws"), os.DirFS(d.workspace))
		},
		Condition: func(name string) (bool, error) {
			if name != "offline" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return d.offline, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "json": jsonValue},
	})
}

func TestEverythingWorksOffline(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and evaluates the sample library")
	}
	cacheDir(t)
	d := demonstration()
	if !d.offline {
		t.Skip("this system lets no process give up its network (unshare -n): the offline run is not tested")
	}
	if d.code != 0 {
		t.Fatalf("demo: exit %d: %s", d.code, d.stderr)
	}
	tree, err := filepath.Abs(filepath.Join("testdata", "tree"))
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"ragdesk ingest --kb mine '" + tree + "' && ragdesk search --kb mine --json 年假有几天": "十天年假",
		"ragdesk ask --kb classic --json 向量距离":                                             `"model": "extractive"`,
		"ragdesk doctor": "onnxruntime",
		"(ragdesk serve --json & echo $! >pid; sleep 0.5; kill -INT $(cat pid); wait $(cat pid))": "127.0.0.1",
	} {
		cmd := offline(t.Context(), command)
		var out bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &out
		cmd.Env = append(os.Environ(), "RAGDESK_WORKSPACE="+d.workspace)
		if err := cmd.Run(); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v: %s", command, err, out.String())
		}
	}
}
