package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"ragdesk/backend/fault"
)

// Qrels holds graded judgments by query and document. The zero value is empty
// and ready; it is not safe for concurrent changes.
type Qrels struct{ t table }

// Run holds scored documents by query. The zero value is empty and ready; it is
// not safe for concurrent changes.
type Run struct{ t table }

// Add records that doc has the grade for query. A grade beyond ±MaxGrade is an
// error. Adding a document twice is for Score to judge.
func (q *Qrels) Add(query, doc string, grade int) error {
	if grade < -MaxGrade || grade > MaxGrade {
		return fmt.Errorf("add judgment of %q: grade %d is beyond ±%d", doc, grade, MaxGrade)
	}
	return q.t.add([]byte(query), []byte(doc), row{value: float64(grade)})
}

// Add records that doc was retrieved for query with the score, higher being
// better. NaN is an error. Adding a document twice is for Score to judge.
func (r *Run) Add(query, doc string, score float64) error {
	if score != score {
		return fmt.Errorf("add result %q: the score is not a number", doc)
	}
	return r.t.add([]byte(query), []byte(doc), row{value: score})
}

// Queries returns the number of queries that have judgments.
func (q *Qrels) Queries() int { return len(q.t.groups) }

// Queries returns the number of queries that have results.
func (r *Run) Queries() int { return len(r.t.groups) }

// ReadQrels reads lines "query iteration document grade". The iteration is read
// by DialectAutoRAG alone; a grade is a whole number from −MaxGrade to MaxGrade. Blank lines and
// lines that begin with '#' are skipped, a byte-order mark too; fields are
// separated by ASCII white space. The faults are "trec_invalid" with the line
// and what is wrong there, and "trec_unreadable"; name is the file they name.
func ReadQrels(ctx context.Context, r io.Reader, name string) (*Qrels, error) {
	q := &Qrels{}
	return q, q.t.read(ctx, r, name, layout{fields: 4, exact: true, parts: true, value: 3, parse: parseGrade, what: "grade"})
}

// ReadRun reads lines "query Q0 document rank score tag", as ReadQrels does.
// Rank, Q0 and tag are not read, and fields after the tag are ignored; a score is
// any decimal number or an infinity.
func ReadRun(ctx context.Context, r io.Reader, name string) (*Run, error) {
	run := &Run{}
	return run, run.t.read(ctx, r, name, layout{fields: 6, value: 4, parse: parseScore, what: "score"})
}

// table keeps rows by query. Document ids lie one after another in one block of
// bytes a query, so that a million rows are a few allocations and hold no
// pointers.
type table struct {
	groups []group
	index  map[string]int
	// last is the group of the row before, since rows of a query come together.
	last int
	rows int
	file string
	// parts numbers the iterations of judgments from 1; part is the last one read.
	parts map[string]uint32
	part  string
}

type group struct {
	query string
	ids   []byte
	rows  []row
}

// row is a document of a group and its score or grade.
type row struct {
	value    float64
	off, len uint32
	line     uint32
	// part is the number of a judgment's iteration, 0 when it was not read.
	part uint32
}

func (g *group) id(r row) []byte { return g.ids[r.off : r.off+r.len] }

var errTooLarge = errors.New("a query's ids exceed 4 GiB")

// add appends r, which has no document yet.
func (t *table) add(query, doc []byte, r row) error {
	if len(t.groups) == 0 || t.groups[t.last].query != string(query) {
		t.enter(query)
	}
	g := &t.groups[t.last]
	if len(g.ids)+len(doc) > math.MaxUint32 {
		return errTooLarge
	}
	r.off, r.len = uint32(len(g.ids)), uint32(len(doc))
	g.rows = append(g.rows, r)
	g.ids = append(g.ids, doc...)
	t.rows++
	return nil
}

// enter makes query's group the last one, creating it when it is new with room
// for as many rows as the groups so far have on average.
func (t *table) enter(query []byte) {
	if i, ok := t.index[string(query)]; ok {
		t.last = i
		return
	}
	g := group{query: string(query)}
	if len(t.groups) > 0 {
		const idLength = 16 // a guess; longer ones make the block grow
		average := t.rows / len(t.groups)
		g.rows = make([]row, 0, average)
		g.ids = make([]byte, 0, average*idLength)
	}
	if t.index == nil {
		t.index = map[string]int{}
	}
	t.last = len(t.groups)
	t.index[g.query] = t.last
	t.groups = append(t.groups, g)
}

// numbered returns the number of an iteration. Rows of one mostly come together.
func (t *table) numbered(part []byte) uint32 {
	if t.part != string(part) || t.parts == nil {
		t.part = string(part)
		if t.parts == nil {
			t.parts = map[string]uint32{}
		}
		if t.parts[t.part] == 0 {
			t.parts[t.part] = uint32(len(t.parts) + 1)
		}
	}
	return t.parts[t.part]
}

// find returns the query's group, nil if there is none.
func (t *table) find(query string) *group {
	if i, ok := t.index[query]; ok {
		return &t.groups[i]
	}
	return nil
}

// layout says which fields a line has. The query is always the first and the
// document the third.
type layout struct {
	fields int
	// exact refuses further fields.
	exact bool
	// parts numbers the second field.
	parts bool
	value int
	parse func([]byte) (float64, bool)
	what  string
}

func (t *table) read(ctx context.Context, r io.Reader, name string, l layout) error {
	t.file = name
	var fields [6][]byte
	n, err := scanLines(ctx, r, func(n int, text []byte) error {
		got := splitFields(text, fields[:])
		if got == 0 || fields[0][0] == '#' {
			return nil
		}
		if got < l.fields || l.exact && got > l.fields {
			return invalid(name, n, fmt.Sprintf("fields %d/%d", got, l.fields))
		}
		value, ok := l.parse(fields[l.value])
		if !ok {
			return invalid(name, n, fmt.Sprintf("%s %q", l.what, bytes.ToValidUTF8(clip(fields[l.value]), []byte("?"))))
		}
		r := row{value: value, line: uint32(min(n, math.MaxUint32))}
		if l.parts {
			r.part = t.numbered(fields[1])
		}
		return t.add(fields[0], fields[2], r)
	})
	var f *fault.Error
	switch {
	case err == nil, errors.As(err, &f), ctx.Err() != nil:
		return err
	case errors.Is(err, errLineTooLong):
		return invalid(name, n, "line_too_long")
	case errors.Is(err, errTooLarge):
		return invalid(name, n, "query_too_large")
	}
	return fault.Wrap(fmt.Errorf("read %s: %w", name, err), "trec_unreadable", fault.P("file", name))
}

// clip shortens a field for a message.
func clip(b []byte) []byte { return b[:min(len(b), 40)] }

func invalid(file string, line int, detail string) error {
	return fault.New("trec_invalid", fault.P("file", file), fault.P("line", line), fault.P("detail", detail))
}

// readFile opens path for read; a file without a row is invalid.
func (t *table) readFile(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.Wrap(err, "trec_unreadable", fault.P("file", path))
	}
	err = read(f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fault.Wrap(closeErr, "trec_unreadable", fault.P("file", path))
	}
	if err == nil && len(t.groups) == 0 {
		return invalid(path, 0, "empty")
	}
	return err
}
