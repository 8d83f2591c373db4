package runstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/wholefile"
)

// NotePoints bounds a note, in code points.
const NotePoints = 10_000

// noteEnding makes the file of a run's note, beside its folder: nothing in the folder
// is ever changed. No id has a dot, so that it is taken for no run.
const noteEnding = ".note"

// SetNote writes what a person has to say of a run, in the place of what was there;
// an empty text takes it away. It returns the run's ID. The faults are those of Load
// for a ref, and "note_invalid" {points, limit} for a text that is too long or no
// UTF-8.
func (s *Store) SetNote(ref, text string) (id string, err error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n > NotePoints || !utf8.ValidString(text) {
		return "", fault.New("note_invalid", fault.P("points", n), fault.P("limit", NotePoints))
	}
	run, err := s.Run(ref)
	if err != nil {
		return "", err
	}
	dir, err := s.folder(ref)
	if err != nil {
		return "", err
	}
	path := notePath(dir)
	if text == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fault.Wrap(err, "run_unwritable", fault.P("path", path))
		}
		return run.ID, nil
	}
	if err := wholefile.Write(path, []byte(text+"\n"), 0o644); err != nil {
		return "", fault.Wrap(err, "run_unwritable", fault.P("path", path))
	}
	return run.ID, nil
}

func notePath(dir string) string { return filepath.Clean(dir) + noteEnding }

// note is that of the run in a folder, empty without.
func note(dir string) (string, error) {
	b, err := os.ReadFile(notePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fault.Wrap(err, "run_broken", fault.P("path", notePath(dir)))
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "�")), nil
}
