package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

const (
	testToken = "key-of-this-launch"
	testPort  = 7999
	testHost  = "127.0.0.1:7999"
)

// fakeService fails on demand; its answers are not what is tested.
type fakeService struct {
	api.Service
	started chan struct{}
}

func (fakeService) Info(ctx context.Context, _ api.InfoRequest) (api.Info, error) {
	return api.Info{Version: "<1>", Embedder: i18n.Language(ctx)}, nil
}

func (fakeService) RemoveKB(_ context.Context, r api.RemoveKBRequest) (api.RemovedKB, error) {
	switch r.KB {
	case "panic":
		panic("broken invariant")
	case "plain":
		return api.RemovedKB{}, errors.New("disk on fire")
	case "cancelled":
		return api.RemovedKB{}, context.Canceled
	}
	return api.RemovedKB{}, fault.New("kb_unknown", fault.P("kb", r.KB))
}

func (f fakeService) Ask(ctx context.Context, _ api.AskRequest) (api.AskResponse, error) {
	close(f.started)
	<-ctx.Done()
	return api.AskResponse{}, ctx.Err()
}

func testBody(lang string, err error) api.ErrorBody {
	f := fault.Of(err)
	return api.ErrorBody{Code: f.Code, Message: lang + ":" + f.Code, Params: f.Params}
}

func testServer(t *testing.T) *server {
	t.Helper()
	return newServer(Config{
		Service: fakeService{}, ErrorBody: testBody, Language: "xx", Log: slog.New(slog.DiscardHandler),
		Assets: fstest.MapFS{
			"index.html":          {Data: []byte("<!doctype html>page")},
			"assets/main-abcd.js": {Data: []byte("export {}")},
		},
	}, testToken, testPort)
}

// with returns a request that passes every check, changed by edit.
func with(method, path, body string, edit func(*http.Request)) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = testHost
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Content-Type", "application/json")
	if edit != nil {
		edit(r)
	}
	return r
}

func header(key, value string) func(*http.Request) {
	return func(r *http.Request) {
		if r.Header.Del(key); value != "" {
			r.Header.Set(key, value)
		}
	}
}

