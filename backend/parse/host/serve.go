package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Open makes the parser for options. It is called again when they change.
type Open func(Options) rag.Parser

// watchEvery is how often a child looks at its own memory.
const watchEvery = 10 * time.Millisecond

// Serve is the child's side: it reads requests from r and writes answers to w
// until r ends. It ends the process when a file needs more memory than its
// options allow, or when r ends while a file is being read.
func Serve(r io.Reader, w io.Writer, open Open) error {
	signal.Ignore(os.Interrupt) // the parent decides what an interrupt means
	requests := make(chan request)
	ended := make(chan error, 1)
	var busy atomic.Bool
	go func() {
		for {
			var q request
			if err := receive(r, &q); err != nil {
				if busy.Load() { // nobody waits for the answer any more
					os.Exit(0)
				}
				ended <- err
				return
			}
			busy.Store(true)
			requests <- q
		}
	}()
	var current struct {
		options Options
		parser  rag.Parser
	}
	var memory atomic.Int64
	memory.Store(DefaultMemory)
	go watch(&memory)
	for {
		select {
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read request: %w", err)
		case q := <-requests:
			if current.parser == nil || current.options != q.Options {
				if old, ok := current.parser.(io.Closer); ok {
					_ = old.Close() // it has no file open
				}
				current.options, current.parser = q.Options, open(q.Options)
				memory.Store(q.Options.Memory)
				debug.SetMemoryLimit(q.Options.Memory / 4 * 3)
			}
			answer := answerTo(current.parser, q)
			answer.Worn = resident() > q.Options.Memory/3
			busy.Store(false)
			if err := send(w, answer); err != nil {
				return fmt.Errorf("write answer: %w", err)
			}
		}
	}
}

// answerTo reads one file; a panic becomes its error.
func answerTo(p rag.Parser, q request) (answer response) {
	defer func() {
		if v := recover(); v != nil {
			answer = failure(fault.New("parser_crashed", fault.P("detail", v)))
			answer.Worn = true
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), q.Options.Time)
	defer cancel()
	doc, err := p.Parse(ctx, rag.Input{Source: q.Source, Bytes: q.Bytes, Encoding: q.Encoding})
	switch {
	case ctx.Err() != nil:
		return failure(fault.New("limit_time", fault.P("seconds", q.Options.Time.Seconds())))
	case err != nil:
		return failure(err)
	}
	return response{Document: doc}
}

// watch ends the process when it holds more than memory bytes.
func watch(memory *atomic.Int64) {
	for range time.Tick(watchEvery) {
		if resident() <= memory.Load() {
			continue
		}
		runtime.GC()
		debug.FreeOSMemory()
		if resident() > memory.Load() {
			os.Exit(exitMemory)
		}
	}
}

// heap is what the Go runtime holds of the system's memory, in bytes.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
