package chunk

import (
	"context"

	"ragdesk/backend/rag"
)

// parents makes small chunks to search, each of which knows the passage around it
// that a prompt shows: of a quarter of size and overlap, whole sentences, none
// reaching across the end of its passage. The passages are chunks of kind
// headings if the document has sections or blocks, else of kind tokens, and do
// not overlap.
type parents struct{ tokens }

// smaller is how many times smaller the chunks are than their passages.
const smaller = 4

// Fingerprint names the rules, their parameters and the tokenizer.
func (c parents) Fingerprint() string {
	inner := structured{tokens: c.tokens, rule: rule{name: "parent/1 " + headingRule().name + " " + sentenceRule().name}}
	return inner.Fingerprint()
}

// cut returns where the chunks of doc are, with their parents, which are empty
// where a chunk is its whole passage.
func (c parents) cut(ctx context.Context, doc rag.Document) ([]passage, error) {
	alone := tokens{size: c.size, tokenizer: c.tokenizer}
	var outer cutter = alone
	if len(doc.Sections)+len(doc.Blocks) > 0 {
		outer = structured{tokens: alone, rule: headingRule()}
	}
	around, err := outer.cut(ctx, doc)
	if err != nil {
		return nil, err
	}
	small := tokens{size: max(1, c.size/smaller), tokenizer: c.tokenizer}
	small.overlap = min(c.overlap/smaller, small.size-1)
	p := weigh(small, doc.Text)
	inner := structured{tokens: small, rule: sentenceRule()}
	out, err := inner.pack(ctx, &p, tidy(&p, within(doc, around)))
	if err != nil {
		return nil, err
	}
	i := 0
	for k := range out {
		for i+1 < len(around) && around[i].span.End < out[k].span.End {
			i++
		}
		if around[i].span != out[k].span {
			out[k].parent = around[i].span
		}
	}
	return out, nil
}

// within returns the sentences of doc, cut where passages start, with the
// headings of their passage.
func within(doc rag.Document, passages []passage) []unit {
	var out []unit
	sentences := sentenceUnits(doc, nil, tokens{})
	next := 0
	for _, p := range passages {
		out = append(out, unit{start: p.span.Start, cut: cutAlways, path: p.headings})
		for next < len(sentences) && sentences[next].start <= p.span.Start {
			next++
		}
		for ; next < len(sentences) && sentences[next].start < p.span.End; next++ {
			u := sentences[next]
			u.path = p.headings
			out = append(out, u)
		}
	}
	return out
}
