//go:build engine

package engine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stat are the fields of /proc/PID/stat from the state on; nil when there is no
// such process.
func stat(pid int) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return strings.Fields(rest)
}

func alive(pid int) bool {
	s := stat(pid)
	return len(s) > 0 && s[0] != "Z"
}

// childrenOf lists the live children of a process.
func childrenOf(t *testing.T, parent int) []int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked up in /proc")
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s := stat(pid); len(s) > 1 && s[0] != "Z" && s[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}

// mentioning lists the live processes whose command has a word in it.
func mentioning(t *testing.T, word string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, f := range files {
		raw, err := os.ReadFile(f)
		pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && bad == nil && strings.Contains(string(raw), word) && alive(pid) {
			out = append(out, pid)
		}
	}
	return out
}

// ownOllama makes the folder of an Ollama below a home: keys, history, a model, and a
// blob that no model has, which a server prunes. It returns its models.
func ownOllama(t *testing.T, home string) string {
	t.Helper()
	models := filepath.Join(home, ".ollama", "models")
	for name, content := range map[string]string{
		"../id_ed25519":     "a key",
		"../id_ed25519.pub": "its other half",
		"../history":        "what was typed",
		"manifests/registry.ollama.ai/library/mine/latest": `{"layers":[]}`,
		"blobs/sha256-" + strings.Repeat("0", 64):          "not ours",
		"blobs/sha256-" + strings.Repeat("1", 64):          "half of a download",
	} {
		path := filepath.Join(models, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return models
}

// snapshot is every file and folder below a folder: mode, time of change, content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
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
		out[path] = fmt.Sprintf("%s %s %s", info.Mode(), info.ModTime().Format(time.RFC3339Nano), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// waitFor waits until something is so; the test's own limit ends a wait in vain.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// listeners looks up every socket on which the engine and its runners listen.
func listeners(t *testing.T) {
	engines := childrenOf(t, os.Getpid())
	if len(engines) != 1 {
		t.Fatalf("engines %v", engines)
	}
	pids := append(engines, childrenOf(t, engines[0])...)
	owned := map[string]bool{}
	for _, pid := range pids {
		links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			to, err := os.Readlink(l)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if inode, ok := strings.CutPrefix(to, "socket:["); ok {
				owned[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	found := 0
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/udp6"} {
		raw, err := os.ReadFile(table)
		if err != nil {
			continue // no IPv6 here
		}
		for _, line := range strings.Split(string(raw), "\n")[1:] {
			// Local address, state 0A (listening), inode: fields 1, 3 and 9.
			f := strings.Fields(line)
			if len(f) < 10 || !owned[f[9]] || strings.HasPrefix(filepath.Base(table), "tcp") && f[3] != "0A" {
				continue
			}
			found++
			if !strings.HasPrefix(f[1], "0100007F:") {
				t.Errorf("%s listens on %s", table, f[1])
			}
		}
	}
	if found != len(pids) {
		t.Errorf("%d listeners of %d processes", found, len(pids))
	}
}
