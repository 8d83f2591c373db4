// Package answer turns hits into the prompt a model would read and into an
// answer with verified citations.
//
// The extractive answer needs no language model: it quotes the sentences of the
// top chunks that fit the question best. Every quote is checked against its
// source before it is called verified. A language model's reply is checked sentence
// by sentence: what it cites must say what it says.
//
//	prompt := answer.Builtin(answer.KindGrounded, "zh").Prompt(question, hits, answer.OrderRelevance)
//	a, err := answer.Extractor{Scorer: reranker, Coverage: coverage}.Extract(ctx, "zh", question, hits)
//	a, err = answer.Check(ctx, answer.Evidence{}, reply, hits)
//	w, err := answer.Writer{…}.Write(ctx, "zh", question, hits)
package answer

import (
	"fmt"
	"strings"
	"unicode"

	"ragdesk/backend/rag"
)

// setting names how passages are set in a prompt; it is part of every fingerprint.
const setting = "set/2"

// Refusal is the sentence for a question the documents do not answer.
func Refusal(lang string) string {
	if lang == "zh" {
		return "资料中没有相关信息。"
	}
	return "Not in the documents."
}

// passageOf is what a prompt shows of a hit.
func passageOf(h rag.Hit) rag.Passed {
	if h.Passage.Text != "" {
		return h.Passage
	}
	return rag.Passed{Points: h.Chunk.Points, Text: h.Chunk.Text}
}

// Prompt is the complete text a model reads: the wording with the hits' passages, for
// models that chat numbered by rank, and the question.
func (t Template) Prompt(question string, hits []rag.Hit, order rag.ContextOrder) string {
	return t.fill(map[string]string{"question": question, "passages": t.passages(hits, order)})
}

// passages sets the hits' texts in the order of the prompt.
func (t Template) passages(hits []rag.Hit, order rag.ContextOrder) string {
	if len(hits) == 0 {
		if t.Lang == "zh" {
			return "（没有检索到资料）"
		}
		return "(no passage was retrieved)"
	}
	texts, gap := t.set(hits)
	set := make([]string, 0, len(hits))
	for _, i := range Positions(len(hits), order) {
		set = append(set, texts[i])
	}
	return strings.Join(set, gap)
}

// set returns each hit's text as a prompt shows it, and what stands between two.
//
// A text stands between two lines of backticks, under its number and its document's name.
// The lines are longer than any run of backticks in a text, so that no text can end its
// own fence: what stands in a document stays a quotation.
//
// A base model gets all texts in one line, without numbers, names and fences, which it
// takes for a list that it should go on with. No text can begin a line, and so none can
// pass for a question or an answer.
func (t Template) set(hits []rag.Hit) (texts []string, gap string) {
	texts = textsOf(hits)
	if t.Kind == KindCompletion {
		for i, text := range texts {
			texts[i] = strings.Join(strings.Fields(oneLine(text)), " ")
		}
		return texts, " "
	}
	source := "source: "
	if t.Lang == "zh" {
		source = "来源："
	}
	line, names := fence(texts), sourceNames(hits)
	for i, text := range texts {
		texts[i] = fmt.Sprintf("[%d] %s%s\n%s\n%s%s", hits[i].Rank, source, oneLine(names[i]), line, endLine(text), line)
	}
	return texts, "\n\n"
}

// endLine ends a text with the end of a line.
func endLine(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// textsOf are what a prompt shows of hits.
func textsOf(hits []rag.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = passageOf(h).Text
	}
	return out
}

// fence is a run of backticks longer than any in the texts, three at least.
func fence(texts []string) string {
	longest := 2
	for _, text := range texts {
		run := 0
		for _, r := range text {
			if r != '`' {
				run = 0
				continue
			}
			run++
			longest = max(longest, run)
		}
	}
	return strings.Repeat("`", longest+1)
}

// oneLine keeps the name of a file from leaving its line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// Positions are the indexes of n hits in the order in which a prompt shows them.
//
// By relevance the best is first. With edges the best are at both ends and the worst
// in the middle, which models read least well (Liu et al., "Lost in the Middle",
// TACL 2024): 1, 3, 5, … 6, 4, 2.
func Positions(n int, order rag.ContextOrder) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
		if order == rag.OrderEdges {
			out[i] = 2 * i
			if 2*i >= n {
				out[i] = 2*(n-1-i) + 1
			}
		}
	}
	return out
}
