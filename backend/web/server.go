// Package web serves the page and the Service over HTTP to a browser on the same
// machine.
//
// Invariants: it listens on 127.0.0.1 alone; every operation and the event
// stream need the key made at launch; requests that name another host or come
// from another origin are refused, so neither DNS rebinding nor a foreign page
// reaches the Service; nothing is allowed to load from elsewhere. An operation
// is POST /api/NAME with a JSON request, answered by the JSON of its response or
// by {"error": …}; GET /api/events is a stream of server-sent events.
//
//	err := web.Serve(ctx, web.Config{
//		Service: svc, Events: svc, Assets: dist, ErrorBody: i18n.ErrorBody,
//		Language: lang, Ready: func(url string) { fmt.Println(url) },
//	})
package web

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// DefaultPort is tried first when no port is asked for: a browser keeps what the
// page remembers by its address, port included.
const DefaultPort = 7717

const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	shutdownTimeout   = 5 * time.Second
)

// Config says what to serve.
type Config struct {
	Service api.Service
	Events  api.Events
	// Assets holds index.html at its root.
	Assets fs.FS
	// Uploads is the folder for files that are dropped into the page; empty takes
	// none.
	Uploads string
	// Backups is the folder of bundles that may be downloaded; empty gives none.
	Backups string
	// Port to listen on; 0 means DefaultPort or, when that is taken, a free one.
	Port int
	// ErrorBody words an error in a language, as i18n.ErrorBody does.
	ErrorBody func(lang string, err error) api.ErrorBody
	// Language is used for callers who name neither Chinese nor English.
	Language string
	// Ready is called once with the address to open, which carries the key. It may
	// be nil.
	Ready func(url string)
	// Log takes what the caller of an operation is not told: panics and broken
	// streams. Nil means slog.Default.
	Log *slog.Logger
}

// Serve listens until ctx ends, then lets running operations see the end of
// their context and returns nil. Its faults are port_taken (port) and
// listen_refused (port).
func Serve(ctx context.Context, c Config) error {
	ln, err := listen(ctx, c.Port)
	if err != nil {
		return err
	}
	addr, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return errors.Join(fmt.Errorf("listen: unexpected address %v", ln.Addr()), ln.Close())
	}
	s := newServer(c, newToken(), addr.Port)
	g, gctx := errgroup.WithContext(ctx)
	srv := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return gctx },
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	g.Go(func() error { s.follow(gctx); return nil })
	g.Go(func() error {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		<-gctx.Done()
		return shutdown(srv)
	})
	if c.Ready != nil {
		c.Ready(s.entryURL())
	}
	return g.Wait()
}

// shutdown waits for running requests, whose contexts have ended, and cuts off
// those that do not heed it.
func shutdown(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := srv.Shutdown(ctx); err == nil {
		return nil
	}
	if err := srv.Close(); err != nil {
		return fmt.Errorf("close server: %w", err)
	}
	return nil
}

func listen(ctx context.Context, port int) (net.Listener, error) {
	ports := []int{port}
	if port == 0 {
		ports = []int{DefaultPort, 0}
	}
	var lc net.ListenConfig
	var err error
	for _, p := range ports {
		var ln net.Listener
		if ln, err = lc.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(p))); err == nil {
			return ln, nil
		}
	}
	code := "listen_refused"
	if portTaken(err) {
		code = "port_taken"
	}
	return nil, fault.Wrap(err, code, fault.P("port", port))
}

// newToken makes the key of one launch: 256 random bits.
func newToken() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

type server struct {
	cfg    Config
	token  string
	cookie string
	// hosts are the Host headers, and with http:// the origins, that are ours.
	hosts []string
	ops   map[string]http.HandlerFunc
	hub   *hub
	log   *slog.Logger
	// placing is held while an uploaded file gets its name.
	placing sync.Mutex
}

func newServer(c Config, token string, port int) *server {
	s := &server{
		cfg: c, token: token, hub: newHub(), log: c.Log,
		// Cookies are shared by all ports of a host, hence the port in the name.
		cookie: "ragdesk_" + strconv.Itoa(port),
		hosts: []string{
			net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
			net.JoinHostPort("localhost", strconv.Itoa(port)),
		},
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.ops = s.operations(c.Service)
	return s
}

// entryURL is the address that carries the key.
func (s *server) entryURL() string { return "http://" + s.hosts[0] + "/?token=" + s.token }

func (s *server) handler() http.Handler {
	api := http.NewServeMux()
	api.HandleFunc("/api/events", s.events)
	api.HandleFunc("/api/files/{path...}", s.upload)
	api.HandleFunc("/api/backups/{name}", s.download)
	api.HandleFunc("/api/{operation}", s.operation)
	api.HandleFunc("/api/", s.unknownOperation)
	mux := http.NewServeMux()
	mux.Handle("/api/", s.requireOrigin(s.requireToken(api)))
	mux.Handle("/", s.enter(s.assets()))
	return s.recovered(secureHeaders(s.requireHost(mux)))
}

// follow feeds the hub until ctx ends.
func (s *server) follow(ctx context.Context) {
	if s.cfg.Events == nil {
		return
	}
	err := s.cfg.Events.Subscribe(ctx, func(e api.Event) error {
		s.hub.publish(e)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "event stream ended", "error", err)
	}
}
