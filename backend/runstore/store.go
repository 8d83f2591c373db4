// Package runstore keeps runs as folders of plain files, and the journal of an
// evaluation that is under way.
//
// A run is one folder, named by its ID, with
//
//	run.json       what it is: pipeline, library, questions, program
//	results.jsonl  a line for each question: ranking, grades, values
//	metrics.json   what it is worth; equal records give equal bytes
//	timing.json    how long each question took
//
// Beside it ID.note holds what a person wrote of it, where there is something.
//
// Invariants: a folder appears whole or not at all, because it is written beside
// and renamed; nothing in it is ever changed; what the store does not know it
// leaves alone.
//
//	s := runstore.Open(filepath.Join(workspace, "runs"))
//	err := s.Save(stored, scores)
//	again, err := s.Load(stored.ID)
package runstore

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Names of a run's files.
const (
	RunFile     = "run.json"
	ResultsFile = "results.jsonl"
	MetricsFile = "metrics.json"
	TimingFile  = "timing.json"
)

// Store is a folder of runs. It is safe for concurrent use, also by several
// processes.
type Store struct{ dir string }

// Open returns the store in dir, which need not exist yet.
func Open(dir string) *Store { return &Store{dir} }

// Path returns the folder of a run, there or not.
func (s *Store) Path(id string) string { return filepath.Join(s.dir, id) }

