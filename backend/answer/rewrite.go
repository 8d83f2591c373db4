package answer

import (
	"context"
	"regexp"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// maxQueries is how many rewritten questions are taken from a reply.
const maxQueries = 3

// rewriteTokens bounds what a model writes for a search, by kind.
var rewriteTokens = map[Kind]int{KindCondense: 160, KindMultiQuery: 256, KindHyDE: 320}

// Rewritten is what a model made of a question for a search.
type Rewritten struct {
	Template Template
	// Texts are the rewritten questions, the one condensed question, or the one
	// passage that would answer.
	Texts []string
	// Prompt is what was sent, Reply what came back.
	Prompt string
	Reply  rag.Generation
}

// RewriteBy asks a model to rewrite a question, with seed 0 and temperature 0. A reply
// of which nothing can be used is the fault "llm_reply_invalid" {detail}.
func RewriteBy(ctx context.Context, model rag.Generator, chat bool, t Template, question string, history []Turn) (Rewritten, error) {
	out := Rewritten{Template: t, Prompt: t.Rewrite(question, history)}
	r := rag.GenerateRequest{Options: rag.GenerateOptions{MaxTokens: rewriteTokens[t.Kind]}}
	if chat {
		r.Messages = []rag.Message{{Role: "user", Content: out.Prompt}}
	} else {
		r.Prompt, r.Raw, r.Options.Stop = out.Prompt, true, []string{"\n\n"}
	}
	var err error
	if out.Reply, err = model.Generate(ctx, r, nil); err != nil {
		return Rewritten{}, err
	}
	if out.Texts = usable(t.Kind, question, out.Reply.Text); len(out.Texts) == 0 {
		return Rewritten{}, fault.New("llm_reply_invalid", fault.P("detail", string(t.Kind)+": nothing to search with"))
	}
	return out, nil
}

// listMark is what a model puts before the items of a list.
var listMark = regexp.MustCompile(`^[\s>*+•·-]*(?:\(?\p{Nd}{1,2}[.)、．）:：]\s*)?`)

// usable takes from a reply what can be searched with.
func usable(kind Kind, question, reply string) []string {
	reply = strings.TrimSpace(reply)
	if kind == KindHyDE {
		if text.IsBlank(reply) {
			return nil
		}
		return []string{reply}
	}
	most := maxQueries
	seen := map[string]bool{text.Letters(question): kind == KindMultiQuery, "": true}
	if kind == KindCondense {
		most = 1
	}
	var out []string
	for line := range strings.SplitSeq(reply, "\n") {
		line = strings.Trim(strings.TrimSpace(line[len(listMark.FindString(line)):]), `"“”「」`)
		if key := text.Letters(line); len(out) < most && !seen[key] {
			seen[key] = true
			out = append(out, line)
		}
	}
	return out
}
