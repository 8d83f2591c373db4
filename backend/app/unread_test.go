package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/i18n"
)

// listed are the statuses of a library's files by name, with the error's code and
// whether something of it can be found.
func listed(t *testing.T, s *Service, only ...string) map[string]string {
	t.Helper()
	list, err := s.ListDocuments(t.Context(), api.ListDocumentsRequest{KB: "kb", Status: only})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range list.Documents {
		what := d.Status
		if d.Error != nil {
			what += " " + d.Error.Code
		}
		if d.DocID != nil {
			what += " held"
		}
		if (d.Path == nil) != (d.Tried == nil) || d.Error != nil && d.Path == nil {
			t.Errorf("%s: path %v, tried %v", d.Source, d.Path, d.Tried)
		}
		out[filepath.Base(d.Source)] += what
	}
	return out
}

// TestFilesThatWereNotReadAreListed follows them from the first try to the last.
func TestFilesThatWereNotReadAreListed(t *testing.T) {
	t.Parallel()
	s := service(t)
	binary := strings.Repeat("\x7fELF\x02\x01\x01\x00\x00\x01\x02\xff", 99)
	dir := folder(t, map[string]string{"a.txt": "潮水涨落。", "bad.txt": binary, "photo.xyz": "x", ".hidden": "x"})
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, got, want map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	// Even where nothing could be read there is a library to say so.
	load(t, s, filepath.Join(dir, "bad.txt"))
	want("alone", listed(t, s), map[string]string{"bad.txt": "failed binary_content"})

	load(t, s, dir)
	all := map[string]string{"a.txt": "indexed held", "bad.txt": "failed binary_content", "photo.xyz": "unsupported format_unsupported", ".hidden": "skipped"}
	want("all", listed(t, s), all)
	want("filtered", listed(t, s, "failed", "skipped"), map[string]string{"bad.txt": "failed binary_content", ".hidden": "skipped"})
	list, err := s.ListDocuments(i18n.WithLanguage(t.Context(), i18n.Chinese), api.ListDocumentsRequest{KB: "kb", Status: []string{"failed"}})
	if err != nil || list.Summary.Totals["failed"] != 1 || list.Summary.Totals["indexed"] != 1 || !strings.ContainsAny(list.Documents[0].Error.Message, "的") {
		t.Errorf("in Chinese: %+v, %v", list, err)
	}

	// What the library holds stays when a file's new bytes cannot be read.
	put("a.txt", binary)
	load(t, s, dir)
	all["a.txt"] = "failed binary_content held"
	want("after an update that failed", listed(t, s), all)

	// Another cut takes it all along.
	reindexed, err := s.StartReindex(t.Context(), api.ReindexRequest{KB: "kb", Chunker: "sentences"})
	if j := ended(t, s, reindexed, err); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	want("after reindexing", listed(t, s), all)

	put("bad.txt", "退潮。")
	again, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Retry: true})
	if j := ended(t, s, again, err); j.Report.Totals["indexed"] != 1 || j.Report.Totals["failed"] != 1 || j.Report.Totals["unsupported"] != 1 {
		t.Errorf("again: %+v", j.Report.Totals)
	}
	all["bad.txt"] = "indexed held"
	want("after trying again", listed(t, s), all)

	// Removing forgets the file and the document of its older bytes.
	gone, err := s.RemoveDocuments(t.Context(), api.RemoveDocumentsRequest{KB: "kb", Refs: []string{"photo.xyz", "a.txt", filepath.Join(dir, "a.txt"), "bad"}})
	if err != nil || len(gone.Removed) != 3 {
		t.Errorf("%v, %v", gone.Removed, err)
	}
	want("after removing", listed(t, s), map[string]string{".hidden": "skipped"})
}
