package llm

import (
	"encoding/json"
	"net/http"
	"strings"

	"ragdesk/backend/fault"
)

// messageOf is the error in a host's answer: its JSON field, or the text itself.
func messageOf(raw []byte) string {
	var e struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &e) == nil && e.Error != "" {
		return e.Error
	}
	s := strings.Join(strings.Fields(string(raw)), " ")
	if len(s) > maxDetail {
		s = strings.ToValidUTF8(s[:maxDetail], "") + "…"
	}
	return s
}

// maxDetail bounds what is shown of an answer that is no error message.
const maxDetail = 300

// contains reports whether s has any of the words.
func contains(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// classify turns a host's error into a fault. The words are those of Ollama 0.9
// (server/routes.go, server/sched.go, llm/server.go) and of llama.cpp.
func (c *Client) classify(status int, message, model string) error {
	detail := fault.P("detail", message)
	lower := strings.ToLower(message)
	switch {
	case contains(lower, "more system memory", "out of memory", "outofmemory", "cudamalloc", "failed to allocate",
		"unable to allocate", "cannot allocate", "signal: killed"):
		return fault.New("llm_out_of_memory", fault.P("model", model), detail)
	case contains(lower, "pull model manifest: file does not exist"):
		return fault.New("llm_model_unknown", fault.P("model", model))
	case contains(lower, "pull model manifest", "max retries exceeded", "digest mismatch", "no such host", "dial tcp"):
		return fault.New("llm_pull_failed", fault.P("model", model), detail)
	case status == http.StatusNotFound && model != "":
		return fault.New("llm_model_missing", fault.P("model", model), fault.P("host", c.Host()))
	case contains(lower, "does not support"):
		return fault.New("llm_unsupported", fault.P("model", model), detail)
	case contains(lower, "context length", "context window"):
		return fault.New("llm_context_refused", fault.P("model", model), detail)
	}
	return fault.New("llm_failed", fault.P("status", status), detail)
}