// Save writes a run. A run that is there already is the fault "run_exists".
func (s *Store) Save(r runs.Stored, scores runs.Scores) (err error) {
	if !isID(r.ID) {
		return fmt.Errorf("save run: %q is no id", r.ID)
	}
	if _, err := os.Lstat(s.Path(r.ID)); err == nil {
		return fault.New("run_exists", fault.P("run", r.ID))
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return fault.Wrap(err, "run_unwritable", fault.P("path", s.dir))
	}
	temp, err := os.MkdirTemp(s.dir, ".new-")
	if err != nil {
		return fault.Wrap(err, "run_unwritable", fault.P("path", s.dir))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := writeRun(temp, r, scores); err != nil {
		return fault.Wrap(err, "run_unwritable", fault.P("path", s.Path(r.ID)))
	}
	if err := os.Rename(temp, s.Path(r.ID)); err != nil {
		if _, there := os.Lstat(s.Path(r.ID)); there == nil {
			return fault.Wrap(err, "run_exists", fault.P("run", r.ID))
		}
		return fault.Wrap(err, "run_unwritable", fault.P("path", s.Path(r.ID)))
	}
	return nil
}

func writeRun(dir string, r runs.Stored, scores runs.Scores) error {
	if err := os.Chmod(dir, 0o755); err != nil { // MkdirTemp makes private folders
		return err
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, record := range r.Records {
		if err := enc.Encode(record); err != nil {
			return fmt.Errorf("encode question %q: %w", record.QueryID, err)
		}
	}
	if err := writeFile(filepath.Join(dir, ResultsFile), lines.Bytes()); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		value any
	}{{RunFile, r.Run}, {MetricsFile, scores}, {TimingFile, r.Timing}} {
		b, err := encode(f.value)
		if err != nil {
			return fmt.Errorf("encode %s: %w", f.name, err)
		}
		if err := writeFile(filepath.Join(dir, f.name), b); err != nil {
			return err
		}
	}
	return nil
}

// encode is the form of every file but the lines: two blanks a level, a newline at
// the end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// writeFile writes a new file and waits until the disk has it.
func writeFile(path string, content []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

// Summary is a run without its records.
type Summary struct {
	runs.Run
	Scores runs.Scores
	// Note is what a person wrote of the run; empty without.
	Note string
}

// Listing is what a store holds.
type Listing struct {
	// Runs are ordered by time, newest first, then by ID.
	Runs []Summary
	// Broken names folders that look like runs and cannot be read.
	Broken []string
}

// List reads all runs. A store that does not exist is empty.
func (s *Store) List() (Listing, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Listing{}, nil
	}
	if err != nil {
		return Listing{}, fault.Wrap(err, "unreadable", fault.P("path", s.dir))
	}
	var out Listing
	for _, e := range entries {
		if !e.IsDir() || !isID(e.Name()) {
			continue
		}
		dir := s.Path(e.Name())
		if _, err := os.Stat(filepath.Join(dir, RunFile)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var sum Summary
		if err := readSummary(dir, &sum); err != nil {
			out.Broken = append(out.Broken, e.Name())
			continue
		}
		out.Runs = append(out.Runs, sum)
	}
	slices.SortFunc(out.Runs, func(a, b Summary) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

func readSummary(dir string, into *Summary) (err error) {
	if err := readRun(dir, &into.Run); err != nil {
		return err
	}
	if into.Note, err = note(dir); err != nil {
		return err
	}
	return readJSON(filepath.Join(dir, MetricsFile), &into.Scores)
}

// Latest names the newest run; of runs made at once, the first by ID.
const Latest = "latest"

// Load reads a run by its ID, by a unique beginning of it, by Latest, or by the path
// of its folder, which has a separator. The faults are "run_unknown" and "run_ambiguous",
// and those of Read.
func (s *Store) Load(ref string) (runs.Stored, error) {
	dir, err := s.folder(ref)
	if err != nil {
		return runs.Stored{}, err
	}
	return Read(dir)
}

// Run reads what a run is, without its records; ref and faults are those of Load.
func (s *Store) Run(ref string) (r runs.Run, err error) {
	dir, err := s.folder(ref)
	if err == nil {
		err = readRun(dir, &r)
	}
	return r, err
}

// folder is that of the run that ref names, as Load has it.
func (s *Store) folder(ref string) (string, error) {
	if strings.ContainsAny(ref, `/\`) {
		if _, err := os.Stat(filepath.Join(ref, RunFile)); err != nil {
			return "", fault.Wrap(err, "run_unknown", fault.P("run", ref))
		}
		return ref, nil
	}
	id, err := s.find(ref)
	if ref == Latest {
		id, err = s.newest()
	}
	return s.Path(id), err
}

// newest is the ID of the newest run.
func (s *Store) newest() (string, error) {
	l, err := s.List()
	if err != nil {
		return "", err
	}
	if len(l.Runs) == 0 {
		return "", fault.New("run_unknown", fault.P("run", Latest))
	}
	return l.Runs[0].ID, nil
}

func (s *Store) find(ref string) (string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fault.Wrap(err, "unreadable", fault.P("path", s.dir))
	}
	var fits []string
	for _, e := range entries {
		if !e.IsDir() || !isID(e.Name()) {
			continue
		}
		if e.Name() == ref {
			return ref, nil
		}
		if ref != "" && strings.HasPrefix(e.Name(), ref) {
			fits = append(fits, e.Name())
		}
	}
	switch len(fits) {
	case 0:
		return "", fault.New("run_unknown", fault.P("run", ref))
	case 1:
		return fits[0], nil
	}
	return "", fault.New("run_ambiguous", fault.P("run", ref), fault.P("known", strings.Join(fits, ", ")))
}

// Read reads the run in a folder. The faults are "run_unknown" where there is none,
// "run_broken" with the file that cannot be read, and "run_format" for a run of a
// later version.
func Read(dir string) (r runs.Stored, err error) {
	if err := readRun(dir, &r.Run); err != nil {
		return runs.Stored{}, err
	}
	if r.Note, err = note(dir); err != nil {
		return runs.Stored{}, err
	}
	if err := readJSON(filepath.Join(dir, TimingFile), &r.Timing); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return runs.Stored{}, err
	}
	path := filepath.Join(dir, ResultsFile)
	f, err := os.Open(path)
	if err != nil {
		return runs.Stored{}, fault.Wrap(err, "run_broken", fault.P("path", path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	err = eachLine(f, func(line []byte, _ bool) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		var record runs.Record
		if err := json.Unmarshal(line, &record); err != nil {
			return err
		}
		r.Records = append(r.Records, record)
		return nil
	})
	if err != nil {
		return runs.Stored{}, fault.Wrap(err, "run_broken", fault.P("path", path))
	}
	return r, nil
}

func readRun(dir string, into *runs.Run) error {
	path := filepath.Join(dir, RunFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, "run_unknown", fault.P("run", filepath.Base(dir)))
	}
	if err := readJSON(path, into); err != nil {
		return err
	}
	if into.Format > runs.Format {
		return fault.New("run_format", fault.P("run", into.ID), fault.P("format", into.Format))
	}
	return nil
}

func readJSON(path string, into any) error {
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return fault.Wrap(err, "run_broken", fault.P("path", path))
	}
	return nil
}

// eachLine calls do with every line and its end; whole is false for a last line
// without one.
func eachLine(r io.Reader, do func(line []byte, whole bool) error) error {
	in := bufio.NewReader(r)
	for {
		line, readErr := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := do(line, readErr == nil); err != nil {
				return err
			}
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

// isID reports whether a name can be an ID; it keeps paths, hidden folders and
// files out.
func isID(name string) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return name != "" && name[0] != '-'
}
