package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"ragdesk/backend/rag"
)

// Report is the result of looking at a dataset.
type Report struct {
	Questions int `json:"questions"`
	// Problems is everything wrong, by line; a dataset with one is not imported.
	Problems []Problem `json:"problems"`
	// Notices are what is to be known of a dataset that may be used.
	Notices []Problem `json:"notices"`
	// Types counts the questions by type.
	Types map[string]int `json:"types"`
}

// Examine joins what reading found with what the library shows; corpus is nil
// where there is none, and then there are no bindings. prior are earlier bindings
// of the same dataset, as in BindAll.
func Examine(ctx context.Context, ds Dataset, found []Problem, corpus *Corpus, prior []Binding) (Report, []Binding, error) {
	r := Report{Questions: len(ds.Questions), Notices: ds.Notices(), Types: ds.Describe().Types}
	if corpus == nil {
		r.Problems, r.Notices = MergeProblems(found), MergeProblems(r.Notices)
		return r, nil, nil
	}
	bindings, problems, notices, err := corpus.Check(ctx, ds, prior)
	if err != nil {
		return Report{}, nil, err
	}
	r.Problems, r.Notices = MergeProblems(found, problems), MergeProblems(r.Notices, notices)
	return r, bindings, nil
}

// Restore makes a dataset of the content that Bytes gave, as it was stored under
// row. A content with a problem is refused as Refuse does.
func Restore(ctx context.Context, row rag.DatasetRow, content []byte) (Dataset, error) {
	ds, problems, err := Parse(ctx, bytes.NewReader(content), FormatJSON)
	if err != nil {
		return Dataset{}, err
	}
	ds.Name = row.Name
	return ds, Refuse(row.Name, problems)
}

// EncodeBindings writes bindings for storage.
func EncodeBindings(bindings []Binding) ([]byte, error) {
	b, err := json.Marshal(bindings)
	if err != nil {
		return nil, fmt.Errorf("encode bindings: %w", err)
	}
	return b, nil
}

// DecodeBindings reads what EncodeBindings wrote; nothing gives none.
func DecodeBindings(b []byte) ([]Binding, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var out []Binding
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, fmt.Errorf("decode bindings: %w", err)
	}
	return out, nil
}
