package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/bundle"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/job"
	"ragdesk/backend/llm"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
)

// mirrorEnv names the environment variable with the address of a mirror of the
// model hub.
const mirrorEnv = "RAGDESK_MIRROR"

// modelPut is the result of a job that installed a model.
type modelPut struct{ model api.Model }

// modelsVerified is the result of a verify job.
type modelsVerified struct{ checks []modelCheck }

// modelCheck is what hashing a model's files found.
type modelCheck struct {
	name  string
	files int
	bytes int64
	err   error
}

// rerankerMeasured is the result of a measure job.
type rerankerMeasured struct{ speed api.RerankerSpeed }

// withoutItems is progress that keeps finished files to itself: the items of
// events are documents.
type withoutItems struct{ rag.Progress }

// Note does nothing.
func (withoutItems) Note(any) {}

// changeModels runs change as the only one of this service that changes the
// models folder.
func (s *Service) changeModels(ctx context.Context, change func() error) error {
	select {
	case s.modelsTurn <- struct{}{}:
		defer func() { <-s.modelsTurn }()
		return change()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StartPullModel downloads a model: from the hub or a mirror, or, a language model,
// by the host of language models.
func (s *Service) StartPullModel(_ context.Context, r api.PullModelRequest) (api.Job, error) {
	if r.Name == "" {
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "NAME"))
	}
	entry, err := models.FindEntry(r.Name)
	if err != nil && namesChat(r.Name) {
		return s.pullChat(r)
	}
	if err != nil {
		return api.Job{}, err
	}
	if err := freeName(entry.Name); err != nil {
		return api.Job{}, err
	}
	precision := models.Precision(strings.ToLower(r.Precision))
	if precision != "" && !slices.Contains(entry.Precisions, precision) {
		return api.Job{}, fault.New("model_precision_missing", fault.P("path", entry.Repo),
			fault.P("precision", r.Precision), fault.P("known", strings.Join(words(entry.Precisions), ", ")))
	}
	hub, err := models.NewHub(cmp.Or(r.Mirror, os.Getenv(mirrorEnv)), nil)
	if err != nil {
		return api.Job{}, err
	}
	return s.startModel("pull", func(ctx context.Context, folder *models.Folder, progress rag.Progress) (models.Installed, error) {
		return folder.Pull(ctx, hub, entry, precision, progress)
	})
}

// StartImportModel installs a model from a folder, a bundle or a GGUF file.
func (s *Service) StartImportModel(_ context.Context, r api.ImportModelRequest) (api.Job, error) {
	if r.Path == "" {
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "PATH"))
	}
	if _, err := os.Stat(r.Path); err != nil {
		return api.Job{}, fault.Wrap(err, "not_found", fault.P("path", r.Path))
	}
	if b, err := bundle.Open(r.Path); err == nil {
		return api.Job{}, errors.Join(fault.New("bundle_is_workspace", fault.P("path", r.Path)), b.Close())
	}
	if holdsChat(r.Path) {
		return s.importChat(r)
	}
	if err := freeName(cmp.Or(r.Name, models.ImportName(r.Path))); err != nil {
		return api.Job{}, err
	}
	return s.startModel("install", func(ctx context.Context, folder *models.Folder, progress rag.Progress) (models.Installed, error) {
		return folder.Import(ctx, r.Path, r.Name, progress)
	})
}

// freeName refuses names that mean something else.
func freeName(name string) error {
	if _, err := models.Lookup(name); err == nil {
		return fault.New("model_exists", fault.P("model", name))
	}
	switch strings.ToLower(name) {
	case rag.RerankNone, rag.RerankDefault, rag.RerankLateInteraction, rag.RerankCrossEncoder, "auto":
		return fault.New("model_name_invalid", fault.P("model", name))
	}
	return nil
}

// startModel runs a job that installs a model in the user's folder.
func (s *Service) startModel(kind string, put func(context.Context, *models.Folder, rag.Progress) (models.Installed, error)) (api.Job, error) {
	folder, err := s.installed.folder()
	if err != nil {
		return api.Job{}, err
	}
	return s.startPut(kind, func(ctx context.Context, progress rag.Progress) (api.Model, error) {
		var m models.Installed
		err := s.changeModels(ctx, func() (err error) {
			m, err = put(ctx, folder, progress)
			return err
		})
		if err != nil {
			return api.Model{}, err
		}
		return withNeeds(installedModel(m), llm.FreeMemory()), nil
	}), nil
}

// startPut runs a job whose result is a model that was installed.
func (s *Service) startPut(kind string, put func(context.Context, rag.Progress) (api.Model, error)) api.Job {
	return jobSnapshot("", s.board.Start(kind, func(ctx context.Context, progress *job.Reporter) (any, error) {
		m, err := put(ctx, withoutItems{progress})
		if err != nil {
			return nil, err
		}
		return modelPut{m}, nil
	}))
}

