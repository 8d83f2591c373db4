package models

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/build"
)

//go:embed all:assets
var carried embed.FS

// CacheEnv names the environment variable that moves the cache folder.
const CacheEnv = "RAGDESK_CACHE"

// FetchCommand is what puts missing assets in place, before a build.
const FetchCommand = "make assets"

// Store unpacks assets into a cache folder. It is safe for concurrent use, and
// several processes may share the folder.
type Store struct {
	dir    string
	packed fs.FS
	lock   []build.Asset
	// busy makes goroutines of this process wait for each other's unpacking
	// instead of repeating it.
	busy sync.Mutex
}

// Open returns the store whose cache folder is dir or, if that is empty, what
// RAGDESK_CACHE names or else "ragdesk" in the user's cache folder. It touches
// no file.
func Open(dir string) (*Store, error) {
	if dir == "" {
		dir = os.Getenv(CacheEnv)
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, unwritable("", err)
		}
		dir = filepath.Join(user, "ragdesk")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, unwritable(dir, err)
	}
	lock, err := build.Assets()
	if err != nil {
		return nil, err
	}
	packed, err := fs.Sub(carried, "assets")
	if err != nil {
		return nil, fmt.Errorf("open the carried assets: %w", err)
	}
	return &Store{dir: dir, packed: packed, lock: lock}, nil
}

// Dir is the cache folder.
func (s *Store) Dir() string { return s.dir }

// Status is an asset and whether this program carries it.
type Status struct {
	build.Asset
	Carried bool
}

// Assets lists what this platform needs, in the lock's order.
func (s *Store) Assets() []Status {
	var list []Status
	for _, a := range s.lock {
		if a.Embedded() && a.For(runtime.GOOS, runtime.GOARCH) {
			_, err := fs.Stat(s.packed, a.Packed())
			list = append(list, Status{a, err == nil})
		}
	}
	return list
}

// File returns the path of the named asset's raw file, unpacking it if need be.
// Faults: "asset_missing" (the program was built without it), "asset_corrupt"
// (what the program carries has the wrong hash), "cache_unwritable".
func (s *Store) File(name string) (string, error) {
	for _, a := range s.lock {
		if a.Name == name {
			return s.unpacked(a)
		}
	}
	return "", missing(name)
}

// Runtime returns the path of ONNX Runtime's shared library for this platform.
// Besides File's faults there is "platform_unsupported".
func (s *Store) Runtime() (string, error) {
	for _, a := range s.lock {
		if a.Kind == build.KindRuntime && a.For(runtime.GOOS, runtime.GOARCH) {
			return s.unpacked(a)
		}
	}
	return "", fault.New("platform_unsupported", fault.P("platform", runtime.GOOS+"/"+runtime.GOARCH))
}

// Files are an embedder's files, ready to be opened, with the hashes they were
// checked against.
type Files struct {
	Embedder
	ModelPath, TokenizerPath     string
	ModelSHA256, TokenizerSHA256 string
	// OptimisedPath is where the runtime may keep the optimised graph: a path of
	// its own for each model and each version of the runtime.
	OptimisedPath string
}

// Embedder looks the embedder up and unpacks its files.
func (s *Store) Embedder(name string) (Files, error) {
	e, err := Lookup(name)
	if err != nil {
		return Files{}, err
	}
	f := Files{Embedder: e}
	for _, want := range []struct {
		asset     string
		path, sum *string
	}{{e.Model, &f.ModelPath, &f.ModelSHA256}, {e.Tokenizer, &f.TokenizerPath, &f.TokenizerSHA256}} {
		if *want.path, err = s.File(want.asset); err != nil {
			return Files{}, err
		}
		for _, a := range s.lock {
			if a.Name == want.asset {
				*want.sum = a.SHA256
			}
		}
	}
	for _, a := range s.lock {
		if a.Kind == build.KindRuntime && a.For(runtime.GOOS, runtime.GOARCH) {
			f.OptimisedPath = f.ModelPath + ".for-" + a.SHA256[:8]
		}
	}
	return f, nil
}

// unpacked returns the raw file's path once it is known to be right.
func (s *Store) unpacked(a build.Asset) (string, error) {
	s.busy.Lock()
	defer s.busy.Unlock()
	f := cached{asset: a, path: filepath.Join(s.dir, a.Name+"-"+a.SHA256[:8], a.File)}
	if f.stamped() || f.verified() {
		return f.path, nil
	}
	src, err := s.packed.Open(a.Packed())
	if errors.Is(err, fs.ErrNotExist) {
		return "", missing(a.Name)
	}
	if err != nil {
		return "", fmt.Errorf("open carried asset %s: %w", a.Name, err)
	}
	defer func() { _ = src.Close() }() // opened for reading
	if err := f.unpack(src); err != nil {
		return "", err
	}
	return f.path, nil
}

func missing(name string) error {
	return fault.New("asset_missing", fault.P("asset", name), fault.P("command", FetchCommand))
}

func unwritable(path string, err error) error {
	return fault.Wrap(err, "cache_unwritable", fault.P("path", path), fault.P("variable", CacheEnv))
}
