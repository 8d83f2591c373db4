package tokenize_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/rag"
	"ragdesk/backend/tokenize"
)

// The fixtures in testdata are what the reference tokenizers package makes of
// the same texts; build/fixtures/tokens.py writes them.

func names() []string {
	var names []string
	for _, e := range models.Embedders() {
		names = append(names, e.Name)
	}
	return names
}

func open(tb testing.TB, name string) tokenize.Encoder {
	tb.Helper()
	f := modelstest.Embedder(tb, name)
	wp, err := tokenize.Open(f.TokenizerPath, tokenize.Options{Lowercase: f.Lowercase})
	if err != nil {
		tb.Fatal(err)
	}
	return wp
}

func TestTokensEqualReference(t *testing.T) {
	t.Parallel()
	type result struct {
		IDs   []int32  `json:"ids"`
		Spans [][2]int `json:"spans"`
	}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wp := open(t, name)
			var cases []struct {
				Text string `json:"text"`
				result
			}
			readJSON(t, name+".texts.json", &cases)
			for _, c := range cases {
				got := result{IDs: []int32{}, Spans: [][2]int{}}
				for _, tok := range wp.Tokens(c.Text) {
					got.IDs = append(got.IDs, tok.ID)
					got.Spans = append(got.Spans, [2]int{tok.Span.Start, tok.Span.End})
				}
				if diff := cmp.Diff(c.result, got); diff != "" {
					t.Errorf("%q: (-reference +ours)\n%s", c.Text, diff)
				}
			}
		})
	}
}

func TestEveryCodePointEqualsReference(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wp := open(t, name)
			want := readDigests(t, name+".points")
			for b := range want {
				var s strings.Builder
				for c := rune(b * 256); c < rune(b*256+256); c++ {
					if c < 0xd800 || c > 0xdfff {
						fmt.Fprintf(&s, "a%cb %c1\n", c, c)
					}
				}
				if got := digest(wp.Tokens(s.String())); got != want[b] {
					t.Errorf("code points %04x to %04x: ids differ", b*256, b*256+255)
				}
			}
		})
	}
}

func TestDataSetsEqualReference(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		t.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	for _, name := range names() {
		for _, set := range []string{"cmrc2018", "drcd", "xquad_zh_en", "scifact", "clapnq"} {
			t.Run(name+"/"+set, func(t *testing.T) {
				t.Parallel()
				wp := open(t, name)
				equalDigests(t, wp, setTexts(t, filepath.Join(dir, set)), name+"."+set+".digests")
			})
		}
	}
}

// equalDigests checks that the ids of texts are those of a fixture.
func equalDigests(t *testing.T, tok rag.Tokenizer, texts []string, file string) {
	t.Helper()
	want := readDigests(t, file)
	if len(texts) != len(want) {
		t.Fatalf("%d texts, the fixture has %d", len(texts), len(want))
	}
	wrong, tokens := 0, 0
	for i, s := range texts {
		got := tok.Tokens(s)
		tokens += len(got)
		if digest(got) != want[i] {
			if wrong++; wrong <= 3 {
				t.Errorf("text %d: ids differ from the reference: %q", i, s)
			}
		}
	}
	t.Logf("%d texts, %d tokens, %d differ", len(texts), tokens, wrong)
}

// digest is the first four bytes of the SHA-256 of the ids.
func digest(tokens []rag.Token) [4]byte {
	raw := make([]byte, 0, 4*len(tokens))
	for _, tok := range tokens {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(tok.ID))
	}
	sum := sha256.Sum256(raw)
	return [4]byte(sum[:])
}

// setTexts reads titles and texts of a set's corpus, then its questions.
func setTexts(tb testing.TB, dir string) []string {
	tb.Helper()
	var texts []string
	eachLine(tb, filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
		var doc struct{ Title, Text string }
		err := json.Unmarshal(line, &doc)
		texts = append(texts, doc.Title, doc.Text)
		return err
	})
	eachLine(tb, filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
		var q struct{ Question string }
		err := json.Unmarshal(line, &q)
		texts = append(texts, q.Question)
		return err
	})
	return texts
}

func eachLine(tb testing.TB, path string, use func([]byte) error) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if err := use(lines.Bytes()); err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
}

func readJSON(tb testing.TB, file string, into any) {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(into); err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
}

func readDigests(tb testing.TB, file string) [][4]byte {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	if len(raw) == 0 || len(raw)%4 != 0 {
		tb.Fatalf("%s has %d bytes", file, len(raw))
	}
	list := make([][4]byte, len(raw)/4)
	for i := range list {
		list[i] = [4]byte(raw[4*i:])
	}
	return list
}

func BenchmarkTokens(b *testing.B) {
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		b.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	for _, name := range names() {
		for _, set := range []string{"cmrc2018", "xquad_zh_en"} {
			b.Run(name+"/"+set, func(b *testing.B) {
				wp := open(b, name)
				texts := setTexts(b, filepath.Join(dir, set))
				tokens := 0
				b.ReportAllocs()
				for b.Loop() {
					for _, s := range texts {
						tokens += len(wp.Tokens(s))
					}
				}
				b.ReportMetric(float64(tokens)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
			})
		}
	}
}
