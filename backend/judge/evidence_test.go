package judge_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/embed"
	"ragdesk/backend/judge"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/tokenvec"
)

// detector is the evidence detector over the program's own models.
var detector = sync.OnceValues(func() (*judge.Evidence, error) {
	store, err := models.Open("")
	if err != nil {
		return nil, err
	}
	library, err := store.Runtime()
	if err != nil {
		return nil, err
	}
	runtime := ort.New(library)
	languages := map[string]judge.Language{}
	for _, e := range models.Embedders() {
		f, err := store.Embedder(e.Name)
		if err != nil {
			return nil, err
		}
		m, err := embed.Open(runtime, embed.Spec{
			Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output, Optimised: f.OptimisedPath},
			Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, Simplify: f.Simplify,
			Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
		})
		if err != nil {
			return nil, err
		}
		t, err := m.Tokenizer()
		if err != nil {
			return nil, err
		}
		languages[e.Language] = judge.Language{Tokenizer: t, Codes: tokenvec.New(m, e.Name, tokenvec.NewMemory(1<<24), nil)}
	}
	return judge.NewEvidence(languages, "test"), nil
})

func detect(t *testing.T, in rag.Judged) rag.Detection {
	t.Helper()
	d, err := detector()
	if err != nil {
		t.Fatal(err)
	}
	found, err := d.Detect(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Claims {
		if at, ok := rag.BytesOf(in.Answer, c.Points); !ok || in.Answer[at.Start:at.End] != c.Text {
			t.Errorf("claim %q is not at %v", c.Text, c.Points)
		}
		if c.Score < 0 || c.Score > 1 {
			t.Errorf("claim %q has the score %v", c.Text, c.Score)
		}
		for _, e := range c.Evidence {
			whole := in.Context[e.Context]
			if at, ok := rag.BytesOf(whole, e.Points); !ok || whole[at.Start:at.End] != e.Text || e.Text == "" {
				t.Errorf("evidence %q is not at %v", e.Text, e.Points)
			}
		}
	}
	return found
}

const (
	leaveZH = "🙂入职满一年的员工每年享有十天年假。年假须提前三天向主管申请。病假凭医院证明，工资照发八成。"
	leaveEN = "Employees who have served a year are entitled to ten days of paid leave. Requests go to the manager three days ahead. Sick leave needs a certificate from a hospital."
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		question, context, answer string
		label                     rag.Label
		reason                    string
		verdicts                  []rag.ClaimVerdict
	}{
		"word for word":         {"", leaveZH, "病假凭医院证明，工资照发八成。", rag.Faithful, judge.ReasonVerbatim, []rag.ClaimVerdict{rag.Supported}},
		"two, word for word":    {"", leaveEN, "Sick leave needs a certificate from a hospital. Requests go to the manager three days ahead.", rag.Faithful, judge.ReasonVerbatim, []rag.ClaimVerdict{rag.Supported, rag.Supported}},
		"nothing like it, en":   {"", leaveEN, "The harbour of Rotterdam handled 400 million tonnes of cargo in 1998.", rag.Hallucinated, judge.ReasonNumbers, []rag.ClaimVerdict{rag.Unverifiable}},
		"nothing like it, zh":   {"", leaveZH, "鹿特丹港在1998年处理了四亿吨货物。", rag.Hallucinated, judge.ReasonNumbers, []rag.ClaimVerdict{rag.Unverifiable}},
		"one of two":            {"", leaveEN, "Sick leave needs a certificate from a hospital. The harbour of Rotterdam handled 400 million tonnes of cargo in 1998.", rag.Hallucinated, judge.ReasonNumbers, []rag.ClaimVerdict{rag.Supported, rag.Unverifiable}},
		"a refusal":             {"年假有几天？", leaveZH, "资料中没有相关信息。", rag.Unscored, judge.ReasonAbstained, []rag.ClaimVerdict{rag.Abstained}},
		"a refusal, en":         {"How long?", leaveEN, "Not in the documents.", rag.Unscored, judge.ReasonAbstained, []rag.ClaimVerdict{rag.Abstained}},
		"a refusal and a fact":  {"", leaveZH, "资料中没有提到婚假。病假凭医院证明，工资照发八成。", rag.Faithful, judge.ReasonVerbatim, []rag.ClaimVerdict{rag.Abstained, rag.Supported}},
		"nothing said":          {"年假有几天？", leaveZH, " …… ", rag.Unscored, judge.ReasonEmpty, nil},
		"no context":            {"年假有几天？", "", "每年享有十天年假。", rag.Hallucinated, judge.ReasonNoContext, []rag.ClaimVerdict{rag.Unverifiable}},
		"Japanese":              {"", "有給休暇は年に十日です。", "有給休暇は年に二十日あります。", rag.Unscored, judge.ReasonLanguage, nil},
		"French":                {"", "Les employés ont droit à dix jours de congé par an dans la société.", "Les employés n'ont pas droit à un congé dans la société et ne sont pas payés.", rag.Unscored, judge.ReasonLanguage, nil},
		"Russian":               {"", "Сотрудники имеют право на десять дней отпуска.", "Сотрудники имеют право на отпуск.", rag.Unscored, judge.ReasonLanguage, nil},
		"German of English":     {"", leaveEN, "Die Mitarbeiter haben Anspruch auf zehn Tage bezahlten Urlaub im Jahr.", rag.Unscored, judge.ReasonLanguage, nil},
		"German, no small word": {"", leaveEN, "Mitarbeiter erhalten jährlich zehn bezahlte Urlaubstage.", rag.Unscored, judge.ReasonLanguage, nil},
		"French of English":     {"", leaveEN, "Les employés reçoivent dix jours de congé.", rag.Unscored, judge.ReasonLanguage, nil},
		"forbidden, zh":         {"", "员工在办公区可以使用个人电脑。来访者须登记。", "员工在办公区禁止使用个人电脑。", rag.Hallucinated, judge.ReasonPermission, []rag.ClaimVerdict{rag.Contradicted}},
		"permitted, zh":         {"", "员工在办公区禁止使用个人电脑。来访者须登记。", "员工在办公区可以使用个人电脑。", rag.Hallucinated, judge.ReasonPermission, []rag.ClaimVerdict{rag.Contradicted}},
		"forbidden, en":         {"", "Visitors may take photographs in the hall. Bags stay at the desk.", "Visitors must not take photographs in the hall.", rag.Hallucinated, judge.ReasonPermission, []rag.ClaimVerdict{rag.Contradicted}},
		"permitted, en":         {"", "Visitors are prohibited from taking photographs in the hall. Bags stay at the desk.", "Visitors may take photographs in the hall.", rag.Hallucinated, judge.ReasonPermission, []rag.ClaimVerdict{rag.Contradicted}},
		"amounts swapped, zh":   {"", "甲公司获得300万元，乙公司获得500万元。合同于三月签订。", "甲公司获得500万元。", rag.Hallucinated, judge.ReasonSwapped, []rag.ClaimVerdict{rag.Contradicted}},
		"amounts swapped, en":   {"", "Alice received 300 dollars and Bob received 500 dollars. The deal was signed in March.", "Alice received 500 dollars and Bob received 300 dollars.", rag.Hallucinated, judge.ReasonSwapped, []rag.ClaimVerdict{rag.Contradicted}},
		"amounts in order, en":  {"", "Alice received 300 dollars and Bob received 500 dollars. The deal was signed in March.", "Bob received 500 dollars, and Alice received 300 dollars.", rag.Faithful, judge.ReasonMatches, []rag.ClaimVerdict{rag.Supported, rag.Supported}},
		"two languages":         {"", leaveZH, "Employees are entitled to ten days of paid leave every year.", rag.Unscored, judge.ReasonLanguage, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := detect(t, rag.Judged{Question: c.question, Context: []string{c.context}, Answer: c.answer})
			var verdicts []rag.ClaimVerdict
			for _, claim := range found.Claims {
				verdicts = append(verdicts, claim.Verdict)
			}
			if found.Label != c.label || found.Reason != c.reason || !cmp.Equal(verdicts, c.verdicts) {
				t.Errorf("%s (%s) %v %.2f, want %s (%s) %v", found.Label, found.Reason, verdicts, found.Score, c.label, c.reason, c.verdicts)
			}
		})
	}
}

