package bundle_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/bundle"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// sample writes files and returns them as sources.
func sample(t *testing.T) []bundle.Source {
	t.Helper()
	dir := t.TempDir()
	noise := make([]byte, 3<<20) // of more than one buffer, as vectors are
	rng := rand.NewChaCha8([32]byte{1})
	if _, err := rng.Read(noise); err != nil {
		t.Fatal(err)
	}
	var out []bundle.Source
	for name, content := range map[string]string{
		"ragdesk.db": string(noise), "runs/r-1/run.json": "{}\n", "labels/empty.jsonl": "", "uploads/附件 😀: a?.md": "# 标题\n", "prompts/a.txt": strings.Repeat("x", 100),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		out = append(out, bundle.Source{Name: name, Path: path, Size: int64(len(content))})
	}
	return out
}

func write(t *testing.T, path string, sources []bundle.Source) bundle.Manifest {
	t.Helper()
	m, err := bundle.Write(t.Context(), path, bundle.Manifest{Program: "test", Created: time.Unix(1e9, 0).UTC()}, sources, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unpack reads a bundle as an import does.
func unpack(ctx context.Context, path, dir string) error {
	r, err := bundle.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(r.Unpack(ctx, dir, rag.NoProgress{}), r.Close())
}

func TestABundleComesBackAsItWas(t *testing.T) {
	t.Parallel()
	sources := sample(t)
	path := filepath.Join(t.TempDir(), "a.ragbundle")
	m := write(t, path, append(sources, bundle.Source{Name: "runs/gone", Path: filepath.Join(t.TempDir(), "gone")}))
	if len(m.Files) != len(sources) {
		t.Errorf("%d files of %d", len(m.Files), len(sources))
	}
	to := t.TempDir()
	if err := unpack(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		want, errA := os.ReadFile(s.Path)
		got, errB := os.ReadFile(filepath.Join(to, filepath.FromSlash(s.Name)))
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s: %d bytes, want %d, %v", s.Name, len(got), len(want), err)
		}
	}
	again := filepath.Join(t.TempDir(), "b.ragbundle")
	if m2 := write(t, again, sources); m2.Content != m.Content {
		t.Error("equal contents have other hashes")
	}
	a, errA := os.ReadFile(path)
	b, errB := os.ReadFile(again)
	if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
		t.Errorf("equal contents give other bytes: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestADamagedBundleIsRefused cuts a bundle off at many places and changes bytes of it.
func TestADamagedBundleIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.ragbundle")
	write(t, path, sample(t))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	damaged := map[string][]byte{"nothing": {}, "half a head": whole[:3], "almost all": whole[:len(whole)-1], "no list": whole[:len(whole)-200]}
	for range 30 {
		n := rng.IntN(len(whole))
		damaged["cut"+string(rune('a'+len(damaged)))] = whole[:n]
		changed := bytes.Clone(whole)
		changed[n] ^= 1 << rng.IntN(8)
		damaged["changed"+string(rune('a'+len(damaged)))] = changed
	}
	intact := 0
	for name, content := range damaged {
		broken := filepath.Join(t.TempDir(), "b.ragbundle")
		if err := os.WriteFile(broken, content, 0o600); err != nil {
			t.Fatal(err)
		}
		err := unpack(t.Context(), broken, t.TempDir())
		switch {
		case err == nil && strings.HasPrefix(name, "changed"):
			intact++ // a byte that means nothing, such as a date
		case err == nil:
			t.Errorf("%s: accepted", name)
		default:
			if code := fault.Of(err).Code; code != "bundle_damaged" && code != "bundle_foreign" && code != "bundle_unsafe" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if intact > 3 {
		t.Errorf("%d changed bundles of 30 were accepted", intact)
	}
}

// forge writes a zip of files, the manifest among them as it is given.
func forge(t *testing.T, files map[string]string, order ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.ragbundle")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range order {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = io.WriteString(w, files[strings.TrimSuffix(name, "/")])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestForgedBundlesAreRefused(t *testing.T) {
	t.Parallel()
	// A manifest that is right for one empty file under any name.
	manifest := func(format int, names ...string) string {
		m := bundle.Manifest{Format: format, Program: "9.9"}
		for _, n := range names {
			m.Files = append(m.Files, bundle.File{Path: n, SHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})
		}
		m.Content = bundle.ContentOf(m.Files)
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, c := range map[string]struct {
		manifest string
		files    []string
		code     string
	}{
		"sound":           {manifest(1, "runs/a"), []string{"runs/a"}, ""},
		"newer":           {manifest(2, "runs/a"), []string{"runs/a"}, "bundle_newer"},
		"up":              {manifest(1, "../a"), []string{"../a"}, "bundle_unsafe"},
		"up inside":       {manifest(1, "runs/../../a"), []string{"runs/../../a"}, "bundle_unsafe"},
		"absolute":        {manifest(1, "/tmp/a"), []string{"/tmp/a"}, "bundle_unsafe"},
		"backslash":       {manifest(1, `runs\..\..\a`), []string{`runs\..\..\a`}, "bundle_unsafe"},
		"twice":           {manifest(1, "a", "a"), []string{"a", "a"}, "bundle_unsafe"},
		"two cases":       {manifest(1, "A", "a"), []string{"A", "a"}, "bundle_unsafe"},
		"folder":          {manifest(1, "runs/"), []string{"runs/"}, "bundle_unsafe"},
		"one too many":    {manifest(1, "a"), []string{"a", "b"}, "bundle_damaged"},
		"one is missing":  {manifest(1, "a", "b"), []string{"a"}, "bundle_damaged"},
		"file and folder": {manifest(1, "a", "a/b"), []string{"a", "a/b"}, "unwritable"},
		"no manifest":     {"", []string{"a"}, "bundle_foreign"},
		"no format":       {"{}", []string{"a"}, "bundle_foreign"},
		"no JSON":         {"PK", []string{"a"}, "bundle_foreign"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, order := map[string]string{"manifest.json": c.manifest}, c.files
			if c.manifest != "" {
				order = append(order, "manifest.json")
			}
			dir := t.TempDir()
			err := unpack(t.Context(), forge(t, files, order...), filepath.Join(dir, mkdir(t, dir)))
			if c.code == "" && err != nil || c.code != "" && !fault.Is(err, c.code) {
				t.Errorf("%v, want %q", err, c.code)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("it wrote outside: %v", entries)
			}
		})
	}
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	return "in"
}

// TestABundleThatFillsTheDiskIsRefused has 400 MB of nothing.
func TestABundleThatFillsTheDiskIsRefused(t *testing.T) {
	t.Parallel()
	big := filepath.Join(t.TempDir(), "zeros")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(400<<20), f.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "z.ragbundle")
	write(t, path, []bundle.Source{{Name: "ragdesk.db", Path: big}})
	if _, err := bundle.Open(path); !fault.Is(err, "bundle_unsafe") {
		t.Errorf("%v", err)
	}
}

func TestOtherFilesAreForeign(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(text, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]string{text: "bundle_foreign", filepath.Dir(text): "bundle_foreign", text + "x": "not_found"} {
		if _, err := bundle.Open(path); !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
	}
}

func TestCancelledWorkLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.ragbundle")
	sources := sample(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bundle.Write(ctx, path, bundle.Manifest{}, sources, rag.NoProgress{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v", entries, err)
	}
	write(t, path, sources)
	if err := unpack(ctx, path, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := bundle.Write(t.Context(), filepath.Join(dir, "none", "a.ragbundle"), bundle.Manifest{}, sources, rag.NoProgress{}); !fault.Is(err, "unwritable") {
		t.Errorf("%v", err)
	}
}

// FuzzOpen reads whatever claims to be a bundle.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "a.ragbundle")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		err := unpack(t.Context(), path, t.TempDir())
		if err != nil && fault.Of(err).Code == "internal" {
			t.Error(err)
		}
	})
}
