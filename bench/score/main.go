// Command score scores a TREC pair with package measure and prints the means, to
// time the computation as a whole process against other programs:
//
//	score QRELS RUN MEASURE[,MEASURE…]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"ragdesk/backend/measure"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("want QRELS RUN MEASURES, got %d arguments", len(args))
	}
	named, err := measure.ParseList(args[2])
	if err != nil {
		return err
	}
	opts := measure.Options{Dialect: measure.DialectTREC}
	for _, n := range named {
		opts.Measures = append(opts.Measures, n.Measure)
	}
	report, err := measure.ScoreFiles(context.Background(), args[0], args[1], opts)
	if err != nil {
		return err
	}
	means := map[string]measure.Value{}
	for i, n := range named {
		means[n.Name] = report.Means[i].Value
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"metrics": means})
}
