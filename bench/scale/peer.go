package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// turn is how many questions a side answers in a row, and pause how long it is
// left alone before: threads of the other that wait in a loop go to sleep.
const (
	turn  = 10
	pause = 30 * time.Millisecond
)

// peer is the Python process that answers the same questions.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// peerAnswer is a line of peer.py.
type peerAnswer struct {
	MS  float64 `json:"ms"`
	IDs []int   `json:"ids"`
}

func startPeer(ctx context.Context, python string, args ...any) (*peer, error) {
	text := []string{filepath.Join("bench", "scale", "peer.py")}
	for _, a := range args {
		text = append(text, fmt.Sprint(a))
	}
	cmd := exec.CommandContext(ctx, python, text...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the peer: %w", err)
	}
	p := &peer{cmd, in, bufio.NewReaderSize(out, 1<<20)}
	_, err = p.read()
	return p, err
}

func (p *peer) read() (a peerAnswer, err error) {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("read from the peer: %w", err)
	}
	return a, json.Unmarshal(line, &a)
}

func (p *peer) ask(search string, i int) (peerAnswer, error) {
	if _, err := fmt.Fprintf(p.in, "%s %d\n", search, i); err != nil {
		return peerAnswer{}, fmt.Errorf("ask the peer: %w", err)
	}
	return p.read()
}

func (p *peer) close() error {
	_ = p.in.Close() // its end of input
	return p.cmd.Wait()
}

// writeFile writes what encode gives and returns the path.
func writeFile(dir, name string, encode func(io.Writer) error) (string, error) {
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(f)
	if err := encode(w); err != nil {
		return "", err
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	return path, f.Close()
}

// median returns the middle of the values.
func median(ms []float64) float64 {
	if len(ms) == 0 {
		return 0
	}
	s := slices.Clone(ms)
	slices.Sort(s)
	return s[len(s)/2]
}

func since(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }
