package app

import (
	"ragdesk/backend/api"
	"ragdesk/backend/builtin"
)

// samples are the questions of the built-in libraries.
func samples() []api.SampleQuestion {
	var out []api.SampleQuestion
	for _, lib := range []builtin.Library{builtin.Classic(), builtin.Sample()} {
		for _, q := range lib.Questions {
			out = append(out, api.SampleQuestion{KB: lib.Name, Language: q.Lang, Question: q.Text})
		}
	}
	return out
}
