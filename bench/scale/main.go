// Scale measures how a library behaves at 1,000, 10,000 and 100,000 chunks:
// indexing by part, opening, exact vector search against faiss and numpy, BM25,
// small changes, memory and disk; and BM25 against rank_bm25 with jieba over 20,000
// chunks.
//
//	python3 -m venv build/cache/peer-scale
//	build/cache/peer-scale/bin/pip install faiss-cpu numpy rank_bm25 jieba
//	go run ./bench/scale -data DIR [-sizes 1000,10000,100000] [-peer-chunks 20000]
//
// DIR holds the public evaluation sets. Texts are windows of 250 characters of
// cmrc2018 and drcd, at several offsets and repeated where they do not suffice;
// vectors are random unit vectors, so that no model is needed. With -embed the
// embedder is timed too, on the documents that are added to the largest library,
// and the program itself searches in that library and adds files to it, with the
// memory limit that it sets itself and without one: what it holds above its models
// is told.
//
// Each measurement runs in a process of its own, so that its peak memory is its
// own. Those that are not the program have the memory limit of -limit: Go's memory
// at most that much beside the vectors; what is mapped from the text index comes on
// top. Both sides of a comparison answer the same questions in turns.
//
// With -work the libraries and the results so far stay in that folder, and the
// command goes on where it was stopped.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/app"
)

// config is what every process of a run knows.
type config struct {
	Data   string
	Python string
	// Dir is the workspace of a size.
	Dir string
	// Chunks is the size.
	Chunks int
	// Group is the number of chunks a commit while indexing.
	Group int
	// Queries is how many questions each side answers.
	Queries int
	// LimitMB is the limit of Go's memory in MiB, beside the vectors.
	LimitMB int64
	Embed   bool
	// Round tells runs over the same library apart.
	Round int
}

const dim = 512

func main() {
	app.ParserMain() // the program reads files in a process of its own
	var c config
	flag.StringVar(&c.Data, "data", os.Getenv("EVAL_DATA"), "`folder` of the evaluation sets")
	flag.StringVar(&c.Python, "python", "build/cache/peer-scale/bin/python", "`program` with the peers, empty for none")
	flag.IntVar(&c.Group, "group", 1024, "chunks a commit while indexing")
	flag.IntVar(&c.Queries, "queries", 100, "questions a measurement")
	flag.Int64Var(&c.LimitMB, "limit", 160, "limit of Go's memory beside the vectors in `MiB`")
	flag.BoolVar(&c.Embed, "embed", false, "embed the documents that are added")
	sizes := flag.String("sizes", "1000,10000,100000", "chunks, comma-separated")
	peerChunks := flag.Int("peer-chunks", 20_000, "chunks of the comparison with rank_bm25, 0 for none")
	work := flag.String("work", "", "`folder` to keep libraries and results in, empty for a temporary one")
	child := flag.String("child", "", "measure one `part` and print it as JSON")
	flag.Parse()
	if *child != "" {
		os.Exit(report(runChild(context.Background(), *child)))
	}
	os.Exit(report(run(context.Background(), c, *work, *sizes, *peerChunks)))
}

func report(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/scale:", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, c config, root, sizes string, peerChunks int) error {
	if root == "" {
		var err error
		if root, err = os.MkdirTemp("", "scale"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(root) }()
	}
	var list []int
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return fmt.Errorf("size %q: %w", size, err)
		}
		list = append(list, n)
	}
	var columns []column
	embed := c.Embed
	for _, c.Chunks = range list {
		c.Embed = embed && c.Chunks == slices.Max(list)
		c.Dir = filepath.Join(root, strconv.Itoa(c.Chunks))
		col := column{Chunks: c.Chunks}
		if err := measure(ctx, "build", c, &col.Build); err != nil {
			return err
		}
		if err := measure(ctx, "use", c, &col.Use); err != nil {
			return err
		}
		columns = append(columns, col)
	}
	c.Embed = embed
	printColumns(columns, c)
	if c.Embed {
		c.Chunks = slices.Max(list)
		c.Dir = filepath.Join(root, strconv.Itoa(c.Chunks))
		if err := measureProgram(ctx, c); err != nil {
			return err
		}
	}
	if peerChunks == 0 || c.Python == "" {
		return nil
	}
	c.Chunks, c.Dir = peerChunks, filepath.Join(root, "bm25")
	var b bm25Result
	if err := measure(ctx, "bm25", c, &b); err != nil {
		return err
	}
	b.print(peerChunks)
	return nil
}

// measure runs a part in a process of its own and reads its result, unless it is
// there from before. env is added to the environment.
func measure(ctx context.Context, part string, c config, result any, env ...string) error {
	kept := filepath.Join(filepath.Dir(c.Dir), fmt.Sprintf("%s-%d-%d.json", part, c.Chunks, c.Round))
	if data, err := os.ReadFile(kept); err == nil {
		return json.Unmarshal(data, result)
	}
	if part == "build" || part == "bm25" { // what was begun is begun again
		if err := os.RemoveAll(c.Dir); err != nil {
			return err
		}
	}
	out, err := inChild(ctx, part, c, env...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, result); err != nil {
		return err
	}
	return os.WriteFile(kept, out, 0o600)
}

// inChild runs a part in a process of its own and returns its result in JSON.
func inChild(ctx context.Context, part string, c config, env ...string) ([]byte, error) {
	fmt.Fprintf(os.Stderr, "%s %d …\n", part, c.Chunks)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	in, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-child", part)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %d: %w", part, c.Chunks, err)
	}
	return out, nil
}

func runChild(ctx context.Context, part string) error {
	var c config
	if err := json.NewDecoder(os.Stdin).Decode(&c); err != nil {
		return err
	}
	if part != "program" && part != "create" {
		debug.SetMemoryLimit(c.LimitMB<<20 + int64(c.Chunks)*dim*4)
	}
	var result any
	var err error
	switch part {
	case "build":
		result, err = build(ctx, c)
	case "use":
		result, err = use(ctx, c)
	case "create":
		result, err = create(ctx, c)
	case "program":
		result, err = program(ctx, c)
	case "bm25":
		result, err = compareBM25(ctx, c)
	default:
		err = fmt.Errorf("unknown part %q", part)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
