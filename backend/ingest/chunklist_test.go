package ingest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/rag"
)

// load imports a chunk list given as text.
func (b *bench) load(t *testing.T, list string) (ingest.Report, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.jsonl")
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &recorder{}
	return b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		return ingest.ImportChunks(t.Context(), ports, b.lib, path, p)
	})
}

// mustLoad is load without errors.
func (b *bench) mustLoad(t *testing.T, list string) ingest.Report {
	t.Helper()
	report, err := b.load(t, list)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// exported writes the library's chunks as a chunk list.
func (b *bench) exported(t *testing.T) string {
	t.Helper()
	type span struct {
		Start int `json:"start"`
		End   int `json:"end"`
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, c := range b.chunks(t) {
		err := enc.Encode(map[string]any{
			"chunk_id": c.ID, "doc_id": c.DocID, "source": c.Source, "span": span{c.Points.Start, c.Points.End},
			"text": c.Text, "metadata": map[string]any{"headings": c.Headings},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestChunkListsKeepTheirIDs(t *testing.T) {
	t.Parallel()
	lines := `{"chunk_id":"c1","text":"the tide turns"}

{"chunk_id":"c2","text":"bread","doc_id":"d","source":"docs/d.txt","metadata":{"headings":["H1","H2"],"page":3}}
{"chunk_id":"c3","text":"butter 🧈","doc_id":"d"}
`
	array := `[
  {"chunk_id": "c1", "text": "the tide turns"},
  {"chunk_id": "c2", "text": "bread", "doc_id": "d", "source": "docs/d.txt", "metadata": {"headings": ["H1", "H2"]}},
  {"chunk_id": "c3", "text": "butter 🧈", "doc_id": "d", "other": null}
]`
	var first []rag.ChunkRow
	for name, list := range map[string]string{"lines": lines, "array": array, "lines with BOM and CRLF": "\ufeff" + strings.ReplaceAll(lines, "\n", "\r\n")} {
		b := newBench(t, librarytest.Model(t))
		report := b.mustLoad(t, list)
		want(t, name, statuses("", report), map[string]string{"c1": "indexed", "docs/d.txt": "indexed"})
		want(t, name+": the library", b.held(t), map[string]string{"c1": "the tide turns", "docs/d.txt": "bread\n\nbutter 🧈"})
		got := b.chunks(t)
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("%s gives other chunks:\n%s", name, diff)
		}
	}
	if len(first) != 3 || first[1].ID != "c2" || first[1].DocID != "d" || !slices.Equal(first[1].Headings, []string{"H1", "H2"}) ||
		first[2].Points != (rag.Span{Start: 7, End: 15}) || first[2].Ordinal != 1 || first[0].DocID != "c1" {
		t.Errorf("chunks %+v", first)
	}
}

func TestSpansLayOutADocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ list, text string }{
		"overlapping": {`{"chunk_id":"a","doc_id":"d","span":{"start":0,"end":6},"text":"𠮷野家の夜は"}
{"chunk_id":"b","doc_id":"d","span":{"start":4,"end":9},"text":"夜は長い。"}`, "𠮷野家の夜は長い。"},
		"with a gap": {`{"chunk_id":"a","doc_id":"d","span":{"start":2,"end":4},"text":"ab"}
{"chunk_id":"b","doc_id":"d","span":{"start":7,"end":8},"text":"c"}`, "\n\nab\n\n\nc"},
		"one inside another": {`{"chunk_id":"a","doc_id":"d","span":{"start":0,"end":5},"text":"abcde"}
{"chunk_id":"b","doc_id":"d","span":{"start":1,"end":3},"text":"bc"}`, "abcde"},
		// Where the spans do not fit the texts, the chunks follow one another.
		"wrong length": {`{"chunk_id":"a","doc_id":"d","span":{"start":0,"end":9},"text":"ab"}
{"chunk_id":"b","doc_id":"d","span":{"start":2,"end":3},"text":"c"}`, "ab\n\nc"},
		"in contradiction": {`{"chunk_id":"a","doc_id":"d","span":{"start":0,"end":2},"text":"ab"}
{"chunk_id":"b","doc_id":"d","span":{"start":1,"end":3},"text":"xy"}`, "ab\n\nxy"},
		"one missing": {`{"chunk_id":"a","doc_id":"d","span":{"start":0,"end":2},"text":"ab"}
{"chunk_id":"b","doc_id":"d","text":"c"}`, "ab\n\nc"},
		"out of all proportion": {`{"chunk_id":"a","doc_id":"d","span":{"start":1000000000000,"end":1000000000002},"text":"ab"}`, "ab"},
		"negative":              {`{"chunk_id":"a","doc_id":"d","span":{"start":-2,"end":0},"text":"ab"}`, "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, librarytest.Model(t))
			b.mustLoad(t, c.list)
			want(t, "the library", b.held(t), map[string]string{"d": c.text})
		})
	}
}

func TestExportedChunksComeBackByteForByte(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"a.txt": strings.Repeat("潮水涨落，𠮷野家的灯还亮着。👩‍👩‍👧 <b>&amp;</b>\r\n", 12), "b.md": "# 标题\n\n正文。\n\n## 二\n\n" + strings.Repeat("更多正文。", 30),
		"c.txt": "\n\n\n   leading blanks are in no chunk", "empty.txt": "",
	})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	list := b.exported(t)
	other := newBench(t, librarytest.Model(t))
	other.mustLoad(t, list)
	if diff := cmp.Diff(list, other.exported(t)); diff != "" || strings.Count(list, "\n") < 12 {
		t.Errorf("%d lines; imported and exported again:\n%s", strings.Count(list, "\n"), diff)
	}
	for _, c := range other.chunks(t) {
		if text := other.held(t)[c.Source]; text[c.Span.Start:c.Span.End] != c.Text {
			t.Errorf("chunk %s is not at its span", c.ID)
		}
	}
	report := other.mustLoad(t, list)
	for _, o := range report.Outcomes {
		if o.Status != rag.StatusUnchanged {
			t.Errorf("%s is %s the second time", o.Source, o.Status)
		}
	}
	// Into the library it came from: the documents stay those of their files.
	report = b.mustLoad(t, list)
	if got := statuses(root, report); got["a.txt"] != "updated" {
		t.Errorf("into its own library: %v", got)
	}
	if diff := cmp.Diff(list, b.exported(t)); diff != "" {
		t.Errorf("exported after that:\n%s", diff)
	}
	if got := statuses(root, b.run(t, ingest.Options{Paths: []string{root}})); got["a.txt"] != "updated" || b.lib.Documents != 4 {
		t.Errorf("the file again: %v, %d documents", got, b.lib.Documents)
	}
}

