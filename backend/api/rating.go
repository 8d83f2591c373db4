package api

import "ragdesk/backend/runs"

// Rating is what a person said of an answer.
type Rating struct {
	runs.Rating `tstype:",extends,required"`
}

// RateAnswerRequest rates an answer.
type RateAnswerRequest struct {
	// ID is an earlier rating to change; empty for Answer, which may have been rated too.
	ID     string       `json:"id"`
	Answer *AskResponse `json:"answer"`
	// Verdict is up or down; empty takes the rating back.
	Verdict string `json:"verdict" tstype:"'up' | 'down' | ''"`
	Reason  string `json:"reason"`
}

// RatingsRequest asks for ratings; empty values are all.
type RatingsRequest struct {
	Verdict string `json:"verdict" tstype:"'up' | 'down' | ''"`
	KB      string `json:"kb"`
}

// RatingList are ratings, the newest first.
type RatingList struct {
	Ratings []Rating `json:"ratings"`
	// Up and Down count those listed.
	Up   int `json:"up"`
	Down int `json:"down"`
}

// RatingsExport is a file of ratings, a JSON value a line.
type RatingsExport struct {
	Content string `json:"content"`
	Ratings int    `json:"ratings"`
}

// AddRatedRequest makes the question of a rated answer one of a dataset. It needs passages
// that answer it, an answer, or the type unanswerable.
type AddRatedRequest struct {
	// ID is the rating's, or a unique beginning of it.
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	// Answers are right ones; Passages the ranks of those found passages that answer it.
	Answers  []string `json:"answers"`
	Passages []int    `json:"passages"`
	Type     string   `json:"type"`
}
