package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/fault"
)

// shownProblems is how many bad lines are printed for a person.
const shownProblems = 20

func (e *env) words() *cobra.Command {
	var r api.EditWordsRequest
	var add, stop, remove []string
	var yes bool
	c := &cobra.Command{
		Use: "words --kb K", Short: e.t("short.kb.words"), Long: e.t("long.words"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			if len(add)+len(stop)+len(remove) == 0 && !r.Clear {
				out, err := s.Words(c.Context(), api.WordsRequest{KB: r.KB})
				return cmpErr(err, func() error { return e.printWords(out) })
			}
			if r.Clear {
				if _, err := s.Words(c.Context(), api.WordsRequest{KB: r.KB}); err != nil {
					return err
				}
				if err := e.confirm(yes, e.t("confirm.words", fault.P("kb", r.KB))); err != nil {
					return err
				}
			}
			r.Add, r.Stop, r.Remove = wordSource(add), wordSource(stop), wordSource(remove)
			j, err := s.StartEditWords(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil {
				return err
			}
			e.code = wordsCode(*j.Words)
			return e.printWords(*j.Words)
		},
	}
	f := c.Flags()
	f.StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	f.StringArrayVar(&add, "add", nil, e.t("flag.words-add"))
	f.StringArrayVar(&stop, "stop", nil, e.t("flag.words-stop"))
	f.StringArrayVar(&remove, "remove", nil, e.t("flag.words-remove"))
	f.BoolVar(&r.Clear, "clear", false, e.t("flag.words-clear"))
	f.StringVar(&r.Encoding, "encoding", "", e.t("flag.encoding"))
	f.BoolVar(&yes, "yes", false, e.t("flag.yes"))
	return c
}

// wordSource tells files from words.
func wordSource(args []string) api.WordSource {
	out := api.WordSource{Lines: []string{}, Files: []string{}}
	for _, a := range args {
		if app.IsPath(a) {
			out.Files = append(out.Files, a)
		} else {
			out.Lines = append(out.Lines, a)
		}
	}
	return out
}

// wordsCode is that of a list of things some of which may have failed.
func wordsCode(w api.Words) int {
	switch {
	case len(w.Problems) == 0:
		return exitOK
	case w.Added+w.Unchanged+w.Removed > 0:
		return exitPartial
	}
	return exitError
}

func (e *env) printWords(w api.Words) error {
	if e.json {
		return e.writeJSON(w)
	}
	for i, p := range w.Problems {
		if i == shownProblems {
			e.line("%s", e.bad(e.t("words.more", fault.P("n", len(w.Problems)-i))))
			break
		}
		at := ""
		if p.File != nil {
			at = fmt.Sprintf("%s:%d  ", *p.File, *p.Line)
		}
		e.line("%s%s", at, e.bad(p.Error.Message))
	}
	for _, n := range w.Warnings {
		e.line("%s", e.hot(e.warning(n)))
	}
	if w.Rebuilt != nil {
		e.line("%s", e.bold(e.t("words.changed", fault.P("kb", w.KB), fault.P("added", w.Added), fault.P("removed", w.Removed), fault.P("chunks", *w.Rebuilt))))
	}
	if len(w.Words)+len(w.Stop) == 0 {
		e.line("%s", e.t("words.none", fault.P("kb", w.KB)))
	}
	e.wordLine(e.t("words.own", fault.P("n", len(w.Words))), w.Words)
	e.wordLine(e.t("words.stop", fault.P("n", len(w.Stop))), w.Stop)
	return nil
}

func (e *env) wordLine(title string, words []api.Word) {
	if len(words) == 0 {
		return
	}
	var shown []string
	for _, w := range words {
		s := w.Word
		if w.Freq != nil {
			s += fmt.Sprintf(" (%d)", *w.Freq)
		}
		shown = append(shown, s)
	}
	e.line("%s  %s", e.dim(title), strings.Join(shown, e.t("words.between")))
}
