package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

// kindChat is the kind of a language model in api.Model.
const kindChat = "chat"

// defaultModel is what answers a question that names no model: a capable language
// model where one is installed, else the extractive answerer. A host that the user
// set and that fails is told of.
func (s *Service) defaultModel(ctx context.Context) (string, error) {
	chooser, err := s.chooser()
	if err != nil {
		return "", err
	}
	own, err := s.engineModels()
	if err != nil {
		return "", err
	}
	name, err := chooser.Capable(ctx, own)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		s.cfg.Notify("llm_passed_over", fault.P("detail", fault.Of(err).Code))
	}
	return cmp.Or(name, answer.ExtractiveModel), nil
}

// engineModels are the models in the built-in engine's folder, which is not started.
func (s *Service) engineModels() ([]llm.Model, error) {
	config, err := s.engineConfig()
	if err != nil {
		return nil, err
	}
	return llm.Installed(config.Models())
}

// chatModels lists the language models of all hosts, then those of the catalogue
// that none of them has. An engine that has no model is not started.
func (s *Service) chatModels(ctx context.Context) ([]api.Model, error) {
	chooser, err := s.chooser()
	if err != nil {
		return nil, err
	}
	own, err := s.engineModels()
	if err != nil {
		return nil, err
	}
	free := llm.FreeMemory()
	var out []api.Model
	var failure error
	for _, h := range chooser.Status(ctx, len(own) > 0).Hosts {
		if h.Fault != nil && h.Source == llm.SourceConfigured || h.Fault != nil && h.Source == llm.SourceBuiltin && len(own) > 0 {
			failure = h.Fault
		}
		for _, m := range h.Models {
			if !m.Embeds {
				out = append(out, chatModel(h.Source, m, free))
			}
		}
	}
	for _, o := range llm.Offers() {
		if !hasModel(out, o.Name) && !hasModel(out, cmp.Or(o.Pull, o.Name)) {
			out = append(out, offeredChat(o, free))
		}
	}
	return out, failure
}

// hasModel reports whether a language model of that name is in a list.
func hasModel(list []api.Model, name string) bool {
	for _, m := range list {
		if m.Kind == kindChat && strings.EqualFold(llm.FullName(m.Name), llm.FullName(name)) {
			return true
		}
	}
	return false
}

// chatModel describes a language model on a host.
func chatModel(source llm.Source, m llm.InstalledModel, free int64) api.Model {
	host, fit := string(source), string(llm.Advise(m.Needs, free))
	out := api.Model{
		Name: m.Name, Kind: kindChat, Installed: true, Languages: []string{}, Bytes: m.Bytes, Licence: m.Licence,
		Precisions: []string{}, Host: &host, Memory: &m.Needs, Fit: &fit,
		Demonstration: llm.CapabilityOf(m.Model) == llm.Demonstration,
	}
	if m.Quantization != "" {
		out.Precisions = append(out.Precisions, m.Quantization)
	}
	if m.Context > 0 {
		out.Limit = &m.Context
	}
	if o, ok := llm.FindOffer(m.Name); ok {
		out.Languages, out.Licence = list(o.Languages), o.Licence
	}
	return out
}

// offeredChat describes a language model that can be installed.
func offeredChat(o llm.Offer, free int64) api.Model {
	needs := llm.Needs(o.Bytes, o.CacheBytes, llm.DefaultWindow)
	command, fit := "ragdesk models pull "+o.Name, string(llm.Advise(needs, free))
	return api.Model{
		Name: o.Name, Kind: kindChat, Languages: list(o.Languages), Bytes: o.Bytes, Licence: o.Licence, Precisions: []string{o.Quantization},
		Limit: &o.Context, Command: &command, Memory: &needs, Fit: &fit, Demonstration: !o.Capable(),
	}
}

// aboutChat says what a language model is good for.
func aboutChat(lang string, m api.Model) string {
	if o, ok := llm.FindOffer(m.Name); ok {
		return i18n.Text(lang, "model.purpose."+string(o.Purpose))
	}
	if m.Demonstration {
		return i18n.Text(lang, "model.purpose."+string(llm.PurposeSmall))
	}
	return i18n.Text(lang, "model.kind."+kindChat)
}

