package rag

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Word is a word that a library's text index is told of.
type Word struct {
	// Word is what the user wrote.
	Word string
	// Freq is how often the word comes in 60 million words of text, the more the
	// likelier it is cut whole; 0 is just often enough that it stays whole where it
	// stands alone.
	Freq int64
	// Stop marks a word that is neither indexed nor searched.
	Stop bool
}

// Wording is words that a library's text index is told of, with what follows.
type Wording struct {
	Words []Word
	// Hash tells these words from others, "" when there are none.
	Hash string
	// TextFingerprint is that of a text index that was built with the words, Counts
	// the terms it has of every chunk.
	TextFingerprint string
	Counts          map[ChunkID]TermCounts
}

// WordsHash tells words from others, in whatever order they are; "" for none.
func WordsHash(words []Word) string {
	if len(words) == 0 {
		return ""
	}
	lines := make([]string, len(words))
	for i, w := range words {
		lines[i] = fmt.Sprintf("%q %d %t", w.Word, w.Freq, w.Stop)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}
