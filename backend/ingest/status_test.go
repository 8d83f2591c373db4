package ingest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/rag"
)

func code(err error) string { return fault.Of(err).Code }

func want(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestEveryKindOfFile(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"a.txt":          "年假制度：入职满一年的员工每年享有十天年假。",
		"copy of a.txt":  "年假制度：入职满一年的员工每年享有十天年假。",
		"b/a.txt":        "Another file of the same name.",
		"b/guide.md":     "# Guide\n\nRead me.",
		"empty.txt":      "",
		"blank.txt":      " \r\n\t\n",
		"link.txt":       "-> a.txt",
		"b/loop":         "-> ..",
		"nowhere.txt":    "-> gone.txt",
		"self.txt":       "-> self.txt",
		".hidden.txt":    "not read",
		".git/config":    "not read either",
		"photo.xyz":      "not an image",
		"binary.txt":     "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x01\x02\xff", 100),
		"b/c/d/deep.log": "a log line\r\n",
	})
	b := newBench(t, librarytest.Model(t))
	report := b.run(t, ingest.Options{Paths: []string{root}})
	want(t, "statuses", statuses(root, report), map[string]string{
		"a.txt": "indexed", "copy of a.txt": "alias", "b/a.txt": "indexed", "b/guide.md": "indexed",
		"empty.txt": "empty", "blank.txt": "empty", "link.txt": "alias",
		"nowhere.txt": "failed not_found", "self.txt": "failed unreadable",
		".hidden.txt": "skipped", ".git": "skipped", "photo.xyz": "unsupported format_unsupported",
		"binary.txt": "failed binary_content", "b/c/d/deep.log": "indexed",
	})
	var order []string
	for _, o := range report.Outcomes {
		order = append(order, o.Source)
	}
	if !slices.IsSortedFunc(order[:2], strings.Compare) || filepath.Base(order[0]) != ".git" || filepath.Base(order[2]) != "a.txt" {
		t.Errorf("outcomes are not in the order of names: %v", order)
	}
	src := func(s string) string { return filepath.ToSlash(filepath.Join(root, s)) }
	want(t, "the library", b.held(t), map[string]string{
		src("a.txt"): "年假制度：入职满一年的员工每年享有十天年假。", src("copy of a.txt"): "= " + src("a.txt"), src("link.txt"): "= " + src("a.txt"),
		src("b/a.txt"): "Another file of the same name.", src("b/guide.md"): "# Guide\n\nRead me.",
		src("empty.txt"): "", src("blank.txt"): " \r\n\t\n", src("b/c/d/deep.log"): "a log line\r\n",
	})

	again := b.run(t, ingest.Options{Paths: []string{root}})
	for name, status := range statuses(root, again) {
		if before := statuses(root, report)[name]; status != before && (before != "indexed" || status != "unchanged") {
			t.Errorf("%s was %s, then %s", name, before, status)
		}
	}
	if again.Chunks != 0 || again.Library.Revision != report.Library.Revision {
		t.Errorf("a run without news wrote %d chunks, revision %d after %d", again.Chunks, again.Library.Revision, report.Library.Revision)
	}
}

func TestARespelledPathIsUnchanged(t *testing.T) {
	root := files(t, map[string]string{"docs/a.txt": "the tide turns", "docs/copy.txt": "the tide turns", "docs/b.txt": "bread"})
	t.Chdir(root)
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{"docs"}})
	held := map[string]string{"docs/a.txt": "the tide turns", "docs/copy.txt": "= docs/a.txt", "docs/b.txt": "bread"}
	want(t, "the library", b.held(t), held)
	for _, path := range []string{"./docs/", "docs/../docs", filepath.Join(root, "docs"), "docs/."} {
		report := b.run(t, ingest.Options{Paths: []string{path}, Sync: true})
		got := statuses(filepath.Join(root, "docs"), report)
		if len(report.Outcomes) != 3 || report.Outcomes[0].Status != "unchanged" || report.Outcomes[1].Status != "unchanged" || report.Outcomes[2].Status != "alias" {
			t.Errorf("%s: %v", path, got)
		}
		want(t, "the library after "+path, b.held(t), held)
	}
	t.Chdir("docs")
	report := b.run(t, ingest.Options{Paths: []string{".", "a.txt", "./a.txt", "../docs/a.txt"}})
	want(t, "from inside", statuses("", report), map[string]string{
		"a.txt": "unchanged", "b.txt": "unchanged", "copy.txt": "alias", "../docs/a.txt": "unchanged",
	})
	want(t, "the library from inside", b.held(t), held)
}

