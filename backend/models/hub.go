package models

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/fault"
)

// DefaultHub is the public model hub.
const DefaultHub = "https://huggingface.co"

// Hub downloads models over HTTP, from the public hub or from a mirror that
// answers the same addresses:
//
//	GET  /api/models/OWNER/REPO/tree/REVISION?recursive=true   files, sizes, hashes
//	GET  /OWNER/REPO/resolve/REVISION/FILE                     the file, in ranges
//
// Nothing here runs unless the user asked for a download: the program has no other
// connection to the hub.
type Hub struct {
	base   *url.URL
	client *http.Client
	// pause waits before the n-th retry, from 1; after is what the hub asked for, 0
	// without wish.
	pause func(ctx context.Context, n int, after time.Duration) error
	// idle is how long a connection may be silent.
	idle time.Duration
}

const (
	// attempts is how often a request is tried without any progress between.
	attempts = 6
	// firstPause doubles with each retry, up to longestPause.
	firstPause   = time.Second
	longestPause = 30 * time.Second
	// silence is how long a connection may give nothing before it is tried anew.
	silence = time.Minute
)

// NewHub returns a hub at base, an http or https address; empty means DefaultHub.
// A client of nil is one that follows no redirect from https to http. An address
// that is none is a fault "hub_address".
func NewHub(base string, client *http.Client) (*Hub, error) {
	if base == "" {
		base = DefaultHub
	}
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, fault.Wrap(err, "hub_address", fault.P("address", base))
	}
	if client == nil {
		client = &http.Client{CheckRedirect: secure}
	}
	return &Hub{base: u, client: client, pause: pause, idle: silence}, nil
}

// Host is where the hub is, for consent and error messages.
func (h *Hub) Host() string { return h.base.Host }

// longestRedirect is how many redirects are followed.
const longestRedirect = 10

// secure refuses to leave https, and to be led around for ever.
func secure(to *http.Request, via []*http.Request) error {
	if len(via) >= longestRedirect {
		return errors.New("too many redirects")
	}
	if via[0].URL.Scheme == "https" && to.URL.Scheme != "https" {
		return fmt.Errorf("redirect from https to %s", to.URL.Scheme)
	}
	return nil
}

// pause sleeps before a retry.
func pause(ctx context.Context, n int, after time.Duration) error {
	wait := min(firstPause<<min(n-1, 10), longestPause)
	timer := time.NewTimer(max(wait, min(after, 10*longestPause)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// remoteFile is a file of a repository.
type remoteFile struct {
	path string
	size int64
	// sha256 is lower-case hexadecimal, "" where the hub does not say: then sha1 is
	// that of the file as a git object, or "" as well.
	sha256, sha1 string
}

// treeEntry is one line of the hub's answer.
type treeEntry struct {
	Type string `json:"type"`
	Path string `json:"path"`
	Size int64  `json:"size"`
	OID  string `json:"oid"`
	LFS  *struct {
		OID  string `json:"oid"`
		Size int64  `json:"size"`
	} `json:"lfs"`
}

// Limits of a repository's list of files.
const (
	longestList  = 16 << 20
	longestPages = 50
)

// list returns the files of a repository. Faults: "hub_not_found", "hub_denied",
// "hub_unreachable".
func (h *Hub) list(ctx context.Context, repo, revision string) ([]remoteFile, error) {
	next := h.address("api", "models", repo, "tree", revision) + "?recursive=true"
	var files []remoteFile
	for range longestPages {
		var page []treeEntry
		link, err := h.getJSON(ctx, next, repo, &page)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if e.Type != "file" || !fs.ValidPath(e.Path) || strings.ContainsAny(e.Path, "\\:") {
				continue
			}
			f := remoteFile{path: e.Path, size: e.Size, sha1: e.OID}
			if e.LFS != nil {
				f.size, f.sha256, f.sha1 = e.LFS.Size, e.LFS.OID, ""
			}
			files = append(files, f)
		}
		if link == "" {
			return files, nil
		}
		next = link
	}
	return nil, fmt.Errorf("list %s: more than %d pages", repo, longestPages)
}

// getJSON reads one answer, and the address of the next page if there is one.
func (h *Hub) getJSON(ctx context.Context, address, repo string, into any) (next string, err error) {
	err = h.retry(ctx, repo, func(ctx context.Context) (bool, error) {
		resp, err := h.request(ctx, address, 0)
		if err != nil {
			return false, err
		}
		defer func() { _ = resp.Body.Close() }() // it was read
		if err := h.status(resp, repo, ""); err != nil {
			return false, err
		}
		raw, err := io.ReadAll(io.LimitReader(resp.Body, longestList))
		if err != nil {
			return false, err
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return false, permanent(fault.Wrap(err, "hub_unreachable", fault.P("host", h.Host()), fault.P("reason", "no list of files")))
		}
		next = nextPage(resp)
		return true, nil
	})
	return next, err
}

// nextPage reads the header Link: <address>; rel="next". An address elsewhere is
// none.
func nextPage(resp *http.Response) string {
	for _, link := range strings.Split(resp.Header.Get("Link"), ",") {
		address, rel, _ := strings.Cut(strings.TrimSpace(link), ";")
		if !strings.Contains(rel, `rel="next"`) || len(address) < 2 {
			continue
		}
		u, err := resp.Request.URL.Parse(strings.Trim(address, "<>"))
		if err == nil && u.Host == resp.Request.URL.Host {
			return u.String()
		}
	}
	return ""
}

func (h *Hub) address(parts ...string) string {
	u := *h.base
	var escaped []string
	for _, p := range parts {
		for _, segment := range strings.Split(p, "/") {
			escaped = append(escaped, url.PathEscape(segment))
		}
	}
	u.Path, u.RawPath = "", ""
	return u.String() + h.base.EscapedPath() + "/" + strings.Join(escaped, "/")
}

// request asks for an address, from byte at on.
func (h *Hub) request(ctx context.Context, address string, at int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, permanent(err)
	}
	req.Header.Set("User-Agent", "ragdesk")
	// A compressed answer has no ranges.
	req.Header.Set("Accept-Encoding", "identity")
	if at > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", at))
	}
	return h.client.Do(req)
}