func cookie(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	for name, tt := range map[string]struct {
		request *http.Request
		status  int
		// body is contained in the answer.
		body string
	}{
		"operation":            {with("POST", "/api/Info", `{}`, nil), 200, `"version":"<1>"`},
		"language of the call": {with("POST", "/api/Info", `{}`, header("X-Ragdesk-Lang", "zh")), 200, `"embedder":"zh"`},
		"cookie":               {with("POST", "/api/Info", `{}`, cookie("ragdesk_7999", testToken)), 200, ""},
		"localhost":            {with("POST", "/api/Info", `{}`, host("LocalHost:7999")), 200, ""},
		"own origin":           {with("POST", "/api/Info", `{}`, header("Origin", "http://"+testHost)), 200, ""},
		"charset":              {with("POST", "/api/Info", `{}`, header("Content-Type", "application/json; charset=utf-8")), 200, ""},
		"no key":               {with("POST", "/api/Info", `{}`, header("Authorization", "")), 401, "key_invalid"},
		"wrong key":            {with("POST", "/api/Info", `{}`, header("Authorization", "Bearer x")), 401, "key_invalid"},
		"empty key":            {with("POST", "/api/Info", `{}`, header("Authorization", "Bearer ")), 401, "key_invalid"},
		"wrong cookie":         {with("POST", "/api/Info", `{}`, cookie("ragdesk_7999", "x")), 401, "key_invalid"},
		"cookie of port 7998":  {with("POST", "/api/Info", `{}`, cookie("ragdesk_7998", testToken)), 401, "key_invalid"},
		"events need the key":  {with("GET", "/api/events", ``, header("Authorization", "")), 401, "key_invalid"},
		"rebound name":         {with("POST", "/api/Info", `{}`, host("evil.example:7999")), 403, "host_refused"},
		"other port":           {with("POST", "/api/Info", `{}`, host("127.0.0.1:80")), 403, "host_refused"},
		"rebound page":         {with("GET", "/", ``, host("evil.example")), 403, ":host_refused"},
		"foreign origin":       {with("POST", "/api/Info", `{}`, header("Origin", "http://evil.example")), 403, "origin_refused"},
		"origin null":          {with("POST", "/api/Info", `{}`, header("Origin", "null")), 403, "origin_refused"},
		"other local port":     {with("POST", "/api/Info", `{}`, header("Origin", "http://127.0.0.1:3000")), 403, "origin_refused"},
		"cross-site fetch":     {with("GET", "/api/events", ``, header("Sec-Fetch-Site", "cross-site")), 403, "origin_refused"},
		"GET on operation":     {with("GET", "/api/Info", ``, nil), 405, "method_refused"},
		"POST on events":       {with("POST", "/api/events", `{}`, nil), 405, "method_refused"},
		"POST on page":         {with("POST", "/", `{}`, nil), 405, "method_refused"},
		"unknown operation":    {with("POST", "/api/Format", `{}`, nil), 404, "operation_unknown"},
		"deeper path":          {with("POST", "/api/Info/x", `{}`, nil), 404, "operation_unknown"},
		"form":                 {with("POST", "/api/Info", `{}`, header("Content-Type", "text/plain")), 415, "content_type_refused"},
		"no media type":        {with("POST", "/api/Info", `{}`, header("Content-Type", "")), 415, "content_type_refused"},
		"body too large":       {with("POST", "/api/RemoveKB", `{"kb":"`+strings.Repeat("a", maxBody)+`"}`, nil), 413, "body_too_large"},
		"bad JSON":             {with("POST", "/api/Info", `{`, nil), 400, "body_invalid"},
		"no JSON":              {with("POST", "/api/Info", ``, nil), 400, "body_invalid"},
		"two values":           {with("POST", "/api/Info", `{}{}`, nil), 400, "body_invalid"},
		"trailing junk":        {with("POST", "/api/Info", `{} x`, nil), 400, "body_invalid"},
		"unknown field":        {with("POST", "/api/RemoveKB", `{"kbs":"a"}`, nil), 400, "body_invalid"},
		"wrong type":           {with("POST", "/api/RemoveKB", `{"kb":1}`, nil), 400, "body_invalid"},
		"fault":                {with("POST", "/api/RemoveKB", `{"kb":"法"}`, nil), 404, `{"error":{"code":"kb_unknown","message":"xx:kb_unknown","params":{"kb":"法"}}}`},
		"fault in Chinese":     {with("POST", "/api/RemoveKB", `{"kb":"a"}`, header("X-Ragdesk-Lang", "zh")), 404, `"zh:kb_unknown"`},
		"plain error":          {with("POST", "/api/RemoveKB", `{"kb":"plain"}`, nil), 500, `"internal"`},
		"cancelled":            {with("POST", "/api/RemoveKB", `{"kb":"cancelled"}`, nil), 499, `"cancelled"`},
		"panic":                {with("POST", "/api/RemoveKB", `{"kb":"panic"}`, nil), 500, `"internal"`},
		"page":                 {with("GET", "/", ``, header("Authorization", "")), 200, "page"},
		"screen":               {with("GET", "/compare", ``, nil), 200, "page"},
		"climbing out":         {with("GET", "/assets/../../etc/hosts", ``, nil), 307, `href="/etc/hosts"`},
		"missing file":         {with("GET", "/assets/gone.js", ``, nil), 404, ":not_found"},
		"wrong key in URL":     {with("GET", "/?token=x", ``, nil), 401, ":key_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			testServer(t).handler().ServeHTTP(w, tt.request)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.body) {
				t.Errorf("got %d %s, want %d containing %s", w.Code, w.Body, tt.status, tt.body)
			}
			requireHeaders(t, w.Header())
		})
	}
}

// requireHeaders checks what every answer must say, refusals included.
func requireHeaders(t *testing.T, h http.Header) {
	t.Helper()
	if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self';") {
		t.Errorf("CSP %q", csp)
	}
	if h.Get("X-Content-Type-Options") != "nosniff" {
		t.Error("nosniff is missing")
	}
	for key := range h {
		if strings.HasPrefix(key, "Access-Control-") {
			t.Errorf("CORS header %s", key)
		}
	}
}

