package tokenize_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
	"ragdesk/backend/tokenize"
)

// charMapOf is a precompiled character map with one entry per first byte.
func charMapOf(entries map[string]string) []byte {
	var replacements []byte
	units := make([]uint32, 256)
	used := uint32(1)
	for key, to := range entries {
		at := uint32(0)
		if units[0] == 0 {
			units = append(units, make([]uint32, 256)...)
			units[0] = (used * 256) << 10
			used++
		}
		for i := 0; i < len(key); i++ {
			base := at ^ units[at]>>10
			at = base ^ uint32(key[i])
			units = append(units, make([]uint32, 256)...)
			units[at] = (at^used*256)<<10 | uint32(key[i])
			if i == len(key)-1 {
				units[at] |= 1 << 8
				units[used*256] = 1<<31 | uint32(len(replacements))
			}
			used++
		}
		replacements = append(append(replacements, to...), 0)
	}
	blob := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		blob = binary.LittleEndian.AppendUint32(blob, u)
	}
	return append(blob, replacements...)
}

// smallUnigram is a tokenizer.json whose parts tests change.
func smallUnigram() map[string]any {
	vocab := [][]any{
		{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0},
		{"▁", -3}, {"a", -4}, {"b", -4}, {"ab", -5}, {"▁ab", -9}, {"北京", -6}, {"北", -8}, {"\"\\\u00e9", -7}, {"bb", -8},
	}
	return map[string]any{
		"added_tokens": []map[string]any{
			{"id": 2, "content": "</s>"}, {"id": 3, "content": "<unk>"}, {"id": 13, "content": "<mask>", "lstrip": true},
		},
		"normalizer": map[string]any{
			"type": "Precompiled",
			"precompiled_charsmap": base64.StdEncoding.EncodeToString(charMapOf(map[string]string{
				"Ａ": "a", "c": "", "ß": "b-", "京\u0301": "x",
			})),
		},
		"pre_tokenizer": map[string]any{
			"type": "Sequence", "pretokenizers": []map[string]any{
				{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
			},
		},
		"model": map[string]any{"type": "Unigram", "unk_id": 3, "vocab": vocab},
	}
}

func TestUnigramRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []rag.Token
	}{
		{"the likeliest of several", "ab", []rag.Token{tok(4, 0, 1), tok(7, 0, 2)}},
		{"a sign a word", "a  b\n", []rag.Token{tok(4, 0, 1), tok(5, 0, 1), tok(4, 3, 4), tok(6, 3, 4)}},
		{"neighbouring unknown characters are one", "a?!北", []rag.Token{tok(4, 0, 1), tok(5, 0, 1), tok(3, 1, 3), tok(10, 3, 6)}},
		{"unknown across words are two", "? !", []rag.Token{tok(4, 0, 1), tok(3, 0, 1), tok(4, 2, 3), tok(3, 2, 3)}},
		{"of two equal ways the first found", "bb", []rag.Token{tok(4, 0, 1), tok(12, 0, 2)}},
		{"mapped characters", "Ａb", []rag.Token{tok(4, 0, 3), tok(7, 0, 4)}},
		{"one character becomes two", "ß", []rag.Token{tok(4, 0, 2), tok(6, 0, 2), tok(3, 0, 2)}},
		{"mapped to nothing", "cac", []rag.Token{tok(4, 1, 2), tok(5, 1, 2)}},
		{"a cluster of five bytes is mapped whole", "c\u0301a", []rag.Token{tok(4, 3, 4), tok(5, 3, 4)}},
		{"a longer one character by character", "c\u0301\u0301\u0301", []rag.Token{tok(4, 1, 3), tok(3, 1, 7)}},
		{"literal", "a</s>b", []rag.Token{tok(4, 0, 1), tok(5, 0, 1), tok(2, 1, 5), tok(4, 5, 6), tok(6, 5, 6)}},
		{"literal with the blanks before it", "a \u3000<mask>", []rag.Token{tok(4, 0, 1), tok(5, 0, 1), tok(13, 1, 11)}},
		{"escaped piece", "\"\\é", []rag.Token{tok(4, 0, 1), tok(11, 0, 4)}},
		{"bytes that are no UTF-8 are unknown", "\xff\xe5", []rag.Token{tok(4, 0, 1), tok(3, 0, 2)}},
		{"nothing", " \t\u3000", []rag.Token{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u, err := build(t, smallUnigram())
			if err != nil {
				t.Fatal(err)
			}
			got := u.Tokens(c.text)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			invariants(t, c.text, got)
		})
	}
}

