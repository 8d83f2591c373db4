package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// A spreadsheet saves in the encoding of its system: the preview and the import read it
// and say which, and what is damaged is refused.
func TestQuestionsInOtherEncodings(t *testing.T) {
	t.Parallel()
	chinese := "问题,答案,doc\n员工每年有多少天的年假？,入职满一年的员工每年有五天年假，满十年的有十天。,handbook.md\n出差的住宿标准是多少？,一线城市每晚不超过五百元，其他城市三百元。,travel.md\n"
	for name, want := range map[string]struct {
		encoding encoding.Encoding
		text     string
		read     string
		question string
	}{
		"gbk.csv":     {simplifiedchinese.GBK, chinese, "GB18030", "员工每年有多少天的年假？"},
		"sjis.csv":    {japanese.ShiftJIS, "question,doc\n有給休暇は一年に何日ありますか。,規則.md\n出張の宿泊費はいくらまでですか。,規則.md\n", "Shift_JIS", "有給休暇は一年に何日ありますか。"},
		"utf16.tsv":   {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), strings.ReplaceAll(chinese, ",", "\t"), "UTF-16LE", "员工每年有多少天的年假？"},
		"utf16.jsonl": {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), `{"question":"How many days of leave are there in a year?","relevant_docs":["handbook.md"]}` + "\n", "UTF-16LE", "How many days of leave are there in a year?"},
		"utf16":       {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "question,doc\nHow many days?,handbook.md\n", "UTF-16BE", "How many days?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := service(t)
			content, err := want.encoding.NewEncoder().String(want.text)
			if err != nil {
				t.Fatal(err)
			}
			r := api.DatasetFileRequest{File: questionsFile(t, name, content), Name: "mine"}
			preview, err := s.PreviewDataset(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if r.Columns = preview.Suggested; len(preview.Columns) == 0 || strings.ContainsRune(strings.Join(preview.Columns, ""), '\uFFFD') {
				t.Errorf("columns %q", preview.Columns)
			}
			notice := api.Problem{Code: "read_as", Detail: want.read}
			report, err := s.ImportDataset(t.Context(), r)
			if err != nil || !slices.Contains(report.Notices, notice) || !slices.Contains(preview.Notices, notice) {
				t.Fatalf("preview %+v, import %+v, %v", preview.Notices, report, err)
			}
			kept, err := s.ExportDataset(t.Context(), api.DatasetRequest{Name: "mine"})
			if err != nil || !strings.Contains(kept.Content, want.question) {
				t.Errorf("%s %v", kept.Content, err)
			}
		})
	}
}

func TestDamagedQuestionsAreRefused(t *testing.T) {
	t.Parallel()
	s := service(t)
	file := questionsFile(t, "damaged.csv", "question,doc\n员工每年有多少天的年假？,handbook.md\n出差的住宿\xff标准是多少？,travel.md\n")
	_, err := s.ImportDataset(t.Context(), api.DatasetFileRequest{File: file, Name: "mine"})
	if !fault.Is(err, "dataset_invalid") || fault.Of(err).Params["problem"] != "not_utf8" || fault.Of(err).Params["line"] != "3" {
		t.Errorf("%v", err)
	}
}

// Characters lie across the windows that a file is looked through in.
func TestALongFileOfUTF8StaysUTF8(t *testing.T) {
	t.Parallel()
	s := service(t)
	line := "这一行很长吗？,手册.md\n"
	file := questionsFile(t, "long.csv", "question,doc\n"+strings.Repeat(line, 20_000))
	report, err := s.ValidateDataset(t.Context(), api.DatasetFileRequest{File: file})
	if err != nil || report.Questions != 20_000 || len(report.Problems) > 0 || len(report.Notices) > 0 {
		t.Errorf("%d questions, %v, %v, %v", report.Questions, report.Problems, report.Notices, err)
	}
}

func questionsFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
