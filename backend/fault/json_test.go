package fault_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ragdesk/backend/fault"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	var into struct {
		Name  string
		Size  *int
		Parts []struct{ Weight float64 }
	}
	for _, c := range []struct{ data, want string }{
		{`{"Name": "x"}`, ""},
		{"{\n  \"Name\": \"天气\" 好\n}", `json_syntax column="16" line="2" near="  \"Name\": \"天气\" ▸好"`},
		{`{"Name": "x"} {}`, `json_syntax column="15" line="1" near="{\"Name\": \"x\"} ▸{}"`},
		{strings.Repeat(" ", 50) + "x" + strings.Repeat("y", 50), `json_syntax column="51" line="1" near="…` + strings.Repeat(" ", 20) + `▸x` + strings.Repeat("y", 19) + `…"`},
		{``, `json_end line="1" near="▸"`},
		{`{"Name": "x"`, `json_end line="1" near="{\"Name\": \"x\"▸"`},
		{`{"Name": 1.5}`, `json_type field="Name" found="number" want="string"`},
		{`{"Size": true}`, `json_type field="Size" found="boolean" want="integer"`},
		{`{"Parts": {}}`, `json_type field="Parts" found="object" want="array"`},
		{`[1]`, `json_type field="" found="array" want="object"`},
	} {
		err := json.Unmarshal([]byte(c.data), &into)
		got := fault.JSON([]byte(c.data), err)
		switch {
		case got == nil && c.want != "":
			t.Errorf("%s: no fault", c.data)
		case got != nil && !strings.HasPrefix(got.Error(), c.want+": "):
			t.Errorf("%s:\n got %s\nwant %s", c.data, got, c.want)
		}
	}
	data := []byte(`{"Name" 1}`)
	if got := fault.JSONLine(data, json.Unmarshal(data, &into)); got.Code != "json_syntax_line" || got.Params["column"] != "9" {
		t.Errorf("of a line: %v", got)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a":`)
	f.Add("[\n\"\xff\xfe\"好 1")
	f.Fuzz(func(t *testing.T, s string) {
		var into struct{ A []string }
		if err := json.Unmarshal([]byte(s), &into); err != nil && fault.JSON([]byte(s), err) == nil {
			t.Error("refused and no fault")
		}
	})
}
