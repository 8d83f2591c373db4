package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// words splits a line of a shell: blanks separate, double quotes hold together,
// # after a blank begins a comment.
func words(line string) []string {
	var out []string
	var word strings.Builder
	quoted, open := false, false
	for _, r := range line + " " {
		switch {
		case r == '"':
			quoted, open = !quoted, true
		case r == '#' && !quoted && !open:
			return out
		case r == ' ' && !quoted:
			if open {
				out = append(out, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	return out
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestReadmeCommands runs every command of both READMEs, in order, from the root
// of the repository. What make does is run by make itself; its targets must exist.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("embeds the documentation")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "README.zh.md"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("RAGDESK_WORKSPACE", t.TempDir())
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			ran := 0
			for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
				for line := range strings.Lines(block[1]) {
					args := words(strings.TrimSpace(line))
					if len(args) == 0 {
						continue
					}
					ran++
					switch args[0] {
					case "make":
						if !strings.Contains(string(makefile), "\n"+args[1]+":") {
							t.Errorf("make %s: the Makefile has no such target", args[1])
						}
					case "ragdesk":
						var out, errOut bytes.Buffer
						if code := Run(t.Context(), args[1:], fstest.MapFS{}, strings.NewReader(""), &out, &errOut); code != exitOK || out.Len() == 0 {
							t.Errorf("%s: exit %d\n%s%s", strings.TrimSpace(line), code, out.String(), errOut.String())
						}
					default:
						t.Errorf("nothing runs %q", line)
					}
				}
			}
			if ran < 10 {
				t.Errorf("only %d commands found", ran)
			}
		})
	}
}