// namesChat reports whether a word names a language model to download: one of the
// catalogue, one with a tag, or one with its registry.
func namesChat(name string) bool {
	_, offered := llm.FindOffer(name)
	host, _, found := strings.Cut(name, "/")
	return offered || strings.Contains(name, ":") || found && strings.ContainsAny(host, ".:")
}

// holdsChat reports whether a path is that of a language model: a GGUF file, or a
// folder of such.
func holdsChat(path string) bool {
	if strings.EqualFold(filepath.Ext(path), ".gguf") {
		return true
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".gguf") {
			return true
		}
	}
	return false
}

// startChat runs a job that installs a language model on the first host; put
// returns the model's name there.
func (s *Service) startChat(kind string, put func(context.Context, *llm.Client, rag.Progress) (string, error)) (api.Job, error) {
	chooser, err := s.chooser()
	if err != nil {
		return api.Job{}, err
	}
	return s.startPut(kind, func(ctx context.Context, progress rag.Progress) (api.Model, error) {
		client, source, err := chooser.Client(ctx)
		if err != nil {
			return api.Model{}, err
		}
		name, err := put(ctx, client, progress)
		if err != nil {
			return api.Model{}, err
		}
		m, err := client.Installed(ctx, name)
		return chatModel(source, m, llm.FreeMemory()), err
	}), nil
}

// pullChat downloads a language model.
func (s *Service) pullChat(r api.PullModelRequest) (api.Job, error) {
	for option, value := range map[string]string{"--mirror": r.Mirror, "--precision": r.Precision} {
		if value != "" {
			return api.Job{}, fault.New("model_option_unfit", fault.P("option", option), fault.P("model", r.Name))
		}
	}
	return s.startChat("pull", func(ctx context.Context, c *llm.Client, progress rag.Progress) (string, error) {
		return c.Pull(ctx, r.Name, progress)
	})
}

// importChat installs a GGUF file.
func (s *Service) importChat(r api.ImportModelRequest) (api.Job, error) {
	file, err := llm.FindGGUF(r.Path)
	if err != nil {
		return api.Job{}, err
	}
	if r.Name != "" {
		if err := freeName(r.Name); err != nil {
			return api.Job{}, err
		}
	}
	return s.startChat("install", func(ctx context.Context, c *llm.Client, progress rag.Progress) (string, error) {
		return c.Import(ctx, file, r.Name, progress)
	})
}

// errNoChat says that no host has a language model.
var errNoChat = errors.New("no host has this language model")

// removeChat deletes a language model from the first host that has it. errNoChat
// means that none has.
func (s *Service) removeChat(ctx context.Context, name string) (api.RemovedModel, error) {
	chooser, err := s.chooser()
	if err != nil {
		return api.RemovedModel{}, err
	}
	g, _, err := chooser.Generator(ctx, name)
	if fault.Is(err, "llm_none") || fault.Is(err, "engine_cpu") || fault.Is(err, "llm_model_missing") {
		return api.RemovedModel{}, errNoChat
	}
	if err != nil {
		return api.RemovedModel{}, err
	}
	m, err := g.Remove(ctx)
	return api.RemovedModel{Removed: m.Name, Bytes: m.Bytes, KBs: []string{}}, err
}

// verifyChat hashes the built-in engine's models: one, or all with an empty name.
func (s *Service) verifyChat(ctx context.Context, name string, progress rag.Progress) ([]modelCheck, error) {
	config, err := s.engineConfig()
	if err != nil {
		return nil, err
	}
	checked, err := llm.Verify(ctx, config.Models(), name, progress)
	if err != nil {
		return nil, err
	}
	out := make([]modelCheck, len(checked))
	for i, c := range checked {
		out[i] = modelCheck{name: c.Name, files: c.Files, bytes: c.Bytes}
		if len(c.Damaged) > 0 {
			out[i].err = fault.New("model_damaged", fault.P("model", c.Name), fault.P("files", strings.Join(c.Damaged, ", ")))
		}
	}
	return out, nil
}
