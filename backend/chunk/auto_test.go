package chunk_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ragdesk/backend/chunk"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

// spans returns where c cuts doc.
func spans(tb testing.TB, c rag.Chunker, doc rag.Document) []rag.Span {
	tb.Helper()
	chunks, err := c.Chunk(tb.Context(), doc)
	if err != nil {
		tb.Fatal(err)
	}
	out := make([]rag.Span, len(chunks))
	for i, c := range chunks {
		out[i] = c.Span
	}
	return out
}

// chosen returns the kinds whose chunks of doc are those of auto.
func chosen(tb testing.TB, doc rag.Document) string {
	tb.Helper()
	tok := ragtest.WordTokenizer{}
	cut := func(kind string) []rag.Span {
		return spans(tb, newChunker(tb, chunk.Config{Kind: kind, Size: 40, Overlap: 10, Tokenizer: tok}), doc)
	}
	auto := cut(chunk.KindAuto)
	var same []string
	for _, kind := range []string{chunk.KindTokens, chunk.KindHeadings, chunk.KindCode, chunk.KindLaw, chunk.KindDialogue, chunk.KindTable} {
		if reflect.DeepEqual(auto, cut(kind)) {
			same = append(same, kind)
		}
	}
	return strings.Join(same, " ")
}

func TestAutoChoosesByFile(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{chunk.KindCode, chunk.KindLaw, chunk.KindDialogue, chunk.KindHeadings, chunk.KindTable} {
		files, err := filepath.Glob(filepath.Join("testdata", "cuts", kind, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			if got := chosen(t, parsed(t, file)); !strings.Contains(got, kind) || strings.Contains(got, chunk.KindTokens) {
				t.Errorf("%s is cut as %q, want %s", file, got, kind)
			}
		}
	}
}

// Texts that look like a statute or a dialogue at a glance and are neither.
func TestAutoIsNotMisled(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"articles are referred to": strings.Repeat("第三条规定了经营者的义务，第四条规定了使用人的义务。学者认为，第五条的适用范围过宽，应当限缩解释。\n", 12),
		"numbered opinions":        "第一条意见是加强管理。\n第二条意见是提高效率。\n第三条意见是改善服务。\n第四条意见是降低成本。\n第五条意见是培养人才。\n",
		"chapters of a novel":      "第一章 雨夜\n\n那天晚上下着雨，他一个人走在街上。\n\n第二章 来信\n\n信是从北方寄来的，信封已经湿了。\n\n第三章 归途\n\n火车开了两天两夜，窗外都是雪。\n",
		"sections of a manual": "Section 1 Unpacking\nOpen the box with care.\n\nSection 2 Assembly\nPut the legs on the table.\n\n" +
			"Section 3 Use\nPlace the table on firm ground.\n\nSection 4 Care\nWipe it with a dry cloth.\n\nSection 5 Disposal\nTake it to the depot.\n",
		"settings": strings.Repeat("name: station\nport: 8080\nhost: example.org\nmode: fast\n", 8),
		"records": strings.Repeat("Customer: Anna Berg. She lives in the north.\nOrder: Twelve chairs, oak.\nRemark: Call before delivery.\n\n", 8) +
			"Customer: Last one.\n",
		"people by field": strings.Repeat("姓名：张三\n年龄：三十\n城市：北京\n\n", 8),
		"log":             strings.Repeat("[10:02] INFO: started the server.\n[10:03] ERROR: lost the connection.\n[10:03] WARN: trying again.\n", 8),
		"notes": "注意：开机以前请检查电源。\n说明：红灯表示故障。\n注意：雨天不要使用。\n说明：绿灯表示正常。\n提示：定期清洁。\n" +
			"注意：不要自行拆卸。\n说明：保修一年。\n",
		"definitions": "Recall: the share of relevant passages that were found.\nPrecision: the share of found passages that are relevant.\n" +
			"Rank: the place in the list.\nDepth: how far the list goes.\nGain: what a grade is worth.\nQuery: what is asked.\nHit: what is found.\n",
		"one who speaks":  strings.Repeat("Host: Welcome to the show, dear listeners.\nThis is a long story about the sea.\nIt goes on for many lines.\n", 8),
		"times of a day":  strings.Repeat("10:00 Opening of the hall. All are welcome.\n11:30 First talk. The sea.\n14:00 Second talk. The wind.\n", 6),
		"prose":           strings.Repeat("The wind came from the north. It brought rain: cold, thin rain. Nobody went out.\n\n", 12),
		"Chinese prose":   strings.Repeat("他说：“风从北方来。”大家都没有说话：雨已经下了三天。\n\n", 12),
		"recipe":          "Step 1: Boil the water.\nStep 2: Add the salt.\nStep 3: Add the rice.\nStep 4: Wait.\nStep 5: Drain it.\nStep 6: Serve.\nStep 7: Eat.\n",
		"addresses":       strings.Repeat("http://example.org/a\nhttp://example.org/b\n", 10),
		"mail":            "From: Anna\nTo: Bob\nSubject: Boats\nDate: Monday\n\nDear Bob,\n\nthe boats are ready. Come and see them.\n\nAnna\n",
		"code in a .txt":  strings.Repeat("func main() {\n\tprintln(1)\n}\n", 10),
		"questions alone": strings.Repeat("Q: What is it? And why?\n", 12),
	} {
		doc := rag.Document{ID: "d", Source: "a.txt", Text: s, MediaType: "text/plain"}
		if got := chosen(t, doc); !strings.Contains(got, chunk.KindTokens) {
			t.Errorf("%s: cut as %q, want tokens", name, got)
		}
	}
}

