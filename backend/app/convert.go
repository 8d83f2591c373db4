package app

import (
	"strings"
	"time"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/i18n"
	"ragdesk/backend/ingest"
	"ragdesk/backend/job"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
	"ragdesk/backend/runs"
)

func hits(in []rag.Hit, matches func(string) []api.Match) []api.Hit {
	out := make([]api.Hit, len(in))
	for i, h := range in {
		out[i] = api.Hit{
			Rank: h.Rank, ChunkID: string(h.Chunk.ID), DocID: string(h.Chunk.DocID), Source: h.Source,
			Span: span(h.Chunk.Points), Text: h.Chunk.Text, Headings: list(h.Chunk.Headings),
			Score: h.Score, ScoreStage: string(h.ScoreStage), Trace: trace(h.Trace), Matches: matches(h.Chunk.Text),
			Repeats: make([]string, len(h.Repeats)),
		}
		for j, id := range h.Repeats {
			out[i].Repeats[j] = string(id)
		}
		if h.Page > 0 {
			out[i].Page = &h.Page
		}
		if h.Passage.Text != "" {
			out[i].Passage = &api.Passage{Span: span(h.Passage.Points), Text: h.Passage.Text}
		}
	}
	return out
}

func trace(in []rag.StageScore) []api.StageScore {
	out := make([]api.StageScore, len(in))
	for i, s := range in {
		out[i] = api.StageScore{Stage: string(s.Stage)}
		if s.Rank == 0 {
			continue
		}
		out[i].Rank, out[i].Score = &s.Rank, &s.Score
		if len(s.Parts) > 0 {
			out[i].Parts = make(map[string]float64, len(s.Parts))
			for _, p := range s.Parts {
				out[i].Parts[p.Name] = p.Value
			}
		}
	}
	return out
}

func dropped(in []rag.Dropped) []api.Dropped {
	out := make([]api.Dropped, len(in))
	for i, d := range in {
		out[i] = api.Dropped{ChunkID: string(d.Chunk.ID), Source: d.Source, Text: d.Chunk.Text,
			Stage: string(d.Stage), Threshold: d.Threshold}
		if d.MaxRank > 0 {
			out[i].MaxRank = &d.MaxRank
		}
		if d.Scored {
			out[i].Score, out[i].Rank = &d.Score, &d.Rank
		}
	}
	return out
}

func timings(r retrieve.Result, total time.Duration) map[string]*float64 {
	out := map[string]*float64{"total": milliseconds(total)}
	for _, stage := range rag.Steps() {
		out[string(stage)] = nil
		if took, ran := r.Took[stage]; ran {
			out[string(stage)] = milliseconds(took)
		}
	}
	return out
}

func milliseconds(d time.Duration) *float64 {
	ms := float64(d.Microseconds()) / 1000
	return &ms
}

func citations(in []answer.Citation) []api.Citation {
	out := make([]api.Citation, len(in))
	for i, c := range in {
		out[i] = api.Citation{Marker: c.Marker, State: c.State, Claim: span(c.Claim)}
		if c.ChunkID != "" {
			id, source := string(c.ChunkID), c.Source
			out[i].ChunkID, out[i].Source = &id, &source
		}
		if c.Quote != "" {
			quote, at := c.Quote, span(c.Points)
			out[i].Quote, out[i].Span = &quote, &at
		}
	}
	return out
}

// promptContext says what the hits take of a prompt.
func promptContext(a answered, hits []rag.Hit) api.PromptContext {
	c := a.context
	out := api.PromptContext{
		Order: string(rag.OrderRelevance), CountedBy: c.CountedBy, PromptTokens: c.PromptTokens, FrameTokens: c.FrameTokens,
		Template: a.template.Name(), TemplateFingerprint: a.template.Fingerprint(), Passages: make([]api.PromptPassage, len(hits)),
	}
	if c.Order != "" {
		out.Order = string(c.Order)
	}
	if c.Window > 0 {
		out.Window, out.ReplyTokens = &c.Window, &c.ReplyTokens
	}
	if c.ReadTokens > 0 {
		out.ReadTokens = &c.ReadTokens
	}
	for i, p := range c.Passages {
		shown := api.PromptPassage{Rank: hits[i].Rank, ChunkID: string(hits[i].Chunk.ID), Tokens: p.Tokens}
		if p.Position > 0 {
			shown.Position, shown.Share = &p.Position, float64(p.Tokens)/float64(c.PromptTokens)
		}
		out.Passages[i] = shown
	}
	return out
}

