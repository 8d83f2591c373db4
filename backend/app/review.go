package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/label"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/runstore"
)

// Bounds of answers where a request names none.
const (
	queueLimit        = 20
	disagreementLimit = 50
)

// labels is the file of what people said.
func (s *Service) labels() *runstore.Labels {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.labelFile == nil {
		s.labelFile = runstore.OpenLabels(filepath.Join(s.cfg.Workspace, "labels", "claims.jsonl"))
	}
	return s.labelFile
}

// book is what people said so far.
func (s *Service) book() (*label.Book, error) {
	events, err := s.labels().Read()
	if err != nil {
		return nil, err
	}
	return label.Fold(events), nil
}

// labelSource reads what a detector judged: a run, or a file that verify --json printed. The
// fault "label_source_empty" {source} means that nothing in it can be labelled.
func (s *Service) labelSource(ref string) (*label.Source, error) {
	if ref == "" {
		return nil, fault.New("argument_missing", fault.P("argument", "RUN|VERDICTS"))
	}
	if info, err := os.Stat(ref); IsPath(ref) && (err != nil || !info.IsDir()) {
		return verdictSource(ref)
	}
	run, err := s.runs().Load(ref)
	if err != nil {
		return nil, err
	}
	src := label.FromRun(run)
	return sound(&src)
}

// sound refuses a source of which nothing can be labelled.
func sound(src *label.Source) (*label.Source, error) {
	if len(src.Answers) > 0 {
		return src, nil
	}
	var left []string
	for _, reason := range slices.Sorted(maps.Keys(src.Left)) {
		left = append(left, fmt.Sprintf("%s %d", reason, src.Left[reason]))
	}
	return nil, fault.New("label_source_empty", fault.P("source", src.Name), fault.P("left", cmp.Or(strings.Join(left, ", "), "–")))
}

// verdictSource reads a report of verify. The faults are "not_found" and "verdicts_invalid"
// {path, detail}.
func verdictSource(path string) (*label.Source, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(err, "not_found", fault.P("path", path))
	}
	var report api.VerifyReport
	if err := json.Unmarshal(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), &report); err != nil {
		wrong := fault.JSON(raw, err)
		return nil, fault.Wrap(wrong, "verdicts_invalid", fault.P("path", path), fault.P("detail", wrong.Code))
	}
	if report.Detector == "" || report.Fingerprint == "" {
		return nil, fault.Wrap(fault.New("json_field_missing", fault.P("field", "detector")), "verdicts_invalid", fault.P("path", path), fault.P("detail", "json_field_missing"))
	}
	src := label.Source{Name: path, Detector: report.Detector, Fingerprint: report.Fingerprint, Left: map[string]int{}}
	for _, item := range report.Items {
		in := label.Said{Question: item.Question, Answer: item.Answer, Passages: item.Context, Label: rag.Label(item.Label)}
		for _, c := range item.Claims {
			in.Claims = append(in.Claims, detected(c))
		}
		src.Add(in)
	}
	return sound(&src)
}

// detected is a claim of a report as its detector gave it.
func detected(c api.VerifiedClaim) rag.Claim {
	out := rag.Claim{
		Text: c.Text, Points: rag.Span{Start: c.Span.Start, End: c.Span.End}, Verdict: rag.ClaimVerdict(c.Verdict), Reason: c.Reason,
	}
	if c.Score != nil {
		out.Score = *c.Score
	}
	for _, e := range c.Evidence {
		out.Evidence = append(out.Evidence, rag.Evidence{Context: e.Context, Points: rag.Span{Start: e.Start, End: e.End}, Text: e.Text, Score: e.Score})
	}
	return out
}

