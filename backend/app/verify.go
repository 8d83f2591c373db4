package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/job"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/measure"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
	"ragdesk/backend/stats"
	"ragdesk/backend/tokenvec"
)

// stageVerify is the part of a verify job that is counted: one unit an item.
const stageVerify = "verify"

// maxItemLine bounds a line of an items file, in bytes.
const maxItemLine = 64 << 20

// verified is the result of a verify job.
type verified struct {
	detector, fingerprint string
	items                 []api.VerifyItem
	found                 []rag.Detection
}

// detector returns the detector of that name. The fault "detector_unknown" lists
// the known ones.
func (s *Service) detector(name string) (rag.Detector, error) {
	switch cmp.Or(name, judges.DetectorEvidence) {
	case judges.DetectorEvidence:
		return s.evidenceDetector()
	}
	return nil, fault.New("detector_unknown", fault.P("detector", name), fault.P("known", judges.DetectorEvidence))
}

// evidenceDetector is the detector without a language model, over the program's own
// embedders.
func (s *Service) evidenceDetector() (*judges.Evidence, error) {
	languages := map[string]judges.Language{}
	var prints []string
	for _, e := range models.Embedders() {
		m, err := s.bundled(e.Name)
		if err != nil {
			return nil, err
		}
		tokenizer, err := m.Tokenizer()
		if err != nil {
			return nil, err
		}
		languages[e.Language] = judges.Language{
			Tokenizer: tokenizer, Codes: tokenvec.New(m, m.Fingerprint(), s.tokens.memory, nil),
		}
		prints = append(prints, m.Fingerprint())
	}
	return judges.NewEvidence(languages, joined(prints...)), nil
}

// StartVerify judges answers against their contexts.
func (s *Service) StartVerify(_ context.Context, r api.VerifyRequest) (api.Job, error) {
	items := r.Items
	switch {
	case r.File == "" && len(items) == 0:
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "ITEMS.jsonl"))
	case r.File != "":
		read, err := readItems(r.File)
		if err != nil {
			return api.Job{}, err
		}
		items = append(items, read...)
	}
	d, err := s.detector(r.Detector)
	if err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("detect", func(ctx context.Context, progress *job.Reporter) (any, error) {
		found, err := detectAll(ctx, d, items, progress)
		if err != nil {
			return nil, err
		}
		return verified{d.Name(), d.Fingerprint(), items, found}, nil
	})
	return jobSnapshot("", snap), nil
}

// readItems reads a file of items, one a line. A line that is none is the fault
// "items_invalid" {path, line, detail}.
func readItems(path string) ([]api.VerifyItem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, "not_found", fault.P("path", path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxItemLine)
	var items []api.VerifyItem
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimPrefix(bytes.TrimSpace(lines.Bytes()), []byte("\xef\xbb\xbf"))
		if len(line) == 0 {
			continue
		}
		item, detail := readItem(line)
		if detail != "" {
			return nil, fault.New("items_invalid", fault.P("path", path), fault.P("line", n), fault.P("detail", detail))
		}
		item.ID = cmp.Or(item.ID, strconv.Itoa(n))
		items = append(items, item)
	}
	if err := lines.Err(); err != nil {
		return nil, fault.Wrap(err, "items_invalid", fault.P("path", path), fault.P("line", n+1), fault.P("detail", err))
	}
	if len(items) == 0 {
		return nil, fault.New("items_invalid", fault.P("path", path), fault.P("line", 0), fault.P("detail", "no items"))
	}
	return items, nil
}