// A changed figure, denial or name makes a claim less likely than the same claim
// without the change.
func TestChangesRaiseTheRisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ context, right, wrong string }{
		{leaveEN, "Employees with a year of service get ten days of paid leave.", "Employees with a year of service get 25 days of paid leave."},
		{leaveZH, "满一年的员工每年有10天年假。", "满一年的员工每年有25天年假。"},
		{leaveEN, "Requests for leave go to the manager.", "Requests for leave go to Jonathan Smith in Boston."},
		{leaveZH, "病假需要医院的证明。", "病假需要张伟教授的证明。"},
	} {
		right := detect(t, rag.Judged{Context: []string{c.context}, Answer: c.right})
		wrong := detect(t, rag.Judged{Context: []string{c.context}, Answer: c.wrong})
		if right.Score >= wrong.Score {
			t.Errorf("%q has %.3f, %q %.3f", c.right, right.Score, c.wrong, wrong.Score)
		}
	}
}

// A short answer is judged with its question: both stand in the text.
func TestShortAnswersAreJudgedWithTheirQuestion(t *testing.T) {
	t.Parallel()
	const text = "《三国演义》的作者是罗贯中，成书于元末明初。施耐庵是《水浒传》的作者，该书约成于1370年。"
	for _, c := range []struct{ question, right, wrong string }{
		{"《三国演义》的作者是谁？", "罗贯中", "施耐庵"},
		{"《水浒传》约成于哪一年？", "1370年", "罗贯中"},
	} {
		right := detect(t, rag.Judged{Question: c.question, Context: []string{text}, Answer: c.right})
		wrong := detect(t, rag.Judged{Question: c.question, Context: []string{text}, Answer: c.wrong})
		if right.Score >= wrong.Score || right.Label != rag.Faithful {
			t.Errorf("%s %s has %.3f (%s), %s %.3f", c.question, c.right, right.Score, right.Label, c.wrong, wrong.Score)
		}
	}
}

