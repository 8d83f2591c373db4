package runs

// Live is what an evaluation has shown so far: the questions that every run has
// answered, so that their means compare.
type Live struct {
	// Questions of Of are answered by every run.
	Questions int `json:"questions"`
	Of        int `json:"of"`
	// Metrics are in the order asked; Primary is one of them.
	Metrics []string  `json:"metrics"`
	Primary string    `json:"primary"`
	Runs    []LiveRun `json:"runs"`
}

// LiveRun is one run of an evaluation that goes on.
type LiveRun struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	// FailedQueries have nothing relevant in the first FailedDepth, ErroredQueries could
	// not be searched.
	FailedQueries  int                 `json:"failed_queries"`
	ErroredQueries int                 `json:"errored_queries"`
	Metrics        map[string]LiveMean `json:"metrics"`
}

// LiveMean is a mean over N questions, null without any. It has no interval: more
// questions are to come.
type LiveMean struct {
	Value *float64 `json:"value"`
	N     int      `json:"n"`
}
