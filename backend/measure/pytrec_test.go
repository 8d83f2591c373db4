package measure_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ragdesk/backend/measure"
)

// reference is testdata/pytrec.tsv, made by build/fixtures/trec/pytrec.py.
type reference struct {
	digests map[string]string
	columns []string
	rows    map[string][]float64
}

func readReference(t *testing.T) reference {
	t.Helper()
	data, err := os.ReadFile("testdata/pytrec.tsv")
	if err != nil {
		t.Fatal(err)
	}
	ref := reference{digests: map[string]string{}, rows: map[string][]float64{}}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if words := strings.Fields(line); words[0] == "#" {
			ref.digests[words[1]] = words[2]
			continue
		}
		cells := strings.Split(line, "\t")
		if ref.columns == nil {
			ref.columns = cells[1:]
			continue
		}
		values := make([]float64, len(cells)-1)
		for i, cell := range cells[1:] {
			if values[i], err = strconv.ParseFloat(cell, 64); err != nil {
				t.Fatalf("%s: %v", cells[0], err)
			}
		}
		ref.rows[cells[0]] = values
	}
	return ref
}

// ourName turns "ndcg_cut_10 rel=2" into "ndcg_cut(rel=2)@10".
func ourName(column string) string {
	name, rel, leveled := strings.Cut(column, " ")
	if !leveled {
		return name
	}
	parts := regexp.MustCompile(`^(.*?)(?:_(\d+))?$`).FindStringSubmatch(name)
	if parts[2] == "" {
		return fmt.Sprintf("%s(%s)", parts[1], rel)
	}
	return fmt.Sprintf("%s(%s)@%s", parts[1], rel, parts[2])
}

// TestAgreesWithPytrecEval compares every value of every query with those of
// pytrec_eval over a thousand queries with ties, negative grades, queries without
// results and queries without judgments.
func TestAgreesWithPytrecEval(t *testing.T) {
	t.Parallel()
	ref := readReference(t)
	qrelsText, runText := tiedPair()
	for name, text := range map[string]string{"qrels": qrelsText, "run": runText} {
		if sum := sha256.Sum256([]byte(text)); hex.EncodeToString(sum[:]) != ref.digests[name] {
			t.Fatalf("%s are not those the reference was made from", name)
		}
	}
	measures := make([]measure.Measure, len(ref.columns))
	for i, column := range ref.columns {
		m, err := measure.Parse(ourName(column))
		if err != nil {
			t.Fatal(err)
		}
		measures[i] = m
	}
	report := score(t, qrelsText, runText, measure.Options{Measures: measures, Dialect: measure.DialectTREC})
	compared, zero := 0, 0
	for _, q := range report.Queries {
		want, inBoth := ref.rows[q.Query]
		for i, v := range q.Values {
			switch {
			case !v.OK():
				t.Errorf("%s %s is absent: %s", q.Query, ref.columns[i], v.Reason)
			case !inBoth:
				if zero++; v.Score != 0 {
					t.Errorf("%s %s = %v for a query without results", q.Query, ref.columns[i], v.Score)
				}
			default:
				if compared++; math.Abs(v.Score-want[i]) > 1e-6 {
					t.Errorf("%s %s = %.9f, want %.9f", q.Query, ref.columns[i], v.Score, want[i])
				}
			}
		}
	}
	if compared != len(ref.rows)*len(ref.columns) || compared < 900*20 || zero == 0 {
		t.Errorf("compared %d values and %d zeros, reference has %d queries of %d values",
			compared, zero, len(ref.rows), len(ref.columns))
	}
	if report.NotRun == 0 || report.NotJudged == 0 {
		t.Errorf("NotRun %d, NotJudged %d: the pair should have both", report.NotRun, report.NotJudged)
	}
}

func TestDoubleTellsApartWhatSinglePrecisionTies(t *testing.T) {
	t.Parallel()
	qrels, run := "q 0 a 1\n", "q Q0 a 1 1.00000001 t\nq Q0 b 2 1 t\n"
	for _, tc := range []struct {
		double bool
		want   float64
	}{{false, .5}, {true, 1}} {
		report := score(t, qrels, run, measure.Options{
			Measures: []measure.Measure{{Kind: measure.MRR}}, Dialect: measure.DialectTREC, Double: tc.double,
		})
		if got := report.Means[0].Value.Score; got != tc.want {
			t.Errorf("double %v: RR = %v, want %v", tc.double, got, tc.want)
		}
	}
}

// score reads the two texts and scores them.
func score(t testing.TB, qrelsText, runText string, opts measure.Options) measure.Report {
	t.Helper()
	qrels, err := measure.ReadQrels(t.Context(), bytes.NewReader([]byte(qrelsText)), "qrels")
	if err != nil {
		t.Fatal(err)
	}
	run, err := measure.ReadRun(t.Context(), bytes.NewReader([]byte(runText)), "run")
	if err != nil {
		t.Fatal(err)
	}
	report, err := measure.Score(t.Context(), qrels, run, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
