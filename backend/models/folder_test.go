package models

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/build/standin"
)

func standIn(tb testing.TB, kind standin.Kind) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), string(kind))
	if err := standin.Write(dir, kind); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	types := []string{"input_ids", "attention_mask", "token_type_ids"}
	for kind, want := range map[standin.Kind]Description{
		standin.BERTReranker: {Task: TaskRerank, Limit: 128, Dim: 32, Variants: []Variant{{Precision: FP32, Inputs: types, Output: "logits"}}},
		standin.XLMRReranker: {Task: TaskRerank, Limit: 126, Dim: 32, Pad: 1, Variants: []Variant{
			{Precision: INT8, Inputs: types[:2], Output: "logits"},
			{Precision: FP32, Inputs: types[:2], Output: "logits"},
			{Precision: FP16, Inputs: types[:2], Output: "logits", Half: []int64{-1, 1}},
		}},
		standin.XLMRExternal: {Task: TaskRerank, Limit: 126, Dim: 32, Pad: 1, Variants: []Variant{
			{Precision: FP32, Inputs: types[:2], Output: "logits", Data: []string{"model.onnx_data"}},
		}},
		standin.E5Embedder: {
			Task: TaskEmbed, Limit: 64, Dim: 32, Pad: 1, Pooling: PoolingMean, QueryPrefix: "query: ", DocumentPrefix: "passage: ",
			Variants: []Variant{
				{Precision: INT8, Inputs: types[:2], Output: "last_hidden_state"},
				{Precision: FP32, Inputs: types[:2], Output: "last_hidden_state"},
			},
		},
		standin.M3Embedder: {Task: TaskEmbed, Limit: 64, Dim: 32, Pad: 1, Pooling: PoolingCLS, Variants: []Variant{
			{Precision: FP32, Inputs: types[:2], Output: "token_embeddings", Data: []string{"model.onnx_data"}},
		}},
		standin.BERTNLI: {
			Task: TaskNLI, Limit: 128, Dim: 32, Labels: []string{"contradiction", "entailment", "neutral"}, Languages: []string{"zh"},
			Variants: []Variant{{Precision: FP32, Inputs: types, Output: "logits"}},
		},
		standin.TokenClassifier: {
			Task: TaskNLI, Tokens: true, Limit: 512, Dim: 32, Labels: []string{LabelSupported, LabelUnsupported}, Languages: []string{"en"},
			Variants: []Variant{{Precision: FP32, Inputs: types[:2], Output: "logits"}},
		},
		standin.BERTEmbedder: {Task: TaskEmbed, Limit: 128, Dim: 32, Pooling: PoolingMean, Variants: []Variant{
			{Precision: FP32, Inputs: types, Output: "last_hidden_state"},
		}},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			dir := standIn(t, kind)
			got, err := Describe(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got.Variants {
				if !strings.HasPrefix(v.Path, dir) {
					t.Errorf("graph at %s", v.Path)
				}
				got.Variants[i].Path = ""
				for j, d := range v.Data {
					got.Variants[i].Data[j] = filepath.Base(d)
				}
			}
			got.Dir, got.Tokenizer = "", ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, err := got.Variant("q9"); !fault.Is(err, "model_precision_missing") {
				t.Errorf("no such precision: %v", err)
			}
			if v, err := got.Variant(FP32); err != nil || !v.Batches() {
				t.Errorf("fp32: %+v, %v", v, err)
			}
		})
	}
}

