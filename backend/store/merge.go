package store

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// linesEnding is that of files of lines, to which lines are only ever added.
const linesEnding = ".jsonl"

// mergeInto moves what is in the folder from to the folder to where nothing has its name. Of
// files of lines beside each other, the lines that are missing are added.
func mergeInto(from, to string) error {
	if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
		err := os.Rename(from, to)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it is in place
		}
		return err
	}
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		_, there := os.Lstat(target)
		switch {
		case there != nil:
			err = os.Rename(source, target)
		case e.IsDir():
			if !isRun(target) { // a run is whole
				err = mergeInto(source, target)
			}
		case filepath.Ext(e.Name()) == linesEnding:
			err = addLines(source, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isRun reports whether a folder is that of a run, to which nothing is ever added.
func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "run.json"))
	return err == nil
}

// addLines appends the lines of one file that another lacks.
func addLines(from, to string) error {
	have := map[string]bool{}
	torn, err := eachLine(to, func(line string) { have[line] = true })
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	if torn {
		_, _ = out.WriteString(tornEnd) // Flush tells
	}
	_, err = eachLine(from, func(line string) {
		if !have[line] {
			_, _ = out.WriteString(line) // Flush tells
		}
	})
	return errors.Join(err, out.Flush(), f.Sync(), f.Close())
}

// tornEnd ends a last line that the end of a process broke off, as those who append such
// lines do.
const tornEnd = "\x00\n"

// eachLine calls do with every line and its end, and reports a last one without.
func eachLine(path string, do func(line string)) (torn bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return line != "", nil // it was never reported as kept
		}
		if err != nil {
			return false, err
		}
		do(line)
	}
}
