package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// Rules of the rubric.
const (
	// leastMark and mostMark bound a mark.
	leastMark, mostMark = 1, 5
	// supportCap is the highest faithfulness of an answer with content that has no
	// support.
	supportCap = 3
	// reasonPoints bounds a reason, in code points.
	reasonPoints = 50
	// repeatShare is the share of a sentence's words that an earlier one holds from
	// which it repeats that one.
	repeatShare = .8
)

// rubricTokens bounds a reply: three reasons, two quotes, the frame.
const rubricTokens = 512

// Reasons why a rubric's marks are missing, beside those of calls.
const (
	// ReasonBlankReason: a mark without a reason.
	ReasonBlankReason = "mark_without_reason"
	// ReasonUnnamed: a 1 that does not say what is missing.
	ReasonUnnamed = "one_without_missing"
	// ReasonMark: a mark that is no whole number from 1 to 5.
	ReasonMark = "mark_out_of_range"
)

// RubricWording is the text of the prompts that ask for marks, in one language.
type RubricWording interface {
	// Rubric asks for the marks of one answer; example is one of Example, or empty.
	Rubric(question string, passages []string, answer, example string) string
	// Pair asks for a mark of each of two answers.
	Pair(question string, passages []string, first, second string) string
	// Example is a reply that gives every dimension the mark.
	Example(mark int) string
	// Fingerprint changes with the words of Rubric.
	Fingerprint() string
}

// Rubric is a language model that marks answers: faithfulness, relevance and completeness,
// whole numbers from 1 to 5, each with a reason. An answer has all three marks or none.
//
// Its rules are kept here and not left to the model: content without support caps
// faithfulness at 3; a 1 without what is missing, and a mark without a reason, leave the
// answer unscored; an answer that repeats itself is marked without its repetition too,
// and gets no higher mark than that.
//
// It is safe for concurrent use.
type Rubric struct {
	asker       Asker
	languages   []string
	wordings    map[string]RubricWording
	model       string
	fingerprint string
}

// NewRubric returns the judge that asks a model of the given languages, known by its
// digest, with the wordings for "zh" and "en".
func NewRubric(asker Asker, languages []string, wordings map[string]RubricWording, model, digest string) *Rubric {
	name := fmt.Sprintf("rubric/2 %s %s %s", digest, wordings["zh"].Fingerprint(), wordings["en"].Fingerprint())
	return &Rubric{asker, languages, wordings, model, name}
}

// Fingerprint covers the rules, the model and the wordings.
func (r *Rubric) Fingerprint() string { return r.fingerprint }

// Model is the judge's.
func (r *Rubric) Model() string { return r.model }

// Mark judges one answer. detected are the verdicts of a detector on its claims, of which one
// that is not supported caps faithfulness; it may be nil.
func (r *Rubric) Mark(ctx context.Context, in rag.Judged, detected []rag.Claim) (runs.Rubric, error) {
	out := runs.Rubric{Model: r.model, Fingerprint: r.fingerprint, Replies: []string{}}
	if out.Reason, out.Detail = r.unmarkable(in); out.Reason != "" {
		return out, ctx.Err()
	}
	var concise *markReply
	if brief, repeats := withoutRepeats(in.Answer); repeats {
		short := in
		short.Answer = brief
		got, reply, err := r.ask(ctx, short, "")
		out.Replies = append(out.Replies, reply.Text)
		if err != nil || !reply.OK() {
			out.Reason, out.Detail = reply.Reason, reply.Detail
			return out, err
		}
		concise = &got
	}
	got, reply, err := r.ask(ctx, in, "")
	out.Replies = append(out.Replies, reply.Text)
	if err != nil || !reply.OK() {
		out.Reason, out.Detail = reply.Reason, reply.Detail
		return out, err
	}
	out.Marks, out.Missing = got.marks(), strings.TrimSpace(got.Missing)
	out.Unsupported = got.unsupported(in)
	for _, c := range detected {
		if out.Unsupported == "" && (c.Verdict == rag.Contradicted || c.Verdict == rag.Unverifiable) {
			out.Unsupported = c.Text
		}
	}
	if out.Unsupported != "" {
		lower(out.Marks, runs.DimensionFaithfulness, supportCap, runs.CapUnsupported)
	}
	if concise != nil {
		for name, mark := range concise.marks() {
			lower(out.Marks, name, mark.Given, runs.CapRepeats)
		}
	}
	return out, nil
}

