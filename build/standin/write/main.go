// Command write makes every stand-in model in a folder.
//
//	go run ./build/standin/write build/cache/standin
//	go run ./build/standin/write -base build/cache/standin/base
//
// With -base it makes one reranker in the shape of bge-reranker-base, of 1.1 GB
// and slow as the real one, to measure with.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"ragdesk/build/standin"
)

func main() {
	base := flag.Bool("base", false, "one reranker in the shape of bge-reranker-base")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: write [-base] FOLDER")
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *base); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string, base bool) error {
	if base {
		return standin.WriteSized(dir, standin.XLMRReranker, standin.Size{
			Vocab: 250002, Hidden: 768, Heads: 12, Layers: 12, Inner: 3072, Positions: 514,
		})
	}
	for _, kind := range standin.Kinds() {
		if err := standin.Write(filepath.Join(dir, string(kind)), kind); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}
