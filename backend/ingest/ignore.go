package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	ignore "github.com/sabhiram/go-gitignore"
)

// ignoreFile names what its folder and those below it leave out, in the syntax
// of .gitignore.
const ignoreFile = ".ragdeskignore"

// ignoreRules are the rules of one folder.
type ignoreRules struct {
	dir   string
	rules *ignore.GitIgnore
}

// enter adds the rules of a folder and returns how to leave it.
func (s *scanner) enter(dir string) (leave func()) {
	before := len(s.rules)
	path := filepath.Join(dir, ignoreFile)
	rules, err := ignore.CompileIgnoreFile(path)
	switch {
	case err == nil:
		s.rules = append(s.rules, ignoreRules{dir, rules})
	case !errors.Is(err, fs.ErrNotExist):
		s.fail(path, err)
	}
	return func() { s.rules = s.rules[:before] }
}

// ignored reports whether the rules of a folder on the way to path leave it out.
func (s *scanner) ignored(path string, e fs.DirEntry) bool {
	for _, r := range s.rules {
		rel, err := filepath.Rel(r.dir, path)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		if isFolder(path, e) {
			rel += "/"
		}
		if r.rules.MatchesPath(rel) {
			return true
		}
	}
	return false
}

func isFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
