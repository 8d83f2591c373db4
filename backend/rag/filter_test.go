package rag_test

import (
	"reflect"
	"testing"

	"ragdesk/backend/fault"
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

func TestAFilterNoDocumentCanPassIsRefused(t *testing.T) {
	for _, c := range []struct {
		f    rag.Filter
		code string
	}{
		{rag.Filter{Languages: []string{"zh", "EN", "none"}, After: "2024-01-01", Before: "2024-01-01"}, ""},
		{rag.Filter{Languages: []string{"fr"}}, "filter_language_unknown"},
		{rag.Filter{After: "2024-01-02", Before: "2024-01-01"}, "filter_dates_empty"},
		{rag.Filter{After: "2024"}, "pipeline_invalid"},
	} {
		if err := c.f.Validate(); (err == nil) != (c.code == "") || err != nil && !fault.Is(err, c.code) {
			t.Errorf("%+v: %v, want %q", c.f, err, c.code)
		}
	}
}

func TestWhatAFilterNamesAndNoDocumentHas(t *testing.T) {
	docs := []rag.DocumentRow{
		row("a/b/x.MD", "markdown/1", "Old"), row("a/y.txt", "text/1"), row("a/z", "text/1"),
	}
	f := rag.Filter{Folders: []string{"a", "c"}, Types: []string{"md", "text", "pdf"}, Tags: []string{"old", "new"}}
	want := []rag.FilterValue{
		{Setting: "folder", Value: "c", There: []string{"a", "a/b"}}, {Setting: "type", Value: "pdf", There: []string{"md", "txt"}},
		{Setting: "tag", Value: "new", There: []string{"Old"}},
	}
	if got := f.Missing(docs); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := (rag.Filter{Languages: []string{"zh"}}).Missing(nil); got != nil {
		t.Errorf("%+v", got)
	}
}

func row(source, parsedBy string, tags ...string) rag.DocumentRow {
	return rag.DocumentRow{Document: rag.Document{Source: source, ParsedBy: parsedBy}, Tags: tags}
}
