package store

import (
	"encoding/json"
	"fmt"
	"time"

	"ragdesk/backend/rag"
)

// block is a rag.Block as it is stored.
type block struct {
	kind               rag.BlockKind
	start, end, header int
}

// MarshalJSON implements json.Marshaler.
func (b block) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{b.kind, b.start, b.end, b.header})
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *block) UnmarshalJSON(data []byte) error {
	parts := []any{&b.kind, &b.start, &b.end, &b.header}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) != 4 {
		return fmt.Errorf("block of %d parts", len(parts))
	}
	return nil
}

func encodeBlocks(in []rag.Block) ([]byte, error) {
	out := make([]block, len(in))
	for i, b := range in {
		out[i] = block{b.Kind, b.Span.Start, b.Span.End, b.Header.End}
	}
	return encodeList(out)
}

func decodeBlocks(b []byte) ([]rag.Block, error) {
	in, err := decodeList[block](b)
	if err != nil || in == nil {
		return nil, err
	}
	out := make([]rag.Block, len(in))
	for i, b := range in {
		out[i] = rag.Block{Kind: b.kind, Span: rag.Span{Start: b.start, End: b.end}}
		if b.header > 0 {
			out[i].Header = rag.Span{Start: b.start, End: b.header}
		}
	}
	return out, nil
}

// encodeHealth writes what is known; nothing known is {}.
func encodeHealth(h rag.Health) ([]byte, error) {
	if h == (rag.Health{}) {
		return []byte("{}"), nil
	}
	return json.Marshal(h)
}

// unixSeconds is 0 for the zero time.
func unixSeconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
