package models

import (
	"slices"
	"strings"
	"testing"
)

// A model that marks tokens is known by two classes, one of which is clearly what is not
// supported.
func TestLabelsOfTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"none":       {nil, "supported unsupported"},
		"made up":    {map[string]string{"0": "LABEL_0", "1": "LABEL_1"}, "supported unsupported"},
		"named":      {map[string]string{"0": "SUPPORTED", "1": "HALLUCINATED"}, "supported unsupported"},
		"turned":     {map[string]string{"0": "hallucination", "1": "ok"}, "unsupported supported"},
		"unclear":    {map[string]string{"0": "O", "1": "PERSON"}, ""},
		"both":       {map[string]string{"0": "not hallucinated", "1": "hallucinated"}, ""},
		"three":      {map[string]string{"0": "O", "1": "B-hallucinated", "2": "I-hallucinated"}, ""},
		"other keys": {map[string]string{"1": "hallucinated", "2": "ok"}, ""},
	} {
		got, ok := config{Labels: c.labels}.tokenLabels()
		if ok != (c.want != "") || strings.Join(got, " ") != c.want && ok {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
		if ok && !slices.Contains(got, LabelUnsupported) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
