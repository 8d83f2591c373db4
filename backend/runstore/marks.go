package runstore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
	"ragdesk/backend/wholefile"
)

// Remarked are the marks of a run's answers by another judge than the one that marked them
// when it ran. They lie beside the run, which is never changed.
type Remarked struct {
	Run         string `json:"run"`
	Model       string `json:"model"`
	Fingerprint string `json:"fingerprint"`
	// Marks are by the questions' ids.
	Marks map[string]runs.Rubric `json:"marks"`
}

// marksFile is where the marks of a run by one judge lie.
func (s *Store) marksFile(run, fingerprint string) string {
	sum := sha256.Sum256([]byte(fingerprint))
	return filepath.Join(s.dir, ".marks-"+run, hex.EncodeToString(sum[:8])+".json")
}

// SaveMarks keeps the marks of a run by one judge, in place of earlier ones of the same judge. The
// fault is "run_unwritable".
func (s *Store) SaveMarks(m Remarked) error {
	path := s.marksFile(m.Run, m.Fingerprint)
	b, err := encode(m)
	if err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), wholefile.Write(path, b, 0o644)); err != nil {
		return fault.Wrap(err, "run_unwritable", fault.P("path", path))
	}
	return nil
}

// Marks returns the marks of a run by one judge; ok is false where there are none. The fault
// is "run_broken".
func (s *Store) Marks(run, fingerprint string) (m Remarked, ok bool, err error) {
	path := s.marksFile(run, fingerprint)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return Remarked{}, false, nil
	}
	err = readJSON(path, &m)
	return m, err == nil && m.Fingerprint == fingerprint, err
}
