package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/judge"
	"ragdesk/backend/rag"
)

// item is an answer with its label.
type item struct {
	set string
	// ID is unique in its set.
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Context  []string `json:"context"`
	Answer   string   `json:"answer"`
	Label    string   `json:"label"`
	Keywords []struct {
		Text string `json:"text"`
		OK   bool   `json:"ok"`
	} `json:"keywords"`
}

func (i item) hallucinated() bool { return i.Label == string(rag.Hallucinated) }

func (i item) judged() rag.Judged {
	return rag.Judged{Question: i.Question, Context: i.Context, Answer: i.Answer}
}

// fitting says which half of the documents an item's belong to: the one that
// weights are fitted on, or the one that figures are of.
func (i item) fitting() bool {
	sum := sha256.Sum256([]byte(strings.Join(i.Context, "\n")))
	return sum[0]%2 == 0
}

// readSet reads the items of one set. "en_answer_swap" is made of xquad_zh_en's
// English questions, as zh_answer_swap is of others: each with its answer and with
// that of another question about the same text.
func readSet(data, set string) ([]item, error) {
	if set == swapEN {
		return swapped(filepath.Join(data, "xquad_zh_en"))
	}
	switch set {
	case statementsZH:
		return statements(data)
	case elsewhereZH:
		return elsewhere(data)
	case keywordsZH:
		return keywords(data)
	}
	var out []item
	err := lines(filepath.Join(data, set, "items.jsonl"), func(line []byte) error {
		it := item{set: set}
		if err := json.Unmarshal(line, &it); err != nil {
			return err
		}
		out = append(out, it)
		return nil
	})
	return out, err
}

// Sets that are made of others.
const (
	swapEN       = "en_answer_swap"
	statementsZH = "zh_statements"
	elsewhereZH  = "zh_elsewhere"
	keywordsZH   = "uhgeval_keywords"
)

// statements are zh_answer_swap with the answer in the question word's place.
func statements(data string) ([]item, error) {
	items, err := readSet(data, "zh_answer_swap")
	var out []item
	for _, it := range items {
		said, ok := judge.Statement(it.Question, it.Answer)
		if !ok {
			continue
		}
		it.set, it.Question, it.Answer = statementsZH, "", said
		out = append(out, it)
	}
	return out, err
}

// elsewhere are the right ones of statements with the text of another, which does
// not say so.
func elsewhere(data string) ([]item, error) {
	items, err := statements(data)
	items = slices.DeleteFunc(items, item.hallucinated)
	out := slices.Clone(items)
	for i := range out {
		out[i].set, out[i].Label = elsewhereZH, string(rag.Hallucinated)
		out[i].Context = items[(i+len(items)/2)%len(items)].Context
	}
	return out, err
}

// keywords are the words of uhgeval's model-written continuations that its authors
// judged, each as an answer.
func keywords(data string) ([]item, error) {
	items, err := readSet(data, "uhgeval")
	var out []item
	for _, it := range items {
		for n, k := range it.Keywords {
			word := item{set: keywordsZH, ID: fmt.Sprintf("%s-%d", it.ID, n), Context: it.Context, Answer: k.Text, Label: string(rag.Hallucinated)}
			if k.OK {
				word.Label = string(rag.Faithful)
			}
			out = append(out, word)
		}
	}
	return out, err
}

func lines(path string, use func([]byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		if err := use(in.Bytes()); err != nil {
			return err
		}
	}
	return in.Err()
}

type question struct {
	ID       string   `json:"query_id"`
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Lang     string   `json:"lang"`
	Gold     []struct {
		Doc string `json:"doc_id"`
	} `json:"gold"`
}

func swapped(dir string) ([]item, error) {
	texts := map[string]string{}
	err := lines(filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
		var d struct {
			ID   string `json:"doc_id"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		texts[d.ID] = d.Text
		return nil
	})
	if err != nil {
		return nil, err
	}
	byDoc := map[string][]question{}
	var order []string
	err = lines(filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		if q.Lang != "en" || len(q.Gold) == 0 || len(q.Answers) == 0 {
			return nil
		}
		doc := q.Gold[0].Doc
		if byDoc[doc] == nil {
			order = append(order, doc)
		}
		byDoc[doc] = append(byDoc[doc], q)
		return nil
	})
	var out []item
	for _, doc := range order {
		for i, q := range byDoc[doc] {
			other, ok := wrong(byDoc[doc], i)
			if !ok {
				continue
			}
			right := item{set: swapEN, ID: q.ID + "-t", Question: q.Question, Context: []string{texts[doc]}, Answer: q.Answers[0], Label: string(rag.Faithful)}
			twin := right
			twin.ID, twin.Answer, twin.Label = q.ID+"-f", other, string(rag.Hallucinated)
			out = append(out, right, twin)
		}
	}
	return out, err
}

// wrong is the answer to another of the questions that is most like that of
// question i in kind and length.
func wrong(qs []question, i int) (string, bool) {
	right := strings.ToLower(qs[i].Answers[0])
	var others []string
	for j, q := range qs {
		a := strings.ToLower(q.Answers[0])
		if j != i && !strings.Contains(a, right) && !strings.Contains(right, a) {
			others = append(others, q.Answers[0])
		}
	}
	if len(others) == 0 {
		return "", false
	}
	unlike := func(s string) int {
		n := utf8.RuneCountInString(s) - utf8.RuneCountInString(right)
		if strings.ContainsFunc(s, unicode.IsDigit) != strings.ContainsFunc(right, unicode.IsDigit) {
			n += 1000
		}
		return max(n, -n)
	}
	return slices.MinFunc(others, func(a, b string) int { return cmp.Compare(unlike(a), unlike(b)) }), true
}
