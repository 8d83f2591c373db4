package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// The tests here start this test program again as further processes; this
// variable tells them apart and names their cache folder.
const childEnv = "RAGDESK_TEST_UNPACK"

// TestMain makes a child unpack instead of testing.
func TestMain(m *testing.M) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := child(dir, os.Getenv(childEnv+"_STALL") != ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child unpacks into dir when the parent closes its input, and says where.
func child(dir string, stall bool) error {
	packed, err := os.ReadFile(filepath.Join(dir, "packed"))
	if err != nil {
		return err
	}
	s := &Store{dir: dir, lock: lockOf(content()), packed: fstest.MapFS{"thing.onnx.zst": {Data: packed}}}
	if stall {
		s.packed = stalling{s.packed}
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	path, err := s.File("thing")
	if err != nil {
		return err
	}
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, content()) {
		return fmt.Errorf("%s has %d wrong bytes", path, len(got))
	}
	fmt.Println(path)
	return nil
}

// stalling files give all but their end, and then nothing for ever.
type stalling struct{ fs.FS }

func (s stalling) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return &stallingFile{f, packedSize(s.FS, name) - 16}, err
}

func packedSize(f fs.FS, name string) int {
	info, err := fs.Stat(f, name)
	if err != nil {
		return 0
	}
	return int(info.Size())
}

type stallingFile struct {
	fs.File
	left int
}

func (f *stallingFile) Read(p []byte) (int, error) {
	if f.left <= 0 {
		fmt.Println("stalled")
		time.Sleep(time.Hour)
	}
	n, err := f.File.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

// process is a child with its input open.
type process struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufferedLines
	stderr *bytes.Buffer
}

// bufferedLines reads a child's output line by line.
type bufferedLines struct {
	r    io.Reader
	rest []byte
}

func (b *bufferedLines) next() (string, error) {
	for {
		if line, rest, ok := bytes.Cut(b.rest, []byte("\n")); ok {
			b.rest = rest
			return string(line), nil
		}
		buf := make([]byte, 1024)
		n, err := b.r.Read(buf)
		b.rest = append(b.rest, buf[:n]...)
		if err != nil && n == 0 {
			return "", err
		}
	}
}

func startChild(t *testing.T, dir string, env ...string) process {
	t.Helper()
	p := process{Cmd: exec.CommandContext(t.Context(), os.Args[0]), stderr: &bytes.Buffer{}}
	p.Env = append(append(os.Environ(), childEnv+"="+dir), env...)
	p.Stderr = p.stderr
	var err error
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = &bufferedLines{r: out}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := p.stdout.next(); line != "ready" {
		t.Fatalf("child said %q, %v: %s", line, err, p.stderr)
	}
	return p
}

func packInto(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "packed"), packedContent(t), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestProcessesUnpackAtOnce(t *testing.T) {
	t.Parallel()
	dir := packInto(t)
	var children []process
	for range 6 {
		children = append(children, startChild(t, dir))
	}
	for _, c := range children { // all are waiting: let them go together
		if err := c.stdin.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := filepath.Join(dir, "thing-"+lockOf(content())[0].SHA256[:8], "thing.onnx")
	for i, c := range children {
		line, err := c.stdout.next()
		if line != want {
			t.Errorf("child %d said %q, %v: %s", i, line, err, c.stderr)
		}
		if err := c.Wait(); err != nil {
			t.Errorf("child %d: %v: %s", i, err, c.stderr)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(want))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), tempMark) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestProcessKilledWhileUnpacking(t *testing.T) {
	t.Parallel()
	dir := packInto(t)
	c := startChild(t, dir, childEnv+"_STALL=1")
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if line, err := c.stdout.next(); line != "stalled" {
		t.Fatalf("child said %q, %v: %s", line, err, c.stderr)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) {
		t.Fatalf("child ended with %v", err)
	}
	s := testStore(t)
	s.dir = dir
	path := filepath.Join(dir, "thing-"+s.hash8(), "thing.onnx")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an unfinished file has its final name: %v", err)
	}
	mustFile(t, s)
}
