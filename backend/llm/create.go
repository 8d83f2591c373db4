package llm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Stages of an import, as progress names them; totals are bytes.
const (
	StageHash   = "hash"
	StageUpload = "upload"
	StageCreate = "create"
	StagePull   = "pull"
)

// FindGGUF returns the model file that path names: itself, or the one .gguf file in
// that folder. The faults are "gguf_missing" and "gguf_many".
func FindGGUF(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fault.Wrap(err, "gguf_missing", fault.P("path", path))
	}
	if !info.IsDir() {
		return path, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", fault.Wrap(err, "gguf_missing", fault.P("path", path))
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.EqualFold(filepath.Ext(e.Name()), ".gguf") {
			names = append(names, e.Name())
		}
	}
	switch len(names) {
	case 0:
		return "", fault.New("gguf_missing", fault.P("path", path))
	case 1:
		return filepath.Join(path, names[0]), nil
	}
	return "", fault.New("gguf_many", fault.P("path", path), fault.P("files", strings.Join(names, ", ")))
}

// part is the name of one file of a model that is split into several.
var part = regexp.MustCompile(`-\d{5}-of-\d{5}\.gguf$`)

// checkGGUF reads the head of a model file: the magic, a version that the engine
// knows (2 or 3) and at least one tensor.
func checkGGUF(f *os.File) error {
	bad := func(detail string) error {
		return fault.New("gguf_invalid", fault.P("path", f.Name()), fault.P("detail", detail))
	}
	if part.MatchString(strings.ToLower(f.Name())) {
		return bad("one part of several; join them with llama-gguf-split --merge")
	}
	var head struct {
		Magic           [4]byte
		Version         uint32
		Tensors, Values uint64
	}
	if err := binary.Read(io.NewSectionReader(f, 0, 24), binary.LittleEndian, &head); err != nil {
		return bad("shorter than a head")
	}
	switch {
	case string(head.Magic[:]) != "GGUF":
		return bad("not a GGUF file")
	case head.Version < 2 || head.Version > 3:
		return bad(fmt.Sprintf("version %d", head.Version))
	case head.Tensors == 0 || head.Values == 0:
		return bad("no tensors")
	}
	return nil
}

// unfit are the characters that a model's name may not have.
var unfit = regexp.MustCompile(`[^a-z0-9._-]+`)

// NameFor makes a model's name from that of its file.
func NameFor(path string) string {
	base := strings.ToLower(filepath.Base(path))
	return strings.Trim(unfit.ReplaceAllString(strings.TrimSuffix(base, ".gguf"), "-"), "-._")
}

// Import makes a model of a GGUF file, or of the one in a folder: it sends the file
// to the host, unless that has it already, and names it; an empty name is the
// catalogue's for that file, or made from the file's own. A model of that name is
// replaced. It returns the name.
func (c *Client) Import(ctx context.Context, path, name string, progress rag.Progress) (string, error) {
	path, err := FindGGUF(path)
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fault.Wrap(err, "gguf_missing", fault.P("path", path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	if err := checkGGUF(f); err != nil {
		return "", err
	}
	digest, err := c.upload(ctx, f, progress)
	if err != nil {
		return "", err
	}
	if name == "" {
		name = NameFor(path)
		if o, ok := offerOfFile(strings.TrimPrefix(digest, "sha256:")); ok {
			name = o.Name
		}
	}
	progress.Stage(StageCreate, 0)
	in := map[string]any{"model": name, "files": map[string]string{filepath.Base(path): digest}}
	err = c.stream(ctx, "/api/create", name, in, c.timeouts.First, c.timeouts.First, untilSuccess(func(wireProgress) {}))
	if err != nil {
		return "", err
	}
	return name, nil
}

// upload sends a file unless the host has it and returns its digest, "sha256:…".
func (c *Client) upload(ctx context.Context, f *os.File, progress rag.Progress) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("size of %s: %w", f.Name(), err)
	}
	whole := func() io.Reader { return io.NewSectionReader(f, 0, info.Size()) }
	progress.Stage(StageHash, int(info.Size()))
	h := sha256.New()
	if _, err := io.Copy(h, &reader{ctx, whole(), progress}); err != nil {
		return "", fmt.Errorf("hash %s: %w", f.Name(), err)
	}
	digest := "sha256:" + hex.EncodeToString(h.Sum(nil))
	err = c.ask(ctx, http.MethodHead, "/api/blobs/"+digest, "", nil, nil)
	var refused *fault.Error
	switch {
	case err == nil:
		return digest, nil
	case !errors.As(err, &refused) || refused.Params["status"] != fmt.Sprint(http.StatusNotFound):
		return "", err
	}
	progress.Stage(StageUpload, int(info.Size()))
	res, err := c.send(ctx, http.MethodPost, "/api/blobs/"+digest, "", &reader{ctx, whole(), progress})
	if err != nil {
		return "", c.ended(ctx, ctx, err)
	}
	return digest, res.Body.Close()
}

// reader reports what is read of it and stops with the context of the one call
// that it is made for.
type reader struct {
	ctx      context.Context //nolint:containedctx // lives as long as one call
	from     io.Reader
	progress rag.Progress
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.from.Read(p)
	r.progress.Add(n)
	return n, err
}

// wireProgress is a line of the stream of a pull or a creation.
type wireProgress struct {
	Status    string `json:"status"`
	Digest    string `json:"digest"`
	Total     int64  `json:"total"`
	Completed int64  `json:"completed"`
}

// untilSuccess passes lines on until the one that tells of success.
func untilSuccess(each func(wireProgress)) func([]byte) error {
	return func(line []byte) error {
		var p wireProgress
		if err := json.Unmarshal(line, &p); err != nil {
			return broken(err)
		}
		each(p)
		if p.Status == "success" {
			return errDone
		}
		return nil
	}
}

// Pull has the host download a model and returns its name there; a pull that was
// stopped goes on where it stopped. A model of the catalogue gets the catalogue's
// name. Progress counts bytes, those that were there before included. This is the
// one call of the package that leads to a connection beyond the host.
func (c *Client) Pull(ctx context.Context, name string, progress rag.Progress) (string, error) {
	o, known := FindOffer(name)
	from := name
	if known && o.Pull != "" {
		from = o.Pull
	}
	if err := c.pull(ctx, from, progress); err != nil {
		return "", err
	}
	if !known || o.Pull == "" {
		return name, nil
	}
	in := map[string]string{"source": from, "destination": o.Name}
	if err := c.ask(ctx, http.MethodPost, "/api/copy", from, in, nil); err != nil {
		return "", err
	}
	return o.Name, c.Delete(ctx, from)
}

func (c *Client) pull(ctx context.Context, name string, progress rag.Progress) error {
	layers := map[string]wireProgress{}
	var total, done int64
	in := map[string]any{"model": name}
	if local, _, found := strings.Cut(name, "/"); found && isLoopback(hostname(local)) {
		in["insecure"] = true // a registry on this machine speaks plain HTTP
	}
	return c.stream(ctx, "/api/pull", name, in, c.timeouts.First, c.timeouts.First, untilSuccess(func(p wireProgress) {
		if p.Digest == "" {
			return
		}
		before := layers[p.Digest]
		layers[p.Digest] = p
		if grown := p.Total - before.Total; grown != 0 {
			total += grown
			progress.Stage(StagePull, int(total))
			progress.Add(int(done))
		}
		if more := p.Completed - before.Completed; more > 0 {
			done += more
			progress.Add(int(more))
		}
	}))
}

// hostname is a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
