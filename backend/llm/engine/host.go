package engine

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
)

// ServeCommand is the argument that makes the program an engine.
const ServeCommand = "engine-serve"

// Available reports that this program carries the engine.
func Available() bool { return linked }

// Check reports why the engine cannot run here: the fault "engine_absent" for a
// program without it, "engine_cpu" for a processor it was not built for.
func Check() error {
	if !linked {
		return fault.New("engine_absent")
	}
	if missing := missingFeatures(); len(missing) > 0 {
		return fault.New("engine_cpu", fault.P("missing", strings.Join(missing, ", ")))
	}
	return nil
}

// Config says how the engine is started.
type Config struct {
	// Command is the program and its arguments, ServeCommand among them.
	Command []string
	// Dir is the engine's own folder, made when it is needed: models, a home for
	// what the server wants to write there, and the log.
	Dir string
	// Threads is how many a model is computed with; 0 means one for each core, but one
	// less on a machine of two to four.
	Threads  int
	Timeouts llm.Timeouts
}

// Models is the folder of the models below the engine's own.
func (c Config) Models() string { return filepath.Join(c.Dir, "models") }

// Log is the path of the engine's log.
func (c Config) Log() string { return filepath.Join(c.Dir, "engine.log") }

// Host starts the engine when it is needed, and again when it has died. It is safe
// for concurrent use.
type Host struct {
	config Config
	mu     sync.Mutex
	child  *child
}

var _ llm.Engine = (*Host)(nil)

// New returns a host; nothing is started yet.
func New(c Config) *Host { return &Host{config: c} }

// Check implements llm.Engine.
func (h *Host) Check() error { return Check() }

// Client implements llm.Engine: it starts the engine unless it runs.
func (h *Host) Client(ctx context.Context) (*llm.Client, error) {
	if err := Check(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.child == nil || h.child.ended() {
		c, err := start(ctx, h.config)
		if err != nil {
			return nil, err
		}
		h.child = c
	}
	return h.child.client, nil
}

// Running implements llm.Engine.
func (h *Host) Running() (*llm.Client, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.child == nil || h.child.ended() {
		return nil, false
	}
	return h.child.client, true
}

// Close implements llm.Engine: it ends the engine and waits for that.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.child != nil {
		h.child.end()
		h.child = nil
	}
	return nil
}

// settings are the first line that the child reads.
type settings struct {
	Key string `json:"key"`
	Dir string `json:"dir"`
}

// greeting is the first line of ours that the child writes, after the mark.
type greeting struct {
	Address string `json:"address"`
	Error   string `json:"error,omitempty"`
}

// mark starts the line with the greeting: the server's packages may print before.
const mark = "ragdesk-engine "

// startTime bounds the wait for the greeting.
const startTime = 30 * time.Second

// child is a running engine.
type child struct {
	cmd    *exec.Cmd
	in     io.Closer
	client *llm.Client
	done   chan struct{}
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// end lets the child end by itself and kills it when it does not.
func (c *child) end() {
	_ = c.in.Close() // that is how the child is told
	select {
	case <-c.done:
	case <-time.After(3 * time.Second):
		_ = c.cmd.Process.Kill() // it may have ended just now
		<-c.done
	}
	c.client.Close()
}

// start starts a child and waits for its greeting.
func start(ctx context.Context, config Config) (*child, error) {
	if len(config.Command) == 0 || config.Dir == "" {
		return nil, errors.New("engine: no command or no folder")
	}
	failed := func(err error) error {
		return fault.Wrap(err, "engine_failed", fault.P("detail", err.Error()), fault.P("log", config.Log()))
	}
	if err := os.MkdirAll(config.Models(), 0o700); err != nil {
		return nil, failed(err)
	}
	log, err := openLog(config.Log())
	if err != nil {
		return nil, failed(err)
	}
	//nolint:noctx // the engine outlives the request that it was started for
	cmd := exec.Command(config.Command[0], config.Command[1:]...)
	cmd.Env, cmd.Stderr = environment(os.Environ(), config), quiet{log}
	dieWithParent(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, failed(errors.Join(err, log.Close()))
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, failed(errors.Join(err, log.Close()))
	}
	if err := cmd.Start(); err != nil {
		return nil, failed(errors.Join(err, log.Close()))
	}
	c := &child{cmd: cmd, in: in, done: make(chan struct{})}
	greetings := make(chan greeting, 1)
	go c.attend(out, log, greetings)
	key := rand.Text()
	if err := json.NewEncoder(in).Encode(settings{Key: key, Dir: config.Dir}); err != nil {
		c.abandon()
		return nil, failed(fmt.Errorf("talk to the engine: %w", err))
	}
	g, err := c.greeted(ctx, greetings)
	if err == nil {
		c.client, err = llm.New(llm.Config{Host: g.Address, Key: key, Threads: threads(config.Threads), Timeouts: config.Timeouts})
	}
	if err != nil {
		c.abandon()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, failed(err)
	}
	return c, nil
}

// threads leaves a core to everything else on a small machine. Threads wait for each
// other many times a token, so one that does not get its core stops all: on two cores
// that were busy with other work, two threads took 50 times as long as one.
func threads(wanted int) int {
	if cores := runtime.NumCPU(); wanted == 0 && cores > 1 && cores <= 4 {
		return cores - 1
	}
	return wanted
}

// greeted waits for the child's greeting.
func (c *child) greeted(ctx context.Context, greetings <-chan greeting) (greeting, error) {
	timer := time.NewTimer(startTime)
	defer timer.Stop()
	select {
	case g := <-greetings:
		if g.Error != "" {
			return g, errors.New(g.Error)
		}
		return g, nil
	case <-c.done:
		return greeting{}, fmt.Errorf("the engine ended at once: %s", c.cmd.ProcessState)
	case <-timer.C:
		return greeting{}, fmt.Errorf("no greeting within %s", startTime)
	case <-ctx.Done():
		return greeting{}, ctx.Err()
	}
}

// abandon kills a child that did not get as far as a client.
func (c *child) abandon() {
	_ = c.in.Close() // that is how the child is told
	_ = c.cmd.Process.Kill()
	<-c.done
}

// attend reads the child's output to its end: the greeting for us, the rest for
// the log. Then the child has ended.
func (c *child) attend(out io.Reader, log *os.File, greetings chan<- greeting) {
	defer close(c.done)
	defer func() { _ = log.Close() }() // a log is not worth an error
	lines := bufio.NewReader(out)
	for greeted := false; ; {
		line, err := lines.ReadString('\n')
		rest, ours := strings.CutPrefix(line, mark)
		switch {
		case ours && !greeted:
			var g greeting
			if bad := json.Unmarshal([]byte(rest), &g); bad != nil {
				g.Error = bad.Error()
			}
			greetings <- g
			greeted = true
		case line != "":
			_, _ = quiet{log}.Write([]byte(line))
		}
		if err != nil {
			break
		}
	}
	_ = c.cmd.Wait() // the status is in ProcessState
}

// quiet writes what can be written: a full disk is the log's loss alone. A writer
// that failed would end the runner whose words it takes.
type quiet struct{ log *os.File }

// Write implements io.Writer; it never fails.
func (q quiet) Write(p []byte) (int, error) {
	_, _ = q.log.Write(p)
	return len(p), nil
}

// maxLog is the size from which a log is put aside when the engine starts.
const maxLog = 4 << 20

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
