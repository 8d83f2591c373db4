package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/klippa-app/go-pdfium"
	pdfium_errors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
)

const (
	// memoryPages bounds PDFium's memory, in WebAssembly pages of 64 KiB: 640 MiB.
	memoryPages = 10240
	// pagesPerOpening is after how many pages a long document is opened anew:
	// PDFium keeps what it has read of a document until it is closed.
	pagesPerOpening = 200
)

// Reader reads PDF files, one at a time. It starts PDFium with the first file;
// that takes seconds once, and a fraction of one when the compiled library is in
// the cache. It is safe for concurrent use: calls wait for each other.
type Reader struct {
	// turn holds one token, which the call at work has.
	turn chan struct{}
	pool pdfium.Pool
	// compiled is closed after pool.
	compiled io.Closer
	closed   bool
	// memory is what PDFium may take, in pages of WebAssembly.
	memory uint32
}

// NewReader returns a reader; nothing is started yet.
func NewReader() *Reader { return &Reader{turn: make(chan struct{}, 1), memory: memoryPages} }

// ErrClosed is returned by a reader after Close.
var ErrClosed = errors.New("pdf reader is closed")

// Close frees PDFium after waiting for the call at work.
func (r *Reader) Close() error {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	if r.closed {
		return nil
	}
	r.closed = true
	if r.pool == nil {
		return nil
	}
	err := r.pool.Close()
	if r.compiled != nil {
		err = errors.Join(err, r.compiled.Close())
	}
	r.pool = nil
	return err
}

// cacheCloser closes a compilation cache.
type cacheCloser struct{ wazero.CompilationCache }

func (c cacheCloser) Close() error {
	return c.CompilationCache.Close(context.Background())
}

// start compiles PDFium, or takes the compiled one from the folder cache. The
// caller has the turn.
func (r *Reader) start(cache string) error {
	if r.closed {
		return ErrClosed
	}
	if r.pool != nil {
		return nil
	}
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(r.memory).
		// Without it nothing ends a loop inside PDFium.
		WithCloseOnContextDone(true)
	if cache != "" {
		c, err := wazero.NewCompilationCacheWithDir(filepath.Join(cache, "pdfium"))
		if err != nil {
			return fmt.Errorf("open cache of compiled PDFium: %w", err)
		}
		r.compiled = cacheCloser{c}
		config = config.WithCompilationCache(c)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1, RuntimeConfig: config,
		// An empty file system: nothing of this machine is visible.
		FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		if r.compiled != nil {
			_ = r.compiled.Close() // the error that counts is Init's
			r.compiled = nil
		}
		return fmt.Errorf("start PDFium: %w", err)
	}
	r.pool = pool
	return nil
}

// use gives f an instance of PDFium of its own, which a done ctx kills.
func (r *Reader) use(ctx context.Context, cache string, f func(pdfium.Pdfium) error) error {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.turn }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.start(cache); err != nil {
		return err
	}
	instance, err := r.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return fmt.Errorf("start PDFium: %w", err)
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		_ = instance.Kill() // its error says that it was closed already
	})
	err = f(instance)
	if !stop() {
		<-killed
		return ctx.Err()
	}
	_ = instance.Close() // what it held is dropped either way
	return err
}

// session is a document that is open in an instance of PDFium.
type session struct {
	pdfium.Pdfium
	doc   references.FPDF_DOCUMENT
	data  []byte
	pages int
	// form is "" when the document has no form.
	form references.FPDF_FORMHANDLE
	// fonts are the properties of fonts by name.
	fonts map[string]font
	// maxChars bounds the characters of one page.
	maxChars int
	// files are those attached to marks on pages, at most maxAttachments;
	// leftOut counts the others.
	files   []attachment
	leftOut int
	// damaged says that the file's own table of objects could not be used.
	damaged bool
}

// open opens the document in data. Faults: password, corrupt.
func open(instance pdfium.Pdfium, data []byte, l guard.Limits) (*session, error) {
	s := &session{Pdfium: instance, data: data, fonts: map[string]font{}, maxChars: int(l.Text)}
	if err := s.reopen(); err != nil {
		return nil, err
	}
	n, err := s.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: s.doc})
	if err != nil {
		return nil, guard.Corrupt("pdf", err)
	}
	if n.PageCount == 0 {
		return nil, guard.Corrupt("pdf", errors.New("no pages"))
	}
	s.pages = n.PageCount
	if s.pages > l.Pages {
		return nil, fault.New("limit_pages", fault.P("limit", l.Pages), fault.P("pages", s.pages))
	}
	return s, nil
}

// reopen opens the document again, so that PDFium lets go of what it has read.
func (s *session) reopen() error {
	s.close()
	opened, err := s.OpenDocument(&requests.OpenDocument{File: &s.data})
	if errors.Is(err, pdfium_errors.ErrFormat) && !s.damaged {
		if data, ok := withTrailer(s.data); ok {
			s.damaged, s.data = true, data
			opened, err = s.OpenDocument(&requests.OpenDocument{File: &s.data})
		}
	}
	switch {
	case errors.Is(err, pdfium_errors.ErrPassword), errors.Is(err, pdfium_errors.ErrSecurity):
		return guard.Password("pdf")
	case err != nil:
		return guard.Corrupt("pdf", numbered(err))
	}
	s.doc = opened.Document
	valid, err := s.FPDF_DocumentHasValidCrossReferenceTable(&requests.FPDF_DocumentHasValidCrossReferenceTable{Document: s.doc})
	if err == nil && !valid.DocumentHasValidCrossReferenceTable {
		s.damaged = true
	}
	s.openForm()
	return nil
}

// numbered is an error of PDFium by its number, which is read in every language.
func numbered(err error) error {
	number, _, _ := strings.Cut(err.Error(), ":")
	return fmt.Errorf("PDFium %s", number)
}

// withTrailer returns data with the end that it lacks when it was cut short:
// PDFium finds the objects itself, but not which of them is the catalog.
func withTrailer(data []byte) ([]byte, bool) {
	found := catalogObject().FindAllSubmatch(data, -1)
	if len(found) == 0 {
		return nil, false
	}
	last := found[len(found)-1]
	return fmt.Appendf(slices.Clone(data), "\ntrailer\n<< /Root %s %s R >>\nstartxref\n0\n%%%%EOF\n", last[1], last[2]), true
}

// catalogObject finds the start of an object that is a catalog; its type is
// usually the first entry.
func catalogObject() *regexp.Regexp {
	return regexp.MustCompile(`(\d{1,10})\s+(\d{1,5})\s+obj\s*<<[^>]{0,400}?/Type\s*/Catalog\b`)
}

func (s *session) close() {
	if s.doc == "" {
		return
	}
	s.closeForm()
	_, _ = s.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: s.doc})
	s.doc = ""
}

// page names page i, counted from 0.
func (s *session) page(i int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: s.doc, Index: i}}
}
