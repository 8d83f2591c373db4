package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// writeLines prints one compact JSON object a line.
func (p *printer) writeLines(chunks []api.Chunk) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	for _, c := range chunks {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) printHeader(query string, terms []string) {
	e.line("%s %s", e.dim(e.t("query")), e.bold(query))
	if len(terms) > 0 {
		e.line("%s %s", e.dim(e.t("terms")), strings.Join(terms, " · "))
	}
}

func (e *env) printSearch(r api.SearchResponse) {
	e.printHeader(r.Query, r.QueryTerms)
	e.line("%s %s  %s", e.dim(e.t("strategy")), r.Strategy, e.dim(e.timings(r.TimingsMS)))
	e.printAuto(r.KB, r.Auto)
	e.printRewrite(r.Rewrite)
	e.line("")
	if len(r.Hits) == 0 {
		e.line("%s", e.t("no-hits"))
	}
	e.printWarnings(r.Warnings)
	for _, h := range r.Hits {
		e.line("%s %s  %s", e.bold(fmt.Sprintf("%2d", h.Rank)), e.title(h), e.score(h))
		e.line("   %s", e.dim(traceLine(h.Trace)))
		e.line("   %s\n", e.snippet(h, 2*e.width))
	}
	e.printDropped(r.Dropped)
}

// title is a hit's source with its headings.
func (e *env) title(h api.Hit) string {
	t := h.Source
	if len(h.Headings) > 0 {
		t += e.dim(" › " + strings.Join(h.Headings, " › "))
	}
	return t
}

func (e *env) score(h api.Hit) string {
	return fmt.Sprintf("%s %s", e.good(fmt.Sprintf("%.4f", h.Score)), e.dim(e.t("stage."+h.ScoreStage)))
}

// traceLine shows what each stage said: "vector 3 (0.61) · bm25 1 (12.30)".
func traceLine(trace []api.StageScore) string {
	parts := make([]string, len(trace))
	for i, s := range trace {
		parts[i] = s.Stage + " –"
		if s.Rank != nil {
			parts[i] = fmt.Sprintf("%s %d (%.4f)", s.Stage, *s.Rank, *s.Score)
		}
	}
	return strings.Join(parts, " · ")
}

func (e *env) timings(ms map[string]*float64) string {
	var parts []string
	for _, stage := range []string{"rewrite", "open", "embed", "load", "vector", "bm25", "fusion", "rerank", "read", "total"} {
		if v := ms[stage]; v != nil {
			parts = append(parts, fmt.Sprintf("%s %.1f ms", stage, *v))
		}
	}
	return strings.Join(parts, ", ")
}

// snippet is a hit's text on one line around its first match, the matched terms
// marked, at most width columns.
func (e *env) snippet(h api.Hit, width int) string {
	runes := []rune(h.Text)
	start := 0
	if len(h.Matches) > 0 && uniseg.StringWidth(h.Text) > width {
		start = max(0, h.Matches[0].Start-width/6)
	}
	var b strings.Builder
	used := 0
	if start > 0 {
		b.WriteString("…")
		used++
	}
	next := 0
	for i := start; i < len(runes); i++ {
		c := string(runes[i])
		if strings.ContainsAny(c, "\r\n\t") {
			c = " "
		}
		w := uniseg.StringWidth(c)
		if used+w >= width {
			b.WriteString("…")
			break
		}
		for next < len(h.Matches) && h.Matches[next].End <= i {
			next++
		}
		used += w
		if next < len(h.Matches) && h.Matches[next].Start <= i {
			c = e.hot(c)
		}
		b.WriteString(c)
	}
	return strings.TrimSpace(b.String())
}

func (e *env) printDropped(in []api.Dropped) {
	if len(in) == 0 {
		return
	}
	e.line("%s", e.bold(e.t("dropped")))
	for _, d := range in {
		e.line("  %s  %s %s  %s", d.Source, e.t("stage."+d.Stage), e.limit(d), e.dim(clip(oneLine(d.Text), e.width/2)))
	}
}

// limit says what a dropped candidate failed: "0.1000 < 0.2" or "rank 3 > 2".
func (e *env) limit(d api.Dropped) string {
	value := "–"
	if d.Threshold != nil && (d.Score == nil || *d.Score < *d.Threshold || d.MaxRank == nil) {
		if d.Score != nil {
			value = fmt.Sprintf("%.4f", *d.Score)
		}
		return fmt.Sprintf("%s < %g", value, *d.Threshold)
	}
	if d.MaxRank == nil {
		return value
	}
	if d.Rank != nil {
		value = strconv.Itoa(*d.Rank)
	}
	return e.t("rank-limit", fault.P("rank", value), fault.P("max", *d.MaxRank))
}

