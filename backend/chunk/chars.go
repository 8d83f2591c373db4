package chunk

import (
	"context"
	"fmt"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// chars slides a window of size code points, step size − overlap, until one
// reaches the end of the text.
type chars struct {
	size, overlap int
	tokenizer     rag.Tokenizer
}

// Fingerprint names the rule and its parameters; the tokenizer changes nothing
// of the chunks.
func (c chars) Fingerprint() string {
	return fmt.Sprintf("chars/1 size=%d overlap=%d", c.size, c.overlap)
}

// cut returns the windows of doc that show something.
func (c chars) cut(ctx context.Context, doc rag.Document) ([]passage, error) {
	var out []passage
	path := headingPath{sections: doc.Sections}
	starts := runeStarts(doc.Text)
	last := len(starts) - 1 // the number of code points
	for start := 0; start < last; start += c.size - c.overlap {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(start+c.size, last)
		span := rag.Span{Start: starts[start], End: starts[end]}
		if !text.IsBlank(doc.Text[span.Start:span.End]) {
			out = append(out, passage{span: span, headings: path.at(span.Start)})
		}
		if end == last {
			break
		}
	}
	for i := range out {
		if c.tokenizer == nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i].tokens = len(c.tokenizer.Tokens(doc.Text[out[i].span.Start:out[i].span.End]))
	}
	return out, nil
}

// runeStarts returns the byte at which each code point starts, and the length.
func runeStarts(s string) []int {
	starts := make([]int, 0, len(s)+1)
	for i := range s {
		starts = append(starts, i)
	}
	return append(starts, len(s))
}
