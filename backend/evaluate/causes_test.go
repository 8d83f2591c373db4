package evaluate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// asked is a record of a question with gold whose list is of other chunks, the relevant
// one at rank first, and an answer from the first hits.
func asked(first, prompted int, change func(*runs.Record)) runs.Record {
	r := runs.Record{QueryID: "q", Query: "q", Answerable: true, HasGold: true, Relevant: []runs.Relevant{{ID: "gold", Grade: 2}}}
	for i := 1; i <= 10; i++ {
		h := runs.Retrieved{ChunkID: rag.ChunkID("other" + string(rune('a'+i))), Rank: i}
		if i == first {
			h.ChunkID, h.Grade = "gold", 2
		}
		r.Retrieved = append(r.Retrieved, h)
	}
	if first > 0 {
		r.First = &first
	}
	if prompted > 0 {
		r.Answer = &runs.Answer{Text: "an answer", Label: "faithful", Claims: []runs.Claim{}, Citations: []runs.Citation{}}
		for _, h := range r.Retrieved[:prompted] {
			r.Answer.Context = append(r.Answer.Context, h.ChunkID)
		}
	}
	if change != nil {
		change(&r)
	}
	return r
}

// claim rests on a passage of the context, none when at is negative.
func claim(v rag.ClaimVerdict, at int) runs.Claim {
	c := runs.Claim{Text: "x", Verdict: string(v)}
	if at >= 0 {
		c.Evidence = &runs.ClaimEvidence{Context: at}
	}
	return c
}

// says gives the answer claims; it is hallucinated when one is not supported.
func says(r *runs.Record, claims ...runs.Claim) {
	r.Answer.Claims = claims
	for _, c := range claims {
		if c.Verdict != string(rag.Supported) {
			r.Answer.Label = "hallucinated"
		}
	}
}

// referred compares the answer with a reference of n words, hit of them in the answer.
func referred(r *runs.Record, contains bool, hit, n int) {
	r.Answer.Reference = &runs.Reference{Contains: &contains, TP: hit, FN: n - hit}
}

