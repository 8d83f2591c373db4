package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/fault"
)

// Codes of problems, each with what its detail holds.
const (
	// CodeBadJSON is a record that is not JSON; the text around the place, which ▸ marks, and
	// {…} where there is another value than an object.
	CodeBadJSON = "bad_json"
	// CodeBadRow is a row of a table or a TREC file that does not fit; its cells ≠ those it
	// should have.
	CodeBadRow = "bad_row"
	// CodeBadQuotes is a row whose quotation marks do not fit together; the mark.
	CodeBadQuotes = "bad_quotes"
	// CodeNoColumn is a table without a column that is needed; its name.
	CodeNoColumn = "no_column"
	// CodeBadField is a field of the wrong kind; its name and the kinds of JSON value that it
	// may be.
	CodeBadField = "bad_field"
	// CodeNotUTF8 is a record in another encoding.
	CodeNotUTF8 = "not_utf8"
	// CodeTooLong is a record above the limit; the limit in bytes.
	CodeTooLong = "record_too_long"
	// CodeTooMany ends a list that became too long; how many more there are.
	CodeTooMany = "more_problems"
	// CodeNoQuestions is a dataset without a question; the file.
	CodeNoQuestions = "no_questions"
	// CodeQuestionBlank is a question that shows nothing; its id.
	CodeQuestionBlank = "question_blank"
	// CodeDuplicateID is an id used before; the id and the line of its first use.
	CodeDuplicateID = "duplicate_id"
	// CodeVariantUnknown is a variant of no question; the id it names.
	CodeVariantUnknown = "variant_unknown"
	// CodeVariantCycle is a variant of itself, at first or second hand; the id.
	CodeVariantCycle = "variant_cycle"
	// CodeGradeOutOfRange is a grade that is not a whole number from 0 to MaxGrade; it.
	CodeGradeOutOfRange = "grade_out_of_range"
	// CodeGoldMissing is a question without gold that should have some; its id.
	CodeGoldMissing = "gold_missing"
	// CodeGoldOnUnanswerable is gold of an unanswerable question; its document.
	CodeGoldOnUnanswerable = "gold_on_unanswerable"
	// CodeGoldDocBlank is gold that names no document; its quote's beginning.
	CodeGoldDocBlank = "gold_document_blank"
	// CodeOffsetsInvalid is half a place, or one that is empty; the offsets.
	CodeOffsetsInvalid = "offsets_invalid"
	// CodeQueryUnknown is a judgment of a query that is not there; its id.
	CodeQueryUnknown = "query_unknown"

	// CodeUnknownDocument is gold in a document that is not there; the reference.
	CodeUnknownDocument = "unknown_document"
	// CodeAmbiguousDocument is a reference that fits several; it and their sources.
	CodeAmbiguousDocument = "ambiguous_document"
	// CodeQuoteNotFound is a quote that its document lacks; both.
	CodeQuoteNotFound = "quote_not_found"
	// CodeOffsetsDisagree is a place that does not fit. As a problem there is no
	// quote to go by; as a notice the quote was found elsewhere.
	CodeOffsetsDisagree = "offsets_disagree"

	// CodeReadAs is the notice of a file in another encoding than UTF-8; the encoding.
	CodeReadAs = "read_as"
	// CodeReadAsUnsure is the same where another encoding is nearly as plausible, or the text is
	// short; the encodings.
	CodeReadAsUnsure = "read_as_unsure"

	// CodeKeyUnread is the notice of a key that is not read and looks like one that is; both, and
	// how often it is used.
	CodeKeyUnread = "key_unread"

	// CodeQuoteRepeated is the notice of a quote that occurs several times and
	// comes without a place: the first occurrence counts.
	CodeQuoteRepeated = "quote_repeated"
	// CodeGoldMoved is the notice of gold found elsewhere after its document changed.
	CodeGoldMoved = "gold_moved"
	// CodeGoldStale is the notice of gold whose document changed or went, which
	// could not be found again and is left out.
	CodeGoldStale = "gold_stale"
	// CodeFewQuestions is the notice of a dataset below FewQuestions; the count.
	CodeFewQuestions = "few_questions"
	// CodeRatherFewQuestions is that of one below EnoughQuestions.
	CodeRatherFewQuestions = "rather_few_questions"
	// CodeTypeRare is the notice of a known type below MinTypeShare of the
	// questions; the type, its count and of how many.
	CodeTypeRare = "type_rare"
)

// Problem is something wrong with a dataset, or a notice about it.
type Problem struct {
	// Line is from 1; 0 concerns the whole.
	Line int    `json:"line"`
	Code string `json:"code"`
	// Detail holds values, without language.
	Detail string `json:"detail"`
}

// maxProblems bounds how many problems are listed.
const maxProblems = 1000

// MergeProblems joins lists of problems by line, each problem once; those of a
// line stay in the order they were found.
func MergeProblems(lists ...[]Problem) []Problem {
	seen := map[Problem]bool{}
	out := []Problem{}
	for _, p := range slices.Concat(lists...) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// Refuse returns the fault dataset_invalid {file, problems, line, problem, detail,
// list}, or nil when there is no problem: line, problem and detail are the first
// one's, list holds all of them with their lines, separated by "; ".
func Refuse(file string, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	list := make([]string, len(problems))
	for i, p := range problems {
		list[i] = fmt.Sprintf("line %d: %s (%s)", p.Line, p.Code, p.Detail)
	}
	p := problems[0]
	return fault.New("dataset_invalid", fault.P("file", file), fault.P("problems", len(problems)),
		fault.P("line", p.Line), fault.P("problem", p.Code), fault.P("detail", p.Detail), fault.P("list", strings.Join(list, "; ")))
}

// Blocking returns the problems for which an evaluation is refused: all but gold
// in documents the library does not have, which scores 0 and is counted as not
// indexed.
func Blocking(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Code == CodeUnknownDocument })
}

// shortened cuts s for a detail.
func shortened(s string) string {
	const limit = 80
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}
