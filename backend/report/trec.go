package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"ragdesk/backend/runs"
)

// unreachableID is the document of judgments for gold that the library does not
// hold. No run lists it, so that such a question scores 0 in other programs too.
const unreachableID = "%unreachable"

// TRECRun writes the lists of a run, "query Q0 id rank score tag". The score is the
// number of places below, so that it falls strictly and every program keeps our
// order, whatever precision it reads and whatever it does with ties. An id, the
// chunk's or that of what is judged in its place, stands once a query, at its best
// rank. Blanks, controls and percent signs in ids are percent-encoded. Every question
// that was searched is there; those without judgments are ignored by other programs.
func TRECRun(w io.Writer, r runs.Stored) error {
	out := bufio.NewWriter(w)
	for _, q := range r.Records {
		if q.Error != nil {
			continue
		}
		var ids []string
		seen := map[string]bool{}
		for _, item := range q.Ranking(r.Depth).Items {
			if !seen[item.ID] {
				seen[item.ID] = true
				ids = append(ids, item.ID)
			}
		}
		for i, id := range ids {
			fmt.Fprintf(out, "%s Q0 %s %d %d %s\n", trecQuery(q.QueryID), trecID(id), i+1, len(ids)-i, trecID(r.Name))
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the TREC run: %w", err)
	}
	return nil
}

// TRECQrels writes the judgments behind a run, "query 0 id grade": all that the
// library holds for each measured question. A question whose gold it does not hold
// has one judgment of a document that no run lists, and scores 0.
func TRECQrels(w io.Writer, r runs.Stored) error {
	out := bufio.NewWriter(w)
	for _, q := range r.Records {
		if !q.Measured() || q.Error != nil {
			continue
		}
		for _, item := range q.Relevant {
			fmt.Fprintf(out, "%s 0 %s %d\n", trecQuery(q.QueryID), trecID(item.ID), item.Grade)
		}
		if len(q.Relevant) == 0 && q.HasGold {
			fmt.Fprintf(out, "%s 0 %s 1\n", trecQuery(q.QueryID), unreachableID)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the TREC judgments: %w", err)
	}
	return nil
}

// trecID makes a text one field of a line: white space, controls and percent signs
// are percent-encoded byte by byte. An empty text is "%".
func trecID(s string) string {
	if s == "" {
		return "%"
	}
	var b strings.Builder
	for _, c := range s {
		if c != '%' && !unicode.IsSpace(c) && !unicode.IsControl(c) {
			b.WriteRune(c)
			continue
		}
		for _, x := range []byte(string(c)) {
			fmt.Fprintf(&b, "%%%02X", x)
		}
	}
	return b.String()
}

// trecQuery is trecID for the first field of a line, where '#' begins a comment.
func trecQuery(id string) string {
	if rest, marked := strings.CutPrefix(id, "#"); marked {
		if rest == "" {
			return "%23"
		}
		return "%23" + trecID(rest)
	}
	return trecID(id)
}
