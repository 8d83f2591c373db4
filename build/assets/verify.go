package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"ragdesk/build"
)

// hashError tells of a complete file with other bytes than the lock's.
type hashError struct{ want, got string }

func (e *hashError) Error() string {
	return fmt.Sprintf("sha256 is %s, the lock has %s: refused", e.got, e.want)
}

// verify compares the file at path with the lock.
func verify(path string, a build.Asset) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading
	return verifyReader(file, a)
}

func verifyReader(r io.Reader, a build.Asset) error {
	sum, err := hash(r)
	if err != nil {
		return err
	}
	if sum != a.SHA256 {
		return &hashError{want: a.SHA256, got: sum}
	}
	return nil
}

func hash(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading
	return hash(file)
}
