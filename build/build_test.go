package build_test

import (
	"strings"
	"testing"

	"ragdesk/build"
)

func TestLockCoversThePlatforms(t *testing.T) {
	t.Parallel()
	assets, err := build.Assets()
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		goos, goarch, _ := strings.Cut(platform, "/")
		kinds := map[build.Kind]int{}
		for _, a := range assets {
			if a.For(goos, goarch) {
				kinds[a.Kind]++
			}
		}
		if kinds[build.KindRuntime] != 1 || kinds[build.KindModel] < 2 || kinds[build.KindModel] != kinds[build.KindTokenizer] {
			t.Errorf("%s: %v", platform, kinds)
		}
	}
}

func TestChatModelsAreOptional(t *testing.T) {
	t.Parallel()
	assets, err := build.Assets()
	if err != nil {
		t.Fatal(err)
	}
	chat := 0
	for _, a := range assets {
		if a.Optional != (a.Kind == build.KindChat) || a.Optional && a.Embedded() {
			t.Errorf("%s: optional %t, embedded %t", a.Name, a.Optional, a.Embedded())
		}
		if a.Kind == build.KindChat {
			chat++
		}
	}
	if chat < 2 {
		t.Errorf("%d chat models", chat)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := `{"name":"a","version":"1","kind":"model","file":"a.onnx","licence":"MIT","size":3,
		"sha256":"` + strings.Repeat("ab", 32) + `","sources":[{"npm":"p@1","path":"x"}]}`
	lock := func(assets string) []byte { return []byte(`{"assets":[` + assets + `]}`) }
	if _, err := build.Parse(lock(good)); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{
		"no JSON":            []byte("assets:"),
		"unknown key":        lock(strings.Replace(good, `"size"`, `"sise"`, 1)),
		"same name twice":    lock(good + "," + good),
		"path as file":       lock(strings.Replace(good, "a.onnx", "../a.onnx", 1)),
		"upper-case hash":    lock(strings.Replace(good, "abab", "ABab", 1)),
		"short hash":         lock(strings.Replace(good, "abab", "ab", 1)),
		"no size":            lock(strings.Replace(good, `"size":3`, `"size":0`, 1)),
		"no source":          lock(strings.Replace(good, `{"npm":"p@1","path":"x"}`, "", 1)),
		"two coordinates":    lock(strings.Replace(good, `"npm"`, `"pip":"p==1","npm"`, 1)),
		"package, no path":   lock(strings.Replace(good, `,"path":"x"`, "", 1)),
		"URL with a path":    lock(strings.Replace(good, `"npm":"p@1"`, `"url":"http://x"`, 1)),
		"parts and more":     lock(strings.Replace(good, `"npm"`, `"parts":[{"pip":"p==1","path":"x"}],"npm"`, 1)),
		"part of parts":      lock(strings.Replace(good, `"npm":"p@1","path":"x"`, `"parts":[{"parts":[{"pip":"p==1","path":"x"}]}]`, 1)),
		"part is no package": lock(strings.Replace(good, `"npm":"p@1","path":"x"`, `"parts":[{"url":"http://x"}]`, 1)),
		"compiled of nobody": []byte(`{"assets":[` + good + `],"compiled":[{"file":"f","program":"p","inputs":["b"],"sha256":"` + strings.Repeat("ab", 32) + `"}]}`),
	} {
		if _, err := build.Parse(raw); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