func TestTheSameVerdictEachTime(t *testing.T) {
	t.Parallel()
	in := rag.Judged{Question: "How long is the leave?", Context: []string{leaveEN, leaveZH}, Answer: "It is twelve days, and the manager decides."}
	first := detect(t, in)
	for range 3 {
		if diff := cmp.Diff(first, detect(t, in)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAFailingModelIsAnError(t *testing.T) {
	t.Parallel()
	d := judge.NewEvidence(map[string]judge.Language{"zh": {Tokenizer: words{}, Codes: broken{}}}, "")
	in := rag.Judged{Context: []string{leaveZH}, Answer: "年假有二十天。"}
	if _, err := d.Detect(t.Context(), in); !errors.Is(err, errBroken) {
		t.Errorf("a broken model gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	whole, err := detector()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := whole.Detect(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

type words struct{}

func (words) Tokens(s string) []rag.Token { return []rag.Token{{Span: rag.Span{End: len(s)}}} }
func (words) Fingerprint() string         { return "words" }

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Codes(context.Context, []string) ([]rag.TokenCodes, error) { return nil, errBroken }

// FuzzDetect holds that no text breaks the detector's rules, whatever the model.
func FuzzDetect(f *testing.F) {
	f.Add("谁？", "甲是乙。\xff", "乙")
	f.Add("Who?", "A is B. C 1,5", "B, and C is 5.")
	f.Fuzz(func(t *testing.T, question, context, answer string) {
		l := judge.Language{Tokenizer: words{}, Codes: flat{}}
		d := judge.NewEvidence(map[string]judge.Language{"zh": l, "en": l}, "")
		found, err := d.Detect(t.Context(), rag.Judged{Question: question, Context: []string{context}, Answer: answer})
		if err != nil || found.Label == "" || (found.Label == rag.Unscored) != (found.Reason != "" && len(scored(found)) == 0) {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

func scored(d rag.Detection) (out []rag.Claim) {
	for _, c := range d.Claims {
		if c.Verdict != rag.Abstained {
			out = append(out, c)
		}
	}
	return out
}

// flat gives every text one token.
type flat struct{}

func (flat) Codes(_ context.Context, texts []string) ([]rag.TokenCodes, error) {
	out := make([]rag.TokenCodes, len(texts))
	for i := range out {
		out[i] = rag.TokenCodes{Rows: 1, Dim: 1, Codes: []int8{1}, Inv: []float32{1}}
	}
	return out, nil
}
