package runs

// Agreement compares rater A, people, with rater B, a detector or a person.
type Agreement struct {
	Source string `json:"source"`
	A      Rater  `json:"a"`
	B      Rater  `json:"b"`
	// N counts the claims that both judged, Left the others by reason: unclear,
	// disputed (people differ without a majority), no_verdict.
	N    int            `json:"n"`
	Left map[string]int `json:"left" tstype:"{ [key: string]: number }"`
	// Kappa is Cohen's on whether a claim is supported, with its bootstrap interval, and
	// Band what it means; null with a reason where it cannot be computed. Sure says that
	// the whole interval lies in the band, and that there are 30 claims or more; below
	// 30 Band is too_few.
	Kappa  *float64 `json:"kappa"`
	CI     *CI      `json:"ci" tstype:"CI | null"`
	Reason string   `json:"reason"`
	Band   string   `json:"band" tstype:"'reliable' | 'discuss' | 'mend_prompt' | 'too_few' | 'not_calibrated'"`
	Sure   bool     `json:"sure"`
	// Warnings are codes: labels_few below 30 claims, band_unsure when the interval
	// reaches into another band, prevalence_extreme when hardly any claim, or nearly
	// every one, is supported.
	Warnings []string `json:"warnings"`
	// Kappas are all of them, the one above first.
	Kappas []KappaValue `json:"kappas"`
	// Prevalence is the share of claims that A says are not supported.
	Prevalence Rate `json:"prevalence"`
	// Classes has, for each state and for "not_supported" first, how B finds what A says.
	Classes []ClassRates `json:"classes"`
	// Languages is the first kappa by language.
	Languages []LanguageKappa `json:"languages"`
	// Corrected are metrics of the source with the labels put in; empty without one.
	Corrected []CorrectedMetric `json:"corrected"`
	// Ceiling is how far people agree with one another, null with fewer than two.
	Ceiling *KappaValue `json:"ceiling"`
	// Disagreements counts the claims on which A and B differ.
	Disagreements int `json:"disagreements"`
}

// Rater is who judged.
type Rater struct {
	Kind string `json:"kind" tstype:"'human' | 'detector'"`
	// Name is a person's or a detector's, empty for all people together.
	Name        string `json:"name"`
	Fingerprint string `json:"fingerprint"`
	// People counts the people behind it.
	People int `json:"people"`
}

// KappaValue is a kappa with what it rests on.
type KappaValue struct {
	// Name is supported (claims: supported or not), states (the four states), ordered
	// (supported, unverifiable, contradicted), answers (answers: faithful or not) or
	// people.
	Name string `json:"name"`
	// Weights is none, linear or quadratic.
	Weights string `json:"weights" tstype:"'none' | 'linear' | 'quadratic'"`
	// Classes name rows (A) and columns (B) of Table.
	Classes []string `json:"classes"`
	Table   [][]int  `json:"table"`
	N       int      `json:"n"`
	// Observed and Expected are the shares of agreement, seen and by chance.
	Observed *float64 `json:"observed"`
	Expected *float64 `json:"expected"`
	Kappa    *float64 `json:"kappa"`
	// CI is a bootstrap interval, answers drawn whole; null when it cannot be computed, and
	// below 30 claims when all samples agree, which says nothing of other claims.
	CI *CI `json:"ci" tstype:"CI | null"`
	// Reason is why there is no kappa: too_few, one_class; empty when there is one.
	Reason string `json:"reason"`
}

// Rate is a share with Wilson's interval; Value is null when N is 0.
type Rate struct {
	Value *float64 `json:"value"`
	CI    *CI      `json:"ci" tstype:"CI | null"`
	N     int      `json:"n"`
}

// ClassRates is one class against all others.
type ClassRates struct {
	Class string `json:"class"`
	// Sensitivity (TPR) is the share of what A says is of the class that B says so of,
	// Specificity (TNR) the share of the others that B keeps out, Precision the share of
	// what B says is of the class that A says so of.
	Sensitivity Rate `json:"sensitivity"`
	Specificity Rate `json:"specificity"`
	Precision   Rate `json:"precision"`
}

// LanguageKappa is a kappa of the claims in one language.
type LanguageKappa struct {
	Lang  string   `json:"lang"`
	N     int      `json:"n"`
	Kappa *float64 `json:"kappa"`
	CI    *CI      `json:"ci" tstype:"CI | null"`
	Band  string   `json:"band" tstype:"'reliable' | 'discuss' | 'mend_prompt' | 'too_few' | 'not_calibrated'"`
}

// CorrectedMetric is a metric of a source as the detector has it, and with its errors taken
// out as the labelled sample shows them (prediction-powered).
type CorrectedMetric struct {
	// Metric is faithfulness or hallucination_rate.
	Metric string   `json:"metric"`
	Raw    *float64 `json:"raw"`
	RawCI  *CI      `json:"raw_ci" tstype:"CI | null"`
	// N counts the answers of the source, Labelled those whose claims people labelled
	// whole.
	N        int `json:"n"`
	Labelled int `json:"labelled"`
	// Value is the corrected metric; null with a reason: too_few.
	Value  *float64 `json:"value"`
	CI     *CI      `json:"ci" tstype:"CI | null"`
	Reason string   `json:"reason"`
	// Strata is what the sample was weighed by: language_verdict, verdict, label, or
	// none.
	Strata string `json:"strata"`
}
