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
		put("manifests/registry.ollama.ai/library/"+name, fmt.Sprintf(`{"config":{"digest":%q,"size":2},"layers":[%s]}`, digest("{}"), layers))
	}
	if got, err := llm.Verify(t.Context(), dir, rag.NoProgress{}); err != nil || got != nil {
		t.Fatalf("an empty folder: %v, %v", got, err)
	}
	manifest("a/latest", "weights", "licence")
	manifest("b/1b", "licence", "gone")
	put(blob("{}"), "{}")
	put(blob("weights"), "weighty")
	put(blob("licence"), "short")
	var r recorder
	got, err := llm.Verify(t.Context(), dir, &r)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]llm.Damage{
		digest("weights"): {Models: []string{"a:latest"}, Digest: digest("weights"), Found: digest("weighty")},
		digest("licence"): {Models: []string{"a:latest", "b:1b"}, Digest: digest("licence")},
		digest("gone"):    {Models: []string{"b:1b"}, Digest: digest("gone")},
	}
	found := map[string]llm.Damage{}
	for _, d := range got {
		found[d.Digest] = d
	}
	if diff := cmp.Diff(want, found); diff != "" || len(got) != 3 {
		t.Error(diff)
	}
	if r.total != 2+7+7+4 || r.added != 2+7 {
		t.Errorf("%d of %d bytes", r.added, r.total)
	}
	put("manifests/registry.ollama.ai/library/c/x", `{"layers":[{"digest":"sha256:../../etc"}]}`)
	if got, err := llm.Verify(t.Context(), dir, rag.NoProgress{}); err == nil {
		t.Errorf("a manifest that leads elsewhere: %v", got)
	}
}
