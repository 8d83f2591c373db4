package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/zstd"

	"ragdesk/backend/fault"
	"ragdesk/build"
)

// content stands for an asset: big enough to take several reads.
func content() []byte { return bytes.Repeat([]byte("one asset of several blocks. "), 50_000) }

func packedContent(tb testing.TB) []byte {
	tb.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return z.EncodeAll(content(), nil)
}

func lockOf(raw []byte) []build.Asset {
	sum := sha256.Sum256(raw)
	return []build.Asset{{
		Name: "thing", Version: "1", Kind: build.KindModel, File: "thing.onnx", Licence: "MIT",
		SHA256: hex.EncodeToString(sum[:]), Size: int64(len(raw)),
	}}
}

func testStore(tb testing.TB) *Store {
	tb.Helper()
	return &Store{
		dir: tb.TempDir(), lock: lockOf(content()),
		packed: fstest.MapFS{"thing.onnx.zst": {Data: packedContent(tb)}},
	}
}

func mustFile(t *testing.T, s *Store) string {
	t.Helper()
	path, err := s.File("thing")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, content()) {
		t.Fatalf("%s has %d bytes that are not the asset's", path, len(got))
	}
	return path
}

func TestFileUnpacksOnce(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	path := mustFile(t, s)
	if dir := filepath.Base(filepath.Dir(path)); dir != "thing-"+s.lock[0].SHA256[:8] {
		t.Errorf("folder %q does not carry the version", dir)
	}
	s.packed = fstest.MapFS{}
	if again := mustFile(t, s); again != path {
		t.Errorf("second path %s, first %s", again, path)
	}
	if err := os.Remove(path + ".ok"); err != nil {
		t.Fatal(err)
	}
	mustFile(t, s) // a right file without a stamp is only hashed
	if _, err := os.Stat(path + ".ok"); err != nil {
		t.Errorf("it was not stamped again: %v", err)
	}
}

func TestFileIsRepaired(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(path string) error{
		"removed":   os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 1000) },
		"altered, same size": func(path string) error {
			b := content()
			b[77] ^= 1
			later := time.Now().Add(time.Minute) // as if much later, on a coarse clock too
			if err := os.WriteFile(path, b, 0o644); err != nil {
				return err
			}
			return os.Chtimes(path, later, later)
		},
		"altered, stamp junk": func(path string) error {
			b := content()
			b[0] ^= 1
			if err := os.WriteFile(path, b, 0o644); err != nil {
				return err
			}
			return os.WriteFile(path+".ok", []byte("{"), 0o644)
		},
		"longer": func(path string) error { return os.WriteFile(path, append(content(), 'x'), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testStore(t)
			if err := harm(mustFile(t, s)); err != nil {
				t.Fatal(err)
			}
			mustFile(t, s)
		})
	}
}

func TestFileSweepsAbandonedFiles(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	path := mustFile(t, s)
	old, young := path+tempMark+"old", path+tempMark+"young"
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-2 * abandoned)
	if err := os.Chtimes(old, then, then); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	mustFile(t, s)
	if _, err := os.Stat(old); err == nil {
		t.Error("the abandoned file is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("a file that may have a writer is gone: %v", err)
	}
}

func TestFileFaults(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Store)
		code   string
		params map[string]string
	}{
		"not carried": {
			func(s *Store) { s.packed = fstest.MapFS{} },
			"asset_missing", map[string]string{"asset": "thing", "command": "make assets"},
		},
		"not in the lock": {
			func(s *Store) { s.lock = nil },
			"asset_missing", map[string]string{"asset": "thing", "command": "make assets"},
		},
		"carried bytes wrong": {
			func(s *Store) { s.lock = lockOf(append(content(), 'x')) },
			"asset_corrupt", map[string]string{"asset": "thing", "command": "make assets"},
		},
		"carried file cut": {
			func(s *Store) {
				f := s.packed.(fstest.MapFS)["thing.onnx.zst"]
				f.Data = f.Data[:len(f.Data)/2]
			},
			"asset_corrupt", map[string]string{"asset": "thing", "command": "make assets"},
		},
		"cache is no folder": {
			func(s *Store) { s.dir = blocked },
			"cache_unwritable", map[string]string{
				"path": filepath.Join(blocked, "thing-"+lockOf(content())[0].SHA256[:8]), "variable": CacheEnv,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testStore(t)
			c.change(s)
			_, err := s.File("thing")
			if !fault.Is(err, c.code) {
				t.Fatalf("error %v, want %s", err, c.code)
			}
			for key, want := range c.params {
				if got := fault.Of(err).Params[key]; got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if _, err := os.Stat(filepath.Join(s.dir, "thing-"+s.hash8(), "thing.onnx")); err == nil {
				t.Error("a file appeared all the same")
			}
		})
	}
}

// hash8 is the hash in the folder's name, "" without an asset.
func (s *Store) hash8() string {
	if len(s.lock) == 0 {
		return ""
	}
	return s.lock[0].SHA256[:8]
}

func TestOpenChoosesTheFolder(t *testing.T) {
	given, fromEnv := t.TempDir(), t.TempDir()
	t.Setenv(CacheEnv, fromEnv)
	for arg, want := range map[string]string{given: given, "": fromEnv} {
		s, err := Open(arg)
		if err != nil || s.Dir() != want {
			t.Errorf("Open(%q) uses %q, %v; want %q", arg, s.Dir(), err, want)
		}
	}
}

func TestRuntimeOfAPlatformWithoutOne(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	_, err := s.Runtime()
	if !fault.Is(err, "platform_unsupported") {
		t.Errorf("error %v", err)
	}
}

func TestCatalogueFitsTheLock(t *testing.T) {
	t.Parallel()
	assets, err := build.Assets()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]build.Kind{}
	for _, a := range assets {
		kinds[a.Name] = a.Kind
	}
	for _, e := range Embedders() {
		if kinds[e.Model] != build.KindModel || kinds[e.Tokenizer] != build.KindTokenizer {
			t.Errorf("%s: %q and %q are not in the lock as model and tokenizer", e.Name, e.Model, e.Tokenizer)
		}
		for _, typed := range []string{e.Name, strings.ToUpper(e.Name)} {
			if got, err := Lookup(typed); err != nil || got.Name != e.Name {
				t.Errorf("Lookup(%q) = %q, %v", typed, got.Name, err)
			}
		}
	}
	if e, err := Lookup(""); err != nil || e.Name != DefaultEmbedder {
		t.Errorf("the default is %q, %v", e.Name, err)
	}
	_, err = Lookup("bge-large")
	if !fault.Is(err, "embedder_unknown") || !strings.Contains(fault.Of(err).Params["known"], DefaultEmbedder) {
		t.Errorf("unknown embedder: %v", err)
	}
}

func TestCarriedAssetsUnpack(t *testing.T) {
	t.Parallel()
	s, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range s.Assets() {
		if !a.Carried {
			t.Skipf("needs the assets, run %q: %s is missing", FetchCommand, a.Name)
		}
		path, err := s.File(a.Name)
		if err != nil {
			t.Errorf("%s: %v", a.Name, err)
			continue
		}
		if info, err := os.Stat(path); err != nil || info.Size() != a.Size {
			t.Errorf("%s: %v, %v", a.Name, info, err)
		}
	}
	if lib, err := s.Runtime(); err != nil || !strings.Contains(lib, runtime.GOOS+"-"+runtime.GOARCH) {
		t.Errorf("runtime %q, %v", lib, err)
	}
}
