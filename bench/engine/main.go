//go:build engine

// Engine times the built-in language model engine from cold: no process of it runs
// when a round begins.
//
//	PATH=$PWD/build/engine:$PATH CC=cc-x86-64-v3 CXX=cxx-x86-64-v3 go run -tags headless,engine ./bench/engine MODEL.gguf…
//
// For each model, best and median of the rounds: the engine's start, from there to
// the first token of a prompt with three passages, and the tokens a second that are
// read and written, as the engine counts them; then the processor time of all its
// processes a round, which does not depend on what else the machine does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/llm/engine"
	"ragdesk/backend/rag"
)

func main() {
	if code, ok := engine.Child(os.Args[1:]); ok {
		os.Exit(code)
	}
	rounds := flag.Int("rounds", 5, "rounds a model")
	flag.Parse()
	for _, file := range flag.Args() {
		if err := measure(file, *rounds); err != nil {
			fmt.Fprintln(os.Stderr, file+":", err)
			os.Exit(1)
		}
	}
}

// prompt has three passages and a question, like one of ask.
func prompt() string {
	passages := []string{
		"Employees receive ten days of paid annual leave, which must be taken before the end of March of the year after. Leave of more than three days is asked for a week ahead.",
		"During sick leave eighty percent of the wage is paid. A certificate is handed in within three days. 病假期间工资按八成发放，须在三天内提交证明。",
		"Travel is booked by the office. Trains are second class; flights need the consent of the head of the department. 出差由行政部统一订票。",
	}
	var b strings.Builder
	b.WriteString("Answer from the passages alone.\n")
	for i, p := range passages {
		fmt.Fprintf(&b, "\n[%d] %s\n", i+1, p)
	}
	return b.String() + "\nQuestion: How many days of annual leave does an employee receive?\nAnswer:"
}

// round is what one cold start took.
type round struct {
	start, first, whole time.Duration
	processor           time.Duration
	read, written       float64 // tokens a second
}

func measure(file string, rounds int) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ragdesk-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	config := engine.Config{Command: []string{exe, engine.ServeCommand}, Dir: dir}
	ctx := context.Background()
	h := engine.New(config)
	client, err := h.Client(ctx)
	if err != nil {
		return err
	}
	name, err := client.Import(ctx, file, "", rag.NoProgress{})
	if err != nil {
		return err
	}
	if err := h.Close(); err != nil {
		return err
	}
	all := make([]round, rounds)
	for i := range all {
		if all[i], err = cold(ctx, config, name); err != nil {
			return err
		}
	}
	fmt.Printf("%s, %d rounds, best and median\n", filepath.Base(file), rounds)
	of := func(what string, value func(round) float64, form string) {
		values := make([]float64, len(all))
		for i, r := range all {
			values[i] = value(r)
		}
		slices.Sort(values)
		best := values[0]
		if strings.Contains(form, "tokens") {
			best = values[len(values)-1]
		}
		fmt.Printf("  %-34s "+form+"  "+form+"\n", what, best, values[len(values)/2])
	}
	of("engine starts", func(r round) float64 { return r.start.Seconds() }, "%7.2f s")
	of("from there to the first token", func(r round) float64 { return r.first.Seconds() }, "%7.2f s")
	of("cold to the first token", func(r round) float64 { return (r.start + r.first).Seconds() }, "%7.2f s")
	of("cold to the end of 64 tokens", func(r round) float64 { return r.whole.Seconds() }, "%7.2f s")
	of("processor time", func(r round) float64 { return r.processor.Seconds() }, "%7.2f s")
	of("read", func(r round) float64 { return r.read }, "%7.0f tokens/s")
	of("written", func(r round) float64 { return r.written }, "%7.0f tokens/s")
	return nil
}

// cold starts an engine, has a model write 64 tokens at most, and ends the engine.
func cold(ctx context.Context, config engine.Config, model string) (round, error) {
	begin := time.Now()
	h := engine.New(config)
	defer func() { _ = h.Close() }()
	client, err := h.Client(ctx)
	if err != nil {
		return round{}, err
	}
	out := round{start: time.Since(begin)}
	g := client.Generator(model)
	info, err := g.Info(ctx)
	if err != nil {
		return round{}, err
	}
	asked := time.Now()
	got, err := g.Generate(ctx, rag.GenerateRequest{Prompt: prompt(), Raw: !info.Chat, Options: rag.GenerateOptions{MaxTokens: 64}}, func(string) error {
		if out.first == 0 {
			out.first = time.Since(asked)
		}
		return nil
	})
	if err != nil {
		return round{}, err
	}
	out.whole = time.Since(begin)
	out.processor = processorTime(os.Getpid(), false)
	out.read = float64(got.Usage.PromptTokens) / got.Timing.Prompt.Seconds()
	out.written = float64(got.Usage.ReplyTokens) / got.Timing.Reply.Seconds()
	return out, nil
}

// tick is the unit of times in /proc under Linux.
const tick = time.Second / 100

// processorTime is what the descendants of a process have taken, and itself if asked.
func processorTime(pid int, itself bool) time.Duration {
	var sum time.Duration
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, file := range stats {
		raw, err := os.ReadFile(file)
		_, rest, ok := strings.Cut(string(raw), ") ")
		f := strings.Fields(rest) // from the state on: parent is field 1, times are 11 and 12
		if err != nil || !ok || len(f) < 13 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))) // the pattern says that it is a number
		if itself && id == pid {
			user, _ := strconv.Atoi(f[11])
			system, _ := strconv.Atoi(f[12])
			sum += time.Duration(user+system) * tick
		}
		if f[1] == strconv.Itoa(pid) {
			sum += processorTime(id, true)
		}
	}
	return sum
}
