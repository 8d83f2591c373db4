package web

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

// statusClientClosed is what proxies log for a caller who went away; nobody
// reads it, but it keeps such requests apart from failures.
const statusClientClosed = 499

// statusOf maps a fault's code to HTTP. Codes ending in _unknown name a thing
// that is not there; what the caller can mend is otherwise a bad request.
func statusOf(code string) int {
	switch code {
	case "key_invalid":
		return http.StatusUnauthorized
	case "host_refused", "origin_refused":
		return http.StatusForbidden
	case "method_refused":
		return http.StatusMethodNotAllowed
	case "body_too_large":
		return http.StatusRequestEntityTooLarge
	case "content_type_refused":
		return http.StatusUnsupportedMediaType
	case "workspace_locked":
		return http.StatusConflict
	case "cancelled":
		return statusClientClosed
	case "timeout":
		return http.StatusGatewayTimeout
	case "disk_full":
		return http.StatusInsufficientStorage
	case "internal":
		return http.StatusInternalServerError
	case "not_found":
		return http.StatusNotFound
	}
	if strings.HasSuffix(code, "_unknown") {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// fail answers with err: as an error body to the page, in words to a person who
// opened a bad address.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf(fault.Of(err).Code)
	body := s.cfg.ErrorBody(s.language(r), err)
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body.Message+"\n") // the caller is gone if this fails
		return
	}
	b, encodeErr := json.Marshal(api.ErrorResponse{Error: body})
	if encodeErr != nil { // strings always encode
		panic(encodeErr)
	}
	writeJSON(w, status, b)
}

func writeJSON(w http.ResponseWriter, status int, b []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the caller is gone if this fails
}

// language is the caller's: the page says it outright, a browser lists what it
// reads in order of preference.
func (s *server) language(r *http.Request) string {
	for _, header := range []string{r.Header.Get("X-Ragdesk-Lang"), r.Header.Get("Accept-Language")} {
		for tag := range strings.SplitSeq(header, ",") {
			tag = strings.ToLower(strings.TrimSpace(tag))
			for _, lang := range []string{i18n.Chinese, i18n.English} {
				if rest, ok := strings.CutPrefix(tag, lang); ok && (rest == "" || rest[0] == '-' || rest[0] == ';') {
					return lang
				}
			}
		}
	}
	return s.cfg.Language
}
