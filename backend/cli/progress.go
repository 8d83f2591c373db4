package cli

import (
	"cmp"
	"fmt"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// progressBar shows a job on one line of a terminal; elsewhere it is silent.
type progressBar struct {
	*env
	shown string
}

const barWidth = 24

func (b *progressBar) show(j api.Job) {
	if !isTerminal(b.err) {
		return
	}
	line := b.t("step." + cmp.Or(j.Stage, "start"))
	if j.Total > 0 {
		done := min(j.Done, j.Total)
		filled := barWidth * done / j.Total
		line = fmt.Sprintf("%s %s%s %3d%%", line, strings.Repeat("█", filled), strings.Repeat("░", barWidth-filled), 100*done/j.Total)
	}
	if j.SecondsLeft != nil {
		line += "  " + b.t("left", fault.P("seconds", fmt.Sprintf("%.0f", *j.SecondsLeft)))
	}
	if line == b.shown {
		return
	}
	fmt.Fprintf(b.err, "\r\x1b[K%s", clip(line, b.width-1))
	b.shown = line
}

func (b *progressBar) clear() {
	if b.shown != "" {
		fmt.Fprint(b.err, "\r\x1b[K")
		b.shown = ""
	}
}
