package llm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(path, content string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	digest := func(content string) string {
		sum := sha256.Sum256([]byte(content))
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	blob := func(content string) string { return "blobs/sha256-" + digest(content)[7:] }
	manifest := func(name string, contents ...string) {
		t.Helper()
		layers := ""
		for _, c := range contents {
			if layers != "" {
				layers += ","
			}
			layers += fmt.Sprintf(`{"digest":%q,"size":%d}`, digest(c), len(c))
		}
		put("manifests/"+name, fmt.Sprintf(`{"config":{"digest":%q,"size":2},"layers":[%s]}`, digest("{}"), layers))
	}
	if got, err := llm.Verify(t.Context(), dir, "", rag.NoProgress{}); err != nil || got != nil {
		t.Fatalf("an empty folder: %v, %v", got, err)
	}
	if has, err := llm.Installed(dir); err != nil || len(has) != 0 {
		t.Errorf("an empty folder has models: %v, %v", has, err)
	}
	manifest("registry.ollama.ai/library/a/latest", "weights", "licence")
	manifest("registry.ollama.ai/library/b/1b", "licence", "gone")
	manifest("reg.example/me/c/x", "weights", "sound")
	put(blob("{}"), "{}")
	put(blob("weights"), "weighty")
	put(blob("licence"), "short")
	put(blob("sound"), "sound")
	var r recorder
	got, err := llm.Verify(t.Context(), dir, "", &r)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Checked{
		{Name: "a:latest", Files: 3, Bytes: 16, Damaged: []string{digest("weights"), digest("licence")}},
		{Name: "b:1b", Files: 3, Bytes: 13, Damaged: []string{digest("licence"), digest("gone")}},
		{Name: "reg.example/me/c:x", Files: 3, Bytes: 14, Damaged: []string{digest("weights")}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.total != 2+7+7+4+5 || r.added != 2+7+5 {
		t.Errorf("%d of %d bytes", r.added, r.total)
	}
	if got, err = llm.Verify(t.Context(), dir, "A", rag.NoProgress{}); err != nil || len(got) != 1 || got[0].Name != "a:latest" {
		t.Errorf("one model: %+v, %v", got, err)
	}
	has, err := llm.Installed(dir)
	if err != nil || len(has) != 3 || has[0].Bytes != 16 || has[0].Name != "a:latest" || len(has[0].Digest) != 64 || has[0].Modified.IsZero() {
		t.Errorf("%+v, %v", has, err)
	}
	put("manifests/registry.ollama.ai/library/c/x", `{"layers":[{"digest":"sha256:../../etc"}]}`)
	if got, err := llm.Verify(t.Context(), dir, "", rag.NoProgress{}); err == nil {
		t.Errorf("a manifest that leads elsewhere: %v", got)
	}
}
