package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"ragdesk/backend/runs"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Stamp    string      `xml:"timestamp,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Skipped *junitProblem `xml:"skipped"`
}

type junitProblem struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test suite for each run and a test case for each question: failed
// questions are failures, also for a bad answer, those that could not be searched errors, and
// others without gold, or with stale gold, skipped. Times are 0, so that equal runs give
// equal files.
func JUnit(w io.Writer, exp runs.Experiment, lang string) error {
	out := junitSuites{Name: word("title").in(lang)}
	for _, r := range exp.Runs {
		s := junitSuite{Name: r.Name, Time: "0", Stamp: r.Stored.Created.UTC().Format("2006-01-02T15:04:05")}
		for _, q := range r.Stored.Records {
			c := junitTest(r, q, lang)
			s.Tests++
			switch {
			case c.Failure != nil:
				s.Failures++
			case c.Error != nil:
				s.Errors++
			case c.Skipped != nil:
				s.Skipped++
			}
			s.Cases = append(s.Cases, c)
		}
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Errors += s.Errors
		out.Skipped += s.Skipped
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitTest(r runs.Result, q runs.Record, lang string) junitCase {
	class := r.Name
	if q.Type != "" {
		class += "." + q.Type
	}
	c := junitCase{Class: class, Name: q.QueryID + ": " + q.Query, Time: "0"}
	switch {
	case q.Error != nil:
		c.Error = &junitProblem{Type: q.Error.Code, Message: q.Error.Code}
	case q.Cause != nil:
		c.Failure = &junitProblem{
			Type: string(*q.Cause), Message: wordOr("cause.", string(*q.Cause)).in(lang), Text: junitLists(q, lang),
		}
	case !q.Measured():
		c.Skipped = &junitProblem{}
	}
	return c
}

// junitLists tells what was expected and what came.
func junitLists(q runs.Record, lang string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s:\n", word("worst.expected").in(lang))
	for _, e := range q.Expected {
		fmt.Fprintf(&b, "  %s  %s\n", e.Doc, e.Quote)
	}
	fmt.Fprintf(&b, "%s:\n", word("worst.open").in(lang))
	for _, h := range q.Retrieved[:min(len(q.Retrieved), runs.FailedDepth)] {
		fmt.Fprintf(&b, "  %d  %s  %s\n", h.Rank, h.ChunkID, h.Source)
	}
	return b.String()
}
