package chunk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// automatic chooses the rule for each document by what it is: see choose.
type automatic struct{ tokens }

// Fingerprint names the rules chosen from, their parameters and the tokenizer.
func (c automatic) Fingerprint() string {
	names := []string{"tokens/1"}
	for kind, r := range rules() {
		if kind != KindSentences {
			names = append(names, r.name)
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("auto/1 (%s) size=%d overlap=%d tokenizer=%s", strings.Join(names, " "), c.size, c.overlap, c.tokenizer.Fingerprint())
}

// Chunk cuts doc by the rule chosen for it.
func (c automatic) Chunk(ctx context.Context, doc rag.Document) ([]rag.Chunk, error) {
	if text.IsBlank(doc.Text) {
		return nil, ctx.Err()
	}
	var passages []passage
	var err error
	if kind := choose(doc); kind == KindTokens {
		passages, err = c.cut(ctx, doc)
	} else {
		passages, err = structured{tokens: c.tokens, rule: rules()[kind]}.cut(ctx, doc)
	}
	if err != nil {
		return nil, err
	}
	return finish(doc, c.Fingerprint(), passages), nil
}

// choose returns the kind of chunker for doc: code for a programming language's
// media type; table where most
// of the text is tables; law and dialogue where the text reads so; headings where
// there are sections, tables or code; else tokens.
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
