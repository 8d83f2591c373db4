package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/judge"
	"ragdesk/backend/rag"
)

// wording is a prompt that a scripted judge can read.
type wording string

func (w wording) Verdicts(_ string, passages, claims []string) string {
	return strings.Join(passages, " | ") + "\n" + strings.Join(claims, "\n")
}

func (w wording) Fingerprint() string { return string(w) }

// scripted is a model that replies as a function of the claims says.
type scripted struct {
	mu    sync.Mutex
	calls int
	reply func(call int, passages string, claims []string) (rag.Generation, error)
}

func (s *scripted) Info(context.Context) (rag.GeneratorInfo, error) {
	return rag.GeneratorInfo{Model: "scripted"}, nil
}

func (s *scripted) Generate(ctx context.Context, req rag.GenerateRequest, _ func(string) error) (rag.Generation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	prompt := req.Prompt
	if len(req.Messages) > 0 {
		prompt = req.Messages[0].Content
	}
	if !json.Valid(req.Schema) {
		return rag.Generation{}, errors.New("no schema")
	}
	passages, claims, _ := strings.Cut(prompt, "\n")
	s.calls++
	got, err := s.reply(s.calls-1, passages, strings.Split(claims, "\n"))
	if ctx.Err() != nil {
		return rag.Generation{}, ctx.Err()
	}
	for _, stop := range req.Options.Stop {
		got.Text, _, _ = strings.Cut(got.Text, stop)
	}
	return got, err
}

// honest is right about every claim: what the passages have is supported, what
// says "not" is contradicted.
func honest(_ int, passages string, claims []string) (rag.Generation, error) {
	list := make([]map[string]string, len(claims))
	for i, c := range claims {
		bare := strings.TrimRight(c, ".。")
		list[i] = map[string]string{"quote": "", "reason": "because", "verdict": "unverifiable"}
		switch {
		case strings.Contains(passages, bare):
			list[i] = map[string]string{"quote": bare, "reason": "it says so", "verdict": "supported"}
		case strings.Contains(passages, strings.Replace(bare, " not ", " ", 1)):
			list[i] = map[string]string{"quote": strings.Replace(bare, " not ", " ", 1), "reason": "it says the contrary", "verdict": "contradicted"}
		}
	}
	raw, err := json.Marshal(map[string]any{"verdicts": list})
	return rag.Generation{Text: string(raw), Done: rag.DoneStop}, err
}

func asking(model *scripted) *judge.LLM {
	return judge.NewLLM(judge.NewAsker(model, true), []string{"zh", "en"},
		map[string]judge.Wording{"zh": wording("zh"), "en": wording("en")}, "digest")
}

func TestAJudgesVerdicts(t *testing.T) {
	t.Parallel()
	context := []string{"The gate is red. The wall is high.", "The roof is made of slate. 年假每年有十天。"}
	for name, c := range map[string]struct {
		answer, question string
		label            rag.Label
		reason           string
		verdicts         []rag.ClaimVerdict
		calls            int
	}{
		"supported":     {answer: "The gate is red. The wall is high.", label: rag.Faithful, reason: judge.ReasonJudgedSupported, verdicts: []rag.ClaimVerdict{rag.Supported, rag.Supported}, calls: 1},
		"contradicted":  {answer: "The gate is red. The wall is not high.", label: rag.Hallucinated, reason: judge.ReasonJudgedContradicted, verdicts: []rag.ClaimVerdict{rag.Supported, rag.Contradicted}, calls: 1},
		"unverifiable":  {answer: "The floor was laid in May.", label: rag.Hallucinated, reason: judge.ReasonJudgedUnverifiable, verdicts: []rag.ClaimVerdict{rag.Unverifiable}, calls: 1},
		"a refusal":     {answer: "Not in the documents.", label: rag.Unscored, reason: judge.ReasonAbstained, verdicts: []rag.ClaimVerdict{rag.Abstained}},
		"nothing said":  {answer: " … ", label: rag.Unscored, reason: judge.ReasonEmpty},
		"another one":   {answer: "有給休暇は年に二十日あります。", label: rag.Unscored, reason: judge.ReasonLanguage},
		"five claims":   {answer: "The gate is red. The wall is high. The roof is made of slate. The wall is high. The gate is red.", label: rag.Faithful, reason: judge.ReasonJudgedSupported, verdicts: []rag.ClaimVerdict{rag.Supported, rag.Supported, rag.Supported, rag.Supported, rag.Supported}, calls: 2},
		"short answers": {answer: "red", question: "Which colour?", label: rag.Hallucinated, reason: judge.ReasonJudgedUnverifiable, verdicts: []rag.ClaimVerdict{rag.Unverifiable}, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scripted{reply: honest}
			found, err := asking(model).Detect(t.Context(), rag.Judged{Question: c.question, Context: context, Answer: c.answer})
			if err != nil {
				t.Fatal(err)
			}
			var verdicts []rag.ClaimVerdict
			for _, claim := range found.Claims {
				verdicts = append(verdicts, claim.Verdict)
				for _, e := range claim.Evidence {
					if at, ok := rag.BytesOf(context[e.Context], e.Points); !ok || context[e.Context][at.Start:at.End] != e.Text {
						t.Errorf("evidence %q is not at %v", e.Text, e.Points)
					}
				}
				if (claim.Verdict == rag.Supported || claim.Verdict == rag.Contradicted) && len(claim.Evidence) != 1 {
					t.Errorf("%q is %s by %v", claim.Text, claim.Verdict, claim.Evidence)
				}
			}
			if found.Label != c.label || found.Reason != c.reason || !cmp.Equal(verdicts, c.verdicts) || model.calls != c.calls || len(found.Calls) != c.calls {
				t.Errorf("%s (%s) %v after %d calls, want %+v", found.Label, found.Reason, verdicts, model.calls, c)
			}
		})
	}
}

