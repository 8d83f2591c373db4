package llm_test

import (
	"net/http"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]struct {
		address string
		remote  bool
	}{
		"":                         {"127.0.0.1:11434", false},
		" localhost ":              {"localhost:11434", false},
		"LOCALHOST:80":             {"LOCALHOST:80", false},
		"127.0.0.1:1":              {"127.0.0.1:1", false},
		"0.0.0.0":                  {"127.0.0.1:11434", false},
		"0.0.0.0:99":               {"127.0.0.1:99", false},
		"::1":                      {"[::1]:11434", false},
		"[::]:5":                   {"[::1]:5", false},
		"http://ollama.localhost/": {"ollama.localhost:11434", false},
		"127.9.9.9":                {"127.9.9.9:11434", false},
		"192.168.1.4":              {"192.168.1.4:11434", true},
		"https://llm.example":      {"llm.example:443", true},
		"http://llm.example:8/api": {"llm.example:8", true},
		"localhost.example":        {"localhost.example:11434", true},
		"127.0.0.1.example":        {"127.0.0.1.example:11434", true},
	} {
		c, err := llm.New(llm.Config{Host: host, AllowRemote: true})
		if err != nil {
			t.Errorf("%q: %v", host, err)
			continue
		}
		if c.Host() != want.address || c.Remote() != want.remote {
			t.Errorf("%q: %s, remote %t, want %v", host, c.Host(), c.Remote(), want)
		}
		_, err = llm.New(llm.Config{Host: host})
		if fault.Is(err, "llm_remote") != want.remote {
			t.Errorf("%q without consent: %v", host, err)
		}
	}
	for _, host := range []string{"ftp://a", "http://", "a b", "http://u:p@a", "a:b:c", "http://a?x", "http://a#x", "%zz"} {
		if c, err := llm.New(llm.Config{Host: host, AllowRemote: true}); !fault.Is(err, "llm_host_invalid") {
			t.Errorf("%q: %v, %v", host, c, err)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, s := range []string{"", "a:1", "[::1]", "http://x/y", "::", "[", "http://[::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, host string) {
		remote, err := llm.IsRemote(host)
		c, err2 := llm.New(llm.Config{Host: host})
		if (err != nil) && !fault.Is(err2, "llm_host_invalid") || err == nil && remote != fault.Is(err2, "llm_remote") {
			t.Errorf("%q: %t %v, then %v %v", host, remote, err, c, err2)
		}
	})
}

// TestProxyIsNotUsedForThisMachine would reach the fake through a proxy that is not
// there.
func TestProxyIsNotUsedForThisMachine(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("NO_PROXY", "")
	if v, err := newFake(t).client(t).Version(t.Context()); err != nil || v != "9.9" {
		t.Errorf("%q, %v", v, err)
	}
}

func TestKeyIsSent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var got string
	f.other = func(w http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }
	c, err := llm.New(llm.Config{Host: f.URL, Key: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), "tiny"); err != nil || got != "Bearer secret" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatIsNoOllama(t *testing.T) {
	t.Parallel()
	for body, code := range map[string]string{"{}": "llm_failed", "<html>": "llm_stream_broken"} {
		f := newFake(t)
		f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		if _, err := f.client(t).Version(t.Context()); !fault.Is(err, code) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
