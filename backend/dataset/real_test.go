package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"ragdesk/backend/dataset"
	"ragdesk/backend/rag"
)

// TestRealSets reads the public data sets, binds all their gold to documents that
// lie in files named by id, and judges every question.
func TestRealSets(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	fmt.Fprintln(&out, "set questions gold bound by_quote repeated relevant split no_gold verbatim/with_gold")
	for _, set := range []string{
		"cmrc2018", "drcd", "drcd/queries_simplified", "xquad_zh_en", "dureader_demo", "scifact", "clapnq", "pubmedqa",
		"hotpotqa_sample", "musique_sample", "tatqa",
	} {
		name, file, _ := strings.Cut(set, "/")
		if file == "" {
			file = "queries"
		}
		ds, problems, s := evalSet(t, name, file+".jsonl")
		if len(problems) > 0 {
			t.Errorf("%s: %d problems, first %+v", set, len(problems), problems[0])
		}
		c := open(t, s)
		bindings, problems, notices, err := c.Check(t.Context(), ds, nil)
		if err != nil || len(problems) > 0 {
			t.Fatalf("%s: problems %v, error %v", set, problems, err)
		}
		counts := map[string]int{}
		for _, n := range notices {
			counts[n.Code]++
		}
		for i, b := range bindings {
			for k, l := range b.Labels {
				counts["gold"]++
				counts[string(l.State)]++
				if q := ds.Questions[i].Gold[k].Quote; !l.Whole && strings.Join(strings.Fields(q), "") != strings.Join(strings.Fields(l.Quote), "") {
					t.Errorf("%s: %q is bound to %q", set, q, l.Quote)
				}
			}
			j := c.Judge(b, dataset.Relevance{})
			counts["relevant"] += len(j.Relevant())
			counts["cause "+string(j.Cause)]++
		}
		leaks, err := c.LeakCheck(t.Context(), ds, bindings)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leaks {
			if l.Verbatim {
				counts["verbatim"]++
			}
		}
		fmt.Fprintln(&out, set, len(ds.Questions), counts["gold"], counts["bound"], counts["offsets_disagree"], counts["quote_repeated"],
			counts["relevant"], counts["cause split_by_chunking"], counts["cause no_gold"], fmt.Sprintf("%d/%d", counts["verbatim"], len(leaks)))
	}
	golden(t, "real_sets.golden.txt", []byte(out.String()))
}

// TestRealFolderIsRead reads a set by its folder, whose list of documents is then
// known.
func TestRealFolderIsRead(t *testing.T) {
	t.Parallel()
	ds, problems, _ := evalSet(t, "cmrc2018", "")
	if len(ds.Questions) != 2514 || len(problems) > 0 || ds.Name != "cmrc2018" {
		t.Errorf("%s: %d questions, problems %v", ds.Name, len(ds.Questions), problems)
	}
}

// TestMovedGoldInRealDocuments puts a sentence before every document and expects
// every label to move along.
func TestMovedGoldInRealDocuments(t *testing.T) {
	t.Parallel()
	const added = "新加的开头。"
	ds, _, s := evalSet(t, "cmrc2018", "queries.jsonl")
	before, err := open(t, s).BindAll(t.Context(), ds.Questions, nil)
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range s.texts {
		s.texts[id] = added + text
	}
	after, err := open(t, s).BindAll(t.Context(), ds.Questions, before)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range after {
		for k, l := range b.Labels {
			had := before[i].Labels[k]
			want := rag.Span{Start: had.Span.Start + len(added), End: had.Span.End + len(added)}
			if l.State != dataset.StateMoved || l.Span != want || l.Quote != had.Quote {
				// The words may stand nearer to the old place by now.
				if l.Quote != had.Quote || l.Count == 1 {
					t.Fatalf("%s: %+v, want %v", b.Question, l, want)
				}
			}
		}
	}
}
