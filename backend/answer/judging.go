package answer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// numberedPassages sets passages for a judge, each between fences.
func numberedPassages(passages []string) string {
	set := make([]string, len(passages))
	line := fence(passages)
	for i, p := range passages {
		set[i] = fmt.Sprintf("[%d]\n%s\n%s%s", i+1, line, endLine(p), line)
	}
	return strings.Join(set, "\n\n")
}

// Verdicts is the prompt that asks a judge about claims, numbered from 1, and each on a
// line.
func (t Template) Verdicts(question string, passages, claims []string) string {
	numbered := make([]string, len(claims))
	for i, c := range claims {
		numbered[i] = fmt.Sprintf("%d. %s", i+1, oneLine(c))
	}
	return t.fill(map[string]string{
		"question": oneLine(cmp.Or(question, "-")), "passages": numberedPassages(passages), "claims": strings.Join(numbered, "\n"), "count": strconv.Itoa(len(claims)),
	})
}

// RubricPrompts are the templates that ask a judge for marks, in one language.
type RubricPrompts struct{ Marks, Two Template }

// Rubric asks for the marks of one answer; example is one of Example, or empty.
func (p RubricPrompts) Rubric(question string, passages []string, answer, example string) string {
	return p.Marks.fill(map[string]string{
		"question": oneLine(cmp.Or(question, "-")), "passages": numberedPassages(passages), "answer": fenced(answer), "example": example,
	})
}

// Pair asks for a mark of each of two answers.
func (p RubricPrompts) Pair(question string, passages []string, first, second string) string {
	return p.Two.fill(map[string]string{
		"question": oneLine(cmp.Or(question, "-")), "passages": numberedPassages(passages), "first": fenced(first), "second": fenced(second),
	})
}

// Example is a reply that gives every dimension the mark.
func (p RubricPrompts) Example(mark int) string {
	lead, reason := "Example of a reply:", "names the sentence that decides"
	if p.Marks.Lang == "zh" {
		lead, reason = "输出示例：", "点明起决定作用的句子"
	}
	one := fmt.Sprintf(`{"reason":%q,"mark":%d}`, reason, mark)
	return fmt.Sprintf(`%s {"unsupported":"","missing":"","faithfulness":%[2]s,"relevance":%[2]s,"completeness":%[2]s}`, lead, one)
}

// Fingerprint is that of the template for marks.
func (p RubricPrompts) Fingerprint() string { return p.Marks.Fingerprint() }

// fenced sets an answer between fences.
func fenced(answer string) string {
	line := fence([]string{answer})
	return line + "\n" + endLine(answer) + line
}

// AssessPrompts are the templates that ask a judge about passages and for questions, in
// one language.
type AssessPrompts struct{ Use, Back Template }

// Useful asks which passages are of use for a reference answer.
func (p AssessPrompts) Useful(question, reference string, passages []string) string {
	return p.Use.fill(map[string]string{
		"question": oneLine(cmp.Or(question, "-")), "passages": numberedPassages(passages), "reference": fenced(reference), "count": strconv.Itoa(len(passages)),
	})
}

// AskedBack asks for n questions that an answer would answer.
func (p AssessPrompts) AskedBack(answer string, n int) string {
	return p.Back.fill(map[string]string{"answer": fenced(answer), "count": strconv.Itoa(n)})
}

// Fingerprint changes with the wordings.
func (p AssessPrompts) Fingerprint() string {
	sum := sha256.Sum256([]byte(p.Use.Fingerprint() + p.Back.Fingerprint()))
	return hex.EncodeToString(sum[:8])
}
