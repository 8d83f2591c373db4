package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/blevesearch/vellum"
	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func compiled(t *testing.T, table bool, in ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if err := run(out, table, in); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCompileWords(t *testing.T) {
	t.Parallel()
	first := write(t, "s.txt", "北京 900 ns\n机器 90 n\nT恤 50 n\n空 0 n\n\n4S店 3 n\n短\n")
	second := write(t, "t.txt", "機器 5000 n\n臺灣 10 ns\n")
	data := compiled(t, false, first, second)
	if !bytes.Equal(data, compiled(t, false, first, second)) {
		t.Error("the same input gives other bytes")
	}
	fst, err := vellum.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	it, err := fst.Iterator(nil, nil)
	for ; err == nil; err = it.Next() {
		word, cost := it.Current()
		got[string(word)] = cost
	}
	// Costs are 10 · ln(1000 / frequency); the first file's 机器 holds.
	if diff := cmp.Diff(map[string]uint64{"北京": 1, "机器": 24, "台湾": 46}, got); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestCompileSimplified(t *testing.T) {
	t.Parallel()
	in := write(t, "TSCharacters.txt", "機\t机\n麼\t么 麽\n麽\t么\n後\t后\n龍龍\t龙龙\n同\t同\n")
	got := string(compiled(t, true, in))
	for _, pair := range []string{"機机", "麼么", "麽么", "後后", "著着", "妳你"} {
		if !bytes.Contains([]byte(got), []byte(pair)) {
			t.Errorf("%s is missing in %q", pair, got)
		}
	}
	if bytes.ContainsAny([]byte(got), "龍同") {
		t.Errorf("more than single characters that change: %q", got)
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	bad := write(t, "bad.txt", "北京 many ns\n")
	for name, err := range map[string]error{
		"no input":       run(out, false, nil),
		"no output":      run("", false, []string{bad}),
		"missing input":  run(out, false, []string{filepath.Join(dir, "none")}),
		"bad frequency":  run(out, false, []string{bad}),
		"missing table":  run(out, true, []string{filepath.Join(dir, "none")}),
		"no such folder": run(filepath.Join(dir, "a", "b"), false, []string{bad}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
