package ingest_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"ragdesk/backend/ingest"
	"ragdesk/backend/library/librarytest"
)

// entry is a file to put into an archive.
type entry struct {
	name    string
	content string
	// legacy writes the name as Chinese Windows does, in CP936.
	legacy bool
}

func zipped(t *testing.T, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.legacy {
			name, err := simplifiedchinese.GB18030.NewEncoder().String(e.name)
			if err != nil {
				t.Fatal(err)
			}
			h.Name, h.NonUTF8 = name, true
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestArchivesAreFoldersOfDocuments(t *testing.T) {
	t.Parallel()
	inner := zipped(t, entry{name: "deep.txt", content: "深处的文件。"})
	root := files(t, map[string]string{
		"a.txt": "年假十天。",
		"papers.zip": zipped(t, entry{name: "制度/年假.txt", content: "年假规定在此。", legacy: true},
			entry{name: "报告.md", content: "# 报告\n\n正文。"}, entry{name: "copy.txt", content: "年假十天。"},
			entry{name: ".DS_Store", content: "x"}, entry{name: "__MACOSX/._a.txt", content: "x"},
			entry{name: `back\slash.txt`, content: "A path of Windows."}, entry{name: "inner.zip", content: inner},
			entry{name: "photo.xyz", content: "no"}, entry{name: "folder/"}),
		"empty.zip":  zipped(t),
		"broken.zip": "PK\x03\x04 nothing more",
	})
	b := newBench(t, librarytest.Model(t))
	report := b.run(t, ingest.Options{Paths: []string{root}})
	first := map[string]string{
		"a.txt": "indexed", "papers.zip/制度/年假.txt": "indexed", "papers.zip/报告.md": "indexed", "papers.zip/copy.txt": "alias",
		"papers.zip/.DS_Store": "skipped", "papers.zip/__MACOSX/._a.txt": "skipped", "papers.zip/back/slash.txt": "indexed",
		"papers.zip/inner.zip/deep.txt": "indexed", "papers.zip/photo.xyz": "unsupported format_unsupported",
		"empty.zip": "skipped", "broken.zip": "failed corrupt",
	}
	want(t, "statuses", statuses(root, report), first)

	again := statuses(root, b.run(t, ingest.Options{Paths: []string{root}}))
	for name, status := range first {
		if status == "indexed" {
			status = "unchanged"
		}
		if again[name] != status {
			t.Errorf("again: %s is %q, want %q", name, again[name], status)
		}
	}
}

func TestArchivesFollowTheirFiles(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"x.zip": zipped(t, entry{name: "gone.txt", content: "第一份文件。"}, entry{name: "same.txt", content: "第二份文件。"}),
		"y.zip": zipped(t, entry{name: "twin.txt", content: "第一份文件。"}),
		"z.zip": zipped(t, entry{name: "last.txt", content: "第三份文件。"}),
	})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	path := filepath.Join(root, "x.zip")
	if err := os.WriteFile(path, []byte(zipped(t, entry{name: "same.txt", content: "第二份文件，改过了。"})), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "z.zip")); err != nil {
		t.Fatal(err)
	}
	kept := statuses(root, b.run(t, ingest.Options{Paths: []string{root}}))
	if kept["x.zip/gone.txt"] != "" || kept["x.zip/same.txt"] != "updated" {
		t.Errorf("without sync: %v", kept)
	}
	want(t, "with sync", statuses(root, b.run(t, ingest.Options{Paths: []string{root}, Sync: true})), map[string]string{
		"x.zip/same.txt": "unchanged", "x.zip/gone.txt": "removed", "z.zip/last.txt": "removed",
		"y.zip/twin.txt": "indexed", // its twin is gone, so that it is a document of its own
	})
}

func TestIgnoredFilesAreLeftOut(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		".ragdeskignore":     "*.log\n/build/\n# a comment\n!keep.log\n草稿*\n",
		"a.txt":              "kept",
		"a.log":              "left out",
		"keep.log":           "kept as well",
		"草稿一.txt":            "left out",
		"build/out.txt":      "left out",
		"src/build/out.txt":  "kept: the rule is of the root alone",
		"src/deep/trace.log": "left out",
		"sub/.ragdeskignore": "b.txt\n",
		"sub/b.txt":          "left out by the rules beside it",
		"b.txt":              "kept: those rules do not reach up",
	})
	b := newBench(t, librarytest.Model(t))
	want(t, "statuses", statuses(root, b.run(t, ingest.Options{Paths: []string{root}})), map[string]string{
		".ragdeskignore": "skipped", "a.txt": "indexed", "a.log": "skipped", "keep.log": "indexed", "草稿一.txt": "skipped",
		"build": "skipped", "src/build/out.txt": "indexed", "src/deep/trace.log": "skipped",
		"sub/.ragdeskignore": "skipped", "sub/b.txt": "skipped", "b.txt": "indexed",
	})
}

func TestACopyThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"x.zip": zipped(t, entry{name: "a.txt", content: "同一份文件。"}),
		"y.zip": zipped(t, entry{name: "twin.txt", content: "同一份文件。"}),
	})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	write := func(name, content string) string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// Another checksum in the directory: the entry is there and damaged.
	damaged := []byte(zipped(t, entry{name: "twin.txt", content: "同一份文件。"}))
	damaged[bytes.Index(damaged, []byte("PK\x01\x02"))+16] ^= 0xff
	write("y.zip", string(damaged))
	changed := write("x.zip", zipped(t, entry{name: "a.txt", content: "改过的文件。"}))
	want(t, "statuses", statuses(root, b.run(t, ingest.Options{Paths: []string{changed}})), map[string]string{
		"x.zip/a.txt": "updated", "y.zip/twin.txt": "failed corrupt",
	})
}
