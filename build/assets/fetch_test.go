package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ragdesk/build"
)

// bench is a fetcher in an empty repository, with package clients that are
// scripts handing out prepared archives.
type bench struct {
	*fetcher
	t   *testing.T
	out *bytes.Buffer
	bin string
}

func newBench(t *testing.T, assets ...build.Asset) bench {
	t.Helper()
	root, out := t.TempDir(), &bytes.Buffer{}
	bin := filepath.Join(root, "bin")
	t.Setenv("PATH", bin)
	writeFile(t, filepath.Join(root, "build", "cache", "keep"), nil)
	return bench{t: t, fetcher: &fetcher{
		lock: build.Lock{Assets: assets}, wanted: func(a build.Asset) bool { return a.For("linux", "amd64") },
		root: root, placed: filepath.Join(root, "placed"), cache: filepath.Join(root, "build", "cache"),
		log: out, http: quick(),
	}, out: out, bin: bin}
}

// client makes the script called name copy archive to where that client puts
// what it downloads, or fail with a message.
func (b bench) client(name, archive, fails string) {
	b.t.Helper()
	if runtime.GOOS == "windows" {
		b.t.Skip("the stand-in clients are shell scripts")
	}
	script := "#!/bin/sh\n/bin/cp '" + archive + "' .\n"
	if name == "mvn" { // its folder is an argument
		script = "#!/bin/sh\nfor a; do case $a in -DoutputDirectory=*) /bin/cp '" + archive + "' \"${a#*=}\";; esac; done\n"
	}
	if fails != "" {
		script = "#!/bin/sh\necho '" + fails + "' >&2\nexit 3\n"
	}
	path := filepath.Join(b.bin, name)
	writeFile(b.t, path, []byte(script))
	if err := os.Chmod(path, 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func zipped(t *testing.T, inside string, body []byte) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(inside)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "package.jar")
	writeFile(t, path, b.Bytes())
	return path
}

func tarball(t *testing.T, inside string, body []byte) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: "package/" + inside, Mode: 0o644, Size: int64(len(body))})
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "package.tgz")
	writeFile(t, path, b.Bytes())
	return path
}

func from(a build.Asset, sources ...build.Source) build.Asset {
	a.Sources = sources
	return a
}

func (b bench) mustFetch() {
	b.t.Helper()
	if err := b.fetch(b.t.Context()); err != nil {
		b.t.Fatalf("%v\n%s", err, b.out)
	}
	if err := b.check(); err != nil {
		b.t.Fatalf("%v\n%s", err, b.out)
	}
}

func TestFetchFromEachClient(t *testing.T) {
	body := content()
	b := newBench(t,
		from(asset("tar", body), build.Source{NPM: "some@1", Path: "in/file"}),
		from(asset("jar", body[1:]), build.Source{Maven: "g:a:1", Path: "file"}),
		from(asset("wheel", body[2:]), build.Source{Pip: "some==1", Path: "pkg/file"}))
	b.client("npm", tarball(t, "in/file", body), "")
	b.client("mvn", zipped(t, "file", body[1:]), "")
	b.client("pip", zipped(t, "pkg/file", body[2:]), "")
	b.mustFetch()
}

func TestOptionalAssetsAreFetchedOnlyWhenAskedFor(t *testing.T) {
	body := content()
	a := from(asset("chat", body), build.Source{Parts: []build.Source{
		{Maven: "g:a:1", Path: "file"}, {Pip: "some==1", Path: "pkg/file"},
	}})
	a.Optional = true
	b := newBench(t, a)
	b.client("mvn", zipped(t, "file", body[:9]), "")
	b.client("pip", zipped(t, "pkg/file", body[9:]), "")
	b.mustFetch()
	cached := filepath.Join(b.cache, "assets", a.Cached())
	if _, err := os.Stat(cached); err == nil {
		t.Fatal("fetched unasked")
	}
	b.optional = true
	if err := b.check(); err == nil {
		t.Error("a missing optional asset is right")
	}
	b.mustFetch()
	if got, err := os.ReadFile(cached); err != nil || !bytes.Equal(got, body) {
		t.Errorf("the parts make %d bytes, want %d (%v)", len(got), len(body), err)
	}
	if _, err := os.Stat(b.packedPath(a)); err == nil {
		t.Error("an optional asset would be embedded")
	}
}

