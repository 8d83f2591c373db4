package llm

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/fault"
)

// Source says where a host comes from.
type Source string

// The sources in the order of choice.
const (
	// SourceConfigured is the host that the user set.
	SourceConfigured Source = "configured"
	// SourceOllama is an Ollama that was found running on this machine.
	SourceOllama Source = "ollama"
	// SourceBuiltin is the engine that the program carries.
	SourceBuiltin Source = "builtin"
	// SourceNone means that there is no language model.
	SourceNone Source = "none"
)

// Engine is the built-in engine, as package llm/engine implements it.
type Engine interface {
	// Check reports why the engine cannot run here, nil when it can.
	Check() error
	// Client starts the engine unless it runs.
	Client(ctx context.Context) (*Client, error)
	// Running returns the client of an engine that runs.
	Running() (*Client, bool)
	// Close ends the engine.
	Close() error
}

// Hosts says where models may be looked for.
type Hosts struct {
	// Configured is the host that the user set; empty for none. When it is set,
	// no other is used, so that an answer never comes from somewhere unexpected.
	Configured string
	// Key is the configured host's bearer token.
	Key string
	// AllowRemote is the consent for a configured host on another machine.
	AllowRemote bool
	// Ollama is where a running Ollama is looked for, such as $OLLAMA_HOST; empty,
	// or another machine, means DefaultHost.
	Ollama string
	// Threads is as in Config.
	Threads  int
	Timeouts Timeouts
}

// Chooser finds the host of a model. It is safe for concurrent use.
type Chooser struct {
	hosts  Hosts
	engine Engine
}

// NewChooser returns a chooser; nothing is asked or started yet. engine may be nil.
func NewChooser(h Hosts, engine Engine) *Chooser {
	if remote, err := IsRemote(h.Ollama); err != nil || remote {
		h.Ollama = DefaultHost
	}
	return &Chooser{hosts: h, engine: engine}
}

// Close ends the engine if it was started.
func (c *Chooser) Close() error {
	if c.engine == nil {
		return nil
	}
	return c.engine.Close()
}

// probeTime bounds the question whether an Ollama runs here.
const probeTime = 500 * time.Millisecond

// configured is the client of the configured host.
func (c *Chooser) configured() (*Client, error) {
	return New(Config{Host: c.hosts.Configured, Key: c.hosts.Key, AllowRemote: c.hosts.AllowRemote, Threads: c.hosts.Threads, Timeouts: c.hosts.Timeouts})
}

// ollama is the client of an Ollama that runs, nil when none does.
func (c *Chooser) ollama(ctx context.Context) *Client {
	client, err := New(Config{Host: c.hosts.Ollama, Threads: c.hosts.Threads, Timeouts: c.hosts.Timeouts})
	if err != nil {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if _, err := client.Version(bounded); err != nil {
		return nil
	}
	return client
}

// builtin is the client of the built-in engine, started if need be.
func (c *Chooser) builtin(ctx context.Context) (*Client, error) {
	if c.engine == nil {
		return nil, fault.New("engine_absent")
	}
	return c.engine.Client(ctx)
}

// Client returns the first host in the order of choice: that of downloads and
// imports. The fault "llm_none" means that there is none; a built-in engine that
// cannot run here says why.
func (c *Chooser) Client(ctx context.Context) (*Client, Source, error) {
	if c.hosts.Configured != "" {
		client, err := c.configured()
		return client, SourceConfigured, err
	}
	if client := c.ollama(ctx); client != nil {
		return client, SourceOllama, nil
	}
	client, err := c.builtin(ctx)
	if err != nil {
		return nil, SourceNone, c.none(ctx, err)
	}
	return client, SourceBuiltin, nil
}

// none says that there is no host. What is wrong with an engine that the program
// carries is itself.
func (c *Chooser) none(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if fault.Is(err, "engine_absent") {
		return fault.Wrap(err, "llm_none")
	}
	return err
}

// Generator returns the model of that name on the first host that has it; an empty
// name is the model that was last installed and writes. The fault is "llm_none" when
// there is no host, "llm_model_missing" when none has the model, around it
// "llm_builtin_missing" {model} where there is the built-in engine alone.
func (c *Chooser) Generator(ctx context.Context, model string) (*Generator, Source, error) {
	first, source, err := c.Client(ctx)
	if err != nil {
		return nil, source, err
	}
	g, err := first.find(ctx, model)
	if source == SourceBuiltin && fault.Is(err, "llm_model_missing") { // its address means nothing to anybody
		return nil, source, fault.Wrap(err, "llm_builtin_missing", fault.P("model", model))
	}
	if source != SourceOllama || !fault.Is(err, "llm_model_missing") || !c.runsHere() {
		return g, source, err
	}
	second, builtinErr := c.builtin(ctx)
	if builtinErr != nil {
		return nil, source, err
	}
	found, builtinErr := second.find(ctx, model)
	if builtinErr != nil {
		return nil, source, err
	}
	return found, SourceBuiltin, nil
}

// Capable returns the model that answers when none is named: the capable model that
// was installed last, on the first host that has one; "" when none has. own are the
// models of the built-in engine, which is not started for the question.
func (c *Chooser) Capable(ctx context.Context, own []Model) (string, error) {
	var first *Client
	if c.hosts.Configured == "" {
		first = c.ollama(ctx)
	} else {
		var err error
		if first, err = c.configured(); err != nil {
			return "", err
		}
	}
	if first != nil {
		models, err := first.List(ctx)
		if err != nil {
			return "", err
		}
		g, err := first.newest(ctx, capable(models))
		if err != nil {
			return "", err
		}
		if g != nil {
			return g.name, nil
		}
	}
	own = capable(own)
	if c.hosts.Configured != "" || len(own) == 0 || !c.runsHere() {
		return "", nil
	}
	return slices.MaxFunc(own, byAge).Name, nil
}

// runsHere reports whether there is a built-in engine that this machine can run.
func (c *Chooser) runsHere() bool { return c.engine != nil && c.engine.Check() == nil }

// capable are the models that are.
func capable(models []Model) []Model {
	return slices.DeleteFunc(slices.Clone(models), func(m Model) bool { return CapabilityOf(m) != Capable })
}

// byAge orders models by when they were installed, those of one time by name.
func byAge(a, b Model) int {
	return cmp.Or(a.Modified.Compare(b.Modified), strings.Compare(b.Name, a.Name))
}

// find returns an installed model as a generator.
func (c *Client) find(ctx context.Context, name string) (*Generator, error) {
	missing := fault.New("llm_model_missing", fault.P("model", name), fault.P("host", c.Host()))
	models, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	if name != "" {
		m, ok := Find(models, name)
		if !ok {
			return nil, missing
		}
		return c.Generator(m.Name), nil
	}
	g, err := c.newest(ctx, models)
	if err == nil && g == nil {
		err = missing
	}
	return g, err
}

// newest returns the model that writes and was installed last, nil when none does.
func (c *Client) newest(ctx context.Context, models []Model) (*Generator, error) {
	slices.SortFunc(models, byAge)
	for _, m := range slices.Backward(models) {
		d, err := c.Show(ctx, m.Name)
		if err != nil {
			return nil, err
		}
		if !d.Embeds {
			return c.Generator(d.Name), nil
		}
	}
	return nil, nil
}
