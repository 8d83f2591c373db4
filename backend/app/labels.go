package app

import (
	"cmp"
	"context"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// ListQuestions lists the questions of a dataset and, with a library named, what
// is wrong with their labels there.
func (s *Service) ListQuestions(ctx context.Context, r api.QuestionsRequest) (api.QuestionList, error) {
	ds, found, err := s.readDataset(ctx, r.Name)
	if err != nil {
		return api.QuestionList{}, err
	}
	var corpus *dataset.Corpus
	var prior []dataset.Binding
	if r.KB != "" {
		if corpus, prior, err = s.labelled(ctx, r.KB, ds); err != nil {
			return api.QuestionList{}, err
		}
	}
	report, bindings, err := dataset.Examine(ctx, ds, found, corpus, prior)
	if err != nil {
		return api.QuestionList{}, err
	}
	out := api.QuestionList{
		Name: ds.Name, Questions: make([]api.Question, len(ds.Questions)),
		Problems: problems(report.Problems), Notices: problems(report.Notices), Types: report.Types,
	}
	for i, q := range ds.Questions {
		out.Questions[i] = apiQuestion(q)
		if bindings == nil {
			continue
		}
		for j, l := range bindings[i].Labels {
			state := string(l.State)
			out.Questions[i].Gold[j].State = &state
		}
	}
	out.Version, err = s.datasetVersion(ctx, r.Name)
	return out, err
}

// labelled opens a library for the labels of a dataset, with where they were
// found before.
func (s *Service) labelled(ctx context.Context, kb string, ds dataset.Dataset) (*dataset.Corpus, []dataset.Binding, error) {
	lib, err := s.library(ctx, kb)
	if err != nil {
		return nil, nil, err
	}
	corpus, err := dataset.Open(ctx, libraryOf{s, lib})
	if err != nil {
		return nil, nil, err
	}
	raw, err := s.store.Bindings(ctx, lib, ds.Hash())
	if err != nil {
		return nil, nil, err
	}
	prior, err := dataset.DecodeBindings(raw)
	return corpus, prior, err
}

// datasetVersion is the newest version in the workspace, 0 for what is not there.
func (s *Service) datasetVersion(ctx context.Context, name string) (int, error) {
	if IsPath(name) {
		return 0, nil
	}
	st, err := s.openStore(ctx)
	if err != nil {
		return 0, err
	}
	row, _, err := st.Dataset(ctx, name, 0)
	if fault.Is(err, "dataset_unknown") {
		return 0, nil
	}
	return row.Version, err
}

// LabelPassage writes how far a passage answers a question into a dataset. It
// reads under the lock, so that no label is lost to another's.
func (s *Service) LabelPassage(ctx context.Context, r api.LabelRequest) (api.LabelResult, error) {
	if err := checkLabel(r); err != nil {
		return api.LabelResult{}, err
	}
	var gold dataset.Gold
	if r.Grade != nil || r.Replace == nil { // a label that goes may lie in a document that is gone
		var err error
		if gold, err = s.passage(ctx, r); err != nil {
			return api.LabelResult{}, err
		}
	}
	st, err := s.openStore(ctx)
	if err != nil {
		return api.LabelResult{}, err
	}
	w, err := st.Lock(ctx, "label "+r.Dataset, s.cfg.LockWait)
	if err != nil {
		return api.LabelResult{}, err
	}
	defer unlock(w)
	ds, err := s.soundDataset(ctx, r.Dataset)
	if fault.Is(err, "dataset_unknown") {
		ds, err = dataset.Dataset{Name: r.Dataset}, nil
	}
	if err != nil {
		return api.LabelResult{}, err
	}
	kept, err := relabel(&ds, r, gold)
	if err != nil {
		return api.LabelResult{}, err
	}
	if len(ds.Questions) == 0 { // a dataset without questions cannot be read
		_, err := w.RemoveDataset(ctx, ds.Name)
		return api.LabelResult{Dataset: ds.Name}, err
	}
	rows, err := putDatasets(ctx, w, []dataset.Dataset{ds})
	if err != nil {
		return api.LabelResult{}, err
	}
	return api.LabelResult{Dataset: ds.Name, Version: rows.Datasets[0].Version, Questions: len(ds.Questions), Question: kept}, nil
}

func checkLabel(r api.LabelRequest) error {
	needed := []struct{ name, value string }{
		{"--dataset", r.Dataset}, {"--question", r.QueryID + strings.TrimSpace(r.Question)}, {"--kb", r.KB}, {"--doc", r.Doc},
	}
	if r.Grade == nil && r.Replace != nil {
		needed = needed[:2] // the label's own document does not matter
	}
	for _, a := range needed {
		if a.value == "" {
			return fault.New("argument_missing", fault.P("argument", a.name))
		}
	}
	if IsPath(r.Dataset) {
		return fault.New("dataset_name_invalid", fault.P("dataset", r.Dataset))
	}
	if r.Grade != nil && (*r.Grade < dataset.GradeNone || *r.Grade > dataset.MaxGrade) {
		return fault.New("grade_invalid", fault.P("grade", *r.Grade))
	}
	return nil
}

// passage is the gold that the request's span makes.
func (s *Service) passage(ctx context.Context, r api.LabelRequest) (dataset.Gold, error) {
	doc, err := s.DocumentText(ctx, api.DocumentTextRequest{KB: r.KB, Ref: r.Doc})
	if err != nil {
		return dataset.Gold{}, err
	}
	grade := dataset.GradeNone
	if r.Grade != nil {
		grade = *r.Grade
	}
	gold, ok := dataset.Passage(doc.Source, doc.Text, rag.Span{Start: r.Span.Start, End: r.Span.End}, grade)
	if !ok {
		return dataset.Gold{}, fault.New("span_invalid", fault.P("start", r.Span.Start), fault.P("end", r.Span.End), fault.P("source", doc.Source))
	}
	return gold, nil
}

// relabel changes the dataset and returns the question, nil when it went.
func relabel(ds *dataset.Dataset, r api.LabelRequest, gold dataset.Gold) (*api.Question, error) {
	at := ds.Find(r.QueryID, r.Question)
	if r.Replace != nil {
		return replaceLabel(ds, at, r, gold)
	}
	if at < 0 && r.QueryID != "" && strings.TrimSpace(r.Question) == "" {
		return nil, fault.New("question_unknown", fault.P("question", r.QueryID), fault.P("dataset", ds.Name))
	}
	if r.Grade == nil {
		if at < 0 {
			return nil, fault.New("question_unknown", fault.P("question", r.QueryID+r.Question), fault.P("dataset", ds.Name))
		}
		if !ds.Unlabel(at, gold) {
			return nil, nil //nolint:nilnil // no question is left, which the result says
		}
	} else {
		if at < 0 && *r.Grade == dataset.GradeNone {
			return nil, fault.New("label_first_grade", fault.P("dataset", ds.Name))
		}
		at = ds.Label(r.QueryID, r.Question, gold)
		if r.Type != "" {
			ds.Questions[at].Type = dataset.NormalType(r.Type)
		}
		if q := ds.Questions[at]; !q.HasGold() && len(q.Answers) == 0 {
			return nil, fault.New("label_first_grade", fault.P("dataset", ds.Name))
		}
	}
	q := apiQuestion(ds.Questions[at])
	return &q, nil
}

// replaceLabel puts the passage in the place of a label, or takes that away.
func replaceLabel(ds *dataset.Dataset, at int, r api.LabelRequest, gold dataset.Gold) (*api.Question, error) {
	if at < 0 {
		return nil, fault.New("question_unknown", fault.P("question", cmp.Or(r.QueryID, r.Question)), fault.P("dataset", ds.Name))
	}
	with := &gold
	if r.Grade == nil {
		with = nil
	}
	kept, ok := ds.Relabel(at, *r.Replace, with)
	if !ok {
		return nil, fault.New("label_unknown", fault.P("label", *r.Replace), fault.P("question", ds.Questions[at].ID), fault.P("labels", len(ds.Questions[at].Gold)))
	}
	if !kept {
		return nil, nil //nolint:nilnil // no question is left, which the result says
	}
	q := apiQuestion(ds.Questions[at])
	return &q, nil
}

func apiQuestion(q dataset.Question) api.Question {
	out := api.Question{
		QueryID: q.ID, Question: q.Text, Type: q.Type, Lang: q.Lang, Answers: list(q.Answers), KeyPoints: list(q.KeyPoints),
		Gold: make([]api.Gold, len(q.Gold)), Source: q.Origin,
	}
	if q.VariantOf != "" {
		out.VariantOf = &q.VariantOf
	}
	for i, g := range q.Gold {
		out.Gold[i] = api.Gold{Doc: g.Doc, Grade: g.Grade}
		if g.Quote != "" {
			out.Gold[i].Quote = &g.Quote
		}
		if g.Points != nil {
			out.Gold[i].Start, out.Gold[i].End = &g.Points.Start, &g.Points.End
		}
	}
	return out
}
