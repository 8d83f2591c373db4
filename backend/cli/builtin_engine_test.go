package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/build"
)

// programEnv names the built program, which carries the engine that the program of
// the other tests has not.
const programEnv = "RAGDESK_BIN"

// programTime bounds a command of the built program; the first one loads a model.
const programTime = 3 * time.Minute

// machine is a user's machine without an Ollama that runs, but with the folder of one.
type machine struct {
	program, home string
	env           []string
}

// builtProgram returns a machine with the built program.
func builtProgram(t *testing.T) *machine {
	t.Helper()
	program := os.Getenv(programEnv)
	if program == "" || runtime.GOOS != "linux" {
		t.Skipf("%s names no program that carries the engine, as make test does under Linux", programEnv)
	}
	m := &machine{program: program, home: t.TempDir()}
	for name, content := range map[string]string{
		"id_ed25519": "a key", "history": "what was typed",
		"models/manifests/registry.ollama.ai/library/mine/latest": `{"layers":[]}`,
		"models/blobs/sha256-" + strings.Repeat("0", 64):          "a blob that no model has",
	} {
		path := filepath.Join(m.home, ".ollama", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	m.env = []string{
		"HOME=" + m.home, "XDG_DATA_HOME=" + filepath.Join(m.home, "data"), "RAGDESK_CACHE=" + cacheDir(t),
		"RAGDESK_WORKSPACE=" + copied(t), "OLLAMA_HOST=127.0.0.1:1", "OLLAMA_MODELS=" + filepath.Join(m.home, ".ollama", "models"),
		"LANG=C.UTF-8", "LC_ALL=", "LC_MESSAGES=",
	}
	return m
}

// chatModel returns the path of an optional asset.
func chatModel(t *testing.T, name string) string {
	t.Helper()
	all, err := build.Assets()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if a.Name != name {
			continue
		}
		for _, cache := range []string{filepath.Join("..", "..", "build", "cache"), os.Getenv("RAGDESK_ASSET_CACHE")} {
			path := filepath.Join(cache, "assets", a.Cached())
			if _, err := os.Stat(path); cache != "" && err == nil {
				return path
			}
		}
	}
	t.Skipf("%s is not in a download cache; make assets OPTIONAL=1 fetches it", name)
	return ""
}

// command is the program on the machine.
func (m *machine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, m.program, args...)
	cmd.Env = append(os.Environ(), m.env...)
	return cmd
}

// json runs a command under --json and reads what it prints; stderr stays empty.
func (m *machine) json(t *testing.T, code int, out any, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTime)
	defer cancel()
	cmd := m.command(ctx, append(args, "--json")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != code) || err == nil && code != 0 {
		t.Fatalf("%v: %v, want exit %d: %s%s", args, err, code, stdout.String(), stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %v: stdout %q, stderr %q", args, err, stdout.String(), stderr.String())
	}
	for deadline := time.Now().Add(10 * time.Second); len(m.engines(t)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%v: left running %v", args, m.engines(t))
			return
		}
	}
}

// engines lists the processes of this machine's engine: their environment names its
// home.
func (m *machine) engines(t *testing.T) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, f := range files {
		raw, err := os.ReadFile(f)
		pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil || bad != nil || !bytes.Contains(raw, []byte("RAGDESK_ENGINE_PARENT=")) || !bytes.Contains(raw, []byte(m.home)) {
			continue
		}
		if stat, err := os.ReadFile(filepath.Join(filepath.Dir(f), "stat")); err == nil && !bytes.Contains(stat, []byte(") Z ")) {
			out = append(out, pid)
		}
	}
	return out
}

