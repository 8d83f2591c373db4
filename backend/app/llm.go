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
	config, err := s.engineConfig()
	if err != nil {
		return nil, err
	}
	s.llm = llm.NewChooser(hosts, engine.New(config))
	return s.llm, nil
}

// engineConfig is how the built-in engine is started: this program, in a folder of
// its own.
func (s *Service) engineConfig() (engine.Config, error) {
	program, err := os.Executable()
	if err != nil {
		return engine.Config{}, fault.Wrap(err, "program_unknown")
	}
	dir := s.cfg.Engine
	if dir == "" {
		data, err := dataDir()
		if err != nil {
			return engine.Config{}, err
		}
		dir = filepath.Join(data, "engine")
	}
	return engine.Config{Command: []string{program, engine.ServeCommand}, Dir: dir}, nil
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
	model, err := s.defaultModel(ctx)
	if err != nil {
		return api.EngineStatus{}, err
	}
	none := api.EngineStatus{Source: string(llm.SourceNone), State: string(llm.StateUnavailable), Models: []api.EngineModel{}, DefaultModel: model}
	if free := llm.FreeMemory(); free > 0 {
		none.FreeMemory = &free
	}
	for _, h := range status.Hosts {
		if h.Source == status.Chosen {
			out := engineStatus(lang, h)
			out.DefaultModel, out.FreeMemory = none.DefaultModel, none.FreeMemory
			return out, nil
		}
	}
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
	out := api.EngineStatus{Source: string(h.Source), State: string(h.State), Remote: h.Remote, Models: make([]api.EngineModel, len(h.Models))}
	if h.Host != "" {
		out.Host = &h.Host
	}
	if h.Version != "" {
		out.Version = &h.Version
	}
	for i, m := range h.Models {
		out.Models[i] = api.EngineModel{
			Name: m.Name, Bytes: m.Bytes, Quantization: m.Quantization, Chat: m.Chat && !m.Embeds,
			Memory: m.Needs, Demonstration: llm.CapabilityOf(m.Model) == llm.Demonstration,
		}
		if m.Context > 0 {
			out.Models[i].Context = &m.Context
		}
		if m.Memory > 0 {
			out.Models[i].Loaded = &m.Memory
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
