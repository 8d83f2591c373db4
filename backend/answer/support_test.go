package answer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/answer"
)

// support finds what a reply stands on in the four passages of the citation tests.
func support(t *testing.T, e answer.Evidence, reply string) (answer.Answer, []answer.Sentence, []answer.Use) {
	t.Helper()
	in, _ := hits(leaveZH, sickZH, leaveEN, sickEN)
	a, err := answer.Check(t.Context(), e, reply, in)
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := answer.Support(t.Context(), e, a.Text, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sentences {
		if at := []rune(a.Text)[s.Points.Start:s.Points.End]; !strings.Contains(string(at), strings.TrimRight(s.Text, "。.")) {
			t.Errorf("%q is not at %v of %q", s.Text, s.Points, a.Text)
		}
	}
	return a, sentences, answer.Uses(a, sentences, in)
}

func TestSentencesStandOnPassages(t *testing.T) {
	t.Parallel()
	_, sentences, uses := support(t, answer.Evidence{}, "员工每年享有十天年假[1]。病假工资照发八成。年假有十五天[1]。港口中午关闭[2]。")
	type stand struct {
		best      int
		supported bool
		numbers   bool
	}
	var got []stand
	for _, s := range sentences {
		got = append(got, stand{s.Best, s.Supported, s.Numbers})
	}
	want := []stand{{0, true, true}, {1, true, true}, {0, false, false}, {0, false, true}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(stand{})); diff != "" {
		t.Errorf("stands (-want +got):\n%s", diff)
	}
	wantUses := []answer.Use{{Hit: 0, Cited: true, Sentences: []int{0}}, {Hit: 1, Sentences: []int{1}}}
	if diff := cmp.Diff(wantUses, uses); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

func TestEvidenceSupportsOtherWords(t *testing.T) {
	t.Parallel()
	e := answer.Evidence{Scorer: scored{"八成": 0.7, "十天": 0.2}, High: 0.6}
	_, sentences, _ := support(t, e, "生病请假打折拿钱。")
	if s := sentences[0]; s.Best != 1 || !s.Supported || s.Score != 0.7 {
		t.Errorf("%+v", s)
	}
	in, _ := hits(sickZH)
	if _, err := answer.Support(t.Context(), answer.Evidence{Scorer: failing{}}, "病假。", in); err == nil {
		t.Error("a failing scorer is no error")
	}
	if none, err := answer.Support(t.Context(), e, "生病请假打折拿钱。", nil); err != nil || none[0].Best != -1 || none[0].Supported {
		t.Errorf("without passages: %+v, %v", none, err)
	}
}

func TestCoverageAndAccuracyOfCitations(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string][2]float64{
		"员工每年享有十天年假[1]。病假工资照发八成[2]。":  {1, 1},
		"员工每年享有十天年假[1]。病假工资照发八成。":     {0.5, 1},
		"员工每年享有十五天年假[1]。病假工资照发八成[2]。": {1, 0.5},
		"员工每年享有十天年假[9]。":              {1, 0},
		"员工每年享有十天年假。":                 {0, -1},
		"规定如下：\n员工每年享有十天年假[1-2]。":     {1, 0.5},
		answer.Refusal("zh"):    {-1, -1},
		"Not in the documents.": {-1, -1},
		"员工每年享有十天年假［１］。病假凭医院证明【2、2】。": {1, 1},
	} {
		a, _, _ := support(t, answer.Evidence{}, reply)
		got := [2]float64{-1, -1}
		if share, ok := a.CitationCoverage(); ok {
			got[0] = share
		}
		if share, ok := a.CitationAccuracy(); ok {
			got[1] = share
		}
		if got != want {
			t.Errorf("%q: coverage and accuracy %v, want %v (%+v)", reply, got, want, a.Citations)
		}
	}
}

func TestAnswersSideBySide(t *testing.T) {
	t.Parallel()
	rows := func(here, there string) string {
		_, a, _ := support(t, answer.Evidence{}, here)
		_, b, _ := support(t, answer.Evidence{}, there)
		var out []string
		for _, r := range answer.Align(a, b) {
			x, y := "-", "-"
			if r.Here >= 0 {
				x = a[r.Here].Text
			}
			if r.There >= 0 {
				y = b[r.There].Text
			}
			if (r.State == answer.RowSame || r.State == answer.RowChanged) != (r.Here >= 0 && r.There >= 0) || r.Similarity < 0 || r.Similarity > 1 {
				t.Errorf("%+v", r)
			}
			out = append(out, r.State+" "+x+" | "+y)
		}
		return strings.Join(out, "\n")
	}
	for _, c := range [][3]string{
		{"年假每年十天。[1]", "年假每年十天[2]。", "same 年假每年十天。 | 年假每年十天。"},
		{"员工每年享有十五天年假。", "员工每年享有十天年假。", "changed 员工每年享有十五天年假。 | 员工每年享有十天年假。"},
		{"病假凭医院证明。", "员工每年享有十天年假。", "only_here 病假凭医院证明。 | -\nonly_there - | 员工每年享有十天年假。"},
		{"员工每年享有十天年假。病假凭医院证明。工资照发八成。", "员工每年享有十天年假。工资照发八成。",
			"same 员工每年享有十天年假。 | 员工每年享有十天年假。\nonly_here 病假凭医院证明。 | -\nsame 工资照发八成。 | 工资照发八成。"},
		{"年假每年享有十天。年假每年享有八天。", "年假每年享有八天。年假每年享有十天。", "same 年假每年享有十天。 | 年假每年享有十天。\nsame 年假每年享有八天。 | 年假每年享有八天。"},
		{"员工每年享有十五天年假。工资照发八成。", "工资照发八成。食堂八点开门。员工每年享有十天年假。",
			"only_there - | 食堂八点开门。\nchanged 员工每年享有十五天年假。 | 员工每年享有十天年假。\nsame 工资照发八成。 | 工资照发八成。"},
		{"", "工资照发八成。", "only_there - | 工资照发八成。"},
		{"Sick leave needs a certificate. Paid leave is ten days.", "Sick leave needs a certificate.", "same Sick leave needs a certificate. | Sick leave needs a certificate.\nonly_here Paid leave is ten days. | -"},
	} {
		if got := rows(c[0], c[1]); got != c[2] {
			t.Errorf("%q against %q:\n%s\nwant\n%s", c[0], c[1], got, c[2])
		}
	}
}

// FuzzAlign holds that every sentence of both answers is in exactly one row, those here
// in order, and that an answer is the same as itself.
func FuzzAlign(f *testing.F) {
	f.Add("年假十天。病假八成。", "病假八成。年假十天。")
	f.Add("a b c. d e f.", "a b. d e f. g")
	f.Fuzz(func(t *testing.T, x, y string) {
		if !utf8.ValidString(x) || !utf8.ValidString(y) || len(x)+len(y) > 4000 {
			return
		}
		a, errA := answer.Support(t.Context(), answer.Evidence{}, x, nil)
		b, errB := answer.Support(t.Context(), answer.Evidence{}, y, nil)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		i := 0
		there := map[int]bool{}
		for _, r := range answer.Align(a, b) {
			if r.Here >= 0 {
				if r.Here != i {
					t.Fatalf("row %+v, want here %d", r, i)
				}
				i++
			}
			if r.There >= 0 {
				if r.There >= len(b) || there[r.There] {
					t.Fatalf("row %+v, there twice or beyond the end", r)
				}
				there[r.There] = true
			}
		}
		if i != len(a) || len(there) != len(b) {
			t.Fatalf("%d of %d and %d of %d sentences", i, len(a), len(there), len(b))
		}
		for _, r := range answer.Align(a, a) {
			if r.State != answer.RowSame {
				t.Fatalf("against itself: %+v", r)
			}
		}
	})
}
