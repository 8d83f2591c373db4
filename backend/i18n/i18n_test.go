package i18n_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

func languages() []string { return []string{i18n.English, i18n.Chinese} }

var placeholder = regexp.MustCompile(`\{([a-z0-9_]+)\}`)

// placeholders are the parameters a text asks for, sorted.
func placeholders(text string) []string {
	found := map[string]bool{}
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		found[m[1]] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func TestBothLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	en, zh := i18n.Keys(i18n.English), i18n.Keys(i18n.Chinese)
	if len(en) < 100 {
		t.Fatalf("%d texts", len(en))
	}
	keys := func(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
	if diff := cmp.Diff(keys(en), keys(zh)); diff != "" {
		t.Errorf("keys (-en +zh):\n%s", diff)
	}
	for key, text := range en {
		if diff := cmp.Diff(placeholders(text), placeholders(zh[key])); diff != "" {
			t.Errorf("%s asks for other parameters (-en +zh):\n%s", key, diff)
		}
		if text == "" || zh[key] == "" {
			t.Errorf("%s is empty", key)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, key, want string }{
		{"en", "error.kb_exists", "There is a library {hand} already. Choose another name."},
		{"zh", "error.kb_exists", "知识库 {hand} 已存在。请换一个名称。"},
		{"fr", "error.kb_exists", "There is a library {hand} already. Choose another name."},
		{"en", "no.such.key", "no.such.key"},
	} {
		// A value with braces is not filled in again, whatever else is given.
		got := i18n.Text(c.lang, c.key, fault.P("hand", "foot"), fault.P("kb", "{hand}"), fault.P("foot", "x"))
		if got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.key, c.lang, got, c.want)
		}
	}
}

func TestErrorBody(t *testing.T) {
	t.Parallel()
	body := i18n.ErrorBody("zh", fmt.Errorf("search: %w", fault.New("kb_exists", fault.P("kb", "手册"))))
	if body.Code != "kb_exists" || body.Message != "知识库 手册 已存在。请换一个名称。" || body.Params["kb"] != "手册" {
		t.Errorf("body %+v", body)
	}
	body = i18n.ErrorBody("en", errors.New("short read"))
	if body.Code != "internal" || body.Params["detail"] != "short read" {
		t.Errorf("body of an error without a fault: %+v", body)
	}
	if body = i18n.ErrorBody("en", fault.New("no_such_code")); body.Message == "" || body.Params == nil {
		t.Errorf("body of a code without a text: %+v", body)
	}
}

// TestWordedParameters: what a parameter holds in code is said in the reader's language, and
// nothing in the parser's.
func TestWordedParameters(t *testing.T) {
	t.Parallel()
	data := []byte(`{"chunk_id": "c", "text": }`)
	wrong := fault.JSONLine(data, json.Unmarshal(data, new(any)))
	list := fault.Wrap(fmt.Errorf("reading: %w", wrong), "chunks_invalid", fault.P("file", "c.jsonl"), fault.P("line", 7), fault.P("detail", wrong.Code))
	dataset := fault.New("dataset_invalid", fault.P("file", "d.csv"), fault.P("problems", 2), fault.P("line", 3), fault.P("problem", "bad_row"), fault.P("detail", "2 ≠ 3"))
	for _, c := range []struct {
		lang, want string
		err        error
	}{
		{"zh", "c.jsonl 第 7 行：第 27 列不是合法的 JSON：…k_id\": \"c\", \"text\": ▸}。", list},
		{"en", "c.jsonl, line 7: column 27 is not JSON: …k_id\": \"c\", \"text\": ▸}.", list},
		{"zh", "第一处在第 3 行：单元格数与应有的不符，请改正（2 ≠ 3）", dataset},
		{"en", "the first is in line 3: the row does not have as many cells as it should; mend it (2 ≠ 3)", dataset},
	} {
		body := i18n.ErrorBody(c.lang, c.err)
		if !strings.Contains(body.Message, c.want) {
			t.Errorf("%s, want …%s…", body.Message, c.want)
		}
		if problem := body.Params["problem"]; problem != "" && problem != "bad_row" {
			t.Errorf("a program reads %q", problem)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	for _, c := range []struct{ all, messages, lang, want string }{
		{"", "", "", "en"},
		{"", "", "zh_CN.UTF-8", "zh"},
		{"C.UTF-8", "zh_CN", "zh_CN", "en"},
		{"", "zh_TW", "en_US.UTF-8", "zh"},
		{"", "", "de_DE", "en"},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_MESSAGES", c.messages)
		t.Setenv("LANG", c.lang)
		if got := i18n.FromEnvironment(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestLanguageOfAContext(t *testing.T) {
	t.Parallel()
	if got := i18n.Language(t.Context()); got != "en" {
		t.Errorf("without one: %s", got)
	}
	if got := i18n.Language(i18n.WithLanguage(t.Context(), "zh")); got != "zh" {
		t.Errorf("with zh: %s", got)
	}
}
