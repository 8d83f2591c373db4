package lexical

import (
	index "github.com/blevesearch/bleve_index_api"

	"ragdesk/backend/text"
)

// field is an analysed field of a chunk as bleve takes it: terms and how often
// they occur, without positions, stored values or column values.
type field struct {
	name   string
	length int
	freqs  index.TokenFrequencies
}

func newField(name string, terms []text.Term) *field {
	freqs := make(index.TokenFrequencies, len(terms))
	for _, t := range terms {
		tf := freqs[t.Term]
		if tf == nil {
			tf = &index.TokenFreq{Term: []byte(t.Term)}
			freqs[t.Term] = tf
		}
		tf.SetFrequency(tf.Frequency() + 1)
	}
	return &field{name, len(terms), freqs}
}

// Name returns the field's name.
func (f *field) Name() string { return f.name }

// Value returns nothing: the text itself is not kept.
func (f *field) Value() []byte { return nil }

// ArrayPositions returns nothing: a chunk has each field once.
func (f *field) ArrayPositions() []uint64 { return nil }

// EncodedFieldType returns bleve's mark of a text field.
func (f *field) EncodedFieldType() byte { return 't' }

// Analyze does nothing: the terms are there already.
func (f *field) Analyze() {}

// Options returns that the field is searched and nothing else.
func (f *field) Options() index.FieldIndexingOptions { return index.IndexField }

// AnalyzedLength returns the number of terms.
func (f *field) AnalyzedLength() int { return f.length }

// AnalyzedTokenFrequencies returns the terms.
func (f *field) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.freqs }

// NumPlainTextBytes returns 0: bleve only reports it.
func (f *field) NumPlainTextBytes() uint64 { return 0 }

// Size returns a rough size in memory, which bleve only reports.
func (f *field) Size() int { return 64 * len(f.freqs) }