// ReviewQueue gives claims to label, blind.
func (s *Service) ReviewQueue(_ context.Context, r api.ReviewQueueRequest) (api.ReviewQueue, error) {
	size, err := label.ParseSize(r.Sample)
	if err != nil {
		return api.ReviewQueue{}, err
	}
	if strings.TrimSpace(r.By) == "" {
		return api.ReviewQueue{}, fault.New("argument_missing", fault.P("argument", "--by"))
	}
	src, err := s.labelSource(r.Source)
	if err != nil {
		return api.ReviewQueue{}, err
	}
	book, err := s.book()
	if err != nil {
		return api.ReviewQueue{}, err
	}
	by := strings.TrimSpace(r.By)
	out := api.ReviewQueue{Source: src.Name, Sample: cmp.Or(strings.TrimSpace(r.Sample), label.DefaultSize), Seed: r.Seed, By: by, Items: []api.ReviewItem{}}
	out.Progress = api.ReviewProgress{Of: len(src.Answers), Left: src.Left}
	for _, a := range label.Draw(*src, size, r.Seed) {
		out.Progress.Answers++
		for _, item := range a.Items {
			out.Progress.Claims++
			said, labelled := book.Label(item.Key, by)
			if labelled {
				out.Progress.Labelled++
				if said.State == runs.StateUnclear {
					out.Progress.Unclear++
				}
			}
			if labelled == r.Labelled {
				out.Items = append(out.Items, reviewItem(book, item, by))
			}
		}
	}
	if r.Labelled {
		slices.SortStableFunc(out.Items, func(a, b api.ReviewItem) int { return b.Label.At.Compare(a.Label.At) })
	}
	out.Items = out.Items[:min(len(out.Items), cmp.Or(max(r.Limit, 0), queueLimit))]
	return out, nil
}

// reviewItem is a claim with what one person says of it.
func reviewItem(book *label.Book, item runs.LabelItem, by string) api.ReviewItem {
	out := api.ReviewItem{
		Key: item.Key, AnswerKey: item.AnswerKey, Question: item.Question, Answer: item.Answer, Claim: item.Claim,
		Span: api.Span{Start: item.Start, End: item.End}, Context: list(item.Context), Lang: item.Lang,
	}
	if said, ok := book.Label(item.Key, by); ok {
		l := humanLabel(said)
		out.Label = &l
	}
	return out
}

func humanLabel(l runs.Label) api.HumanLabel {
	return api.HumanLabel{By: l.By, State: l.State, Note: l.Note, At: l.At}
}

func humanLabels(in []runs.Label) []api.HumanLabel {
	out := make([]api.HumanLabel, len(in))
	for i, l := range in {
		out[i] = humanLabel(l)
	}
	return out
}

// LabelClaim keeps what a person says of a claim. The fault "label_claim_unknown" {key, source}
// means that the source has no such claim.
func (s *Service) LabelClaim(_ context.Context, r api.LabelClaimRequest) (api.LabelClaimResult, error) {
	said, err := label.NewLabel(r.Key, r.By, r.State, r.Note, time.Now())
	if err != nil {
		return api.LabelClaimResult{}, err
	}
	book, err := s.book()
	if err != nil {
		return api.LabelClaimResult{}, err
	}
	var events []runs.LabelEvent
	if r.Source != "" {
		src, err := s.labelSource(r.Source)
		if err != nil {
			return api.LabelClaimResult{}, err
		}
		item, claim, ok := src.Find(r.Key)
		if !ok {
			return api.LabelClaimResult{}, fault.New("label_claim_unknown", fault.P("key", r.Key), fault.P("source", src.Name))
		}
		events = book.Unknown(src.Given(item, claim))
	} else if _, ok := book.Item(r.Key); !ok {
		return api.LabelClaimResult{}, fault.New("label_claim_unknown", fault.P("key", r.Key), fault.P("source", s.cfg.Workspace))
	}
	if now, ok := book.Label(r.Key, said.By); (ok || said.State != "") && (now.State != said.State || now.Note != said.Note) {
		events = append(events, runs.LabelEvent{Label: &said})
	}
	if err := s.labels().Append(events); err != nil {
		return api.LabelClaimResult{}, err
	}
	if book, err = s.book(); err != nil {
		return api.LabelClaimResult{}, err
	}
	out := api.LabelClaimResult{Key: r.Key, History: humanLabels(book.History(r.Key, said.By))}
	if now, ok := book.Label(r.Key, said.By); ok {
		l := humanLabel(now)
		out.Label = &l
	}
	return out, nil
}

// Labels sums up what people said.
func (s *Service) Labels(ctx context.Context, _ api.LabelsRequest) (api.Labels, error) {
	book, err := s.book()
	if err != nil {
		return api.Labels{}, err
	}
	out := api.Labels{People: []api.LabelPerson{}, Detectors: []runs.Calibration{}}
	for _, item := range book.Items() {
		if len(book.Labels(item.Key)) > 0 {
			out.Claims++
		}
	}
	for _, p := range book.People() {
		out.People = append(out.People, api.LabelPerson{By: p.By, Labels: p.N, Last: p.Last})
	}
	found, err := label.Calibrations(ctx, book, 0)
	if err != nil {
		return api.Labels{}, err
	}
	for _, print := range slices.Sorted(maps.Keys(found)) {
		out.Detectors = append(out.Detectors, found[print])
	}
	slices.SortStableFunc(out.Detectors, func(a, b runs.Calibration) int { return cmp.Compare(b.N, a.N) })
	return out, nil
}

