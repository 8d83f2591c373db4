package report

import (
	_ "embed" // words.json
	"encoding/json"
	"html/template"
	"strings"
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Languages of a report.
const (
	English = "en"
	Chinese = "zh"
)

//go:embed words.json
var wordsJSON []byte

// words is the catalogue: English and Chinese by key.
var words = sync.OnceValue(func() map[string][2]string {
	var out map[string][2]string
	if err := json.Unmarshal(wordsJSON, &out); err != nil {
		panic("report: words: " + err.Error()) // embedded: only a broken build gets here
	}
	return out
})

// text is a phrase in both languages.
type text struct{ en, zh string }

// in returns the phrase in one language.
func (t text) in(lang string) string {
	if lang == Chinese {
		return t.zh
	}
	return t.en
}

// HTML shows the phrase in the language that is switched on. A phrase that is the
// same in both is there once.
func (t text) HTML() template.HTML {
	if t.en == t.zh {
		return template.HTML(template.HTMLEscapeString(t.en)) // #nosec G203 -- escaped
	}
	return template.HTML(`<span class="en" lang="en">` + template.HTMLEscapeString(t.en) + // #nosec G203 -- escaped
		`</span><span class="zh" lang="zh-CN">` + template.HTMLEscapeString(t.zh) + `</span>`)
}

// plain is a phrase without language, such as a name.
func plain(s string) text { return text{s, s} }

// word looks a phrase up and fills in its parameters; a key that is not there
// stands for itself.
func word(key string, params ...fault.Param) text {
	w, ok := words()[key]
	if !ok {
		return plain(key)
	}
	values := make(map[string]text, len(params))
	for _, p := range params {
		values[p.Key] = plain(p.Value)
	}
	return text{w[0], w[1]}.fill(values)
}

// fill puts phrases in the place of parameters, all at once, so that braces in a
// value stay what they are.
func (t text) fill(values map[string]text) text {
	var en, zh []string
	for key, v := range values {
		en, zh = append(en, "{"+key+"}", v.en), append(zh, "{"+key+"}", v.zh)
	}
	return text{strings.NewReplacer(en...).Replace(t.en), strings.NewReplacer(zh...).Replace(t.zh)}
}

// wordOr looks up a word of an open list; what the catalogue lacks stands for
// itself.
func wordOr(prefix, name string) text {
	if _, ok := words()[prefix+name]; ok {
		return word(prefix + name)
	}
	return plain(name)
}

// Advice returns a piece of advice as a sentence in a language, with what to do.
func Advice(lang string, a runs.Advice) string { return advice(a).in(lang) }

// advice is the sentence in both languages. Values that are words themselves are
// translated too.
func advice(a runs.Advice) text {
	values := make(map[string]text, len(a.Params))
	for key, value := range a.Params {
		values[key] = adviceValue(key, value)
	}
	return word("advice." + a.Code).fill(values)
}

func adviceValue(key, value string) text {
	switch key {
	case "diff":
		if rest, negative := strings.CutPrefix(value, "-"); negative {
			return plain(minus + rest)
		}
	case "verdict":
		return wordOr("verdict.", value)
	case "variables":
		return translated(value, func(name string) text { return wordOr("var.", name) })
	case "types":
		return translated(value, func(item string) text {
			name, rest, _ := strings.Cut(item, " ")
			t := wordOr("type.", name)
			return text{t.en + " " + rest, t.zh + " " + rest}
		})
	}
	return plain(value)
}

// translated translates the items of a list that is joined by commas.
func translated(list string, item func(string) text) text {
	var en, zh []string
	for _, s := range strings.Split(list, ", ") {
		t := item(s)
		en, zh = append(en, t.en), append(zh, t.zh)
	}
	comma := word("comma")
	return text{strings.Join(en, comma.en), strings.Join(zh, comma.zh)}
}
