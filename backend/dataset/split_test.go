package dataset_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
)

// many makes n questions of several types, every third one a variant of the one
// before, with gold in n/4 documents.
func many(n int) dataset.Dataset {
	ds := dataset.Dataset{Name: "many"}
	types := dataset.Types()
	for i := range n {
		q := dataset.Question{
			ID: fmt.Sprint("q", i), Text: fmt.Sprint("Question ", i, "?"), Type: types[i/3%len(types)],
			Gold: []dataset.Gold{{Doc: fmt.Sprint("d", i/4), Grade: 1}},
		}
		if i%3 == 1 {
			q.VariantOf = fmt.Sprint("q", i-1)
		}
		ds.Questions = append(ds.Questions, q)
	}
	return ds
}

func TestSplitKeepsTogetherWhatBelongs(t *testing.T) {
	t.Parallel()
	ds := many(360)
	for _, documents := range []bool{false, true} {
		parts := []dataset.Part{{Name: "dev", Share: 1}, {Name: "test", Share: 3}}
		got, err := ds.Split(parts, dataset.SplitOptions{Seed: 7, Documents: documents})
		if err != nil {
			t.Fatal(err)
		}
		again, err := ds.Split(parts, dataset.SplitOptions{Seed: 7, Documents: documents})
		if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("the same seed differs, error %v:\n%s", err, diff)
		}
		part, docs := map[string]int{}, map[string]int{}
		for i, d := range got {
			for _, q := range d.Questions {
				part[q.ID] = i
				if before, ok := docs[q.Gold[0].Doc]; ok && before != i && documents {
					t.Errorf("%s is in both parts", q.Gold[0].Doc)
				}
				docs[q.Gold[0].Doc] = i
			}
			for _, typ := range dataset.Types() {
				if n, due := d.Describe().Types[typ], 60*parts[i].Share/4; !documents && math.Abs(float64(n)-due) > 2 {
					t.Errorf("%s has %d of %s, due %g", d.Name, n, typ, due)
				}
			}
		}
		if len(part) != 360 || got[0].Name != "many-dev" {
			t.Errorf("%d questions, part %s", len(part), got[0].Name)
		}
		for _, q := range ds.Questions {
			if q.VariantOf != "" && part[q.ID] != part[q.VariantOf] {
				t.Errorf("%s is apart from %s", q.ID, q.VariantOf)
			}
		}
		if n := len(got[0].Questions); n < 80 || n > 100 {
			t.Errorf("documents %t: %d questions of 90", documents, n)
		}
	}
	for _, bad := range [][]dataset.Part{{{"", 1}}, {{"a", 1}, {"a", 1}}, {{"a", 0}}, {{"a", math.NaN()}}, {{"a", math.Inf(1)}}} {
		if _, err := ds.Split(bad, dataset.SplitOptions{}); !fault.Is(err, "split_invalid") {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

func TestSampleIsStratifiedAndWhole(t *testing.T) {
	t.Parallel()
	ds := many(200)
	for _, n := range []int{1, 6, 50, 77, 199, 200} {
		got, err := ds.Sample(n, 3)
		if err != nil || len(got.Questions) != n {
			t.Fatalf("%d questions of %d, error %v", len(got.Questions), n, err)
		}
		again, err := ds.Sample(n, 3)
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("the same seed differs, error %v:\n%s", err, diff)
		}
		for typ, all := range ds.Describe().Types {
			due := float64(n) * float64(all) / 200
			if have := got.Describe().Types[typ]; math.Abs(float64(have)-due) >= 1 {
				t.Errorf("%d of %s in %d, due %g", have, typ, n, due)
			}
		}
		// It is a valid dataset: no variant of a question that was not drawn.
		parse(t, "", strings.ReplaceAll(string(got.Bytes()), `"unanswerable"`, `"other"`))
	}
	if all, err := ds.Sample(200, 1); err != nil || all.Hash() != ds.Hash() {
		t.Errorf("a sample of all differs, error %v", err)
	}
	for _, n := range []int{0, 201, -1} {
		if _, err := ds.Sample(n, 1); !fault.Is(err, "sample_invalid") {
			t.Errorf("%d: error %v", n, err)
		}
	}
}

// TestSampledVariantsStayClusters draws some variants without their original.
func TestSampledVariantsStayClusters(t *testing.T) {
	t.Parallel()
	ds := dataset.Dataset{}
	for i := range 12 {
		q := dataset.Question{ID: fmt.Sprint(i), Text: "?", Gold: []dataset.Gold{{Doc: "d", Grade: 1}}}
		switch {
		case i%3 == 1:
			q.VariantOf = fmt.Sprint(i + 1) // which comes after it
		case i != 3:
			q.VariantOf = "3"
		}
		ds.Questions = append(ds.Questions, q)
	}
	for seed := range uint64(20) {
		got, err := ds.Sample(5, seed)
		if err != nil {
			t.Fatal(err)
		}
		if c := slices.Compact(got.Clusters()); len(c) != 1 {
			t.Errorf("seed %d: clusters %v", seed, c)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	ds := parse(t, "", `{"question":"年假有几天？","type":"factual","answers":["七天","7 天"],"gold":[{"doc":"d","grade":2},{"doc":"e","grade":0}]}
{"query_id":"b","question":"How many days?","type":"factual","variant_of":"q1","lang":"en-GB","gold":["d"]}
{"question":"谁？","type":"unanswerable"}`)
	want := dataset.Summary{
		Questions: 3, Types: map[string]int{"factual": 2, "unanswerable": 1}, Langs: map[string]int{"zh": 2, "en-GB": 1},
		Variants: 1, WithGold: 2, Gold: map[int]int{2: 1, 0: 1, 1: 1},
		QuestionLength: dataset.Lengths{N: 3, Min: 2, Mean: 22.0 / 3, P50: 6, P90: 14, Max: 14},
		AnswerLength:   dataset.Lengths{N: 2, Min: 2, Mean: 2.5, P50: 2, P90: 3, Max: 3},
	}
	if diff := cmp.Diff(want, ds.Describe()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantNotices := []dataset.Problem{{Code: "few_questions", Detail: "3"}}
	for _, typ := range []string{"reasoning", "multi_hop", "comparison", "negation"} {
		wantNotices = append(wantNotices, dataset.Problem{Code: "type_rare", Detail: typ + " 0/3"})
	}
	if diff := cmp.Diff(wantNotices, ds.Notices()); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if n := many(199).Notices(); len(n) != 1 || n[0].Code != "rather_few_questions" {
		t.Errorf("199 questions: %v", n)
	}
	if n := many(216).Notices(); len(n) != 0 {
		t.Errorf("216 questions: %v", n)
	}
}

func TestLeakCheck(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 100, 0, "a.md", "开头一句。差旅报销单应当在三十天内提交。别的内容。", "b.md", "Intro. The Team plan costs 1,200 yuan per user. Other.")
	ds := parse(t, "", `{"query_id":"copied","question":"差旅报销单应当在多少天内提交？","gold":[{"doc":"a.md","quote":"三十天"},{"doc":"b.md"}]}
{"query_id":"other words","question":"出差回来后多久要把票据交上去？","gold":[{"doc":"a.md","quote":"三十天"}]}
{"query_id":"word for word","question":"What does THE TEAM PLAN costs per user?","gold":[{"doc":"b.md","quote":"1,200"}]}
{"query_id":"free","question":"How expensive is it for a group?","gold":[{"doc":"b.md","quote":"1,200"}]}
{"query_id":"elsewhere","question":"开头一句？","gold":[{"doc":"a.md","quote":"三十天"}]}
{"query_id":"none","question":"谁？","type":"unanswerable"}`)
	c := open(t, s)
	bindings, err := c.BindAll(t.Context(), ds.Questions, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.LeakCheck(t.Context(), ds, bindings)
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Leak{
		{Question: "copied", Line: 1, Overlap: 8.0 / 12, Run: 8, Doc: "a.md", Verbatim: true},
		{Question: "other words", Line: 2, Overlap: 0, Run: 1, Doc: "a.md"},
		{Question: "word for word", Line: 3, Overlap: 4.0 / 7, Run: 4, Doc: "b.md", Verbatim: true},
		{Question: "free", Line: 4, Overlap: 0, Run: 0, Doc: "b.md"},
		{Question: "elsewhere", Line: 5, Overlap: 0, Run: 0, Doc: "a.md"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTRECRoundTrip(t *testing.T) {
	t.Parallel()
	ds := parse(t, "", `{"query_id":"q 1","question":"a < b\n& c？","gold":[{"doc":"a b.md","quote":"x","grade":2},{"doc":"a b.md","grade":1},{"doc":"50%","grade":0}]}
{"query_id":"q2","question":"二","gold":["c.md"]}
{"query_id":"q3","question":"三","type":"unanswerable"}`)
	var topics, qrels bytes.Buffer
	if err := ds.WriteTopics(&topics); err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteQrels(&qrels, ds.Judgments()); err != nil {
		t.Fatal(err)
	}
	golden(t, "topics.golden.txt", topics.Bytes())
	golden(t, "qrels.golden.txt", qrels.Bytes())
	dir := folder(t, "topics.txt", topics.String(), "qrels.txt", qrels.String())
	back, problems := read(t, dir, dataset.Options{})
	var got []string
	for _, q := range back.Questions {
		got = append(got, q.ID, q.Text, fmt.Sprint(q.Gold))
	}
	want := []string{"q%201", "a < b & c？", "[{a%20b.md  <nil> 2} {50%25  <nil> 0}]", "q2", "二", "[{c.md  <nil> 1}]"}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("problems %v, -want +got:\n%s", problems, diff)
	}
}

// TestTRECIDsAreWords: no id becomes empty or several fields, and none two alike.
func TestTRECIDsAreWords(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 9))
	pieces := []string{"a", "%", "20", " ", "\t", "\u3000", "%20", "中", "\x85", "\x00"}
	seen := map[string]string{}
	for range 2000 {
		id := "x"
		for range rng.IntN(5) {
			id += pieces[rng.IntN(len(pieces))]
		}
		got := dataset.TRECID(id)
		if before, ok := seen[got]; ok && before != id || len(strings.Fields(got)) != 1 {
			t.Fatalf("%q becomes %q, as %q does", id, got, before)
		}
		seen[got] = id
	}
}
