package dataset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
)

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestColumnsOfOtherNamesAreMapped(t *testing.T) {
	t.Parallel()
	table := file(t, "其它.csv", "\ufeff编号,提问,标准答案,来源文件,原文片段,备注\n1,\"牛丼多少钱？\n外带呢？\",三百九十元|四百元,店.md,牛丼三百九十元,x\n2,没有答案的问题,,,,\n")
	objects := file(t, "other.jsonl", `{"meta":{"a":[1,"x"]},"prompt":"牛丼多少钱？\n外带呢？","expected_output":["三百九十元","四百元"],"file":"店.md","evidence":"牛丼三百九十元","no":1}`+"\n")
	for path, want := range map[string]struct {
		columns   []string
		rows      int
		suggested map[string]string
	}{
		table: {[]string{"编号", "提问", "标准答案", "来源文件", "原文片段", "备注"}, 2,
			map[string]string{"query_id": "编号", "question": "提问", "answers": "标准答案", "doc": "来源文件", "quote": "原文片段"}},
		objects: {[]string{"meta", "prompt", "expected_output", "file", "evidence", "no"}, 1,
			map[string]string{"query_id": "no", "question": "prompt", "answers": "expected_output", "doc": "file", "quote": "evidence"}},
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			p, err := dataset.PreviewFile(t.Context(), path, 5, nil)
			if err != nil || len(p.Rows) != want.rows {
				t.Fatalf("%d rows, error %v", len(p.Rows), err)
			}
			if diff := cmp.Diff(want.columns, p.Columns); diff != "" {
				t.Error(diff)
			}
			suggested := dataset.SuggestColumns(p.Columns)
			if diff := cmp.Diff(want.suggested, suggested); diff != "" {
				t.Error(diff)
			}
			ds, problems, err := dataset.Read(t.Context(), path, dataset.Options{Columns: suggested})
			if err != nil || len(ds.Questions) != want.rows {
				t.Fatalf("%+v, problems %v, error %v", ds, problems, err)
			}
			q := ds.Questions[0]
			if q.ID != "1" || q.Text != "牛丼多少钱？\n外带呢？" || !cmp.Equal(q.Answers, []string{"三百九十元", "四百元"}) ||
				len(q.Gold) != 1 || q.Gold[0].Doc != "店.md" || q.Gold[0].Quote != "牛丼三百九十元" {
				t.Errorf("read %+v", q)
			}
		})
	}
}

func TestAColumnIsNotReadForTheFieldOfAnother(t *testing.T) {
	t.Parallel()
	path := file(t, "two.csv", "question,rewritten\nthe old one,the new one\n")
	ds, _, err := dataset.Read(t.Context(), path, dataset.Options{Columns: map[string]string{"question": "rewritten"}})
	if err != nil || ds.Questions[0].Text != "the new one" {
		t.Errorf("%+v %v", ds.Questions, err)
	}
	if err := dataset.CheckColumns(map[string]string{"questoin": "x"}); !fault.Is(err, "column_unknown") {
		t.Errorf("%v", err)
	}
	if p, err := dataset.PreviewFile(t.Context(), file(t, "empty.csv", ""), 3, nil); err != nil || len(p.Columns) > 0 {
		t.Errorf("an empty file: %+v %v", p, err)
	}
}
