// Package cli is the command line of ragdesk: it parses flags, calls the
// Service, and prints text or JSON. Nothing is decided here.
//
// With --json stdout carries one JSON document and nothing else, an error
// included; progress and notices go to stderr. Errors are printed once, in Main.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

// Exit codes of every command.
const (
	exitOK        = 0
	exitError     = 1
	exitUsage     = 2
	exitPartial   = 3
	exitCancelled = 130
)

// Main runs the command line args, without the program's name, and returns the
// exit code. page holds the built page for serve.
func Main(args []string, page fs.FS) int {
	app.ParserMain()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, args, page, os.Stdin, os.Stdout, os.Stderr)
}

// Run is Main with its surroundings given.
func Run(ctx context.Context, args []string, page fs.FS, in io.Reader, out, errOut io.Writer) int {
	width, color := terminalWidth(out), isTerminal(out) && os.Getenv("NO_COLOR") == ""
	out, errOut = onTerminal(out), onTerminal(errOut)
	result := &output{Writer: out}
	e := &env{
		page: page,
		printer: printer{
			in: in, out: result, err: errOut, lang: languageOf(args), json: jsonOf(args),
			width: width, color: color,
		},
	}
	ctx = i18n.WithLanguage(ctx, e.lang)
	root := e.root()
	root.SetArgs(args)
	root.SetOut(result)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if closeErr := e.close(); err == nil {
		err = closeErr
	}
	if err == nil && result.err != nil {
		err = fmt.Errorf("write the result: %w", result.err)
	}
	return e.finish(err)
}

// output remembers the first failure to write, so that a result that was lost
// does not count as printed.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// env is what every command shares.
type env struct {
	printer
	page      fs.FS
	workspace string
	langFlag  string
	service   *app.Service
	// code is the exit code of a command that printed its result.
	code int
}

// open returns the service on the chosen workspace.
func (e *env) open() (*app.Service, error) {
	if e.service == nil {
		s, err := app.New(app.Config{Workspace: e.workspace, Notify: e.notice, LimitMemory: app.MemoryLimiter()})
		if err != nil {
			return nil, err
		}
		e.service = s
	}
	return e.service, nil
}

func (e *env) close() error {
	if e.service == nil {
		return nil
	}
	return e.service.Close()
}

// notice prints a line about slow work the user did not ask for.
func (e *env) notice(code string, params ...fault.Param) {
	fmt.Fprintln(e.err, i18n.Text(e.lang, "notice."+code, params...))
}

// finish prints err, once, and returns the exit code.
func (e *env) finish(err error) int {
	if err == nil {
		return e.code
	}
	err = e.worded(err)
	body := i18n.ErrorBody(e.lang, err)
	if e.json {
		if writeErr := e.writeJSON(api.ErrorResponse{Error: body}); writeErr != nil {
			fmt.Fprintln(e.err, writeErr)
		}
	} else {
		e.complain(err)
	}
	return exitCode(body.Code)
}

// complain prints an error for a person.
func (e *env) complain(err error) {
	fmt.Fprintf(e.err, "%s: %s\n", i18n.Text(e.lang, "cli.error"), i18n.ErrorBody(e.lang, err).Message)
}

// usageCodes are the faults of a wrong command line.
var usageCodes = map[string]bool{
	"usage": true, "port_invalid": true, "argument_missing": true, "confirm_required": true, "query_blank": true,
	"column_unknown": true, "status_unknown": true, "note_invalid": true, "strategy_unknown": true, "strategy_twice": true, "tune_too_few": true, "pipeline_invalid": true, "setting_unfit": true, "out_is_file": true, "filter_language_unknown": true, "filter_dates_empty": true, "pipeline_file": true,
	"fusion_unknown": true, "reranker_unknown": true, "chunker_unknown": true, "chunker_invalid": true,
	"embedder_unknown": true, "encoding_unknown": true, "limit_invalid": true, "flags_conflict": true, "kb_name_invalid": true, "model_unknown": true,
	"model_precision_missing": true, "model_name_invalid": true, "hub_address": true, "reranker_unmeasured": true,
	"language_unknown": true, "metric_unknown": true, "cutoff_invalid": true, "tune_metric_answers": true, "threshold_invalid": true, "gain_unknown": true,
	"dialect_unknown": true, "dialect_measure": true, "relevance_unknown": true, "unit_unknown": true, "dataset_invalid": true,
	"dataset_format_unknown": true, "dataset_name_invalid": true, "split_invalid": true, "sample_invalid": true,
	"grade_invalid": true, "label_first_grade": true,
	"config_invalid": true, "config_key_unknown": true, "config_key_missing": true, "config_keys_both": true, "config_value": true,
	"flag_with_config": true, "run_name_twice": true, "export_unknown": true, "models_differ": true, "baseline_unknown": true, "primary_unknown": true,
	"prompt_unknown": true, "history_invalid": true, "prompt_placeholder_missing": true, "prompt_placeholder_unknown": true, "prompt_passages_twice": true, "prompt_encoding": true,
	"name_twice": true, "entry_twice": true, "run_twice": true, "detector_unknown": true, "detector_no_model": true, "detector_twice": true, "items_invalid": true, "items_empty": true, "sample_size_invalid": true, "probe_unknown": true, "label_state_unknown": true, "labels_invalid": true, "labels_empty": true, "verdicts_invalid": true, "label_person_unknown": true, "label_detector_unknown": true, "llm_host_invalid": true,
	"rating_verdict_unknown": true, "rated_question_empty": true, "rated_passage_unknown": true, "rated_answer_invalid": true,
	"workspace_not_empty": true, "restore_mode_unknown": true, "file_exists": true,
}

