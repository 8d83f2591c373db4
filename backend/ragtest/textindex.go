package ragtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/rag"
)

// Text is a chunk of a text index under test.
type Text struct {
	ID   rag.ChunkID
	Text string
}

// LoadTexts makes the text index under test.
type LoadTexts func(ctx context.Context, texts []Text) (rag.TextIndex, error)

// TestTextIndex holds an implementation of rag.TextIndex against the contract:
// BM25 by the ordering rule, the same numbers from Search and Score, Chinese and
// English found however they are written, and an answer to any query.
func TestTextIndex(t *testing.T, load LoadTexts) {
	t.Run("ranks what a query means", func(t *testing.T) { testTextRanking(t, load) })
	t.Run("finds nothing where nothing is", func(t *testing.T) { testTextNothing(t, load) })
	t.Run("takes any query", func(t *testing.T) { testTextOddQueries(t, load) })
	t.Run("asks for more than there is", func(t *testing.T) { testTextCounts(t, load) })
	t.Run("orders ties by id", func(t *testing.T) { testTextTies(t, load) })
	t.Run("scores as it searches", func(t *testing.T) { testTextScore(t, load) })
	t.Run("prefers rare, frequent and short", func(t *testing.T) { testTextBM25(t, load) })
	t.Run("returns nothing partial when cancelled", func(t *testing.T) { testTextCancel(t, load) })
	t.Run("answers concurrently", func(t *testing.T) { testTextConcurrent(t, load) })
	t.Run("closes", func(t *testing.T) { testTextClose(t, load) })
}

// RandomTexts returns n seeded chunks of Chinese and English words, some of them
// equal to others, and queries queries over the same words.
func RandomTexts(seed uint64, n, queries int) (texts []Text, asked []string) {
	words := strings.Fields(`北京 北方 京剧 南京市 长江大桥 猫咪 喜欢 研究 生命 起源 机器学习 算法 数据库 向量 检索 增强 生成
		大学 学生 会议 記憶 體積 電腦 程式 𠮷野家 の カレー 的 是 了 在 和 什么 多少 一九八四年 百分之三十
		search index the of running runs runner ranking BM25 GPT-4 C++ v1.5 2024 café naïve ＡＢＣ iPhone15 it's state-of-the-art`)
	marks := []string{"", "", "", "，", "。", " ", "\n", "、", ", ", "！"}
	rng := rand.New(rand.NewPCG(seed, 7))
	phrase := func(n int) string {
		var b strings.Builder
		for range n {
			// The minimum of two draws makes some words frequent and some rare.
			w := words[min(rng.IntN(len(words)), rng.IntN(len(words)))]
			b.WriteString(w)
			if w[0] < 0x80 {
				b.WriteByte(' ')
			}
			b.WriteString(marks[rng.IntN(len(marks))])
		}
		return b.String()
	}
	for i := range n {
		t := Text{ID: rag.ChunkID(fmt.Sprintf("t%05d", (i*7919)%100_003)), Text: phrase(1 + rng.IntN(60))}
		if i > 0 && rng.IntN(10) == 0 {
			t.Text = texts[rng.IntN(i)].Text
		}
		texts = append(texts, t)
	}
	for range queries {
		asked = append(asked, phrase(1+rng.IntN(8)))
	}
	return texts, asked
}

