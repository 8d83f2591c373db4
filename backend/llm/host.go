package llm

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"ragdesk/backend/fault"
)

// DefaultHost is where Ollama listens unless told otherwise.
const DefaultHost = "127.0.0.1:11434"

// parseHost reads a host as users write it: a name or address, with or without a
// port, or a URL. The address that means "every interface" to a server means this
// machine to a client. The fault is "llm_host_invalid".
func parseHost(host string) (*url.URL, error) {
	bad := fault.New("llm_host_invalid", fault.P("host", host))
	s := strings.TrimSpace(host)
	if s == "" {
		s = DefaultHost
	}
	if !strings.Contains(s, "://") {
		s = "http://" + bracketed(s)
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, bad
	}
	name := u.Hostname()
	if (u.Scheme != "http" && u.Scheme != "https") || name == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, bad
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "11434", "https": "443"}[u.Scheme]
	}
	if addr, err := netip.ParseAddr(name); err == nil && addr.IsUnspecified() {
		name = "127.0.0.1"
		if addr.Is6() {
			name = "::1"
		}
	}
	return &url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(name, port), Path: strings.TrimRight(u.Path, "/")}, nil
}

// bracketed puts a bare IPv6 address between brackets.
func bracketed(s string) string {
	if addr, err := netip.ParseAddr(s); err == nil && addr.Is6() {
		return "[" + s + "]"
	}
	return s
}

// isLoopback reports whether a host's name can only be this machine.
func isLoopback(name string) bool {
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.IsLoopback()
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// IsRemote reports whether a host, as a user writes it, is another machine. A host
// that cannot be read is an error.
func IsRemote(host string) (bool, error) {
	u, err := parseHost(host)
	if err != nil {
		return false, err
	}
	return !isLoopback(u.Hostname()), nil
}

// dialer connects to the host. For a local one it refuses every address that is
// not this machine's, whatever the name resolves to.
func dialer(remote bool, timeout time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: timeout}
	if remote {
		return d.DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		to, err := netip.ParseAddrPort(conn.RemoteAddr().String())
		if err != nil || !to.Addr().Unmap().IsLoopback() {
			_ = conn.Close() // nothing was sent
			return nil, fmt.Errorf("%s is at %s, which is not this machine", address, conn.RemoteAddr())
		}
		return conn, nil
	}
}