func TestTreeOfCauses(t *testing.T) {
	t.Parallel()
	split, foreign := runs.SplitByChunking, runs.NotIndexed
	gone := []runs.Dropped{{ChunkID: "gold", Stage: rag.StageRerank}}
	everythingWrong := func(r *runs.Record) {
		says(r, claim(rag.Contradicted, 0), claim(rag.Unverifiable, -1))
		r.Answer.Citations = []runs.Citation{{Marker: 1, ChunkID: "gold", State: "wrong"}}
	}
	for name, c := range map[string]struct {
		record runs.Record
		want   runs.Cause
	}{
		"found, without an answer": {asked(5, 0, nil), ""},
		"not indexed":              {asked(0, 0, func(r *runs.Record) { r.Relevant, r.Unreachable = nil, &foreign }), runs.NotIndexed},
		"split":                    {asked(0, 0, func(r *runs.Record) { r.Relevant, r.Unreachable = nil, &split }), runs.SplitByChunking},
		"not retrieved":            {asked(0, 0, nil), runs.NotRetrieved},
		"ranked low":               {asked(6, 0, nil), runs.RankedLow},
		"ranked low and dropped":   {asked(6, 0, func(r *runs.Record) { r.Dropped = gone }), runs.RankedLow},
		"dropped":                  {asked(0, 0, func(r *runs.Record) { r.Dropped = gone }), runs.DroppedByThreshold},
		"not searched":             {asked(0, 0, func(r *runs.Record) { r.Error = &runs.Failure{Code: "x"} }), ""},
		"stale":                    {asked(0, 0, func(r *runs.Record) { r.Stale = true }), ""},
		"retrieval before answers": {asked(0, 5, everythingWrong), runs.NotRetrieved},

		"right":                  {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 0)); referred(r, true, 2, 2) }), ""},
		"good, no reference":     {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 0)) }), ""},
		"below the prompt":       {asked(4, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 0)) }), runs.CutFromPrompt},
		"below, and refused":     {asked(4, 3, func(r *runs.Record) { r.Answer.Abstained, r.Answer.Label = true, "" }), runs.CutFromPrompt},
		"below, and invented":    {asked(4, 3, everythingWrong), runs.CutFromPrompt},
		"below, and right":       {asked(4, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 0)); referred(r, true, 1, 1) }), ""},
		"rests on others":        {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 2)) }), runs.Ignored},
		"on others, contradicts": {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 2), claim(rag.Contradicted, 1)) }), runs.Ignored},
		"on others, yet right":   {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 2)); referred(r, true, 1, 1) }), ""},
		"leaves out the answer":  {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 0)); referred(r, false, 1, 3) }), runs.Ignored},
		"has half of it":         {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Supported, 0)); referred(r, false, 2, 3) }), ""},
		"no key point": {asked(1, 3, func(r *runs.Record) {
			says(r, claim(rag.Supported, 0))
			r.Answer.Reference = &runs.Reference{KeyPoints: []runs.KeyPoint{{Text: "a"}, {Text: "b"}}}
		}), runs.Ignored},
		"one key point": {asked(1, 3, func(r *runs.Record) {
			says(r, claim(rag.Supported, 0))
			r.Answer.Reference = &runs.Reference{KeyPoints: []runs.KeyPoint{{Text: "a", Stated: true}, {Text: "b"}}}
		}), ""},
		"contradicts":             {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Contradicted, 0)) }), runs.Contradicted},
		"contradicts, lacks":      {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Contradicted, 0)); referred(r, false, 0, 3) }), runs.Contradicted},
		"contradicts and invents": {asked(1, 3, everythingWrong), runs.Contradicted},
		"right, and invents": {asked(1, 3, func(r *runs.Record) {
			says(r, claim(rag.Supported, 0), claim(rag.Unverifiable, -1))
			referred(r, true, 1, 1)
		}), runs.Fabricated},
		"all invented": {asked(1, 3, func(r *runs.Record) { says(r, claim(rag.Unverifiable, 2)) }), runs.Fabricated},
		"invents and miscites": {asked(1, 3, func(r *runs.Record) {
			says(r, claim(rag.Unverifiable, -1))
			r.Answer.Citations = []runs.Citation{{Marker: 1, ChunkID: "gold", State: "wrong"}}
		}), runs.Fabricated},
		"miscites": {asked(1, 3, func(r *runs.Record) {
			says(r, claim(rag.Supported, 0))
			r.Answer.Citations = []runs.Citation{{Marker: 2, ChunkID: "otherc", State: "wrong"}, {State: "missing"}}
		}), runs.WrongCitation},
		"leaves a source out": {asked(1, 3, func(r *runs.Record) {
			says(r, claim(rag.Supported, 0))
			r.Answer.Citations = []runs.Citation{{State: "missing"}}
		}), ""},
		"refuses":            {asked(1, 3, func(r *runs.Record) { r.Answer.Abstained, r.Answer.Label = true, "" }), runs.WrongRefusal},
		"unscored":           {asked(1, 3, func(r *runs.Record) { r.Answer.Label = "unscored" }), ""},
		"not had":            {asked(1, 3, func(r *runs.Record) { *r.Answer = runs.Answer{Error: &runs.Failure{Code: "llm_none"}} }), ""},
		"no gold":            {asked(0, 0, func(r *runs.Record) { r.Answerable = false }), ""},
		"no gold, refused":   {asked(0, 3, func(r *runs.Record) { r.Answerable, r.Answer.Abstained, r.Answer.Label = false, true, "" }), ""},
		"no gold, quoted":    {asked(0, 3, func(r *runs.Record) { r.Answerable = false; says(r, claim(rag.Supported, 0)) }), runs.NoiseFollowed},
		"no gold, invented":  {asked(0, 3, func(r *runs.Record) { r.Answerable = false; says(r, claim(rag.Unverifiable, 0)) }), runs.Fabricated},
		"no gold, otherwise": {asked(0, 3, func(r *runs.Record) { r.Answerable = false; everythingWrong(r) }), runs.Contradicted},
	} {
		if got := evaluate.DiagnoseRecord(c.record, c.record.First); got != c.want {
			t.Errorf("%s: cause %q, want %q", name, got, c.want)
		}
	}
}