func TestAChangedListUpdatesItsDocuments(t *testing.T) {
	t.Parallel()
	b := newBench(t, librarytest.Model(t))
	b.mustLoad(t, `{"chunk_id":"c1","doc_id":"d","text":"the tide turns"}`)
	report := b.mustLoad(t, `{"chunk_id":"c1","doc_id":"d","text":"the tide rests"}
{"chunk_id":"c9","doc_id":"d","text":"and turns"}`)
	want(t, "statuses", statuses("", report), map[string]string{"d": "updated"})
	want(t, "the library", b.held(t), map[string]string{"d": "the tide rests\n\nand turns"})
}

func TestMistakesAreNamedByLineAndNothingIsImported(t *testing.T) {
	t.Parallel()
	good := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `{"chunk_id":"c%d","text":"text %d"}`+"\n", i+1, i+1)
		}
		return s.String()
	}
	array := func(n int, then string) string {
		return "[\n" + strings.ReplaceAll(good(n), "}\n", "},\n") + then
	}
	for name, c := range map[string]struct {
		list   string
		line   string
		detail string
	}{
		"bad JSON on line 7":            {good(6) + "{\"chunk_id\":\"x\",\"text\":}\n" + good(1), "7", `json_syntax_line column="24"`},
		"bad JSON on line 7 of array":   {array(5, "{\"chunk_id\":\"x\",\"text\":},\n{}]"), "7", `json_syntax_line column="24"`},
		"no comma in an array":          {"[{\"chunk_id\":\"a\",\"text\":\"x\"}\n\n{\"chunk_id\":\"b\",\"text\":\"x\"}]", "3", `near="▸{\"chunk_id\"`},
		"array without end":             {array(2, `{"chunk_id":"x","text":"y"}`), "4", "json_end"},
		"text after the array":          {`[{"chunk_id":"x","text":"y"}]` + "\n\nmore", "3", `near="▸more"`},
		"duplicate id":                  {good(3) + `{"chunk_id":"c2","text":"again"}`, "4", `chunk_id_twice chunk="c2" first="2"`},
		"duplicate id in an array":      {array(3, `{"chunk_id":"c2","text":"again"}]`), "5", `chunk_id_twice chunk="c2" first="3"`},
		"element over several lines":    {"[{\n\"chunk_id\":\"a\",\n\"text\":\"x\"},\n{\n\"text\":\"y\"\n}]", "4", `chunk_field_blank field="chunk_id"`},
		"no id":                         {good(1) + `{"text":"x"}`, "2", `chunk_field_blank field="chunk_id"`},
		"no text":                       {good(1) + `{"chunk_id":"x"}`, "2", `chunk_field_blank field="text"`},
		"null text":                     {`{"chunk_id":"x","text":null}`, "1", `chunk_field_blank field="text"`},
		"blank text":                    {`{"chunk_id":"x","text":" \n "}`, "1", "chunk_field_blank"},
		"text that is a number":         {good(2) + `{"chunk_id":"x","text":5}`, "3", `json_type field="text" found="number" want="string"`},
		"headings that are no list":     {array(2, `{"chunk_id":"x","text":"y","metadata":{"headings":"H"}}]`), "4", `json_type field="metadata.headings"`},
		"a list of strings":             {`["text"]`, "1", `json_type field="" found="string" want="object"`},
		"an object over several lines":  {"{\n\"chunk_id\":\"x\"}", "1", "json_end"},
		"nothing":                       {"", "1", "chunks_none"},
		"an empty array":                {"[]", "1", "chunks_none"},
		"another encoding, on line two": {good(1) + "{\"chunk_id\":\"x\",\"text\":\"\xc4\xea\xbc\xd9\"}", "2", "line_not_utf8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, librarytest.Model(t))
			report, err := b.load(t, c.list)
			f := fault.Of(err)
			if !fault.Is(err, "chunks_invalid") || f.Params["line"] != c.line || !strings.Contains(f.Err.Error(), c.detail) || f.Params["file"] == "" {
				t.Errorf("%v, want line %s: …%s…", err, c.line, c.detail)
			}
			if len(report.Outcomes) != 0 || b.lib.Documents != 0 || b.lib.Revision != 0 {
				t.Errorf("%d documents came in", b.lib.Documents)
			}
		})
	}
}

func TestAChunkIDOfAnotherDocumentIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, librarytest.Model(t))
	b.mustLoad(t, `{"chunk_id":"c1","doc_id":"d1","source":"one.txt","text":"the tide turns"}
{"chunk_id":"c2","doc_id":"d1","source":"one.txt","text":"and turns"}`)
	before := b.exported(t)
	for _, list := range []string{
		`{"chunk_id":"new","doc_id":"d2","text":"bread"}` + "\n" + `{"chunk_id":"c2","doc_id":"d2","text":"butter"}`,
		// Even when the same list takes the chunk away from its document.
		`{"chunk_id":"c1","doc_id":"d1","source":"one.txt","text":"the tide turns"}` + "\n" + `{"chunk_id":"c2","doc_id":"d0","text":"and turns"}`,
	} {
		_, err := b.load(t, list)
		p := fault.Of(err).Params
		if !fault.Is(err, "chunk_id_taken") || p["line"] != "2" || p["chunk"] != "c2" || p["source"] != "one.txt" {
			t.Errorf("%v, want chunk_id_taken", err)
		}
		if after := b.exported(t); after != before {
			t.Errorf("the library changed:\n%s", cmp.Diff(before, after))
		}
	}
}

func TestAListThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, librarytest.Model(t))
	for path, code := range map[string]string{filepath.Join(t.TempDir(), "none.jsonl"): "not_found", t.TempDir(): "unreadable"} {
		p := &recorder{}
		_, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
			return ingest.ImportChunks(t.Context(), ports, b.lib, path, p)
		})
		if !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
	}
}

func TestABadVectorQuarantinesItsImportedDocument(t *testing.T) {
	t.Parallel()
	b := newBench(t, choosy{librarytest.Model(t), "cursed"})
	report := b.mustLoad(t, `{"chunk_id":"c1","text":"the tide turns"}
{"chunk_id":"c2","text":"cursed"}`)
	want(t, "statuses", statuses("", report), map[string]string{"c1": "indexed", "c2": "failed vector_invalid"})
}
