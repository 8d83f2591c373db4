package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// Environment of a copy of the test binary that plays another process.
const (
	roleEnv = "RAGDESK_STORE_ROLE"
	dirEnv  = "RAGDESK_STORE_DIR"
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleEnv)
	if role == "" {
		os.Exit(m.Run())
	}
	roles := map[string]func(context.Context, string) error{
		"create": createRole, "hold": holdRole, "write": writeRole, "read": readRole,
		"restore": restoreRole,
	}
	if err := roles[role](context.Background(), os.Getenv(dirEnv)); err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		os.Exit(1)
	}
}

// process is another process that works on a workspace.
type process struct {
	*exec.Cmd
	out   *bufio.Reader
	stdin io.WriteCloser
	err   *strings.Builder
}

func start(t *testing.T, role, dir string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0]), err: &strings.Builder{}}
	p.Env = append(os.Environ(), append(env, roleEnv+"="+role, dirEnv+"="+dir)...)
	p.Stderr = p.err
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill() // a test failed before it waited
			_ = p.Wait()
		}
	})
	return p
}

// expect waits for a line of the process.
func (p *process) expect(t *testing.T, want string) {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if strings.TrimSpace(line) != want {
		t.Fatalf("process said %q (%v), want %q; stderr: %s", line, err, want, p.err)
	}
}

// told returns a channel that is closed when the parent closes stdin.
func told() <-chan struct{} {
	c := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(c)
	}()
	return c
}

func createRole(ctx context.Context, dir string) error {
	fmt.Println("ready")
	<-told()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(s.Check(ctx), s.Close())
}

func TestProcessesCreateOneWorkspace(t *testing.T) {
	t.Parallel()
	for range 3 {
		dir := t.TempDir() + "/deep/new workspace ?#%"
		var all []*process
		for range 5 {
			all = append(all, start(t, "create", dir))
		}
		for _, p := range all {
			p.expect(t, "ready")
		}
		for _, p := range all { // as good as at once
			_ = p.stdin.Close()
		}
		for _, p := range all {
			if err := p.Wait(); err != nil {
				t.Errorf("%v: %s", err, p.err)
			}
		}
		s := open(t, dir)
		library(t, s, lock(t, s), "after")
		check(t, s)
	}
}

func holdRole(ctx context.Context, dir string) error {
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := s.Lock(ctx, "hold it", 0); err != nil {
		return err
	}
	fmt.Println("ready")
	<-told() // and end without Unlock or Close
	return nil
}

func TestLockNamesTheOtherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	other := start(t, "hold", dir)
	other.expect(t, "ready")

	for _, wait := range []time.Duration{-1, 0, 50 * time.Millisecond} {
		_, err := s.Lock(t.Context(), "test", wait)
		wantFault(t, err, "workspace_locked", fault.P("pid", other.Process.Pid), fault.P("purpose", "hold it"))
		if since, err := time.Parse(time.RFC3339, fault.Of(err).Params["since"]); err != nil || time.Since(since) < 0 {
			t.Errorf("since %v, error %v", since, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := s.Lock(ctx, "test", time.Hour); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock with a deadline: error %v", err)
	}
	// Readers need no lock, nor does opening what another process writes to.
	if _, err := open(t, dir).Libraries(t.Context()); err != nil {
		t.Error(err)
	}

	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	w, err := s.Lock(t.Context(), "test", 10*time.Second)
	if err != nil {
		t.Fatalf("lock of a killed process: %v", err)
	}
	_, err = open(t, dir).Lock(t.Context(), "again", 0)
	wantFault(t, err, "workspace_locked", fault.P("pid", os.Getpid()), fault.P("purpose", "test"))
	if err := w.Unlock(); err != nil {
		t.Error(err)
	}
	_ = other.Wait()
}

// generation is a change that puts the given number of documents, all of whose
// texts name the revision, each of another length.
func generation(lib rag.Library, docs int) rag.Change {
	c := rag.Change{Revision: lib.Revision + 1}
	for i := range docs {
		text := strings.Repeat(fmt.Sprintf("第%d版，文档%d。", c.Revision, i), 5+int(c.Revision+int64(i))%40)
		c.Put = append(c.Put, record(fmt.Sprintf("docs/%02d.txt", i), text))
	}
	return c
}

// sameGeneration returns an error unless what a reader sees of lib is one revision.
func sameGeneration(ctx context.Context, s *store.Store, name string, docs int) error {
	lib, err := s.Library(ctx, name)
	if err != nil || lib.Revision == 0 {
		return err
	}
	seen := map[string]bool{}
	chunks, texts := 0, map[rag.DocumentID]int{}
	err = s.EachChunk(ctx, lib, func(c rag.ChunkRow) error {
		if c.Ordinal == 0 {
			version, _, _ := strings.Cut(c.Text, "版")
			seen[version] = true
		}
		texts[c.DocID]++
		chunks++
		return nil
	})
	if err != nil {
		return err
	}
	if len(seen) != 1 || len(texts) != docs {
		return fmt.Errorf("%d documents of the revisions %v, want %d of one", len(texts), seen, docs)
	}
	if now, err := s.Revision(ctx, lib); err != nil {
		return err
	} else if now == lib.Revision && chunks != lib.Chunks {
		return fmt.Errorf("%d chunks at revision %d, its total is %d", chunks, now, lib.Chunks)
	}
	block, err := s.Vectors(ctx, lib)
	if errors.Is(err, rag.ErrStale) {
		return nil
	}
	if err == nil && len(block.IDs) != lib.Chunks {
		err = fmt.Errorf("%d vectors at revision %d, want %d", len(block.IDs), lib.Revision, lib.Chunks)
	}
	return err
}

const generationDocs = 12

// writeRole replaces all documents again and again until it is told to stop.
func writeRole(ctx context.Context, dir string) error {
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	w, err := s.Lock(ctx, "write", time.Minute)
	if err != nil {
		return err
	}
	lib, err := s.Library(ctx, "kb")
	if err != nil {
		return err
	}
	stop := told()
	fmt.Println("ready")
	for {
		select {
		case <-stop:
			return errors.Join(w.Unlock(), s.Close())
		default:
		}
		if lib, err = w.Apply(ctx, lib, generation(lib, generationDocs)); err != nil {
			return err
		}
		fmt.Println("revision", lib.Revision)
	}
}

// TestKilledWriterLeavesWholeDocuments kills a process that does nothing but
// change documents, at random points of its second or third change, and looks at
// what it left.
func TestKilledWriterLeavesWholeDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	t.Run("create", func(t *testing.T) {
		s := open(t, dir)
		library(t, s, lock(t, s), "kb")
	})
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Log("seed", seed)
	for round := range 20 {
		p := start(t, "write", dir)
		p.expect(t, "ready")
		last := lastRevision(t, p, 1+rng.IntN(2))
		time.Sleep(time.Duration(rng.IntN(30_000)) * time.Microsecond)
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		last = max(last, lastRevision(t, p, math.MaxInt))
		_ = p.Wait() // killed
		if p.err.Len() > 0 {
			t.Fatalf("round %d: %s", round, p.err)
		}
		// Nobody else has the workspace open, so that opening it brings back what the
		// killed process left in the log.
		t.Run("left", func(t *testing.T) {
			s := open(t, dir)
			lib, err := s.Library(t.Context(), "kb")
			if err != nil || lib.Revision < last {
				t.Errorf("round %d: revision %d was reported, %d is there, error %v", round, last, lib.Revision, err)
			}
			if err := sameGeneration(t.Context(), s, "kb", generationDocs); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
			check(t, s)
		})
	}
}

// lastRevision reads n lines of a process at most and returns the last revision
// that it reported as done.
func lastRevision(t *testing.T, p *process, n int) (last int64) {
	t.Helper()
	for range n {
		line, err := p.out.ReadString('\n')
		if err != nil { // its end, perhaps within a line
			return last
		}
		if _, err := fmt.Sscanf(line, "revision %d\n", &last); err != nil {
			t.Errorf("process said %q: %v", line, err)
		}
	}
	return last
}

// readRole reads until it is told to stop, and names every revision it sees.
func readRole(ctx context.Context, dir string) error {
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	stop := told()
	fmt.Println("ready")
	for last := int64(-1); ; {
		select {
		case <-stop:
			return s.Close()
		default:
		}
		if err := sameGeneration(ctx, s, "kb", generationDocs); err != nil {
			return err
		}
		lib, err := s.Library(ctx, "kb")
		if err != nil {
			return err
		}
		if lib.Revision != last {
			last = lib.Revision
			fmt.Println("revision", last)
		}
	}
}

// TestReadersSeeWholeRevisions has two other processes read what this one writes,
// until each has seen enough revisions go by.
func TestReadersSeeWholeRevisions(t *testing.T) {
	t.Parallel()
	const enough = 10
	dir := t.TempDir()
	s := open(t, dir)
	w := lock(t, s)
	lib := library(t, s, w, "kb")
	var wg sync.WaitGroup
	var satisfied atomic.Int32
	readers := []*process{start(t, "read", dir), start(t, "read", dir)}
	for _, p := range readers {
		p.expect(t, "ready")
		wg.Go(func() {
			lastRevision(t, p, enough)
			satisfied.Add(1)
			lastRevision(t, p, math.MaxInt)
		})
	}
	for int(satisfied.Load()) < len(readers) {
		lib = apply(t, w, lib, generation(lib, generationDocs))
	}
	for _, p := range readers {
		_ = p.stdin.Close()
	}
	wg.Wait()
	for _, p := range readers {
		if err := p.Wait(); err != nil {
			t.Errorf("reader: %v: %s", err, p.err)
		}
	}
	check(t, s)
}
