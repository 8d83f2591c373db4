package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/rag"
)

const (
	// maxItemLine bounds a line of an items file, in bytes.
	maxItemLine = 64 << 20
	// shownLines bounds the lines that an error lists.
	shownLines = 100
)

// withFile adds the items of a file, if one is named. The fault "argument_missing" means that
// there are neither items nor a file.
func withFile(ctx context.Context, items []api.VerifyItem, path string) ([]api.VerifyItem, error) {
	if path == "" {
		if len(items) == 0 {
			return nil, fault.New("argument_missing", fault.P("argument", "ITEMS.jsonl"))
		}
		return items, nil
	}
	read, err := readItems(ctx, path)
	return append(items, read...), err
}

// readItems reads a file of items, one a line. Lines that are none are the fault
// "items_invalid" {path, line, detail, lines, problems}: the first, how many there are, and
// each with its number.
func readItems(ctx context.Context, path string) ([]api.VerifyItem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, "not_found", fault.P("path", path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	r := itemReader{say: itemSayer(ctx), lines: map[string]int{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxItemLine)
	for lines.Scan() {
		r.line(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		r.n++
		r.wrong(r.say("long", fault.P("most", maxItemLine>>20)))
	}
	if len(r.items) == 0 && r.count == 0 {
		return nil, fault.New("items_empty", fault.P("path", path))
	}
	if r.count > 0 {
		if r.count > len(r.problems) {
			r.problems = append(r.problems, "…")
		}
		return nil, fault.New("items_invalid", fault.P("path", path), fault.P("line", r.first), fault.P("detail", r.detail),
			fault.P("lines", r.count), fault.P("problems", strings.Join(r.problems, "; ")))
	}
	return r.items, nil
}

// sayer words what is wrong with a line.
type sayer func(key string, params ...fault.Param) string

// itemSayer words it in the language of ctx.
func itemSayer(ctx context.Context) sayer {
	lang := i18n.Language(ctx)
	return func(key string, params ...fault.Param) string { return i18n.Text(lang, "items."+key, params...) }
}

// jsonColumn is the byte of a line, from 1, at which it stops being JSON; 1 for JSON of
// another kind.
func jsonColumn(err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return max(syntax.Offset, 1)
	}
	return 1
}

// itemReader reads items line by line, and gathers what is wrong with them.
type itemReader struct {
	say   sayer
	items []api.VerifyItem
	// n is the line's number, lines those of the ids.
	n     int
	lines map[string]int
	// count is how many lines are wrong, first the first one and detail what is wrong with
	// it.
	count, first int
	detail       string
	problems     []string
}

func (r *itemReader) wrong(detail string) {
	if r.count == 0 {
		r.first, r.detail = r.n, detail
	}
	if r.count++; len(r.problems) < shownLines {
		r.problems = append(r.problems, fmt.Sprintf("%d: %s", r.n, detail))
	}
}

func (r *itemReader) line(raw []byte) {
	r.n++
	raw = bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("\xef\xbb\xbf"))
	if len(raw) == 0 {
		return
	}
	item, detail := readItem(raw, r.say)
	item.ID = cmp.Or(item.ID, strconv.Itoa(r.n))
	if before, twice := r.lines[item.ID]; twice && detail == "" {
		detail = r.say("twice", fault.P("id", item.ID), fault.P("line", before))
	}
	if detail != "" {
		r.wrong(detail)
		return
	}
	r.lines[item.ID] = r.n
	r.items = append(r.items, item)
}

// itemKeys are the keys of an item; others may stand beside them, as data sets have more.
var itemKeys = []string{"id", "question", "context", "contexts", "answer", "label"}

// readItem reads one line; detail says what is wrong with it. A context that is one text
// is a list of one.
func readItem(line []byte, say sayer) (item api.VerifyItem, detail string) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil {
		return item, say("json", fault.P("column", jsonColumn(err)))
	}
	for key := range raw {
		if low := strings.ToLower(key); low != key && slices.Contains(itemKeys, low) {
			return item, say("key", fault.P("key", key), fault.P("write", low))
		}
	}
	for _, field := range []struct {
		key string
		out any
	}{{"question", &item.Question}, {"answer", &item.Answer}, {"label", &item.Label}} {
		if value := raw[field.key]; value != nil && json.Unmarshal(value, field.out) != nil {
			return item, say("text", fault.P("key", field.key))
		}
	}
	if answer := raw["answer"]; answer == nil || string(answer) == "null" {
		return item, say("answer")
	}
	if item.Label != nil && *item.Label != string(rag.Faithful) && *item.Label != string(rag.Hallucinated) {
		return item, say("label", fault.P("label", *item.Label))
	}
	if item.ID, detail = plainID(raw["id"], say); detail != "" {
		return item, detail
	}
	item.Context, detail = contextOf(raw, say)
	return item, detail
}

// contextOf reads the passages of a line.
func contextOf(raw map[string]json.RawMessage, say sayer) (context []string, detail string) {
	context = []string{}
	value, ok := raw["context"]
	other, twice := raw["contexts"]
	switch {
	case ok && twice:
		return context, say("contexts")
	case !ok && !twice:
		return context, say("context", fault.P("keys", strings.Join(slices.Sorted(maps.Keys(raw)), ", ")))
	case !ok:
		value = other
	}
	var one string
	if json.Unmarshal(value, &one) == nil && string(value) != "null" {
		return []string{one}, ""
	}
	var list []*string
	if err := json.Unmarshal(value, &list); err != nil || string(value) == "null" {
		return context, say("list", fault.P("key", "context"))
	}
	for i, text := range list {
		if text == nil {
			return context, say("null", fault.P("n", i+1))
		}
		context = append(context, *text)
	}
	return context, ""
}

// plainID reads an id that is a text or a number.
func plainID(raw json.RawMessage, say sayer) (id, detail string) {
	if raw == nil || string(raw) == "null" {
		return "", ""
	}
	if json.Unmarshal(raw, &id) == nil {
		return id, ""
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String(), ""
	}
	return "", say("id", fault.P("key", "id"))
}
