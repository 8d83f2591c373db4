package ort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	onnx "github.com/yalue/onnxruntime_go"
)

// runHalf runs a graph whose output is float16, into a tensor made beforehand:
// of one that ONNX Runtime makes, onnxruntime_go v1.27.0 copies half the bytes.
func (s *Session) runHalf(inputs []onnx.Value, b Batch) (out Tensor, err error) {
	shape, size, err := s.halfShape(b)
	if err != nil {
		return Tensor{}, err
	}
	raw := make([]byte, 2*size)
	t, err := onnx.NewCustomDataTensor(onnx.NewShape(shape...), raw, onnx.TensorElementDataTypeFloat16)
	if err != nil {
		return Tensor{}, fmt.Errorf("make output: %w", err)
	}
	defer func() { err = errors.Join(err, t.Destroy()) }()
	if err := s.session.Run(inputs, []onnx.Value{t}); err != nil {
		return Tensor{}, err
	}
	data := make([]float32, size)
	for i := range data {
		data[i] = fromHalf(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return Tensor{Shape: shape, Data: data}, nil
}

// halfShape is the output's shape for a batch.
func (s *Session) halfShape(b Batch) (shape []int64, size int64, err error) {
	open := []int64{int64(b.Rows), int64(len(b.IDs) / b.Rows)}
	size = 1
	for _, d := range s.graph.Half {
		if d < 0 {
			if len(open) == 0 {
				return nil, 0, fmt.Errorf("output %q of shape %v", s.graph.Output, s.graph.Half)
			}
			d, open = open[0], open[1:]
		}
		shape = append(shape, d)
		size *= d
	}
	return shape, size, nil
}

// fromHalf widens an IEEE 754 binary16 value; every one has a float32 of its own.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp, frac := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exp {
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case 0:
		v := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(v))
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}