// TestBucketsOfCauses holds each cause to its bucket, and retrieval's to the missed.
func TestBucketsOfCauses(t *testing.T) {
	t.Parallel()
	var missed, noise, unfaithful, retrieval []runs.Cause
	for _, c := range runs.Causes() {
		switch c.Bucket() {
		case runs.BucketMissed:
			missed = append(missed, c)
		case runs.BucketNoise:
			noise = append(noise, c)
		default:
			unfaithful = append(unfaithful, c)
		}
		if c.Retrieval() {
			retrieval = append(retrieval, c)
		}
	}
	for name, pair := range map[string][2][]runs.Cause{
		"missed":     {missed, {runs.NotIndexed, runs.SplitByChunking, runs.NotRetrieved, runs.RankedLow, runs.DroppedByThreshold, runs.CutFromPrompt}},
		"noise":      {noise, {runs.Ignored, runs.NoiseFollowed, runs.WrongRefusal}},
		"unfaithful": {unfaithful, {runs.Contradicted, runs.Fabricated, runs.WrongCitation}},
		"retrieval":  {retrieval, missed[:5]},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// evaluated is an evaluation of answers to four questions, two strategies apart: bm25
// finds nothing for "lost", and what is answered depends on what came.
func diagnosed(t *testing.T) runs.Experiment {
	t.Helper()
	answers := scripted{
		"right":    {Text: "ten", Label: "faithful", Claims: []runs.Claim{claim(rag.Supported, 0)}},
		"lost":     {Text: "ten", Label: "faithful", Claims: []runs.Claim{claim(rag.Supported, 0)}},
		"made up":  {Text: "ten", Label: "hallucinated", Claims: []runs.Claim{claim(rag.Unverifiable, 0)}},
		"no gold":  {Text: "ten", Label: "faithful", Claims: []runs.Claim{claim(rag.Supported, 0)}},
		"unscored": {Text: "dix", Label: "unscored", Reason: "unsupported_language"},
	}
	s := &script{lists: map[string]map[string][]rag.ChunkID{"bm25": {}, "hybrid": {}}}
	setup := evaluate.Setup{
		Entries:  []evaluate.Entry{{Pipeline: strategy(t, "bm25")}, {Pipeline: strategy(t, "hybrid")}},
		Searcher: s, Answerer: answers, Answering: &runs.Answering{Model: "extractive", Detector: "evidence"},
		Metrics: []string{"Hit@5", "faithfulness"}, Now: started(), Resamples: 200,
		Library: runs.Library{KB: "my notes"}, Dataset: runs.Dataset{Name: "asked", Ref: "./asked.jsonl"},
	}
	var judge labels
	for _, name := range []string{"right", "lost", "made up", "no gold", "unscored"} {
		setup.Questions = append(setup.Questions, evaluate.Question{ID: name, Text: name, Answerable: name != "no gold"})
		s.lists["hybrid"][name] = []rag.ChunkID{"gold", "other"}
		s.lists["bm25"][name] = []rag.ChunkID{"gold", "other"}
		l := label{grades: map[rag.ChunkID]int{"gold": 1}}
		if name == "no gold" {
			l = label{}
		}
		judge = append(judge, l)
	}
	s.lists["bm25"]["lost"] = []rag.ChunkID{"other"}
	setup.Judge = judge
	return run(t, setup)
}

// TestDiagnosis counts causes over all questions that could be looked at, with what
// each is tied to, and says what became of them in another run.
func TestDiagnosis(t *testing.T) {
	t.Parallel()
	exp := diagnosed(t)
	d := exp.Runs[0].Diagnosis
	if d.Of != 5 || d.Failed != 3 || !d.Answers || d.Unjudged != 1 || len(d.NotLooked) != 0 {
		t.Errorf("%+v", d)
	}
	buckets := map[string]int{}
	for _, b := range d.Buckets {
		buckets[b.Bucket] = b.N
		if b.CI == nil || b.CI[0] > b.Share || b.CI[1] < b.Share || b.Share != float64(b.N)/5 {
			t.Errorf("bucket %+v", b)
		}
	}
	if diff := cmp.Diff(map[string]int{"missed": 1, "noise": 1, "unfaithful": 1}, buckets); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(buckets, exp.Runs[0].Buckets); diff != "" {
		t.Error(diff)
	}
	if exp.Runs[0].FailedQueries != 1 || len(exp.Runs[0].Failures) != 1 {
		t.Errorf("%d failed queries, want those of retrieval alone", exp.Runs[0].FailedQueries)
	}
	var causes []runs.Cause
	for _, c := range d.Causes {
		causes = append(causes, c.Cause)
		// 1 of 5 by Wilson: (1/5 + z²/10 ± z·√(4/125 + z²/100)) / (1 + z²/5), z = 1.96.
		if c.N != 1 || c.CI == nil || len(c.Questions) != 1 || len(c.Parameters) == 0 || len(c.Sweep.Commands) == 0 ||
			c.CI[0] < .0362 || c.CI[0] > .0363 || c.CI[1] < .6244 || c.CI[1] > .6245 {
			t.Errorf("cause %+v", c)
		}
	}
	if diff := cmp.Diff([]runs.Cause{runs.NotRetrieved, runs.NoiseFollowed, runs.Fabricated}, causes); diff != "" {
		t.Error(diff)
	}
	if got := d.Causes[0].Sweep; got.Parameter != "legs" || got.Commands[0] !=
		`ragdesk eval --kb "my notes" --dataset ./asked.jsonl --strategies bm25,hybrid --metrics Hit@5,faithfulness --model extractive --detector evidence` {
		t.Errorf("%+v", got)
	}
	pair := exp.Pairs[0]
	none := runs.NotRetrieved
	noise, made := runs.NoiseFollowed, runs.Fabricated
	if diff := cmp.Diff([]runs.Transition{
		{From: &none, N: 1, Questions: []string{"lost"}}, {From: &noise, To: &noise, N: 1, Questions: []string{"no gold"}},
		{From: &made, To: &made, N: 1, Questions: []string{"made up"}}, {N: 2, Questions: []string{"right", "unscored"}},
	}, pair.Causes); diff != "" {
		t.Errorf("transitions (-want +got):\n%s", diff)
	}
	if len(pair.Buckets) != 4 || *pair.Buckets[0].From != runs.BucketMissed || pair.Buckets[0].To != nil {
		t.Errorf("%+v", pair.Buckets)
	}
}

// TestDiagnosisOfRetrieval: without answers the later causes were not looked for.
func TestDiagnosisOfRetrieval(t *testing.T) {
	t.Parallel()
	setup, _ := synthetic(t, 10, func(q int) (vector, hybrid int) { return q % 8, 1 })
	d := run(t, setup).Runs[0].Diagnosis
	if d.Answers || len(d.Buckets) != 1 || d.Buckets[0].Bucket != runs.BucketMissed || len(d.NotLooked) != 7 || d.NotLooked[0] != runs.CutFromPrompt {
		t.Errorf("%+v", d)
	}
}

// TestSweeps changes one parameter for each cause and keeps all others.
func TestSweeps(t *testing.T) {
	t.Parallel()
	parse := func(name string, change func(*rag.Pipeline)) rag.Pipeline {
		p := strategy(t, name)
		if p.Reranker != rag.RerankNone {
			p.Reranker = rag.RerankLateInteraction
		}
		if change != nil {
			change(&p)
		}
		return p
	}
	const compare = "ragdesk runs compare 20260101-000000-x-abcdef latest"
	score := func(v float64) runs.Record {
		return asked(1, 0, func(r *runs.Record) { r.Retrieved[0].Score, r.Retrieved[0].ScoreStage = v, rag.StageRerank })
	}
	for name, c := range map[string]struct {
		cause     runs.Cause
		pipeline  rag.Pipeline
		records   []runs.Record
		parameter string
		want      []string
	}{
		"documents": {runs.NotIndexed, parse("bm25", nil), []runs.Record{{Expected: []runs.Expected{{Doc: "a b.md"}, {Doc: "a b.md"}, {Doc: "c.md"}}}},
			"documents", []string{`ragdesk ingest --kb kb "a b.md" c.md`, "ragdesk eval --kb kb --dataset d --strategies bm25", compare}},
		"chunks": {runs.SplitByChunking, parse("bm25", nil), nil, "chunk_size",
			[]string{"ragdesk kb reindex --kb kb --chunk-size 512", "ragdesk eval --kb kb --dataset d --strategies bm25", compare}},
		"another leg": {runs.NotRetrieved, parse("vector+rerank", nil), nil, "legs",
			[]string{"ragdesk eval --kb kb --dataset d --strategies vector+rerank,hybrid+rerank"}},
		"candidates": {runs.NotRetrieved, parse("hybrid", func(p *rag.Pipeline) { p.TopK = 8 }), nil, "candidates",
			[]string{"ragdesk eval --kb kb --dataset d --strategies hybrid --top-k 8 --candidates 100", compare}},
		"rerank depth": {runs.NotRetrieved, parse("hybrid+rerank", nil), nil, "rerank_depth",
			[]string{"ragdesk eval --kb kb --dataset d --strategies hybrid+rerank --rerank-depth 40", compare}},
		"reranker": {runs.RankedLow, parse("weighted", func(p *rag.Pipeline) { p.Alpha = .25 }), nil, "reranker",
			[]string{"ragdesk eval --kb kb --dataset d --strategies weighted,weighted+rerank --alpha 0.25"}},
		"fusion": {runs.RankedLow, parse("hybrid+rerank", nil), nil, "fusion", []string{"ragdesk tune --kb kb --dataset d"}},
		"threshold": {runs.DroppedByThreshold, parse("hybrid+rerank", func(p *rag.Pipeline) {
			p.Thresholds = map[rag.Stage]float64{rag.StageVector: .2, rag.StageRerank: .7}
		}), []runs.Record{{Dropped: []runs.Dropped{{Stage: rag.StageRerank}}}}, "threshold.rerank",
			[]string{"ragdesk eval --kb kb --dataset d --strategies hybrid+rerank --threshold vector=0.2", compare}},
		"rank limit": {runs.DroppedByThreshold, parse("bm25", func(p *rag.Pipeline) { p.MaxRanks = map[rag.Stage]int{rag.StageBM25: 3} }),
			[]runs.Record{{Dropped: []runs.Dropped{{Stage: rag.StageBM25}}}}, "max_rank", []string{"ragdesk eval --kb kb --dataset d --strategies bm25", compare}},
		"longer prompt": {runs.CutFromPrompt, parse("classic", nil), nil, "top_k",
			[]string{"ragdesk eval --kb kb --dataset d --strategies classic --top-k 5", compare}},
		"shorter chunks": {runs.CutFromPrompt, parse("hybrid+rerank", nil), nil, "chunk_size",
			[]string{"ragdesk kb reindex --kb kb --chunk-size 128", "ragdesk eval --kb kb --dataset d --strategies hybrid+rerank", compare}},
		"fewer passages": {runs.Ignored, parse("hybrid", nil), nil, "top_k",
			[]string{"ragdesk eval --kb kb --dataset d --strategies hybrid --top-k 3", compare}},
		"more than one passage": {runs.Fabricated, parse("hybrid", func(p *rag.Pipeline) { p.TopK = 1 }), nil, "top_k",
			[]string{"ragdesk eval --kb kb --dataset d --strategies hybrid", compare}},
		"a threshold that keeps": {runs.NoiseFollowed, parse("hybrid+rerank", nil),
			[]runs.Record{score(.9), score(.41239), score(.5), score(.6), asked(0, 0, nil)}, "threshold.rerank",
			[]string{"ragdesk eval --kb kb --dataset d --strategies hybrid+rerank --threshold rerank=0.412", compare}},
		"repeats": {runs.WrongCitation, parse("bm25", nil), nil, "fold_duplicates",
			[]string{"ragdesk eval --kb kb --dataset d --strategies bm25 --fold-duplicates 0.9", compare}},
		"neighbours": {runs.WrongRefusal, parse("bm25", nil), nil, "neighbours",
			[]string{"ragdesk eval --kb kb --dataset d --strategies bm25 --neighbours 1", compare}},
		"a filter": {runs.WrongRefusal, parse("bm25", func(p *rag.Pipeline) {
			p.Filter = rag.Filter{Folders: []string{"a b"}, Types: []string{"md", "pdf"}, Languages: []string{"zh"}, Tags: []string{"x"}, After: "2024-01-01", Before: "2024-12-31"}
		}), nil, "neighbours",
			[]string{`ragdesk eval --kb kb --dataset d --strategies bm25 --neighbours 1 --folder "a b" --type md,pdf --doc-language zh --tag x --after 2024-01-01 --before 2024-12-31`, compare}},
		"a file": {runs.NotRetrieved, parse("bm25", func(p *rag.Pipeline) { p.Strategy = "@my.yaml"; p.TopK = 3 }), nil, "candidates",
			[]string{"ragdesk eval --kb kb --dataset d --strategies @my.yaml --top-k 3 --candidates 100", compare}},
	} {
		r := runs.Stored{Records: c.records, Run: runs.Run{ID: "20260101-000000-x-abcdef", Strategy: c.pipeline.Strategy, Pipeline: c.pipeline,
			Metrics: evaluate.DefaultMetrics(), Library: runs.Library{KB: "kb", ChunkSize: 256}, Dataset: runs.Dataset{Name: "d"}}}
		got := evaluate.Sweep(c.cause, r, c.records)
		if diff := cmp.Diff(runs.Sweep{Parameter: c.parameter, Commands: c.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	judged := runs.Stored{Run: runs.Run{Strategy: "hybrid", Pipeline: parse("hybrid", nil), Metrics: []string{"rubric_relevance"}, Library: runs.Library{KB: "kb"},
		Dataset: runs.Dataset{Name: "d"}, Answering: &runs.Answering{Model: "m", Detector: "llm:j", JudgeModel: "k"}}}
	want := "ragdesk eval --kb kb --dataset d --strategies hybrid --metrics rubric_relevance --model m --detector llm:j --judge-model k --top-k 3"
	if got := evaluate.Sweep(runs.Ignored, judged, nil); got.Commands[0] != want {
		t.Errorf("%q, want %q", got.Commands[0], want)
	}
	for _, c := range runs.Causes() {
		if len(evaluate.Parameters(c)) == 0 {
			t.Errorf("nothing helps against %s", c)
		}
	}
}
