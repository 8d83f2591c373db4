// Package data reads files of records: delimited tables, JSON, JSON Lines and
// notebooks. Tables become Markdown tables with their header repeated, nested
// records become headings and lines of "name: value".
//
//	doc, err := data.ParseCSV(ctx, rag.Input{Source: "年假.csv", Bytes: b}, env)
//
// Nothing a file holds is left out because it is written badly: rows of another
// length, lines that are no JSON and quotes that never close stay as text, with
// a warning.
//
// Faults: those of charset.ReadLoose, limit_cells, limit_depth, limit_text, and
// corrupt {format, reason} for JSON that is none; the reason names line and
// column.
package data
