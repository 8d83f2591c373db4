// Package i18n holds the words of ragdesk in Chinese and English, shared with
// the page.
//
// A text is looked up by language and key; {name} in it stands for a parameter.
// Faults have the keys "error.<code>", warnings "notice.<code>".
package i18n

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// Languages of the catalogues; the first is the default.
const (
	English = "en"
	Chinese = "zh"
)

//go:embed locales/en.json locales/zh.json
var files embed.FS

// catalogues flattens both files into "a.b.c" → text on first use.
var catalogues = sync.OnceValue(func() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, lang := range []string{English, Chinese} {
		raw, err := files.ReadFile("locales/" + lang + ".json")
		if err != nil {
			panic("i18n: " + err.Error()) // embedded: only a broken build gets here
		}
		var tree map[string]any
		if err := json.Unmarshal(raw, &tree); err != nil {
			panic("i18n: " + lang + ": " + err.Error())
		}
		flat := map[string]string{}
		flatten("", tree, flat)
		out[lang] = flat
	}
	return out
})

func flatten(prefix string, tree map[string]any, into map[string]string) {
	for k, v := range tree {
		switch v := v.(type) {
		case string:
			into[prefix+k] = v
		case map[string]any:
			flatten(prefix+k+".", v, into)
		}
	}
}

// Keys returns the texts of a language by key.
func Keys(lang string) map[string]string { return catalogues()[lang] }

// Text returns the text of key in lang with its parameters filled in; English
// where lang lacks it, and the key itself where both do. Braces in a parameter's
// value are left as they are.
func Text(lang, key string, params ...fault.Param) string {
	t, ok := catalogues()[lang][key]
	if !ok {
		if t, ok = catalogues()[English][key]; !ok {
			return key
		}
	}
	pairs := make([]string, 0, 2*len(params))
	for _, p := range params {
		pairs = append(pairs, "{"+p.Key+"}", p.Value)
	}
	return strings.NewReplacer(pairs...).Replace(t)
}

// ErrorBody renders err for a reader of lang. A parameter that holds the code of a fault
// among the causes, such as "json_syntax", is worded as that fault; in the message so is
// "problem", which holds the code of a dataset's problem.
func ErrorBody(lang string, err error) api.ErrorBody {
	f := fault.Of(err)
	values := make(map[string]string, len(f.Params))
	params := make([]fault.Param, 0, len(f.Params))
	for k, v := range f.Params {
		if cause := causeOf(f, v); cause != nil {
			v = ErrorBody(lang, cause).Message
		}
		values[k] = v
		if problem := "cli.problem." + v; k == "problem" && catalogues()[lang][problem] != "" {
			v = Text(lang, problem)
		}
		params = append(params, fault.P(k, v))
	}
	message := Text(lang, "error."+f.Code, params...)
	if message == "error."+f.Code {
		message = fmt.Sprintf("%s: %v", f.Code, err)
	}
	return api.ErrorBody{Code: f.Code, Message: message, Params: values}
}

// causeOf is the fault with a code among the causes of f, nil for none.
func causeOf(f *fault.Error, code string) *fault.Error {
	for err := f.Err; ; {
		var cause *fault.Error
		if !errors.As(err, &cause) {
			return nil
		}
		if cause.Code == code {
			return cause
		}
		err = cause.Err
	}
}

// FromEnvironment chooses the language of the terminal: Chinese when LC_ALL,
// LC_MESSAGES or LANG, the first of them that is set, begins with zh.
func FromEnvironment() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := os.Getenv(name); v != "" {
			if strings.HasPrefix(strings.ToLower(v), "zh") {
				return Chinese
			}
			return English
		}
	}
	return English
}
