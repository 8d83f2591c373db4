package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

func TestItemsAreRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "items.jsonl")
	text := "\xef\xbb\xbf" + `{"id":7,"question":null,"context":["a","b"],"answer":"c","label":"faithful","source":"x"}` + "\r\n\n" +
		`{"contexts":"a","answer":""}` + "\n" + `{"id":"z","context":[],"answer":"c","label":null}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	items, err := readItems(t.Context(), path)
	want := []api.VerifyItem{
		{ID: "7", Context: []string{"a", "b"}, Answer: "c", Label: ptr("faithful")},
		{ID: "3", Context: []string{"a"}}, {ID: "z", Context: []string{}, Answer: "c"},
	}
	if diff := cmp.Diff(want, items); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Every line that is no item is named.
func TestLinesThatAreNoItems(t *testing.T) {
	t.Parallel()
	lines := []struct{ line, detail string }{
		{`{"context":["a"],"answer":"b"}`, ""},
		{`{"context":["a"],"answer":3}`, "answer: a text is wanted"},
		{`{"context":["a"],"answer":["b"]}`, "answer: a text is wanted"},
		{`{"context":["a"],"answer":null}`, "no answer"},
		{`{"context":["a"]}`, "no answer"},
		{`{"contxt":["a"],"answer":"b"}`, "no context: of the keys answer, contxt"},
		{`{"context":null,"answer":"b"}`, "context: a list of texts is wanted"},
		{`{"context":{"text":"a"},"answer":"b"}`, "context: a list of texts is wanted"},
		{`{"context":[1],"answer":"b"}`, "context: a list of texts is wanted"},
		{`{"context":["a",null],"answer":"b"}`, "context: passage 2 is null"},
		{`{"context":["a"],"contexts":["b"],"answer":"b"}`, "context and contexts"},
		{`{"context":["a"],"answer":"b","question":["c"]}`, "question: a text is wanted"},
		{`{"context":["a"],"answer":"b","label":true}`, "label: a text is wanted"},
		{`{"context":["a"],"answer":"b","label":"ok"}`, `label "ok": faithful or hallucinated`},
		{`{"id":{},"context":["a"],"answer":"b"}`, "id: a text or a number is wanted"},
		{`{"id":"1","context":["a"],"answer":"b"}`, `id "1" is that of line 1`},
		{`{"Context":["a"],"answer":"b"}`, `the key "Context": write "context"`},
		{`[{"context":["a"],"answer":"b"}]`, "no JSON object"},
		{`"b"`, "no JSON object"},
		{`{"context":["a"],"answer":"b"`, "no JSON object"},
	}
	var file strings.Builder
	for _, l := range lines {
		file.WriteString(l.line + "\n")
	}
	path := filepath.Join(t.TempDir(), "items.jsonl")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readItems(t.Context(), path)
	f := fault.Of(err)
	if f.Code != "items_invalid" || f.Params["line"] != "2" || f.Params["lines"] != "19" || f.Params["detail"] != lines[1].detail {
		t.Fatalf("%v", err)
	}
	problems := strings.Split(f.Params["problems"], "; ")
	for i, l := range lines[1:] {
		if want := strings.Join([]string{"", l.detail}, ""); !strings.Contains(problems[i], want) {
			t.Errorf("%s: %q, want %q", l.line, problems[i], want)
		}
	}
	_, err = readItems(i18n.WithLanguage(t.Context(), i18n.Chinese), path)
	if zh := fault.Of(err).Params["problems"]; regexp.MustCompile(`[a-z]{3,} [a-z]{2,} [a-z]`).MatchString(zh) || !strings.Contains(zh, "第 29 个字节") {
		t.Errorf("in Chinese: %s", zh)
	}
	if !strings.HasPrefix(problems[18], "20: ") {
		t.Errorf("%q", problems[18])
	}
}
