package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

var update = flag.Bool("update", false, "write golden files anew")

// skill is how often a strategy puts the right passage first, within
// the first three, within the first five, and within the list.
type skill struct {
	strategy                 string
	first, three, five, list float64
	ms                       float64
}

func compared(t *testing.T, all []runs.Stored) runs.Experiment {
	t.Helper()
	exp, err := evaluate.Compare(t.Context(), all, evaluate.Choices{
		Metrics: []string{"hit_rate@5", "recall@5", "precision@5", "mrr@10", "ndcg@10", "faithfulness"}, Seed: 11, Resamples: 2000,
	})
	if err != nil {
		t.Fatal(err)
	}
	return exp
}

// phrases are questions with their document and the passage that answers them.
var phrases = []struct{ lang, question, doc, quote string }{
	{"zh", "入职满三年后年假有几天？", "制度/休假管理办法.md", "员工连续工作满三年不满五年的，年休假为八天。"},
	{"zh", "服务器资源不够用时，扩容要走什么流程？", "运维/动态扩容手册.md", "当集群平均负载连续十五分钟超过 80 % 时，由值班工程师发起扩容。"},
	{"zh", "两个向量距离很近，说明内容相似还是不相似？", "检索/向量检索原理.md", "距离越小，语义越接近。"},
	{"en", "How many days before a trip must a visa be requested?", "handbook/travel.md", "Visa requests are filed at least twenty working days before departure."},
	{"en", "Who signs off a change to the production schema?", "handbook/release/schema-changes.md", "Schema changes need the approval of the data owner and of one reviewer."},
	{"zh", "哪些费用不能报销？", "制度/差旅报销.md", "个人娱乐、罚款与超标部分不予报销。"},
	{"en", "What is not covered by the travel insurance?", "handbook/travel.md", "Losses caused by gross negligence are excluded."},
	{"zh", "BM25 与向量检索相比，更擅长哪一类查询？", "检索/混合检索.md", "含专有名词、编号与代码的查询，BM25 更可靠。"},
}

// stored are runs over n questions in both languages, made from a seed: their numbers
// mean nothing.
func stored(t *testing.T, n int, skills []skill) []runs.Stored {
	t.Helper()
	types := []string{"factual", "reasoning", "multi_hop", "comparison", "negation", "unanswerable"}
	var out []runs.Stored
	for i, s := range skills {
		p, err := rag.ParseStrategy(s.strategy)
		if err != nil {
			t.Fatal(err)
		}
		if p.Reranker != rag.RerankNone {
			p.Reranker = rag.RerankLateInteraction
		}
		r := runs.Stored{Run: runs.Run{
			Format: runs.Format, Name: s.strategy, Strategy: s.strategy, Pipeline: p, Depth: 10, Seed: 11, Primary: "ndcg@10",
			Created: time.Date(2026, 3, 4, 5, 6, i, 0, time.UTC), Fingerprint: fmt.Sprintf("5c1e%012x", i+10), Relevance: "contains", Unit: "chunk",
			Metrics: []string{"ndcg@10"}, Gain: "exponential",
			Library: runs.Library{
				KB: "sample", Fingerprint: "8aa0", Documents: 41, Chunks: 356, Chunker: "tokens", ChunkSize: 256, ChunkOverlap: 48,
				Embedder: "bge-small-zh-v1.5",
			},
			Dataset: runs.Dataset{Name: "sample-questions", Hash: "0f3c9a77be12aa", Questions: n},
			Program: runs.Program{Version: "1.0.0", Go: "go1.26", OS: "linux", Arch: "amd64", CPUs: 2},
		}}
		r.ID = runs.NewID(r.Run)
		r.Timing.Workers = 2
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		shared := rand.New(rand.NewPCG(5, 9)) // how hard a question is, the same for all
		for q := range n {
			r.Records = append(r.Records, record(q, types[q%len(types)], s, shared.Float64(), rng))
			ms := map[string]float64{"total": s.ms * (.8 + .5*rng.Float64())}
			for _, stage := range p.Stages() {
				ms[string(stage)] = map[rag.Stage]float64{
					rag.StageVector: 17, rag.StageBM25: 3.6, rag.StageFusion: .08, rag.StageRerank: 182,
				}[stage] * (.8 + .5*rng.Float64())
			}
			r.Timing.Queries = append(r.Timing.Queries, runs.QueryTiming{QueryID: r.Records[q].QueryID, MS: ms})
		}
		if i == 1 {
			r.Note = "=换了一个|重排模型\n第二行"
		}
		out = append(out, r)
	}
	return out
}

// record is one question: its hardness and some luck say where the passage stands.
func record(q int, kind string, s skill, hard float64, rng *rand.Rand) runs.Record {
	p := phrases[q%len(phrases)]
	r := runs.Record{
		QueryID: fmt.Sprintf("q%03d", q+1), Query: p.question, Type: kind, Lang: p.lang, Cluster: fmt.Sprintf("q%03d", q+1),
		Answerable: kind != "unanswerable", Expected: []runs.Expected{}, Dropped: []runs.Dropped{}, Relevant: []runs.Relevant{},
	}
	at := 0
	switch x := .55*hard + .45*rng.Float64(); {
	case x < s.first:
		at = 1
	case x < s.three:
		at = 2 + rng.IntN(2)
	case x < s.five:
		at = 4 + rng.IntN(2)
	case x < s.list:
		at = 6 + rng.IntN(5)
	}
	gold := rag.ChunkID(fmt.Sprintf("c%03d", q))
	if r.Answerable {
		r.Expected = []runs.Expected{{Doc: p.doc, Quote: p.quote}}
		r.HasGold, r.Ideal, r.Relevant = true, []int{2}, []runs.Relevant{{ID: string(gold), Grade: 2}}
	}
	for i := range 10 {
		other := phrases[(q+i+1)%len(phrases)]
		h := runs.Retrieved{
			ChunkID: rag.ChunkID(fmt.Sprintf("x%d-%d", q, i)), DocID: "d", Source: other.doc, Rank: i + 1,
			Score: 1 / float64(i+2), ScoreStage: rag.StageVector, Units: []int{}, Excerpt: other.quote,
		}
		if i+1 == at && r.Answerable {
			h.ChunkID, h.Source, h.Excerpt, h.Grade = gold, p.doc, p.quote, 2
		}
		r.Retrieved = append(r.Retrieved, h)
	}
	if kind == "negation" && q%12 == 4 && r.Answerable {
		split := runs.SplitByChunking
		r.Ideal, r.Relevant, r.Unreachable = []int{}, []runs.Relevant{}, &split
		for i := range r.Retrieved {
			r.Retrieved[i].Grade = 0
		}
	}
	return r
}

func golden(t *testing.T, name string, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs; run with -update and read the diff", path)
	}
	return b.Bytes()
}
