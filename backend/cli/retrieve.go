package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// retrieval are the flags that search, compare and ask share.
type retrieval struct {
	kb, fusion, reranker    string
	topK, candidates, depth int
	thresholds              []string
	options                 retrievalOptions
}

// retrievalOptions are the flags of settings that are off unless given.
type retrievalOptions struct {
	alpha, boost, fold, diversity float64
	neighbours                    int
	order, rewrite, rewriteModel  string
	maxRanks                      map[string]int
	filter                        api.Filter
}

func (o *retrievalOptions) flags(e *env, c *cobra.Command) {
	f := c.Flags()
	f.Float64Var(&o.alpha, "alpha", rag.DefaultAlpha, e.t("flag.alpha"))
	f.StringToIntVar(&o.maxRanks, "max-rank", nil, e.t("flag.max-rank"))
	f.Float64Var(&o.boost, "heading-boost", 0, e.t("flag.heading-boost"))
	f.Float64Var(&o.fold, "fold-duplicates", 0, e.t("flag.fold-duplicates"))
	f.Float64Var(&o.diversity, "diversity", 0, e.t("flag.diversity"))
	f.IntVar(&o.neighbours, "neighbours", 0, e.t("flag.neighbours"))
	f.StringVar(&o.order, "context-order", "", e.t("flag.context-order"))
	f.StringVar(&o.rewrite, "rewrite", "", e.t("flag.rewrite"))
	f.StringVar(&o.rewriteModel, "rewrite-model", "", e.t("flag.rewrite-model"))
	f.StringArrayVar(&o.filter.Folders, "folder", nil, e.t("flag.folder"))
	f.StringSliceVar(&o.filter.Types, "type", nil, e.t("flag.type"))
	f.StringSliceVar(&o.filter.Languages, "doc-language", nil, e.t("flag.doc-language"))
	f.StringSliceVar(&o.filter.Tags, "tag", nil, e.t("flag.tag"))
	f.StringVar(&o.filter.After, "after", "", e.t("flag.after"))
	f.StringVar(&o.filter.Before, "before", "", e.t("flag.before"))
}

// optionFlags names the flags of retrievalOptions.
var optionFlags = []string{"alpha", "max-rank", "heading-boost", "fold-duplicates", "diversity", "neighbours",
	"context-order", "rewrite", "rewrite-model", "folder", "type", "doc-language", "tag", "after", "before"}

// settings are the flags that were given, nil when none was.
func (o *retrievalOptions) settings(c *cobra.Command) *api.RetrievalOptions {
	if !slices.ContainsFunc(optionFlags, c.Flags().Changed) {
		return nil
	}
	return &api.RetrievalOptions{
		Alpha: optional(c, "alpha", o.alpha), MaxRanks: o.maxRanks, Filter: o.filter,
		HeadingBoost: optional(c, "heading-boost", o.boost), FoldDuplicates: optional(c, "fold-duplicates", o.fold),
		Diversity: optional(c, "diversity", o.diversity), Neighbours: optional(c, "neighbours", o.neighbours),
		ContextOrder: optional(c, "context-order", o.order), Rewrite: optional(c, "rewrite", o.rewrite),
		RewriteModel: optional(c, "rewrite-model", o.rewriteModel),
	}
}

func (r *retrieval) flags(e *env, c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&r.kb, "kb", "", e.t("flag.kb"))
	f.IntVar(&r.topK, "top-k", 0, e.t("flag.top-k", fault.P("default", rag.DefaultTopK)))
	f.IntVar(&r.candidates, "candidates", 0, e.t("flag.candidates", fault.P("default", rag.DefaultCandidates)))
	f.StringVar(&r.fusion, "fusion", "", e.t("flag.fusion"))
	f.StringVar(&r.reranker, "reranker", "", e.t("flag.reranker"))
	f.IntVar(&r.depth, "rerank-depth", 0, e.t("flag.rerank-depth", fault.P("default", rag.DefaultRerankDepth)))
	f.StringArrayVar(&r.thresholds, "threshold", nil, e.t("flag.threshold"))
	r.options.flags(e, c)
}

// settings reads the flags that were given.
func (r *retrieval) settings(c *cobra.Command) (api.Retrieval, error) {
	out := api.Retrieval{
		TopK: optional(c, "top-k", r.topK), Candidates: optional(c, "candidates", r.candidates),
		Fusion: optional(c, "fusion", r.fusion), Reranker: optional(c, "reranker", r.reranker),
		RerankDepth: optional(c, "rerank-depth", r.depth), Options: r.options.settings(c),
	}
	for _, t := range r.thresholds {
		stage, value, ok := strings.Cut(t, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !isStage(stage) || v != v {
			return api.Retrieval{}, fault.New("threshold_invalid", fault.P("threshold", t))
		}
		if out.Thresholds == nil {
			out.Thresholds = map[string]float64{}
		}
		out.Thresholds[stage] = v
	}
	return out, nil
}

func isStage(name string) bool {
	for _, s := range rag.Stages() {
		if string(s) == name {
			return true
		}
	}
	return false
}

// query joins the words of a question, so that it needs no quotes.
func query(args []string) string { return strings.Join(args, " ") }

func (e *env) search() *cobra.Command {
	var flags retrieval
	var strategy string
	c := &cobra.Command{
		Use: "search --kb K QUERY", Short: e.t("short.search"), Args: arguments(-1, "QUERY"),
		RunE: func(c *cobra.Command, args []string) error {
			settings, err := flags.settings(c)
			if err != nil {
				return err
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.Search(c.Context(), api.SearchRequest{KB: flags.kb, Query: query(args), Strategy: strategy, Retrieval: settings})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printSearch(out)
			return nil
		},
	}
	flags.flags(e, c)
	c.Flags().StringVar(&strategy, "strategy", "", e.t("flag.strategy"))
	return c
}

func (e *env) compare() *cobra.Command {
	var flags retrieval
	var strategies []string
	var answers, fresh bool
	var window int
	var model string
	c := &cobra.Command{
		Use: "compare --kb K QUERY", Short: e.t("short.compare"), Args: arguments(-1, "QUERY"),
		RunE: func(c *cobra.Command, args []string) error {
			settings, err := flags.settings(c)
			if err != nil {
				return err
			}
			if err := named(c, "strategies", strategies); err != nil {
				return err
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := e.compared(c.Context(), s, api.CompareRequest{KB: flags.kb, Query: query(args), Strategies: strategies,
				Retrieval: settings, Answer: answers, Model: model, Fresh: fresh, NumCtx: window, Language: e.langFlag})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printCompare(out)
			return nil
		},
	}
	flags.flags(e, c)
	c.Flags().StringSliceVar(&strategies, "strategies", nil, e.t("flag.strategies"))
	c.Flags().BoolVar(&answers, "answer", false, e.t("flag.answer"))
	c.Flags().StringVar(&model, "model", "", e.t("flag.model"))
	c.Flags().BoolVar(&fresh, "fresh", false, e.t("flag.fresh"))
	c.Flags().IntVar(&window, "num-ctx", 0, e.t("flag.num-ctx"))
	return c
}

// compared runs a comparison. One that a language model answers takes a while, and
// shows how far it is.
func (e *env) compared(ctx context.Context, s *app.Service, r api.CompareRequest) (api.CompareResponse, error) {
	if r.Model == "" {
		return s.Compare(ctx, r)
	}
	j, err := s.StartCompare(ctx, r)
	if err != nil {
		return api.CompareResponse{}, err
	}
	if j, err = e.done(ctx, j); err != nil {
		return api.CompareResponse{}, err
	}
	return *j.Comparison, nil
}
