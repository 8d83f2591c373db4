package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// precisions are the known ones, the fastest on a processor first.
func precisions() []Precision { return []Precision{INT8, FP32, FP16, Q4} }

// findVariants reads the graphs of the folder.
func (d *Description) findVariants() error {
	var paths []string
	for _, pattern := range []string{"*.onnx", "onnx/*.onnx"} {
		found, err := filepath.Glob(filepath.Join(d.Dir, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	// Of two graphs of one precision the plainer name is meant.
	slices.SortStableFunc(paths, func(a, b string) int { return len(filepath.Base(a)) - len(filepath.Base(b)) })
	found := map[Precision]Variant{}
	var failed error
	for _, path := range paths {
		v, err := d.variant(path)
		if err != nil {
			failed = fmt.Errorf("%s: %w", filepath.Base(path), err)
			continue
		}
		if _, ok := found[v.Precision]; !ok {
			found[v.Precision] = v
		}
	}
	for _, p := range precisions() {
		if v, ok := found[p]; ok {
			d.Variants = append(d.Variants, v)
		}
	}
	switch {
	case len(d.Variants) > 0:
		return nil
	case failed != nil:
		return failed
	}
	return errors.New("no .onnx file in the folder or in onnx/")
}

// variant reads one graph.
func (d *Description) variant(path string) (Variant, error) {
	s, err := readSignature(path)
	if err != nil {
		return Variant{}, err
	}
	v := Variant{Precision: s.precision, Path: path}
	for _, name := range s.data {
		if !fs.ValidPath(name) {
			return Variant{}, fmt.Errorf("external data in %q", name)
		}
		file := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		if _, err := os.Stat(file); err != nil {
			return Variant{}, fmt.Errorf("its weights are missing: %w", err)
		}
		v.Data = append(v.Data, file)
	}
	if v.Inputs, err = orderInputs(s.inputs); err != nil {
		return Variant{}, err
	}
	out, err := d.output(s.outputs)
	if err != nil {
		return Variant{}, err
	}
	v.Output = out.name
	switch out.element {
	case elementFloat:
	case elementFloat16:
		v.Half = d.halfShape(out)
	default:
		return Variant{}, fmt.Errorf("output %q has element type %d", out.name, out.element)
	}
	return v, nil
}

// orderInputs puts a graph's inputs into the order ids, mask, types.
func orderInputs(ports []port) ([]string, error) {
	var names [3]string
	for _, p := range ports {
		switch p.name {
		case "input_ids", "input":
			names[0] = p.name
		case "attention_mask", "input_mask":
			names[1] = p.name
		case "token_type_ids", "segment_ids":
			names[2] = p.name
		default:
			return nil, fmt.Errorf("input %q is not known", p.name)
		}
	}
	ordered := names[:]
	for len(ordered) > 0 && ordered[len(ordered)-1] == "" {
		ordered = ordered[:len(ordered)-1]
	}
	if len(ordered) == 0 || slices.Contains(ordered, "") {
		return nil, fmt.Errorf("inputs %v lack one of ids, mask and types", names)
	}
	return ordered, nil
}

// output chooses the logits or the token vectors among a graph's outputs.
func (d *Description) output(ports []port) (port, error) {
	preferred := []string{"last_hidden_state", "token_embeddings"}
	fits := func(p port) bool { return len(p.shape) == 3 }
	switch d.Task {
	case TaskEmbed:
	case TaskNLI:
		preferred = []string{"logits", "scores"}
		rank := 2
		if d.Tokens {
			rank = 3
		}
		fits = func(p port) bool {
			return len(p.shape) == rank && (p.shape[rank-1] == int64(len(d.Labels)) || len(ports) == 1 && p.shape[rank-1] < 0)
		}
	case TaskRerank:
		preferred = []string{"logits", "scores"}
		fits = func(p port) bool {
			return len(p.shape) == 1 || len(p.shape) == 2 && (p.shape[1] == 1 || len(ports) == 1 && p.shape[1] < 0)
		}
	}
	for _, name := range preferred {
		for _, p := range ports {
			if p.name == name && (fits(p) || len(p.shape) == 0) {
				return p, nil
			}
		}
	}
	names := make([]string, len(ports))
	for i, p := range ports {
		if fits(p) {
			return p, nil
		}
		names[i] = p.name
	}
	return port{}, fmt.Errorf("none of its outputs %s fits a %s", strings.Join(names, ", "), d.Task)
}

// halfShape is the shape of a float16 output: one logit a row, or a vector or some
// logits a token.
func (d *Description) halfShape(p port) []int64 {
	switch {
	case d.Task == TaskEmbed:
		return []int64{-1, -1, int64(d.Dim)}
	case d.Tokens:
		return []int64{-1, -1, int64(len(d.Labels))}
	case len(p.shape) == 1:
		return []int64{-1}
	}
	return []int64{-1, int64(max(len(d.Labels), 1))}
}