func TestDescribeTakesWhatTheCatalogueKnows(t *testing.T) {
	t.Parallel()
	dir := standIn(t, standin.BERTEmbedder)
	for name, want := range map[string]Description{
		"bge-base-zh-v1.5":        {Pooling: PoolingCLS, Simplify: true},
		"Multilingual-E5-Small":   {Pooling: PoolingMean, QueryPrefix: "query: ", DocumentPrefix: "passage: "},
		"BAAI/bge-base-en-v1.5":   {Pooling: PoolingCLS, QueryPrefix: bgeEnglish},
		"a-model-of-someone-else": {Pooling: PoolingMean},
	} {
		d, err := Describe(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		got := Description{Pooling: d.Pooling, Simplify: d.Simplify, QueryPrefix: d.QueryPrefix, DocumentPrefix: d.DocumentPrefix}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// edit changes keys of a JSON file of a model; nil removes one.
func edit(t *testing.T, dir, name string, change map[string]any) {
	t.Helper()
	path := filepath.Join(dir, name)
	f := map[string]any{}
	if raw, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range change {
		if f[k] = v; v == nil {
			delete(f, k)
		}
	}
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDescribeReadsTheFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   standin.Kind
		file   string
		change map[string]any
		check  func(Description) bool
	}{
		"limit of the tokenizer": {standin.BERTEmbedder, "tokenizer_config.json", map[string]any{"model_max_length": 77}, func(d Description) bool { return d.Limit == 77 }},
		"no limit at all":        {standin.BERTEmbedder, "tokenizer_config.json", map[string]any{"model_max_length": 1e30}, func(d Description) bool { return d.Limit == 128 }},
		"no positions": {standin.BERTEmbedder, "config.json", map[string]any{"max_position_embeddings": nil}, func(d Description) bool {
			return d.Limit == defaultLimit
		}},
		"the tokenizer lowers already": {standin.BERTEmbedder, "tokenizer_config.json", map[string]any{"do_lower_case": true}, func(d Description) bool { return !d.Lowercase }},
		"pooling without modules": {standin.BERTEmbedder, "1_Pooling/config.json", map[string]any{"pooling_mode_cls_token": true}, func(d Description) bool {
			return d.Pooling == PoolingCLS
		}},
		"prompt of passages": {standin.BERTEmbedder, "config_sentence_transformers.json", map[string]any{"prompts": map[string]string{"passage": "p: "}}, func(d Description) bool {
			return d.DocumentPrefix == "p: " && d.QueryPrefix == ""
		}},
	} {
		dir := standIn(t, c.kind)
		edit(t, dir, c.file, c.change)
		if d, err := Describe(dir, ""); err != nil || !c.check(d) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	dir := standIn(t, standin.BERTEmbedder)
	edit(t, dir, "tokenizer_config.json", map[string]any{"do_lower_case": true})
	edit(t, dir, "tokenizer.json", map[string]any{"normalizer": map[string]any{"type": "BertNormalizer", "lowercase": false}})
	if d, err := Describe(dir, ""); err != nil || !d.Lowercase {
		t.Errorf("a tokenizer that keeps capitals: %+v, %v", d, err)
	}
}

func TestFoldersThatAreNoModels(t *testing.T) {
	t.Parallel()
	write := func(name, content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := func(file string, keys map[string]any) func(*testing.T, string) {
		return func(t *testing.T, dir string) { t.Helper(); edit(t, dir, file, keys) }
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		harm   func(*testing.T, string)
		reason string
	}{
		"no graph":         {remove("onnx"), "no .onnx file"},
		"no tokenizer":     {remove("sentencepiece.bpe.model"), "neither tokenizer.json nor"},
		"no weights":       {remove("onnx/model.onnx_data"), "weights are missing"},
		"junk for a graph": {write("onnx/model.onnx", "junk"), "model.onnx"},
		"junk for config":  {write("config.json", "{"), "config.json"},
		"three classes":    {change("config.json", map[string]any{"id2label": map[string]string{"0": "a", "1": "b", "2": "c"}}), "3 classes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := standIn(t, standin.XLMRExternal)
			c.harm(t, dir)
			_, err := Describe(dir, "")
			if !fault.Is(err, "model_invalid") || fault.Of(err).Params["path"] != dir || !strings.Contains(fault.Of(err).Params["reason"], c.reason) {
				t.Errorf("error %v, want model_invalid with %q", err, c.reason)
			}
		})
	}
	dir := standIn(t, standin.M3Embedder)
	edit(t, dir, "1_Pooling/config.json", map[string]any{"pooling_mode_cls_token": false, "pooling_mode_max_tokens": true})
	if _, err := Describe(dir, ""); !fault.Is(err, "model_invalid") {
		t.Errorf("max pooling: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "modules.json"), []byte(`[{"type":"sentence_transformers.models.Dense","path":"2_Dense"}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Describe(dir, ""); !fault.Is(err, "model_invalid") {
		t.Errorf("a dense module: %v", err)
	}
}

// archives packs a folder in every format that is read, below prefix.
func archives(t *testing.T, dir, prefix string) map[string]string {
	t.Helper()
	var tarred, zipped bytes.Buffer
	tw, zw := tar.NewWriter(&tarred), zip.NewWriter(&zipped)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := tw.WriteHeader(&tar.Header{Name: prefix + name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if _, err := tw.Write(content); err != nil {
			return err
		}
		w, err := zw.Create(prefix + name)
		if err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tw.WriteHeader(&tar.Header{Name: "../escape.onnx", Size: 0, Typeflag: tar.TypeReg}), tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	var zst, gz bytes.Buffer
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	g := gzip.NewWriter(&gz)
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{z, g} {
		if _, err := w.Write(tarred.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	paths, out := map[string]string{}, t.TempDir()
	for end, content := range map[string][]byte{".tar": tarred.Bytes(), ".zip": zipped.Bytes(), ".tar.zst": zst.Bytes(), ".tgz": gz.Bytes()} {
		paths[end] = filepath.Join(out, "my-model"+end)
		if err := os.WriteFile(paths[end], content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

func TestImport(t *testing.T) {
	t.Parallel()
	dir := standIn(t, standin.E5Embedder)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("not needed"), 0o644); err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{"folder": dir}
	for _, prefix := range []string{"", "./", "top/", "a/b/"} {
		for end, path := range archives(t, dir, prefix) {
			sources[prefix+end] = path
		}
	}
	var want []File
	for name, source := range sources {
		f := testFolder(t)
		m, err := f.Import(t.Context(), source, "", rag.NoProgress{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want == nil {
			want = m.Manifest.Files
		}
		if diff := cmp.Diff(want, m.Manifest.Files); diff != "" {
			t.Errorf("%s: files differ from another form's\n%s", name, diff)
		}
		if wantName := map[bool]string{true: "e5-embedder", false: "my-model"}[name == "folder"]; m.Manifest.Name != wantName || len(m.Variants) != 2 {
			t.Errorf("%s: named %q, %d variants", name, m.Manifest.Name, len(m.Variants))
		}
		if _, err := os.Stat(filepath.Join(m.Dir, "README.md")); err == nil {
			t.Errorf("%s: a file that is not needed was copied", name)
		}
		if _, err := f.Verify(t.Context(), m.Manifest.Name, rag.NoProgress{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImportFaults(t *testing.T) {
	t.Parallel()
	f, dir := testFolder(t), standIn(t, standin.BERTReranker)
	if _, err := f.Import(t.Context(), dir, "mine", rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	zips := archives(t, dir, "")
	half, err := os.ReadFile(zips[".tar.zst"])
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "half.tar.zst")
	if err := os.WriteFile(broken, half[:len(half)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	junk := filepath.Join(t.TempDir(), "junk.tar")
	if err := os.WriteFile(junk, bytes.Repeat([]byte("junk"), 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ source, as, code string }{
		"name taken":  {dir, "MINE", "model_exists"},
		"bad name":    {dir, "../up", "model_name_invalid"},
		"no model":    {t.TempDir(), "empty", "model_invalid"},
		"half a file": {broken, "half", "bundle_invalid"},
		"no archive":  {junk, "junk", "bundle_invalid"},
	} {
		if _, err := f.Import(t.Context(), c.source, c.as, rag.NoProgress{}); !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		} else if c.code == "model_invalid" && fault.Of(err).Params["path"] != c.source {
			t.Errorf("%s: blames %s", name, fault.Of(err).Params["path"])
		}
	}
	if _, err := f.Import(t.Context(), filepath.Join(dir, "none"), "x", rag.NoProgress{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Import(ctx, dir, "x", rag.NoProgress{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	left, err := os.ReadDir(f.Dir())
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRemoveAndVerify(t *testing.T) {
	t.Parallel()
	f := testFolder(t)
	if list, err := f.List(); err != nil || list != nil {
		t.Errorf("no folder yet: %v, %v", list, err)
	}
	m, err := f.Import(t.Context(), standIn(t, standin.XLMRReranker), "bge-reranker-base", rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Manifest.Licence != "MIT" || m.Manifest.Source != "import:xlmr-reranker" {
		t.Errorf("manifest %+v", m.Manifest)
	}
	path := m.Variants[0].Path
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(m.Tokenizer); err != nil {
		t.Fatal(err)
	}
	_, err = f.Verify(t.Context(), "bge-reranker-base", rag.NoProgress{})
	if !fault.Is(err, "model_damaged") || fault.Of(err).Params["files"] != "onnx/model_quantized.onnx, tokenizer.json" {
		t.Errorf("damaged: %v", err)
	}
	if err := f.Remove("BGE-reranker-base"); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string]string{
		"bge-reranker-base": "ragdesk models pull bge-reranker-base", "other": "ragdesk models import FOLDER", "../x": "ragdesk models import FOLDER",
	} {
		err := f.Remove(name)
		if !fault.Is(err, "model_not_installed") || fault.Of(err).Params["command"] != command {
			t.Errorf("remove %s again: %v", name, err)
		}
	}
	if left, err := os.ReadDir(f.Dir()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFolderChoosesItsPlace(t *testing.T) {
	given, env, data := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv(FolderEnv, env)
	t.Setenv("XDG_DATA_HOME", data)
	for arg, want := range map[string]string{given: given, "": env} {
		if f, err := OpenFolder(arg); err != nil || f.Dir() != want {
			t.Errorf("OpenFolder(%q): %v, %v", arg, f, err)
		}
	}
	t.Setenv(FolderEnv, "")
	if f, err := OpenFolder(""); err != nil || !strings.HasSuffix(f.Dir(), filepath.Join("ragdesk", "models")) {
		t.Errorf("the user's own folder: %v, %v", f, err)
	}
}

func TestFindEntry(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"BGE-reranker-v2-m3": "onnx-community/bge-reranker-v2-m3-ONNX", "Xenova/bge-m3": "Xenova/bge-m3", "some/model": "some/model",
	} {
		if e, err := FindEntry(name); err != nil || e.Repo != want || len(e.Precisions) == 0 || e.Revision == "" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	for _, name := range []string{"", "gpt-9", "a/b/c", "../x", "a/"} {
		if _, err := FindEntry(name); !fault.Is(err, "model_unknown") || !strings.Contains(fault.Of(err).Params["known"], "bge-reranker-v2-m3") {
			t.Errorf("%q: %v", name, err)
		}
	}
	seen := map[string]bool{}
	for _, e := range Catalogue() {
		if !validName(e.Name) || seen[strings.ToLower(e.Name)] || e.Licence == "" || e.Megabytes == 0 || (e.Pooling == "") != (e.Task == TaskRerank) {
			t.Errorf("entry %+v", e)
		}
		seen[strings.ToLower(e.Name)] = true
	}
}

func FuzzSignature(f *testing.F) {
	for _, kind := range []standin.Kind{standin.BERTReranker, standin.M3Embedder} {
		raw, err := os.ReadFile(filepath.Join(standIn(f, kind), "onnx", "model.onnx"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw[:min(len(raw), 20_000)])
	}
	f.Add([]byte{7<<3 | 2, 4, 12<<3 | 2, 2, 8, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := scanSignature(bytes.NewReader(raw), int64(len(raw)))
		if err == nil && len(s.outputs) == 0 {
			t.Error("a graph without outputs")
		}
	})
}
