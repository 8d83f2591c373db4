package builtin

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"
)

func TestClassicIsFourLinesAndFourQuestions(t *testing.T) {
	t.Parallel()
	l := Classic()
	if len(l.Documents) != 4 || len(l.Questions) != 4 {
		t.Fatalf("%d documents, %d questions", len(l.Documents), len(l.Questions))
	}
	for _, d := range l.Documents {
		if n := strings.Count(string(d.Bytes), "\n"); n != 1 || !strings.HasSuffix(string(d.Bytes), "\n") {
			t.Errorf("%s has %d lines", d.Path, n)
		}
	}
	checkLibrary(t, l)
}

func TestSampleIsLargeAndInBothLanguages(t *testing.T) {
	t.Parallel()
	l := Sample()
	byLanguage := map[string]int{}
	for _, d := range l.Documents {
		han := strings.Count(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Han, r) {
				return '中'
			}
			return r
		}, string(d.Bytes)), "中")
		words := len(strings.Fields(string(d.Bytes)))
		language, size := "en", words
		if han > words {
			language, size = "zh", utf8.RuneCount(d.Bytes)
		}
		byLanguage[language]++
		if size < 250 || size > 900 {
			t.Errorf("%s (%s) has length %d, not 250–900", d.Path, language, size)
		}
	}
	if byLanguage["zh"] < 14 || byLanguage["en"] < 14 {
		t.Errorf("documents by language: %v", byLanguage)
	}
	checkLibrary(t, l)
}

func checkLibrary(t *testing.T, l Library) {
	t.Helper()
	if again, ok := Open(l.Name); !ok || again.Version != l.Version || !slices.Contains(Names(), l.Name) {
		t.Errorf("Open(%q) gives another library", l.Name)
	}
	for i, d := range l.Documents {
		if i > 0 && l.Documents[i-1].Path >= d.Path {
			t.Errorf("%s after %s", d.Path, l.Documents[i-1].Path)
		}
		ext := path.Ext(d.Path)
		if !utf8.Valid(d.Bytes) || strings.ContainsRune(string(d.Bytes), '\r') || ext != ".md" && ext != ".txt" {
			t.Errorf("%s is not plain UTF-8 text with LF", d.Path)
		}
		if ext == ".md" && !strings.HasPrefix(string(d.Bytes), "# ") {
			t.Errorf("%s has no title", d.Path)
		}
	}
	ids := map[string]bool{}
	languages := map[string]int{}
	for _, q := range l.Questions {
		if ids[q.ID] || q.ID == "" || strings.TrimSpace(q.Text) == "" || q.Lang != "zh" && q.Lang != "en" {
			t.Errorf("question %+v", q)
		}
		ids[q.ID] = true
		languages[q.Lang]++
	}
	if l.Name == NameSample && (languages["zh"] < 6 || languages["en"] < 6) {
		t.Errorf("questions by language: %v", languages)
	}
}

func TestUnknownLibrary(t *testing.T) {
	t.Parallel()
	if _, ok := Open("other"); ok {
		t.Error("an unknown library opens")
	}
}

func TestVersionFollowsContent(t *testing.T) {
	t.Parallel()
	version := func(doc, question string) string {
		l, err := read(fstest.MapFS{
			"classic/a.txt":           {Data: []byte(doc)},
			"questions/classic.jsonl": {Data: []byte(question)},
		}, NameClassic)
		if err != nil {
			t.Fatal(err)
		}
		return l.Version
	}
	const q = `{"id":"1","lang":"en","text":"a?"}`
	first := version("a", q)
	if again := version("a", q); first != again {
		t.Error("equal content has different versions")
	}
	if first == version("b", q) || first == version("a", strings.ToUpper(q)) {
		t.Error("different content has equal versions")
	}
}

func TestBrokenQuestionsAreReported(t *testing.T) {
	t.Parallel()
	_, err := read(fstest.MapFS{
		"classic/a.txt":           {Data: []byte("a")},
		"questions/classic.jsonl": {Data: []byte("{\n")},
	}, NameClassic)
	if err == nil || !strings.Contains(err.Error(), "question 1 of classic") {
		t.Errorf("error %v", err)
	}
}