// readItem reads one line; detail says what is wrong with it. A context that is one
// text is a list of one.
func readItem(line []byte) (item api.VerifyItem, detail string) {
	var raw struct {
		ID       json.RawMessage `json:"id"`
		Question string          `json:"question"`
		Context  json.RawMessage `json:"context"`
		Contexts json.RawMessage `json:"contexts"`
		Answer   *string         `json:"answer"`
		Label    *string         `json:"label"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return item, err.Error()
	}
	if raw.Answer == nil {
		return item, "no answer"
	}
	item = api.VerifyItem{ID: plainID(raw.ID), Question: raw.Question, Answer: *raw.Answer, Label: raw.Label, Context: []string{}}
	if raw.Label != nil && *raw.Label != string(rag.Faithful) && *raw.Label != string(rag.Hallucinated) {
		return item, fmt.Sprintf("label %q: faithful or hallucinated", *raw.Label)
	}
	context := raw.Context
	if context == nil {
		context = raw.Contexts
	}
	if len(context) == 0 || string(context) == "null" {
		return item, ""
	}
	var one string
	if json.Unmarshal(context, &one) == nil {
		item.Context = []string{one}
		return item, ""
	}
	if err := json.Unmarshal(context, &item.Context); err != nil {
		return item, "context: " + err.Error()
	}
	return item, ""
}

// plainID reads an id that is a text or a number.
func plainID(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// detectAll judges items side by side; the order of the results is that of the
// items.
func detectAll(ctx context.Context, d rag.Detector, items []api.VerifyItem, progress rag.Progress) ([]rag.Detection, error) {
	progress.Stage(stageVerify, len(items))
	out := make([]rag.Detection, len(items))
	g, gctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return nil
				}
				found, err := d.Detect(gctx, rag.Judged{Question: items[i].Question, Context: items[i].Context, Answer: items[i].Answer})
				if err != nil {
					return fmt.Errorf("item %s: %w", items[i].ID, err)
				}
				out[i] = found
				progress.Add(1)
			}
		})
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}

// verifyReport converts what a verify job found.
func verifyReport(lang string, v verified) *api.VerifyReport {
	out := &api.VerifyReport{Detector: v.detector, Fingerprint: v.fingerprint, Items: make([]api.VerifiedItem, len(v.items))}
	out.Summary = api.VerifySummary{N: len(v.items), Unscored: map[string]int{}, Verdicts: map[string]int{}}
	var table measure.Confusion
	flagged := 0
	for i, item := range v.items {
		d := v.found[i]
		out.Items[i] = api.VerifiedItem{
			ID: item.ID, Question: item.Question, Context: list(item.Context), Answer: item.Answer,
			Label: string(d.Label), Expected: item.Label, Claims: claims(lang, d.Claims),
			Reason: d.Reason, Message: because(lang, d.Reason, d.Detail),
		}
		for _, c := range d.Claims {
			out.Summary.Verdicts[string(c.Verdict)]++
		}
		if d.Label == rag.Unscored {
			out.Summary.Unscored[d.Reason]++
			continue
		}
		score := d.Score
		out.Items[i].Score = &score
		out.Summary.Scored++
		if d.Label == rag.Hallucinated {
			flagged++
		}
		if item.Label != nil {
			out.Summary.Labelled++
			table.Add(*item.Label == string(rag.Hallucinated), d.Label == rag.Hallucinated)
		}
	}
	summarize(&out.Summary, table, flagged)
	return out
}

func summarize(s *api.VerifySummary, table measure.Confusion, flagged int) {
	value := func(v measure.Value) *float64 {
		if !v.OK() {
			return nil
		}
		return &v.Score
	}
	share := func(n, of int) *float64 {
		if of == 0 {
			return nil
		}
		x := float64(n) / float64(of)
		return &x
	}
	s.Coverage, s.Hallucinated = share(s.Scored, s.N), share(flagged, s.Scored)
	s.Precision, s.Recall, s.F1 = value(table.Precision()), value(table.Recall()), value(table.F1())
	s.BalancedAccuracy = value(table.BalancedAccuracy())
	if k, err := stats.Kappa(table.Table(), stats.Unweighted, stats.DefaultLevel); err == nil {
		s.Kappa = &k.Kappa
	}
}

func claims(lang string, in []rag.Claim) []api.VerifiedClaim {
	out := make([]api.VerifiedClaim, len(in))
	for i, c := range in {
		out[i] = api.VerifiedClaim{
			Text: c.Text, Span: span(c.Points), Verdict: string(c.Verdict), Reason: c.Reason,
			Message: because(lang, c.Reason, c.Detail), Evidence: make([]api.EvidencePart, len(c.Evidence)),
		}
		if c.Verdict != rag.Abstained {
			score := c.Score
			out[i].Score = &score
		}
		for j, e := range c.Evidence {
			out[i].Evidence[j] = api.EvidencePart{Context: e.Context, Start: e.Points.Start, End: e.Points.End, Text: e.Text, Score: e.Score}
		}
	}
	return out
}

// because says in words why a verdict was given.
func because(lang, reason, detail string) string {
	if reason == "" {
		return ""
	}
	return i18n.Text(lang, "reason."+reason, fault.P("detail", detail))
}
