package models

import (
	"slices"
	"strings"

	"ragdesk/backend/fault"
)

// Entry is a model of the public hub that this program knows how to use.
type Entry struct {
	// Name is unique, as typed on the command line.
	Name string
	Task Task
	// Repo and Revision say where it is on the hub.
	Repo, Revision string
	// Precisions are those the repository holds, the recommended one first.
	Precisions []Precision
	// Megabytes is about the size of the recommended one.
	Megabytes int
	// Languages are those it is meant for: "zh", "en" or "multi".
	Languages []string
	Licence   string
	// What follows settles what an embedder's files leave open.
	Pooling                     Pooling
	QueryPrefix, DocumentPrefix string
	Simplify                    bool
}

// Command is what a user types to install the entry.
func (e Entry) Command() string { return "ragdesk models pull " + e.Name }

// Prefixes of families of models, as their authors state them.
const (
	e5Query      = "query: "
	e5Document   = "passage: "
	bgeEnglish   = "Represent this sentence for searching relevant passages: "
	mainRevision = "main"
)

// Catalogue lists models of the public hub, rerankers first.
func Catalogue() []Entry {
	all := []Precision{INT8, FP32, FP16}
	multi := []string{"multi"}
	rerankers := []Entry{
		{Name: "bge-reranker-base", Repo: "Xenova/bge-reranker-base", Megabytes: 280, Languages: []string{"zh", "en"}, Licence: "MIT"},
		{Name: "bge-reranker-large", Repo: "Xenova/bge-reranker-large", Megabytes: 562, Languages: []string{"zh", "en"}, Licence: "MIT"},
		{Name: "bge-reranker-v2-m3", Repo: "onnx-community/bge-reranker-v2-m3-ONNX", Megabytes: 571, Languages: multi, Licence: "Apache-2.0"},
		{Name: "ms-marco-MiniLM-L-6-v2", Repo: "Xenova/ms-marco-MiniLM-L-6-v2", Megabytes: 23, Languages: []string{"en"}, Licence: "Apache-2.0"},
	}
	embedders := []Entry{
		{Name: "bge-base-zh-v1.5", Repo: "Xenova/bge-base-zh-v1.5", Megabytes: 103, Languages: []string{"zh"}, Pooling: PoolingCLS, Simplify: true},
		{Name: "bge-large-zh-v1.5", Repo: "Xenova/bge-large-zh-v1.5", Megabytes: 327, Languages: []string{"zh"}, Pooling: PoolingCLS, Simplify: true},
		{Name: "bge-base-en-v1.5", Repo: "Xenova/bge-base-en-v1.5", Megabytes: 110, Languages: []string{"en"}, Pooling: PoolingCLS, QueryPrefix: bgeEnglish},
		{Name: "bge-m3", Repo: "Xenova/bge-m3", Megabytes: 570, Languages: multi, Pooling: PoolingCLS},
		{Name: "multilingual-e5-small", Repo: "Xenova/multilingual-e5-small", Megabytes: 119, Languages: multi, Pooling: PoolingMean, QueryPrefix: e5Query, DocumentPrefix: e5Document},
		{Name: "multilingual-e5-base", Repo: "Xenova/multilingual-e5-base", Megabytes: 279, Languages: multi, Pooling: PoolingMean, QueryPrefix: e5Query, DocumentPrefix: e5Document},
		{Name: "multilingual-e5-large", Repo: "Xenova/multilingual-e5-large", Megabytes: 562, Languages: multi, Pooling: PoolingMean, QueryPrefix: e5Query, DocumentPrefix: e5Document},
		{Name: "gte-small", Repo: "Xenova/gte-small", Megabytes: 34, Languages: []string{"en"}, Pooling: PoolingMean},
		{Name: "gte-base", Repo: "Xenova/gte-base", Megabytes: 110, Languages: []string{"en"}, Pooling: PoolingMean},
	}
	for i := range rerankers {
		rerankers[i].Task = TaskRerank
	}
	for i := range embedders {
		embedders[i].Task, embedders[i].Licence = TaskEmbed, "MIT"
	}
	list := slices.Concat(rerankers, embedders)
	for i := range list {
		list[i].Revision, list[i].Precisions = mainRevision, all
	}
	return list
}

// FindEntry returns the catalogue's entry of that name, in any case, or for
// owner/name an entry of that repository on the hub with nothing else known.
// Anything else is a fault "model_unknown" with the names that are known.
func FindEntry(name string) (Entry, error) {
	if e, ok := known(name); ok {
		return e, nil
	}
	owner, repo, ok := strings.Cut(name, "/")
	if ok && validName(owner) && validName(repo) {
		return Entry{Name: repo, Repo: name, Revision: mainRevision, Precisions: precisions()}, nil
	}
	var names []string
	for _, e := range Catalogue() {
		names = append(names, e.Name)
	}
	return Entry{}, fault.New("model_unknown", fault.P("model", name), fault.P("known", strings.Join(names, ", ")))
}

// known finds an entry by its name or its repository, in any case.
func known(name string) (Entry, bool) {
	for _, e := range Catalogue() {
		_, base, _ := strings.Cut(e.Repo, "/")
		for _, n := range []string{e.Name, e.Repo, base} {
			if strings.EqualFold(n, name) {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// validName reports whether s may name a folder: letters, digits, dots, dashes
// and underscores, a letter or digit first.
func validName(s string) bool {
	for i, c := range s {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("._-", c)) {
			return false
		}
	}
	return s != "" && len(s) <= 100
}
