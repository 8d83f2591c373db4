package answer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/answer"
	"ragdesk/backend/rag"
)

// checked is a citation as tests write it: what is said, the number, the state.
type checked struct {
	claim  string
	marker int
	state  string
}

// check checks a reply against passages and tells where things stand.
func check(t *testing.T, e answer.Evidence, reply string, texts ...string) []checked {
	t.Helper()
	in, doc := hits(texts...)
	a, err := answer.Check(t.Context(), e, reply, in)
	if err != nil {
		t.Fatal(err)
	}
	var out []checked
	for _, c := range a.Citations {
		said, ok := rag.BytesOf(a.Text, c.Claim)
		if !ok {
			t.Fatalf("claim %v of %q", c.Claim, a.Text)
		}
		out = append(out, checked{a.Text[said.Start:said.End], c.Marker, c.State})
		if (c.Quote != "") != (c.State == answer.CitationVerified || c.State == answer.CitationWeak) {
			t.Errorf("%s citation with the quote %q", c.State, c.Quote)
		}
		if quoted, ok := rag.BytesOf(doc, c.Points); c.Quote != "" && (!ok || doc[quoted.Start:quoted.End] != c.Quote) {
			t.Errorf("%q is not at %v", c.Quote, c.Points)
		}
		if (c.ChunkID == "") != (c.Marker < 1 || c.Marker > len(in)) {
			t.Errorf("[%d] cites %q of %d passages", c.Marker, c.ChunkID, len(in))
		}
	}
	return out
}

const (
	leaveZH = "入职满一年的员工每年享有十天年假。年假须提前三天申请。"
	sickZH  = "病假凭医院证明，工资照发八成。"
	leaveEN = "Employees are entitled to ten days of paid leave a year. Requests go to the manager."
	sickEN  = "Sick leave needs a certificate from a hospital."
)

func TestCitationsAreChecked(t *testing.T) {
	t.Parallel()
	const verified, weak, wrong, missing = answer.CitationVerified, answer.CitationWeak, answer.CitationWrong, answer.CitationMissing
	for name, c := range map[string]struct {
		reply string
		want  []checked
	}{
		"zh, behind the stop":     {"员工每年享有十天年假。[1]", []checked{{"员工每年享有十天年假。", 1, verified}}},
		"zh, before the stop":     {"员工每年享有十天年假[1]。", []checked{{"员工每年享有十天年假[1]。", 1, verified}}},
		"zh, other brackets":      {"员工每年享有十天年假【１】。病假工资照发八成［编号2］。", []checked{{"员工每年享有十天年假【１】。", 1, verified}, {"病假工资照发八成［编号2］。", 2, verified}}},
		"zh, in digits":           {"年假是每年10天 [1]。", []checked{{"年假是每年10天 [1]。", 1, verified}}},
		"zh, another number":      {"员工每年享有15天年假。[1]", []checked{{"员工每年享有15天年假。", 1, weak}}},
		"zh, half of it":          {"年假可以折算成现金在春节前发给本人。[1]", []checked{{"年假可以折算成现金在春节前发给本人。", 1, weak}}},
		"zh, another passage":     {"病假凭医院证明。[3]", []checked{{"病假凭医院证明。", 3, wrong}}},
		"zh, no such passage":     {"员工每年享有十天年假。[9]", []checked{{"员工每年享有十天年假。", 9, wrong}}},
		"zh, none":                {"员工每年享有十天年假。病假工资照发八成。[2]", []checked{{"员工每年享有十天年假。", 0, missing}, {"病假工资照发八成。", 2, verified}}},
		"zh, a range":             {"员工每年享有十天年假[1-2]。", []checked{{"员工每年享有十天年假[1-2]。", 1, verified}, {"员工每年享有十天年假[1-2]。", 2, wrong}}},
		"zh, a list":              {"病假凭医院证明【2、4，2】。", []checked{{"病假凭医院证明【2、4，2】。", 2, verified}, {"病假凭医院证明【2、4，2】。", 4, wrong}}},
		"a short answer":          {"十天。", []checked{{"十天。", 0, missing}}},
		"introductions, headings": {"# 年假\n\n规定如下：\n1. 员工每年享有十天年假。[1]\n2. 年假须提前三天申请 [1]", []checked{{"1. 员工每年享有十天年假。", 1, verified}, {"2. 年假须提前三天申请", 1, verified}}},
		"first on the line":       {"[1] 员工每年享有十天年假。\n[2] 病假工资照发八成。", []checked{{"员工每年享有十天年假。", 1, verified}, {"病假工资照发八成。", 2, verified}}},
		"alone on a line":         {"员工每年享有十天年假。\n[1]\n", []checked{{"员工每年享有十天年假。", 1, verified}}},
		"en":                      {"Employees get ten days of paid leave a year [3]. Sick leave needs a certificate.[4]", []checked{{"Employees get ten days of paid leave a year [3].", 3, verified}, {"Sick leave needs a certificate.", 4, verified}}},
		"en, of two":              {"Paid leave is ten days a year [3, 9].", []checked{{"Paid leave is ten days a year [3, 9].", 3, verified}, {"Paid leave is ten days a year [3, 9].", 9, wrong}}},
		"en, another number":      {"Employees are entitled to 12 days of paid leave a year. [3]", []checked{{"Employees are entitled to 12 days of paid leave a year.", 3, weak}}},
		"en, nothing shared":      {"The harbour closes at noon. [4]", []checked{{"The harbour closes at noon.", 4, wrong}}},
		"en, none":                {"The harbour closes at noon.", []checked{{"The harbour closes at noon.", 0, missing}}},
		"a year is no citation":   {"Sick leave [2024] needs a certificate. [4]", []checked{{"Sick leave [2024] needs a certificate.", 4, weak}}},
		"nothing":                 {"", nil},
		"marks alone":             {"[1][2]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := check(t, answer.Evidence{}, c.reply, leaveZH, sickZH, leaveEN, sickEN)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(checked{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reply, diff)
			}
		})
	}
}

