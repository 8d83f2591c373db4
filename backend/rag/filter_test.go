package rag_test

import (
	"testing"

	"ragdesk/backend/rag"
)

func TestTheLanguageOfAFilterIsInAnyCase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, of string
		passes       bool
	}{{"ZH", "zh", true}, {"En", "en", true}, {"EN", "zh", false}, {"None", "", true}, {"None", "zh", false}} {
		f := rag.Filter{Languages: []string{c.language}}
		if got := f.Passes(rag.DocumentRow{Document: rag.Document{Language: c.of}}); got != c.passes {
			t.Errorf("%s passes a document in %q: %t", c.language, c.of, got)
		}
	}
}