func mustLoadTexts(t *testing.T, load LoadTexts, texts ...Text) rag.TextIndex {
	t.Helper()
	x, err := load(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func mustFind(t *testing.T, x rag.TextIndex, query string, k int) []rag.Scored {
	t.Helper()
	hits, err := x.Search(t.Context(), query, k)
	if err != nil {
		t.Fatalf("Search(%q, %d): %v", query, k, err)
	}
	return hits
}

func testTextRanking(t *testing.T, load LoadTexts) {
	x := mustLoadTexts(t, load,
		Text{"beijing", "北京是中国的首都，每年有许多游客来访。"},
		Text{"opera", "北方的京剧很有名，北方人爱听京剧，京剧在北方流行。"},
		Text{"cat", "她一直喜欢猫咪，也养过两只。"},
		Text{"beef", "中午我们去了𠮷野家吃牛肉饭。"},
		Text{"abc", "The runners were running with ＡＢＣ cards."},
		Text{"memory", "電腦的記憶體容量決定了程式的速度。"},
		Text{"model", "We use bge-small-zh-v1.5 on an iPhone15, written in C++."},
		Text{"cafe", "Le café ﬁnest"},
	)
	for query, want := range map[string]rag.ChunkID{
		"北京": "beijing", "北京有多少游客": "beijing", "京剧": "opera", "猫": "cat", "貓": "cat",
		"𠮷野家": "beef", "𠮷": "beef", "野家": "beef",
		"abc": "abc", "ＡＢＣ": "abc", "Abc": "abc", "run": "abc", "runner": "abc", "card": "abc",
		"内存 容量": "memory", "计算机程式速度": "memory", "记忆体": "memory",
		"bge-small-zh-v1.5": "model", "bge small": "model", "iphone 15": "model", "IPHONE15": "model", "c++": "model",
		"cafe": "cafe", "CAFÉ": "cafe", "finest": "cafe", "机\u200b器 记\u200b忆体": "memory",
	} {
		hits := mustFind(t, x, query, 10)
		if len(hits) == 0 || hits[0].ID != want {
			t.Errorf("Search(%q) = %v, want %s first", query, hits, want)
		}
	}
}

func testTextNothing(t *testing.T, load LoadTexts) {
	empty := mustLoadTexts(t, load)
	full := mustLoadTexts(t, load, Text{"a", "苹果。！？ apple"}, Text{"b", ""}, Text{"c", "，。"})
	if empty.Count() != 0 || full.Count() != 3 {
		t.Errorf("Count() = %d and %d, want 0 and 3", empty.Count(), full.Count())
	}
	for _, query := range []string{"", " ", "\n\t", "。！？", "...", "?", "\u200b\ufeff", "\u3000", "😀", "\x00"} {
		if hits := mustFind(t, full, query, 10); len(hits) != 0 {
			t.Errorf("Search(%q) = %v, want nothing", query, hits)
		}
	}
	if hits := mustFind(t, full, "梨子 pear", 10); len(hits) != 0 {
		t.Errorf("Search of absent words = %v", hits)
	}
	if hits := mustFind(t, empty, "苹果", 10); len(hits) != 0 {
		t.Errorf("Search of an empty index = %v", hits)
	}
}

func testTextOddQueries(t *testing.T, load LoadTexts) {
	x := mustLoadTexts(t, load, Text{"a", `title:apple AND "red" 苹果`}, Text{"b", "banana 香蕉"})
	for query, finds := range map[string]bool{
		`+apple -banana`: true, `title:apple`: true, `"red apple"~2`: true, `(apple OR`: true, `app*`: false,
		`/a.*/`: false, `apple^99`: true, `的 the of`: false, "apple\xff\xfe苹果": true, "apple\x00": true,
		strings.Repeat("苹果 apple ", 5000): true, strings.Repeat("果", 3000): false, "苹\r\n果": true,
	} {
		if hits := mustFind(t, x, query, 10); (len(hits) > 0) != finds {
			t.Errorf("Search(%.40q) = %v, want hits %t", query, hits, finds)
		}
		if _, err := x.Score(t.Context(), query, []rag.ChunkID{"a", "b"}); err != nil {
			t.Errorf("Score(%.40q): %v", query, err)
		}
	}
}

func testTextCounts(t *testing.T, load LoadTexts) {
	texts, _ := RandomTexts(1, 40, 0)
	x := mustLoadTexts(t, load, texts...)
	if x.Count() != len(texts) {
		t.Errorf("Count() = %d, want %d", x.Count(), len(texts))
	}
	all := mustFind(t, x, "北京 京剧 search", 1000)
	for _, k := range []int{-1, 0, 1, 2, len(all) - 1, len(all), len(all) + 1} {
		want := all[:max(0, min(k, len(all)))]
		if got := mustFind(t, x, "北京 京剧 search", k); len(got) != len(want) || len(got) > 0 && !cmp.Equal(got, want) {
			t.Errorf("Search with k = %d gives %d hits, want the first %d", k, len(got), len(want))
		}
	}
}

func testTextTies(t *testing.T, load LoadTexts) {
	var texts []Text
	for i := range 60 {
		texts = append(texts, Text{rag.ChunkID(fmt.Sprintf("%03d", (i*37)%60)), "一样的文字 same text"})
	}
	texts = append(texts, Text{"zz", "文字 文字"})
	x := mustLoadTexts(t, load, texts...)
	for _, k := range []int{1, 5, 20, 59} {
		hits := mustFind(t, x, "文字", k)
		for i, h := range hits {
			want := rag.ChunkID(fmt.Sprintf("%03d", i-1))
			if i == 0 {
				want = "zz"
			}
			if h.ID != want {
				t.Fatalf("k = %d: hit %d is %s, want %s", k, i, h.ID, want)
			}
		}
	}
}

func testTextScore(t *testing.T, load LoadTexts) {
	texts, queries := RandomTexts(2, 120, 40)
	x := mustLoadTexts(t, load, texts...)
	for _, query := range queries {
		hits := mustFind(t, x, query, len(texts))
		found := map[rag.ChunkID]float64{}
		for i, h := range hits {
			if !(h.Score > 0) || i > 0 && rag.CompareScored(hits[i-1], h) >= 0 {
				t.Fatalf("Search(%q): hit %d %v after %v", query, i, h, hits[max(i-1, 0)])
			}
			found[h.ID] = h.Score
		}
		ids := []rag.ChunkID{"nobody", ""}
		for _, c := range texts {
			ids = append(ids, c.ID)
		}
		ids = append(ids, texts[0].ID) // asking twice is fine
		scores, err := x.Score(t.Context(), query, ids)
		if err != nil || len(scores) != len(ids) {
			t.Fatalf("Score(%q) = %d scores, %v; want %d", query, len(scores), err, len(ids))
		}
		for i, id := range ids {
			if scores[i] != found[id] {
				t.Errorf("Score(%q) of %q = %v, Search says %v", query, id, scores[i], found[id])
			}
		}
	}
	if scores, err := x.Score(t.Context(), "北京", nil); err != nil || len(scores) != 0 {
		t.Errorf("Score of no chunks = %v, %v", scores, err)
	}
}

func testTextBM25(t *testing.T, load LoadTexts) {
	x := mustLoadTexts(t, load,
		Text{"rare", "zebra stripes everywhere today"},
		Text{"common1", "horse stripes everywhere today"},
		Text{"common2", "horse colours everywhere today"},
		Text{"twice", "lion lion everywhere today"},
		Text{"once", "lion eats everywhere today"},
		Text{"short", "tiger"},
		Text{"long", "tiger walks quietly through very tall grass beside deep water every single night"},
	)
	for query, order := range map[string][]rag.ChunkID{
		"zebra horse": {"rare", "common1", "common2"},
		"lion":        {"twice", "once"},
		"tiger":       {"short", "long"},
	} {
		hits := mustFind(t, x, query, 10)
		var got []rag.ChunkID
		for _, h := range hits {
			got = append(got, h.ID)
		}
		if diff := cmp.Diff(order, got); diff != "" {
			t.Errorf("Search(%q) (-want +got):\n%s", query, diff)
		}
	}
	once, twice := mustFind(t, x, "tiger", 1)[0].Score, mustFind(t, x, "tiger tiger", 1)[0].Score
	if math.Abs(twice-2*once) > 1e-8 {
		t.Errorf("saying a word twice gives %v, once %v", twice, once)
	}
}

func testTextCancel(t *testing.T, load LoadTexts) {
	texts, _ := RandomTexts(3, 50, 0)
	x := mustLoadTexts(t, load, texts...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if hits, err := x.Search(ctx, "北京", 5); !errors.Is(err, context.Canceled) || hits != nil {
		t.Errorf("cancelled Search = %v, %v", hits, err)
	}
	if scores, err := x.Score(ctx, "北京", []rag.ChunkID{texts[0].ID}); !errors.Is(err, context.Canceled) || scores != nil {
		t.Errorf("cancelled Score = %v, %v", scores, err)
	}
}

func testTextConcurrent(t *testing.T, load LoadTexts) {
	texts, queries := RandomTexts(4, 200, 20)
	x := mustLoadTexts(t, load, texts...)
	want := make([][]rag.Scored, len(queries))
	for i, q := range queries {
		want[i] = mustFind(t, x, q, 10)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range queries {
				i := (i + worker) % len(queries)
				hits, err := x.Search(t.Context(), queries[i], 10)
				if err != nil || !cmp.Equal(hits, want[i]) {
					t.Errorf("worker %d: Search(%q) = %v, %v; want %v", worker, queries[i], hits, err, want[i])
				}
			}
		})
	}
	group.Wait()
}

func testTextClose(t *testing.T, load LoadTexts) {
	x := mustLoadTexts(t, load, Text{"a", "苹果"})
	for range 2 {
		if err := x.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := x.Search(t.Context(), "苹果", 1); err == nil {
		t.Error("Search of a closed index succeeds")
	}
	if _, err := x.Score(t.Context(), "苹果", []rag.ChunkID{"a"}); err == nil {
		t.Error("Score of a closed index succeeds")
	}
}
