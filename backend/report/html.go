package report

import (
	"crypto/sha256"
	_ "embed" // the page's template and style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Options of a page.
type Options struct {
	// Language is the one that is switched on at first, English or Chinese; empty
	// means English.
	Language string
	// Reason says in a language why a verdict was given, by its code; nil shows codes.
	Reason func(lang, code, detail string) string
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// pageTemplate is parsed on first use.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"t": phrase, "dash": func(i int) int { return i % dashes }}).Parse(pageHTML))
})

// phrase is word for the template: keys and values of parameters take turns.
func phrase(key string, params ...any) template.HTML {
	values := map[string]text{}
	for i := 0; i+1 < len(params); i += 2 {
		value, ok := params[i+1].(text)
		if !ok {
			value = plain(fmt.Sprint(params[i+1]))
		}
		values[fmt.Sprint(params[i])] = value
	}
	return word(key).fill(values).HTML()
}

// HTML writes an experiment as a page of its own: no script, no request, both
// languages. An experiment without runs is an error.
func HTML(w io.Writer, exp runs.Experiment, o Options) error {
	if len(exp.Runs) == 0 {
		return fault.New("runs_missing")
	}
	// The template adds nothing to a style that is safe already.
	style := strings.ReplaceAll(pageCSS, "\r\n", "\n")
	sum := sha256.Sum256([]byte(style))
	v := newView(exp)
	v.Language = o.Language
	v.judge(exp, o.Reason)
	if v.Language != Chinese {
		v.Language = English
	}
	v.Style = template.CSS(style) // #nosec G203 -- our own file
	v.StyleHash = base64.StdEncoding.EncodeToString(sum[:])
	if err := pageTemplate().Execute(w, v); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
