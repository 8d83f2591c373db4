//go:build engine

package engine

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"
)

// gate is the server that the parent talks to. It passes requests of the API that
// carry the key on to the engine's own server, which has no keys and serves
// profiles of the process beside the API.
func gate(key string, to *pipe) *http.Server {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "engine"
			r.Out.Host = r.In.Host // the server checks that it is this machine
			r.Out.Header.Del("Authorization")
		},
		Transport:     &http.Transport{DialContext: to.dial, DisableCompression: true, MaxIdleConnsPerHost: 8},
		FlushInterval: -1,
	}
	want := []byte("Bearer " + key)
	return &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1:
				http.Error(w, `{"error":"no key"}`, http.StatusUnauthorized)
			case !strings.HasPrefix(r.URL.Path, "/api/"):
				http.NotFound(w, r)
			default:
				// The engine answers as soon as it has read a request's JSON. Without this
				// our server would then take what is left of the body from under the proxy,
				// whose connection to the engine breaks with it.
				if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
					http.Error(w, `{"error":"no full duplex"}`, http.StatusInternalServerError)
					return
				}
				proxy.ServeHTTP(w, r)
			}
		}),
	}
}

// pipe is a listener within the process.
type pipe struct {
	address net.Addr
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

var errPipeClosed = errors.New("engine is closed")

// newPipe returns a listener that gives address as its own.
func newPipe(address net.Addr) *pipe {
	return &pipe{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, errPipeClosed
	}
}

// Close implements net.Listener.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *pipe) Addr() net.Addr { return p.address }

// dial makes a connection that Accept returns.
func (p *pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, errPipeClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