func span(s rag.Span) api.Span { return api.Span{Start: s.Start, End: s.End} }

// list makes a nil slice an empty one, which JSON shows as [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func notices(in []rag.Notice) []api.Notice {
	out := make([]api.Notice, len(in))
	for i, n := range in {
		out[i] = api.Notice(n)
	}
	return out
}

// kb converts a library.
func kb(l rag.Library) api.KB {
	return api.KB{
		KB: l.Name, Documents: l.Documents, Chunks: l.Chunks, Embedder: l.Embedder, Fingerprint: l.Fingerprint(),
		Chunker: l.Chunker, ChunkSize: l.ChunkSize, ChunkOverlap: l.ChunkOverlap,
	}
}

// documentStatus converts what became of a file.
func documentStatus(lang string, o ingest.Outcome) api.DocumentStatus {
	s := api.DocumentStatus{Source: o.Source, Status: o.Status, Warnings: notices(o.Warnings)}
	if o.Err != nil {
		body := i18n.ErrorBody(lang, o.Err)
		s.Error = &body
		return s
	}
	if o.Doc.ID != "" {
		describe(&s, o.Doc)
	}
	return s
}

func describe(s *api.DocumentStatus, d rag.DocumentRow) {
	id, encoding := string(d.ID), d.Encoding
	format, _, _ := strings.Cut(d.ParsedBy, "/") // without the reader's version
	chars, chunks := d.Chars, d.Chunks
	s.DocID, s.Format, s.Encoding, s.Chars, s.Chunks = &id, &format, &encoding, &chars, &chunks
	tokens, health := d.Tokens, healthOf(d.Health)
	s.Tokens, s.Health = &tokens, &health
	if n := len(d.Pages); n > 0 {
		s.Pages = &n
	}
}

func ingestReport(lang, kb string, r ingest.Report) *api.IngestReport {
	out := &api.IngestReport{
		KB: kb, Documents: make([]api.DocumentStatus, len(r.Outcomes)),
		Totals: map[string]int{"chunks": r.Chunks}, Seconds: r.Took.Seconds(),
	}
	for i, o := range r.Outcomes {
		out.Documents[i] = documentStatus(lang, o)
		out.Totals[o.Status]++
	}
	out.Summary = summary(out.Documents)
	return out
}

// jobSnapshot converts a job.
func jobSnapshot(lang string, s job.Snapshot) api.Job {
	out := api.Job{ID: s.ID, Kind: s.Kind, State: string(s.State), Stage: s.Stage, Done: s.Done, Total: s.Total, Text: s.Text}
	answers := s.Result
	if answers == nil {
		answers = s.Partial
	}
	switch r := answers.(type) {
	case api.AskResponse:
		out.Answer = &r
	case api.CompareResponse:
		out.Comparison = &r
	case runs.Live:
		out.Live = &r
	}
	if r, ok := s.Result.(ingested); ok {
		out.Report = ingestReport(lang, r.kb, r.report)
	}
	if e, ok := s.Result.(evaluated); ok {
		out.Eval = &e.report
	}
	if w, ok := s.Result.(wording); ok && s.Err == nil {
		words := wordsResult(lang, w)
		out.Words = &words
	}
	if t, ok := s.Result.(tunedResult); ok {
		out.Tune = &t.report
	}
	if v, ok := s.Result.(verified); ok {
		out.Judged = verifyReport(lang, v)
	}
	if e, ok := s.Result.(exportedBundle); ok {
		out.Exported = &e.result
	}
	if r, ok := s.Result.(restoredBundle); ok {
		out.Restored = &r.result
	}
	rubricResult(&out, lang, s.Result)
	modelResult(&out, lang, s.Result)
	if s.Err != nil {
		body := i18n.ErrorBody(lang, s.Err)
		out.Error = &body
	}
	if s.State == job.Running && s.Done > 0 && s.Total > 0 {
		left := time.Since(s.StageStarted).Seconds() * float64(s.Total-s.Done) / float64(s.Done)
		out.SecondsLeft = &left
	}
	return out
}