// unmarkable is the reason why an answer is not marked, empty for one that can be.
func (r *Rubric) unmarkable(in rag.Judged) (reason, detail string) {
	switch {
	case text.Letters(text.Uncited(in.Answer)) == "":
		return ReasonEmpty, ""
	case text.Refuses(in.Answer):
		return ReasonAbstained, ""
	}
	if lang, ok := cover(r.languages, in); !ok {
		return ReasonLanguage, lang
	}
	return "", ""
}

// can reports an answer that can be marked.
func (r *Rubric) can(in rag.Judged) bool {
	reason, _ := r.unmarkable(in)
	return reason == ""
}

// lower puts a cap on a mark.
func lower(marks map[string]runs.RubricMark, name string, most int, why string) {
	if m := marks[name]; m.Mark > most {
		m.Mark, m.Cap = most, why
		marks[name] = m
	}
}

// oneMark is a mark of a reply.
type oneMark struct {
	Reason string       `json:"reason"`
	Mark   *json.Number `json:"mark"`
}

// markReply is a reply to the rubric's prompt.
type markReply struct {
	Faithfulness oneMark `json:"faithfulness"`
	Relevance    oneMark `json:"relevance"`
	Completeness oneMark `json:"completeness"`
	Unsupported  string  `json:"unsupported"`
	Missing      string  `json:"missing"`
}

func (m *markReply) by(name string) oneMark {
	switch name {
	case runs.DimensionFaithfulness:
		return m.Faithfulness
	case runs.DimensionRelevance:
		return m.Relevance
	}
	return m.Completeness
}

// value is the mark; ok is false unless it is a whole number from 1 to 5.
func (m oneMark) value() (int, bool) {
	if m.Mark == nil {
		return 0, false
	}
	v, err := m.Mark.Int64()
	return int(v), err == nil && v >= leastMark && v <= mostMark
}

// check reports what is wrong with a reply.
func (m *markReply) check() (reason, detail string) {
	for _, name := range runs.Dimensions() {
		one := m.by(name)
		mark, ok := one.value()
		switch {
		case !ok:
			return ReasonMark, name
		case strings.TrimSpace(one.Reason) == "":
			return ReasonBlankReason, name
		case mark == leastMark && strings.TrimSpace(m.Missing) == "":
			return ReasonUnnamed, name
		}
	}
	return "", ""
}

// marks are those of a reply that was checked, their reasons cut to their length.
func (m *markReply) marks() map[string]runs.RubricMark {
	out := map[string]runs.RubricMark{}
	for _, name := range runs.Dimensions() {
		one := m.by(name)
		mark, _ := one.value()
		out[name] = runs.RubricMark{Mark: mark, Given: mark, Reason: brief(one.Reason)}
	}
	return out
}

// brief cuts a reason to its length.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= reasonPoints {
		return s
	}
	return string([]rune(s)[:reasonPoints-1]) + "…"
}

// unsupported is what the reply finds without support, where the answer says it and the
// passages do not.
func (m *markReply) unsupported(in rag.Judged) string {
	said := text.Letters(m.Unsupported)
	if said == "" || !strings.Contains(text.Letters(in.Answer), said) {
		return ""
	}
	if _, there := verbatim(in.Context, m.Unsupported); there {
		return ""
	}
	return strings.TrimSpace(m.Unsupported)
}

