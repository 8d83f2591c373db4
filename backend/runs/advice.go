package runs

// Advice is a warning or a hint, with a stable code and parameters.
type Advice struct {
	// Code is one of AdviceCodes.
	Code   string            `json:"code"`
	Level  string            `json:"level" tstype:"'warning' | 'hint'"`
	Params map[string]string `json:"params"`
}

// Levels of advice.
const (
	// Warning: the numbers may not mean what they seem to.
	Warning = "warning"
	// Hint: what to try next.
	Hint = "hint"
)

// Codes of warnings, each with its parameters.
const (
	// QuestionsVeryFew {n, low, high}: fewer than 50 questions have gold; low and
	// high are the interval of a rate of 0.8.
	QuestionsVeryFew = "questions_very_few"
	// QuestionsFew {n, low, high}: fewer than 200.
	QuestionsFew = "questions_few"
	// MetricAlone {metric}: nothing else was measured.
	MetricAlone = "metric_alone"
	// MetricNeedsAnswers {metrics}: metrics of generated answers have no value.
	MetricNeedsAnswers = "metric_needs_answers"
	// QueriesErrored {run, n, of, codes}: questions could not be searched.
	QueriesErrored = "queries_errored"
	// HitsDuplicate {run, n}: chunks stood twice in a list.
	HitsDuplicate = "hits_duplicate"
	// GoldNotIndexed {n, runs}: questions whose gold the library lacks.
	GoldNotIndexed = "gold_not_indexed"
	// GoldSplit {n, runs}: questions whose gold no chunk covers.
	GoldSplit = "gold_split"
	// GoldStale {n, runs}: questions whose gold no longer fits its documents.
	GoldStale = "gold_stale"
	// TypesUnknown: no question has a type.
	TypesUnknown = "types_unknown"
	// TypesRare {types}: types below a tenth of the questions, "negation 4 %, …".
	TypesRare = "types_rare"
	// VariablesSeveral {a, b, n, variables}: two runs differ in more than one setting.
	VariablesSeveral = "variables_several"
	// PipelineNotOwn {own, run, variables}: no run has the pipeline that is in use.
	PipelineNotOwn = "pipeline_not_own"
	// ListShort {run, most, depth}: a pipeline cannot list as many as metrics look at.
	ListShort = "list_short"
	// VerdictErrors {a, b, metric}: missing questions might turn a difference.
	VerdictErrors = "verdict_errors"
	// PowerLow {a, b, metric, diff, n, effect, needed}: what an inconclusive comparison
	// of n questions finds with a power of .8, and how many its difference needs.
	PowerLow = "power_low"
	// LibrariesDiffer {a, b, kb_a, kb_b}: runs searched libraries of different documents.
	LibrariesDiffer = "libraries_differ"
	// QuestionsDiffer {common, left}: stored runs share only some questions.
	QuestionsDiffer = "questions_differ"
	// MetricsLeftOut {metrics, depth}: metrics look below the lists of stored runs.
	MetricsLeftOut = "metrics_left_out"
	// DepthsDiffer {depth}: lists of stored runs were cut to one depth.
	DepthsDiffer = "depths_differ"
	// TuneQuestionsFew {n, few}: a choice rests on fewer questions with gold than it
	// should.
	TuneQuestionsFew = "tune_questions_few"
	// TuneErrored {n, of}: questions of the half that chooses could not be searched.
	TuneErrored = "tune_errored"
	// JudgeIsGenerator {model}: the model that judges answers wrote them.
	JudgeIsGenerator = "judge_is_generator"
	// JudgeSmall {model}: the model that judges is too small for its verdicts to be
	// trusted.
	JudgeSmall = "judge_small"
)

// Codes of hints, each with its parameters.
const (
	// HybridBelowLeg {run, other, metric, diff, verdict}: fusion falls below a leg.
	HybridBelowLeg = "hybrid_below_leg"
	// RerankBelow {run, other, metric, diff, verdict}: reranking lowers the metric.
	RerankBelow = "rerank_below"
	// RecallLow {run, k, recall}: too little comes back.
	RecallLow = "recall_low"
	// OrderLow {run, k, recall, ndcg}: what comes back stands too low.
	OrderLow = "order_low"
	// OrderLowReranked is OrderLow for a run that reranks already.
	OrderLowReranked = "order_low_reranked"
	// HallucinationHigh {run, rate}: retrieval is fine, and answers say what their
	// passages do not bear out.
	HallucinationHigh = "hallucination_high"
	// RelevancyLow {run, relevancy}: retrieval is fine, and answers are beside the
	// question.
	RelevancyLow = "relevancy_low"
	// AnswersSentenceLong and the following {run, n, of}: a hint on style holds of many answers.
	AnswersSentenceLong     = "answers_sentence_long"
	AnswersParagraphLong    = "answers_paragraph_long"
	AnswersStructureMissing = "answers_structure_missing"
	AnswersTermsUnexplained = "answers_terms_unexplained"
	// PrecisionLow {run, k, precision, most, enough}: most of the first k is noise;
	// most is what the labels allow, and enough the cut that keeps 95 % of the recall.
	PrecisionLow = "precision_low"
	// PrecisionLowSpread {run, k, precision, most}: the same where no cut will do.
	PrecisionLowSpread = "precision_low_spread"
)

// AdviceCodes lists all codes.
func AdviceCodes() []string {
	return []string{
		QuestionsVeryFew, QuestionsFew, MetricAlone, MetricNeedsAnswers, QueriesErrored, HitsDuplicate, GoldNotIndexed, GoldSplit,
		GoldStale, TypesUnknown, TypesRare, VariablesSeveral, PipelineNotOwn, ListShort, VerdictErrors, PowerLow, LibrariesDiffer, QuestionsDiffer,
		MetricsLeftOut, DepthsDiffer, TuneQuestionsFew, TuneErrored, JudgeIsGenerator, JudgeSmall, HybridBelowLeg, RerankBelow, RecallLow, OrderLow, OrderLowReranked, PrecisionLow,
		PrecisionLowSpread, HallucinationHigh, RelevancyLow,
		AnswersSentenceLong, AnswersParagraphLong, AnswersStructureMissing, AnswersTermsUnexplained,
	}
}
