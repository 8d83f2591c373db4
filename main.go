// Command ragdesk is an offline workbench for retrieval-augmented generation on
// private documents. With arguments it is a command line; without, it opens the
// desktop window. Built with the tag headless it has no window and needs no
// graphical libraries; built with the tag engine it carries a language model engine,
// which it starts as a process of its own.
package main

import (
	"embed"
	"io/fs"
	"os"

	"ragdesk/backend/cli"
	"ragdesk/backend/desktop"
	"ragdesk/backend/llm/engine"
)

//go:embed all:frontend/dist
var dist embed.FS

func main() {
	if code, ok := engine.Child(os.Args[1:]); ok {
		os.Exit(code)
	}
	page, err := fs.Sub(dist, "frontend/dist")
	if err != nil { // the name is a constant that embed has checked
		panic(err)
	}
	if len(os.Args) > 1 || !desktop.Available {
		os.Exit(cli.Main(os.Args[1:], page))
	}
	os.Exit(window(page))
}
