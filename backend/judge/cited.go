package judge

import (
	"context"
	"slices"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// Sourced is a sentence of an answer with the passages that it cites.
type Sourced struct {
	// Text has no citations; Start and End are its place in the answer, in code points.
	Text       string
	Start, End int
	// Markers are the n of "[n]", in order; one that names no passage is no source.
	Markers []int
}

// cited asks what the citations of an answer do for its sentences, as ALCE judges them (Gao
// et al., 2023, §4): whether the cited passages together bear a sentence out, and of several
// whether each does alone, and, where it does not, whether the others do without it.
func (a *Assessor) cited(ctx context.Context, in Assessed) (*runs.Cited, error) {
	out := &runs.Cited{Sentences: []runs.CitedSentence{}, Calls: []runs.Call{}}
	for _, said := range in.Sentences {
		one, err := a.sourced(ctx, in, said, out)
		if err != nil {
			return nil, err
		}
		out.Sentences = append(out.Sentences, one)
	}
	return out, nil
}

// sourced judges one sentence.
func (a *Assessor) sourced(ctx context.Context, in Assessed, said Sourced, into *runs.Cited) (runs.CitedSentence, error) {
	out := runs.CitedSentence{Text: said.Text, Start: said.Start, End: said.End, Citations: []runs.CitedByPassage{}}
	var passages []int
	for _, marker := range said.Markers[:min(len(said.Markers), measure.MaxCitations)] {
		valid := marker >= 1 && marker <= len(in.Context)
		out.Citations = append(out.Citations, runs.CitedByPassage{Marker: marker, Valid: valid})
		if valid && !slices.Contains(passages, marker-1) {
			passages = append(passages, marker-1)
		}
	}
	if len(passages) == 0 {
		no := false
		out.Supported = &no
		return out, nil
	}
	bears := func(some []int) (*bool, error) {
		if len(some) == 0 {
			no := false
			return &no, nil
		}
		yes, reason, err := a.bears(ctx, in, said.Text, some, into)
		if reason != "" {
			out.Reason = reason
		}
		return yes, err
	}
	var err error
	if out.Supported, err = bears(passages); err != nil || out.Supported == nil || !*out.Supported {
		return out, err
	}
	for i := range out.Citations {
		c := &out.Citations[i]
		if !c.Valid {
			continue
		}
		if len(passages) == 1 {
			c.Alone = out.Supported
			continue
		}
		if c.Alone, err = bears([]int{c.Marker - 1}); err != nil {
			return out, err
		}
		if c.Alone != nil && *c.Alone {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(passages), func(p int) bool { return p == c.Marker-1 })
		without, err := bears(others)
		if err != nil {
			return out, err
		}
		if without != nil {
			needed := !*without
			c.Needed = &needed
		}
	}
	return out, nil
}

// bears asks whether passages bear a sentence out; without a verdict there is a reason.
func (a *Assessor) bears(ctx context.Context, in Assessed, said string, passages []int, into *runs.Cited) (*bool, string, error) {
	context := make([]string, len(passages))
	for i, p := range passages {
		context[i] = in.Context[p]
	}
	found, err := a.llm.Statements(ctx, in.Question, context, []string{text.Uncited(said)})
	if err != nil {
		return nil, "", err
	}
	for _, c := range found.Calls {
		into.Calls = append(into.Calls, callOf(passages, Reply{Text: c.Reply, Reason: c.Reason}))
	}
	if len(found.Claims) != 1 {
		return nil, found.Reason, nil
	}
	c := found.Claims[0]
	yes := c.Verdict == rag.Supported
	switch c.Verdict {
	case rag.ClaimUnscored:
		return nil, c.Reason, nil
	case rag.Supported, rag.Contradicted, rag.Unverifiable, rag.Abstained:
	}
	return &yes, "", nil
}