func exitCode(code string) int {
	switch {
	case code == "cancelled":
		return exitCancelled
	case usageCodes[code]:
		return exitUsage
	}
	return exitError
}

// languageOf finds --lang before the flags are parsed, since the help's own
// words depend on it.
func languageOf(args []string) string {
	for i, a := range args {
		switch {
		case a == "--":
			return i18n.FromEnvironment()
		case a == "--lang" && i+1 < len(args) && known(args[i+1]):
			return args[i+1]
		case strings.HasPrefix(a, "--lang=") && known(strings.TrimPrefix(a, "--lang=")):
			return strings.TrimPrefix(a, "--lang=")
		}
	}
	return i18n.FromEnvironment()
}

func known(lang string) bool { return lang == i18n.English || lang == i18n.Chinese }

// jsonOf finds --json before the flags are parsed, so that an error of parsing
// them is JSON too.
func jsonOf(args []string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if a == "--json" || a == "--json=true" {
			return true
		}
	}
	return false
}

// root builds the command tree.
func (e *env) root() *cobra.Command {
	root := &cobra.Command{
		Use: "ragdesk", Short: e.t("short.root"), Long: e.t("long.root"), Version: app.Version,
		SilenceErrors: true, SilenceUsage: true, Args: noArguments,
		RunE: e.help,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if e.langFlag != "" && !known(e.langFlag) {
				return fault.New("language_unknown", fault.P("lang", e.langFlag))
			}
			return nil
		},
	}
	f := root.PersistentFlags()
	f.StringVar(&e.workspace, "workspace", "", e.t("flag.workspace"))
	f.BoolVar(&e.json, "json", e.json, e.t("flag.json"))
	f.StringVar(&e.langFlag, "lang", "", e.t("flag.lang"))
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(e.demo(), e.ingest(), e.docs(), e.kb(), e.chunks(), e.search(), e.compare(), e.ask(), e.eval(), e.tune(), e.scoreCommand(), e.verify(), e.judge(), e.labels(), e.ratings(), e.dataset(), e.runsCommand(), e.prompts(), e.models(), e.engine(), e.bundle(), e.serve(), e.doctor(), e.selftest())
	root.SetUsageTemplate(usageTemplate(e.lang))
	return root
}

func (e *env) t(key string, params ...fault.Param) string {
	return i18n.Text(e.lang, "cli."+key, params...)
}

// sorted returns a map's keys in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// help prints what c is for; a program that asked for JSON is told that the
// command is missing.
func (e *env) help(c *cobra.Command, _ []string) error {
	if e.json {
		return fault.New("argument_missing", fault.P("argument", "COMMAND"))
	}
	return c.Help()
}

// group is a command that only holds others.
func (e *env) group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: e.t(short), Args: noArguments, RunE: e.help}
	c.AddCommand(commands...)
	return c
}

// confirm asks before something is destroyed. Without a terminal it needs yes. What
// is not there is for the caller to find out before.
func (e *env) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if e.json || !isTerminal(e.in) {
		return fault.New("confirm_required")
	}
	fmt.Fprintf(e.err, "%s [y/N] ", question)
	var reply string
	if _, err := fmt.Fscanln(e.in, &reply); err != nil && !errors.Is(err, io.EOF) && reply == "" {
		return fault.New("confirm_required")
	}
	switch strings.ToLower(reply) {
	case "y", "yes", "是":
		return nil
	}
	return fault.New("confirm_required")
}