// calibration is how far people agree with the detector of a fingerprint, over all labels of
// the workspace; Band is runs.BandNone where there is no kappa.
func (s *Service) calibration(ctx context.Context, detector, fingerprint string) (runs.Calibration, error) {
	book, err := s.book()
	if err != nil {
		return runs.Calibration{}, err
	}
	found, err := label.Calibrations(ctx, book, 0)
	if err != nil {
		return runs.Calibration{}, err
	}
	if c, ok := found[fingerprint]; ok {
		return c, nil
	}
	return runs.Calibration{Detector: detector, Fingerprint: fingerprint, Band: runs.BandNone}, nil
}

// compared is the book with what an agreement is over.
func (s *Service) compared(r api.AgreementRequest) (*label.Book, *label.Source, label.Options, error) {
	o := label.Options{By: strings.TrimSpace(r.By), Against: strings.TrimSpace(r.Against), Seed: r.Seed}
	book, err := s.book()
	if err != nil {
		return nil, nil, o, err
	}
	for _, by := range []string{o.By, o.Against} {
		if by != "" && !slices.ContainsFunc(book.People(), func(p label.Person) bool { return p.By == by }) {
			return nil, nil, o, fault.New("label_person_unknown", fault.P("by", by), fault.P("known", peopleNames(book)))
		}
	}
	if o.By == "" && o.Against != "" {
		return nil, nil, o, fault.New("argument_missing", fault.P("argument", "--by"))
	}
	var src *label.Source
	if r.Source != "" {
		if src, err = s.labelSource(r.Source); err != nil {
			return nil, nil, o, err
		}
	}
	if o.Against == "" && (src == nil || r.Detector != "") {
		o.Fingerprint, err = fingerprintOf(book, src, r.Detector)
	}
	return book, src, o, err
}

func peopleNames(book *label.Book) string {
	var names []string
	for _, p := range book.People() {
		names = append(names, p.By)
	}
	return cmp.Or(strings.Join(names, ", "), "–")
}

// fingerprintOf finds the detector that is meant by a fingerprint, by a name, or by nothing where
// there is only one. The fault is "label_detector_unknown" {detector, known}.
func fingerprintOf(book *label.Book, src *label.Source, detector string) (string, error) {
	known := book.Detectors()
	if src != nil {
		known[src.Fingerprint] = src.Detector
	}
	var fits []string
	for _, print := range slices.Sorted(maps.Keys(known)) {
		if print == detector {
			return print, nil
		}
		if detector == "" || known[print] == detector {
			fits = append(fits, print)
		}
	}
	if len(fits) == 1 {
		return fits[0], nil
	}
	return "", fault.New("label_detector_unknown", fault.P("detector", detector),
		fault.P("known", cmp.Or(strings.Join(slices.Sorted(maps.Keys(known)), ", "), "–")))
}

// Agreement compares people with a detector or with one another.
func (s *Service) Agreement(ctx context.Context, r api.AgreementRequest) (api.AgreementReport, error) {
	book, src, o, err := s.compared(r)
	if err != nil {
		return api.AgreementReport{}, err
	}
	a, err := label.Compare(ctx, book, src, o)
	return api.AgreementReport{Agreement: a}, err
}

// Disagreements lists the claims on which A and B differ.
func (s *Service) Disagreements(ctx context.Context, r api.DisagreementsRequest) (api.Disagreements, error) {
	book, src, o, err := s.compared(r.AgreementRequest)
	if err != nil {
		return api.Disagreements{}, err
	}
	out := api.Disagreements{Items: []api.Disagreement{}}
	for _, p := range label.Disagreements(book, src, o) {
		out.Total++
		if len(out.Items) >= cmp.Or(max(r.Limit, 0), disagreementLimit) {
			continue
		}
		d := api.Disagreement{Item: reviewItem(book, p.Item, o.By), Labels: humanLabels(book.Labels(p.Item.Key)), A: p.A, B: p.B}
		if o.Against == "" && src != nil && (o.Fingerprint == "" || o.Fingerprint == src.Fingerprint) {
			if _, c, ok := src.Find(p.Item.Key); ok {
				d.Verdict = &claims(i18n.Language(ctx), []rag.Claim{c})[0]
			}
		}
		out.Items = append(out.Items, d)
	}
	return out, nil
}
