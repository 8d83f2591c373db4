// Package build holds what the fetcher and the program must agree on: the lock
// of binary assets, which is their one list of names, sources and hashes.
//
//	assets, err := build.Assets()
//	for _, a := range assets {
//		fmt.Println(a.Name, a.SHA256, a.For("linux", "amd64"))
//	}
package build

import (
	"bytes"
	_ "embed" // for the lock
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed assets.lock
var lock []byte

// Kind says what an asset is for.
type Kind string

// The kinds of assets.
const (
	// KindRuntime is a shared library of ONNX Runtime, one a platform.
	KindRuntime Kind = "runtime"
	// KindModel is an ONNX graph with its weights.
	KindModel Kind = "model"
	// KindTokenizer is a tokenizer.json.
	KindTokenizer Kind = "tokenizer"
	// KindWords is a source of the Chinese word list, compiled before the build.
	KindWords Kind = "words"
	// KindChat is a language model in a GGUF file.
	KindChat Kind = "chat"
)

// Asset is one binary file the product needs and the repository does not hold.
type Asset struct {
	// Name is unique in the lock.
	Name    string `json:"name"`
	Version string `json:"version"`
	Kind    Kind   `json:"kind"`
	// OS and Arch are as in GOOS and GOARCH, empty for every platform.
	OS   string `json:"os,omitempty"`
	Arch string `json:"arch,omitempty"`
	// File is the plain name the raw file has once unpacked.
	File    string `json:"file"`
	Licence string `json:"licence"`
	// SHA256 is of the raw file, in lower-case hexadecimal.
	SHA256 string `json:"sha256"`
	// Size is that of the raw file, in bytes.
	Size int64 `json:"size"`
	// Optional assets are fetched only when asked for, and lie in the download cache:
	// the program does not carry them.
	Optional bool `json:"optional,omitempty"`
	// Sources are tried in order.
	Sources []Source `json:"sources"`
}

// Source is one place an asset comes from: exactly one of the coordinates is
// set.
type Source struct {
	// NPM is name@version.
	NPM string `json:"npm,omitempty"`
	// Maven is group:artifact:version.
	Maven string `json:"maven,omitempty"`
	// Pip is name==version.
	Pip string `json:"pip,omitempty"`
	// Go is module@version.
	Go string `json:"go,omitempty"`
	// URL is a public address that gives the raw file itself.
	URL string `json:"url,omitempty"`
	// Path is the file inside the package, '/'-separated.
	Path string `json:"path,omitempty"`
	// Parts are packages whose files, one after the other, are the asset.
	Parts []Source `json:"parts,omitempty"`
}

// String names the source as an error message should.
func (s Source) String() string {
	for _, c := range []struct{ client, coordinate string }{
		{"npm", s.NPM}, {"maven", s.Maven}, {"pip", s.Pip}, {"go", s.Go}, {"hub", s.URL},
	} {
		if c.coordinate != "" {
			return c.client + " " + c.coordinate
		}
	}
	if len(s.Parts) > 0 {
		return fmt.Sprintf("%d parts from %s on", len(s.Parts), s.Parts[0])
	}
	return "no source"
}

// Compiled is a file made from assets by a program of this repository that
// writes the same bytes for the same input.
type Compiled struct {
	// File is the path in the repository, '/'-separated.
	File string `json:"file"`
	// Program is the package to run: go run Program Args… -out File Inputs…
	Program string   `json:"program"`
	Args    []string `json:"args"`
	// Inputs are names of assets.
	Inputs []string `json:"inputs"`
	SHA256 string   `json:"sha256"`
}

// Lock is the whole list.
type Lock struct {
	Assets   []Asset    `json:"assets"`
	Compiled []Compiled `json:"compiled"`
}

// Embedded reports whether the program carries the asset, compressed.
func (a Asset) Embedded() bool { return a.Kind != KindWords && !a.Optional }

// Cached is the name of the raw file in a download cache's folder "assets".
func (a Asset) Cached() string { return a.SHA256[:8] + "-" + a.File }

// For reports whether the asset is needed on the platform.
func (a Asset) For(goos, goarch string) bool {
	return (a.OS == "" || a.OS == goos) && (a.Arch == "" || a.Arch == goarch)
}

// Packed is the name of the asset's compressed file.
func (a Asset) Packed() string { return a.File + ".zst" }

// Assets returns the lock's entries in its order.
func Assets() ([]Asset, error) {
	l, err := Parse(lock)
	return l.Assets, err
}

// Read returns the lock.
func Read() (Lock, error) { return Parse(lock) }

// Parse reads a lock and checks every entry.
func Parse(raw []byte) (Lock, error) {
	var l Lock
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return Lock{}, fmt.Errorf("parse assets.lock: %w", err)
	}
	seen := map[string]bool{}
	for _, a := range l.Assets {
		if err := a.check(); err != nil {
			return Lock{}, fmt.Errorf("asset %q in assets.lock: %w", a.Name, err)
		}
		if seen["name "+a.Name] || seen["file "+a.File] {
			return Lock{}, fmt.Errorf("asset %q in assets.lock: name or file is not unique", a.Name)
		}
		seen["name "+a.Name], seen["file "+a.File] = true, true
	}
	for _, c := range l.Compiled {
		if !isSHA256(c.SHA256) || !fs.ValidPath(c.File) || c.Program == "" {
			return Lock{}, fmt.Errorf("compiled file %q in assets.lock: file, program or sha256 is wrong", c.File)
		}
		for _, in := range c.Inputs {
			if !seen["name "+in] {
				return Lock{}, fmt.Errorf("compiled file %q in assets.lock: no asset %q", c.File, in)
			}
		}
	}
	return l, nil
}

func isSHA256(s string) bool {
	sum, err := hex.DecodeString(s)
	return err == nil && len(sum) == 32 && strings.ToLower(s) == s
}

func (a Asset) check() error {
	switch {
	case a.Name == "" || a.Version == "" || a.Licence == "":
		return fmt.Errorf("name, version or licence is empty")
	case a.File == "" || a.File != path.Base(a.File) || a.File[0] == '.' || strings.ContainsAny(a.File, `/\:`):
		return fmt.Errorf("file %q is not a plain name", a.File)
	case !isSHA256(a.SHA256):
		return fmt.Errorf("sha256 %q is not 64 lower-case hexadecimal digits", a.SHA256)
	case a.Size < 1:
		return fmt.Errorf("size %d", a.Size)
	case len(a.Sources) == 0:
		return fmt.Errorf("no sources")
	}
	for _, s := range a.Sources {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

func (s Source) check() error {
	n := 0
	for _, c := range []string{s.NPM, s.Maven, s.Pip, s.Go, s.URL} {
		if c != "" {
			n++
		}
	}
	if len(s.Parts) > 0 {
		if n > 0 || s.Path != "" {
			return fmt.Errorf("source %q has parts and a coordinate", s)
		}
		for _, part := range s.Parts {
			if part.URL != "" || len(part.Parts) > 0 {
				return fmt.Errorf("part %q is not a package", part)
			}
			if err := part.check(); err != nil {
				return err
			}
		}
		return nil
	}
	if n != 1 || (s.Path == "") != (s.URL != "") {
		return fmt.Errorf("source %q needs one coordinate, and a path exactly when it is a package", s)
	}
	return nil
}
