package code_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/code"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

func TestTextStaysAsItIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, bytes, text, encoding, media string }{
		"go":             {"a/main.go", "package main\r\n\tx := \"年假\"  \n", "package main\r\n\tx := \"年假\"  \n", "UTF-8", "text/x-go"},
		"mark":           {"a.cs", "\xef\xbb\xbf// 注释", "// 注释", "UTF-8", "text/x-csharp"},
		"gbk":            {"a.c", "// \xc7\xeb\xbc\xd9\xcc\xec\xca\xfd\xca\xc7\xce\xe5\xcc\xec\xa3\xac\xb2\xbb\xb0\xfc\xc0\xa8\xb9\xab\xd0\xdd\xc8\xd5\nint days = 5;\n", "// 请假天数是五天，不包括公休日\nint days = 5;\n", "GB18030", "text/x-c"},
		"cookie":         {"a.py", "# -*- coding: gbk -*-\n# \xc4\xea\xbc\xd9\n", "# -*- coding: gbk -*-\n# 年假\n", "GB18030", "text/x-python"},
		"lying cookie":   {"a.py", "# coding=gbk\n# 年假规定：每年五天\n", "# coding=gbk\n# 年假规定：每年五天\n", "UTF-8", "text/x-python"},
		"style sheet":    {"a.css", "@charset \"gb2312\";/* \xc4\xea\xbc\xd9 */", "@charset \"gb2312\";/* 年假 */", "GB18030", "text/x-css"},
		"utf-16":         {"a.reg", "\xff\xfea\x00=\x00\x00\x4e", "a=一", "UTF-16LE", "text/plain"},
		"empty":          {"a.rs", "", "", "UTF-8", "text/x-rust"},
		"yaml":           {"k8s/a.YML", "a: 1\n", "a: 1\n", "UTF-8", "text/yaml"},
		"toml":           {"Cargo.toml", "a = 1\n", "a = 1\n", "UTF-8", "text/toml"},
		"ini":            {"a.ini", "[a]\nb=1\n", "[a]\nb=1\n", "UTF-8", "text/plain"},
		"by name":        {"x/Dockerfile", "FROM a\n", "FROM a\n", "UTF-8", "text/x-dockerfile"},
		"name with ext":  {"x/CMakeLists.txt", "project(a)\n", "project(a)\n", "UTF-8", "text/x-cmake"},
		"dot file":       {".gitignore", "*.o\n", "*.o\n", "UTF-8", "text/plain"},
		"unknown":        {"LICENSE", "free", "free", "UTF-8", "text/plain"},
		"tsx":            {"a.tsx", "<A/>", "<A/>", "UTF-8", "text/x-typescript"},
		"a go mod":       {"go.mod", "module a", "module a", "UTF-8", "text/x-go"},
		"two extensions": {"a.d.ts", "type A", "type A", "UTF-8", "text/x-typescript"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := code.Parse(t.Context(), rag.Input{Source: c.source, Bytes: []byte(c.bytes)}, guard.Env{})
			if err != nil {
				t.Fatal(err)
			}
			if d.Text != c.text || d.Encoding != c.encoding || d.MediaType != c.media {
				t.Errorf("%q in %s as %s, want %q in %s as %s", d.Text, d.Encoding, d.MediaType, c.text, c.encoding, c.media)
			}
			if d.Title != c.source[strings.LastIndex(c.source, "/")+1:] || d.ParsedBy == "" || d.Health.Confidence == 0 {
				t.Errorf("title %q, by %q, health %+v", d.Title, d.ParsedBy, d.Health)
			}
		})
	}
}

func TestCompiledAndMinified(t *testing.T) {
	t.Parallel()
	_, err := code.Parse(t.Context(), rag.Input{Source: "a.py", Bytes: []byte("\x7fELF\x02\x01\x01\x00\x00")}, guard.Env{})
	if !fault.Is(err, "binary_content") {
		t.Errorf("an object file: %v", err)
	}
	long := bytes.Repeat([]byte("function a(b){return b+1};"), 400)
	for source, want := range map[string]bool{"a.min.js": true, "a.css": true, "a.sql": false} {
		d, err := code.Parse(t.Context(), rag.Input{Source: source, Bytes: long}, guard.Env{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(d.Warnings) == 1 && d.Warnings[0].Code == code.WarnMinified; got != want || d.Text != string(long) {
			t.Errorf("%s: warnings %v", source, d.Warnings)
		}
	}
}

func TestListsAreInOrderAndLower(t *testing.T) {
	t.Parallel()
	for _, list := range [][]string{code.Extensions(), code.Names()} {
		if len(list) == 0 {
			t.Fatal("an empty list")
		}
		for i, e := range list {
			if e != strings.ToLower(e) || i > 0 && list[i-1] >= e {
				t.Errorf("%q after %q", e, list[max(i-1, 0)])
			}
		}
	}
	for _, e := range code.Extensions() {
		if !strings.HasPrefix(e, ".") || strings.Count(e, ".") != 1 {
			t.Errorf("extension %q", e)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# coding: gbk\n\xc4\xea"), "a.py")
	f.Add([]byte("@charset \"\xff\";"), "a.css")
	f.Add([]byte("\xff\xfe\x00"), "Makefile")
	f.Fuzz(func(t *testing.T, b []byte, source string) {
		d, err := code.Parse(t.Context(), rag.Input{Source: source, Bytes: b}, guard.Env{})
		if err == nil && (!utf8.ValidString(d.Text) || d.MediaType == "") {
			t.Errorf("type %q, text %.40q", d.MediaType, d.Text)
		}
	})
}