// A judge that breaks its rules leaves a claim unscored, with the reason and its
// words; what it does right when asked about one claim counts.
func TestRepliesOfNoUse(t *testing.T) {
	t.Parallel()
	say := func(text string) func(int, string, []string) (rag.Generation, error) {
		return func(int, string, []string) (rag.Generation, error) {
			return rag.Generation{Text: text, Done: rag.DoneStop}, nil
		}
	}
	fail := func(err error) func(int, string, []string) (rag.Generation, error) {
		return func(int, string, []string) (rag.Generation, error) { return rag.Generation{}, err }
	}
	one := func(quote, verdict string) string {
		return fmt.Sprintf(`{"verdicts":[{"quote":%q,"reason":"r","verdict":%q}]}`, quote, verdict)
	}
	const red = "The gate is red"
	for name, c := range map[string]struct {
		reply  func(int, string, []string) (rag.Generation, error)
		reason string
		calls  int
	}{
		"prose":           {say("I think that it is supported."), judge.ReasonMalformed, 3},
		"yes":             {say("是"), judge.ReasonMalformed, 3},
		"nothing":         {say(""), judge.ReasonMalformed, 3},
		"half":            {say(`{"verdicts":[{"quote":"The gate`), judge.ReasonMalformed, 3},
		"two objects":     {say(one(red, "supported") + one(red, "unverifiable")), judge.ReasonMalformed, 3},
		"another word":    {say(`{"verdicts":[{"quote":"","reason":"","verdict":"true"},{"quote":"","reason":"","verdict":"true"}]}`), judge.ReasonCount, 3},
		"another verdict": {say(one(red, "mostly supported")), judge.ReasonMalformed, 3},
		"no quote":        {say(`{"verdicts":[{"reason":"","verdict":"supported"}]}`), judge.ReasonMalformed, 3},
		"no verdicts":     {say(`{"verdicts":[]}`), judge.ReasonCount, 3},
		"others":          {say(`{"answer":"supported"}`), judge.ReasonCount, 3},
		"invented quote":  {say(one("The gate was painted red", "supported")), judge.ReasonQuote, 3},
		"empty quote":     {say(one("", "supported")), judge.ReasonQuote, 3},
		"too short":       {say(one("is", "contradicted")), judge.ReasonQuote, 3},
		"cut": {func(int, string, []string) (rag.Generation, error) {
			return rag.Generation{Text: one(red, "supported"), Done: rag.DoneLength}, nil
		}, judge.ReasonTruncated, 3},
		"prompt cut": {func(int, string, []string) (rag.Generation, error) {
			return rag.Generation{Text: one(red, "supported"), Cut: true}, nil
		}, judge.ReasonPromptCut, 3},
		"prompt too long":  {fail(fault.New("llm_context_exceeded")), judge.ReasonPromptCut, 3},
		"silence":          {fail(fault.New("llm_stalled")), judge.ReasonTimeout, 1},
		"a broken machine": {fail(fault.New("llm_failed")), judge.ReasonEngine, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scripted{reply: c.reply}
			found, err := asking(model).Detect(t.Context(), rag.Judged{Context: []string{"The gate is red. The wall is high."}, Answer: "The gate is red. The wall is high."})
			if err != nil {
				t.Fatal(err)
			}
			if found.Label != rag.Unscored || found.Reason != c.reason || model.calls != c.calls {
				t.Errorf("%s (%s: %s) after %d calls, want unscored (%s) after %d", found.Label, found.Reason, found.Detail, model.calls, c.reason, c.calls)
			}
			if !judge.CallFailure(found.Reason) {
				t.Errorf("%s is no failure of a call", found.Reason)
			}
			for _, claim := range found.Claims {
				if claim.Verdict != rag.ClaimUnscored || claim.Score != 0 || len(claim.Evidence) != 0 {
					t.Errorf("%+v", claim)
				}
			}
		})
	}
}

