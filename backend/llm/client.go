package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"ragdesk/backend/fault"
)

// Timeouts bound silence, never a whole reply. Zero values mean the defaults.
type Timeouts struct {
	// Connect bounds the making of a connection; 0 means 5 s.
	Connect time.Duration
	// Answer bounds a request that no model takes part in; 0 means 30 s.
	Answer time.Duration
	// First bounds the wait for the first piece of a reply, in which a model may be
	// loaded and reads the prompt; 0 means 5 minutes.
	First time.Duration
	// Idle bounds the wait between two pieces of a reply; 0 means a minute.
	Idle time.Duration
}

func (t Timeouts) filled() Timeouts {
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{{&t.Connect, 5 * time.Second}, {&t.Answer, 30 * time.Second}, {&t.First, 5 * time.Minute}, {&t.Idle, time.Minute}} {
		if *d.value <= 0 {
			*d.value = d.standard
		}
	}
	return t
}

// Config says which host a client talks to.
type Config struct {
	// Host is a name or address with an optional port, or a URL; empty means
	// DefaultHost.
	Host string
	// Key is sent as a bearer token; empty sends none.
	Key string
	// AllowRemote is the user's consent that text leaves this machine.
	AllowRemote bool
	// Threads is how many the host computes with; 0 leaves it to the host, which takes
	// one for each core. They wait for each other at every step, so on a machine that
	// is busy with something else fewer are faster.
	Threads  int
	Timeouts Timeouts
}

// Client talks to one host. It is safe for concurrent use.
type Client struct {
	base     *url.URL
	key      string
	remote   bool
	threads  int
	timeouts Timeouts
	http     *http.Client
	// tries is how often a request is sent that reached nobody.
	tries int
}

// New returns a client; nothing is sent yet. A host that cannot be read is the
// fault "llm_host_invalid", another machine without consent "llm_remote".
func New(c Config) (*Client, error) {
	base, err := parseHost(c.Host)
	if err != nil {
		return nil, err
	}
	remote := !isLoopback(base.Hostname())
	if remote && !c.AllowRemote {
		return nil, fault.New("llm_remote", fault.P("host", base.Host))
	}
	t := c.Timeouts.filled()
	transport := &http.Transport{DialContext: dialer(remote, t.Connect), MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute}
	if remote {
		transport.Proxy = http.ProxyFromEnvironment
	}
	return &Client{
		base: base, key: c.Key, remote: remote, threads: c.Threads, timeouts: t, tries: 3,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the host answered with a redirect")
		}},
	}, nil
}

// Host is the address the client talks to.
func (c *Client) Host() string { return c.base.Host }

// Remote reports that the host is another machine.
func (c *Client) Remote() bool { return c.remote }

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Version is the host's version. It is asked once, without another try.
func (c *Client) Version(ctx context.Context) (string, error) {
	once := *c
	once.tries = 1
	var v struct {
		Version string `json:"version"`
	}
	err := once.ask(ctx, http.MethodGet, "/api/version", "", nil, &v)
	if err == nil && v.Version == "" {
		err = fault.New("llm_failed", fault.P("status", http.StatusOK), fault.P("detail", "no version: not an Ollama"))
	}
	return v.Version, err
}

// ask sends one request and reads one JSON answer into out, unless out is nil.
func (c *Client) ask(ctx context.Context, method, path, model string, in, out any) error {
	bounded, cancel := context.WithTimeoutCause(ctx, c.timeouts.Answer, stalled(c.timeouts.Answer))
	defer cancel()
	res, err := c.send(bounded, method, path, model, in)
	if err != nil {
		return c.ended(ctx, bounded, err)
	}
	defer func() { _ = res.Body.Close() }() // read to its end below
	if out == nil {
		_, err = io.Copy(io.Discard, res.Body)
		return c.ended(ctx, bounded, err)
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return c.ended(ctx, bounded, fault.Wrap(err, "llm_stream_broken", fault.P("detail", err.Error())))
	}
	return nil
}

// ended gives an error its reason: the caller's cancellation, a silence that was
// too long, or err itself.
func (c *Client) ended(ctx, bounded context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case bounded.Err() != nil:
		return context.Cause(bounded)
	}
	return err
}

func stalled(d time.Duration) error { return fault.New("llm_stalled", fault.P("seconds", d.Seconds())) }

// send sends a request and returns a response whose status is below 300. in is
// sent as JSON, or as it is when it is an io.Reader, which is read only once.
func (c *Client) send(ctx context.Context, method, path, model string, in any) (*http.Response, error) {
	reader, once := in.(io.Reader)
	var body []byte
	if !once && in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, fault.Wrap(err, "llm_request_invalid", fault.P("detail", err.Error()))
		}
	}
	for try := 1; ; try++ {
		if !once {
			reader = bytes.NewReader(body)
		}
		res, err := c.sendOnce(ctx, method, path, reader)
		again := c.unsent(err)
		if err == nil {
			if res.StatusCode < 300 {
				return res, nil
			}
			again = res.StatusCode == http.StatusServiceUnavailable
			err = c.refusal(res, model)
		} else if ctx.Err() == nil {
			err = fault.Wrap(err, "llm_unreachable", fault.P("host", c.Host()))
		}
		if once || !again || try >= c.tries || !pause(ctx, try) {
			return nil, err
		}
	}
}

func (c *Client) sendOnce(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, body)
	if err != nil {
		return nil, fmt.Errorf("request %s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	return c.http.Do(req)
}

// unsent reports that a connection was refused, so that nothing was sent.
func (c *Client) unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" && !op.Timeout()
}

// pause waits before another try; false means that the context ended.
func pause(ctx context.Context, try int) bool {
	timer := time.NewTimer(time.Duration(try*try) * 100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// refusal reads why a host refused a request.
func (c *Client) refusal(res *http.Response, model string) error {
	defer func() { _ = res.Body.Close() }() // a part of it is enough
	raw, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil && len(raw) == 0 {
		raw = []byte(err.Error())
	}
	return c.classify(res.StatusCode, messageOf(raw), model)
}
