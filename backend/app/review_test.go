package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// verdictsFile judges answers of which every other one names another number, and writes the report.
func verdictsFile(t *testing.T, s *Service) string {
	t.Helper()
	var items []api.VerifyItem
	for _, n := range []string{"三", "四", "五", "六", "七", "八"} {
		said := n
		if len(items)%2 == 1 {
			said = "十二"
		}
		items = append(items, api.VerifyItem{
			ID: n, Question: "设备有几台？", Context: []string{"第" + n + "车间一共有" + n + "台设备。"}, Answer: "第" + n + "车间总共有" + said + "台设备。",
		})
	}
	j, err := s.StartVerify(t.Context(), api.VerifyRequest{Items: items})
	j = ended(t, s, j, err)
	raw, err := json.Marshal(j.Judged)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "verdicts.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReviewIsBlindAndKept(t *testing.T) {
	t.Parallel()
	s := service(t)
	path := verdictsFile(t, s)
	ask := api.ReviewQueueRequest{Source: path, Sample: "100%", By: "anna", Seed: 3}
	q, err := s.ReviewQueue(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Items) != 6 || q.Progress.Claims != 6 || q.Progress.Labelled != 0 {
		t.Fatalf("%d items, %+v", len(q.Items), q.Progress)
	}
	raw, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, told := range []string{"supported", "contradicted", "unverifiable", "score", "evidence"} {
		if strings.Contains(string(raw), told) {
			t.Errorf("the queue tells %q: %s", told, raw)
		}
	}
	for i, item := range q.Items {
		state := "supported"
		if strings.Contains(item.Claim, "十二") {
			state = "contradicted"
		}
		if i == 0 { // a slip, mended below
			state = "unclear"
		}
		got, err := s.LabelClaim(t.Context(), api.LabelClaimRequest{Source: path, Key: item.Key, By: " anna ", State: state})
		if err != nil || got.Label == nil || got.Label.State != state || got.Label.By != "anna" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	first := q.Items[0]
	for _, state := range []string{"", "", "contradicted"} { // taking back twice is once
		if _, err := s.LabelClaim(t.Context(), api.LabelClaimRequest{Key: first.Key, By: "anna", State: state, Note: ""}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.LabelClaim(t.Context(), api.LabelClaimRequest{Key: first.Key, By: "anna", State: "contradicted", Note: "十二不在资料中"})
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, h := range got.History {
		states = append(states, h.State)
	}
	if diff := cmp.Diff([]string{"unclear", "", "contradicted", "contradicted"}, states); diff != "" {
		t.Error(diff)
	}

	// Another service on the same workspace has them; the queue is empty for anna, full for bob.
	s = serviceOn(t, s.cfg.Workspace)
	if q, err = s.ReviewQueue(t.Context(), ask); err != nil || len(q.Items) != 0 || q.Progress.Labelled != 6 {
		t.Errorf("%+v, %v", q, err)
	}
	ask.Labelled, ask.Limit = true, 1
	if q, err = s.ReviewQueue(t.Context(), ask); err != nil || len(q.Items) != 1 || q.Items[0].Key != first.Key || q.Items[0].Label.Note == "" {
		t.Errorf("the last label is %+v, %v", q.Items, err)
	}
	if q, err = s.ReviewQueue(t.Context(), api.ReviewQueueRequest{Source: path, By: "bob", Sample: "2"}); err != nil || len(q.Items) != 2 || q.Items[0].Label != nil {
		t.Errorf("%+v, %v", q, err)
	}

	a, err := s.Agreement(t.Context(), api.AgreementRequest{Source: path})
	if err != nil || a.N != 6 || a.Kappa == nil || a.A.People != 1 || len(a.Corrected) != 2 || a.Source != path {
		t.Fatalf("%+v, %v", a, err)
	}
	wrong, err := s.Disagreements(t.Context(), api.DisagreementsRequest{AgreementRequest: api.AgreementRequest{Source: path}})
	if err != nil || wrong.Total != a.Disagreements || len(wrong.Items) != wrong.Total {
		t.Fatalf("%+v, %v", wrong, err)
	}
	for _, d := range wrong.Items {
		if d.A == d.B || d.Verdict == nil || d.Verdict.Verdict != d.B || d.Labels[0].By != "anna" {
			t.Errorf("%+v", d)
		}
	}
	// The kappa of the detector is there without the file too.
	c, err := s.calibration(t.Context(), "evidence", a.B.Fingerprint)
	if err != nil || c.N != 6 || c.Kappa == nil || *c.Kappa != *a.Kappa {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = s.calibration(t.Context(), "evidence", "another"); err != nil || c.Band != runs.BandNone || c.Kappa != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestReviewFaults(t *testing.T) {
	t.Parallel()
	s := service(t)
	path := verdictsFile(t, s)
	key := func() string {
		q, err := s.ReviewQueue(t.Context(), api.ReviewQueueRequest{Source: path, By: "anna"})
		if err != nil {
			t.Fatal(err)
		}
		return q.Items[0].Key
	}()
	empty := filepath.Join(t.TempDir(), "empty.json")
	if err := os.WriteFile(empty, []byte(`{"detector":"evidence","fingerprint":"f","items":[{"id":"1","label":"unscored"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	queue := func(r api.ReviewQueueRequest) error { _, err := s.ReviewQueue(t.Context(), r); return err }
	says := func(r api.LabelClaimRequest) error { _, err := s.LabelClaim(t.Context(), r); return err }
	agree := func(r api.AgreementRequest) error { _, err := s.Agreement(t.Context(), r); return err }
	for name, c := range map[string]struct {
		err  error
		code string
	}{
		"no source":          {queue(api.ReviewQueueRequest{By: "anna"}), "argument_missing"},
		"no name":            {queue(api.ReviewQueueRequest{Source: path, By: " "}), "argument_missing"},
		"no such run":        {queue(api.ReviewQueueRequest{Source: "nothing", By: "anna"}), "run_unknown"},
		"no such file":       {queue(api.ReviewQueueRequest{Source: "./nothing.json", By: "anna"}), "not_found"},
		"nothing to label":   {queue(api.ReviewQueueRequest{Source: empty, By: "anna"}), "label_source_empty"},
		"sample":             {queue(api.ReviewQueueRequest{Source: path, By: "anna", Sample: "some"}), "sample_size_invalid"},
		"unknown state":      {says(api.LabelClaimRequest{Source: path, Key: key, By: "anna", State: "fine"}), "label_state_unknown"},
		"unknown claim":      {says(api.LabelClaimRequest{Source: path, Key: "x", By: "anna", State: "supported"}), "label_claim_unknown"},
		"claim not labelled": {says(api.LabelClaimRequest{Key: key, By: "anna", State: "supported"}), "label_claim_unknown"},
		"nobody says so":     {says(api.LabelClaimRequest{Source: path, Key: key, State: "supported"}), "argument_missing"},
		"unknown person":     {agree(api.AgreementRequest{Source: path, By: "eve"}), "label_person_unknown"},
		"no detector":        {agree(api.AgreementRequest{}), "label_detector_unknown"},
		"another detector":   {agree(api.AgreementRequest{Source: path, Detector: "oracle"}), "label_detector_unknown"},
	} {
		if !fault.Is(c.err, c.code) {
			t.Errorf("%s: %v, want %s", name, c.err, c.code)
		}
	}
}
