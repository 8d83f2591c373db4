// Command gen writes the page's client from api.Service: one typed function an
// operation over the page's Transport.
//
// The types themselves are tygo's work; this command only reads the method set,
// so that an operation added in Go is callable from the page without a line
// written by hand. Invariants: the output depends on the source alone, and its
// order is the order of the methods in Go.
//
//	go run ./gen -service service.go -out ../../frontend/src/api/client.gen.ts
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	service := flag.String("service", "service.go", "Go file that declares the Service interface")
	out := flag.String("out", "", "TypeScript file to write; empty prints it")
	flag.Parse()
	if err := run(*service, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(service, out string) error {
	src, err := os.ReadFile(service)
	if err != nil {
		return fmt.Errorf("read service: %w", err)
	}
	ops, err := operations(service, src)
	if err != nil {
		return err
	}
	text := client(ops)
	if out == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write client: %w", err)
	}
	return nil
}
