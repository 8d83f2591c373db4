package text_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/text"
)

func TestClaims(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"one sentence":         {"员工每年享有十天年假。", []string{"员工每年享有十天年假。"}},
		"a short answer":       {"1998年", []string{"1998年"}},
		"two sentences":        {"年假十天。病假另算。", []string{"年假十天。", "病假另算。"}},
		"joined, zh":           {"公司总部设在上海，但是研发中心设在杭州。", []string{"公司总部设在上海", "但是研发中心设在杭州。"}},
		"figures, zh":          {"公司成立于2001年，现有员工五百余人，总部在上海。", []string{"公司成立于2001年", "现有员工五百余人，总部在上海。"}},
		"an aside stays":       {"张三，男，教师，住在上海。", []string{"张三，男，教师，住在上海。"}},
		"joined, en":           {"The company was founded in Leeds, and its head office moved to London later.", []string{"The company was founded in Leeds", "and its head office moved to London later."}},
		"figures, en":          {"Sales rose by 5% in 2020, profits fell by 3% that year.", []string{"Sales rose by 5% in 2020", "profits fell by 3% that year."}},
		"a date stays whole":   {"It opened on May 5, 2024 in Leeds.", []string{"It opened on May 5, 2024 in Leeds."}},
		"a number stays whole": {"They sold 1,200 cars and 3,400 vans.", []string{"They sold 1,200 cars and 3,400 vans."}},
		"in brackets":          {"The plan (cheap, and it would work well enough) was dropped.", []string{"The plan (cheap, and it would work well enough) was dropped."}},
		"introductions":        {"# 年假\n规定如下：\n1. 年假十天。\n2. 须提前申请。", []string{"年假十天。", "须提前申请。"}},
		"a lone introduction":  {"如下：", []string{"如下："}},
		"emphasis":             {"**十天**\n\n", []string{"十天"}},
		"citations":            {"年假十天。[1]\n病假凭证明[2]。\n[1] 须提前申请 [1-3]", []string{"年假十天。", "病假凭证明[2]。", "须提前申请"}},
		"nothing":              {" …… ", nil},
		"empty":                {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range text.Claims(c.answer) {
				got = append(got, c.answer[s.Start:s.End])
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.answer, diff)
			}
		})
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"Le chat est dans la maison et il ne veut pas sortir.":         true,
		"Der Hund ist nicht im Haus und die Katze schläft auch.":       true,
		"El informe dice que los costes son más altos para todos.":     true,
		"The cat is in the house and does not want to go out.":         false,
		"She studied at the Université de Paris and died in Den Haag.": false,
		"Mitarbeiter erhalten pro Jahr zwanzig Tage und mehr Urlaub.":  true, "Der Urlaub beträgt zehn Tage im Jahr.": true,
		"Employees get twenty days leave each year.": false, "Den Haag": false, "Harbour works over sixty years old": false,
		"Arthur's Magazine": false, "Die Hard": false, "": false, "E = mc2": false,
	} {
		if text.Foreign(s) != want {
			t.Errorf("Foreign(%q) = %t", s, !want)
		}
	}
}

// FuzzClaims holds that claims lie in the answer, in order and apart.
func FuzzClaims(f *testing.F) {
	for _, s := range []string{"公司成立于2001年，员工500人，但是亏损。", "a, and b; c", "（，", "1,2,3", "\xff，\xff", "# x\n- y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, c := range text.Claims(s) {
			if c.Start < end || c.End <= c.Start || c.End > len(s) {
				t.Errorf("claim %v of %q after %d", c, s, end)
			}
			end = c.End
		}
	})
}
