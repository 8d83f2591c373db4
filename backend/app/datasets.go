package app

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/builtin"
	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// IsPath tells a path from a name: it has a separator or an extension.
func IsPath(s string) bool { return strings.ContainsAny(s, `/\`) || filepath.Ext(s) != "" }

// bound is a dataset with its gold bound to one library.
type bound struct {
	dataset.Dataset
	corpus   *dataset.Corpus
	bindings []dataset.Binding
}

// libraryOf is a library as package dataset reads it.
type libraryOf struct {
	service *Service
	lib     rag.Library
}

// Documents implements dataset.Library.
func (l libraryOf) Documents(ctx context.Context) ([]rag.DocumentRow, error) {
	return l.service.store.Documents(ctx, l.lib)
}

// Aliases implements dataset.Library.
func (l libraryOf) Aliases(ctx context.Context) ([]rag.Alias, error) {
	return l.service.store.Aliases(ctx, l.lib)
}

// Text implements dataset.Library.
func (l libraryOf) Text(ctx context.Context, id rag.DocumentID) (string, error) {
	return l.service.store.Text(ctx, l.lib, id)
}

// EachChunk implements dataset.Library.
func (l libraryOf) EachChunk(ctx context.Context, visit func(rag.ChunkRow) error) error {
	return l.service.store.EachChunk(ctx, l.lib, visit)
}

// readDataset reads a dataset from a file, from the workspace, or from the
// program: "sample" is the built-in one unless the workspace has its own.
func (s *Service) readDataset(ctx context.Context, ref string) (dataset.Dataset, []dataset.Problem, error) {
	if ref == "" {
		return dataset.Dataset{}, nil, fault.New("argument_missing", fault.P("argument", "--dataset"))
	}
	if IsPath(ref) {
		return dataset.Read(ctx, ref, dataset.Options{Decode: decodeQuestions})
	}
	st, err := s.openStore(ctx)
	if err != nil {
		return dataset.Dataset{}, nil, err
	}
	row, content, err := st.Dataset(ctx, ref, 0)
	if fault.Is(err, "dataset_unknown") && ref == builtin.NameSample {
		row, content, err = rag.DatasetRow{Name: ref}, builtin.SampleQuestions(), nil
	}
	if err != nil {
		return dataset.Dataset{}, nil, err
	}
	ds, err := dataset.Restore(ctx, row, content)
	return ds, nil, err
}

// soundDataset is readDataset for what is to be stored or written again: a file
// with a problem is refused whole.
func (s *Service) soundDataset(ctx context.Context, ref string) (dataset.Dataset, error) {
	ds, found, err := s.readDataset(ctx, ref)
	if err != nil {
		return dataset.Dataset{}, err
	}
	return ds, dataset.Refuse(ref, found)
}

// bind binds a dataset to a library and refuses one that cannot be evaluated.
func (s *Service) bind(ctx context.Context, file string, ds dataset.Dataset, found []dataset.Problem, lib rag.Library) (bound, error) {
	corpus, err := dataset.Open(ctx, libraryOf{s, lib})
	if err != nil {
		return bound{}, err
	}
	raw, err := s.store.Bindings(ctx, lib, ds.Hash())
	if err != nil {
		return bound{}, err
	}
	prior, err := dataset.DecodeBindings(raw)
	if err != nil {
		return bound{}, fmt.Errorf("read the bindings of %s: %w", file, err)
	}
	report, bindings, err := dataset.Examine(ctx, ds, found, corpus, prior)
	if err != nil {
		return bound{}, err
	}
	if err := dataset.Refuse(file, dataset.Blocking(report.Problems)); err != nil {
		return bound{}, err
	}
	return bound{ds, corpus, bindings}, nil
}

// rememberBindings keeps where gold was found, so that it is found again by its
// text after a document changed. Another writer at work is no reason to fail:
// the next evaluation remembers.
func (s *Service) rememberBindings(ctx context.Context, b bound, lib rag.Library) error {
	w, err := s.store.Lock(ctx, "eval "+lib.Name, time.Second)
	if fault.Is(err, "workspace_locked") {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock(w)
	raw, err := dataset.EncodeBindings(b.bindings)
	if err != nil {
		return err
	}
	return w.SetBindings(ctx, lib, b.Hash(), raw)
}

// decodeQuestions reads a file of questions in the encoding that the evidence speaks for.
func decodeQuestions(b []byte) (dataset.Decoded, error) {
	r, err := charset.Read(b, charset.Hint{})
	if err != nil {
		return dataset.Decoded{}, err
	}
	out := dataset.Decoded{Text: r.Text, Encoding: r.Encoding}
	for _, w := range r.Warnings {
		out.Doubt = w.Detail
	}
	return out, nil
}

// previewRows is how many rows and questions a preview shows.
const previewRows = 5

// PreviewDataset shows how a file of questions begins, and guesses its columns.
func (s *Service) PreviewDataset(ctx context.Context, r api.DatasetFileRequest) (api.DatasetPreview, error) {
	if err := dataset.CheckColumns(r.Columns); err != nil {
		return api.DatasetPreview{}, err
	}
	p, err := dataset.PreviewFile(ctx, r.File, previewRows, decodeQuestions)
	if err != nil {
		return api.DatasetPreview{}, err
	}
	ds, report, err := s.examine(ctx, r)
	if err != nil {
		return api.DatasetPreview{}, err
	}
	out := api.DatasetPreview{Format: string(p.Format), Columns: list(p.Columns), Rows: list(p.Rows), Fields: dataset.Fields(),
		Suggested: dataset.SuggestColumns(p.Columns), Sample: []api.Question{}, Problems: report.Problems, Notices: report.Notices}
	for _, q := range ds.Questions[:min(len(ds.Questions), previewRows)] {
		out.Sample = append(out.Sample, apiQuestion(q))
	}
	return out, nil
}

// ValidateDataset looks a file of questions over, against a library if one is
// named.
func (s *Service) ValidateDataset(ctx context.Context, r api.DatasetFileRequest) (api.DatasetReport, error) {
	_, report, err := s.examine(ctx, r)
	return report, err
}

func (s *Service) examine(ctx context.Context, r api.DatasetFileRequest) (dataset.Dataset, api.DatasetReport, error) {
	if err := dataset.CheckColumns(r.Columns); err != nil {
		return dataset.Dataset{}, api.DatasetReport{}, err
	}
	ds, found, err := dataset.Read(ctx, r.File, dataset.Options{Columns: r.Columns, Decode: decodeQuestions})
	if err != nil {
		return dataset.Dataset{}, api.DatasetReport{}, err
	}
	var corpus *dataset.Corpus
	if r.KB != "" {
		lib, err := s.library(ctx, r.KB)
		if err != nil {
			return dataset.Dataset{}, api.DatasetReport{}, err
		}
		if corpus, err = dataset.Open(ctx, libraryOf{s, lib}); err != nil {
			return dataset.Dataset{}, api.DatasetReport{}, err
		}
	}
	report, _, err := dataset.Examine(ctx, ds, found, corpus, nil)
	if err != nil {
		return dataset.Dataset{}, api.DatasetReport{}, err
	}
	return ds, api.DatasetReport{
		Questions: report.Questions, Problems: problems(report.Problems), Notices: problems(report.Notices),
		Types: report.Types, Valid: len(dataset.Blocking(report.Problems)) == 0,
	}, nil
}

func problems(in []dataset.Problem) []api.Problem {
	out := make([]api.Problem, len(in))
	for i, p := range in {
		out[i] = api.Problem{Line: p.Line, Code: p.Code, Detail: p.Detail}
	}
	return out
}

// asProblems is the inverse of problems.
func asProblems(in []api.Problem) []dataset.Problem {
	out := make([]dataset.Problem, len(in))
	for i, p := range in {
		out[i] = dataset.Problem{Line: p.Line, Code: p.Code, Detail: p.Detail}
	}
	return out
}

// ImportDataset stores a file of questions under a name. One with a problem is
// refused whole.
func (s *Service) ImportDataset(ctx context.Context, r api.DatasetFileRequest) (api.DatasetReport, error) {
	if r.Name == "" {
		return api.DatasetReport{}, fault.New("argument_missing", fault.P("argument", "--name"))
	}
	ds, report, err := s.examine(ctx, r)
	if err != nil {
		return api.DatasetReport{}, err
	}
	if err := dataset.Refuse(r.File, asProblems(report.Problems)); err != nil {
		return report, err
	}
	rows, err := s.putDatasets(ctx, []dataset.Dataset{{Name: r.Name, Questions: ds.Questions}})
	if err != nil {
		return api.DatasetReport{}, err
	}
	report.Name, report.Version = rows.Datasets[0].Name, rows.Datasets[0].Version
	return report, s.forgetUpload(ctx, r.File)
}

func (s *Service) putDatasets(ctx context.Context, sets []dataset.Dataset) (api.DatasetList, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return api.DatasetList{}, err
	}
	w, err := st.Lock(ctx, "dataset", s.cfg.LockWait)
	if err != nil {
		return api.DatasetList{}, err
	}
	defer unlock(w)
	return putDatasets(ctx, w, sets)
}

func putDatasets(ctx context.Context, w *store.Writer, sets []dataset.Dataset) (api.DatasetList, error) {
	var out api.DatasetList
	for _, ds := range sets {
		row := rag.DatasetRow{Name: ds.Name, Hash: ds.Hash(), Questions: len(ds.Questions), Imported: time.Now()}
		row, err := w.PutDataset(ctx, row, ds.Bytes())
		if err != nil {
			return api.DatasetList{}, err
		}
		out.Datasets = append(out.Datasets, datasetInfo(row))
	}
	return out, nil
}

func datasetInfo(r rag.DatasetRow) api.DatasetInfo {
	return api.DatasetInfo{Name: r.Name, Version: r.Version, Questions: r.Questions, Hash: r.Hash}
}

// ListDatasets lists the newest version of each dataset.
func (s *Service) ListDatasets(ctx context.Context, _ api.ListDatasetsRequest) (api.DatasetList, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return api.DatasetList{}, err
	}
	rows, err := st.Datasets(ctx)
	if err != nil {
		return api.DatasetList{}, err
	}
	newest := map[string]rag.DatasetRow{}
	for _, r := range rows {
		if r.Version > newest[r.Name].Version {
			newest[r.Name] = r
		}
	}
	out := api.DatasetList{Datasets: []api.DatasetInfo{}}
	for _, name := range slices.Sorted(maps.Keys(newest)) {
		out.Datasets = append(out.Datasets, datasetInfo(newest[name]))
	}
	return out, nil
}

// ExportDataset returns a dataset in the canonical form.
func (s *Service) ExportDataset(ctx context.Context, r api.DatasetRequest) (api.DatasetContent, error) {
	ds, err := s.soundDataset(ctx, r.Name)
	if err != nil {
		return api.DatasetContent{}, err
	}
	return api.DatasetContent{Name: ds.Name, Content: string(ds.Bytes())}, nil
}

// SplitDataset divides a dataset into parts of their own names.
func (s *Service) SplitDataset(ctx context.Context, r api.SplitDatasetRequest) (api.DatasetList, error) {
	ds, err := s.soundDataset(ctx, r.Name)
	if err != nil {
		return api.DatasetList{}, err
	}
	var parts []dataset.Part
	for _, name := range slices.Sorted(maps.Keys(r.Parts)) {
		parts = append(parts, dataset.Part{Name: name, Share: r.Parts[name]})
	}
	sets, err := ds.Split(parts, dataset.SplitOptions{Seed: r.Seed, Documents: r.Documents})
	if err != nil {
		return api.DatasetList{}, err
	}
	return s.putDatasets(ctx, sets)
}

// sampleSize is how many questions are drawn unless told otherwise.
const sampleSize = 200

// SampleDataset draws questions into a dataset of its own.
func (s *Service) SampleDataset(ctx context.Context, r api.SampleDatasetRequest) (api.DatasetList, error) {
	ds, err := s.soundDataset(ctx, r.Name)
	if err != nil {
		return api.DatasetList{}, err
	}
	if r.N == 0 {
		r.N = min(sampleSize, len(ds.Questions))
	}
	drawn, err := ds.Sample(r.N, r.Seed)
	if err != nil {
		return api.DatasetList{}, err
	}
	drawn.Name = fmt.Sprintf("%s-%d", ds.Name, r.N)
	return s.putDatasets(ctx, []dataset.Dataset{drawn})
}

// LeakCheck tells questions that repeat their passage from those that do not.
func (s *Service) LeakCheck(ctx context.Context, r api.LeakCheckRequest) (api.LeakReport, error) {
	lib, err := s.library(ctx, r.KB)
	if err != nil {
		return api.LeakReport{}, err
	}
	ds, found, err := s.readDataset(ctx, r.Name)
	if err != nil {
		return api.LeakReport{}, err
	}
	b, err := s.bind(ctx, r.Name, ds, found, lib)
	if err != nil {
		return api.LeakReport{}, err
	}
	leaks, err := b.corpus.LeakCheck(ctx, ds, b.bindings)
	if err != nil {
		return api.LeakReport{}, err
	}
	out := api.LeakReport{Questions: make([]api.Leak, len(leaks))}
	for i, l := range leaks {
		out.Questions[i] = api.Leak{QueryID: l.Question, Overlap: l.Overlap, Verbatim: l.Verbatim}
		if l.Verbatim {
			out.Verbatim++
		} else {
			out.Paraphrased++
		}
	}
	return out, nil
}
