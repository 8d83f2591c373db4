// Package host runs parsers in a child process, since nothing inside a process
// can stop a loop or take back memory. A file that hangs, eats memory or crashes
// its parser costs that child and becomes that file's error; the next file gets a
// new child.
//
// The two sides speak frames over the child's standard input and output. The
// child ends when its input does, and so with its parent however that ends.
//
//	h := host.New(host.Config{Command: []string{exe, "parse-serve"}})
//	defer h.Close()
//	doc, err := h.Parser(host.Options{}).Parse(ctx, in)
//
// Faults beside the parser's own: limit_time {seconds}, limit_memory {bytes},
// parser_crashed {detail}.
package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// Defaults of Options.
const (
	DefaultTime   = 2 * time.Minute
	DefaultMemory = 1 << 30
)

// exitMemory is the child's exit status when it needs more memory than allowed.
const exitMemory = 86

// Options are what one file may cost and how it is read.
type Options struct {
	Limits guard.Limits
	// Time bounds the reading of one file; 0 means DefaultTime.
	Time time.Duration
	// Memory bounds the child's resident memory in bytes; 0 means DefaultMemory.
	Memory int64
	// OCR reads the text in pictures where the machine can.
	OCR bool
	// Cache is a folder for what is costly to compute; "" for none.
	Cache string
}

func (o Options) filled() Options {
	o.Limits = o.Limits.Filled()
	if o.Time <= 0 {
		o.Time = DefaultTime
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	return o
}

// Config says how a child is started.
type Config struct {
	// Command is the program and its arguments.
	Command []string
	// Env is added to the program's environment.
	Env []string
}

// Host starts children when they are needed and keeps one that is idle. It is
// safe for concurrent use.
type Host struct {
	config Config
	mu     sync.Mutex
	idle   *child
	closed bool
}

// New returns a host; nothing is started yet.
func New(c Config) *Host { return &Host{config: c} }

// ErrClosed is returned by a parser whose host is closed.
var ErrClosed = errors.New("parser host is closed")

// Close ends the idle child; one that is at work ends with its file.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.idle != nil {
		h.idle.end()
		h.idle = nil
	}
	return nil
}

// Parser returns a parser that runs in the host's children.
func (h *Host) Parser(o Options) rag.Parser { return parser{h, o.filled()} }

type parser struct {
	host    *Host
	options Options
}

// Parse implements rag.Parser.
func (p parser) Parse(ctx context.Context, in rag.Input) (rag.Document, error) {
	if err := ctx.Err(); err != nil {
		return rag.Document{}, err
	}
	// A file that no parser may see need not travel.
	if size := int64(len(in.Bytes)); size > p.options.Limits.Bytes {
		return rag.Document{}, fault.New("limit_bytes", fault.P("limit", p.options.Limits.Bytes), fault.P("size", size))
	}
	c, err := p.host.take()
	if err != nil {
		return rag.Document{}, err
	}
	answer, err := c.ask(ctx, request{Source: in.Source, Encoding: in.Encoding, Bytes: in.Bytes, Options: p.options}, p.options.Time)
	if err != nil {
		c.kill()
		return rag.Document{}, p.blame(ctx, c, err)
	}
	p.host.give(c, answer.Worn)
	return answer.result()
}

// blame says why a child did not answer.
func (p parser) blame(ctx context.Context, c *child, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errTime):
		return fault.New("limit_time", fault.P("seconds", p.options.Time.Seconds()))
	case c.cmd.ProcessState.ExitCode() == exitMemory:
		return fault.New("limit_memory", fault.P("bytes", p.options.Memory))
	}
	return fault.Wrap(err, "parser_crashed", fault.P("detail", c.lastWords()))
}

// take returns a child that waits for work.
func (h *Host) take() (*child, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	if c := h.idle; c != nil {
		h.idle = nil
		return c, nil
	}
	return start(h.config)
}

// give takes a child back unless it is worn or another one waits already.
func (h *Host) give(c *child, worn bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if worn || h.closed || h.idle != nil {
		c.end()
		return
	}
	h.idle = c
}

// child is a running parser process.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *tail
	waited sync.Once
}

func start(config Config) (*child, error) {
	if len(config.Command) == 0 {
		return nil, errors.New("parser host: no command")
	}
	//nolint:noctx // a child outlives the file it was started for
	cmd := exec.Command(config.Command[0], config.Command[1:]...)
	cmd.Env = append(os.Environ(), config.Env...)
	c := &child{cmd: cmd, stderr: &tail{}}
	cmd.Stderr = c.stderr
	dieWithParent(cmd)
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start parser: %w", err)
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("start parser: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start parser: %w", err)
	}
	return c, nil
}

// errTime means that a child did not answer in time.
var errTime = errors.New("parser out of time")

// ask sends a request and waits for the answer.
func (c *child) ask(ctx context.Context, r request, limit time.Duration) (response, error) {
	done := make(chan error, 1)
	var answer response
	go func() {
		if err := send(c.in, r); err != nil {
			done <- err
			return
		}
		done <- receive(c.out, &answer)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return answer, err
	case <-timer.C:
		c.kill()
		<-done //nolint:errcheck // a broken pipe, since the child was killed
		return response{}, errTime
	case <-ctx.Done():
		c.kill()
		<-done //nolint:errcheck // a broken pipe, since the child was killed
		return response{}, ctx.Err()
	}
}

// end lets the child finish by itself.
func (c *child) end() {
	_ = c.in.Close() // that is how the child is told
	go c.wait()
}

// kill ends the child at once.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended already
	c.wait()
}

func (c *child) wait() {
	c.waited.Do(func() { _ = c.cmd.Wait() }) // the status is in ProcessState
}

// lastWords is the end of what the child wrote to its standard error.
func (c *child) lastWords() string {
	if s := strings.TrimSpace(c.stderr.String()); s != "" {
		return s
	}
	return c.cmd.ProcessState.String()
}

// tail keeps the first lines of what is written to it: a crash says at once why.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// maxWords bounds what is kept of a crash.
const maxWords = 300

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[:min(len(p), maxWords-len(t.buf))]...)
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	first, _, _ := strings.Cut(string(t.buf), "\n")
	return first
}
