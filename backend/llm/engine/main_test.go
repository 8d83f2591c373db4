package engine_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm/engine"
	"ragdesk/backend/rag"
)

// parentVar makes the test program one that starts an engine in the folder of its
// value, asks it something, says so and waits.
const parentVar = "RAGDESK_TEST_ENGINE_USER"

func TestMain(m *testing.M) {
	if code, ok := engine.Child(os.Args[1:]); ok {
		os.Exit(code)
	}
	if os.Getenv(checkVar) != "" {
		fmt.Print(fault.Of(engine.Check()))
		os.Exit(0)
	}
	if dir := os.Getenv(parentVar); dir != "" {
		if err := useEngine(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("ready")
		select {}
	}
	os.Exit(m.Run())
}

// checkVar makes the test program say whether the engine runs here.
const checkVar = "RAGDESK_TEST_ENGINE_CHECK"

// useEngine starts an engine and has its model say a word.
func useEngine(dir string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	h := engine.New(engine.Config{Command: []string{exe, engine.ServeCommand}, Dir: dir, Threads: 1})
	client, err := h.Client(context.Background())
	if err != nil {
		return err
	}
	_, err = client.Generator(model).Generate(context.Background(),
		rag.GenerateRequest{Prompt: "Hello", Options: rag.GenerateOptions{MaxTokens: 1}}, nil)
	return err
}

// model is the name that the tests import SmolLM2 under.
const model = "smollm2"
