package report

import (
	"encoding/json"
	"fmt"
	"io"

	"ragdesk/backend/runs"
)

// JSON writes an experiment as a document.
func JSON(w io.Writer, exp runs.Experiment) error { return writeJSON(w, exp) }

// Flat writes the report of a config file: every metric of the first run at the top
// level, keyed as typed, as a number or null, beside total_queries and
// failed_queries, and all that JSON writes.
func Flat(w io.Writer, exp runs.Experiment) error {
	b, err := json.Marshal(exp)
	if err != nil {
		return fmt.Errorf("encode the experiment: %w", err)
	}
	out := map[string]any{}
	var structure map[string]json.RawMessage
	if err := json.Unmarshal(b, &structure); err != nil {
		return fmt.Errorf("take the experiment apart: %w", err)
	}
	if len(exp.Runs) > 0 {
		first := exp.Runs[0]
		for name, m := range first.Metrics {
			out[name] = m.Value
		}
		out["total_queries"], out["failed_queries"] = first.TotalQueries, first.FailedQueries
		out["failures"] = first.Failures
	}
	for key, value := range structure {
		out[key] = value
	}
	return writeJSON(w, out)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
