package main

import (
	"fmt"
	"runtime"
	"strings"
)

// column is what was measured at one size.
type column struct {
	Chunks int
	Build  buildResult
	Use    useResult
}

// row is a line of the table.
type row struct {
	what string
	cell func(column) string
}

func seconds(get func(column) float64) func(column) string {
	return func(c column) string { return fmt.Sprintf("%.2f s", get(c)) }
}

func millis(get func(column) float64) func(column) string {
	return func(c column) string { return fmt.Sprintf("%.2f ms", get(c)) }
}

func megabytes(get func(column) float64) func(column) string {
	return func(c column) string { return fmt.Sprintf("%.0f MB", get(c)) }
}

// rows are the lines of the table; those about the peers and the embedder are
// there when they were asked for.
func rows(c config) []row {
	out := []row{
		{"**indexing**, all commits", seconds(func(c column) float64 { return c.Build.Seconds })},
		{"of it text index", seconds(func(c column) float64 { return c.Build.Index })},
		{"of it SQLite", seconds(func(c column) float64 { return c.Build.Store })},
		{"beside it: counting terms, making vectors", seconds(func(c column) float64 { return c.Build.Analyse })},
		{"processor time of all this", seconds(func(c column) float64 { return c.Build.Processor })},
		{"slowest commit", seconds(func(c column) float64 { return c.Build.Slowest })},
		{"first ten commits", seconds(func(c column) float64 { return c.Build.FirstTen })},
		{"last ten commits", seconds(func(c column) float64 { return c.Build.LastTen })},
		{"peak memory while indexing", megabytes(func(c column) float64 { return c.Build.PeakMB })},
		{"**disk**, database", megabytes(func(c column) float64 { return c.Build.DatabaseMB })},
		{"disk, text index (two revisions)", megabytes(func(c column) float64 { return c.Build.TextMB })},
		{"**opening**, all", millis(func(c column) float64 { return c.Use.Open })},
		{"processor time", seconds(func(c column) float64 { return c.Use.OpenProcessor })},
		{"of it text index", millis(func(c column) float64 { return c.Use.OpenText })},
		{"of it vectors into the collection", millis(func(c column) float64 { return c.Use.OpenVectors })},
		{"memory after opening", megabytes(func(c column) float64 { return c.Use.RSSOpen })},
		{"memory after all below", megabytes(func(c column) float64 { return c.Use.RSSUsed })},
		{"peak memory", megabytes(func(c column) float64 { return c.Use.Peak })},
		{"**exact vector search**, top 50, median", millis(func(c column) float64 { return c.Use.Vector })},
		{"95th percentile", millis(func(c column) float64 { return c.Use.VectorP95 })},
		{"**BM25**, top 50, median", millis(func(c column) float64 { return c.Use.BM25 })},
		{"95th percentile", millis(func(c column) float64 { return c.Use.BM25P95 })},
		{fmt.Sprintf("**adding %d documents** (%d chunks) in %d commits", added, added*chunksPerDocument, added/addedGroup), millis(func(c column) float64 { return c.Use.Add })},
		{"of it text index", millis(func(c column) float64 { return c.Use.AddIndex })},
		{"of it SQLite", millis(func(c column) float64 { return c.Use.AddStore })},
		{"processor time", seconds(func(c column) float64 { return c.Use.AddProcessor })},
		{"slowest commit", millis(func(c column) float64 { return c.Use.AddSlowest })},
		{"first search after", millis(func(c column) float64 { return c.Use.SearchAfter })},
		{"removing them", millis(func(c column) float64 { return c.Use.Remove })},
		{"processor time", seconds(func(c column) float64 { return c.Use.RemoveProcessor })},
	}
	if c.Embed {
		out = append(out, row{"embedding them", embedded(func(u useResult) string { return fmt.Sprintf("%.1f s", u.EmbedAdded/1000) })},
			row{"adding and embedding, over embedding", embedded(func(u useResult) string {
				return fmt.Sprintf("%.3f", 1+u.Add/u.EmbedAdded)
			})},
			row{"the same by processor time", embedded(func(u useResult) string {
				return fmt.Sprintf("%.3f", 1+u.AddProcessor/u.EmbedProcessor)
			})})
	}
	if c.Python != "" {
		out = append(out, row{"**in turns**: ragdesk", millis(func(c column) float64 { return c.Use.TurnVector })},
			row{fmt.Sprintf("faiss flat, %d threads", runtime.GOMAXPROCS(0)), millis(func(c column) float64 { return c.Use.TurnFaiss })},
			row{"numpy", millis(func(c column) float64 { return c.Use.TurnNumpy })},
			row{"ragdesk over faiss", func(c column) string { return fmt.Sprintf("%.2f", c.Use.TurnVector/c.Use.TurnFaiss) }},
			row{"lists of faiss's chunks, in its order", func(c column) string {
				return fmt.Sprintf("%d, %d of %d", c.Use.SameSet, c.Use.SameOrder, c.Use.TurnsAsked)
			}})
	}
	return out
}

// embedded is empty for sizes whose documents were not embedded.
func embedded(cell func(useResult) string) func(column) string {
	return func(c column) string {
		if c.Use.EmbedAdded == 0 {
			return ""
		}
		return cell(c.Use)
	}
}

func printColumns(columns []column, c config) {
	head, rule := "| chunks |", "|---|"
	for _, col := range columns {
		head += fmt.Sprintf(" %d |", col.Chunks)
		rule += "---|"
	}
	fmt.Println(head)
	fmt.Println(rule)
	for _, r := range rows(c) {
		var line strings.Builder
		line.WriteString("| " + r.what + " |")
		for _, col := range columns {
			line.WriteString(" " + r.cell(col) + " |")
		}
		fmt.Println(line.String())
	}
}
