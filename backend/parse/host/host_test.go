package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/host"
	"ragdesk/backend/rag"
)

// serveEnv makes the test program a child.
const serveEnv = "RAGDESK_TEST_PARSER"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		if err := host.Serve(os.Stdin, os.Stdout, func(o host.Options) rag.Parser { return naughty{o} }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// spun keeps the compiler from dropping a loop.
var spun int

// naughty is a parser that does what the source says.
type naughty struct{ options host.Options }

func (n naughty) Parse(ctx context.Context, in rag.Input) (rag.Document, error) {
	switch in.Source {
	case "loop":
		for i := 0; ; i++ { // what nothing inside the process can stop
			spun = i
		}
	case "polite":
		<-ctx.Done()
		return rag.Document{}, ctx.Err()
	case "panic":
		panic("torn page")
	case "exit":
		fmt.Fprintln(os.Stderr, "fatal error: stack overflow\nmore")
		os.Exit(2)
	case "memory":
		var hold [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = byte(i)
			}
			hold = append(hold, b)
			if len(hold) > 1<<14 {
				return rag.Document{}, errors.New("no limit")
			}
		}
	case "fault":
		return rag.Document{}, fmt.Errorf("page 3: %w", fault.New("password", fault.P("format", "pdf")))
	case "plain":
		return rag.Document{}, errors.New("plain words")
	case "pid":
		return rag.Document{Text: fmt.Sprint(os.Getpid())}, nil
	}
	return rag.Document{
		Source: in.Source, Text: string(in.Bytes) + in.Encoding, Title: fmt.Sprint(n.options.Limits.Pages),
		Sections: []rag.Section{{Level: 1, Title: "t", Span: rag.Span{End: 1}}},
		Blocks:   []rag.Block{{Kind: rag.BlockTable, Span: rag.Span{End: 4}, Header: rag.Span{End: 2}}},
		Pages:    []rag.Span{{Start: 0, End: 2}}, Warnings: []rag.Notice{{Code: "c", Detail: "d"}},
		Health: rag.Health{Pages: 1, Garbled: .5},
	}, nil
}

func open(t *testing.T) *host.Host {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := host.New(host.Config{Command: []string{exe}, Env: []string{serveEnv + "=1"}})
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func TestDocumentsComeBackWhole(t *testing.T) {
	t.Parallel()
	p := open(t).Parser(host.Options{})
	big := strings.Repeat("年假\x00", 1<<20)
	got, err := p.Parse(t.Context(), rag.Input{Source: "a.txt", Bytes: []byte(big), Encoding: "GB18030"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := naughty{host.Options{}}.Parse(t.Context(), rag.Input{Source: "a.txt", Bytes: []byte(big), Encoding: "GB18030"})
	if err != nil {
		t.Fatal(err)
	}
	want.Title = "5000" // the limits are filled with their defaults
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got a document that differs: title %q, %d bytes", got.Title, len(got.Text))
	}
}

func TestAFileThatMisbehavesIsItsOwnError(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.Parser(host.Options{Time: 300 * time.Millisecond, Memory: 200 << 20})
	for source, want := range map[string]string{
		"loop": "limit_time", "polite": "limit_time", "panic": "parser_crashed", "exit": "parser_crashed",
		"fault": "password",
	} {
		_, err := p.Parse(t.Context(), rag.Input{Source: source})
		if !fault.Is(err, want) {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
		if d, err := p.Parse(t.Context(), rag.Input{Source: "next", Bytes: []byte("x")}); err != nil || d.Text != "x" {
			t.Errorf("after %s: %q, %v", source, d.Text, err)
		}
	}
	_, err := h.Parser(host.Options{Memory: 200 << 20}).Parse(t.Context(), rag.Input{Source: "memory"})
	if !fault.Is(err, "limit_memory") {
		t.Errorf("memory: %v", err)
	}
	_, err = p.Parse(t.Context(), rag.Input{Source: "plain"})
	if err == nil || err.Error() != "plain words" {
		t.Errorf("plain: %v", err)
	}
	_, err = p.Parse(t.Context(), rag.Input{Source: "exit"})
	if f := fault.Of(err); f.Params["detail"] != "fatal error: stack overflow" {
		t.Errorf("last words %q", f.Params["detail"])
	}
}

func TestCancellingStopsTheChild(t *testing.T) {
	t.Parallel()
	p := open(t).Parser(host.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		time.Sleep(50 * time.Millisecond)
		cancel()
	}()
	if _, err := p.Parse(ctx, rag.Input{Source: "loop"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOneChildServesManyFiles(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.Parser(host.Options{})
	pids := map[string]bool{}
	for range 5 {
		d, err := p.Parse(t.Context(), rag.Input{Source: "pid"})
		if err != nil {
			t.Fatal(err)
		}
		pids[d.Text] = true
	}
	if len(pids) != 1 {
		t.Errorf("%d children for five files", len(pids))
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(t.Context(), rag.Input{Source: "pid"}); !errors.Is(err, host.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestAMissingProgramIsAnError(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{nil, {"/does/not/exist"}} {
		h := host.New(host.Config{Command: command})
		if _, err := h.Parser(host.Options{}).Parse(t.Context(), rag.Input{Source: "a"}); err == nil {
			t.Errorf("command %v: no error", command)
		}
	}
}
