package lexical

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// maxSegment bounds the chunks of a merged segment and with them the time that a
// small change can take: merging costs about 0.1 ms a chunk. Segments of more than
// half as many are merged again only when chunks are deleted from them, and a
// search pays a few microseconds a term for each.
const maxSegment = 8192

// mergePlan merges like with like: segments of up to maxSegment chunks and of the
// rest a number that is logarithmic in their chunks.
var mergePlan = mergeplan.MergePlanOptions{
	MaxSegmentsPerTier:   4,
	MaxSegmentSize:       maxSegment,
	MaxSegmentFileSize:   1 << 40,
	TierGrowth:           8,
	SegmentsPerMergeTask: 8,
	FloorSegmentSize:     200,
	ReclaimDeletesWeight: 2,
}

// mergeWatch is how often a running merge is checked for failure.
const mergeWatch = 50 * time.Millisecond

// merge unites segments where mergePlan asks for it and waits for the disk.
func merge(ctx context.Context, store *scorch.Scorch) error {
	before, err := segmentFiles(store)
	if err != nil {
		return err
	}
	if err := forceMerge(ctx, store); err != nil {
		return fmt.Errorf("merge %d segments: %w", len(before), err)
	}
	after, err := segmentFiles(store)
	if err != nil || maps.Equal(before, after) {
		return err
	}
	// A change is reported once it and all before it are on disk, the merge among
	// them.
	return store.SetInternal([]byte("merged"), nil)
}

// forceMerge runs bleve's merge, which ends at the latest when the store is
// closed. That one tries again for ever when it fails, on a full disk for
// instance, and never answers when it panics, so it is watched.
func forceMerge(ctx context.Context, store *scorch.Scorch) error {
	merging, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- store.ForceMerge(merging, &mergePlan) }()
	tick := time.NewTicker(mergeWatch)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return errors.Join(err, ctx.Err())
		case <-tick.C:
			stats := store.StatsMap()
			for _, name := range []string{"TotFileMergeLoopErr", "TotOnErrors"} {
				if n, _ := stats[name].(uint64); n > 0 {
					return fmt.Errorf("%d errors in the background (%s)", n, name)
				}
			}
		}
	}
}

// segmentFiles returns the names of the files that hold the store's segments.
func segmentFiles(store *scorch.Scorch) (map[string]bool, error) {
	reader, err := store.Reader()
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	if snapshot, ok := reader.(*scorch.IndexSnapshot); ok {
		for _, s := range snapshot.Segments() {
			if on, ok := s.Segment().(segment.PersistedSegment); ok {
				files[filepath.Base(on.Path())] = true
			}
		}
	}
	return files, reader.Close()
}

// prune removes the segments that merges left behind in dir.
func prune(dir string, live map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == segmentExt && !live[e.Name()] {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
