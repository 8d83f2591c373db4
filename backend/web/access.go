package web

import (
	"crypto/subtle"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"ragdesk/backend/fault"
)

// policy lets the page load what this server serves and nothing else.
const policy = "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'"

func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// requireHost refuses requests for any name but ours: a foreign name that
// resolves to this machine is DNS rebinding.
func (s *server) requireHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(s.hosts, strings.ToLower(r.Host)) {
			s.fail(w, r, fault.New("host_refused", fault.P("host", r.Host)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireOrigin refuses what a page of another origin sent. Browsers name the
// origin of every cross-origin request and every POST; other programs need not.
func (s *server) requireOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		ours := origin == "" || origin == "http://"+strings.ToLower(r.Host)
		if !ours || (site != "" && site != "same-origin" && site != "none") {
			s.fail(w, r, fault.New("origin_refused", fault.P("origin", origin)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireToken lets through who holds the key, in the cookie that enter set or
// as a bearer token.
func (s *server) requireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if c, err := r.Cookie(s.cookie); err == nil && !bearer {
			key = c.Value
		}
		if !s.isToken(key) {
			s.fail(w, r, fault.New("key_invalid"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) isToken(key string) bool {
	return subtle.ConstantTimeCompare([]byte(key), []byte(s.token)) == 1
}

// enter turns the key of the address into a cookie and drops it from the
// address. The page's own files need no key: they are the same for everybody.
func (s *server) enter(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if !query.Has("token") {
			next.ServeHTTP(w, r)
			return
		}
		if !s.isToken(query.Get("token")) {
			s.fail(w, r, fault.New("key_invalid"))
			return
		}
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // no Secure: the loopback has no TLS
			Name: s.cookie, Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
}

// recovered turns a panic into an internal error; the stack goes to the log.
func (s *server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause == http.ErrAbortHandler { //nolint:errorlint // a sentinel, compared as net/http does
				panic(cause)
			}
			s.log.ErrorContext(r.Context(), "panic", "path", r.URL.Path, "cause", cause, "stack", string(debug.Stack()))
			s.fail(w, r, fault.New("internal", fault.P("detail", cause)))
		}()
		next.ServeHTTP(w, r)
	})
}
