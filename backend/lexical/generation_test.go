package lexical_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

// generations builds the chunks in four ways that must not show in the scores.
func generations(t *testing.T, entries []lexical.Entry) map[string]string {
	t.Helper()
	ctx, root := t.Context(), t.TempDir()
	next := func(name, from string, n int, remove []rag.ChunkID, put []lexical.Entry) string {
		to := filepath.Join(root, fmt.Sprintf("%s-%d", name, n))
		if err := (lexical.Analyzer{}).Build(ctx, from, to, remove, put); err != nil {
			t.Fatalf("build %s %d: %v", name, n, err)
		}
		return to
	}
	out := map[string]string{"one batch": next("one", "", 0, nil, entries)}
	at := ""
	for i := 0; i < len(entries); i += 100 {
		at = next("small", at, i, nil, entries[i:min(i+100, len(entries))])
	}
	out["batches of 100"] = at

	rng := rand.New(rand.NewPCG(5, 5))
	shuffled := make([]lexical.Entry, len(entries))
	for i, j := range rng.Perm(len(entries)) {
		shuffled[i] = entries[j]
	}
	half := shuffled[:len(shuffled)/2]
	var ids []rag.ChunkID
	for _, e := range half {
		ids = append(ids, e.ID)
	}
	without := next("churn", out["batches of 100"], 0, ids, nil)
	out["half removed and added again"] = next("churn", without, 1, nil, half)

	var wrong []lexical.Entry
	for _, e := range half {
		wrong = append(wrong, lexical.Entry{ID: e.ID, Text: "另一段文字 quite another text"})
	}
	replaced := next("replace", out["one batch"], 0, nil, wrong)
	out["half replaced twice"] = next("replace", replaced, 1, ids[:len(ids)/3], half)
	return out
}

func checkSameRanking(t *testing.T, entries []lexical.Entry, queries []string) {
	t.Helper()
	stats := statsOf(entries)
	var first map[string][]rag.Scored
	for name, dir := range generations(t, entries) {
		for _, again := range []bool{false, true} {
			ix, err := lexical.Analyzer{}.Open(dir, stats)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := map[string][]rag.Scored{}
			for _, q := range queries {
				got[q] = search(t, ix, q, 10)
			}
			if err := ix.Close(); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("%s (opened again %t) ranks otherwise (-first +now):\n%s", name, again, diff)
			}
		}
	}
}

// bleve's own BM25 takes its mean length from the segments, so that batches and
// merges show in the ranking; ours must not.
func TestRankingIgnoresHistory(t *testing.T) {
	t.Parallel()
	texts, queries := ragtest.RandomTexts(21, 400, 200)
	checkSameRanking(t, toEntries(texts), queries)
}

func TestRankingIgnoresHistoryOnRealText(t *testing.T) {
	t.Parallel()
	entries := entriesOf(windows(t, "cmrc2018", 250, 50))[:1500]
	var queries []string
	for _, q := range readLines[question](t, filepath.Join(evalData(t), "cmrc2018", "queries.jsonl"))[:300] {
		queries = append(queries, q.Text)
	}
	checkSameRanking(t, entries, queries)
}

