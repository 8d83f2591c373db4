package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/rag"
)

// unread is what the library keeps of files that were not read: status and code, or
// the warning, by source below root.
func (b *bench) unread(t *testing.T, root string) map[string]string {
	t.Helper()
	files, err := b.Store.Unread(t.Context(), b.lib)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, u := range files {
		if age := time.Since(u.Tried); age < 0 || age > time.Hour {
			t.Errorf("%s was tried %s ago", u.Source, age)
		}
		why := u.Code
		for _, w := range u.Warnings {
			why += w.Code
		}
		source := strings.TrimPrefix(u.Source, filepath.ToSlash(root)+"/")
		if _, twice := out[source]; twice {
			t.Errorf("%s is kept twice", source)
		}
		out[source] = u.Status + " " + why
	}
	return out
}

const binary = "\x7fELF\x02\x01\x01\x00\x00\x01\x02\xff"

func TestWhatIsNotReadIsKept(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"good.txt": "the tide turns", "empty.txt": "", "bad.txt": strings.Repeat(binary, 99), "photo.xyz": "no image",
		".git/config": "x", "lost.txt": "-> gone.txt", "notes/late.txt": "bread", ".ragdeskignore": "draft.txt\n", "draft.txt": "d",
		"papers.zip": zipped(t, entry{name: "a.txt", content: "ebb and flow"}, entry{name: "b.xyz", content: "x"}), "broken.zip": "PK\x03\x04 no more",
	})
	b := newBench(t, librarytest.Model(t))
	first := b.run(t, ingest.Options{Paths: []string{root, filepath.Join(root, "nowhere.txt")}})
	all := map[string]string{}
	for name, status := range statuses(root, first) { // all that was reported, and nothing else
		if strings.HasPrefix(status, rag.StatusFailed) || strings.HasPrefix(status, rag.StatusUnsupported) {
			all[name] = status
		}
	}
	all[".git"], all[".ragdeskignore"], all["draft.txt"] = "skipped hidden_file", "skipped hidden_file", "skipped ignored_file"
	if len(all) != 9 || all["papers.zip/b.xyz"] != "unsupported format_unsupported" {
		t.Errorf("not read: %v", all)
	}
	want(t, "kept", b.unread(t, root), all)
	if first.Library.Documents != 4 {
		t.Errorf("%d documents", first.Library.Documents)
	}

	// Once they can be read they are forgotten, each by whatever path it was read.
	write(t, filepath.Join(root, "bad.txt"), "now a text")
	write(t, filepath.Join(root, "broken.zip"), zipped(t, entry{name: "c.txt", content: "whole again"}))
	b.run(t, ingest.Options{Paths: []string{root + "/notes/../bad.txt", filepath.Join(root, "broken.zip")}})
	delete(all, "bad.txt")
	delete(all, "broken.zip")
	want(t, "kept when two were mended", b.unread(t, root), all)

	// What an archive no longer holds, and what is ignored by now, is of no account.
	write(t, filepath.Join(root, "papers.zip"), zipped(t, entry{name: "a.txt", content: "ebb and flow"}))
	write(t, filepath.Join(root, ".ragdeskignore"), "draft.txt\nphoto.xyz\n")
	b.run(t, ingest.Options{Paths: []string{root}})
	delete(all, "papers.zip/b.xyz")
	all["photo.xyz"] = "skipped ignored_file"
	want(t, "kept after the second run", b.unread(t, root), all)

	// A file that is gone stays until Sync.
	if err := os.Remove(filepath.Join(root, "lost.txt")); err != nil {
		t.Fatal(err)
	}
	b.run(t, ingest.Options{Paths: []string{root}})
	want(t, "kept without Sync", b.unread(t, root), all)
	b.run(t, ingest.Options{Paths: []string{root}, Sync: true})
	delete(all, "lost.txt")
	delete(all, "nowhere.txt")
	want(t, "kept after Sync", b.unread(t, root), all)
}