// permanentError is an error that another try cannot mend.
type permanentError struct{ error }

func permanent(err error) error { return permanentError{err} }

// Unwrap returns the error itself.
func (p permanentError) Unwrap() error { return p.error }

// busyError is an answer that another try may mend, after a while.
type busyError struct {
	status int
	after  time.Duration
}

func (b busyError) Error() string { return "status " + strconv.Itoa(b.status) }

// status turns an answer that is no success into an error.
func (h *Hub) status(resp *http.Response, repo, file string) error {
	params := []fault.Param{fault.P("host", h.Host()), fault.P("repo", repo)}
	switch code := resp.StatusCode; {
	case code == http.StatusOK, code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return permanent(fault.New("hub_not_found", append(params, fault.P("file", file))...))
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return permanent(fault.New("hub_denied", params...))
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= http.StatusInternalServerError:
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			seconds = 0
		}
		return busyError{code, time.Duration(max(seconds, 0)) * time.Second}
	default:
		return permanent(fault.New("hub_unreachable", fault.P("host", h.Host()), fault.P("reason", "status "+strconv.Itoa(code))))
	}
}

// retry calls do until it succeeds, fails for good, or fails too often without
// progress in between. What the network does is a fault "hub_unreachable".
func (h *Hub) retry(ctx context.Context, repo string, do func(ctx context.Context) (progress bool, err error)) error {
	for n := 1; ; n++ {
		progress, err := do(ctx)
		var final permanentError
		var busy busyError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &final):
			return final.error
		}
		if progress {
			n = 1
		}
		if n >= attempts {
			return fault.Wrap(err, "hub_unreachable", fault.P("host", h.Host()), fault.P("repo", repo), fault.P("reason", reason(err)))
		}
		errors.As(err, &busy)
		if err := h.pause(ctx, n, busy.after); err != nil {
			return err
		}
	}
}

// reason is the innermost message of an error, without addresses.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

// wanted chooses the files of a repository that a model of the given precision
// needs. Without a graph of that precision it is a fault "hub_not_found".
func (h *Hub) wanted(e Entry, p Precision, files []remoteFile) ([]remoteFile, error) {
	graph := -1
	for i, f := range files {
		if dir := path.Dir(f.path); path.Ext(f.path) != ".onnx" || dir != "." && dir != "onnx" || precisionOf(path.Base(f.path)) != p {
			continue
		}
		// Of two graphs of one precision the plainer name is meant.
		if graph < 0 || len(path.Base(f.path)) < len(path.Base(files[graph].path)) {
			graph = i
		}
	}
	if graph < 0 {
		return nil, fault.New("hub_not_found", fault.P("host", h.Host()), fault.P("repo", e.Repo), fault.P("file", "*.onnx ("+string(p)+")"))
	}
	chosen := files[graph]
	out := []remoteFile{chosen}
	for _, f := range files {
		// Weights lie beside their graph, as model.onnx_data, model.onnx.data and so on.
		data := strings.HasPrefix(f.path, chosen.path) && f.path != chosen.path
		if data || slices.Contains(described(), f.path) {
			out = append(out, f)
		}
	}
	return out, nil
}

// described are the files, besides graphs, that tell how to run a model.
func described() []string {
	return []string{
		"config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "sentencepiece.bpe.model",
		"modules.json", "sentence_bert_config.json", "config_sentence_transformers.json", "1_Pooling/config.json",
	}
}

// precisionOf guesses the precision from the name of a graph, as exporters name
// them; "" for a graph of another kind.
func precisionOf(name string) Precision {
	name = strings.TrimSuffix(name, ".onnx")
	switch {
	case name == "model":
		return FP32
	case !strings.HasPrefix(name, "model_"):
		return ""
	case name == "model_fp16":
		return FP16
	case name == "model_quantized", name == "model_int8", name == "model_uint8", strings.HasPrefix(name, "model_qint8"), strings.HasPrefix(name, "model_quint8"):
		return INT8
	case name == "model_q4":
		return Q4
	}
	return ""
}

// linked reads the SHA-256 that the hub states for a large file beside the file
// itself or a redirect to it.
func linked(header http.Header) string {
	for _, key := range []string{"X-Linked-Etag", "Etag"} {
		tag := strings.Trim(strings.TrimPrefix(header.Get(key), "W/"), `"`)
		if raw, err := hex.DecodeString(tag); err == nil && len(raw) == 32 {
			return strings.ToLower(tag)
		}
	}
	return ""
}
