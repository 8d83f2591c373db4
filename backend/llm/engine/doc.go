// Package engine runs the language model engine that ragdesk carries: Ollama's
// server, linked in when the program is built with the tag "engine", in a child
// process of its own. Without the tag the package compiles and says that the engine
// is absent.
//
// The server prints to its standard output, changes process-wide defaults, handles
// signals and cannot be stopped, so it gets a process that may do all that:
//
//	parent ── stdin: a line of settings, then nothing, until the parent ends
//	       ── stdout: a line with the address, then log
//	engine-serve ── a listener on 127.0.0.1 that asks for the parent's key
//	  └─ runner …  one for each loaded model, started by the server itself
//
// Invariants:
//
//   - It starts with the first request and ends with its parent, however that ends;
//     a runner ends with its server.
//   - It listens on 127.0.0.1 alone, and answers only who has the key that was made
//     for this one start. (A runner's own port, also on 127.0.0.1, has no key.)
//   - Models lie in our own folder and nowhere else: the user's Ollama, its models,
//     its settings and its libraries are neither read nor written.
//   - Nothing reaches the parent's standard output.
//
// A program that carries the engine gives Child the first word before it does
// anything else:
//
//	if code, ok := engine.Child(os.Args[1:]); ok {
//		os.Exit(code)
//	}
//	host := engine.New(engine.Config{Command: []string{exe, engine.ServeCommand}, Dir: dir})
//	defer host.Close()
//	client, err := host.Client(ctx)
//
// Faults: engine_absent {}, engine_cpu {missing}, engine_failed {detail, log}.
package engine