func TestKeyInURLBecomesCookie(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	testServer(t).handler().ServeHTTP(w, with("GET", "/?token="+testToken, "", header("Authorization", "")))
	if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/" {
		t.Errorf("got %d to %q, want 303 to /", w.Code, got)
	}
	cookies := w.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("got %d cookies", len(cookies))
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Value != testToken || c.Domain != "" {
		t.Errorf("cookie %v", c)
	}
}

func TestCaching(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/": "no-cache", "/assets/main-abcd.js": "public, max-age=31536000, immutable", "/api/Nothing": "no-store",
	} {
		w := httptest.NewRecorder()
		testServer(t).handler().ServeHTTP(w, with("GET", path, "", nil))
		if got := w.Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q, want %q", path, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ own, accept, want string }{
		{"", "", "xx"},
		{"", "fr-FR, zh-TW;q=0.9, en;q=0.8", "zh"},
		{"", "en-GB,en;q=0.9,zh;q=0.8", "en"},
		{"zh", "en", "zh"},
		{"xx", "EN", "en"},
		{"", "enochian, zha", "xx"},
	} {
		r := with("GET", "/", "", header("Accept-Language", tt.accept))
		r.Header.Set("X-Ragdesk-Lang", tt.own)
		if got := testServer(t).language(r); got != tt.want {
			t.Errorf("language(%q, %q) = %q, want %q", tt.own, tt.accept, got, tt.want)
		}
	}
}

func TestTableHasEveryOperation(t *testing.T) {
	t.Parallel()
	service := reflect.TypeFor[api.Service]()
	var want []string
	for m := range service.Methods() {
		want = append(want, m.Name)
	}
	if diff := cmp.Diff(want, Operations()); diff != "" {
		t.Errorf("HTTP table and Service differ:\n%s", diff)
	}
	got := slices.Sorted(maps.Keys(testServer(t).ops))
	if diff := cmp.Diff(Operations(), got); diff != "" {
		t.Errorf("Operations and the table in use differ:\n%s", diff)
	}
}

func TestMissingPage(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	s.cfg.Assets = fstest.MapFS{"gitkeep": {}}
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, with("GET", "/", "", nil))
	if !strings.Contains(w.Body.String(), "page_missing") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan string, 1), make(chan error, 1)
	events := make(chan api.Event)
	svc := fakeService{started: make(chan struct{})}
	go func() {
		done <- Serve(ctx, Config{
			Service: svc, Events: chanEvents(events), ErrorBody: testBody, Log: slog.New(slog.DiscardHandler),
			Assets: fstest.MapFS{"index.html": {Data: []byte("page")}}, Ready: func(u string) { ready <- u },
		})
	}()
	entry, err := url.Parse(<-ready)
	if err != nil {
		t.Fatal(err)
	}
	if entry.Hostname() != "127.0.0.1" {
		t.Errorf("listens on %s", entry.Host)
	}
	base, token := "http://"+entry.Host, entry.Query().Get("token")

	stream := call(t, "GET", base+"/api/events", token, "")
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	lines.Scan() // the stream is open before the event is sent
	events <- api.Event{Seq: 7, Kind: "end"}
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "id:") {
	}
	if lines.Text() != "id: 7" {
		t.Errorf("event line %q", lines.Text())
	}

	asked := make(chan error, 1)
	go func() {
		res := call(t, "POST", base+"/api/Ask", token, `{}`)
		body, err := io.ReadAll(res.Body)
		if err == nil && !strings.Contains(string(body), "cancelled") {
			err = errors.New(string(body))
		}
		asked <- errors.Join(err, res.Body.Close())
	}()
	<-svc.started
	stop()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if err := <-asked; err != nil {
		t.Errorf("an operation that stopping cut short: %v", err)
	}
}

func TestPortTaken(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	port := ln.Addr().(*net.TCPAddr).Port
	err = Serve(t.Context(), Config{Port: port, ErrorBody: testBody})
	if f := fault.Of(err); f == nil || f.Code != "port_taken" || f.Params["port"] != strconv.Itoa(port) {
		t.Errorf("got %v, want port_taken", err)
	}
}

// chanEvents sends what arrives on it.
type chanEvents chan api.Event

func (c chanEvents) Subscribe(ctx context.Context, send func(api.Event) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-c:
			if err := send(e); err != nil {
				return err
			}
		}
	}
}

func call(t *testing.T, method, address, token, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	return res
}
