package builtin

import _ "embed" // the questions

//go:embed sample_questions.jsonl
var sampleQuestions string

// SampleQuestions returns the question set of the library "sample" in the
// canonical form of a dataset: questions of every type in Chinese and English with
// answers, key points and gold quotes, each also in other words (variant_of). Many
// name things that have a near double in the library, such as an older version of
// a rule, so that strategies of retrieval differ on them.
func SampleQuestions() []byte { return []byte(sampleQuestions) }
