package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ragdesk/build"
)

// content is a file too big for one buffer, the same in every run.
func content() []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, 300_000)
	_, _ = r.Read(b)
	return b
}

func asset(name string, body []byte) build.Asset {
	sum := sha256.Sum256(body)
	return build.Asset{
		Name: name, Version: "1", Kind: build.KindModel, File: name, Licence: "MIT",
		SHA256: hex.EncodeToString(sum[:]), Size: int64(len(body)),
	}
}

// server serves body with faults, and records the requests it got.
type server struct {
	*httptest.Server
	body []byte
	// ranges makes it honour Range; cut ends each answer after that many bytes;
	// status answers the first requests instead of the file.
	ranges bool
	cut    int
	status []int

	log *requests
}

// requests are the Range headers of what was asked for, in order.
type requests struct {
	sync.Mutex
	ranges []string
}

func serve(t *testing.T, s *server) *server {
	t.Helper()
	s.log = &requests{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.handle))
	t.Cleanup(s.Close)
	return s
}

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	s.log.Lock()
	n := len(s.log.ranges)
	s.log.ranges = append(s.log.ranges, r.Header.Get("Range"))
	s.log.Unlock()
	if n < len(s.status) {
		w.WriteHeader(s.status[n])
		return
	}
	body := s.body
	if from, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && s.ranges {
		at, err := strconv.Atoi(strings.TrimSuffix(from, "-"))
		if err != nil || at >= len(body) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(body)-1, len(body)))
		body = body[at:]
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	if s.cut > 0 && len(body) > s.cut {
		_, _ = w.Write(body[:s.cut])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler) // cuts the connection, as a network does
	}
	_, _ = w.Write(body)
}

func (s *server) requests() []string {
	s.log.Lock()
	defer s.log.Unlock()
	return append([]string(nil), s.log.ranges...)
}

func quick() download {
	return download{client: http.DefaultClient, tries: 5, pause: time.Millisecond, stall: time.Minute}
}

func TestDownload(t *testing.T) {
	t.Parallel()
	body := content()
	other := append([]byte("another file"), body...)
	for _, c := range []struct {
		name   string
		server server
		part   []byte
		// ranges are the Range headers expected, in order; nil leaves them open.
		ranges []string
		fails  string
	}{
		{name: "whole file", server: server{body: body}, ranges: []string{""}},
		{
			name: "interrupted downloads go on", server: server{body: body, ranges: true, cut: 120_000},
			ranges: []string{"", "bytes=120000-", "bytes=240000-"},
		},
		{
			name: "an earlier run's part goes on", server: server{body: body, ranges: true}, part: body[:1000],
			ranges: []string{"bytes=1000-"},
		},
		{name: "a complete part needs no request", server: server{}, part: body, ranges: []string{}},
		{name: "server without ranges", server: server{body: body}, part: body[:1000], ranges: []string{"bytes=1000-"}},
		{
			name: "part of another version starts again", server: server{body: body, ranges: true}, part: other[:1000],
			ranges: []string{"bytes=1000-", ""},
		},
		{
			name: "part longer than the file starts again", server: server{body: body, ranges: true}, part: other,
			ranges: []string{fmt.Sprintf("bytes=%d-", len(other)), ""},
		},
		{name: "busy server is asked again", server: server{body: body, status: []int{503, 429}}, ranges: []string{"", "", ""}},
		{name: "missing file is not", server: server{status: []int{404, 404}}, ranges: []string{""}, fails: "404"},
		{name: "dead server", server: server{status: []int{500, 500, 500, 500, 500}}, fails: "gave up after 5 tries"},
		{name: "connection always cut, no ranges", server: server{body: body, cut: 9}, fails: "gave up after 5 tries"},
		{name: "wrong bytes", server: server{body: other[:len(body)]}, ranges: []string{""}, fails: asset("", body).SHA256},
		{name: "wrong bytes, hash shown", server: server{body: other[:len(body)]}, fails: asset("", other[:len(body)]).SHA256},
		{name: "too long", server: server{body: append(body[:len(body):len(body)], 'x')}, fails: "refused"},
		{name: "too short", server: server{body: body[:5]}, fails: "5 of 300000 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, &c.server)
			path := filepath.Join(t.TempDir(), "file")
			if c.part != nil {
				writeFile(t, path+".part", c.part)
			}
			err := quick().get(t.Context(), s.URL, path, asset("file", body))
			if c.ranges != nil && fmt.Sprint(s.requests()) != fmt.Sprint(c.ranges) {
				t.Errorf("requests with ranges %q, want %q", s.requests(), c.ranges)
			}
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("error %v, want one with %q", err, c.fails)
				}
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("a file appeared: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, path); !bytes.Equal(got, body) {
				t.Errorf("%d bytes, not those of the server", len(got))
			}
			if _, err := os.Stat(path + ".part"); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the part is still there: %v", err)
			}
		})
	}
}

func TestDownloadKeepsThePartWhenCancelled(t *testing.T) {
	t.Parallel()
	body := content()
	ctx, cancel := context.WithCancel(t.Context())
	hang := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(body[:100_000])
		w.(http.Flusher).Flush()
		cancel()
		<-hang
	}))
	defer slow.Close()
	defer close(hang)
	path := filepath.Join(t.TempDir(), "file")
	if err := quick().get(ctx, slow.URL, path, asset("file", body)); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want cancelled", err)
	}
	had := len(readFile(t, path+".part"))
	s := serve(t, &server{body: body, ranges: true})
	if err := quick().get(t.Context(), s.URL, path, asset("file", body)); err != nil {
		t.Fatal(err)
	}
	want := ""
	if had > 0 { // what arrived before the cancellation is up to the network
		want = fmt.Sprintf("bytes=%d-", had)
	}
	if got := s.requests(); len(got) != 1 || got[0] != want {
		t.Errorf("ranges %q, want %q", got, want)
	}
	if !bytes.Equal(readFile(t, path), body) {
		t.Error("the file differs")
	}
}

func TestDownloadGivesUpOnASilentServer(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer silent.Close()
	defer close(hang)
	d := quick()
	d.tries, d.stall = 2, 20*time.Millisecond
	err := d.get(t.Context(), silent.URL, filepath.Join(t.TempDir(), "file"), asset("file", content()))
	if err == nil || !strings.Contains(err.Error(), "no bytes came") {
		t.Errorf("error %v", err)
	}
}

func writeFile(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
