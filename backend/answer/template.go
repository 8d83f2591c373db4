package answer

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"ragdesk/backend/fault"
)

// Kind says what a template is for.
type Kind string

// The kinds.
const (
	// KindGrounded is an answer from the passages, for models that chat.
	KindGrounded Kind = "grounded"
	// KindCompletion is the same for base models, which go on with a text.
	KindCompletion Kind = "completion"
	// KindCondense makes one question of a conversation and a follow-up.
	KindCondense Kind = "condense"
	// KindMultiQuery asks for the question in other words.
	KindMultiQuery Kind = "multi-query"
	// KindHyDE asks for a passage that would answer (Gao, Ma, Lin and Callan, 2023).
	KindHyDE Kind = "hyde"
	// KindVerdicts asks a judge whether the passages bear claims out.
	KindVerdicts Kind = "verdicts"
	// KindRubric asks a judge to mark an answer.
	KindRubric Kind = "rubric"
	// KindRubricPair asks a judge to mark two answers side by side, which only the probe
	// of positions does.
	KindRubricPair Kind = "rubric-pair"
	// KindUseful asks a judge which passages are of use for a reference answer.
	KindUseful Kind = "useful"
	// KindAskedBack asks a judge for the questions that an answer would answer.
	KindAskedBack Kind = "asked-back"
)

// needed are the placeholders that a kind's template must have, allowed those that it
// may have besides.
var needed = map[Kind][]string{
	KindGrounded: {"passages", "question"}, KindCompletion: {"passages", "question"},
	KindCondense: {"history", "question"}, KindMultiQuery: {"question"}, KindHyDE: {"question"},
	KindVerdicts: {"passages", "claims"},
	KindRubric:   {"passages", "question", "answer"}, KindRubricPair: {"passages", "question", "first", "second"},
	KindUseful: {"passages", "question", "reference"}, KindAskedBack: {"answer"},
}

var allowed = map[Kind][]string{KindGrounded: {"refusal"}, KindCompletion: {"refusal"}, KindVerdicts: {"question", "count"}, KindRubric: {"example"}, KindUseful: {"count"}, KindAskedBack: {"count"}}

// Kinds lists the kinds in the order of their use.
func Kinds() []Kind {
	return []Kind{KindGrounded, KindCompletion, KindCondense, KindMultiQuery, KindHyDE, KindVerdicts, KindRubric, KindRubricPair, KindUseful, KindAskedBack}
}

// Template is the wording of a prompt. Build it with ParseTemplate or Builtin.
type Template struct {
	Kind Kind
	// Lang is "zh" or "en".
	Lang string
	// Text is the wording with its placeholders, "{passages}" and the like.
	Text string
}

//go:embed prompts/*.txt
var builtin embed.FS

// Builtin is the program's own template; a language other than "zh" is English.
func Builtin(kind Kind, lang string) Template {
	lang = promptLang(lang)
	raw, err := builtin.ReadFile("prompts/" + string(kind) + "." + lang + ".txt")
	if err != nil { // a test reads them all
		panic("answer: no prompt " + string(kind) + "." + lang)
	}
	return Template{kind, lang, strings.TrimSuffix(string(raw), "\n")}
}

func promptLang(lang string) string {
	if lang == "zh" {
		return "zh"
	}
	return "en"
}

// Name is the template's name, such as "grounded.zh".
func (t Template) Name() string { return string(t.Kind) + "." + t.Lang }

// Fingerprint changes with the wording, and with how passages are set in it.
func (t Template) Fingerprint() string {
	sum := sha256.Sum256([]byte(setting + "\n" + t.Name() + "\n" + t.Text))
	return hex.EncodeToString(sum[:8])
}

// Placeholders are those that the template of a kind must have.
func Placeholders(kind Kind) []string { return slices.Clone(needed[kind]) }

// ParseName reads the name of a template; its fault is "prompt_unknown" {prompt, known}.
func ParseName(name string) (Kind, string, error) {
	kind, lang, _ := strings.Cut(name, ".")
	if _, ok := needed[Kind(kind)]; ok && (lang == "zh" || lang == "en") {
		return Kind(kind), lang, nil
	}
	return "", "", fault.New("prompt_unknown", fault.P("prompt", name), fault.P("known", strings.Join(Names(), ", ")))
}

// Names lists the names of all templates.
func Names() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k)+".zh", string(k)+".en")
	}
	return names
}

// placeholder finds what may be one; other braces are text.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// ParseTemplate checks a wording. Faults: "prompt_unknown" for its name,
// "prompt_placeholder_missing" {prompt, placeholder}, "prompt_placeholder_unknown"
// {prompt, placeholder, known}, "prompt_passages_twice" {prompt, passages} and "prompt_encoding"
// {prompt} for bytes that are no UTF-8.
func ParseTemplate(name, wording string) (Template, error) {
	kind, lang, err := ParseName(name)
	if err != nil {
		return Template{}, err
	}
	prompt := fault.P("prompt", name)
	if strings.ToValidUTF8(wording, "") != wording {
		return Template{}, fault.New("prompt_encoding", prompt)
	}
	known := slices.Concat(needed[kind], allowed[kind])
	count := map[string]int{}
	for _, found := range placeholder.FindAllString(wording, -1) {
		word := strings.Trim(found, "{}")
		if !slices.Contains(known, word) {
			return Template{}, fault.New("prompt_placeholder_unknown", prompt, fault.P("placeholder", found),
				fault.P("known", "{"+strings.Join(known, "}, {")+"}"))
		}
		count[word]++
	}
	for _, word := range needed[kind] {
		if count[word] == 0 {
			return Template{}, fault.New("prompt_placeholder_missing", prompt, fault.P("placeholder", "{"+word+"}"))
		}
	}
	if count["passages"] > 1 {
		return Template{}, fault.New("prompt_passages_twice", prompt, fault.P("passages", "{passages}"))
	}
	return Template{kind, lang, wording}, nil
}

// fill puts values in the places of a template in one pass, so that what looks like a
// placeholder in a value stays as it is.
func (t Template) fill(values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(t.Text, func(found string) string {
		if found == "{refusal}" {
			return Refusal(t.Lang)
		}
		return values[strings.Trim(found, "{}")]
	})
}

// Turn is a question of a conversation with its answer.
type Turn struct{ Question, Answer string }

// Rewrite is the prompt of a template that has no passages: the condensed question,
// other words, or a passage that would answer.
func (t Template) Rewrite(question string, history []Turn) string {
	said, replied := "Question: ", "Answer: "
	if t.Lang == "zh" {
		said, replied = "问题：", "回答："
	}
	turns := make([]string, len(history))
	for i, h := range history {
		turns[i] = said + h.Question + "\n" + replied + h.Answer
	}
	return t.fill(map[string]string{"question": question, "history": strings.Join(turns, "\n")})
}

// Prompts are templates by kind and language; what is not set is built in.
type Prompts map[string]Template

// Get returns the template of a kind in a language.
func (p Prompts) Get(kind Kind, lang string) Template {
	own := Builtin(kind, lang)
	return cmp.Or(p[own.Name()], own)
}

// Fingerprint is that of the templates that answers are made with.
func (p Prompts) Fingerprint() string {
	h := sha256.New()
	for _, kind := range []Kind{KindGrounded, KindCompletion} {
		for _, lang := range []string{"zh", "en"} {
			h.Write([]byte(p.Get(kind, lang).Fingerprint()))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