// ollama is the folder of the user's own Ollama: mode, time and content of each file.
func (m *machine) ollama(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Join(m.home, ".ollama"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := []byte("folder")
		if !d.IsDir() {
			if content, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		out[path] = info.Mode().String() + info.ModTime().Format(time.RFC3339Nano) + string(content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// answer is what ask prints.
type answer struct {
	Answer, Model string
	Demonstration bool
	Prompt        string
	Usage         *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	}
}

// TestBuiltProgramAnswersByItself runs the program that make builds, on a machine
// without an Ollama that runs: it installs two language models, answers with them in
// Chinese and English, leaves no process behind, also not when it is killed, and does
// not touch the folder of the user's own Ollama.
func TestBuiltProgramAnswersByItself(t *testing.T) {
	t.Parallel()
	m := builtProgram(t)
	smollm, gemma := chatModel(t, "smollm2-135m-instruct-q4_1.gguf"), chatModel(t, "gemma-3-270m-q4_k_m.gguf")
	before := m.ollama(t)
	var installed struct {
		Name, Host, Licence string
		Demonstration       bool
		Limit               int
	}
	m.json(t, 0, &installed, "models", "import", smollm)
	if installed.Name != "smollm2-135m:latest" || installed.Host != "builtin" || !installed.Demonstration || installed.Limit != 8192 || installed.Licence != "Apache-2.0" {
		t.Errorf("%+v", installed)
	}
	m.json(t, 0, &installed, "models", "import", gemma)
	if installed.Name != "gemma3-270m:latest" || installed.Limit != 32768 {
		t.Errorf("%+v", installed)
	}
	t.Run("status", func(t *testing.T) { m.status(t) })
	t.Run("ask", func(t *testing.T) { m.answers(t) })
	t.Run("compare", func(t *testing.T) { m.compares(t) })
	t.Run("killed", func(t *testing.T) {
		for range 3 {
			m.kill(t)
		}
	})
	t.Run("models", func(t *testing.T) { m.models(t) })
	if diff := cmp.Diff(before, m.ollama(t)); diff != "" {
		t.Errorf("the user's own Ollama was touched (-before +after):\n%s", diff)
	}
}

func (m *machine) status(t *testing.T) {
	var status struct {
		Source, Host, Version, State string
		Default                      string `json:"default_model"`
		Models                       []struct {
			Name, Quantization string
			Context            int
			Memory             int64
			Chat               bool
		}
	}
	m.json(t, 0, &status, "engine", "status")
	if status.Source != "builtin" || status.State != "running" || !strings.HasPrefix(status.Host, "127.0.0.1:") || status.Default != "extractive" {
		t.Errorf("%+v", status)
	}
	if len(status.Models) != 2 || status.Models[0].Quantization == "" || status.Models[0].Context != 32768 || status.Models[0].Chat || !status.Models[1].Chat || status.Models[1].Memory < 98e6 {
		t.Errorf("%+v", status.Models)
	}
	elsewhere := *m
	elsewhere.env = append(m.env[:len(m.env):len(m.env)], "OLLAMA_HOST=192.0.2.1:11434")
	elsewhere.json(t, 0, &status, "engine", "status")
	if status.Source == "ollama" || strings.Contains(status.Host, "192.0.2.1") {
		t.Errorf("another machine's Ollama: %+v", status)
	}
	elsewhere.env = append(m.env[:len(m.env):len(m.env)], "RAGDESK_LLM_HOST=192.0.2.1:11434")
	var refused struct{ Error struct{ Code string } }
	elsewhere.json(t, 1, &refused, "ask", "--kb", "tree", "--model", "gemma3-270m", "病假工资按几成发放")
	if refused.Error.Code != "llm_remote" {
		t.Errorf("another machine without consent: %+v", refused)
	}
}

func (m *machine) answers(t *testing.T) {
	var a answer
	m.json(t, 0, &a, "ask", "--kb", "tree", "--top-k", "1", "--model", "gemma3-270m", "病假工资按几成发放")
	if a.Model != "gemma3-270m:latest" || !a.Demonstration || a.Answer == "" || a.Usage == nil || a.Usage.Completion == 0 || !strings.Contains(a.Prompt, "病假") {
		t.Errorf("%+v", a)
	}
	t.Logf("gemma3-270m: %q", a.Answer)
	first := a.Answer
	m.json(t, 0, &a, "ask", "--kb", "tree", "--top-k", "1", "--fresh", "--model", "gemma3-270m", "病假工资按几成发放")
	if a.Answer != first {
		t.Errorf("%q, then %q", first, a.Answer)
	}
	m.json(t, 0, &a, "ask", "--kb", "tree", "--top-k", "1", "病假工资按几成发放")
	if a.Model != "extractive" || a.Demonstration || a.Answer == "" {
		t.Errorf("small models do not answer unasked: %+v", a)
	}
	var missing struct {
		Error struct{ Code, Message string }
	}
	m.json(t, 1, &missing, "ask", "--kb", "tree", "--model", "nobody", "病假")
	if missing.Error.Code != "llm_builtin_missing" || !strings.Contains(missing.Error.Message, "ragdesk models pull nobody") {
		t.Errorf("%+v", missing)
	}
}

func (m *machine) compares(t *testing.T) {
	var c struct {
		Model         string
		Demonstration bool
		Strategies    []struct{ Answer *string }
	}
	m.json(t, 0, &c, "compare", "--kb", "tree", "--top-k", "1", "--strategies", "vector,bm25", "--answer", "--lang", "en",
		"--model", "smollm2-135m", "How many days of annual leave does an employee have?")
	if c.Model != "smollm2-135m:latest" || !c.Demonstration || len(c.Strategies) != 2 {
		t.Errorf("%+v", c)
	}
	for _, s := range c.Strategies {
		if s.Answer == nil || *s.Answer == "" {
			t.Errorf("no answer: %+v", c)
			continue
		}
		t.Logf("smollm2-135m: %q", *s.Answer)
	}
}

// kill kills the program while its engine writes, and waits for the end of that.
func (m *machine) kill(t *testing.T) {
	t.Helper()
	cmd := m.command(t.Context(), "ask", "--kb", "tree", "--fresh", "--model", "smollm2-135m", "Tell a long story about leave.")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until := func(what string, so func() bool) {
		for deadline := time.Now().Add(programTime); !so(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("waited in vain for %s", what)
			}
		}
	}
	until("engine and runner", func() bool { return len(m.engines(t)) > 1 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	until("their end", func() bool { return len(m.engines(t)) == 0 })
}

func (m *machine) models(t *testing.T) {
	var verified struct {
		OK     bool
		Models []struct {
			Name  string
			Error *struct{ Code string }
		}
	}
	m.json(t, 0, &verified, "models", "verify", "gemma3-270m")
	if !verified.OK || len(verified.Models) != 1 {
		t.Errorf("%+v", verified)
	}
	blobs, err := filepath.Glob(filepath.Join(m.home, "data", "ragdesk", "engine", "models", "blobs", "sha256-*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("%v, %v", blobs, err)
	}
	for _, b := range blobs {
		if regexp.MustCompile(`sha256-a5fd3b62`).MatchString(b) { // Gemma's weights
			if err := os.Truncate(b, 1000); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.json(t, 1, &verified, "models", "verify")
	if verified.OK || len(verified.Models) != 2 || verified.Models[0].Error == nil || verified.Models[0].Error.Code != "model_damaged" || verified.Models[1].Error != nil {
		t.Errorf("%+v", verified)
	}
	var removed struct {
		Removed string
		Bytes   int64
	}
	m.json(t, 0, &removed, "models", "rm", "--yes", "smollm2-135m")
	if removed.Removed != "smollm2-135m:latest" || removed.Bytes < 98e6 {
		t.Errorf("%+v", removed)
	}
}

// TestBuiltInModelJudges: the smallest model marks by the rubric, every probe runs on it, and a run is marked
// again under another prompt before it is compared. Its marks are worth nothing; that they are counted
// right is what is tested.
func TestBuiltInModelJudges(t *testing.T) {
	t.Parallel()
	m := builtProgram(t)
	var installed struct{ Name string }
	m.json(t, 0, &installed, "models", "import", chatModel(t, "smollm2-135m-instruct-q4_1.gguf"))
	dir := t.TempDir()
	leave := "Annual leave is ten days a year and is requested three days before. During sick leave 80 percent of the wage is paid. Sick leave needs a note by a doctor.\n"
	if err := os.WriteFile(filepath.Join(dir, "leave.md"), []byte(leave), 0o600); err != nil {
		t.Fatal(err)
	}
	var ingested map[string]any
	m.json(t, 0, &ingested, "ingest", "--kb", "leave", filepath.Join(dir, "leave.md"))
	questions := filepath.Join(dir, "questions.jsonl")
	lines := `{"query_id":"a","question":"How is annual leave requested?","answers":["three days before"],"gold":[{"doc":"leave.md"}]}
{"query_id":"b","question":"How much of the wage is paid during sick leave?","answers":["80 percent"],"gold":[{"doc":"leave.md"}]}
`
	if err := os.WriteFile(questions, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	evaluated := func(model ...string) string {
		t.Helper()
		var out struct {
			Runs []struct {
				RunID   string `json:"run_id"`
				Metrics map[string]struct {
					N, Of   int
					Missing map[string]int
				}
			}
		}
		args := []string{"eval", "--kb", "leave", "--dataset", questions, "--strategies", "bm25", "--metrics", "faithfulness,rubric_relevance", "--judge-model", installed.Name}
		m.json(t, 0, &out, append(args, model...)...)
		got := out.Runs[0].Metrics["rubric_relevance"]
		missing := 0
		for _, n := range got.Missing {
			missing += n
		}
		if got.N+missing != got.Of || got.Of > 2 {
			t.Errorf("marks of %d of %d, missing %v", got.N, got.Of, got.Missing)
		}
		t.Logf("%v: %d of %d answers have marks, missing %v", model, got.N, got.Of, got.Missing)
		return out.Runs[0].RunID
	}
	quoted, written := evaluated(), evaluated("--model", installed.Name)
	var probed struct {
		Warnings []struct{ Code string }
		Probes   []struct {
			Probe, Verdict, Reason string
			N, Of                  int
			Missing                map[string]int
		}
	}
	m.json(t, 0, &probed, "judge", "probe", quoted, written, "--model", installed.Name)
	if len(probed.Probes) != 4 || len(probed.Warnings) != 1 {
		t.Errorf("%+v", probed)
	}
	for _, p := range probed.Probes {
		missing := 0
		for _, n := range p.Missing {
			missing += n
		}
		if p.N+missing != p.Of || p.Verdict == "found" || p.Of == 0 && p.Verdict != "not_run" {
			t.Errorf("%+v", p)
		}
		t.Logf("%+v", p)
	}
	m.rescores(t, quoted, installed.Name, evaluated)
}

// rescores edits the prompt, evaluates again, and compares.
func (m *machine) rescores(t *testing.T, before, model string, evaluated func(...string) string) {
	t.Helper()
	edited := filepath.Join(t.TempDir(), "rubric.txt")
	prompt, err := m.command(t.Context(), "prompts", "show", "rubric.en").Output()
	if err == nil {
		err = os.WriteFile(edited, append(bytes.TrimSpace(prompt), " "...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var any map[string]any
	m.json(t, 0, &any, "prompts", "edit", "rubric.en", edited)
	after := evaluated()
	compare := []string{"runs", "compare", before, after, "--metrics", "rubric_relevance"}
	var refused struct{ Error struct{ Code string } }
	m.json(t, 1, &refused, compare...)
	if refused.Error.Code != "judges_differ" {
		t.Errorf("%+v", refused)
	}
	var rescored struct {
		From, To  string
		N, Scored int
		Unscored  map[string]int
	}
	m.json(t, 0, &rescored, "judge", "rescore", before, "--model", model)
	if rescored.From == rescored.To || rescored.N == 0 || rescored.Scored > rescored.N {
		t.Errorf("%+v", rescored)
	}
	t.Logf("%+v", rescored)
	m.json(t, 0, &any, compare...)
}

// TestBuiltInModelEvaluatesTheSample: one command evaluates the sample library under four strategies, answered and
// judged by the smallest model beside the detector that needs none. It is killed on the way and goes on where it
// stopped. What the model says is worth nothing; that every answer has a value or a reason is what is tested.
func TestBuiltInModelEvaluatesTheSample(t *testing.T) {
	t.Parallel()
	m := builtProgram(t)
	smollm := chatModel(t, "smollm2-135m-instruct-q4_1.gguf")
	d := demonstration()
	if d.code != 0 {
		t.Fatalf("demo: exit %d: %s", d.code, d.stderr)
	}
	workspace := filepath.Join(t.TempDir(), "ws")
	if err := os.CopyFS(workspace, os.DirFS(d.workspace)); err != nil {
		t.Fatal(err)
	}
	m.env = append(m.env, "RAGDESK_WORKSPACE="+workspace)
	var installed struct{ Name string }
	m.json(t, 0, &installed, "models", "import", smollm)
	questions := filepath.Join(t.TempDir(), "questions.jsonl")
	lines := `{"query_id":"price","question":"What does the Business plan cost per user and year in 2024?","answers":["2,400 yuan, without tax."],"key_points":["2,400 yuan"],"gold":[{"doc":"company/pricing-2024.md"}]}
{"query_id":"nodes","question":"How many nodes does the search cluster have at most?","answers":["24 nodes."],"gold":[{"doc":"company/capacity-runbook-en.md"}]}
`
	if err := os.WriteFile(questions, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	eval := []string{
		"eval", "--kb", "sample", "--dataset", questions, "--top-k", "1", "--metrics", "all,llm_context_recall,llm_answer_relevancy",
		"--model", installed.Name, "--judge-model", installed.Name, "--detector", "evidence,llm",
	}
	m.killedOnTheWay(t, workspace, eval)
	var out struct {
		Runs []struct {
			RunID   string `json:"run_id"`
			Metrics map[string]struct {
				N, Of   int
				Missing map[string]int
			}
		}
		Comparisons []struct{ Verdict string }
		Advice      []struct{ Code string }
	}
	m.json(t, 0, &out, eval...)
	if len(out.Runs) != 4 || len(out.Comparisons) == 0 || len(out.Advice) < 2 || out.Advice[0].Code != "judge_is_generator" || out.Advice[1].Code != "judge_small" {
		t.Fatalf("%+v", out)
	}
	for _, r := range out.Runs {
		for _, name := range []string{"Hit@5", "faithfulness", "hallucination_rate", "answer_relevancy", "llm_context_recall", "llm_answer_relevancy"} {
			got, missing := r.Metrics[name], 0
			for _, n := range got.Missing {
				missing += n
			}
			// A schema leaves no reply malformed, unless something cut it.
			if got.N+missing != got.Of || got.Of > 2 || got.Missing["reply_malformed"] > 0 {
				t.Errorf("%s of %s: %+v", name, r.RunID, got)
			}
			t.Logf("%s %s: %d of %d, missing %v", r.RunID, name, got.N, got.Of, got.Missing)
		}
	}
	m.opens(t, out.Runs[3].RunID)
}

// killedOnTheWay kills an evaluation once its journal has something, and sees it there.
func (m *machine) killedOnTheWay(t *testing.T, workspace string, eval []string) {
	t.Helper()
	cmd := m.command(t.Context(), eval...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(programTime); ; time.Sleep(20 * time.Millisecond) {
		journals, err := filepath.Glob(filepath.Join(workspace, "runs", ".work-*", "results.jsonl"))
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("no answer in time: %v", err)
		}
		if len(journals) == 1 {
			if info, err := os.Stat(journals[0]); err == nil && info.Size() > 0 {
				break
			}
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	var estimate struct{ Searches, Finished int }
	m.json(t, 0, &estimate, append(eval, "--estimate")...)
	if estimate.Searches != 8 || estimate.Finished == 0 || estimate.Finished == 8 {
		t.Errorf("%+v", estimate)
	}
}

// opens looks at a run's answers: each has its verdicts, the model's raw replies and its judgement.
func (m *machine) opens(t *testing.T, run string) {
	t.Helper()
	var shown struct {
		Records []struct {
			Answer struct {
				Model, Text string
				Abstained   bool
				Others      []struct {
					Detector, Label, Reason string
					Calls                   []struct{ Reply string }
				}
				Judgement *struct {
					Found *struct{ Calls []struct{ Reply string } }
					Asked *struct{ Calls []struct{ Reply string } }
				}
			}
		}
	}
	m.json(t, 0, &shown, "runs", "questions", run)
	for _, r := range shown.Records {
		a := r.Answer
		if a.Text == "" || a.Judgement == nil || a.Judgement.Found == nil || len(a.Judgement.Found.Calls) == 0 {
			t.Errorf("%+v", a)
		}
		if !a.Abstained && (len(a.Others) != 1 || a.Judgement.Asked == nil) {
			t.Errorf("%+v", a)
		}
	}
}
