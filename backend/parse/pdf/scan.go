package pdf

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/ocr"
)

const (
	// hopeless is the share of characters without meaning from which a page's
	// picture says more than its text.
	hopeless = 0.5
	// spare is what is left of a file's time when the reading of pictures stops, so
	// that what was read is not lost.
	spare = 6 * time.Second
)

// scanned reports whether the page's picture is to be read: it has one and no
// text, or none that means anything.
func (p page) scanned() bool {
	return p.images > 0 && p.runes == 0 && p.text.Empty() || p.bad > 0 && float64(p.bad) >= hopeless*float64(p.runes)
}

// recognise reads the pictures of scanned pages, as far as time allows. A
// machine that cannot is warned of.
func (s *session) recognise(ctx context.Context, b *doctext.Builder, pages []page) error {
	var todo []int
	for i, p := range pages {
		if p.scanned() {
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	engine, err := ocr.Find(ctx)
	switch {
	case errors.Is(err, ocr.ErrMissing):
		b.Warn(ocr.WarnMissing, ocr.Install())
		return nil
	case err != nil:
		return fmt.Errorf("find tesseract: %w", err)
	}
	limited := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, deadline.Add(-spare))
		defer cancel()
	}
	results, err := s.readPictures(limited, engine, todo)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	var used, doubtful, stopped []int
	for k, i := range todo {
		p := &pages[i]
		switch r := results[k]; {
		case r == nil:
			stopped = append(stopped, i+1)
		case !r.Sure():
			doubtful = append(doubtful, i+1)
		default:
			used = append(used, i+1)
			p.text, p.images, p.runes, p.bad = r.Text, 0, r.Runes, 0
		}
	}
	warnPages(b, ocr.WarnUsed, used)
	warnPages(b, ocr.WarnDoubtful, doubtful)
	warnPages(b, ocr.WarnStopped, stopped)
	engine.WarnAbsent(b)
	return nil
}

// readPictures draws pages and has their text recognised, several at a time. The
// result of a page is nil when time ran out before it.
func (s *session) readPictures(ctx context.Context, engine *ocr.Engine, pages []int) ([]*ocr.Page, error) {
	out := make([]*ocr.Page, len(pages))
	var g errgroup.Group
	g.SetLimit(max(1, runtime.GOMAXPROCS(0)))
	for k, i := range pages {
		if ctx.Err() != nil {
			break
		}
		picture, err := s.picture(i)
		if err != nil {
			_ = g.Wait() // the error that counts is this one
			return nil, err
		}
		g.Go(func() error {
			found, err := engine.Read(ctx, picture)
			switch {
			case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
				return nil
			case errors.Is(err, ocr.ErrPicture), err == nil && len(found) == 0:
				out[k] = &ocr.Page{}
				return nil
			case err != nil:
				return fmt.Errorf("read picture of page %d: %w", i+1, err)
			}
			out[k] = &found[0]
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}
