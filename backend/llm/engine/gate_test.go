//go:build engine

package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestGatePassesOnWhatIsAnsweredEarly has a server that answers before it has seen
// the end of the request, as the engine does.
func TestGatePassesOnWhatIsAnsweredEarly(t *testing.T) {
	t.Parallel()
	inner := newPipe(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]string
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "" {
			t.Errorf("%v, key %q", err, r.Header.Get("Authorization"))
		}
		for range 3 {
			fmt.Fprintln(w, in["say"])
			w.(http.Flusher).Flush()
		}
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(inner) }()
	outer := httptest.NewServer(gate("secret", inner).Handler)
	ask := func(path, key string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, outer.URL+path, strings.NewReader(`{"say":"x"}`))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Error(err)
		}
		return res.StatusCode, string(body)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if code, body := ask("/api/create", "secret"); code != http.StatusOK || body != "x\nx\nx\n" {
					t.Errorf("%d %q", code, body)
				}
			}
		})
	}
	all.Wait()
	for key, want := range map[string]int{"": http.StatusUnauthorized, "secre": http.StatusUnauthorized, "secret": http.StatusNotFound} {
		if code, _ := ask("/debug/pprof/heap", key); code != want {
			t.Errorf("with key %q: %d, want %d", key, code, want)
		}
	}
	outer.Close()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	<-served
}
