package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
	"ragdesk/backend/runstore"
)

// ratings is the file of what people said of answers.
func (s *Service) ratings() *runstore.Ratings {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ratingFile == nil {
		s.ratingFile = runstore.OpenRatings(s.inWorkspace(ratingsFolder, "answers.jsonl"))
	}
	return s.ratingFile
}

// rated are the ratings as they are now, the newest first; those taken back are left out.
func (s *Service) rated() ([]runs.Rating, error) {
	all, err := s.ratings().Read()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	out := []runs.Rating{}
	for _, r := range slices.Backward(all) {
		if !seen[r.ID] && r.Verdict != "" {
			out = append(out, r)
		}
		seen[r.ID] = true
	}
	slices.SortStableFunc(out, func(a, b runs.Rating) int { return b.At.Compare(a.At) })
	return out, nil
}

// ratingNamed finds a rating by its id or a unique beginning of it. Faults: rating_unknown {rating}.
func (s *Service) ratingNamed(id string) (runs.Rating, error) {
	if id == "" {
		return runs.Rating{}, fault.New("argument_missing", fault.P("argument", "ID"))
	}
	all, err := s.rated()
	if err != nil {
		return runs.Rating{}, err
	}
	all = slices.DeleteFunc(all, func(r runs.Rating) bool { return !strings.HasPrefix(r.ID, id) })
	if len(all) != 1 {
		return runs.Rating{}, fault.New("rating_unknown", fault.P("rating", id), fault.P("found", len(all)))
	}
	return all[0], nil
}

// RateAnswer keeps what a person says of an answer.
func (s *Service) RateAnswer(_ context.Context, r api.RateAnswerRequest) (api.Rating, error) {
	if r.Verdict != runs.RatedUp && r.Verdict != runs.RatedDown && r.Verdict != "" {
		return api.Rating{}, fault.New("rating_verdict_unknown", fault.P("verdict", r.Verdict))
	}
	var rating runs.Rating
	switch {
	case r.Answer != nil:
		if r.Answer.Query == "" || r.Answer.KB == "" {
			return api.Rating{}, fault.New("argument_missing", fault.P("argument", "answer"))
		}
		rating = ratingOf(*r.Answer)
		if before, err := s.ratingNamed(rating.ID); err == nil {
			rating.Dataset = before.Dataset
		} else if !fault.Is(err, "rating_unknown") {
			return api.Rating{}, err
		}
	default:
		var err error
		if rating, err = s.ratingNamed(r.ID); err != nil {
			return api.Rating{}, err
		}
	}
	rating.Verdict, rating.Reason, rating.At = r.Verdict, strings.TrimSpace(r.Reason), time.Now().UTC()
	return api.Rating{Rating: rating}, s.ratings().Append([]runs.Rating{rating})
}

// ratingOf takes of an answer what tells which one it was.
func ratingOf(a api.AskResponse) runs.Rating {
	out := runs.Rating{
		ID: runs.RatingKey(a.KB, a.Query, a.Answer, a.Fingerprint), KB: a.KB, Question: a.Query, Answer: a.Answer, Model: a.Model,
		Strategy: a.Strategy, Fingerprint: a.Fingerprint, Citations: []runs.RatedCitation{}, Passages: []runs.RatedPassage{},
	}
	for _, c := range a.Citations {
		cited := runs.RatedCitation{Marker: c.Marker, State: c.State}
		if c.ChunkID != nil {
			cited.ChunkID = *c.ChunkID
		}
		if c.Quote != nil {
			cited.Quote = *c.Quote
		}
		out.Citations = append(out.Citations, cited)
	}
	for _, h := range a.Hits {
		out.Passages = append(out.Passages, runs.RatedPassage{Rank: h.Rank, ChunkID: h.ChunkID, Source: h.Source, Start: h.Span.Start, End: h.Span.End})
	}
	return out
}

// ListRatings lists what people said of answers, the newest first.
func (s *Service) ListRatings(_ context.Context, r api.RatingsRequest) (api.RatingList, error) {
	if r.Verdict != runs.RatedUp && r.Verdict != runs.RatedDown && r.Verdict != "" {
		return api.RatingList{}, fault.New("rating_verdict_unknown", fault.P("verdict", r.Verdict))
	}
	all, err := s.rated()
	out := api.RatingList{Ratings: []api.Rating{}}
	for _, one := range all {
		if r.Verdict != "" && one.Verdict != r.Verdict || r.KB != "" && one.KB != r.KB {
			continue
		}
		out.Ratings = append(out.Ratings, api.Rating{Rating: one})
		if one.Verdict == runs.RatedUp {
			out.Up++
		} else {
			out.Down++
		}
	}
	return out, err
}

