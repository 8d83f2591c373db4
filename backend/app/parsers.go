package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/backend/parse"
	"ragdesk/backend/parse/host"
	"ragdesk/backend/rag"
)

// ParserCommand is the argument that makes the program a parser child.
const ParserCommand = "parse-serve"

// ServeParser is what a child does: it reads files for its parent until the
// parent is done.
func ServeParser(in io.Reader, out io.Writer) error {
	return host.Serve(in, out, func(o host.Options) rag.Parser {
		return parse.New(parse.Options{Limits: o.Limits, OCR: o.OCR, Cache: o.Cache})
	})
}

// ParserMain serves and ends the process when it was started as a parser child.
// A program that makes a Service calls it first.
func ParserMain() {
	if len(os.Args) != 2 || os.Args[1] != ParserCommand {
		return
	}
	if err := ServeParser(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// parsers returns the host of the parser children.
func (s *Service) parsers() (*host.Host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parserHost != nil {
		return s.parserHost, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, "program_unknown")
	}
	s.parserHost = host.New(host.Config{Command: []string{exe, ParserCommand}})
	return s.parserHost, nil
}

// parser reads files under the given limits.
func (s *Service) parser(o host.Options) (rag.Parser, error) {
	h, err := s.parsers()
	if err != nil {
		return nil, err
	}
	assets, err := models.Open("")
	if err != nil {
		return nil, err
	}
	o.Cache = filepath.Join(assets.Dir(), "parsers")
	return h.Parser(o), nil
}

// limit is a setting of --limit.
type limit struct {
	name string
	set  func(o *host.Options, value string) bool
}

// limits lists what may be raised or lowered, in the order shown.
func limits() []limit {
	count := func(at func(o *host.Options) *int) func(*host.Options, string) bool {
		return func(o *host.Options, value string) bool {
			n, err := strconv.Atoi(value)
			*at(o) = n
			return err == nil && n > 0
		}
	}
	size := func(at func(o *host.Options) *int64) func(*host.Options, string) bool {
		return func(o *host.Options, value string) bool {
			n, ok := parseSize(value)
			*at(o) = n
			return ok
		}
	}
	return []limit{
		{"bytes", size(func(o *host.Options) *int64 { return &o.Limits.Bytes })},
		{"inflated", size(func(o *host.Options) *int64 { return &o.Limits.Inflated })},
		{"ratio", size(func(o *host.Options) *int64 { return &o.Limits.Ratio })},
		{"pages", count(func(o *host.Options) *int { return &o.Limits.Pages })},
		{"depth", count(func(o *host.Options) *int { return &o.Limits.Depth })},
		{"cells", count(func(o *host.Options) *int { return &o.Limits.Cells })},
		{"text", size(func(o *host.Options) *int64 { return &o.Limits.Text })},
		{"memory", size(func(o *host.Options) *int64 { return &o.Memory })},
		{"time", func(o *host.Options, value string) bool {
			d, err := time.ParseDuration(value)
			if seconds, plain := strconv.ParseFloat(value, 64); plain == nil {
				d, err = time.Duration(seconds*float64(time.Second)), nil
			}
			o.Time = d
			return err == nil && d > 0
		}},
	}
}

// parseLimits reads NAME → VALUE. Fault: limit_invalid {limit, value, known}.
func parseLimits(given map[string]string) (host.Options, error) {
	var o host.Options
	known := limits()
	for name, value := range given {
		i := slices.IndexFunc(known, func(l limit) bool { return l.name == name })
		if i < 0 || !known[i].set(&o, strings.TrimSpace(value)) {
			names := make([]string, len(known))
			for j, l := range known {
				names[j] = l.name
			}
			return host.Options{}, fault.New("limit_invalid", fault.P("limit", name), fault.P("value", value),
				fault.P("known", strings.Join(names, ", ")))
		}
	}
	return o, nil
}

// parseSize reads a positive number with an optional K, M or G, powers of 1024.
func parseSize(s string) (int64, bool) {
	s = strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), "I")
	shift := 0
	for i, unit := range []string{"K", "M", "G"} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			s, shift = strings.TrimSpace(rest), 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) || n*float64(int64(1)<<shift) > 1<<50 {
		return 0, false
	}
	return int64(n * float64(int64(1)<<shift)), true
}
