package runs

// Style is how an answer reads: lengths, and what is in a reader's way. Lengths are in
// Han characters and words of other scripts.
type Style struct {
	Length    int `json:"length"`
	Sentences int `json:"sentences"`
	// Longest is the longest sentence, Paragraph the longest paragraph.
	Longest   int `json:"longest"`
	Paragraph int `json:"paragraph"`
	// Ratio is the length over that of the first reference answer; null without one.
	Ratio *float64 `json:"ratio"`
	// Hints are the StyleHints that hold; Terms are the abbreviations behind
	// terms_unexplained.
	Hints []string `json:"hints"`
	Terms []string `json:"terms"`
}

// Hints on an answer's style.
const (
	// HintSentence: a sentence is long.
	HintSentence = "sentence_long"
	// HintParagraph: a paragraph is long.
	HintParagraph = "paragraph_long"
	// HintStructure: a long answer is one paragraph without a list.
	HintStructure = "structure_missing"
	// HintTerms: an abbreviation is neither explained nor in the question.
	HintTerms = "terms_unexplained"
)

// StyleHints lists them.
func StyleHints() []string {
	return []string{HintSentence, HintParagraph, HintStructure, HintTerms}
}

// StyleSummary is the style of a run's answers, refusals left out. Nothing in it is better or
// worse when higher.
type StyleSummary struct {
	// Length, Sentence and Ratio are means: of answers, of their mean sentences, and of
	// Style.Ratio.
	Length   Metric `json:"length"`
	Sentence Metric `json:"sentence"`
	Ratio    Metric `json:"ratio"`
	// Hints counts the answers that each hint holds of.
	Hints map[string]int `json:"hints" tstype:"{ [key: string]: number }"`
}
