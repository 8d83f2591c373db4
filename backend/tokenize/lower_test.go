package tokenize_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/rag"
	"ragdesk/backend/tokenize"
)

func TestLowercaseThoughTheFileKeepsCapitals(t *testing.T) {
	t.Parallel()
	f := small()
	f["normalizer"].(map[string]any)["lowercase"] = false
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	for lower, want := range map[bool][]rag.Token{
		false: {tok(1, 0, 7), tok(1, 8, 10)},
		true:  {tok(4, 0, 4), tok(5, 4, 7), tok(12, 8, 10)},
	} {
		wp, err := tokenize.New(raw, tokenize.Options{Lowercase: lower})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, wp.Tokens("PlayING á")); diff != "" {
			t.Errorf("lower %t: (-want +got)\n%s", lower, diff)
		}
	}
}
