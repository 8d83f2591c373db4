package app

import (
	"context"
	"os"
	"path/filepath"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/llm"
	"ragdesk/backend/llm/engine"
)

// Variables that say where language models are.
const (
	// hostEnv is a host that is used and no other.
	hostEnv = "RAGDESK_LLM_HOST"
	// hostKeyEnv is that host's bearer token.
	hostKeyEnv = "RAGDESK_LLM_KEY"
	// remoteEnv, set to 1, is the consent that questions and passages go to a host
	// that is not this machine.
	remoteEnv = "RAGDESK_LLM_REMOTE"
	// ollamaEnv is Ollama's own variable.
	ollamaEnv = "OLLAMA_HOST"
)

// hostsFromEnvironment says where models may be looked for.
func hostsFromEnvironment() llm.Hosts {
	return llm.Hosts{
		Configured: os.Getenv(hostEnv), Key: os.Getenv(hostKeyEnv), AllowRemote: os.Getenv(remoteEnv) == "1",
		Ollama: os.Getenv(ollamaEnv),
	}
}

// chooser is the one that finds hosts for this service. Nothing is asked or started
// before it is used.
func (s *Service) chooser() (*llm.Chooser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.llm != nil {
		return s.llm, nil
	}
	hosts := hostsFromEnvironment()
	if s.cfg.LLM != nil {
		hosts = *s.cfg.LLM
	}
	var builtin llm.Engine
	if engine.Available() {
		program, err := os.Executable()
		if err != nil {
			return nil, fault.Wrap(err, "program_unknown")
		}
		dir, err := dataDir()
		if err != nil {
			return nil, err
		}
		builtin = engine.New(engine.Config{Command: []string{program, engine.ServeCommand}, Dir: filepath.Join(dir, "engine")})
	}
	s.llm = llm.NewChooser(hosts, builtin)
	return s.llm, nil
}

// EngineStatus describes the host that is used first. That there is none is an
// answer, not a fault.
func (s *Service) EngineStatus(ctx context.Context, r api.EngineStatusRequest) (api.EngineStatus, error) {
	chooser, err := s.chooser()
	if err != nil {
		return api.EngineStatus{}, err
	}
	status := chooser.Status(ctx, r.Wake)
	if err := ctx.Err(); err != nil {
		return api.EngineStatus{}, err
	}
	lang := i18n.Language(ctx)
	for _, h := range status.Hosts {
		if h.Source == status.Chosen {
			return engineStatus(lang, h), nil
		}
	}
	none := api.EngineStatus{Source: string(llm.SourceNone), State: string(llm.StateUnavailable), Models: []api.EngineModel{}}
	failure := fault.New("llm_none")
	for _, h := range status.Hosts {
		if h.Fault != nil && h.Fault.Code != "engine_absent" {
			failure = h.Fault
		}
	}
	body := i18n.ErrorBody(lang, failure)
	none.Error = &body
	return none, nil
}

// engineStatus converts a host.
func engineStatus(lang string, h llm.HostStatus) api.EngineStatus {
	out := api.EngineStatus{Source: string(h.Source), State: string(h.State), Models: make([]api.EngineModel, len(h.Models))}
	if h.Host != "" {
		out.Host = &h.Host
	}
	if h.Version != "" {
		out.Version = &h.Version
	}
	for i, m := range h.Models {
		out.Models[i] = api.EngineModel{Name: m.Name, Bytes: m.Bytes, Quantization: m.Quantization, Chat: m.Chat && !m.Embeds}
		if m.Context > 0 {
			context := m.Context
			out.Models[i].Context = &context
		}
	}
	if h.Fault != nil {
		body := i18n.ErrorBody(lang, h.Fault)
		out.Error = &body
	}
	return out
}

// closeLLM ends an engine that was started.
func (s *Service) closeLLM() error {
	if s.llm == nil {
		return nil
	}
	return s.llm.Close()
}
