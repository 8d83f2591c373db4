package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ragdesk/backend/rag"
)

// Types of questions. Others pass through unchanged.
const (
	TypeFactual      = "factual"
	TypeReasoning    = "reasoning"
	TypeMultiHop     = "multi_hop"
	TypeComparison   = "comparison"
	TypeNegation     = "negation"
	TypeUnanswerable = "unanswerable"
)

// Types lists the known types; all but the last have gold.
func Types() []string {
	return []string{TypeFactual, TypeReasoning, TypeMultiHop, TypeComparison, TypeNegation, TypeUnanswerable}
}

// Grades of gold. A grade without a value in the file is GradeBackground.
const (
	// GradeNone says that a passage was read and found beside the question.
	GradeNone = 0
	// GradeBackground helps without answering.
	GradeBackground = 1
	// GradeDirect answers the question.
	GradeDirect = 2
	// MaxGrade admits the four-step scales of public collections.
	MaxGrade = 3
)

// Dataset is a list of questions under a name.
type Dataset struct {
	Name      string
	Questions []Question
	// ReadAs says of a file which other encoding than UTF-8 it was read in; CodeReadAs and
	// CodeReadAsUnsure.
	ReadAs []Problem
	// Unread names the keys of a file that were not read and look misspelt; CodeKeyUnread.
	Unread []Problem
}

// Question is one question with all that is known of its answer.
type Question struct {
	// ID is unique in the dataset.
	ID   string
	Text string
	// Type is one of Types, another program's own, or empty.
	Type string
	// Lang is a language tag such as "zh", "zh-Hant" or "en", or empty.
	Lang string
	// VariantOf is the ID of the question that this one asks in other words.
	VariantOf string
	// Answers are reference answers, any of which is right.
	Answers []string
	// KeyPoints are the facts that a good answer states.
	KeyPoints []string
	Gold      []Gold
	// Origin tells where the question came from, such as "log" or "generated".
	Origin string
	// Contexts and Response are what some system retrieved and answered, from rows
	// of the shape (question, contexts, answer, ground_truth). They are no gold.
	Contexts []string
	Response string
	// Line is where the question begins in its file, from 1; 0 without a file.
	Line int
}

// Gold is a passage that a question should bring up.
type Gold struct {
	// Doc names a chunk, a document, a source, or the unique ending of a source.
	Doc string
	// Quote is the passage; empty means all of the document or chunk, or what
	// Points cover.
	Quote string
	// Points is the passage's place in code points of the document's text, or nil.
	Points *rag.Span
	// Grade is 0 to MaxGrade; 0 is no gold, only a label.
	Grade int
}

// HasGold reports whether some gold of the question is relevant.
func (q Question) HasGold() bool {
	for _, g := range q.Gold {
		if g.Grade > GradeNone {
			return true
		}
	}
	return false
}

// NormalType returns the known type that s spells in another case or with '-' or
// a blank for '_', and any other s unchanged.
func NormalType(s string) string {
	plain := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	if plain == "multihop" {
		return TypeMultiHop
	}
	for _, t := range Types() {
		if plain == t {
			return t
		}
	}
	return s
}

// wireQuestion is a question as it is written; its keys are those of the
// canonical file.
type wireQuestion struct {
	ID        string     `json:"query_id"`
	Text      string     `json:"question"`
	Type      string     `json:"type"`
	Lang      string     `json:"lang"`
	VariantOf *string    `json:"variant_of"`
	Answers   []string   `json:"answers"`
	KeyPoints []string   `json:"key_points"`
	Gold      []wireGold `json:"gold"`
	Origin    string     `json:"source,omitempty"`
	Contexts  []string   `json:"contexts,omitempty"`
	Response  string     `json:"response,omitempty"`
}

type wireGold struct {
	Doc   string  `json:"doc"`
	Quote *string `json:"quote"`
	Start *int    `json:"start"`
	End   *int    `json:"end"`
	Grade int     `json:"grade"`
}

func (q Question) wire() wireQuestion {
	w := wireQuestion{
		ID: q.ID, Text: q.Text, Type: q.Type, Lang: q.Lang, Origin: q.Origin,
		Answers: append([]string{}, q.Answers...), KeyPoints: append([]string{}, q.KeyPoints...),
		Contexts: q.Contexts, Response: q.Response,
	}
	if len(q.Gold) > 0 || q.Type == TypeUnanswerable {
		w.Gold = make([]wireGold, len(q.Gold))
	}
	if q.VariantOf != "" {
		w.VariantOf = &q.VariantOf
	}
	for i, g := range q.Gold {
		w.Gold[i] = wireGold{Doc: g.Doc, Grade: g.Grade}
		if g.Quote != "" {
			w.Gold[i].Quote = &g.Quote
		}
		if g.Points != nil {
			w.Gold[i].Start, w.Gold[i].End = &g.Points.Start, &g.Points.End
		}
	}
	return w
}

// Write writes the canonical form: JSON Lines in the order of the questions, each
// with the keys query_id, question, type, lang, variant_of, answers, key_points
// and gold, then source, contexts and response where they are known. gold is null
// for a question that makes no claim about it. Read gives back equal questions.
func (d Dataset) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, q := range d.Questions {
		if err := enc.Encode(q.wire()); err != nil {
			return fmt.Errorf("write question %q: %w", q.ID, err)
		}
	}
	return nil
}

// Bytes returns what Write writes.
func (d Dataset) Bytes() []byte {
	var b bytes.Buffer
	_ = d.Write(&b) // neither strings nor a buffer can fail
	return b.Bytes()
}

// Hash is the hexadecimal SHA-256 of the canonical form. The name and the lines
// are no part of it.
func (d Dataset) Hash() string {
	sum := sha256.Sum256(d.Bytes())
	return hex.EncodeToString(sum[:])
}