// TestANewVersionThatIsNotRead leaves the document as it was, and says so.
func TestANewVersionThatIsNotRead(t *testing.T) {
	root := files(t, map[string]string{"docs/a.txt": "the tide turns", "docs/b.txt": "bread"})
	t.Chdir(root)
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{"docs"}})
	write(t, "docs/a.txt", strings.Repeat(binary, 99))
	b.run(t, ingest.Options{Paths: []string{filepath.Join(root, "docs")}}) // in another spelling
	want(t, "kept", b.unread(t, root), map[string]string{"docs/a.txt": "failed binary_content"})
	want(t, "the library", b.held(t), map[string]string{"docs/a.txt": "the tide turns", "docs/b.txt": "bread"})
	// Passing over a file that the library holds is no news of it.
	write(t, "docs/.ragdeskignore", "b.txt\n")
	b.run(t, ingest.Options{Paths: []string{"docs"}})
	want(t, "kept after ignoring", b.unread(t, root), map[string]string{"docs/a.txt": "failed binary_content", "docs/.ragdeskignore": "skipped hidden_file"})
	write(t, "docs/a.txt", "the tide turned")
	b.run(t, ingest.Options{Paths: []string{"./docs/a.txt"}})
	want(t, "kept when mended", b.unread(t, root), map[string]string{"docs/.ragdeskignore": "skipped hidden_file"})
	want(t, "the library when mended", b.held(t), map[string]string{"docs/a.txt": "the tide turned", "docs/b.txt": "bread"})
}

func TestRetry(t *testing.T) {
	root := files(t, map[string]string{
		"docs/a.txt": strings.Repeat(binary, 99), "docs/b.txt": strings.Repeat(binary, 98), "docs/.c.txt": "hidden", "docs/d.txt": "bread",
		"docs/p.zip": zipped(t, entry{name: "in/e.xyz", content: "x"}), "docs/f.txt": "-> gone.txt",
	})
	t.Chdir(root)
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{"docs"}})
	t.Chdir(t.TempDir()) // where "docs" means nothing
	write(t, filepath.Join(root, "docs/a.txt"), "the tide turns")
	report := b.run(t, ingest.Options{Paths: []string{"docs/a.txt"}, Retry: true})
	want(t, "one", statuses("", report), map[string]string{"docs/a.txt": "indexed"})
	write(t, filepath.Join(root, "docs/b.txt"), "the tide turned")
	write(t, filepath.Join(root, "docs/p.zip"), zipped(t, entry{name: "in/e.txt", content: "ebb"}))
	report = b.run(t, ingest.Options{Retry: true})
	want(t, "all", statuses("", report), map[string]string{"docs/b.txt": "indexed", "docs/p.zip/in/e.txt": "indexed", "docs/f.txt": "failed not_found"})
	want(t, "kept", b.unread(t, root), map[string]string{"docs/.c.txt": "skipped hidden_file", "docs/f.txt": "failed not_found"})
	report = b.run(t, ingest.Options{Paths: []string{"docs/.c.txt"}, Retry: true}) // named, it is read
	want(t, "hidden", statuses("", report), map[string]string{"docs/.c.txt": "indexed"})
	want(t, "the library", b.held(t), map[string]string{
		"docs/a.txt": "the tide turns", "docs/b.txt": "the tide turned", "docs/.c.txt": "hidden", "docs/d.txt": "bread", "docs/p.zip/in/e.txt": "ebb",
	})
	for _, source := range []string{"docs/d.txt", "nobody.txt", ""} {
		p := &recorder{}
		_, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
			return ingest.Run(t.Context(), ports, b.lib, ingest.Options{Paths: []string{source}, Retry: true}, p)
		})
		if !fault.Is(err, "unread_unknown") {
			t.Errorf("%q: %v", source, err)
		}
	}
	// A library that was filled from nothing but that is as it would be otherwise.
	if diff := cmp.Diff(map[string]string{"docs/f.txt": "failed not_found"}, b.unread(t, root)); diff != "" {
		t.Error(diff)
	}
}
