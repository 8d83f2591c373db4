package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ragdesk/backend/rag"
)

// sample is how many items of a set a language model judges.
const sample = 100

// llmTable prints a row a set, as judged by a language model through the program
// itself. Its replies stay in the workspace below -work, so that a run that was stopped
// goes on.
func llmTable(ctx context.Context, o options) error {
	for _, set := range strings.Split(o.sets, ",") {
		items, err := readSet(o.data, set)
		if err != nil {
			return err
		}
		items = slices.DeleteFunc(items, item.fitting)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		items = items[:min(sample, len(items))]
		outcomes, unscored, err := byProgram(ctx, o, set, items)
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
		fmt.Println(row(set+", "+o.llm, outcomes), unscored)
	}
	return nil
}

// byProgram has items judged by "ragdesk verify".
func byProgram(ctx context.Context, o options, set string, items []item) ([]outcome, string, error) {
	file := filepath.Join(o.work, "llm-"+set+".jsonl")
	if err := writeItems(file, items); err != nil {
		return nil, "", err
	}
	verify := exec.CommandContext(ctx, o.program, "--workspace", filepath.Join(o.work, "workspace"), "--json", "verify", "--detector", "llm:"+o.llm, file)
	verify.Stderr = os.Stderr
	raw, err := verify.Output()
	// Exit 3 means that some are unscored.
	if err != nil && verify.ProcessState.ExitCode() != 3 {
		return nil, "", fmt.Errorf("%w: %s", err, raw)
	}
	var report struct {
		Items []struct {
			Label rag.Label `json:"label"`
		} `json:"items"`
		Summary struct {
			Unscored map[string]int `json:"unscored"`
		} `json:"summary"`
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return nil, "", err
	}
	if len(report.Items) != len(items) {
		return nil, "", fmt.Errorf("%d verdicts on %d items", len(report.Items), len(items))
	}
	out := make([]outcome, len(items))
	for i, v := range report.Items {
		out[i] = outcome{strings.Join(items[i].Context, "\n"), items[i].hallucinated(), v.Label == rag.Hallucinated, v.Label == rag.Unscored}
	}
	return out, fmt.Sprint(report.Summary.Unscored), nil
}

func writeItems(path string, items []item) error {
	var out strings.Builder
	for _, i := range items {
		line, err := json.Marshal(map[string]any{"id": i.ID, "question": i.Question, "context": i.Context, "answer": i.Answer, "label": i.Label})
		if err != nil {
			return err
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return os.WriteFile(path, []byte(out.String()), 0o600)
}