func TestPairsCutThePassageAlone(t *testing.T) {
	t.Parallel()
	f := smallUnigram()
	word, err := build(t, small())
	if err != nil {
		t.Fatal(err)
	}
	uni, err := build(t, f)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		tok            tokenize.Encoder
		query, passage string
		limit          int
		want           tokenize.Pair
	}{
		{"all fits", word, "a", "北京", 10, tokenize.Pair{IDs: []int64{2, 12, 3, 9, 10, 3}, Types: []int64{0, 0, 0, 1, 1, 1}}},
		{"passage cut", word, "a", "北京", 5, tokenize.Pair{IDs: []int64{2, 12, 3, 9, 3}, Types: []int64{0, 0, 0, 1, 1}, PassageCut: 1}},
		{
			"query cut, half of the room left", word, "a a a a a", "北京 a a", 9,
			tokenize.Pair{IDs: []int64{2, 12, 12, 12, 3, 9, 10, 12, 3}, Types: []int64{0, 0, 0, 0, 0, 1, 1, 1, 1}, QueryCut: 2, PassageCut: 1},
		},
		{"short passage", word, "a a a a a", "北", 7, tokenize.Pair{IDs: []int64{2, 12, 12, 12, 3, 9, 3}, Types: []int64{0, 0, 0, 0, 0, 1, 1}, QueryCut: 2}},
		{"no room", word, "a", "北", 1, tokenize.Pair{IDs: []int64{2, 3, 3}, Types: []int64{0, 0, 1}, QueryCut: 1, PassageCut: 1}},
		{"two signs between", uni, "a", "b", 8, tokenize.Pair{IDs: []int64{0, 4, 5, 2, 2, 4, 6, 2}, Types: make([]int64, 8)}},
	} {
		if diff := cmp.Diff(c.want, c.tok.EncodePair(c.query, c.passage, c.limit)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
	long := word.EncodePair(strings.Repeat("a ", 600), strings.Repeat("北", 600), 512)
	if len(long.IDs) != 512 || long.PassageCut != 600-tokenize.LeastPassage || long.QueryCut != 600-(509-tokenize.LeastPassage) {
		t.Errorf("a long query: %d ids, %d and %d cut", len(long.IDs), long.QueryCut, long.PassageCut)
	}
}

func TestPostProcessors(t *testing.T) {
	t.Parallel()
	token := func(id string, typ int) map[string]any {
		return map[string]any{"SpecialToken": map[string]any{"id": id, "type_id": typ}}
	}
	seq := func(id string, typ int) map[string]any {
		return map[string]any{"Sequence": map[string]any{"id": id, "type_id": typ}}
	}
	specials := map[string]any{"X": map[string]any{"ids": []int{7}}, "Y": map[string]any{"ids": []int{8, 9}}, "Z": map[string]any{"ids": []int{6}}}
	template := func(single, pair []map[string]any) map[string]any {
		return map[string]any{"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": specials}
	}
	single := []map[string]any{token("X", 0), seq("A", 0), token("Z", 0)}
	for name, c := range map[string]struct {
		post       map[string]any
		ids, types []int64 // nil: refused
	}{
		"template": {
			template(single, []map[string]any{token("X", 0), seq("A", 0), token("Y", 0), seq("B", 2), token("Z", 2)}),
			[]int64{7, 4, 5, 8, 9, 4, 6, 6}, []int64{0, 0, 0, 0, 0, 2, 2, 2},
		},
		"bert":    {map[string]any{"type": "BertProcessing", "cls": []any{"<s>", 0}, "sep": []any{"</s>", 2}}, []int64{0, 4, 5, 2, 4, 6, 2}, []int64{0, 0, 0, 0, 1, 1, 1}},
		"roberta": {map[string]any{"type": "RobertaProcessing", "cls": []any{"<s>", 0}, "sep": []any{"</s>", 2}}, []int64{0, 4, 5, 2, 2, 4, 6, 2}, make([]int64, 8)},
		"nothing before A": {
			template([]map[string]any{seq("A", 0), token("Z", 0)}, nil), nil, nil,
		},
		"B first":           {template(single, []map[string]any{token("X", 0), seq("B", 0), token("Z", 0), seq("A", 0), token("Z", 0)}), nil, nil},
		"nothing between":   {template(single, []map[string]any{token("X", 0), seq("A", 0), seq("B", 0), token("Z", 0)}), nil, nil},
		"another frame":     {template(single, []map[string]any{token("Z", 0), seq("A", 0), token("Y", 0), seq("B", 0), token("Z", 0)}), nil, nil},
		"two as one":        {template([]map[string]any{token("X", 0), seq("A", 0), token("Z", 0), seq("B", 0), token("Z", 0)}, nil), nil, nil},
		"type of A":         {template([]map[string]any{token("X", 0), seq("A", 1), token("Z", 0)}, nil), nil, nil},
		"bert without sep":  {map[string]any{"type": "BertProcessing", "cls": []any{"<s>", 0}}, nil, nil},
		"cls without id":    {map[string]any{"type": "RobertaProcessing", "cls": []any{"<s>"}, "sep": "</s>"}, nil, nil},
		"another processor": {map[string]any{"type": "ByteLevel"}, nil, nil},
	} {
		f := smallUnigram()
		f["post_processor"] = c.post
		u, err := build(t, f)
		if c.ids == nil {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := u.EncodePair("a", "b", 20)
		if diff := cmp.Diff(tokenize.Pair{IDs: c.ids, Types: c.types}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestUnigramFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	model := func(key string, value any) func(map[string]any) {
		return func(f map[string]any) { f["model"].(map[string]any)[key] = value }
	}
	set := func(key string, value any) func(map[string]any) {
		return func(f map[string]any) { f[key] = value }
	}
	for name, change := range map[string]func(map[string]any){
		"bytes for the unknown":   model("byte_fallback", true),
		"no unknown token":        model("unk_id", nil),
		"unknown token outside":   model("unk_id", 99),
		"vocabulary as a map":     model("vocab", map[string]int{"a": 0}),
		"piece without score":     model("vocab", [][]any{{"a"}}),
		"no score but a word":     model("vocab", [][]any{{"<unk>", "x"}}),
		"no start token":          model("vocab", [][]any{{"a", 0}, {"b", 0}, {"c", 0}, {"d", -1}}),
		"another normalizer":      set("normalizer", map[string]any{"type": "NFKC"}),
		"another expression":      set("normalizer", map[string]any{"type": "Replace", "pattern": map[string]any{"Regex": "a+"}}),
		"map that is no base 64":  set("normalizer", map[string]any{"type": "Precompiled", "precompiled_charsmap": "*"}),
		"map cut short":           set("normalizer", map[string]any{"type": "Precompiled", "precompiled_charsmap": "AAEAAA=="}),
		"another pre-splitter":    set("pre_tokenizer", map[string]any{"type": "ByteLevel"}),
		"sign of two characters":  set("pre_tokenizer", map[string]any{"type": "Metaspace", "replacement": "▁▁"}),
		"sign before the first":   set("pre_tokenizer", map[string]any{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}),
		"whole words":             set("added_tokens", []map[string]any{{"id": 1, "content": "x", "single_word": true}}),
		"empty added token":       set("added_tokens", []map[string]any{{"id": 1, "content": ""}}),
		"Metaspace then at space": set("pre_tokenizer", map[string]any{"type": "Sequence", "pretokenizers": []map[string]any{{"type": "Metaspace", "replacement": "▁"}, {"type": "WhitespaceSplit"}}}),
	} {
		f := smallUnigram()
		change(f)
		if _, err := build(t, f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	raw, err := json.Marshal(smallUnigram())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokenize.New(raw, tokenize.Options{Lowercase: true}); err == nil {
		t.Error("lower case: no error")
	}
}

// message appends a length-delimited field of a protocol buffer.
func message(dst []byte, number uint64, content []byte) []byte {
	dst = binary.AppendUvarint(dst, number<<3|2)
	return append(binary.AppendUvarint(dst, uint64(len(content))), content...)
}

// smallModel is a sentencepiece model of the given type.
func smallModel(kind uint64, names ...string) []byte {
	var raw []byte
	for i, name := range names {
		p := message(nil, 1, []byte(name))
		p = binary.LittleEndian.AppendUint32(append(p, 2<<3|5), math.Float32bits(-float32(i)))
		raw = message(raw, 1, append(p, 3<<3, 1))
	}
	raw = message(raw, 2, binary.AppendUvarint([]byte{3 << 3}, kind))
	return message(raw, 3, message(message(nil, 1, []byte("nmt_nfkc")), 2, charMapOf(map[string]string{"Ａ": "a"})))
}

func TestSentencePieceModel(t *testing.T) {
	t.Parallel()
	u, err := tokenize.New(smallModel(1, "<unk>", "<s>", "</s>", "▁", "a", "▁b"), tokenize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const text = "Ａ  b <mask>a? "
	want := []rag.Token{
		tok(4, 0, 3), tok(5, 0, 3), tok(6, 3, 6), tok(7, 6, 13), tok(4, 13, 14), tok(5, 13, 14), tok(3, 14, 15),
	}
	if diff := cmp.Diff(want, u.Tokens(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if ids, _ := u.Encode("a", 9); !cmp.Equal(ids, []int64{0, 4, 5, 2}) {
		t.Errorf("ids %v", ids)
	}
	for name, raw := range map[string][]byte{
		"nothing":        nil,
		"another type":   smallModel(2, "<unk>", "<s>", "</s>", "a"),
		"other specials": smallModel(1, "<pad>", "</s>", "<unk>", "a"),
		"cut short":      smallModel(1, "<unk>", "<s>", "</s>", "a")[:20],
		"junk":           []byte("hello"),
	} {
		if _, err := tokenize.New(raw, tokenize.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSimplifiedReadsBothScriptsAlike(t *testing.T) {
	t.Parallel()
	if text.Simplified('國') == '國' {
		t.Skipf("needs the table of characters, run %q", "make assets")
	}
	word, uni := small(), smallUnigram()
	for i, c := range []string{"国", "图", "书", "馆"} {
		word["model"].(map[string]any)["vocab"].(map[string]int)[c] = 30 + i
		uni["model"].(map[string]any)["vocab"] = append(uni["model"].(map[string]any)["vocab"].([][]any), []any{c, -5 - i})
	}
	const traditional, simplified = "國圖書館，國", "国图书馆，国"
	for name, f := range map[string]map[string]any{"WordPiece": word, "Unigram": uni} {
		raw, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := tokenize.New(raw, tokenize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		simple, err := tokenize.New(raw, tokenize.Options{Simplify: true})
		if err != nil {
			t.Fatal(err)
		}
		want := plain.Tokens(simplified)
		if diff := cmp.Diff(want, simple.Tokens(traditional)); diff != "" {
			t.Errorf("%s, traditional: (-plain simplified +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(want, simple.Tokens(simplified)); diff != "" {
			t.Errorf("%s, simplified: (-plain +got)\n%s", name, diff)
		}
		if cmp.Equal(want, plain.Tokens(traditional)) {
			t.Errorf("%s: the option changes nothing", name)
		}
		if plain.Fingerprint() == simple.Fingerprint() {
			t.Errorf("%s: the option is not in the fingerprint", name)
		}
	}
}

func FuzzUnigram(f *testing.F) {
	for _, seed := range []string{"", "ab 北京</s> <mask>", "\xff\xe5c\u0301", "\r\n\u0600a \u0600\u1100\u1161", "\u00a9\u200d\u2122ß▁▁ ▁"} {
		f.Add(seed)
	}
	u, err := build(f, smallUnigram())
	if err != nil {
		f.Fatal(err)
	}
	spm, err := tokenize.New(smallModel(1, "<unk>", "<s>", "</s>", "▁", "a", "▁b"), tokenize.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range []tokenize.Encoder{u, spm} {
			tokens := tok.Tokens(text)
			invariants(t, text, tokens)
			p := tok.EncodePair(text, text, 9)
			if len(p.IDs) > 9 || len(p.IDs) != len(p.Types) || p.QueryCut+p.PassageCut+len(p.IDs)-4 != 2*len(tokens) {
				t.Fatalf("%q: %+v of twice %d tokens", text, p, len(tokens))
			}
		}
	})
}

func FuzzNewUnigram(f *testing.F) {
	raw, err := json.Marshal(smallUnigram())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(smallModel(1, "<unk>", "<s>", "</s>", "▁", "a"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		u, err := tokenize.New(raw, tokenize.Options{})
		if err != nil {
			return
		}
		invariants(t, "ab 北Ａc\u0301 ß", u.Tokens("ab 北Ａc\u0301 ß"))
	})
}