// letters name the chunks of a comparison in its tables.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letter(i/26-1) + string(rune('A'+i%26))
}

func (e *env) printCompare(r api.CompareResponse) {
	e.printHeader(r.Query, r.QueryTerms)
	e.line("")
	names := make(map[string]string, len(r.Movement))
	for i, m := range r.Movement {
		names[m.ChunkID] = letter(i)
	}
	for _, col := range r.Strategies {
		e.printRewrite(col.Rewrite)
	}
	e.printColumns(r, names)
	e.printMovement(r, names)
	if r.Model == nil && len(r.Strategies) > 0 {
		e.printWarnings(r.Strategies[0].Warnings) // of the filter, which all share
	}
	e.printAnswers(r, names)
	for _, col := range r.Strategies {
		e.printDropped(col.Dropped)
	}
	if r.Model != nil {
		e.printAnsweredBy(*r.Model, r.Demonstration)
		e.line("")
	}
	if n := len(r.Strategies); n > 0 {
		last := r.Strategies[n-1]
		e.line("%s", e.bold(e.t("prompt-of", fault.P("strategy", last.Strategy))))
		e.line("%s", last.Prompt)
		if n > 1 {
			e.line("%s", e.dim(e.t("prompts-json")))
		}
	}
}

// printColumns shows the strategies side by side: a row a rank, a cell a chunk
// with its movement against the first column and its score.
func (e *env) printColumns(r api.CompareResponse, names map[string]string) {
	depth, cell := 0, 0
	for _, col := range r.Strategies {
		depth = max(depth, len(col.Hits))
		cell = max(cell, uniseg.StringWidth(col.Strategy))
	}
	cell = max(cell, 18)
	head := pad("", 4)
	for _, col := range r.Strategies {
		head += pad(col.Strategy, cell+2)
	}
	e.line("%s", e.bold(strings.TrimRight(head, " ")))
	for rank := range depth {
		row := fmt.Sprintf("%2d  ", rank+1)
		for i, col := range r.Strategies {
			text := ""
			if rank < len(col.Hits) {
				h := col.Hits[rank]
				text = fmt.Sprintf("%s %s %.4f", names[h.ChunkID], e.arrow(r, i, h), h.Score)
			}
			row += pad(text, cell+2)
		}
		e.line("%s", strings.TrimRight(row, " "))
	}
	took := pad("", 4)
	for _, col := range r.Strategies {
		took += pad(fmt.Sprintf("%.1f ms", *col.TimingsMS["total"]), cell+2)
	}
	e.line("%s\n", e.dim(strings.TrimRight(took, " ")))
}

// arrow says how a hit moved against the first column.
func (e *env) arrow(r api.CompareResponse, column int, h api.Hit) string {
	if column == 0 {
		return pad("", 3)
	}
	for _, m := range r.Movement {
		if m.ChunkID != h.ChunkID {
			continue
		}
		before := m.Ranks[r.Strategies[0].Strategy]
		switch {
		case before == nil:
			return pad(e.t("new"), 3)
		case *before > h.Rank:
			return pad(fmt.Sprintf("▲%d", *before-h.Rank), 3)
		case *before < h.Rank:
			return pad(fmt.Sprintf("▼%d", h.Rank-*before), 3)
		}
	}
	return pad("=", 3)
}

// printMovement lists every chunk of the comparison with its rank in each column.
func (e *env) printMovement(r api.CompareResponse, names map[string]string) {
	byID := map[string]api.Hit{}
	for _, col := range r.Strategies {
		for _, h := range col.Hits {
			byID[h.ChunkID] = h
		}
	}
	for _, m := range r.Movement {
		ranks := make([]string, len(r.Strategies))
		for i, col := range r.Strategies {
			ranks[i] = col.Strategy + " –"
			if rank := m.Ranks[col.Strategy]; rank != nil {
				ranks[i] = fmt.Sprintf("%s %d", col.Strategy, *rank)
			}
		}
		h := byID[m.ChunkID]
		e.line("%s  %s  %s", e.bold(names[m.ChunkID]), e.title(h), e.dim(strings.Join(ranks, " · ")))
		e.line("   %s\n", e.snippet(h, 2*e.width))
	}
}
