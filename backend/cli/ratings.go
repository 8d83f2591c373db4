package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) ratings() *cobra.Command {
	return e.group("ratings", "short.ratings-group", e.ratingsRate(), e.ratingsList(), e.ratingsExport(), e.ratingsAdd())
}

func (e *env) ratingsRate() *cobra.Command {
	var r api.RateAnswerRequest
	c := &cobra.Command{
		Use: "rate ANSWER|ID up|down|none", Short: e.t("short.ratings.rate"), Args: arguments(2, "ANSWER|ID"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fault.New("argument_missing", fault.P("argument", "up|down|none"))
			}
			if r.Verdict = args[1]; r.Verdict == "none" {
				r.Verdict = ""
			}
			if err := readRated(args[0], &r); err != nil {
				return err
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.RateAnswer(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printRating(out)
			return nil
		},
	}
	c.Flags().StringVar(&r.Reason, "reason", "", e.t("flag.rating-reason"))
	return c
}

// readRated reads an answer that ask --json printed; what is no file is the id of a rating.
func readRated(arg string, r *api.RateAnswerRequest) error {
	if info, err := os.Stat(arg); err != nil || info.IsDir() {
		r.ID = arg
		return nil //nolint:nilerr // it is no file
	}
	raw, err := os.ReadFile(arg)
	if err != nil {
		return fault.Wrap(err, "unreadable", fault.P("path", arg))
	}
	var answer api.AskResponse
	if err := json.Unmarshal(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), &answer); err != nil {
		wrong := fault.JSON(raw, err)
		return fault.Wrap(wrong, "rated_answer_invalid", fault.P("path", arg), fault.P("detail", wrong.Code))
	}
	r.Answer = &answer
	return nil
}

func (e *env) printRating(r api.Rating) {
	mark := e.good("+")
	switch r.Verdict {
	case "down":
		mark = e.bad("−")
	case "":
		mark = " "
	}
	e.line("%s  %s  %s  %s", mark, e.bold(r.ID[:min(8, len(r.ID))]), r.Question, e.dim(r.KB+" · "+r.Model+" · "+r.Strategy))
	if r.Reason != "" {
		e.line("             %s", r.Reason)
	}
	if r.Dataset != "" {
		e.line("             %s", e.dim("→ "+r.Dataset))
	}
}

// ratingFilter are the flags that choose ratings.
func (e *env) ratingFilter(c *cobra.Command, r *api.RatingsRequest) *cobra.Command {
	c.Flags().StringVar(&r.Verdict, "verdict", "", e.t("flag.rating-verdict"))
	c.Flags().StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	return c
}

func (e *env) ratingsList() *cobra.Command {
	var r api.RatingsRequest
	return e.ratingFilter(&cobra.Command{
		Use: "list", Short: e.t("short.ratings.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListRatings(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, one := range out.Ratings {
				e.printRating(one)
			}
			e.line("%s", e.dim(e.t("ratings.sum", fault.P("up", out.Up), fault.P("down", out.Down))))
			return nil
		},
	}, &r)
}

func (e *env) ratingsExport() *cobra.Command {
	var r api.RatingsRequest
	return e.ratingFilter(&cobra.Command{
		Use: "export", Short: e.t("short.ratings.export"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ExportRatings(c.Context(), r)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(e.out, out.Content)
			return err
		},
	}, &r)
}

func (e *env) ratingsAdd() *cobra.Command {
	var r api.AddRatedRequest
	c := &cobra.Command{
		Use: "add ID --dataset D", Short: e.t("short.ratings.add"), Args: arguments(1, "ID"),
		RunE: func(c *cobra.Command, args []string) error {
			r.ID = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.AddRatedQuestion(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s  %s", e.bold(out.Dataset), e.dim(e.t("dataset.line", fault.P("questions", out.Questions), fault.P("version", out.Version))))
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.Dataset, "dataset", "", e.t("flag.rated-dataset"))
	f.StringArrayVar(&r.Answers, "answer", nil, e.t("flag.rated-answer"))
	f.IntSliceVar(&r.Passages, "passage", nil, e.t("flag.rated-passage"))
	f.StringVar(&r.Type, "type", "", e.t("flag.question-type"))
	return c
}
