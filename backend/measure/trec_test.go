package measure_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
)

func TestReadersSayWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, line, detail string }{
		{"q 0 a 1\nq 0 a\n", "2", "fields 3/4"},
		{"\n\n# note\nq 0 a 1 2\n", "4", "fields 5/4"},
		{"q 0 a 1.5\n", "1", `grade "1.5"`},
		{"q 0 a -\n", "1", `grade "-"`},
		{"q 0 a 1001\n", "1", `grade "1001"`},
		{"q 0 a \xff\xfe\n", "1", `grade "?"`},
		{"q 0 a " + strings.Repeat("9", 100), "1", `grade "` + strings.Repeat("9", 40) + `"`},
		{strings.Repeat("x", 3<<20), "1", "line_too_long"},
	} {
		_, err := measure.ReadQrels(t.Context(), strings.NewReader(tc.text), "file")
		wantInvalid(t, err, tc.line, tc.detail)
	}
	for _, tc := range []struct{ text, line, detail string }{
		{"q Q0 a 1 2\n", "1", "fields 5/6"},
		{"q Q0 a 1 2 t more\nq Q0 a 1 two t\n", "2", `score "two"`},
		{"q Q0 a 1 NaN t\n", "1", `score "NaN"`},
		{"q Q0 a 1 . t\n", "1", `score "."`},
		{"q Q0 a 1 -. t\n", "1", `score "-."`},
		{"q Q0 a 1 1..2 t\n", "1", `score "1..2"`},
	} {
		_, err := measure.ReadRun(t.Context(), strings.NewReader(tc.text), "file")
		wantInvalid(t, err, tc.line, tc.detail)
	}
}

func wantInvalid(t *testing.T, err error, line, detail string) {
	t.Helper()
	f := fault.Of(err)
	if f == nil || f.Code != "trec_invalid" || f.Params["file"] != "file" || f.Params["line"] != line || f.Params["detail"] != detail {
		t.Errorf("%v, want line %s, %s", err, line, detail)
	}
}

func TestReadersTakeAnyBlanksAndLineEnds(t *testing.T) {
	t.Parallel()
	qrels := "\xef\xbb\xbfq\t0\t a  +1 \r\n  \r\n#c\n r 0 b 0\n  q 0 \x0bc 2"
	run := "q Q0 a 1 .5e1 t\r\nq\tQ0\tc\t2\t-Inf\tt\textra\n"
	report := score(t, qrels, run, measure.Options{
		Measures: []measure.Measure{{Kind: measure.Recall}, {Kind: measure.MRR, Rel: 2}}, Dialect: measure.DialectTREC,
	})
	if len(report.Queries) != 2 || report.Queries[0].Query != "q" || report.Queries[1].Query != "r" {
		t.Fatalf("queries %+v", report.Queries)
	}
	if v := report.Queries[0].Values; v[0] != measure.Of(1) || v[1] != measure.Of(.5) {
		t.Errorf("values %v", v)
	}
}

// TestReadersDoNotDependOnHowBytesArrive reads one byte at a time and finds the
// same.
func TestReadersDoNotDependOnHowBytesArrive(t *testing.T) {
	t.Parallel()
	qrels, run := largePair(3, 100, 10)
	opts := measure.Options{Measures: allMeasures(), Dialect: measure.DialectTREC}
	want := byQuery(score(t, "\xef\xbb\xbf"+qrels, run, opts))
	q, err := measure.ReadQrels(t.Context(), iotest.OneByteReader(strings.NewReader("\xef\xbb\xbf"+qrels)), "qrels")
	add(t, err)
	r, err := measure.ReadRun(t.Context(), iotest.DataErrReader(iotest.HalfReader(strings.NewReader(strings.TrimSuffix(run, "\n")))), "run")
	add(t, err)
	report, err := measure.Score(t.Context(), q, r, opts)
	add(t, err)
	for query, values := range byQuery(report) {
		for i, v := range values {
			if v != want[query][i] {
				t.Errorf("%s %v: %v, want %v", query, report.Measures[i], v, want[query][i])
			}
		}
	}
}

func TestReadersKeepTheCause(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := measure.ReadRun(t.Context(), io.MultiReader(strings.NewReader("q Q0 a 1 2 t\n"), iotest.ErrReader(broken)), "run")
	if !fault.Is(err, "trec_unreadable") || !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestAddRefusesWhatCannotBeOrdered(t *testing.T) {
	t.Parallel()
	var run measure.Run
	if run.Add("q", "d", math.NaN()) == nil {
		t.Error("NaN was added")
	}
	var qrels measure.Qrels
	if qrels.Add("q", "d", 1001) == nil || qrels.Add("q", "d", -1001) == nil {
		t.Error("a grade out of range was added")
	}
	if run.Queries() != 0 || qrels.Queries() != 0 {
		t.Error("a refused row left a query")
	}
}

func FuzzReadAndScore(f *testing.F) {
	f.Add([]byte("q 0 a 1\nq 0 b -1\n"), []byte("q Q0 a 1 2.5 t\nq Q0 b 2 2.5 t\n"), uint8(1))
	f.Add([]byte("\xef\xbb\xbfq 0 a 3"), []byte("q Q0 a 1 1e400 t\r\n\r\n# x\n"), uint8(2))
	f.Add([]byte("q 0 a 1\nq 0 a 2\n"), []byte("q Q0 a 1 1 t\nq Q0 a 2 2 t\n"), uint8(3))
	f.Add([]byte("q 0 a 1000\nq 0 b 1000\n"), []byte("q Q0 b 1 -inf t\nq Q0 a 1 0x1p-3 t\n"), uint8(4))
	f.Add([]byte("q 0 \x00 1"), []byte("q Q0 \x00 1 .000000000000000000001 t"), uint8(0))
	measures := allMeasures()
	f.Fuzz(func(t *testing.T, qrelsText, runText []byte, d uint8) {
		qrels, err := measure.ReadQrels(t.Context(), bytes.NewReader(qrelsText), "qrels")
		if err != nil {
			return
		}
		run, err := measure.ReadRun(t.Context(), bytes.NewReader(runText), "run")
		if err != nil {
			return
		}
		report, err := measure.Score(t.Context(), qrels, run,
			measure.Options{Measures: measures, Dialect: measure.Dialect(d % 5), AverageTies: d%2 == 0})
		if err != nil && !fault.Is(err, "trec_duplicate") {
			t.Fatal(err)
		}
		for _, q := range report.Queries {
			for i, v := range q.Values {
				if v.OK() && !(v.Score >= 0 && v.Score <= 1) {
					t.Errorf("%s %v = %v", q.Query, measures[i], v)
				}
			}
		}
	})
}
