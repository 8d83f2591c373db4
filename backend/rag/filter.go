package rag

import (
	"path"
	"strings"
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
