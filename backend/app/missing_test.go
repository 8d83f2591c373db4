package app

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/i18n"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/measure"
	"ragdesk/backend/report"
	"ragdesk/backend/runs"
)

// TestEveryReasonOfAMissingValueIsSaidInWords: reports, whose words are the page's too, show no code.
func TestEveryReasonOfAMissingValueIsSaidInWords(t *testing.T) {
	t.Parallel()
	reasons := []measure.Reason{
		measure.NoRelevant, measure.NotRun, measure.NoValues, measure.NoClaims, measure.Unjudged, measure.NoReference, measure.NoContext,
		evaluate.NeedsAnswers, evaluate.Unscored, evaluate.NotComputed,
		judges.ReasonLanguage, judges.ReasonAbstained, judges.ReasonEmpty, judges.ReasonTruncated, judges.ReasonMalformed, judges.ReasonCount,
		judges.ReasonQuote, judges.ReasonTimeout, judges.ReasonEngine, judges.ReasonPromptCut, judges.ReasonBlankReason, judges.ReasonUnnamed, judges.ReasonMark,
	}
	for _, reason := range reasons {
		var exp runs.Experiment
		exp.Metrics = []string{"m"}
		var run runs.Result
		run.Metrics = map[string]runs.Metric{"m": {Of: 1, Missing: map[measure.Reason]int{reason: 1}}}
		exp.Runs = []runs.Result{run}
		for _, lang := range []string{i18n.English, i18n.Chinese} {
			var b bytes.Buffer
			if err := report.Text(&b, exp, lang); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), string(reason)) {
				t.Errorf("%s, %s: the report says the code:\n%s", reason, lang, b.String())
			}
		}
	}
	if len(reasons) != len(slices.Compact(slices.Sorted(slices.Values(reasons)))) {
		t.Error("a reason stands there twice")
	}
}
