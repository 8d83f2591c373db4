package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"ragdesk/build"
)

func (f *fetcher) compiledPath(c build.Compiled) string {
	return filepath.Join(f.root, filepath.FromSlash(c.File))
}

// verifyCompiled compares a compiled file with the lock.
func (f *fetcher) verifyCompiled(c build.Compiled) error {
	sum, err := hashFile(f.compiledPath(c))
	if err != nil {
		return err
	}
	if sum != c.SHA256 {
		return &hashError{want: c.SHA256, got: sum}
	}
	return nil
}

// compile makes a compiled file right. Since the lock has the hash of the output,
// a change of the inputs or of the program shows as a file that no longer fits.
func (f *fetcher) compile(ctx context.Context, c build.Compiled) error {
	if err := f.verifyCompiled(c); err == nil {
		f.printf("%s: in place", c.File)
		return nil
	}
	f.printf("%s: compiling with %s", c.File, c.Program)
	args := append([]string{"run", c.Program}, c.Args...)
	args = append(args, "-out", f.compiledPath(c))
	for _, name := range c.Inputs {
		for _, a := range f.lock.Assets {
			if a.Name != name {
				continue
			}
			f.printf("%s %s: input", a.Name, a.Version)
			raw, err := f.raw(ctx, a)
			if err != nil {
				return err
			}
			args = append(args, raw)
		}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = f.root, f.log, os.Stderr
	// The compiler runs on this machine, whatever the build is for.
	cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compile %s: %w", c.File, err)
	}
	if err := f.verifyCompiled(c); err != nil {
		return fmt.Errorf("compile %s: %w (when %s was changed on purpose, put the new hash into build/assets.lock)",
			c.File, err, c.Program)
	}
	return nil
}
