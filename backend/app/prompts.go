package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/wholefile"
)

// promptFile is where a template that differs from the built-in one lies.
func (s *Service) promptFile(name string) string {
	return filepath.Join(s.cfg.Workspace, "prompts", name+".txt")
}

// editedWording reads the bytes of a template that was edited; ok is false when it was
// not.
func (s *Service) editedWording(name string) (wording string, ok bool, err error) {
	raw, err := os.ReadFile(s.promptFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fault.Wrap(err, "unreadable", fault.P("path", s.promptFile(name)))
	}
	return string(raw), true, nil
}

// editedPrompt reads a template that was edited; ok is false when it was not. A file
// that was broken by hand is the fault of answer.ParseTemplate.
func (s *Service) editedPrompt(name string) (t answer.Template, ok bool, err error) {
	wording, ok, err := s.editedWording(name)
	if err != nil || !ok {
		return answer.Template{}, false, err
	}
	t, err = answer.ParseTemplate(name, wording)
	return t, err == nil, err
}

// promptOf is the template in use of a kind in a language; another one that is broken
// does not matter.
func (s *Service) promptOf(kind answer.Kind, lang string) (answer.Template, error) {
	own := answer.Builtin(kind, lang)
	t, edited, err := s.editedPrompt(own.Name())
	if err != nil || edited {
		return t, err
	}
	return own, nil
}

// promptsFingerprint names the templates in use. It builds no prompt: a file that was
// broken by hand counts with its bytes.
func (s *Service) promptsFingerprint() (string, error) {
	out := answer.Prompts{}
	for _, name := range answer.Names() {
		wording, edited, err := s.editedWording(name)
		if err != nil {
			return "", err
		}
		if !edited {
			continue
		}
		kind, lang, err := answer.ParseName(name)
		if err != nil {
			return "", err
		}
		out[name] = answer.Template{Kind: kind, Lang: lang, Text: wording}
	}
	return out.Fingerprint(), nil
}

// ListPrompts lists the templates of prompts; one that is broken is listed with its
// error.
func (s *Service) ListPrompts(ctx context.Context, _ api.ListPromptsRequest) (api.PromptList, error) {
	out := api.PromptList{}
	for _, name := range answer.Names() {
		p, err := s.prompt(ctx, name)
		if err != nil {
			return api.PromptList{}, err
		}
		out.Prompts = append(out.Prompts, p)
	}
	return out, nil
}

// prompt describes one template.
func (s *Service) prompt(ctx context.Context, name string) (api.PromptTemplate, error) {
	kind, lang, err := answer.ParseName(name)
	if err != nil {
		return api.PromptTemplate{}, err
	}
	own := answer.Builtin(kind, lang)
	out := api.PromptTemplate{
		Name: name, Kind: string(kind), Language: lang, Text: own.Text, Builtin: own.Text,
		Placeholders: answer.Placeholders(kind), Fingerprint: own.Fingerprint(),
	}
	t, edited, err := s.editedPrompt(name)
	switch {
	case fault.Is(err, "unreadable"):
		return api.PromptTemplate{}, err
	case err != nil:
		body := i18n.ErrorBody(i18n.Language(ctx), err)
		out.Error, out.Edited = &body, true
	case edited:
		out.Text, out.Fingerprint, out.Edited = t.Text, t.Fingerprint(), true
	}
	return out, nil
}

// EditPrompt puts a wording of the user's in place of a template; a broken one is
// refused. The built-in wording is the same as ResetPrompt.
func (s *Service) EditPrompt(ctx context.Context, r api.EditPromptRequest) (api.PromptTemplate, error) {
	t, err := answer.ParseTemplate(r.Name, r.Text)
	if err != nil {
		return api.PromptTemplate{}, err
	}
	if t == answer.Builtin(t.Kind, t.Lang) {
		return s.ResetPrompt(ctx, api.PromptRequest{Name: r.Name})
	}
	path := s.promptFile(r.Name)
	if err := wholefile.Write(path, []byte(r.Text), 0o600); err != nil {
		return api.PromptTemplate{}, fault.Wrap(err, "unwritable", fault.P("path", path))
	}
	return s.prompt(ctx, r.Name)
}

// ResetPrompt returns to the built-in wording.
func (s *Service) ResetPrompt(ctx context.Context, r api.PromptRequest) (api.PromptTemplate, error) {
	if _, _, err := answer.ParseName(r.Name); err != nil {
		return api.PromptTemplate{}, err
	}
	if err := os.Remove(s.promptFile(r.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return api.PromptTemplate{}, fault.Wrap(err, "unwritable", fault.P("path", s.promptFile(r.Name)))
	}
	return s.prompt(ctx, r.Name)
}