func TestFetchTriesTheNextSource(t *testing.T) {
	body := content()
	for _, c := range []struct {
		name  string
		setup func(b bench)
		says  string
	}{
		{"client is missing", func(bench) {}, "npm is not installed on this machine"},
		{"client fails", func(b bench) { b.client("npm", "", "no such package") }, "exit status 3: no such package"},
		{"package lacks the file", func(b bench) {
			b.client("npm", tarball(b.t, "elsewhere", body), "")
		}, "in/file in package.tgz: file does not exist"},
		{"package has other bytes", func(b bench) {
			b.client("npm", tarball(b.t, "in/file", body[1:]), "")
		}, "sha256 is " + asset("", body[1:]).SHA256 + ", the lock has " + asset("", body).SHA256},
		{"package is no archive", func(b bench) {
			bad := filepath.Join(b.t.TempDir(), "package.tgz")
			writeFile(b.t, bad, body)
			b.client("npm", bad, "")
		}, "gzip: invalid header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &server{body: body})
			b := newBench(t, from(asset("file", body), build.Source{NPM: "some@1", Path: "in/file"}, build.Source{URL: s.URL}))
			c.setup(b)
			b.mustFetch()
			if !strings.Contains(b.out.String(), c.says) {
				t.Errorf("output lacks %q:\n%s", c.says, b.out)
			}
		})
	}
}

func TestFetchNamesEverySourceThatFailed(t *testing.T) {
	s := serve(t, &server{status: []int{404}})
	b := newBench(t, from(asset("file", content()), build.Source{NPM: "some@1", Path: "in/file"}, build.Source{URL: s.URL}))
	err := b.fetch(t.Context())
	for _, part := range []string{"file: no source gave it", "npm some@1: npm is not installed", "hub " + s.URL + ": server answers 404"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
	if err := b.check(); err == nil || !strings.Contains(err.Error(), mend) {
		t.Errorf("check says %v, want the command %q", err, mend)
	}
}

func TestSecondFetchNeedsNothing(t *testing.T) {
	body := content()
	s := serve(t, &server{body: body})
	b := newBench(t, from(asset("file", body), build.Source{URL: s.URL}))
	b.mustFetch()
	s.Close()
	if err := os.RemoveAll(filepath.Join(b.cache, "assets")); err != nil {
		t.Fatal(err)
	}
	b.mustFetch()
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestFetchRepairsFromTheCache(t *testing.T) {
	body := content()
	s := serve(t, &server{body: body})
	a := from(asset("file", body), build.Source{URL: s.URL})
	b := newBench(t, a)
	b.shared = t.TempDir()
	b.mustFetch()
	for name, harm := range map[string]func() error{
		"removed":   func() error { return os.Remove(b.packedPath(a)) },
		"truncated": func() error { return os.Truncate(b.packedPath(a), 100) },
		"altered":   func() error { return os.WriteFile(b.packedPath(a), []byte("altered"), 0o644) },
		"own cache gone too": func() error {
			return os.WriteFile(b.rawPath(b.cache, a), []byte("altered"), 0o644)
		},
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		if name == "own cache gone too" {
			if err := os.Remove(b.packedPath(a)); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.check(); err == nil {
			t.Errorf("%s: check found nothing", name)
		}
		b.mustFetch()
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestFetchUsesTheMirror(t *testing.T) {
	body := content()
	s := serve(t, &server{body: body})
	b := newBench(t, from(asset("file", body), build.Source{URL: hub + "/some/file"}))
	b.mirror = s.URL + "/"
	b.mustFetch()
}

func TestFetchPlacesOnlyThePlatform(t *testing.T) {
	body := content()
	s := serve(t, &server{body: body})
	here := from(asset("here", body), build.Source{URL: s.URL})
	here.OS, here.Arch = "linux", "amd64"
	there := from(asset("there", body), build.Source{URL: s.URL})
	there.OS, there.Arch = "darwin", "arm64"
	words := from(asset("words", body), build.Source{URL: s.URL})
	words.Kind = build.KindWords
	b := newBench(t, here, there, words)
	writeFile(t, b.packedPath(there), []byte("left by another build"))
	b.mustFetch()
	entries, err := os.ReadDir(b.placed)
	if err != nil || len(entries) != 1 || entries[0].Name() != here.Packed() {
		t.Errorf("placed %v, %v", entries, err)
	}
}