func TestEvidenceVerifiesOtherWords(t *testing.T) {
	t.Parallel()
	e := answer.Evidence{Scorer: scored{"八成": 0.7}, High: 0.6}
	reply := "生病请假打折拿钱。[1]"
	if got := check(t, e, reply, sickZH); got[0].state != answer.CitationVerified {
		t.Errorf("scored high: %+v", got)
	}
	e.High = 0.8
	if got := check(t, e, reply, sickZH); got[0].state == answer.CitationVerified {
		t.Errorf("scored low: %+v", got)
	}
	if got := check(t, answer.Evidence{Scorer: scored{"八成": 1}}, "工资照发95%。[1]", sickZH); got[0].state != answer.CitationWeak {
		t.Errorf("a number that is not there: %+v", got)
	}
	in, _ := hits(sickZH)
	if _, err := answer.Check(t.Context(), answer.Evidence{Scorer: failing{}}, reply, in); err == nil {
		t.Error("a failing scorer is no error")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	in, _ := hits(leaveZH)
	for reply, want := range map[string]bool{
		"资料中没有相关信息。":                true,
		" 资料中没有相关信息 [1]\n":          true,
		"**Not in the documents.**": true,
		"not in the documents":      true,
		"资料中没有相关信息。但年假是十天。[1]":      false,
		"": false,
	} {
		a, err := answer.Check(t.Context(), answer.Evidence{}, reply, in)
		if err != nil || a.Abstained != want || a.Abstained && len(a.Citations) > 0 {
			t.Errorf("%q: %+v, %v", reply, a, err)
		}
	}
}

func TestAWidenedPassageIsPromptAndSource(t *testing.T) {
	t.Parallel()
	in, _ := hits("年假须提前申请。")
	in[0].Passage = rag.Passed{Text: "前一段。年假须提前申请。", Points: rag.Span{Start: 10, End: 22}}
	if prompt := answer.Builtin(answer.KindGrounded, "zh").Prompt("年假", in, rag.OrderRelevance); !strings.Contains(prompt, "前一段") {
		t.Errorf("prompt %q", prompt)
	}
	a, err := answer.Check(t.Context(), answer.Evidence{}, "年假须提前申请。[1]", in)
	if err != nil || len(a.Citations) != 1 || a.Citations[0].Points != (rag.Span{Start: 14, End: 22}) {
		t.Errorf("%+v, %v", a, err)
	}
}

// FuzzCheck holds that no reply breaks the check, and that every claim lies in it.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"[1]", "年假[1-3]。", "【９９９】[^1]", "a[1]b\n\n- [2] c", "[1-999]", "\xff[1]", "［１～３］。", "[[1]]", "1. [1]\n2. "} {
		f.Add(s)
	}
	in, _ := hits(leaveZH, sickEN)
	f.Fuzz(func(t *testing.T, reply string) {
		a, err := answer.Check(t.Context(), answer.Evidence{}, reply, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range a.Citations {
			if c.Claim.Start < 0 || c.Claim.End < c.Claim.Start || c.Claim.End > utf8.RuneCountInString(a.Text) {
				t.Errorf("claim %v of %q", c.Claim, a.Text)
			}
		}
	})
}
