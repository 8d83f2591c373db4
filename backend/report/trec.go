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
// rank. Blanks and other characters that would break a field are percent-encoded.
// Questions that are not measured are left out.
func TRECRun(w io.Writer, r runs.Stored) error {
	out := bufio.NewWriter(w)
	for _, q := range r.Records {
		if !q.Measured() || q.Error != nil {
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
			fmt.Fprintf(out, "%s Q0 %s %d %d %s\n", trecField(q.QueryID), trecField(id), i+1, len(ids)-i, trecField(r.Name))
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
			fmt.Fprintf(out, "%s 0 %s %d\n", trecField(q.QueryID), trecField(item.ID), item.Grade)
		}
		if len(q.Relevant) == 0 && q.HasGold {
			fmt.Fprintf(out, "%s 0 %s 1\n", trecField(q.QueryID), unreachableID)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the TREC judgments: %w", err)
	}
	return nil
}

// trecField makes a text one field of a line: white space and controls are
// percent-encoded byte by byte. So are a percent sign that could be read as such a
// code, and a '#' at the beginning, where it would begin a comment. An empty text
// is "%".
func trecField(s string) string {
	if s == "" {
		return "%"
	}
	var b strings.Builder
	for i, c := range s {
		if unicode.IsSpace(c) || unicode.IsControl(c) || c == '#' && i == 0 || c == '%' && isCode(s[i+1:]) {
			for _, x := range []byte(string(c)) {
				fmt.Fprintf(&b, "%%%02X", x)
			}
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// isCode reports whether two hexadecimal digits come next.
func isCode(s string) bool {
	const digits = "0123456789abcdefABCDEF"
	return len(s) >= 2 && strings.IndexByte(digits, s[0]) >= 0 && strings.IndexByte(digits, s[1]) >= 0
}
