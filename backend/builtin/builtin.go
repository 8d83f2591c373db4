// Package builtin holds the libraries that come with the program: documents and
// questions to try retrieval on before one has documents of one's own.
//
// "classic" is four passages of one line and four questions that show in a
// glance where vectors and BM25 disagree. "sample" is a handbook about
// retrieval-augmented generation and the papers of an invented company, Chinese
// and English, consistent with one another and full of similar names, versions
// and numbers.
//
// Documents are embedded as files; nothing is read from disk. A library's
// Version changes exactly when its content does.
//
//	for _, d := range builtin.Classic().Documents {
//		fmt.Println(d.Path, len(d.Bytes))
//	}
package builtin

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// Names of the libraries, and of the knowledge bases made of them.
const (
	NameClassic = "classic"
	NameSample  = "sample"
)

//go:embed classic sample questions
var files embed.FS

// Library is a set of documents with questions about them.
type Library struct {
	// Name is one of Names.
	Name string
	// Documents are sorted by path.
	Documents []File
	// Questions stand in the order they are best shown in.
	Questions []Question
	// Version is a short hash of documents and questions.
	Version string
}

// File is one document.
type File struct {
	// Path is '/'-separated and relative to the library.
	Path  string
	Bytes []byte
}

// Question is something a library's documents answer, or evidently do not.
type Question struct {
	ID string `json:"id"`
	// Lang is "zh" or "en".
	Lang string `json:"lang"`
	Text string `json:"text"`
	// Answer is the expected answer in brief; empty when there is none in the
	// documents.
	Answer string `json:"answer"`
}

// Names lists the libraries.
func Names() []string { return []string{NameClassic, NameSample} }

// Open returns the library called name; ok is false when there is none.
func Open(name string) (l Library, ok bool) {
	switch name {
	case NameClassic:
		return Classic(), true
	case NameSample:
		return Sample(), true
	}
	return Library{}, false
}

// Classic returns the four passages and four questions. The result is shared:
// callers do not change it.
func Classic() Library { return classic() }

// Sample returns the handbook and the company's papers. The result is shared:
// callers do not change it.
func Sample() Library { return sample() }

var (
	classic = sync.OnceValue(func() Library { return mustRead(NameClassic) })
	sample  = sync.OnceValue(func() Library { return mustRead(NameSample) })
)

// mustRead panics on content that does not read, which the package's tests rule
// out: it is part of the program.
func mustRead(name string) Library {
	l, err := read(files, name)
	if err != nil {
		panic("builtin: " + err.Error())
	}
	return l
}

func read(fsys fs.FS, name string) (Library, error) {
	l := Library{Name: name}
	hash := sha256.New()
	err := fs.WalkDir(fsys, name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		l.Documents = append(l.Documents, File{Path: strings.TrimPrefix(path, name+"/"), Bytes: b})
		fmt.Fprintf(hash, "%q %d\n%s", path, len(b), b)
		return nil
	})
	if err != nil {
		return Library{}, fmt.Errorf("read library %s: %w", name, err)
	}
	b, err := fs.ReadFile(fsys, "questions/"+name+".jsonl")
	if err != nil {
		return Library{}, fmt.Errorf("read questions of %s: %w", name, err)
	}
	hash.Write(b)
	for line := range bytes.Lines(b) {
		var q Question
		if err := json.Unmarshal(line, &q); err != nil {
			return Library{}, fmt.Errorf("read question %d of %s: %w", len(l.Questions)+1, name, err)
		}
		l.Questions = append(l.Questions, q)
	}
	l.Version = hex.EncodeToString(hash.Sum(nil)[:8])
	return l, nil
}
