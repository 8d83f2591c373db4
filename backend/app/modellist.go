package app

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/i18n"
	"ragdesk/backend/llm"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
)

// ListModels lists the program's own models, the installed ones, and those of the
// catalogue: embedders, rerankers, language models.
func (s *Service) ListModels(ctx context.Context, _ api.ListModelsRequest) (api.ModelList, error) {
	folder, err := s.installed.folder()
	if err != nil {
		return api.ModelList{}, err
	}
	out := api.ModelList{Folder: folder.Dir(), Hub: cmp.Or(os.Getenv(mirrorEnv), models.DefaultHub), DefaultEmbedder: defaultEmbedder}
	if out.DefaultReranker, err = s.rerankerName(rag.RerankDefault); err != nil {
		return api.ModelList{}, err
	}
	list, err := bundledModels()
	if err != nil {
		return api.ModelList{}, err
	}
	manifests, err := folder.List()
	if err != nil {
		return api.ModelList{}, err
	}
	lang := i18n.Language(ctx)
	for _, manifest := range manifests {
		list = append(list, s.listed(lang, folder, manifest))
	}
	for _, e := range models.Catalogue() {
		if !slices.ContainsFunc(list, func(m api.Model) bool { return strings.EqualFold(m.Name, e.Name) }) {
			list = append(list, offeredModel(e))
		}
	}
	free := llm.FreeMemory()
	for i := range list {
		list[i] = withNeeds(list[i], free)
	}
	chat, err := s.chatModels(ctx)
	if err != nil {
		body := i18n.ErrorBody(lang, err)
		out.ChatError = &body
	}
	list = append(list, chat...)
	if out.DefaultModel, err = s.defaultModel(ctx); err != nil {
		return api.ModelList{}, err
	}
	slices.SortStableFunc(list, func(a, b api.Model) int { return cmp.Compare(kindOrder(a.Kind), kindOrder(b.Kind)) })
	for i := range list {
		list[i].About = about(lang, list[i])
	}
	out.Models = list
	return out, nil
}

// graphNeeds estimates the memory in bytes that an embedder or reranker takes: its
// weights, the copy that ONNX Runtime arranges for the processor, and 120 MB for the
// texts that run at the same time.
func graphNeeds(weights int64) int64 { return 2*weights + 120_000_000 }

// kindOrder is where a kind stands in the list.
func kindOrder(kind string) int {
	return slices.Index([]string{string(models.TaskEmbed), string(models.TaskRerank), string(models.TaskNLI), kindChat}, kind)
}

// withNeeds says what an ONNX model takes of memory, of which free bytes are free.
func withNeeds(m api.Model, free int64) api.Model {
	needs := graphNeeds(m.Bytes)
	fit := string(llm.Advise(needs, free))
	m.Memory, m.Fit = &needs, &fit
	return m
}

// listed is an installed model; one whose folder cannot be read has its error.
func (s *Service) listed(lang string, folder *models.Folder, manifest models.Manifest) api.Model {
	m, err := s.installed.find(manifest.Name)
	if err == nil {
		return installedModel(m)
	}
	out := manifestModel(manifest, folder.Dir()+string(os.PathSeparator)+manifest.Name)
	body := i18n.ErrorBody(lang, err)
	out.Error = &body
	return out
}

// bundledModels are those that the program carries.
func bundledModels() ([]api.Model, error) {
	assets, err := models.Open("")
	if err != nil {
		return nil, err
	}
	var out []api.Model
	for _, e := range models.Embedders() {
		m := api.Model{
			Name: e.Name, Kind: string(models.TaskEmbed), Bundled: true, Installed: true, Languages: []string{e.Language},
			Precisions: []string{string(models.INT8)}, Dim: &e.Dim, Limit: &e.Limit,
		}
		for _, a := range assets.Assets() {
			switch a.Name {
			case e.Model:
				m.Licence = a.Licence
				fallthrough
			case e.Tokenizer:
				m.Bytes += a.Size
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// installedModel describes a model in the user's folder.
func installedModel(m models.Installed) api.Model {
	out := manifestModel(m.Manifest, m.Dir)
	out.Limit = &m.Limit
	if m.Task == models.TaskEmbed {
		out.Dim = &m.Dim
	}
	return out
}

func manifestModel(m models.Manifest, dir string) api.Model {
	out := api.Model{
		Name: m.Name, Kind: string(m.Task), Installed: true, Languages: []string{}, Licence: m.Licence, Bytes: m.Bytes(),
		Precisions: words(m.Precisions), Source: &m.Source, Path: &dir,
	}
	if e, err := models.FindEntry(m.Name); err == nil {
		out.Languages = list(e.Languages)
	}
	return out
}

// offeredModel describes a model that can be installed.
func offeredModel(e models.Entry) api.Model {
	command := e.Command()
	return api.Model{
		Name: e.Name, Kind: string(e.Task), Languages: list(e.Languages), Bytes: int64(e.Megabytes) * 1_000_000, Licence: e.Licence,
		Precisions: words(e.Precisions), Command: &command,
	}
}

// words are the names of precisions.
func words(in []models.Precision) []string {
	out := make([]string, len(in))
	for i, p := range in {
		out[i] = string(p)
	}
	return out
}

// about says what a model is good for: what is known of it by name, or what its
// kind does.
func about(lang string, m api.Model) string {
	if m.Kind == kindChat {
		return aboutChat(lang, m)
	}
	if own := i18n.Text(lang, "model."+m.Name); own != "model."+m.Name {
		return own
	}
	return i18n.Text(lang, "model.kind."+m.Kind)
}