// RemoveModel deletes an installed model.
func (s *Service) RemoveModel(ctx context.Context, r api.ModelRequest) (api.RemovedModel, error) {
	if e, err := models.Lookup(r.Name); err == nil && r.Name != "" {
		return api.RemovedModel{}, fault.New("model_bundled", fault.P("model", e.Name))
	}
	list, err := s.installed.list("")
	if err != nil {
		return api.RemovedModel{}, err
	}
	i := slices.IndexFunc(list, func(m models.Manifest) bool { return strings.EqualFold(m.Name, r.Name) })
	if i < 0 && r.Name != "" {
		if out, err := s.removeChat(ctx, r.Name); !errors.Is(err, errNoChat) {
			return out, err
		}
	}
	out := api.RemovedModel{Removed: r.Name, KBs: []string{}}
	if i >= 0 {
		out.Removed, out.Bytes = list[i].Name, list[i].Bytes()
	}
	if out.KBs, err = s.indexedWith(ctx, out.Removed); err != nil {
		return api.RemovedModel{}, err
	}
	folder, err := s.installed.folder()
	if err != nil {
		return api.RemovedModel{}, err
	}
	err = s.changeModels(ctx, func() error {
		// A system that keeps open files would not let go of them.
		s.embedders.close(out.Removed + "@")
		s.crossEncoders.close(out.Removed + "@")
		return folder.Remove(r.Name)
	})
	return out, err
}

// indexedWith lists the libraries that need a model.
func (s *Service) indexedWith(ctx context.Context, model string) ([]string, error) {
	libs, err := s.libraries(ctx)
	if err != nil {
		return nil, err
	}
	kbs := []string{}
	for _, lib := range libs {
		for part := range strings.SplitSeq(lib.Embedder, "+") {
			if name, _, _ := strings.Cut(part, ":"); strings.EqualFold(name, model) {
				kbs = append(kbs, lib.Name)
				break
			}
		}
	}
	return kbs, nil
}

// StartVerifyModels hashes the files of one installed model, or of all.
func (s *Service) StartVerifyModels(_ context.Context, r api.ModelRequest) (api.Job, error) {
	folder, err := s.installed.folder()
	if err != nil {
		return api.Job{}, err
	}
	list, err := folder.List()
	if err != nil {
		return api.Job{}, err
	}
	if e, err := models.Lookup(r.Name); err == nil && r.Name != "" {
		return api.Job{}, fault.New("model_bundled", fault.P("model", e.Name))
	}
	snap := s.board.Start("verify", func(ctx context.Context, progress *job.Reporter) (any, error) {
		checks, err := verifyInstalled(ctx, folder, list, r.Name, progress)
		if err != nil && !fault.Is(err, "model_not_installed") {
			return nil, err
		}
		chat, chatErr := s.verifyChat(ctx, r.Name, progress)
		if chatErr != nil {
			return nil, chatErr
		}
		if err != nil && len(chat) == 0 {
			return nil, err
		}
		return modelsVerified{append(checks, chat...)}, nil
	})
	return jobSnapshot("", snap), nil
}

// verifyInstalled hashes the files of one model of the user's folder, or of all with
// an empty name.
func verifyInstalled(ctx context.Context, folder *models.Folder, list []models.Manifest, name string, progress rag.Progress) ([]modelCheck, error) {
	if name != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(m models.Manifest) bool { return !strings.EqualFold(m.Name, name) })
		if len(list) == 0 { // the fault says which there are
			_, err := folder.Verify(ctx, name, progress)
			return nil, err
		}
	}
	var out []modelCheck
	for _, m := range list {
		_, err := folder.Verify(ctx, m.Name, progress)
		if err != nil && !fault.Is(err, "model_damaged") {
			return nil, err
		}
		out = append(out, modelCheck{m.Name, len(m.Files), m.Bytes(), err})
	}
	return out, nil
}

// StartMeasureReranker measures what a cross-encoder costs on this machine.
func (s *Service) StartMeasureReranker(_ context.Context, r api.MeasureRerankerRequest) (api.Job, error) {
	name, err := s.rerankerName(cmp.Or(r.Reranker, rag.RerankCrossEncoder))
	if err != nil {
		return api.Job{}, err
	}
	if name == rag.RerankNone || name == rag.RerankLateInteraction {
		return api.Job{}, fault.New("reranker_unmeasured", fault.P("reranker", name))
	}
	c, err := s.crossEncoder(name)
	if err != nil {
		return api.Job{}, err
	}
	depth := cmp.Or(r.Depth, rag.DefaultRerankDepth)
	if depth < 1 {
		return api.Job{}, rag.OutOfRange("rerank-depth", depth, "≥ 1")
	}
	snap := s.board.Start("measure", func(ctx context.Context, progress *job.Reporter) (any, error) {
		progress.Stage("measure", 0)
		speed, err := c.Measure(ctx)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", name, err)
		}
		return rerankerMeasured{api.RerankerSpeed{
			Reranker: name, Fingerprint: c.Fingerprint(), Tokens: speed.Tokens, Pairs: speed.Pairs,
			MSPerPair: float64(speed.PerPair.Microseconds()) / 1000,
			Depth:     depth, SecondsPerQuery: speed.PerQuery(depth).Seconds(),
		}}, nil
	})
	return jobSnapshot("", snap), nil
}

// modelResult puts what a job of models returned into its snapshot.
func modelResult(out *api.Job, lang string, result any) {
	switch r := result.(type) {
	case modelPut:
		m := r.model
		m.About = about(lang, m)
		out.Model = &m
	case modelsVerified:
		v := verification(lang, r.checks)
		out.Verified = &v
	case rerankerMeasured:
		out.Speed = &r.speed
	}
}

func verification(lang string, checks []modelCheck) api.ModelVerification {
	out := api.ModelVerification{OK: true, Models: make([]api.VerifiedModel, len(checks))}
	for i, c := range checks {
		out.Models[i] = api.VerifiedModel{Name: c.name, Files: c.files, Bytes: c.bytes}
		if c.err != nil {
			body := i18n.ErrorBody(lang, c.err)
			out.Models[i].Error, out.OK = &body, false
		}
	}
	return out
}