// fileSums returns a hash of every file below dir.
func fileSums(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBuildLeavesItsSourceAlone(t *testing.T) {
	t.Parallel()
	texts, queries := ragtest.RandomTexts(31, 300, 20)
	old, added := toEntries(texts[:200]), toEntries(texts[200:])
	from := build(t, old)
	// Two readers hold the source while the next generation is made.
	one, two := open(t, from, statsOf(old)), open(t, from, statsOf(old))
	before, answer := fileSums(t, from), search(t, one, queries[0], 10)
	to := filepath.Join(filepath.Dir(from), "g2")
	if err := (lexical.Analyzer{}).Build(t.Context(), from, to, []rag.ChunkID{old[0].ID, "nobody"}, added); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, fileSums(t, from)); diff != "" {
		t.Errorf("the source changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(answer, search(t, two, queries[0], 10)); diff != "" {
		t.Errorf("the source answers otherwise:\n%s", diff)
	}
	now := append(old[1:len(old):len(old)], added...)
	if n := open(t, to, statsOf(now)).Count(); n != 299 {
		t.Errorf("the new generation has %d chunks, want 299", n)
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	entries := []lexical.Entry{{ID: "a", Text: "苹果"}}
	dir := build(t, entries)
	root := filepath.Dir(dir)
	if err := (lexical.Analyzer{}).Build(t.Context(), "", dir, nil, entries); !errors.Is(err, fs.ErrExist) {
		t.Errorf("building over a generation: %v, want %v", err, fs.ErrExist)
	}
	for name, err := range map[string]error{
		"missing source":     lexical.Analyzer{}.Build(t.Context(), filepath.Join(root, "none"), filepath.Join(root, "x"), nil, entries),
		"chunk without id":   lexical.Analyzer{}.Build(t.Context(), dir, filepath.Join(root, "x"), nil, []lexical.Entry{{Text: "b"}}),
		"cancelled":          lexical.Analyzer{}.Build(cancelled(t), dir, filepath.Join(root, "x"), nil, entries),
		"cancelled in merge": lexical.Analyzer{}.Build(cancelled(t), dir, filepath.Join(root, "x"), nil, nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if strings.HasPrefix(name, "cancelled") && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", name, err, context.Canceled)
		}
	}
	names, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(names) != 1 || names[0] != dir {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// cancelled returns a context that is over.
func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestOpenRefusesDamage(t *testing.T) {
	t.Parallel()
	texts, _ := ragtest.RandomTexts(41, 50, 0)
	entries := toEntries(texts)
	segments := func(dir string) []string {
		names, err := filepath.Glob(filepath.Join(dir, "*.zap"))
		if err != nil || len(names) == 0 {
			t.Fatalf("segments of %s: %v, %v", dir, names, err)
		}
		return names
	}
	for name, damage := range map[string]func(dir string) error{
		"no folder":       os.RemoveAll,
		"no manifest":     func(dir string) error { return os.Remove(filepath.Join(dir, "generation.json")) },
		"broken manifest": func(dir string) error { return os.WriteFile(filepath.Join(dir, "generation.json"), []byte("{"), 0o600) },
		"other rules": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "generation.json"), []byte(`{"fingerprint":"bm25-0"}`), 0o600)
		},
		"no root":           func(dir string) error { return os.Remove(filepath.Join(dir, "root.bolt")) },
		"short root":        func(dir string) error { return os.Truncate(filepath.Join(dir, "root.bolt"), 100) },
		"garbled root":      func(dir string) error { return overwrite(filepath.Join(dir, "root.bolt")) },
		"no segment":        func(dir string) error { return os.Remove(segments(dir)[0]) },
		"short segment":     func(dir string) error { return os.Truncate(segments(dir)[0], 1000) },
		"garbled segment":   func(dir string) error { return overwrite(segments(dir)[0]) },
		"a file in its way": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := build(t, entries)
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			ix, err := lexical.Analyzer{}.Open(dir, statsOf(entries))
			if err == nil {
				_ = ix.Close()
			}
			if !fault.Is(err, "index_damaged") || fault.Of(err).Params["path"] != dir {
				t.Errorf("Open = %v, want index_damaged of %s", err, dir)
			}
		})
	}
	t.Run("other count", func(t *testing.T) {
		t.Parallel()
		_, err := lexical.Analyzer{}.Open(build(t, entries), lexical.Stats{Chunks: len(entries) - 1})
		if !fault.Is(err, "index_damaged") {
			t.Errorf("Open = %v, want index_damaged", err)
		}
	})
}