// ExportRatings gives ratings as lines of a file.
func (s *Service) ExportRatings(ctx context.Context, r api.RatingsRequest) (api.RatingsExport, error) {
	listed, err := s.ListRatings(ctx, r)
	if err != nil {
		return api.RatingsExport{}, err
	}
	content, err := jsonLines(listed.Ratings)
	return api.RatingsExport{Content: content, Ratings: len(listed.Ratings)}, err
}

// AddRatedQuestion makes the question of a rated answer one of a dataset.
func (s *Service) AddRatedQuestion(ctx context.Context, r api.AddRatedRequest) (api.LabelResult, error) {
	if r.Dataset == "" {
		return api.LabelResult{}, fault.New("argument_missing", fault.P("argument", "--dataset"))
	}
	if IsPath(r.Dataset) {
		return api.LabelResult{}, fault.New("dataset_name_invalid", fault.P("dataset", r.Dataset))
	}
	rating, err := s.ratingNamed(r.ID)
	if err != nil {
		return api.LabelResult{}, err
	}
	answers := slices.DeleteFunc(slices.Clone(r.Answers), func(a string) bool { return strings.TrimSpace(a) == "" })
	kind := dataset.NormalType(r.Type)
	if len(answers)+len(r.Passages) == 0 && kind != dataset.TypeUnanswerable {
		return api.LabelResult{}, fault.New("rated_question_empty", fault.P("question", rating.Question))
	}
	gold, err := s.ratedGold(ctx, rating, r.Passages)
	if err != nil {
		return api.LabelResult{}, err
	}
	out, err := s.putRated(ctx, r.Dataset, rating, kind, answers, gold)
	if err != nil {
		return api.LabelResult{}, err
	}
	rating.Dataset = r.Dataset
	return out, s.ratings().Append([]runs.Rating{rating})
}

// ratedGold is the gold that found passages make.
func (s *Service) ratedGold(ctx context.Context, rating runs.Rating, ranks []int) ([]dataset.Gold, error) {
	var out []dataset.Gold
	grade := 2 // it answers the question, as the page words it
	for _, rank := range ranks {
		i := slices.IndexFunc(rating.Passages, func(p runs.RatedPassage) bool { return p.Rank == rank })
		if i < 0 {
			return nil, fault.New("rated_passage_unknown", fault.P("rank", rank), fault.P("passages", len(rating.Passages)))
		}
		p := rating.Passages[i]
		gold, err := s.passage(ctx, api.LabelRequest{KB: rating.KB, Doc: p.Source, Span: api.Span{Start: p.Start, End: p.End}, Grade: &grade})
		if err != nil {
			return nil, err
		}
		out = append(out, gold)
	}
	return out, nil
}

// putRated writes a question into a dataset, reading under the lock.
func (s *Service) putRated(ctx context.Context, name string, rating runs.Rating, kind string, answers []string, gold []dataset.Gold) (api.LabelResult, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return api.LabelResult{}, err
	}
	w, err := st.Lock(ctx, "label "+name, s.cfg.LockWait)
	if err != nil {
		return api.LabelResult{}, err
	}
	defer unlock(w)
	ds, err := s.soundDataset(ctx, name)
	if fault.Is(err, "dataset_unknown") {
		ds, err = dataset.Dataset{Name: name}, nil
	}
	if err != nil {
		return api.LabelResult{}, err
	}
	at := ds.Add(rating.Question)
	q := &ds.Questions[at]
	if kind != "" {
		q.Type = kind
	}
	for _, a := range answers {
		if !slices.Contains(q.Answers, a) {
			q.Answers = append(slices.Clone(q.Answers), a)
		}
	}
	q.Origin = "rating"
	id := q.ID
	for _, g := range gold {
		at = ds.Label(id, "", g)
	}
	rows, err := putDatasets(ctx, w, []dataset.Dataset{ds})
	if err != nil {
		return api.LabelResult{}, err
	}
	kept := apiQuestion(ds.Questions[at])
	return api.LabelResult{Dataset: name, Version: rows.Datasets[0].Version, Questions: len(ds.Questions), Question: &kept}, nil
}