// rubricSchema asks for the three marks; a reason stands before its mark.
func rubricSchema() json.RawMessage {
	mark := fmt.Sprintf(`{"type":"object","properties":{"reason":{"type":"string","minLength":1,"maxLength":%d},"mark":{"type":"integer","enum":[1,2,3,4,5]}},"required":["reason","mark"]}`, reasonPoints)
	return fmt.Appendf(nil, `{"type":"object","properties":{"unsupported":{"type":"string","maxLength":120},"missing":{"type":"string","maxLength":120},`+
		`"faithfulness":%s,"relevance":%s,"completeness":%s},"required":["unsupported","missing","faithfulness","relevance","completeness"]}`, mark, mark, mark)
}

// pairSchema asks for a mark of each of two answers.
func pairSchema() json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{"reason":{"type":"string","maxLength":120},"first":%[1]s,"second":%[1]s},"required":["reason","first","second"]}`,
		`{"type":"integer","enum":[1,2,3,4,5]}`)
}

// ask makes one call about one answer.
func (r *Rubric) ask(ctx context.Context, in rag.Judged, example string) (markReply, Reply, error) {
	var got markReply
	w := r.wording(in)
	reply, err := r.asker.Ask(ctx, w.Rubric(in.Question, in.Context, in.Answer, example), rubricSchema(), rubricTokens, &got)
	if err == nil && reply.OK() {
		reply.Reason, reply.Detail = got.check()
	}
	return got, reply, err
}

// askPair makes one call about two answers to a question.
func (r *Rubric) askPair(ctx context.Context, in rag.Judged, first, second string) (a, b int, reply Reply, err error) {
	var got struct {
		First  *json.Number `json:"first"`
		Second *json.Number `json:"second"`
	}
	reply, err = r.asker.Ask(ctx, r.wording(in).Pair(in.Question, in.Context, first, second), pairSchema(), rubricTokens, &got)
	if err != nil || !reply.OK() {
		return 0, 0, reply, err
	}
	a, okA := oneMark{Mark: got.First}.value()
	b, okB := oneMark{Mark: got.Second}.value()
	if !okA || !okB {
		reply.Reason = ReasonMark
	}
	return a, b, reply, nil
}

// wording is that of the answer's language.
func (r *Rubric) wording(in rag.Judged) RubricWording {
	lang, _ := cover(r.languages, in)
	return r.wordings[lang]
}

// again leads a sentence in that says something a second time.
var again = regexp.MustCompile(`(?i)^\s*(in other words|that is to say|that is|to sum up|in short|in summary|to repeat|once more|as said|换句话说|换言之|也就是说|总之|综上所述|简而言之|再次强调|如前所述|即)[,，:：]?`)

// withoutRepeats leaves out the sentences of an answer that say again what an earlier one
// says; repeats is false where there are none.
func withoutRepeats(answer string) (brief string, repeats bool) {
	var kept strings.Builder
	var before []map[string]bool
	for _, s := range text.Sentences(answer) {
		sentence := answer[s.Start:s.End]
		words := tellingWords(again.ReplaceAllString(sentence, ""))
		if len(words) > 0 && said(before, words) {
			repeats = true
			continue
		}
		before = append(before, words)
		kept.WriteString(sentence)
	}
	return strings.TrimSpace(kept.String()), repeats
}

// said reports that one of the earlier sentences holds most of the words.
func said(before []map[string]bool, words map[string]bool) bool {
	for _, b := range before {
		held := 0
		for w := range words {
			if b[w] {
				held++
			}
		}
		if float64(held) >= repeatShare*float64(len(words)) {
			return true
		}
	}
	return false
}

// tellingWords are the words of a sentence that are not stop words.
func tellingWords(sentence string) map[string]bool {
	out := map[string]bool{}
	for _, w := range text.Analyze(text.Uncited(sentence)).Words {
		if !w.Stop {
			out[w.Term] = true
		}
	}
	return out
}