// Bytes that rot inside a segment are found when they are read, not before.
func TestRottenSegments(t *testing.T) {
	t.Parallel()
	texts, queries := ragtest.RandomTexts(42, 200, 30)
	entries := toEntries(texts)
	source := build(t, entries)
	damaged := 0
	for seed := range uint64(40) {
		dir := filepath.Join(t.TempDir(), "g")
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob(filepath.Join(dir, "*.zap"))
		if err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		data, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 1 + rng.IntN(300) {
			data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
		}
		if err := os.WriteFile(names[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		ix, err := lexical.Analyzer{}.Open(dir, statsOf(entries))
		for i := 0; err == nil && i < len(queries); i++ {
			if _, err = ix.Search(t.Context(), queries[i], 10); err == nil {
				_, err = ix.Score(t.Context(), queries[i], []rag.ChunkID{entries[0].ID})
			}
		}
		if err != nil {
			damaged++
		}
		if ix != nil {
			_ = ix.Close() // whatever state it is in
		}
		// A build on top must end, too, whether it succeeds or not.
		_ = lexical.Analyzer{}.Build(t.Context(), dir, dir+"-next", []rag.ChunkID{entries[1].ID}, entries[:3])
	}
	if damaged == 0 {
		t.Error("no damage was noticed")
	}
	t.Logf("damage noticed in %d of 40 segments", damaged)
}

// overwrite fills a file with a pattern and keeps its size.
func overwrite(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Repeat("x", int(info.Size()))), 0o600)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := build(t, []lexical.Entry{{ID: "a", Text: "苹果"}})
	root := filepath.Dir(dir)
	old := filepath.Join(root, "g0")
	if err := (lexical.Analyzer{}).Build(t.Context(), dir, old, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"g2.building-123", "someone-elses"} {
		if err := os.MkdirAll(filepath.Join(root, name, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := lexical.Sweep(root, dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{dir, filepath.Join(root, "someone-elses")}, names); diff != "" {
		t.Errorf("after Sweep (-want +got):\n%s", diff)
	}
	if err := lexical.Sweep(filepath.Join(root, "none")); err != nil {
		t.Errorf("Sweep of a missing folder: %v", err)
	}
}

// buildEnv makes TestKilledBuild's child build an index in the folder it names.
const buildEnv = "LEXICAL_TEST_BUILD"

func TestKilledBuild(t *testing.T) {
	texts, queries := ragtest.RandomTexts(51, 3000, 1)
	entries := toEntries(texts)
	if root := os.Getenv(buildEnv); root != "" {
		t.Fatal(lexical.Analyzer{}.Build(t.Context(), filepath.Join(root, "g1"), filepath.Join(root, "g2"), nil, entries[100:]))
	}
	dir := build(t, entries[:100])
	root := filepath.Dir(dir)
	ix := open(t, dir, statsOf(entries[:100]))
	want := search(t, ix, queries[0], 10)

	child := exec.Command(os.Args[0], "-test.run=^TestKilledBuild$")
	child.Env = append(os.Environ(), buildEnv+"="+root)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	unfinished := filepath.Join(root, "g2.building-*", "*.zap")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if names, _ := filepath.Glob(unfinished); len(names) > 1 || time.Now().After(deadline) {
			break
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if _, err := os.Stat(filepath.Join(root, "g2")); err == nil {
		t.Fatal("the build was done before it was killed")
	}
	if err := lexical.Sweep(root, "g1"); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(names) != 1 {
		t.Errorf("after the sweep: %v, %v", names, err)
	}
	again := open(t, dir, statsOf(entries[:100]))
	if diff := cmp.Diff(want, search(t, again, queries[0], 10)); diff != "" {
		t.Errorf("the last generation ranks otherwise:\n%s", diff)
	}
	if err := (lexical.Analyzer{}).Build(t.Context(), dir, filepath.Join(root, "g2"), nil, entries[100:200]); err != nil {
		t.Errorf("building again: %v", err)
	}
}
