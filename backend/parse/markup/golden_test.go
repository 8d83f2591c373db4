package markup_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files anew")

func TestARichPage(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/rich.html")
	if err != nil {
		t.Fatal(err)
	}
	d := parseHTML(t, "rich.html", string(b))
	got := d.Text + "\n\n" + warnings(d) + "\n"
	const golden = "testdata/rich.html.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
	if d.Health.Images != 2 || d.Health.Tables != 1 || d.Title != "员工手册 - 示例公司" || strings.Contains(got, "不是文字") {
		t.Errorf("title %q, %+v", d.Title, d.Health)
	}
}
