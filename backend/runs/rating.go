package runs

import (
	"strings"
	"time"
)

// Verdicts of a rating; an empty one takes a rating back.
const (
	RatedUp   = "up"
	RatedDown = "down"
)

// Rating is what a person said of an answer, with all that tells which one it was.
type Rating struct {
	// ID is the key of the answer: the same answer rated again has the same.
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// Verdict is up or down; empty for a rating that was taken back.
	Verdict  string `json:"verdict" tstype:"'up' | 'down' | ''"`
	Reason   string `json:"reason"`
	KB       string `json:"kb"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Model    string `json:"model"`
	Strategy string `json:"strategy"`
	// Fingerprint names pipeline, index, models and prompt.
	Fingerprint string          `json:"fingerprint"`
	Citations   []RatedCitation `json:"citations"`
	// Passages are those that were found, in their order.
	Passages []RatedPassage `json:"passages"`
	// Dataset is the one that the question was added to; empty before.
	Dataset string `json:"dataset"`
}

// RatedCitation is a citation of a rated answer.
type RatedCitation struct {
	Marker  int    `json:"marker"`
	ChunkID string `json:"chunk_id"`
	Quote   string `json:"quote"`
	State   string `json:"state"`
}

// RatedPassage is a passage that a rated answer was given; Start and End are its place in the
// document, in code points.
type RatedPassage struct {
	Rank    int    `json:"rank"`
	ChunkID string `json:"chunk_id"`
	Source  string `json:"source"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
}

// RatingKey is the key of an answer by a model with settings of that fingerprint.
func RatingKey(kb, question, answer, fingerprint string) string {
	return contentKey("rating", kb+"\x00"+fingerprint, strings.TrimSpace(question)+"\x00"+answer, nil)
}
