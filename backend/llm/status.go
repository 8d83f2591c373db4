package llm

import (
	"context"

	"ragdesk/backend/fault"
)

// State of a host.
type State string

// The states.
const (
	// StateRunning answers.
	StateRunning State = "running"
	// StateStopped is a built-in engine that starts when it is needed.
	StateStopped State = "stopped"
	// StateUnreachable does not answer.
	StateUnreachable State = "unreachable"
	// StateUnavailable cannot run here; the fault says why.
	StateUnavailable State = "unavailable"
)

// Status is what there is to write with.
type Status struct {
	// Chosen is the source of the host that would be used first.
	Chosen Source
	Hosts  []HostStatus
}

// HostStatus describes a host.
type HostStatus struct {
	Source Source
	// Host is its address; empty for an engine that does not run.
	Host   string
	Remote bool
	State  State
	// Version is the host's own; empty unless it runs.
	Version string
	Models  []InstalledModel
	// Fault says why the host does not answer, nil when it does.
	Fault *fault.Error
}

// InstalledModel is a model with what it takes.
type InstalledModel struct {
	Details
	// Memory is what it takes in bytes now, 0 unless it is loaded.
	Memory int64
	// Needs is the memory in bytes that it is expected to take with DefaultWindow.
	Needs int64
}

// Status describes every host. A built-in engine that does not run is started only
// when wake is set.
func (c *Chooser) Status(ctx context.Context, wake bool) Status {
	s := Status{Chosen: SourceNone}
	add := func(h HostStatus) {
		if s.Chosen == SourceNone && (h.State == StateRunning || h.State == StateStopped || h.Source == SourceConfigured) {
			s.Chosen = h.Source
		}
		s.Hosts = append(s.Hosts, h)
	}
	if c.hosts.Configured != "" {
		client, err := c.configured()
		if err != nil {
			add(HostStatus{Source: SourceConfigured, Host: c.hosts.Configured, State: StateUnavailable, Fault: fault.Of(err)})
		} else {
			add(describe(ctx, SourceConfigured, client))
		}
	}
	if client := c.ollama(ctx); client != nil {
		add(describe(ctx, SourceOllama, client))
	}
	add(c.engineStatus(ctx, wake))
	return s
}

// engineStatus describes the built-in engine.
func (c *Chooser) engineStatus(ctx context.Context, wake bool) HostStatus {
	h := HostStatus{Source: SourceBuiltin, State: StateUnavailable}
	if c.engine == nil {
		h.Fault = fault.New("engine_absent")
		return h
	}
	if err := c.engine.Check(); err != nil {
		h.Fault = fault.Of(err)
		return h
	}
	client, running := c.engine.Running()
	if !running {
		if !wake {
			h.State = StateStopped
			return h
		}
		var err error
		if client, err = c.engine.Client(ctx); err != nil {
			h.Fault = fault.Of(err)
			return h
		}
	}
	return describe(ctx, SourceBuiltin, client)
}

// describe asks a host about itself.
func describe(ctx context.Context, source Source, client *Client) HostStatus {
	h := HostStatus{Source: source, Host: client.Host(), Remote: client.Remote(), State: StateUnreachable}
	version, err := client.Version(ctx)
	if err != nil {
		h.Fault = fault.Of(err)
		return h
	}
	h.State, h.Version = StateRunning, version
	if h.Models, err = client.installed(ctx); err != nil {
		h.Fault = fault.Of(err)
	}
	return h
}

// installed lists the models with all that is known of them.
func (c *Client) installed(ctx context.Context) ([]InstalledModel, error) {
	models, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	loaded, err := c.Running(ctx)
	if err != nil {
		return nil, err
	}
	memory := map[string]int64{}
	for _, l := range loaded {
		memory[l.Name] = l.Memory
	}
	out := make([]InstalledModel, 0, len(models))
	for _, m := range models {
		found, err := c.Installed(ctx, m.Name)
		if err != nil {
			return nil, err
		}
		found.Memory = memory[m.Name]
		out = append(out, found)
	}
	return out, nil
}

// Installed tells of one model, but not whether it is loaded.
func (c *Client) Installed(ctx context.Context, name string) (InstalledModel, error) {
	d, err := c.Show(ctx, name)
	return InstalledModel{Details: d, Needs: Needs(d.Bytes, d.CacheBytes, DefaultWindow)}, err
}
