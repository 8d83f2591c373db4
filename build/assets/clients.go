package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ragdesk/build"
)

// pkg returns the path of the package that s names: an archive in the cache or,
// for Go, the module's folder.
func (f *fetcher) pkg(ctx context.Context, s build.Source) (string, error) {
	if s.Go != "" {
		return f.goModule(ctx, s.Go)
	}
	dir := filepath.Join(f.cache, "packages", strings.NewReplacer("/", "_", ":", "_", "=", "_", "@", "_", " ", "_").Replace(s.String()))
	if file, err := only(dir); err == nil {
		return file, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "tmp-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(tmp) }() // temporary
	switch {
	case s.NPM != "":
		_, err = f.client(ctx, tmp, "npm", "pack", "--silent", s.NPM)
	case s.Maven != "":
		_, err = f.client(ctx, tmp, "mvn", "-B", "-q", "dependency:copy", "-Dartifact="+s.Maven, "-DoutputDirectory="+tmp)
	case s.Pip != "":
		_, err = f.client(ctx, tmp, "pip", "download", "--quiet", "--no-deps", "--dest", tmp, s.Pip)
	default:
		err = errors.New("no coordinate")
	}
	if err != nil {
		return "", err
	}
	file, err := only(tmp)
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(file)), os.Rename(tmp, dir)
}

// goModule returns the folder of a module in the module cache.
func (f *fetcher) goModule(ctx context.Context, module string) (string, error) {
	out, err := f.client(ctx, f.cache, "go", "mod", "download", "-json", module)
	var m struct{ Dir, Error string }
	if bad := json.Unmarshal(out, &m); err == nil && bad != nil {
		return "", fmt.Errorf("go mod download: %w", bad)
	}
	if m.Error != "" {
		return "", errors.New(m.Error)
	}
	if err != nil {
		return "", err
	}
	return m.Dir, nil
}

// client runs a package client in dir and returns what it printed.
func (f *fetcher) client(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed on this machine", name)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(stderr.String() + stdout.String())
		return stdout.Bytes(), fmt.Errorf("%s %s: %w: %s", name, args[0], err, tail(said, 300))
	}
	return stdout.Bytes(), nil
}

// tail returns the end of s, at most about n bytes, on one line.
func tail(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > n {
		s = "…" + strings.ToValidUTF8(s[len(s)-n:], "")
	}
	return s
}

// only returns the path of the single file in dir.
func only(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) != 1 || !entries[0].Type().IsRegular() {
		return "", fmt.Errorf("%d entries in %s, expected the package alone", len(entries), dir)
	}
	return filepath.Join(dir, entries[0].Name()), nil
}
