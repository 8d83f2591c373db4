package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/rag"
	"ragdesk/build/standin"
)

const (
	// rerankRepo and embedRepo are where the catalogue has the two models below.
	rerankRepo, rerankName = "Xenova/bge-reranker-base", "bge-reranker-base"
	embedRepo, embedName   = "Xenova/multilingual-e5-small", "multilingual-e5-small"
)

// hub is a stand-in hub with a reranker and an embedder.
func hub(t *testing.T) *modelstest.Hub {
	t.Helper()
	return modelstest.StartHub(t, map[string]standin.Kind{rerankRepo: standin.XLMRReranker, embedRepo: standin.E5Embedder})
}

// pull installs a model from a hub.
func pull(t *testing.T, s *Service, h *modelstest.Hub, name, precision string) api.Model {
	t.Helper()
	j, err := s.StartPullModel(t.Context(), api.PullModelRequest{Name: name, Mirror: h.URL, Precision: precision})
	if j = ended(t, s, j, err); j.State != "done" || j.Model == nil {
		t.Fatalf("pull %s: %s, %+v", name, j.State, j.Error)
	}
	return *j.Model
}

// imported installs a stand-in under a name.
func imported(t *testing.T, s *Service, kind standin.Kind, name string) api.Model {
	t.Helper()
	j, err := s.StartImportModel(t.Context(), api.ImportModelRequest{Path: modelstest.StandIn(t, kind), Name: name})
	if j = ended(t, s, j, err); j.State != "done" || j.Model == nil {
		t.Fatalf("import %s: %s, %+v", name, j.State, j.Error)
	}
	return *j.Model
}

// byName finds a model in the list.
func byName(t *testing.T, s *Service, name string) (api.ModelList, api.Model) {
	t.Helper()
	list, err := s.ListModels(t.Context(), api.ListModelsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Models, func(m api.Model) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("%s is not in the list", name)
	}
	return list, list.Models[i]
}

func TestModelsOfAFreshInstallation(t *testing.T) {
	t.Parallel()
	s := service(t)
	list, offered := byName(t, s, rerankName)
	if offered.Installed || offered.Path != nil || *offered.Command != "ragdesk models pull bge-reranker-base" || offered.Kind != "reranker" || offered.About == "" {
		t.Errorf("%+v", offered)
	}
	if list.DefaultReranker != rag.RerankLateInteraction || list.DefaultEmbedder != defaultEmbedder || list.Folder != s.cfg.Models {
		t.Errorf("%+v", list)
	}
	if _, own := byName(t, s, models.DefaultEmbedder); !own.Bundled || !own.Installed || own.Command != nil || *own.Dim != 512 || own.Bytes < 20e6 || own.Licence == "" {
		t.Errorf("%+v", own)
	}
	if list.DefaultModel != "extractive" || list.ChatError != nil {
		t.Errorf("%+v", list)
	}
	for _, m := range list.Models {
		if (m.Kind == "chat") != (m.Limit != nil && !m.Installed) || m.About == "" {
			t.Errorf("%+v", m)
		}
		if m.Memory == nil || *m.Memory <= m.Bytes || m.Fit == nil || (*m.Fit == "unknown") != (llm.FreeMemory() == 0) {
			t.Errorf("%s needs %v, fits %v", m.Name, m.Memory, m.Fit)
		}
		if m.Licence == "" || len(m.Languages) == 0 || m.Bytes == 0 || len(m.Precisions) == 0 {
			t.Errorf("%+v", m)
		}
	}
}

func TestACancelledPullIsContinued(t *testing.T) {
	t.Parallel()
	s, h := service(t), hub(t)
	const held = 100_000
	h.Hold("model_quantized.onnx", held)
	j, err := s.StartPullModel(t.Context(), api.PullModelRequest{Name: rerankName, Mirror: h.URL})
	for err == nil && j.State == "running" && j.Done < held {
		time.Sleep(time.Millisecond)
		j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID})
	}
	if err != nil || j.Stage != "download" || j.Total < j.Done {
		t.Fatalf("%+v, %v", j, err)
	}
	if _, err := s.CancelJob(t.Context(), api.JobRequest{ID: j.ID}); err != nil {
		t.Fatal(err)
	}
	if j = ended(t, s, j, nil); j.State != "cancelled" || j.Error.Code != "cancelled" || j.Model != nil {
		t.Fatalf("%+v", j)
	}
	if _, m := byName(t, s, rerankName); m.Installed {
		t.Error("half a model counts as installed")
	}
	h.Requests()
	m := pull(t, s, h, rerankName, "")
	if got := h.Requests(); !slices.Contains(got, "onnx/model_quantized.onnx bytes=100000-") {
		t.Errorf("the second pull asked for %q", got)
	}
	list, same := byName(t, s, rerankName)
	if diff := cmp.Diff(m, same); diff != "" {
		t.Errorf("pulled and listed:\n%s", diff)
	}
	if list.DefaultReranker != rerankName || !slices.Equal(m.Precisions, []string{"int8"}) || !strings.HasSuffix(*m.Source, rerankRepo+"@main") {
		t.Errorf("default %s, %+v", list.DefaultReranker, m)
	}
}