func TestLinksAreAliasesWhicheverComesFirst(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"z.txt": "the tide turns", "a.txt": "-> z.txt", "m.txt": "-> a.txt"})
	b := newBench(t, librarytest.Model(t))
	held := func(first string) map[string]string {
		out := map[string]string{}
		for _, name := range []string{"a.txt", "m.txt", "z.txt"} {
			out[root+"/"+name] = "= " + root + "/" + first
		}
		out[root+"/"+first] = "the tide turns"
		return out
	}
	for range 2 {
		report := b.run(t, ingest.Options{Paths: []string{root}})
		got := statuses(root, report)
		if got["m.txt"] != "alias" || got["z.txt"] != "alias" {
			t.Errorf("statuses %v", got)
		}
		want(t, "the library", b.held(t), held("a.txt"))
	}
	// The document keeps its first source when its bytes change.
	write(t, filepath.Join(root, "z.txt"), "the tide turned")
	report := b.run(t, ingest.Options{Paths: []string{root}})
	if got := statuses(root, report); got["a.txt"] != "updated" || got["z.txt"] != "alias" || got["m.txt"] != "alias" {
		t.Errorf("after an update: %v", got)
	}
}

func TestAnUpdateReplacesText(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": "the tide turns " + strings.Repeat("and turns ", 20), "b.txt": "bread"})
	b := newBench(t, librarytest.Model(t))
	first := b.run(t, ingest.Options{Paths: []string{root}})
	write(t, filepath.Join(root, "a.txt"), "the tide rests")
	report := b.run(t, ingest.Options{Paths: []string{root}})
	want(t, "statuses", statuses(root, report), map[string]string{"a.txt": "updated", "b.txt": "unchanged"})
	if report.Outcomes[0].Doc.ID != first.Outcomes[0].Doc.ID || report.Chunks != 1 {
		t.Errorf("document %s of %d chunks after %s", report.Outcomes[0].Doc.ID, report.Chunks, first.Outcomes[0].Doc.ID)
	}
	write(t, filepath.Join(root, "a.txt"), "\n")
	report = b.run(t, ingest.Options{Paths: []string{root}})
	want(t, "emptied", statuses(root, report), map[string]string{"a.txt": "empty", "b.txt": "unchanged"})
	if b.lib.Chunks != 1 {
		t.Errorf("%d chunks left", b.lib.Chunks)
	}
}

func TestOneBadPathNeverStopsTheOthers(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"good.txt": "the tide turns", "big.txt": strings.Repeat("x", 101), "dir/x.txt": "in a folder"})
	b := newBench(t, librarytest.Model(t))
	paths := []string{"", filepath.Join(root, "missing"), filepath.Join(root, "big.txt"), os.DevNull, filepath.Join(root, "good.txt"), filepath.Join(root, "dir")}
	report := b.run(t, ingest.Options{Paths: paths, MaxBytes: 100})
	want(t, "statuses", statuses(root, report), map[string]string{
		"": "failed not_found", "missing": "failed not_found", "big.txt": "failed limit_bytes",
		filepath.ToSlash(os.DevNull)[1:]: "failed not_a_file", "good.txt": "indexed", "dir/x.txt": "indexed",
	})
	for _, o := range report.Outcomes {
		if fault.Is(o.Err, "limit_bytes") && (fault.Of(o.Err).Params["size"] != "101" || fault.Of(o.Err).Params["limit"] != "100") {
			t.Errorf("limit: %v", o.Err)
		}
	}
	if os.Getuid() == 0 {
		t.Skip("a superuser may read everything: permission is not tested")
	}
	if err := os.Chmod(filepath.Join(root, "good.txt"), 0); err != nil {
		t.Fatal(err)
	}
	report = b.run(t, ingest.Options{Paths: []string{filepath.Join(root, "good.txt")}})
	want(t, "without permission", statuses(root, report), map[string]string{"good.txt": "failed permission"})
}