// Documents of the data sets are prose.
func TestAutoOfRealProse(t *testing.T) {
	t.Parallel()
	tok := ragtest.WordTokenizer{}
	for _, set := range []string{"cmrc2018", "drcd", "scifact", "hotpotqa_sample"} {
		auto := newChunker(t, chunk.Config{Kind: chunk.KindAuto, Size: 200, Overlap: 50, Tokenizer: tok})
		plain := newChunker(t, chunk.Config{Kind: chunk.KindTokens, Size: 200, Overlap: 50, Tokenizer: tok})
		for _, doc := range evalDocuments(t, set) {
			if !reflect.DeepEqual(spans(t, auto, doc), spans(t, plain, doc)) {
				t.Errorf("%s %s is not cut as tokens: %.200s", set, doc.ID, doc.Text)
			}
		}
	}
}

func TestAutoNamesItsRules(t *testing.T) {
	t.Parallel()
	tok := ragtest.WordTokenizer{}
	seen := map[string]bool{}
	for _, kind := range packing() {
		f := newChunker(t, chunk.Config{Kind: kind, Size: 40, Overlap: 10, Tokenizer: tok}).Fingerprint()
		if seen[f] || !strings.HasPrefix(f, kind+"/") {
			t.Errorf("%s: fingerprint %q", kind, f)
		}
		seen[f] = true
		other := newChunker(t, chunk.Config{Kind: kind, Size: 41, Overlap: 10, Tokenizer: tok}).Fingerprint()
		if other == f {
			t.Errorf("%s: the size is not in the fingerprint", kind)
		}
	}
	const want = "auto/1 (code/1 dialogue/1 headings/2 law/1 table/1 tokens/1) size=40 overlap=10 tokenizer=words/0"
	if got := newChunker(t, chunk.Config{Kind: chunk.KindAuto, Size: 40, Overlap: 10, Tokenizer: tok}).Fingerprint(); got != want {
		t.Errorf("fingerprint %q, want %q", got, want)
	}
}

// Files of many formats, cut by every kind, against the invariants.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder with sample files")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	read, tok := 0, ragtest.WordTokenizer{Piece: 4}
	for _, file := range files {
		if filepath.Ext(file) == ".pdf" {
			continue // PDFium takes longer to start than everything here
		}
		doc, ok := tryParse(t, file)
		if !ok {
			continue // what a parser refuses is not for chunkers
		}
		read++
		for _, kind := range packing() {
			c := newChunker(t, chunk.Config{Kind: kind, Size: 120, Overlap: 30, Tokenizer: tok})
			chunks, err := c.Chunk(t.Context(), doc)
			if err != nil {
				t.Fatal(err)
			}
			ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Size: 120, Tokenizer: tok})
		}
	}
	if read == 0 {
		t.Error("no file was read")
	}
}
