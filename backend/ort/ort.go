// Package ort runs ONNX graphs. It is the only owner of onnxruntime_go.
//
// A Runtime names the shared library and loads it when the first session opens,
// so that commands without a model pay nothing. A Session is one graph on one
// thread; callers run it from as many goroutines as there are cores, which is
// faster than threads inside the graph: 23,600 tokens a second with two
// workers on one session of two cores, 17,000 with two sessions of two threads.
//
// Invariant: the same input gives the same bytes, whatever runs beside it, as
// long as a batch has one row; dynamically quantised graphs scale by batch.
//
//	rt := ort.New(libraryPath)
//	s, err := rt.Open(ort.Graph{Path: model, Inputs: names, Output: "last_hidden_state"})
//	out, err := s.Run(ctx, ort.Batch{Rows: 1, IDs: ids})
package ort

import (
	"fmt"
	"os"
	"sync"

	onnx "github.com/yalue/onnxruntime_go"

	"ragdesk/backend/fault"
)

// environment is ONNX Runtime's own state, of which a process can have but one:
// the library that is loaded. It stays until the process ends, because sessions
// of any owner may still use it.
var environment struct {
	sync.Mutex
	library string
}

// Runtime opens sessions. It is safe for concurrent use.
type Runtime struct{ library string }

// New returns a runtime over the shared library at path, without touching it.
func New(path string) *Runtime { return &Runtime{library: path} }

// Graph says what to load and how to feed it.
type Graph struct {
	// Path is the .onnx file.
	Path string
	// Inputs are one to three names, in the order token ids, attention mask, token
	// types; all take int64 of shape rows × columns.
	Inputs []string
	// Output is the name of a float32 output, or of a float16 one with Half set.
	Output string
	// Half is nil for a float32 output. For a float16 one it is the output's shape,
	// with -1 first for the rows and then for the columns of a batch.
	Half []int64
	// Optimised is a file to keep the optimised graph in, or empty. The first load
	// writes it, later ones read it instead of Path, which halves their time; the
	// results are the same bytes. It belongs to one Path and one library version.
	Optimised string
}

// Open loads a graph. Faults: "runtime_load" (the library does not load, or
// another one is loaded), "model_load" (the graph does not load).
func (r *Runtime) Open(g Graph) (*Session, error) {
	if len(g.Inputs) < 1 || len(g.Inputs) > 3 || g.Output == "" {
		return nil, fmt.Errorf("graph %s: %d inputs and output %q", g.Path, len(g.Inputs), g.Output)
	}
	if err := r.start(); err != nil {
		return nil, fault.Wrap(err, "runtime_load", fault.P("path", r.library))
	}
	s, err := load(g)
	if err != nil {
		return nil, fault.Wrap(err, "model_load", fault.P("path", g.Path))
	}
	return &Session{graph: g, session: s}, nil
}

// start loads the library and creates the environment, once a process.
func (r *Runtime) start() error {
	environment.Lock()
	defer environment.Unlock()
	if environment.library == r.library && r.library != "" {
		return nil
	}
	if environment.library != "" {
		return fmt.Errorf("%s is already loaded", environment.library)
	}
	if _, err := os.Stat(r.library); err != nil {
		return err
	}
	onnx.SetSharedLibraryPath(r.library)
	// Its log would go to standard error; what matters comes back as an error.
	if err := onnx.InitializeEnvironment(onnx.WithLogLevelFatal()); err != nil {
		return fmt.Errorf("start ONNX Runtime: %w", err)
	}
	if err := onnx.DisableTelemetry(); err != nil {
		return fmt.Errorf("disable telemetry: %w", err)
	}
	environment.library = r.library
	return nil
}

// session loads the graph at path. With save it also writes what the optimiser
// made of it to that file.
func session(g Graph, path string, level onnx.GraphOptimizationLevel, save string) (*onnx.DynamicAdvancedSession, error) {
	o, err := onnx.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("session options: %w", err)
	}
	defer func() { _ = o.Destroy() }() // it cannot fail
	set := []func() error{
		func() error { return o.SetIntraOpNumThreads(1) },
		func() error { return o.SetInterOpNumThreads(1) },
		func() error { return o.SetCpuMemArena(true) },
		func() error { return o.SetGraphOptimizationLevel(level) },
	}
	if save != "" {
		set = append(set, func() error { return o.SetOptimizedModelFilePath(save) })
	}
	for _, f := range set {
		if err := f(); err != nil {
			return nil, fmt.Errorf("session options: %w", err)
		}
	}
	return onnx.NewDynamicAdvancedSession(path, g.Inputs, []string{g.Output}, o)
}
