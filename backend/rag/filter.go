package rag

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/fault"
)

// Filter restricts retrieval to some of a library's documents. A document passes
// when it fits every part that is set; a part with several values is fitted by
// any of them. The zero Filter lets everything pass.
type Filter struct {
	// Folders are beginnings of sources, whole path elements.
	Folders []string `json:"folders,omitempty" yaml:"folders"`
	// Types are formats such as "pdf" or file extensions without the dot.
	Types []string `json:"types,omitempty" yaml:"types"`
	// Languages are "zh" and "en", in any case; "none" is a document in neither.
	Languages []string `json:"languages,omitempty" yaml:"languages"`
	// Tags were given when the document was ingested.
	Tags []string `json:"tags,omitempty" yaml:"tags"`
	// After and Before bound the date of the file, "2006-01-02", both included.
	After  string `json:"after,omitempty" yaml:"after"`
	Before string `json:"before,omitempty" yaml:"before"`
}

// IsZero reports whether the filter lets everything pass.
func (f Filter) IsZero() bool {
	return len(f.Folders)+len(f.Types)+len(f.Languages)+len(f.Tags) == 0 && f.After == "" && f.Before == ""
}

// languages are what a document's may be in a filter.
func (Filter) languages() []string { return []string{"zh", "en", "none"} }

// Validate refuses what no document can pass: "filter_language_unknown" {language, known},
// "filter_dates_empty" {after, before} for an interval without a day, and that of OutOfRange
// for a bound that is no date.
func (f Filter) Validate() error {
	for _, l := range f.Languages {
		if !slices.ContainsFunc(f.languages(), func(known string) bool { return strings.EqualFold(l, known) }) {
			return fault.New("filter_language_unknown", fault.P("language", l), fault.P("known", strings.Join(f.languages(), ", ")))
		}
	}
	for _, d := range []string{f.After, f.Before} {
		if _, err := time.Parse(time.DateOnly, d); d != "" && err != nil {
			return OutOfRange("date", d, "YYYY-MM-DD")
		}
	}
	if f.After != "" && f.Before != "" && f.After > f.Before {
		return fault.New("filter_dates_empty", fault.P("after", f.After), fault.P("before", f.Before))
	}
	return nil
}

// FilterValue is a value of a filter that no document of a library has.
type FilterValue struct {
	// Setting is "folder", "type" or "tag".
	Setting, Value string
	// There are the values that documents have, sorted.
	There []string
}

// Missing returns the folders, types and tags of the filter that none of docs has.
func (f Filter) Missing(docs []DocumentRow) []FilterValue {
	var out []FilterValue
	add := func(setting string, values []string, has func(DocumentRow, string) bool, of func(DocumentRow) []string) {
		for _, v := range values {
			if !slices.ContainsFunc(docs, func(d DocumentRow) bool { return has(d, v) }) {
				out = append(out, FilterValue{setting, v, valuesOf(docs, of)})
			}
		}
	}
	add("folder", f.Folders, func(d DocumentRow, v string) bool { return under(d.Source, v) },
		func(d DocumentRow) []string { return []string{path.Dir(d.Source)} })
	add("type", f.Types, isType, func(d DocumentRow) []string {
		return []string{strings.ToLower(strings.TrimPrefix(path.Ext(d.Source), "."))}
	})
	add("tag", f.Tags, hasTag, func(d DocumentRow) []string { return d.Tags })
	return out
}

// valuesOf are the values of docs, each once, without empty ones.
func valuesOf(docs []DocumentRow, of func(DocumentRow) []string) []string {
	seen := map[string]bool{}
	for _, d := range docs {
		for _, v := range of(d) {
			seen[v] = v != ""
		}
	}
	delete(seen, "")
	return slices.Sorted(maps.Keys(seen))
}

// Passes reports whether d fits the filter.
func (f Filter) Passes(d DocumentRow) bool {
	date := d.Modified.UTC().Format("2006-01-02")
	return anyOf(f.Folders, func(v string) bool { return under(d.Source, v) }) &&
		anyOf(f.Types, func(v string) bool { return isType(d, v) }) &&
		anyOf(f.Languages, func(v string) bool {
			return strings.EqualFold(v, d.Language) || strings.EqualFold(v, "none") && d.Language == ""
		}) &&
		anyOf(f.Tags, func(v string) bool { return hasTag(d, v) }) &&
		(f.After == "" || date >= f.After) && (f.Before == "" || date <= f.Before)
}

func anyOf(values []string, fits func(string) bool) bool {
	for _, v := range values {
		if fits(v) {
			return true
		}
	}
	return len(values) == 0
}

func under(source, folder string) bool {
	folder = strings.TrimSuffix(path.Clean(folder), "/")
	return source == folder || strings.HasPrefix(source, folder+"/") || folder == "."
}

func isType(d DocumentRow, name string) bool {
	name = strings.ToLower(strings.TrimPrefix(name, "."))
	format, _, _ := strings.Cut(d.ParsedBy, "/")
	return name == format || name == strings.ToLower(strings.TrimPrefix(path.Ext(d.Source), "."))
}

func hasTag(d DocumentRow, tag string) bool {
	for _, t := range d.Tags {
		if strings.EqualFold(t, tag) {
			return true
		}
	}
	return false
}
