package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// printer writes results for a person or as JSON.
type printer struct {
	in       io.Reader
	out, err io.Writer
	lang     string
	json     bool
	color    bool
	// width is the terminal's, in columns.
	width int
}

const plainWidth = 100

func isTerminal(v any) bool {
	if s, ok := v.(shown); ok {
		v = s.File
	}
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func terminalWidth(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 40 {
			return w
		}
	}
	return plainWidth
}

// writeJSON prints v as the one JSON document of stdout.
func (p *printer) writeJSON(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// ANSI styles, empty without a terminal.
func (p *printer) style(code, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *printer) bold(s string) string { return p.style("1", s) }
func (p *printer) dim(s string) string  { return p.style("2", s) }
func (p *printer) hot(s string) string  { return p.style("1;33", s) }
func (p *printer) good(s string) string { return p.style("32", s) }
func (p *printer) bad(s string) string  { return p.style("31", s) }

// pad fills s with blanks to width columns; a wide character takes two.
func pad(s string, width int) string {
	if n := width - uniseg.StringWidth(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// clip cuts s to width columns, an ellipsis at the cut.
func clip(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	used := 0
	g := uniseg.NewGraphemes(s)
	for g.Next() {
		if used+g.Width() > width-1 {
			break
		}
		used += g.Width()
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

// oneLine folds all white space to single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// usageTemplate is cobra's layout with headings in lang.
func usageTemplate(lang string) string {
	usage, commands, flags, global, more := "Usage", "Commands", "Flags", "Global flags", `Use "{{.CommandPath}} COMMAND --help" for more about a command.`
	if lang == "zh" {
		usage, commands, flags, global, more = "用法", "命令", "选项", "全局选项", `用 "{{.CommandPath}} 命令 --help" 查看某个命令的说明。`
	}
	return usage + `:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND

` + commands + `:{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

` + flags + `:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

` + global + `:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

` + more + `{{end}}
`
}
