package ort_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/build/standin"
)

// TestPrecisionsAndFiles runs the same weights in every form a folder may hold.
func TestPrecisionsAndFiles(t *testing.T) {
	t.Parallel()
	rt := ort.New(modelstest.Runtime(t))
	dir, external := modelstest.StandIn(t, standin.XLMRReranker), modelstest.StandIn(t, standin.XLMRExternal)
	inputs := []string{"input_ids", "attention_mask"}
	run := func(g ort.Graph, b ort.Batch) ort.Tensor {
		t.Helper()
		s, err := rt.Open(g)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out, err := s.Run(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	one := ort.Batch{Rows: 1, IDs: []int64{0, 40, 41, 2, 2, 50, 60, 2}}
	plain := run(ort.Graph{Path: filepath.Join(dir, "onnx", "model.onnx"), Inputs: inputs, Output: "logits"}, one)
	for file, far := range map[string]float64{"model_fp16.onnx": 0.05, "model_quantized.onnx": 2} {
		g := ort.Graph{Path: filepath.Join(dir, "onnx", file), Inputs: inputs, Output: "logits"}
		if file == "model_fp16.onnx" {
			g.Half = []int64{-1, 1}
		}
		got := run(g, one)
		if d := math.Abs(float64(got.Data[0] - plain.Data[0])); !slices.Equal(got.Shape, []int64{1, 1}) || d > far || d == 0 {
			t.Errorf("%s: %v, %v in fp32", file, got, plain)
		}
	}
	g := ort.Graph{Path: filepath.Join(external, "onnx", "model.onnx"), Inputs: inputs, Output: "hidden_states"}
	if got := run(g, one); !slices.Equal(got.Shape, []int64{1, 8, 32}) {
		t.Errorf("second output of shape %v", got.Shape)
	}
	two := ort.Batch{Rows: 2, IDs: slices.Concat(one.IDs, []int64{0, 40, 2, 2, 50, 2, 1, 1}), Mask: []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}}
	half := ort.Graph{Path: filepath.Join(dir, "onnx", "model_fp16.onnx"), Inputs: inputs, Output: "logits", Half: []int64{-1, 1}}
	if got := run(half, two); len(got.Data) != 2 || math.Abs(float64(got.Data[0]-plain.Data[0])) > 0.05 || got.Data[1] == 0 {
		t.Errorf("two rows in float16: %v", got)
	}
	half.Half = []int64{-1, -1, -1}
	s, err := rt.Open(half)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Run(t.Context(), two); err == nil {
		t.Error("an output of three open dimensions runs")
	}
}
