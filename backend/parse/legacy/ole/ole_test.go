package ole_test

import (
	"bytes"
	"strings"
	"testing"

	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/parse/legacy/ole/oletest"
)

func TestStreams(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("0123456789abcdef"), 700)
	b := oletest.File(map[string][]byte{"Workbook": big, "small": []byte("few bytes"), "empty": nil, "\x05Summary": []byte("s"),
		"dir/inner/deep": []byte("deep"), "dir/second": bytes.Repeat([]byte("z"), 200)})
	f, err := ole.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Workbook": string(big), "workbook": string(big), "small": "few bytes", "empty": "",
		"Summary": "s", "dir/inner/deep": "deep", "DIR/Second": strings.Repeat("z", 200)} {
		got, ok := f.Stream(name)
		if !ok || string(got) != want {
			t.Errorf("%s: %d bytes, %t; want %d", name, len(got), ok, len(want))
		}
	}
	for _, name := range []string{"none", "dir", "dir/inner", ""} {
		if got, ok := f.Stream(name); ok {
			t.Errorf("%q is a stream of %d bytes", name, len(got))
		}
	}
	if !f.Has("dir/inner") || f.Has("dir/none") || f.Cut() {
		t.Errorf("has: %v, cut: %t", f.Names(), f.Cut())
	}
}

func TestCutOffFile(t *testing.T) {
	t.Parallel()
	// The table of chains comes last here, so the stream is stated to be longer.
	b := oletest.File(map[string][]byte{"Workbook": bytes.Repeat([]byte("x"), 9000)})
	at := bytes.Index(b, []byte("W\x00o\x00r\x00k"))
	b[at+121] = 0xff // the size
	f, err := ole.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := f.Stream("Workbook")
	if !ok || len(got) < 9000-512 || !f.Cut() {
		t.Errorf("%d bytes, %t, cut %t", len(got), ok, f.Cut())
	}
	if f, err := ole.Open(b[:len(b)-100]); err != nil || !f.Has("Workbook") {
		t.Errorf("cut off in the last sector: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(oletest.File(map[string][]byte{"a": []byte("small"), "d/b": bytes.Repeat([]byte("big"), 3000)}))
	f.Add([]byte(ole.Magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := ole.Open(b)
		if err != nil {
			return
		}
		for _, name := range file.Names() {
			if s, _ := file.Stream(name); len(s) > len(b) {
				t.Errorf("%s: %d bytes from %d", name, len(s), len(b))
			}
		}
	})
}
