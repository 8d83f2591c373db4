package answer_test

import (
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/answer"
	"ragdesk/backend/text"
)

// What is said of E9 reads like an answer about E1, and is none.
func TestAnotherOfTheKindIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		question, passage, want string
		unnamed                 []string
	}{
		"its own sentence":         {"E1 故障怎么办？", "E1 表示点火失败。E9 表示风机故障。", "E1 表示点火失败。 [1]", nil},
		"any case, full width":     {"ｅ1 故障怎么办？", "E1 表示点火失败。E9 表示风机故障。", "E1 表示点火失败。 [1]", nil},
		"one that names both":      {"E1 故障怎么办？", "E2 表示故障。E1 和 E9 都是故障。", "E1 和 E9 都是故障。 [1]", nil},
		"a mark between":           {"What does A-204 故障 mean?", "A-204 is the pump. A-207 故障 is the fan.", "A-204 is the pump. [1]", nil},
		"a closer name":            {"v2 有什么故障？", "v2.3 更快一些。\nv3.1 故障更新。", "v2.3 更快一些。 [1]", nil},
		"E10 is not E1":            {"E1 故障怎么办？", "E10 故障。E1 点火失败。", "E1 点火失败。 [1]", nil},
		"not in the documents":     {"E7 故障怎么办？", "E1 表示点火失败。E9 表示风机故障。", "E9 表示风机故障。 [1]", []string{"E7"}},
		"named beside the quote":   {"E7 故障怎么办？", "E7 如下。请排除故障。", "请排除故障。 [1]", nil},
		"years are no codes":       {"2025 年的故障？", "2024 年有故障。2025 年没有。", "2024 年有故障。 [1]", nil},
		"others are left in peace": {"COVID-19 故障？", "它有故障。COVID-19 很常见。", "它有故障。 [1]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := hits(c.passage)
			a, err := answer.Extractor{Scorer: scored{"故障": 0.9, "点火": 0.7, "pump": 0.7, "更快": 0.7}, Coverage: noCoverage}.Extract(t.Context(), "zh", c.question, in)
			if err != nil || a.Text != c.want || !slices.Equal(a.Unnamed, c.unnamed) {
				t.Errorf("answer %q, unnamed %q (%v), want %q, %q", a.Text, a.Unnamed, err, c.want, c.unnamed)
			}
		})
	}
}

// Two models' scores are compared by how far each is above where its answers begin.
func TestModelsAreComparedByTheirLevels(t *testing.T) {
	t.Parallel()
	in, _ := hits("酒店在这里写到了。", "A night costs 90 euros at most.")
	a, err := answer.Extractor{
		Scorer: scored{"酒店": 0.45, "euros": 0.42}, Coverage: noCoverage,
		Level: func(s string) float64 {
			if text.Language(s) == "zh" {
				return 0.5
			}
			return 0.4
		},
	}.Extract(t.Context(), "en", "hotel", in)
	if err != nil || !strings.HasPrefix(a.Text, "A night") || a.Best.Score < 0.40 {
		t.Errorf("%q, %+v (%v)", a.Text, a.Best, err)
	}
}
