package ort

import (
	"context"
	"errors"
	"fmt"
	"sync"

	onnx "github.com/yalue/onnxruntime_go"

	"ragdesk/backend/fault"
)

// ErrClosed is returned by a session after Close.
var ErrClosed = errors.New("session is closed")

// Session is a loaded graph. Run may be called from many goroutines at once.
type Session struct {
	graph Graph
	// open is held for reading by runs, for writing by Close.
	open    sync.RWMutex
	session *onnx.DynamicAdvancedSession
}

// Batch is the input of one run: Rows sequences of equal length, row after row.
type Batch struct {
	// Rows is at least 1.
	Rows int
	// IDs are the token ids.
	IDs []int64
	// Mask is 1 for tokens and 0 for padding; nil means all 1.
	Mask []int64
	// Types are the token types; nil means all 0.
	Types []int64
}

// Tensor is a float32 result, the last dimension varying fastest.
type Tensor struct {
	Shape []int64
	Data  []float32
}

// Run feeds one batch through the graph. A context that has ended is noticed
// before and after the run, not within it. What ONNX Runtime refuses is a fault
// "model_run" with the graph's path.
func (s *Session) Run(ctx context.Context, b Batch) (Tensor, error) {
	if err := b.check(); err != nil {
		return Tensor{}, err
	}
	s.open.RLock()
	defer s.open.RUnlock()
	if s.session == nil {
		return Tensor{}, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return Tensor{}, err
	}
	out, err := s.run(b)
	if err != nil {
		return Tensor{}, fault.Wrap(err, "model_run", fault.P("path", s.graph.Path))
	}
	if err := ctx.Err(); err != nil {
		return Tensor{}, err
	}
	return out, nil
}

func (b Batch) check() error {
	n := len(b.IDs)
	if b.Rows < 1 || n == 0 || n%b.Rows != 0 {
		return fmt.Errorf("%d ids in %d rows", n, b.Rows)
	}
	if b.Mask != nil && len(b.Mask) != n || b.Types != nil && len(b.Types) != n {
		return fmt.Errorf("%d ids with %d mask values and %d types", n, len(b.Mask), len(b.Types))
	}
	return nil
}

func (s *Session) run(b Batch) (out Tensor, err error) {
	n := len(b.IDs)
	mask := b.Mask
	if mask == nil {
		mask = make([]int64, n)
		for i := range mask {
			mask[i] = 1
		}
	}
	types := b.Types
	if types == nil {
		types = make([]int64, n)
	}
	shape := onnx.NewShape(int64(b.Rows), int64(n/b.Rows))
	inputs := make([]onnx.Value, 0, len(s.graph.Inputs))
	defer func() {
		for _, v := range inputs {
			err = errors.Join(err, v.Destroy())
		}
	}()
	for _, data := range [][]int64{b.IDs, mask, types}[:len(s.graph.Inputs)] {
		t, err := onnx.NewTensor(shape, data)
		if err != nil {
			return Tensor{}, fmt.Errorf("make input: %w", err)
		}
		inputs = append(inputs, t)
	}
	if s.graph.Half != nil {
		return s.runHalf(inputs, b)
	}
	outputs := []onnx.Value{nil}
	if err := s.session.Run(inputs, outputs); err != nil {
		return Tensor{}, err
	}
	defer func() { err = errors.Join(err, outputs[0].Destroy()) }()
	t, ok := outputs[0].(*onnx.Tensor[float32])
	if !ok {
		return Tensor{}, fmt.Errorf("output %q is not float32", s.graph.Output)
	}
	return Tensor{Shape: t.GetShape(), Data: t.GetData()}, nil
}

// Close frees the graph once running calls are done. Closing twice is harmless.
func (s *Session) Close() error {
	s.open.Lock()
	defer s.open.Unlock()
	if s.session == nil {
		return nil
	}
	err := s.session.Destroy()
	s.session = nil
	if err != nil {
		return fmt.Errorf("close %s: %w", s.graph.Path, err)
	}
	return nil
}
