package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"ragdesk/backend/fault"
)

// Fields are what a column of a file can be read as: the keys of a question, and doc,
// quote, start, end and grade for one gold passage with columns of its own.
func Fields() []string {
	return []string{"question", "query_id", "type", "lang", "answers", "key_points", "gold", "doc", "quote", "start", "end", "grade", "variant_of", "source", "contexts"}
}

// otherNames are what people call the fields, beside the names that are read without
// a mapping; folded as by foldName.
func otherNames() map[string][]string {
	return map[string][]string{
		"question":   {"query", "userinput", "prompt", "q", "input", "querytext", "userquery", "questiontext", "问题", "提问", "查询", "用户问题", "题目", "问句"},
		"query_id":   {"id", "qid", "questionid", "no", "编号", "序号", "问题编号", "题号"},
		"type":       {"questiontype", "category", "kind", "类型", "题型", "问题类型", "分类"},
		"lang":       {"language", "语言", "语种"},
		"answers":    {"answer", "groundtruth", "groundtruths", "reference", "referenceanswer", "expected", "expectedanswer", "expectedoutput", "output", "答案", "参考答案", "标准答案", "回答", "正确答案"},
		"key_points": {"keypoint", "points", "facts", "关键点", "要点", "关键覆盖点", "关键信息"},
		"gold":       {"relevantchunks", "relevantids", "relevantdocs", "relevantdocids", "relevantchunkids", "相关文档", "相关片段"},
		"doc":        {"docid", "chunkid", "document", "documentid", "docname", "file", "filename", "sourcefile", "文档", "文件", "文件名", "来源文件", "文档名", "出处"},
		"quote":      {"passage", "evidence", "excerpt", "span", "context", "引文", "原文", "片段", "证据", "原文片段"},
		"start":      {"startchar", "startoffset", "answerstart", "begin", "起始", "开始位置"},
		"end":        {"endchar", "endoffset", "结束", "结束位置"},
		"grade":      {"relevance", "score", "rel", "等级", "相关度", "相关性", "评分"},
		"variant_of": {"variant", "变体", "改写自"},
		"source":     {"origin", "来源"},
		"contexts":   {"retrievedcontexts", "上下文", "检索结果"},
	}
}

// foldName makes spellings of a name equal: case, blanks and signs do not count.
func foldName(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}

// SuggestColumns guesses which column holds which field, each column once.
func SuggestColumns(columns []string) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	take := func(field string, names ...string) {
		for _, name := range names {
			for _, c := range columns {
				if out[field] == "" && !taken[c] && foldName(c) == foldName(name) {
					out[field], taken[c] = c, true
				}
			}
		}
	}
	for _, f := range Fields() { // its own name comes before any other
		take(f, f)
	}
	names := otherNames()
	for _, f := range Fields() {
		take(f, names[f]...)
	}
	return out
}

// CheckColumns reports the first field that is none, with code "column_unknown"
// {field, known}.
func CheckColumns(columns map[string]string) error {
	for _, field := range slices.Sorted(maps.Keys(columns)) {
		if !slices.Contains(Fields(), field) {
			return fault.New("column_unknown", fault.P("field", field), fault.P("known", strings.Join(Fields(), ", ")))
		}
	}
	return nil
}

// renamed gives fields the names that columns maps them to.
func (f fields) renamed(columns map[string]string) fields {
	if len(columns) == 0 {
		return f
	}
	out := maps.Clone(f)
	for _, column := range columns {
		delete(out, column)
	}
	for field, column := range columns {
		if raw, ok := f[column]; ok {
			out[field] = raw
		}
	}
	return out
}

// renamedColumns does so with the header of a table.
func renamedColumns(header []string, columns map[string]string) []string {
	if len(columns) == 0 {
		return header
	}
	out := slices.Clone(header)
	for i, name := range header {
		for field, column := range columns {
			switch {
			case strings.ToLower(strings.TrimSpace(column)) == name:
				out[i] = field
			case field == name:
				out[i] = "\x00" + name // another column has its field
			}
		}
	}
	return out
}

// Preview is how a file of questions begins.
type Preview struct {
	Format Format
	// Columns are the names of a table's columns or of the keys of JSON objects, in the
	// order they come; none for what has a fixed form.
	Columns []string
	// Rows are the first, a cell a column.
	Rows [][]string
}

// PreviewFile reads the first n rows of a file. A folder has none. decode and the
// faults are those of Read.
func PreviewFile(ctx context.Context, path string, n int, decode Decode) (Preview, error) {
	var out Preview
	in := files{decode: decode}
	err := in.open(path, func(f io.Reader) (err error) {
		if out.Format, err = in.formatOf(path); err != nil {
			return err
		}
		if out.Format == FormatTREC && isTSV(path) {
			out.Format = FormatTSV // with columns of other names, perhaps
		}
		switch out.Format {
		case FormatCSV:
			return out.table(f, ',', n)
		case FormatTSV:
			return out.table(f, '\t', n)
		case FormatJSON:
			return out.objects(ctx, f, n)
		case FormatTREC:
		}
		return nil
	})
	return out, err
}

func (p *Preview) table(in io.Reader, comma rune, n int) error {
	head := withoutBOM(in)
	rows := csv.NewReader(head)
	rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = delimiter(head, comma), -1, true
	for len(p.Rows) < n {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			continue // which Read notes, by its line
		}
		if err != nil {
			return err
		}
		for i, cell := range row {
			row[i] = shortened(strings.ToValidUTF8(strings.TrimSpace(cell), "\uFFFD"))
		}
		if p.Columns == nil {
			p.Columns = row
			continue
		}
		p.Rows = append(p.Rows, slices.Concat(row, make([]string, max(0, len(p.Columns)-len(row))))[:len(p.Columns)])
	}
	return nil
}

// errEnough ends a reading before the end.
var errEnough = errors.New("enough")

func (p *Preview) objects(ctx context.Context, in io.Reader, n int) error {
	var objects []fields
	err := scanRecords(ctx, in, func(rec record) error {
		d := decoder{line: rec.line}
		if f, ok := d.object(rec.raw); ok && rec.problem == "" {
			objects = append(objects, f)
			for _, key := range keysOf(rec.raw) {
				if !slices.Contains(p.Columns, key) {
					p.Columns = append(p.Columns, key)
				}
			}
		}
		if len(objects) == n {
			return errEnough
		}
		return nil
	})
	for _, f := range objects {
		row := make([]string, len(p.Columns))
		for i, key := range p.Columns {
			if s, ok := scalar(f[key]); ok {
				row[i] = shortened(s)
			} else {
				row[i] = shortened(string(bytes.TrimSpace(f[key])))
			}
		}
		p.Rows = append(p.Rows, row)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// keysOf are the keys of an object in the order they are written.
func keysOf(raw []byte) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var keys []string
	depth, key := 0, false
	for {
		t, err := dec.Token()
		if err != nil {
			return keys
		}
		switch v := t.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
		case string:
			if depth == 1 && key {
				keys, key = append(keys, v), false
				continue
			}
			key = depth == 1
		default:
			key = depth == 1
		}
	}
}
