package chunk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/rag"
)

// automatic chooses the rule for each document by what it is: see choose.
type automatic struct{ tokens }

// Fingerprint names the rules chosen from, their parameters and the tokenizer.
func (c automatic) Fingerprint() string {
	names := []string{tokensName}
	for kind, r := range rules() {
		if kind != KindSentences {
			names = append(names, r.name)
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("auto/1 (%s) size=%d overlap=%d tokenizer=%s", strings.Join(names, " "), c.size, c.overlap, c.tokenizer.Fingerprint())
}

// cut cuts doc by the rule chosen for it.
func (c automatic) cut(ctx context.Context, doc rag.Document) ([]passage, error) {
	if r, ok := rules()[choose(doc)]; ok {
		return structured{tokens: c.tokens, rule: r}.cut(ctx, doc)
	}
	return c.tokens.cut(ctx, doc)
}

// choose returns the kind of chunker for doc: code for a programming language's
// media type; table where most of the text is tables; law and dialogue where the
// text reads so; headings where there are sections, tables or code; else tokens.
func choose(doc rag.Document) string {
	switch {
	case languageOf(doc) != "":
		return KindCode
	case mostlyTables(doc):
		return KindTable
	case readsAsLaw(doc.Text):
		return KindLaw
	case readsAsDialogue(doc.Text):
		return KindDialogue
	case len(doc.Sections) > 0 || slices.ContainsFunc(doc.Blocks, func(b rag.Block) bool {
		return b.Kind == rag.BlockTable || b.Kind == rag.BlockCode
	}):
		return KindHeadings
	}
	return KindTokens
}

// mostlyTables reports whether over two thirds of doc is tables.
func mostlyTables(doc rag.Document) bool {
	n := 0
	for _, b := range doc.Blocks {
		if b.Kind == rag.BlockTable {
			n += b.Span.Len()
		}
	}
	return 3*n > 2*len(doc.Text)
}
