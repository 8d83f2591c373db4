// Package llm reaches language models through Ollama's HTTP API: an Ollama that a
// user configured, one that is already running on this machine, or the engine
// that ragdesk carries (package llm/engine).
//
// Invariants:
//
//   - A client talks to one host. Unless the user allowed another one, that host is
//     this machine: a name that resolves elsewhere, a redirect and a proxy are refused.
//
//   - Every request to write names its window (num_ctx), because a host's own default
//     cuts a long prompt without a word; a reply tells whether the prompt was cut.
//
//   - There is no limit on a whole reply, only on silence: a model may be slow, but
//     one that says nothing for too long is given up.
//
//   - A request is sent again only when nothing of it can have been done: the
//     connection was refused, or the host said that it is busy.
//
//   - Every failure is a fault that a user can act on.
//
//     client, err := llm.New(llm.Config{})
//     model := client.Generator("qwen3:1.7b")
//     reply, err := model.Generate(ctx, rag.GenerateRequest{Prompt: "年假有几天？"}, nil)
//
// Faults: llm_host_invalid {host}, llm_remote {host}, llm_unreachable {host},
// llm_model_missing {model, host}, llm_model_unknown {model}, llm_pull_failed {model,
// detail}, llm_out_of_memory {model, detail}, llm_unsupported {model, detail},
// llm_failed {status, detail}, llm_stalled {seconds}, llm_stream_broken {detail}, llm_repeats {model},
// llm_context_exceeded {model, tokens, limit}, llm_context_refused {model, detail},
// llm_request_invalid {detail}, llm_reply_invalid {detail}, llm_none {}, gguf_invalid {path,
// detail}, gguf_missing {path}, gguf_many {path, files}.
package llm
