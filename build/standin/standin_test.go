package standin_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ragdesk/build/standin"
)

// TestWriteIsTheSameEachTime is what lets tests compare with numbers that Python
// computed once.
func TestWriteIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	for _, kind := range standin.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			first, second := t.TempDir(), t.TempDir()
			for _, dir := range []string{first, second} {
				if err := standin.Write(dir, kind); err != nil {
					t.Fatal(err)
				}
			}
			files := 0
			err := fs.WalkDir(os.DirFS(first), ".", func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				files++
				a, err := os.ReadFile(filepath.Join(first, path))
				if err != nil {
					return err
				}
				b, err := os.ReadFile(filepath.Join(second, path))
				if err == nil && !bytes.Equal(a, b) {
					t.Errorf("%s differs", path)
				}
				return err
			})
			if err != nil || files < 3 {
				t.Errorf("%d files, %v", files, err)
			}
		})
	}
	if err := standin.Write(t.TempDir(), "gpt"); err == nil {
		t.Error("an unknown kind is written")
	}
}
