// Package bundle is the file format of a whole workspace in one file, a
// .ragbundle: a zip archive with
//
//	manifest.json   format, program, date, what is in it, size and SHA-256 of every other file
//	…               the files, by the names that their owner gave them
//
// Invariants: a bundle appears under its name whole or not at all; equal contents
// give equal bytes, the date in the manifest apart; what is read was checked
// against the manifest, which names every file, and no name leads out of the
// folder that it is unpacked into.
//
//	m, err := bundle.Write(ctx, "backup.ragbundle", manifest, sources, progress)
//
//	r, err := bundle.Open("backup.ragbundle") // the manifest is read and checked
//	err = r.Unpack(ctx, dir, progress)        // every file too
//
// It is no archive of models, which package models reads: those come from
// elsewhere, have no manifest, and of them only what a model needs is taken.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Format is the version of bundles that this program writes, and the newest that it
// reads.
const Format = 1

// Ending is that of a bundle's name.
const Ending = ".ragbundle"

// manifestName is the file that tells what the others are.
const manifestName = "manifest.json"

// Manifest says what is in a bundle.
type Manifest struct {
	Format int `json:"format"`
	// Program is the version of the program that wrote it.
	Program string    `json:"program"`
	Created time.Time `json:"created"`
	// Content is a hash of all files: equal contents have equal ones.
	Content string `json:"content"`
	// Paths tells whether documents have the paths of their files.
	Paths bool `json:"paths"`
	// Holds is what the files are, in numbers.
	Holds Holds `json:"holds"`
	// Files are all but the manifest, by path.
	Files []File `json:"files"`
}

// Holds is what a bundle has.
type Holds struct {
	Libraries []Library `json:"libraries"`
	Datasets  []string  `json:"datasets"`
	Models    []string  `json:"models"`
	Runs      int       `json:"runs"`
	Labels    int       `json:"labels"`
	Ratings   int       `json:"ratings"`
	Prompts   int       `json:"prompts"`
	Replies   int       `json:"replies"`
	Uploads   int       `json:"uploads"`
}

// Library is a knowledge base of a bundle.
type Library struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	Chunks    int    `json:"chunks"`
	// Embedder made the vectors; they are of no use with one of another fingerprint.
	Embedder            string `json:"embedder"`
	EmbedderFingerprint string `json:"embedder_fingerprint"`
	Dim                 int    `json:"dim"`
	// Fingerprint is a short hash of the settings that decide what a search finds.
	Fingerprint string `json:"fingerprint"`
}

// File is a file of a bundle.
type File struct {
	// Path is '/'-separated.
	Path string `json:"path"`
	Size int64  `json:"size"`
	// SHA256 is in lower-case hexadecimal.
	SHA256 string `json:"sha256"`
}

// Bytes is the size of all files, unpacked.
func (m Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// contentOf is the hash of all files.
func contentOf(files []File) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\x00%d\x00%s\n", f.Path, f.Size, f.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SafeName reports whether a name leads to a file below the folder it is unpacked into.
func SafeName(name string) bool {
	return fs.ValidPath(name) && name != "." && filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\\\x00")
}
