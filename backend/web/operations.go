package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

// maxBody bounds a request in bytes. Files are named by their path, not sent.
const maxBody = 1 << 20

// operations is the HTTP table: a handler for each method of the Service.
func (s *server) operations(svc api.Service) map[string]http.HandlerFunc {
	t := map[string]http.HandlerFunc{}
	route(s, t, "Info", svc.Info)
	route(s, t, "Doctor", svc.Doctor)
	route(s, t, "ListKBs", svc.ListKBs)
	route(s, t, "RemoveKB", svc.RemoveKB)
	route(s, t, "ListDocuments", svc.ListDocuments)
	route(s, t, "DocumentText", svc.DocumentText)
	route(s, t, "RemoveDocuments", svc.RemoveDocuments)
	route(s, t, "Words", svc.Words)
	route(s, t, "StartEditWords", svc.StartEditWords)
	route(s, t, "ExportChunks", svc.ExportChunks)
	route(s, t, "PreviewChunks", svc.PreviewChunks)
	route(s, t, "Search", svc.Search)
	route(s, t, "Compare", svc.Compare)
	route(s, t, "Ask", svc.Ask)
	route(s, t, "StartAsk", svc.StartAsk)
	route(s, t, "StartCompare", svc.StartCompare)
	route(s, t, "ListPrompts", svc.ListPrompts)
	route(s, t, "EditPrompt", svc.EditPrompt)
	route(s, t, "ResetPrompt", svc.ResetPrompt)
	route(s, t, "EngineStatus", svc.EngineStatus)
	route(s, t, "EstimateEval", svc.EstimateEval)
	route(s, t, "StartEval", svc.StartEval)
	route(s, t, "StartTune", svc.StartTune)
	route(s, t, "ForgetTuning", svc.ForgetTuning)
	route(s, t, "Score", svc.Score)
	route(s, t, "Selftest", svc.Selftest)
	route(s, t, "PreviewDataset", svc.PreviewDataset)
	route(s, t, "ValidateDataset", svc.ValidateDataset)
	route(s, t, "ImportDataset", svc.ImportDataset)
	route(s, t, "ListDatasets", svc.ListDatasets)
	route(s, t, "ExportDataset", svc.ExportDataset)
	route(s, t, "ListQuestions", svc.ListQuestions)
	route(s, t, "LabelPassage", svc.LabelPassage)
	route(s, t, "SplitDataset", svc.SplitDataset)
	route(s, t, "SampleDataset", svc.SampleDataset)
	route(s, t, "LeakCheck", svc.LeakCheck)
	route(s, t, "StartVerify", svc.StartVerify)
	route(s, t, "StartMark", svc.StartMark)
	route(s, t, "StartProbe", svc.StartProbe)
	route(s, t, "StartRescore", svc.StartRescore)
	route(s, t, "ReviewQueue", svc.ReviewQueue)
	route(s, t, "LabelClaim", svc.LabelClaim)
	route(s, t, "Labels", svc.Labels)
	route(s, t, "ExportLabels", svc.ExportLabels)
	route(s, t, "ImportLabels", svc.ImportLabels)
	route(s, t, "Agreement", svc.Agreement)
	route(s, t, "Disagreements", svc.Disagreements)
	route(s, t, "RateAnswer", svc.RateAnswer)
	route(s, t, "ListRatings", svc.ListRatings)
	route(s, t, "ExportRatings", svc.ExportRatings)
	route(s, t, "AddRatedQuestion", svc.AddRatedQuestion)
	route(s, t, "ListRuns", svc.ListRuns)
	route(s, t, "CompareRuns", svc.CompareRuns)
	route(s, t, "RunQuestions", svc.RunQuestions)
	route(s, t, "NoteRun", svc.NoteRun)
	route(s, t, "ExportRun", svc.ExportRun)
	route(s, t, "StartIngest", svc.StartIngest)
	route(s, t, "StartImportChunks", svc.StartImportChunks)
	route(s, t, "StartDemo", svc.StartDemo)
	route(s, t, "StartReindex", svc.StartReindex)
	route(s, t, "StartExportBundle", svc.StartExportBundle)
	route(s, t, "StartImportBundle", svc.StartImportBundle)
	route(s, t, "InspectBundle", svc.InspectBundle)
	route(s, t, "ListBundles", svc.ListBundles)
	route(s, t, "RemoveBundle", svc.RemoveBundle)
	route(s, t, "ListModels", svc.ListModels)
	route(s, t, "StartPullModel", svc.StartPullModel)
	route(s, t, "StartImportModel", svc.StartImportModel)
	route(s, t, "RemoveModel", svc.RemoveModel)
	route(s, t, "StartVerifyModels", svc.StartVerifyModels)
	route(s, t, "StartMeasureReranker", svc.StartMeasureReranker)
	route(s, t, "ListJobs", svc.ListJobs)
	route(s, t, "GetJob", svc.GetJob)
	route(s, t, "CancelJob", svc.CancelJob)
	return t
}

// route enters one operation: a JSON request in, a JSON response or error out.
func route[Request, Response any](
	s *server, table map[string]http.HandlerFunc, name string,
	op func(context.Context, Request) (Response, error),
) {
	table[name] = func(w http.ResponseWriter, r *http.Request) {
		var request Request
		if err := decode(w, r, &request); err != nil {
			s.fail(w, r, err)
			return
		}
		response, err := op(i18n.WithLanguage(r.Context(), s.language(r)), request)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(response); err != nil {
			s.fail(w, r, fmt.Errorf("encode response of %s: %w", name, err))
			return
		}
		writeJSON(w, http.StatusOK, b.Bytes())
	}
}

func (s *server) operation(w http.ResponseWriter, r *http.Request) {
	op, ok := s.ops[r.PathValue("operation")]
	switch {
	case !ok:
		s.unknownOperation(w, r)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		s.fail(w, r, fault.New("method_refused", fault.P("method", r.Method)))
	default:
		op(w, r)
	}
}

func (s *server) unknownOperation(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, fault.New("operation_unknown", fault.P("path", r.URL.Path)))
}

// decode reads exactly one JSON value with known fields into dst. Demanding the
// JSON media type keeps out forms, which browsers send across origins unasked.
func decode(w http.ResponseWriter, r *http.Request, dst any) error {
	media := r.Header.Get("Content-Type")
	if name, _, err := mime.ParseMediaType(media); err != nil || name != "application/json" {
		return fault.New("content_type_refused", fault.P("type", media))
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.Wrap(err, "body_too_large", fault.P("limit", maxBody))
	}
	if err != nil {
		return fault.Wrap(err, "body_invalid", fault.P("detail", err))
	}
	if err = json.Unmarshal(raw, new(json.RawMessage)); err == nil {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		err = dec.Decode(dst)
	}
	if err == nil {
		return nil
	}
	wrong := fault.JSON(raw, err)
	return fault.Wrap(wrong, "body_invalid", fault.P("detail", wrong.Code))
}

// Operations lists the operations of the HTTP table by name.
func Operations() []string {
	s := &server{}
	var names []string
	for name := range s.operations(noService{}) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// noService gives method values to a table that is only listed, never called.
type noService struct{ api.Service }