func TestSyncRemovesWhatIsGoneFromTheGivenFolders(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"in/a.txt": "the tide turns", "in/b.txt": "bread", "out/c.txt": "butter", "target.txt": "linked from in",
		"in/link.txt": "-> ../target.txt", "in/sub/d.txt": "deep", "in/dup.txt": "butter",
	})
	b := newBench(t, librarytest.Model(t))
	in, out := filepath.Join(root, "in"), filepath.Join(root, "out")
	b.run(t, ingest.Options{Paths: []string{out, in}})
	for _, gone := range []string{"in/a.txt", "out/c.txt", "in/link.txt", "in/sub/d.txt", "in/dup.txt"} {
		remove(t, filepath.Join(root, gone))
	}
	before := b.held(t)
	report := b.run(t, ingest.Options{Paths: []string{in}})
	want(t, "without sync", statuses(root, report), map[string]string{"in/b.txt": "unchanged"})
	want(t, "the library without sync", b.held(t), before)
	report = b.run(t, ingest.Options{Paths: []string{in}, Sync: true})
	want(t, "with sync", statuses(root, report), map[string]string{
		"in/b.txt": "unchanged", "in/a.txt": "removed", "in/sub/d.txt": "removed", "in/link.txt": "removed", "in/dup.txt": "removed",
	})
	if last := report.Outcomes[0]; last.Status != "unchanged" {
		t.Errorf("removed documents come before %v", last)
	}
	// c.txt is gone too, but not from a folder that was given.
	want(t, "the library with sync", b.held(t), map[string]string{root + "/in/b.txt": "bread", root + "/out/c.txt": "butter"})
}

func TestALivingCopyOfARemovedDocumentBecomesADocument(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": "the tide turns", "copy.txt": "the tide turns", "other.txt": "the tide turns"})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	remove(t, filepath.Join(root, "a.txt"))
	report := b.run(t, ingest.Options{Paths: []string{root}, Sync: true})
	want(t, "statuses", statuses(root, report), map[string]string{"a.txt": "removed", "copy.txt": "indexed", "other.txt": "alias"})
	want(t, "the library", b.held(t), map[string]string{root + "/copy.txt": "the tide turns", root + "/other.txt": "= " + root + "/copy.txt"})
	report = b.run(t, ingest.Options{Paths: []string{root}, Sync: true})
	want(t, "after that", statuses(root, report), map[string]string{"copy.txt": "unchanged", "other.txt": "alias"})
}

func TestARenamedFileKeepsItsText(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"old.txt": "the tide turns"})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	if err := os.Rename(filepath.Join(root, "old.txt"), filepath.Join(root, "new.txt")); err != nil {
		t.Fatal(err)
	}
	report := b.run(t, ingest.Options{Paths: []string{root}, Sync: true})
	want(t, "statuses", statuses(root, report), map[string]string{"old.txt": "removed", "new.txt": "indexed"})
	want(t, "the library", b.held(t), map[string]string{root + "/new.txt": "the tide turns"})
}

func TestACopyThatKeepsTheOldBytesBecomesADocument(t *testing.T) {
	t.Parallel()
	for _, primary := range []string{"a.txt", "z.txt"} { // before the copy in the scan, and after it
		root := files(t, map[string]string{primary: "the tide turns"})
		b := newBench(t, librarytest.Model(t))
		b.run(t, ingest.Options{Paths: []string{root}})
		write(t, filepath.Join(root, "copy.txt"), "the tide turns")
		b.run(t, ingest.Options{Paths: []string{root}})
		want(t, "the library before", b.held(t), map[string]string{root + "/" + primary: "the tide turns", root + "/copy.txt": "= " + root + "/" + primary})
		write(t, filepath.Join(root, primary), "the tide rests")
		report := b.run(t, ingest.Options{Paths: []string{root}})
		want(t, "statuses", statuses(root, report), map[string]string{primary: "updated", "copy.txt": "indexed"})
		want(t, "the library", b.held(t), map[string]string{root + "/" + primary: "the tide rests", root + "/copy.txt": "the tide turns"})
	}
}

func TestACopyThatChangesIsNoCopyAnyMore(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": "the tide turns", "copy.txt": "the tide turns", "c.txt": "bread"})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	write(t, filepath.Join(root, "copy.txt"), "bread") // a copy of another
	b.run(t, ingest.Options{Paths: []string{root}})
	want(t, "copy of another", b.held(t), map[string]string{root + "/a.txt": "the tide turns", root + "/c.txt": "bread", root + "/copy.txt": "= " + root + "/c.txt"})
	write(t, filepath.Join(root, "copy.txt"), "butter")
	report := b.run(t, ingest.Options{Paths: []string{root}})
	want(t, "statuses", statuses(root, report), map[string]string{"a.txt": "unchanged", "c.txt": "unchanged", "copy.txt": "indexed"})
	want(t, "the library", b.held(t), map[string]string{root + "/a.txt": "the tide turns", root + "/c.txt": "bread", root + "/copy.txt": "butter"})
}

func TestAFailedUpdateKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": "the tide turns", "copy.txt": "the tide turns", "b.txt": "bread"})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	before := b.held(t)
	binary := "\x7fELF" + strings.Repeat("\x00\xff\x01", 50)
	write(t, filepath.Join(root, "b.txt"), binary)
	write(t, filepath.Join(root, "copy.txt"), binary)
	report := b.run(t, ingest.Options{Paths: []string{root}, Sync: true})
	want(t, "statuses", statuses(root, report), map[string]string{
		"a.txt": "unchanged", "b.txt": "failed binary_content", "copy.txt": "failed binary_content",
	})
	want(t, "the library", b.held(t), before)
}

func TestAnotherEncodingReadsAnUnchangedFileAgain(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": "\xc4\xea\xbc\xd9\xca\xae\xcc\xec"}) // 年假十天 in GBK
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}, Encoding: "big5"})
	wrong := b.held(t)[root+"/a.txt"]
	report := b.run(t, ingest.Options{Paths: []string{root}, Encoding: "gb18030"})
	want(t, "statuses", statuses(root, report), map[string]string{"a.txt": "updated"})
	if got := b.held(t)[root+"/a.txt"]; got != "年假十天" || wrong == got {
		t.Errorf("read as %q, before as %q", got, wrong)
	}
	report = b.run(t, ingest.Options{Paths: []string{root}, Encoding: "gb18030"})
	want(t, "in the same encoding", statuses(root, report), map[string]string{"a.txt": "unchanged"})
	report = b.run(t, ingest.Options{Paths: []string{root}})
	want(t, "in no encoding", statuses(root, report), map[string]string{"a.txt": "unchanged"})
	report = b.run(t, ingest.Options{Paths: []string{root}, Encoding: "klingon"})
	want(t, "in an unknown one", statuses(root, report), map[string]string{"a.txt": "failed encoding_unknown"})
}

func TestEqualTreesGiveEqualIDs(t *testing.T) {
	tree := map[string]string{
		"docs/a.txt": strings.Repeat("潮水涨落，𠮷野家的灯还亮着。👩‍👩‍👧 ", 12), "docs/b/a.txt": "the tide turns", "docs/b/c.md": "# 标题\n\n正文。\n\n## 二\n\n更多正文。", "docs/copy.txt": "the tide turns",
	}
	type seen struct {
		docs   []rag.DocumentID
		chunks []rag.Chunk
	}
	var runs []seen
	for range 2 {
		t.Chdir(files(t, tree))
		b := newBench(t, librarytest.Model(t))
		report := b.run(t, ingest.Options{Paths: []string{"docs"}})
		var s seen
		for _, o := range report.Outcomes {
			s.docs = append(s.docs, o.Doc.ID)
		}
		for _, c := range b.chunks(t) {
			s.chunks = append(s.chunks, c.Chunk)
		}
		runs = append(runs, s)
	}
	if diff := cmp.Diff(runs[0], runs[1], cmp.AllowUnexported(seen{})); diff != "" || len(runs[0].chunks) < 8 {
		t.Errorf("%d chunks; another copy of the tree gives (-first +second):\n%s", len(runs[0].chunks), diff)
	}
}

func TestTwoFoldersOfOneNameStayApart(t *testing.T) {
	b := newBench(t, librarytest.Model(t))
	first, second := files(t, map[string]string{"docs/a.txt": "the tide turns"}), files(t, map[string]string{"docs/a.txt": "bread"})
	t.Chdir(first)
	one := b.run(t, ingest.Options{Paths: []string{"docs"}, Sync: true})
	t.Chdir(second)
	two := b.run(t, ingest.Options{Paths: []string{"docs"}, Sync: true})
	again := b.run(t, ingest.Options{Paths: []string{"docs"}, Sync: true})
	if one.Outcomes[0].Doc.ID == two.Outcomes[0].Doc.ID || b.lib.Documents != 2 {
		t.Errorf("ids %s and %s, %d documents", one.Outcomes[0].Doc.ID, two.Outcomes[0].Doc.ID, b.lib.Documents)
	}
	want(t, "second time", statuses("", again), map[string]string{"docs/a.txt": "unchanged"})
}
