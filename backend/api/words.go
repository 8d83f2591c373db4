package api

// WordsRequest asks for a knowledge base's own words.
type WordsRequest struct {
	KB string `json:"kb"`
}

// EditWordsRequest changes a knowledge base's own words: all are cleared first if so
// asked, then words removed, then stop words and words added. The text index is then
// built again; vectors stay.
type EditWordsRequest struct {
	KB string `json:"kb"`
	// Clear removes all words and stop words.
	Clear bool `json:"clear"`
	// Remove takes words and stop words out.
	Remove WordSource `json:"remove"`
	// Stop adds stop words: neither indexed nor searched.
	Stop WordSource `json:"stop"`
	// Add adds words that stay whole.
	Add WordSource `json:"add"`
	// Encoding forces a character encoding on the files; empty means by evidence.
	Encoding string `json:"encoding"`
}

// WordSource gives words as lines of a user dictionary, "word [frequency] [tag]".
type WordSource struct {
	Lines []string `json:"lines"`
	// Files are paths to files of such lines.
	Files []string `json:"files"`
}

// Words are a knowledge base's own words and, after a change, what became of it.
type Words struct {
	KB    string `json:"kb"`
	Words []Word `json:"words"`
	Stop  []Word `json:"stop"`
	// Added counts the words that were new or are otherwise now, Unchanged those that
	// were there already, Removed those that went.
	Added     int `json:"added"`
	Unchanged int `json:"unchanged"`
	Removed   int `json:"removed"`
	// Problems are the lines that were not taken.
	Problems []WordProblem `json:"problems"`
	// Warnings are of the files read.
	Warnings []Notice `json:"warnings"`
	// Rebuilt counts the chunks that were indexed again; null when the words are what
	// they were.
	Rebuilt     *int   `json:"rebuilt"`
	Fingerprint string `json:"fingerprint"`
}

// Word is one of a knowledge base's own words.
type Word struct {
	Word string `json:"word"`
	// Term is the form that is indexed.
	Term string `json:"term"`
	// Freq is how often it comes in 60 million words of text; null for a word that is
	// just frequent enough to stay whole.
	Freq *int `json:"freq"`
}

// WordProblem is a line that is no word.
type WordProblem struct {
	// File and Line say where it stands; null for a word that was given directly.
	File  *string   `json:"file"`
	Line  *int      `json:"line"`
	Error ErrorBody `json:"error"`
}