func TestModelsAreVerified(t *testing.T) {
	t.Parallel()
	s := service(t)
	imported(t, s, standin.BERTReranker, "sound")
	m := imported(t, s, standin.BERTReranker, "broken")
	verify := func(name string) api.Job {
		j, err := s.StartVerifyModels(t.Context(), api.ModelRequest{Name: name})
		return ended(t, s, j, err)
	}
	if j := verify(""); !j.Verified.OK || len(j.Verified.Models) != 2 {
		t.Errorf("%+v", j.Verified)
	}
	if err := os.WriteFile(filepath.Join(*m.Path, "config.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := verify("")
	if v := j.Verified.Models; j.Verified.OK || v[0].Error.Code != "model_damaged" || v[0].Error.Params["files"] != "config.json" || v[1].Error != nil {
		t.Errorf("%+v", j.Verified)
	}
	if report, err := s.Doctor(t.Context(), api.DoctorRequest{}); err != nil || !slices.ContainsFunc(report.Checks, func(c api.DoctorCheck) bool {
		return c.Name == "model sound" && c.Status == "ok" && c.Detail == "reranker, fp32"
	}) {
		t.Errorf("doctor: %+v, %v", report.Checks, err)
	}
	if j := verify("sound"); !j.Verified.OK || j.Verified.Models[0].Name != "sound" {
		t.Errorf("%+v", j.Verified)
	}
	if j := verify("nobody"); j.Error == nil || j.Error.Code != "model_not_installed" {
		t.Errorf("%+v", j)
	}
}

func TestRerankersAreMeasured(t *testing.T) {
	t.Parallel()
	s := service(t)
	imported(t, s, standin.XLMRReranker, "mine")
	j, err := s.StartMeasureReranker(t.Context(), api.MeasureRerankerRequest{})
	j = ended(t, s, j, err)
	if v := j.Speed; v == nil || v.Reranker != "mine" || v.Depth != 20 || v.MSPerPair <= 0 || v.SecondsPerQuery < 19*v.MSPerPair/1000 || v.Fingerprint == "" {
		t.Errorf("%+v, %+v", v, j.Error)
	}
	for name, code := range map[string]string{"late-interaction": "reranker_unmeasured", "nobody": "reranker_unknown"} {
		if _, err := s.StartMeasureReranker(t.Context(), api.MeasureRerankerRequest{Reranker: name}); !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
	}
}

func TestModelRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := service(t)
	imported(t, s, standin.E5Embedder, "mine")
	path := modelstest.StandIn(t, standin.BERTReranker)
	start := func(j api.Job, err error) error {
		if err != nil {
			return err
		}
		if j = ended(t, s, j, nil); j.Error == nil {
			return nil
		}
		return fault.New(j.Error.Code)
	}
	load := func(path, name string) error {
		return start(s.StartImportModel(t.Context(), api.ImportModelRequest{Path: path, Name: name}))
	}
	get := func(r api.PullModelRequest) error { return start(s.StartPullModel(t.Context(), r)) }
	rerank := func(name string) error {
		_, err := pipeline(s.resolver(t.Context(), ""), "hybrid", api.Retrieval{Reranker: &name})
		return err
	}
	embedder := func(name string) error { _, err := s.embedderName(name); return err }
	remove := func(name string) error {
		_, err := s.RemoveModel(t.Context(), api.ModelRequest{Name: name})
		return err
	}
	for name, c := range map[string]struct {
		err  error
		code string
	}{
		"no path":                       {load("", ""), "argument_missing"},
		"a path that is not there":      {load("nowhere", ""), "not_found"},
		"no model":                      {load(t.TempDir(), "empty"), "model_invalid"},
		"no archive":                    {load(filepath.Join(path, "config.json"), "x"), "bundle_invalid"},
		"a name of the program's":       {load(path, "Late-Interaction"), "model_name_invalid"},
		"a model of the program's":      {load(path, models.DefaultEmbedder), "model_exists"},
		"a name that is taken":          {load(path, "MINE"), "model_exists"},
		"a name with blanks":            {load(path, "my model"), "model_name_invalid"},
		"no name":                       {get(api.PullModelRequest{}), "argument_missing"},
		"an unknown name":               {get(api.PullModelRequest{Name: "magic"}), "model_unknown"},
		"an unknown precision":          {get(api.PullModelRequest{Name: rerankName, Precision: "int1"}), "model_precision_missing"},
		"a mirror that is none":         {get(api.PullModelRequest{Name: rerankName, Mirror: "ftp://x"}), "hub_address"},
		"a repository that is not":      {get(api.PullModelRequest{Name: "x/y", Mirror: hub(t).URL}), "hub_not_found"},
		"reranker: unknown":             {rerank("magic"), "reranker_unknown"},
		"reranker: an embedder":         {rerank("mine"), "reranker_unknown"},
		"reranker: of the catalogue":    {rerank(rerankName), "model_not_installed"},
		"reranker: with a precision":    {rerank(rerankName + ":fp32"), "model_not_installed"},
		"reranker: none is installed":   {rerank("cross-encoder"), "model_not_installed"},
		"embedder: unknown":             {embedder("mine+magic"), "embedder_unknown"},
		"embedder: of the catalogue":    {embedder("bge-m3"), "model_not_installed"},
		"embedder: a reranker":          {embedder(rerankName), "embedder_unknown"},
		"embedder: without a precision": {embedder("mine:fp16"), "model_precision_missing"},
		"remove: unknown":               {remove("magic"), "model_not_installed"},
		"remove: of the program":        {remove(models.DefaultEmbedder), "model_bundled"},
	} {
		if !fault.Is(c.err, c.code) {
			t.Errorf("%s: %v, want %s", name, c.err, c.code)
		}
	}
	if p := fault.Of(rerank(rerankName)).Params; p["command"] != "ragdesk models pull "+rerankName {
		t.Errorf("the command is %q", p["command"])
	}
	if p := fault.Of(rerank("magic")).Params; p["known"] != "none, late-interaction" {
		t.Errorf("known are %q", p["known"])
	}
	if left, err := os.ReadDir(s.cfg.Models); err != nil || len(left) != 1 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

func TestARemovedModelIsMissed(t *testing.T) {
	t.Parallel()
	s := service(t)
	imported(t, s, standin.E5Embedder, "mine")
	imported(t, s, standin.BERTReranker, "judge")
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: []string{folder(t, tides())}, Embedder: "MINE"})
	if j = ended(t, s, j, err); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	search := func(strategy string) error {
		_, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: strategy})
		return err
	}
	if err := errors.Join(search("vector"), search("bm25+rerank")); err != nil {
		t.Fatal(err)
	}
	removed, err := s.RemoveModel(t.Context(), api.ModelRequest{Name: "Mine"})
	if err != nil || removed.Removed != "mine" || removed.Bytes == 0 || !slices.Equal(removed.KBs, []string{"kb"}) {
		t.Errorf("%+v, %v", removed, err)
	}
	if err := search("vector"); !fault.Is(err, "model_not_installed") || fault.Of(err).Params["model"] != "mine" {
		t.Errorf("vectors without their model: %v", err)
	}
	j, err = s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: []string{t.TempDir()}})
	if j = ended(t, s, j, err); j.Error == nil || j.Error.Code != "model_not_installed" {
		t.Errorf("ingesting without the model: %+v", j)
	}
	if err := search("bm25+rerank"); err != nil {
		t.Errorf("BM25 and a cross-encoder need no embedder: %v", err)
	}
	if _, err := s.RemoveModel(t.Context(), api.ModelRequest{Name: "judge"}); err != nil {
		t.Error(err)
	}
	imported(t, s, standin.E5Embedder, "mine")
	if err := search("vector"); err != nil {
		t.Errorf("with the model back: %v", err)
	}
}
