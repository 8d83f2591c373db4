package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	clientFile = "../../../frontend/src/api/client.gen.ts"
	typesFile  = "../../../frontend/src/api/types.gen.ts"
	runsFile   = "../../../frontend/src/api/runs.gen.ts"
)

func TestClientIsCurrent(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../service.go")
	if err != nil {
		t.Fatal(err)
	}
	ops, err := operations("service.go", src)
	if err != nil {
		t.Fatal(err)
	}
	requireCurrent(t, clientFile, client(ops))
}

// TestTypesAreCurrent runs tygo as go generate does, into a folder of its own.
func TestTypesAreCurrent(t *testing.T) {
	t.Parallel()
	config, err := os.ReadFile("../tygo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	moved, text := filepath.Join(dir, "tygo.yaml"), string(config)
	for _, name := range []string{"types.gen.ts", "runs.gen.ts"} {
		committed := "../../frontend/src/api/" + name
		if !strings.Contains(text, committed) {
			t.Fatalf("tygo.yaml does not write %s", committed)
		}
		text = strings.Replace(text, committed, filepath.ToSlash(filepath.Join(dir, name)), 1)
	}
	if err := os.WriteFile(moved, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../build/tools/go.mod",
		"tygo", "generate", "--config", moved)
	cmd.Dir = ".."
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tygo: %v\n%s", err, b)
	}
	readContract(t)
	for _, file := range []string{typesFile, runsFile} {
		got, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		requireCurrent(t, file, string(got))
	}
}

func TestOperationsRefusesOtherShapes(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no context":  "Op(r R) (S, error)",
		"no response": "Op(ctx context.Context, r R) error",
		"no error":    "Op(ctx context.Context, r R) (S, bool)",
		"pointer":     "Op(ctx context.Context, r *R) (S, error)",
		"embedded":    "Other",
		"empty":       "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := "package api\ntype Service interface {\n" + body + "\n}\n"
			if ops, err := operations("x.go", []byte(src)); err == nil {
				t.Errorf("accepted %q as %v", body, ops)
			}
		})
	}
	if _, err := operations("x.go", []byte("package api\ntype Service struct{}\n")); err == nil {
		t.Error("accepted a file without the interface")
	}
}

func requireCurrent(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("%s is stale; run go generate ./backend/api\n%s", filepath.Base(file), diff)
	}
}

// readContract opens the sources tygo read, so that go test's cache knows that
// the result depends on them.
func readContract(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("contract: %v, %d files", err, len(files))
	}
	for _, f := range files {
		if _, err := os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
}
