// Package ocr reads the text in pictures through the program tesseract, where it
// is installed: the picture goes to its standard input, so that nothing is left
// on a disk, and its table of words comes back.
//
// Invariants: a machine without tesseract is a warning, never an error; one
// picture takes bounded time; what tesseract is unsure of as a whole is left out
// and warned of, since photographs give letters that nobody wrote.
//
//	e, err := ocr.Find(ctx)
//	pages, err := e.Read(ctx, picture)
//
// Faults: corrupt {format, reason}, limit_inflated {limit}, limit_pages, limit_text.
// Warnings: see the Warn constants.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/layout"
)

// Codes of the warnings about recognised text.
const (
	// WarnMissing: tesseract is not installed; the detail is the command that
	// installs it.
	WarnMissing = "ocr_missing"
	// WarnLanguage: languages that tesseract has no data for; the detail names
	// them.
	WarnLanguage = "ocr_language"
	// WarnUsed: text recognised in pictures, which may hold mistakes; the detail is
	// page numbers.
	WarnUsed = "ocr_used"
	// WarnDoubtful: pictures in which nothing was recognised with certainty; the
	// detail is page numbers.
	WarnDoubtful = "ocr_doubtful"
	// WarnStopped: pages whose pictures were not read for want of time; the detail
	// is page numbers.
	WarnStopped = "ocr_stopped"
)

const (
	program = "tesseract"
	// pictureTime bounds the reading of one picture, askTime the question for
	// languages.
	pictureTime = 90 * time.Second
	askTime     = 20 * time.Second
	// maxOutput bounds what tesseract may say about one picture, in bytes.
	maxOutput = 64 << 20
)

// Engine is an installed tesseract. It is safe for concurrent use.
type Engine struct {
	path string
	// languages are those that are read, as tesseract names them; absent those
	// wanted and not installed.
	languages, absent []string
}

// ErrMissing is returned by Find when tesseract is not installed.
var ErrMissing = errors.New("tesseract is not installed")

// Install is the command that installs what Find looks for, on the most common
// systems of this one's kind.
func Install() string {
	switch runtime.GOOS {
	case "darwin":
		return "brew install tesseract tesseract-lang"
	case "windows":
		return "winget install UB-Mannheim.TesseractOCR"
	}
	return "apt-get install tesseract-ocr tesseract-ocr-chi-sim"
}

// Find looks for tesseract and its languages: simplified Chinese and English, and
// traditional Chinese where simplified is absent; without any of them, what is
// there. It returns ErrMissing when there is no tesseract.
func Find(ctx context.Context) (*Engine, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, ErrMissing
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	e := &Engine{path: path}
	out, err := e.run(ctx, nil, "--list-langs")
	if err != nil {
		return nil, fmt.Errorf("list languages of tesseract: %w", err)
	}
	e.choose(listed(out))
	if len(e.languages) == 0 {
		return nil, ErrMissing
	}
	return e, nil
}

// listed returns the languages that tesseract lists, one a line under a title.
func listed(out []byte) []string {
	var languages []string
	for i, l := range strings.Split(string(out), "\n") {
		l = strings.TrimSpace(l)
		if i > 0 && l != "" && l != "osd" && l != "equ" && !strings.ContainsAny(l, " :") {
			languages = append(languages, l)
		}
	}
	return languages
}

func (e *Engine) choose(installed []string) {
	has := func(l string) bool { return slices.Contains(installed, l) }
	switch {
	case has("chi_sim"):
		e.languages = append(e.languages, "chi_sim")
	case has("chi_tra"):
		e.languages = append(e.languages, "chi_tra")
	}
	if has("eng") {
		e.languages = append(e.languages, "eng")
	}
	for _, l := range []string{"chi_sim", "eng"} {
		if !has(l) {
			e.absent = append(e.absent, l)
		}
	}
	if len(e.languages) == 0 {
		e.languages = installed[:min(len(installed), 3)]
	}
}

// WarnAbsent warns of the languages that are wanted and not installed.
func (e *Engine) WarnAbsent(b *doctext.Builder) {
	if len(e.absent) > 0 {
		b.Warn(WarnLanguage, strings.Join(e.absent, ", "))
	}
}

// Page is one picture of a file, as recognised.
type Page struct {
	Text layout.Page
	// Runes counts the characters, Confidence is the mean of tesseract's for them,
	// in [0, 1].
	Runes      int
	Confidence float64
}

// sure is the confidence from which a picture's text is taken.
const sure = 0.45

// Sure reports whether the text is worth keeping.
func (p Page) Sure() bool { return p.Runes > 0 && p.Confidence >= sure }

// ErrPicture is returned for bytes that tesseract cannot read as a picture.
var ErrPicture = errors.New("not a picture that tesseract reads")

// Read recognises the text of a picture, which may have several pages.
func (e *Engine) Read(ctx context.Context, picture []byte) ([]Page, error) {
	limited, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	// Page segmentation 3 is the whole of it: columns, tables, headings.
	out, err := e.run(limited, picture, "stdin", "stdout", "-l", strings.Join(e.languages, "+"), "--psm", "3", "tsv")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("recognise text: %w", limited.Err())
	case err != nil:
		return nil, fmt.Errorf("recognise text: %w: %w", ErrPicture, err)
	}
	return parseTSV(out), nil
}

// run runs tesseract and returns what it prints.
func (e *Engine) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, e.path, args...)
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.WaitDelay = 2 * time.Second
	dieWithParent(cmd)
	var out, complaint bounded
	out.left, complaint.left = maxOutput, 4<<10
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(complaint.String()))
	}
	return out.Bytes(), nil
}

// bounded keeps the first bytes written to it and drops the others.
type bounded struct {
	bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	kept := p[:min(len(p), b.left)]
	b.left -= len(kept)
	b.Buffer.Write(kept)
	return len(p), nil
}
