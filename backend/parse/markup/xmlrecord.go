package markup

import (
	"strings"

	"ragdesk/backend/parse/record"
	"ragdesk/backend/text"
)

// recordOf returns an element as data: its attributes and children by name,
// children of one name as an array, and what it says itself without a name.
func recordOf(e *element) record.Value {
	var members []record.Member
	for _, a := range e.attrs {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" || a.Name.Local == "schemaLocation" {
			continue
		}
		members = append(members, record.Member{Name: a.Name.Local, Value: record.Scalar(a.Value)})
	}
	if !e.elements() || e.words() {
		s := e.flowed()
		if len(members) == 0 {
			return record.Scalar(s)
		}
		if s != "" {
			members = append(members, record.Member{Value: record.Scalar(s)})
		}
		return record.Object(members...)
	}
	at := map[string]int{}
	var grouped [][]record.Value
	var names []string
	for _, k := range e.kids {
		if k.name == "" {
			continue
		}
		i, ok := at[k.name]
		if !ok {
			i = len(names)
			at[k.name] = i
			names, grouped = append(names, k.name), append(grouped, nil)
		}
		grouped[i] = append(grouped[i], recordOf(k))
	}
	for i, name := range names {
		v := grouped[i][0]
		if len(grouped[i]) > 1 {
			v = record.Array(grouped[i]...)
		}
		members = append(members, record.Member{Name: name, Value: v})
	}
	return record.Object(members...)
}

// property returns the first element of a property list as data.
func property(kids []*element) record.Value {
	for _, e := range kids {
		switch e.name {
		case "":
		case "dict":
			var members []record.Member
			name := ""
			for _, k := range e.kids {
				switch k.name {
				case "":
				case "key":
					name = k.flowed()
				default:
					members = append(members, record.Member{Name: name, Value: property([]*element{k})})
				}
			}
			return record.Object(members...)
		case "array":
			var values []record.Value
			for _, k := range e.kids {
				if k.name != "" {
					values = append(values, property([]*element{k}))
				}
			}
			return record.Array(values...)
		case "true", "false":
			return record.Scalar(e.name)
		default:
			return record.Scalar(strings.TrimSpace(e.all()))
		}
	}
	return record.Object()
}

// proseNames are elements of running text in the vocabularies for books,
// articles, letters and legal texts.
const proseNames = " p para simpara formalpara title head ab lg l v sp stage "

// isProse reports whether most of a document's text is running text: in elements
// that are named so, or that mix words and elements.
func isProse(root *element) bool {
	var prose, all int
	var walk func(e *element, in bool)
	walk = func(e *element, in bool) {
		if e.name == "" {
			n := len(e.text)
			if text.IsBlank(e.text) {
				return
			}
			all += n
			if in {
				prose += n
			}
			return
		}
		in = in || e.is(proseNames) || e.elements() && e.words()
		for _, k := range e.kids {
			walk(k, in)
		}
	}
	walk(root, false)
	return 2*prose > all
}
