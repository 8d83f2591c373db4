package answer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/answer"
	"ragdesk/backend/fault"
)

func TestWhatAModelMakesOfAQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  answer.Kind
		reply string
		want  []string
	}{
		{answer.KindMultiQuery, "1. 员工年假多少天？\n2、 每年休假天数是多少\n- 带薪假期有多长\n* 第四个", []string{"员工年假多少天？", "每年休假天数是多少", "带薪假期有多长"}},
		{answer.KindMultiQuery, "年假有几天？\n“员工年假多少天？”\n员工年假多少天\n", []string{"员工年假多少天？"}},
		{answer.KindMultiQuery, "2024年的年假有几天", []string{"2024年的年假有几天"}},
		{answer.KindHyDE, "  员工每年有十天年假。\n须提前申请。\n", []string{"员工每年有十天年假。\n须提前申请。"}},
		{answer.KindCondense, "病假有几天？\n\n说明：……", []string{"病假有几天？"}},
		{answer.KindCondense, "年假有几天？", []string{"年假有几天？"}},
		{answer.KindMultiQuery, "年假有几天？\n——\n", nil},
		{answer.KindHyDE, " \n", nil},
		{answer.KindCondense, "", nil},
	} {
		m := &scripted{reply: c.reply}
		got, err := answer.RewriteBy(t.Context(), m, true, answer.Builtin(c.kind, "zh"), "年假有几天？", []answer.Turn{{Question: "有什么假？", Answer: "年假。"}})
		if c.want == nil {
			if !fault.Is(err, "llm_reply_invalid") {
				t.Errorf("%s %q: %v", c.kind, c.reply, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.Texts); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", c.kind, c.reply, diff)
		}
		if sent := m.asked[0]; sent.Messages[0].Content != got.Prompt || sent.Options.Seed != 0 || sent.Options.Temperature != 0 || sent.Options.MaxTokens == 0 {
			t.Errorf("sent %+v", sent)
		}
	}
	m := &scripted{reply: "x y"}
	if _, err := answer.RewriteBy(t.Context(), m, false, answer.Builtin(answer.KindHyDE, "en"), "Who?", nil); err != nil || !m.asked[0].Raw || len(m.asked[0].Options.Stop) == 0 {
		t.Errorf("a base model: %+v, %v", m.asked, err)
	}
}
