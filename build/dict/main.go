// Dict compiles the language data of package text.
//
// The Chinese word list, from files of lines "word frequency tag":
//
//	go run ./build/dict -out backend/text/dict/zh.fst s_1.txt t_1.txt
//
// The table of simplified characters, from OpenCC's TSCharacters.txt; the word list
// is folded by it, so it comes first:
//
//	go run ./build/dict -simplified -out backend/text/dict/simplified.txt TSCharacters.txt
//
// The same input gives the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "", "file to write")
	table := flag.Bool("simplified", false, "write the table of simplified characters instead of the word list")
	flag.Parse()
	if err := run(*out, *table, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "dict:", err)
		os.Exit(1)
	}
}

func run(out string, table bool, in []string) error {
	if out == "" || len(in) == 0 {
		return errors.New("usage: dict [-simplified] -out FILE INPUT…")
	}
	compile := compileWords
	if table {
		compile = compileSimplified
	}
	return writeFile(out, func(w io.Writer) error { return compile(w, in) })
}

// writeFile writes a file so that it appears complete or not at all.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is the one to report
		}
	}()
	if err := write(f); err != nil {
		_ = f.Close() // the first error is the one to report
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
