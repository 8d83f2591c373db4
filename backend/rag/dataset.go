package rag

import "time"

// DatasetRow is a stored version of a dataset without its content. A version
// never changes.
type DatasetRow struct {
	Name string
	// Version counts from 1 within the name.
	Version int
	// Hash is the hexadecimal SHA-256 of the content.
	Hash string
	// Questions counts the content's questions.
	Questions int
	// Imported is when it was stored, in UTC and whole seconds.
	Imported time.Time
}
