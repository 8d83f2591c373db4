package chunk_test

import (
	"fmt"
	"testing"

	"ragdesk/backend/chunk"
	"ragdesk/backend/ragtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, tok := range []ragtest.WordTokenizer{{}, {Piece: 3}} {
		for _, size := range []struct{ size, overlap int }{{512, 128}, {64, 16}, {10, 9}, {7, 0}, {1, 0}} {
			t.Run(fmt.Sprintf("tokens %d %d piece %d", size.size, size.overlap, tok.Piece), func(t *testing.T) {
				t.Parallel()
				c, _, err := chunk.New(chunk.Config{
					Kind: chunk.KindTokens, Size: size.size, Overlap: size.overlap, Tokenizer: tok,
				})
				if err != nil {
					t.Fatal(err)
				}
				ragtest.TestChunker(t, c, ragtest.ChunkerRules{Size: size.size, Tokenizer: tok})
			})
			t.Run(fmt.Sprintf("chars %d %d piece %d", size.size, size.overlap, tok.Piece), func(t *testing.T) {
				t.Parallel()
				c, _, err := chunk.New(chunk.Config{
					Kind: chunk.KindChars, Size: size.size, Overlap: size.overlap, Tokenizer: tok,
				})
				if err != nil {
					t.Fatal(err)
				}
				ragtest.TestChunker(t, c, ragtest.ChunkerRules{Window: size.size, Tokenizer: tok})
			})
		}
	}
}
