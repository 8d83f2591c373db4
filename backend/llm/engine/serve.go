//go:build engine

package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ollama/ollama/discover"
	"github.com/ollama/ollama/runner"
	"github.com/ollama/ollama/server"
	"github.com/ollama/ollama/version"
)

// linked reports that the engine is part of this program.
const linked = true

// ollamaVersion is the version of the server's module, as in go.mod.
const ollamaVersion = "0.9.6"

// runnerCommand is what the server starts this program with for each model.
const runnerCommand = "runner"

// Child runs the engine, or one of its runners, when the arguments and the
// environment say that this process is to be one; handled is false otherwise.
func Child(args []string) (code int, handled bool) {
	parent, err := strconv.Atoi(os.Getenv(parentVar))
	if err != nil || len(args) == 0 || (args[0] != ServeCommand && args[0] != runnerCommand) {
		return 0, false
	}
	err = Check()
	if err == nil {
		if args[0] == runnerCommand {
			go watchParent(parent)
			err = runner.Execute(args[1:])
		} else {
			err = serve(os.Stdin, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, args[0]+":", err)
		return 1, true
	}
	return 0, true
}

// watchParent ends the process when it has lost its parent: on Unix an orphan gets
// another one. On Windows the number stays and the job object ends the process.
func watchParent(parent int) {
	dieWithCreator()
	for os.Getppid() == parent {
		time.Sleep(100 * time.Millisecond)
	}
	os.Exit(1)
}

// serve is the engine's process.
func serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	var s settings
	if err := json.Unmarshal(line, &s); err != nil || s.Key == "" || s.Dir == "" {
		return errors.Join(errors.New("settings are incomplete"), err)
	}
	if err := confine(); err != nil {
		return fmt.Errorf("tie the runners to the engine: %w", err)
	}
	// The runners are this process's children now.
	if err := os.Setenv(parentVar, strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	// Beside a program in /usr/local/bin lie the libraries of an installed Ollama of
	// another version, which the server would load.
	discover.LibOllamaPath = filepath.Join(s.Dir, "no-libraries")
	// The registry gives models only to a server that says how new it is.
	version.Version = ollamaVersion
	var config net.ListenConfig
	outer, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(fmt.Errorf("listen: %w", err), greet(out, greeting{Error: err.Error()}))
	}
	inner := newPipe(outer.Addr())
	ended := make(chan error, 2)
	go func() { ended <- server.Serve(inner) }()
	go func() { ended <- gate(s.Key, inner).Serve(outer) }()
	if err := greet(out, greeting{Address: outer.Addr().String()}); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines) // the end of the input is the end of the parent
		os.Exit(0)
	}()
	return <-ended
}

func greet(out io.Writer, g greeting) error {
	raw, err := json.Marshal(g)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s%s\n", mark, raw)
	return err
}
