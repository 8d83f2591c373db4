package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) prompts() *cobra.Command {
	return e.group("prompts", "short.prompts-group", e.promptsList(), e.promptsShow(), e.promptsEdit(), e.promptsReset())
}

func (e *env) promptsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: e.t("short.prompts.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListPrompts(c.Context(), api.ListPromptsRequest{})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, p := range out.Prompts {
				e.printPrompt(p)
			}
			return nil
		},
	}
}

// printPrompt is a template's line.
func (e *env) printPrompt(p api.PromptTemplate) {
	state := e.t("prompts.builtin")
	if p.Edited {
		state = e.t("prompts.edited")
	}
	e.line("%s  %s  %s  %s", e.bold(pad(p.Name, 14)), p.Fingerprint, state, e.dim(e.t("prompts.kind."+p.Kind)))
	if p.Error != nil {
		e.line("    %s", e.bad(p.Error.Message))
	}
}

// promptNamed is the template of a name.
func (e *env) promptNamed(ctx context.Context, name string) (api.PromptTemplate, error) {
	s, err := e.open()
	if err != nil {
		return api.PromptTemplate{}, err
	}
	list, err := s.ListPrompts(ctx, api.ListPromptsRequest{})
	if err != nil {
		return api.PromptTemplate{}, err
	}
	var known []string
	for _, p := range list.Prompts {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return api.PromptTemplate{}, fault.New("prompt_unknown", fault.P("prompt", name), fault.P("known", strings.Join(known, ", ")))
}

func (e *env) promptsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: e.t("short.prompts.show"), Args: arguments(1, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := e.promptNamed(c.Context(), args[0])
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(p) })
			}
			if p.Error != nil {
				return bodyError(*p.Error)
			}
			e.line("%s", p.Text)
			return nil
		},
	}
}

func (e *env) promptsEdit() *cobra.Command {
	return &cobra.Command{
		Use: "edit NAME [FILE]", Short: e.t("short.prompts.edit"), Args: arguments(2, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := e.promptNamed(c.Context(), args[0])
			if err != nil {
				return err
			}
			wording, err := e.wording(c.Context(), p, args[1:])
			if err != nil {
				return err
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.EditPrompt(c.Context(), api.EditPromptRequest{Name: p.Name, Text: strings.TrimSuffix(wording, "\n")})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printPrompt(out)
			return nil
		},
	}
}

// wording reads a template's new wording: from a file, from the input when that is no
// terminal or the file is "-", else from an editor.
func (e *env) wording(ctx context.Context, p api.PromptTemplate, file []string) (string, error) {
	if len(file) > 0 {
		return e.readText(file[0])
	}
	if !isTerminal(e.in) {
		return e.readText("-")
	}
	return e.editor(ctx, p)
}

// readText reads a file, or the input when it is "-".
func (e *env) readText(file string) (string, error) {
	if file == "-" {
		raw, err := io.ReadAll(e.in)
		return string(raw), err
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.Wrap(err, "not_found", fault.P("path", file))
	}
	if err != nil {
		return "", fault.Wrap(err, "unreadable", fault.P("path", file))
	}
	return string(raw), nil
}

// editor lets the user change the wording in their own editor.
func (e *env) editor(ctx context.Context, p api.PromptTemplate) (string, error) {
	f, err := os.CreateTemp("", p.Name+"-*.txt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(f.Name()) }() // a leftover in the folder of temporary files
	_, err = f.WriteString(p.Text + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	command := strings.Fields(editorName() + " " + f.Name())
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := run.Run(); err != nil {
		return "", fault.Wrap(err, "editor_failed", fault.P("editor", command[0]), fault.P("prompt", p.Name))
	}
	raw, err := os.ReadFile(f.Name())
	return string(raw), err
}

func editorName() string {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if name := os.Getenv(variable); name != "" {
			return name
		}
	}
	return "vi"
}

func (e *env) promptsReset() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "reset NAME", Short: e.t("short.prompts.reset"), Args: arguments(1, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			known, err := s.ListPrompts(c.Context(), api.ListPromptsRequest{})
			if err != nil {
				return err
			}
			there := slices.ContainsFunc(known.Prompts, func(p api.PromptTemplate) bool { return p.Name == args[0] })
			if err := e.confirm(yes || !there, e.t("confirm.prompt", fault.P("prompt", args[0]))); err != nil {
				return err
			}
			out, err := s.ResetPrompt(c.Context(), api.PromptRequest{Name: args[0]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printPrompt(out)
			return nil
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, e.t("flag.yes"))
	return c
}