// Replies are read through what hosts put around them.
func TestRepliesInWrappings(t *testing.T) {
	t.Parallel()
	const plain = `{"verdicts":[{"quote":"年假每年有十天","reason":"一致","verdict":"supported"}]}`
	for name, c := range map[string]struct{ text, evidence string }{
		"plain":    {plain, "年假每年有十天"},
		"fenced":   {"```json\n" + plain + "\n```", "年假每年有十天"},
		"thoughts": {"<think>{}</think>\n" + plain, "年假每年有十天"},
		// What a schema allows between two values: small models write it in lists.
		"spread": {strings.NewReplacer("[", "[\n\n\t", "}]", "}\n\n]").Replace(plain), "年假每年有十天"},
		"width":  {strings.Replace(plain, "年假每年有十天", "年假,每年有１０天。", 1), ""},
		"dots":   {strings.Replace(plain, "年假每年有十天", "年假…十天……", 1), "年假"},
	} {
		model := &scripted{reply: func(int, string, []string) (rag.Generation, error) { return rag.Generation{Text: c.text}, nil }}
		found, err := asking(model).Detect(t.Context(), rag.Judged{Context: []string{"年假每年有十天。"}, Answer: "每年年假为十天。"})
		if err != nil {
			t.Fatal(err)
		}
		if c.evidence == "" {
			if found.Reason != judge.ReasonQuote {
				t.Errorf("%s: %+v", name, found)
			}
			continue
		}
		if found.Label != rag.Faithful || found.Claims[0].Evidence[0].Text != c.evidence {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// answers are items of which an honest judge finds some hallucinated; every
// other one has two claims.
func answers(n int) []rag.Judged {
	out := make([]rag.Judged, n)
	for i := range out {
		out[i] = rag.Judged{
			Context: []string{fmt.Sprintf("Room %d is red. The hall of house %d is wide. Its door is green.", i, i)},
			Answer:  fmt.Sprintf("Room %d is red. The hall of house %d is wide.", i, i),
		}
		switch {
		case i%2 == 0:
			out[i].Answer = fmt.Sprintf("The hall of house %d is wide.", i)
		case i%3 == 0:
			out[i].Answer = fmt.Sprintf("Room %d is red. The hall of house %d is not wide.", i, i)
		}
	}
	return out
}

// A judge whose replies are garbage, now and then or always, scores less: what it
// scores is what it scores without, and every reason is typed.
func TestGarbageLowersCoverageAndFlipsNothing(t *testing.T) {
	t.Parallel()
	items := answers(100)
	garbage := []rag.Generation{
		{Text: "是"}, {Text: `{"verdicts":[{"quote":"","reason":"","verdict":"supported"}]}`, Done: rag.DoneLength},
		{Text: `{"verdicts":[]}`}, {Text: `{"verdicts":[{"quote":"made up","reason":"","verdict":"supported"},{"quote":"made up","reason":"","verdict":"contradicted"}]}`},
	}
	run := func(every int) (found []rag.Detection) {
		d := asking(&scripted{reply: func(call int, passages string, claims []string) (rag.Generation, error) {
			if every > 0 && call%every == 0 {
				return garbage[call/every%len(garbage)], nil
			}
			return honest(call, passages, claims)
		}})
		for _, in := range items {
			one, err := d.Detect(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, one)
		}
		return found
	}
	clean, some, all := run(0), run(10), run(1)
	scored := func(found []rag.Detection) (n, lost int) {
		for i, d := range found {
			for k, c := range d.Claims {
				switch {
				case c.Verdict == rag.ClaimUnscored && !judge.CallFailure(c.Reason):
					t.Errorf("item %d is unscored for %q", i, c.Reason)
				case c.Verdict == rag.ClaimUnscored:
					lost++
				case c.Verdict != clean[i].Claims[k].Verdict:
					t.Errorf("claim %d of item %d is %s, and %s without garbage", k, i, c.Verdict, clean[i].Claims[k].Verdict)
				}
			}
			switch d.Label {
			case rag.Unscored:
			case clean[i].Label:
				n++
			default:
				t.Errorf("item %d is %s, and %s without garbage", i, d.Label, clean[i].Label)
			}
		}
		return n, lost
	}
	if n, lost := scored(clean); n != len(items) || lost != 0 {
		t.Errorf("without garbage %d are scored", n)
	}
	// A garbled reply about two claims is made up for by two about one each.
	if n, lost := scored(some); n < 85 || n >= len(items) || lost != len(items)-n {
		t.Errorf("with a tenth of garbage %d are scored, %d claims lost", n, lost)
	}
	if n, lost := scored(all); n != 0 || lost != len(items)*3/2 {
		t.Errorf("with garbage alone %d are scored", n)
	}
}

func TestACancelledJudgeIsAnError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	model := &scripted{reply: func(int, string, []string) (rag.Generation, error) {
		cancel()
		return rag.Generation{}, errors.New("gone")
	}}
	if _, err := asking(model).Detect(ctx, answers(1)[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}
