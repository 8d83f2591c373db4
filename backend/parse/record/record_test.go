package record_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/record"
	"ragdesk/backend/rag"
)

// object makes an object of "name value" pairs.
func object(pairs ...string) record.Value {
	var members []record.Member
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, record.Member{Name: pairs[i], Value: record.Scalar(pairs[i+1])})
	}
	return record.Object(members...)
}

func write(t *testing.T, v record.Value) rag.Document {
	t.Helper()
	var b doctext.Builder
	record.Write(&b, v, 1)
	d, err := b.Document(rag.Input{Source: "a"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWrite(t *testing.T) {
	t.Parallel()
	long, words := strings.Repeat("长", 301), strings.TrimSpace(strings.Repeat("b ", 110))
	for name, c := range map[string]struct {
		v    record.Value
		want string
	}{
		"a text":         {record.Scalar("x\ny"), "x\ny"},
		"nothing":        {record.Object(), "{}"},
		"alike":          {record.Array(object("a", "1", "b", "2"), object("b", "3")), "| a | b |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |"},
		"unlike":         {record.Array(object("a", "1"), object("b", "2"), object("c", "3")), "a: 1\n\nb: 2\n\nc: 3"},
		"a long cell":    {record.Array(object("a", long), object("a", "2")), "a: " + long + "\n\na: 2"},
		"a name twice":   {record.Array(object("a", "1", "a", "2"), object("a", "3")), "a: 1\na: 2\n\na: 3"},
		"without a name": {record.Array(object("a", "1", "", "x"), object("a", "2", "", "y")), "| a |  |\n| --- | --- |\n| 1 | x |\n| 2 | y |"},
		"texts":          {record.Object(record.Member{Name: "a", Value: record.Array(record.Scalar(long), record.Scalar("b"))}), "# a\n\n" + long + "\n\nb"},
		"words": {
			record.Object(record.Member{Name: "a", Value: record.Array(record.Scalar(words), record.Scalar("c"))}),
			"# a\n\n- " + words + "\n- c",
		},
		"a ragged matrix":  {record.Array(record.Array(record.Scalar("1")), record.Array(record.Scalar("2"), record.Scalar("3"))), "|  |  |\n| --- | --- |\n| 1 |  |\n| 2 | 3 |"},
		"records by title": {record.Array(section("甲", long), section("乙", long)), "# 甲\n\nname: 甲\n\n## x\n\ny: " + long + "\n\nz: " + long + "\n\n# 乙\n\nname: 乙\n\n## x\n\ny: " + long + "\n\nz: " + long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, write(t, c.v).Text); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// section is a record too large for lines and too deep for a table.
func section(name, long string) record.Value {
	return record.Object(
		record.Member{Name: "name", Value: record.Scalar(name)},
		record.Member{Name: "x", Value: record.Array(object("y", long), object("z", long))},
	)
}

func TestPicturesAreCounted(t *testing.T) {
	t.Parallel()
	const picture = "data:image/png;base64,AAAA"
	for name, v := range map[string]record.Value{
		"a value":   object("a", picture),
		"in a list": record.Object(record.Member{Name: "a", Value: record.Array(record.Scalar(picture), record.Scalar(strings.Repeat("x", 250)))}),
		"alike":     record.Array(object("a", picture), object("a", "b")),
	} {
		if d := write(t, v); d.Health.Images != 1 || strings.Contains(d.Text, "AAAA") || !strings.Contains(d.Text, "[image/png]") {
			t.Errorf("%s: %d pictures in %q", name, d.Health.Images, d.Text)
		}
	}
}

func TestRowsAreCountedOnce(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]record.Value{
		"table": record.Array(object("a", "1"), object("a", "2")), "records": record.Array(object("a", "1"), object("b", "2"), object("c", "3")),
	} {
		if d := write(t, v); d.Health.RowsRead != len(v.Members) || d.Health.RowsKept != len(v.Members) {
			t.Errorf("%s: %+v", name, d.Health)
		}
	}
}
