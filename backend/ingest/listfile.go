package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// listed is one ready-made chunk of a chunk list.
type listed struct {
	ID       string `json:"chunk_id"`
	DocID    string `json:"doc_id"`
	Source   string `json:"source"`
	Span     *struct{ Start, End int }
	Text     *string `json:"text"`
	Metadata struct {
		Headings []string `json:"headings"`
	} `json:"metadata"`

	line int
}

// document is the id of the document that the chunk belongs to.
func (l listed) document() rag.DocumentID {
	if l.DocID == "" {
		return rag.DocumentID(l.ID)
	}
	return rag.DocumentID(l.DocID)
}

// lineError is a mistake on a line of a chunk list.
type lineError struct {
	line int
	what *fault.Error
}

func (b *lineError) Error() string { return fmt.Sprintf("line %d: %v", b.line, b.what) }

// readChunkList reads and checks a chunk list.
func readChunkList(path string) ([]listed, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, readFault(path, err)
	}
	list, err := parseChunkList(data)
	var bad *lineError
	if errors.As(err, &bad) {
		return nil, fault.Wrap(bad.what, "chunks_invalid", fault.P("file", path), fault.P("line", bad.line), fault.P("detail", bad.what.Code))
	}
	return list, err
}

// parseChunkList reads JSON Lines or a JSON array. Every error is a lineError.
func parseChunkList(data []byte) ([]listed, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if line := notUTF8(data); line > 0 { // which the decoder would replace without a word
		return nil, &lineError{line, fault.New("line_not_utf8")}
	}
	decode := decodeLines
	if trimmed := bytes.TrimLeftFunc(data, unicode.IsSpace); len(trimmed) > 0 && trimmed[0] == '[' {
		decode = decodeArray
	}
	list, err := decode(data)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, &lineError{1, fault.New("chunks_none")}
	}
	lines := make(map[string]int, len(list))
	for _, c := range list {
		switch first, twice := lines[c.ID]; {
		case c.ID == "":
			return nil, &lineError{c.line, fault.New("chunk_field_blank", fault.P("field", "chunk_id"))}
		case twice:
			return nil, &lineError{c.line, fault.New("chunk_id_twice", fault.P("chunk", c.ID), fault.P("first", first))}
		case c.Text == nil || strings.TrimSpace(*c.Text) == "":
			return nil, &lineError{c.line, fault.New("chunk_field_blank", fault.P("field", "text"))}
		}
		lines[c.ID] = c.line
	}
	return list, nil
}

// notUTF8 returns the first line with bytes that are not UTF-8, or 0.
func notUTF8(data []byte) int {
	line := 0
	for raw := range bytes.Lines(data) {
		line++
		if !utf8.Valid(raw) {
			return line
		}
	}
	return 0
}

func decodeLines(data []byte) (list []listed, err error) {
	line := 0
	for raw := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		var c listed
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, &lineError{line, fault.JSONLine(bytes.TrimRight(raw, "\r\n"), err)}
		}
		c.line = line
		list = append(list, c)
	}
	return list, nil
}

// decodeArray reads the elements of an array; an element's line is its first.
func decodeArray(data []byte) (list []listed, err error) {
	lineAt := func(offset int64) int { return 1 + bytes.Count(data[:offset], []byte{'\n'}) }
	if err := json.Unmarshal(data, new([]json.RawMessage)); err != nil {
		what := fault.JSON(data, err)
		line, _ := strconv.Atoi(cmp.Or(what.Params["line"], strconv.Itoa(lineAt(int64(len(data))))))
		return nil, &lineError{line, fault.JSONLine(data, err)}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil { // "[", as was seen above
		return nil, &lineError{1, fault.JSON(data, err)}
	}
	for dec.More() {
		before := data[dec.InputOffset():]
		start := dec.InputOffset() + int64(len(before)-len(bytes.TrimLeft(before, ", \t\r\n")))
		c := listed{line: lineAt(start)}
		if err := dec.Decode(&c); err != nil {
			return nil, &lineError{c.line, fault.JSONLine(data, err)}
		}
		list = append(list, c)
	}
	return list, nil
}
