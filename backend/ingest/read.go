package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// item is one file's way through a run.
type item struct {
	// seq is the outcome's place in the report; a later item with the same seq
	// replaces an earlier outcome.
	seq     int
	size    int64
	outcome Outcome
	// record is set for a document to store; its vectors come from embedding.
	record *rag.DocumentRecord
	// alias is set for a path to store as an alias.
	alias *rag.Alias
	// removeDoc and removeAlias name what disappears.
	removeDoc   rag.DocumentID
	removeAlias string
	// place is where the file lies and source what it is known by, to be kept when it
	// is not read; empty for what is no file. wasUnread says that it was not read
	// before, held that a document is of it.
	place, source   string
	wasUnread, held bool
}

// reader turns files into items: it decides what each file is to the library,
// and reads, parses and chunks the new ones.
type reader struct {
	ports Ports
	opt   Options
	known *known
	scan  scan
	// seqs gives the place of each source in the report.
	seqs map[string]int
	// unpacked are the real paths of the archives read to their end.
	unpacked map[string]bool
	// unpackedAt are their places.
	unpackedAt map[string]bool
}

// all passes an item for every file, then for what follows from them: copies of
// a document that changed, and with Sync what is gone.
func (r *reader) all(ctx context.Context, pass func(*item) error) error {
	r.seqs, r.unpacked, r.unpackedAt = make(map[string]int, len(r.scan.files)), map[string]bool{}, map[string]bool{}
	for _, f := range r.scan.files {
		if _, twice := r.seqs[f.source]; twice {
			continue
		}
		r.seqs[f.source] = len(r.seqs)
		if err := r.one(ctx, f, pass); err != nil {
			return err
		}
	}
	if r.opt.Sync {
		if err := r.gone(pass); err != nil {
			return err
		}
	}
	if err := r.orphans(ctx, pass); err != nil {
		return err
	}
	return r.outlived(pass)
}

func (r *reader) seq(source string) int {
	if n, ok := r.seqs[source]; ok {
		return n
	}
	n := len(r.seqs)
	r.seqs[source] = n
	return n
}

// one passes the item of f.
func (r *reader) one(ctx context.Context, f file, pass func(*item) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.err == nil && f.skip.Code == "" && !f.inArchive() && r.ports.Unpacker != nil && r.ports.IsArchive(f.source) {
		return r.archive(ctx, f, pass)
	}
	it := &item{seq: r.seq(f.source), size: f.size, outcome: Outcome{Source: f.source}}
	r.settle(f, it)
	switch {
	case f.skip.Code != "":
		it.outcome.Status = rag.StatusSkipped
		it.outcome.Warnings = []rag.Notice{f.skip}
	case f.err != nil:
		it.fail(f.err)
	default:
		if err := r.content(ctx, f, it); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			it.fail(err)
		}
	}
	return pass(it)
}

// fail makes the item one that changes nothing.
func (it *item) fail(err error) {
	it.outcome.Status, it.outcome.Err = rag.StatusFailed, err
	if fault.Is(err, "format_unsupported") {
		it.outcome.Status = rag.StatusUnsupported
	}
	it.record, it.alias, it.removeAlias = nil, nil, ""
}

// content decides by real path and bytes what f is.
func (r *reader) content(ctx context.Context, f file, it *item) error {
	data, err := r.load(ctx, f)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if id, ok := r.known.byReal[f.real]; ok {
		doc := r.known.docs[id]
		switch {
		case doc.ContentHash != hash || r.opt.Encoding != "" || r.opt.OCR && doc.Status == rag.StatusNeedsOCR, r.retagged(doc):
			return r.again(ctx, f, doc, data, hash, it)
		case doc.Source != f.source && (!respelled(f) || !spells(doc.Source, doc.RealPath)):
			r.toAlias(f, doc, hash, it)
		default:
			it.unchanged(doc)
		}
		return nil
	}
	if id, ok := r.known.byHash[hash]; ok && r.known.docs[id].Chunks > 0 {
		r.toAlias(f, r.known.docs[id], hash, it)
		return nil
	}
	if a, was := r.known.aliasOf(f); was { // no longer a copy of anything
		it.removeAlias = a.Source
		r.known.removeAlias(a.Source)
	}
	return r.parse(ctx, f, r.known.newID(f), f.source, data, hash, rag.StatusIndexed, it)
}

// again reads a document anew, because its bytes changed or because it may have
// been read in the wrong encoding.
func (r *reader) again(ctx context.Context, f file, doc rag.DocumentRow, data []byte, hash string, it *item) error {
	if err := r.parse(ctx, f, doc.ID, doc.Source, data, hash, rag.StatusUpdated, it); err != nil {
		return err
	}
	if doc.ContentHash == hash && doc.Encoding == it.record.Encoding && doc.Status == it.record.Status && !r.retagged(doc) {
		it.record = nil
		it.unchanged(doc)
	}
	return nil
}

// retagged reports whether the run gives doc other tags than it has.
func (r *reader) retagged(doc rag.DocumentRow) bool {
	return len(r.opt.Tags) > 0 && !slices.Equal(doc.Tags, r.opt.Tags)
}

// modifiedAt is a file's date as it is stored.
func modifiedAt(f file) time.Time {
	if f.modified.IsZero() {
		return time.Time{}
	}
	return f.modified.UTC().Truncate(time.Second)
}

// unchanged makes the item one of a document that is there already.
func (it *item) unchanged(doc rag.DocumentRow) {
	it.outcome.Doc, it.outcome.Warnings = doc, doc.Warnings
	it.outcome.Status = rag.StatusUnchanged
	if doc.Status != rag.StatusIndexed {
		it.outcome.Status = doc.Status
	}
}

// toAlias makes the item one of a further path to doc. Another spelling of a
// path that is an alias already adds none.
func (r *reader) toAlias(f file, doc rag.DocumentRow, hash string, it *item) {
	it.outcome.Status, it.outcome.Doc = rag.StatusAlias, doc
	alias := rag.Alias{Source: f.source, RealPath: f.real, ContentHash: hash, DocID: doc.ID}
	had, was := r.known.aliasOf(f)
	if was {
		alias.Source = had.Source
	}
	if had != alias {
		it.alias = &alias
		r.known.addAlias(alias)
	}
}

// parse reads data into a record of document id.
func (r *reader) parse(ctx context.Context, f file, id rag.DocumentID, source string, data []byte, hash, status string, it *item) error {
	doc, err := parseGuarded(ctx, r.ports.Parser, rag.Input{Source: source, Bytes: data, Encoding: r.opt.Encoding})
	if err != nil {
		return err
	}
	doc.ID, doc.Source = id, source
	chunks, err := r.ports.Chunker.Chunk(ctx, doc)
	if err != nil {
		return fmt.Errorf("chunk %s: %w", source, err)
	}
	if r.ports.Notices != nil {
		doc.Warnings = append(doc.Warnings, r.ports.Notices(doc.Language)...)
	}
	doc.Warnings = append(doc.Warnings, r.ports.truncated(chunks)...)
	record := &rag.DocumentRecord{Text: doc.Text, Chunks: chunks, Counts: make([]rag.TermCounts, len(chunks))}
	for i, c := range chunks {
		record.Counts[i] = r.ports.Count(c.Text)
	}
	chars := utf8.RuneCountInString(doc.Text)
	doc.Text = ""
	record.DocumentRow = rag.DocumentRow{
		Document: doc, RealPath: f.real, ContentHash: hash, Bytes: int64(len(data)),
		Modified: modifiedAt(f), Tags: r.opt.Tags,
		Chars: chars, Chunks: len(chunks), Status: rag.StatusIndexed,
	}
	for _, c := range chunks {
		record.Tokens += c.Tokens
	}
	switch {
	case len(chunks) == 0 && doc.Health.Images > 0:
		status, record.Status = rag.StatusNeedsOCR, rag.StatusNeedsOCR
	case len(chunks) == 0:
		status, record.Status = rag.StatusEmpty, rag.StatusEmpty
	}
	it.record = record
	row := record.DocumentRow
	row.Blocks = nil // they are stored, and nobody here asks for them again
	it.outcome.Status, it.outcome.Doc, it.outcome.Warnings = status, row, doc.Warnings
	r.known.remove(id)
	r.known.add(row)
	return nil
}

// parseGuarded turns a parser's panic into the file's error.
func parseGuarded(ctx context.Context, p rag.Parser, in rag.Input) (doc rag.Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New("parser_crashed", fault.P("detail", p))
		}
	}()
	return p.Parse(ctx, in)
}

// truncatedCode is the warning that an embedder does not read chunks to their end.
const truncatedCode = "embedding_truncated"

// truncated is the warning for chunks that are longer than the embedder reads.
func (p Ports) truncated(chunks []rag.Chunk) []rag.Notice {
	n, limit := p.tooLong(chunks)
	if n == 0 {
		return nil
	}
	return []rag.Notice{{Code: truncatedCode, Detail: fmt.Sprintf("%d/%d > %d", n, len(chunks), limit)}}
}

// tooLong counts the chunks whose end the embedder will not read.
func (p Ports) tooLong(chunks []rag.Chunk) (n, limit int) {
	if p.EmbedLimit == nil {
		return 0, 0
	}
	for _, c := range chunks {
		if own := p.EmbedLimit(c); c.Tokens > own {
			n, limit = n+1, own
		}
	}
	return n, limit
}

// readFile reads a whole file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, readFault(path, err)
	}
	defer func() { _ = f.Close() }() // read-only
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, readFault(path, err)
	}
	if int64(len(data)) > limit {
		size := int64(len(data))
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		return nil, fault.New("limit_bytes", fault.P("limit", limit), fault.P("size", size))
	}
	return data, nil
}

// gone passes the removal of what the given folders no longer hold.
func (r *reader) gone(pass func(*item) error) error {
	for _, id := range sortedKeys(r.known.docs) {
		d := r.known.docs[id]
		if d.RealPath == "" || !r.disappeared(d.Source, d.RealPath) {
			continue
		}
		r.known.remove(id)
		it := &item{seq: r.seq(d.Source), removeDoc: id,
			outcome: Outcome{Source: d.Source, Status: rag.StatusRemoved, Doc: d}}
		if err := pass(it); err != nil {
			return err
		}
	}
	for _, source := range sortedKeys(r.known.aliases) {
		a := r.known.aliases[source]
		if !r.disappeared(source, a.RealPath) {
			continue
		}
		r.known.removeAlias(source)
		if err := pass(r.removedAlias(a)); err != nil {
			return err
		}
	}
	return nil
}

// disappeared reports whether a path known by source is gone from the given
// folders: the file itself or, when source names it through a link, the link.
func (r *reader) disappeared(source, real string) bool {
	if _, scanned := r.seqs[source]; scanned {
		return false
	}
	if archive, _, ok := splitEntry(real); ok {
		return inside(archive, r.scan.roots) && (r.unpacked[archive] || missing(archive))
	}
	if inside(real, r.scan.roots) && missing(real) {
		return true
	}
	return !spells(source, real) && inside(source, r.scan.sources) && missing(filepath.FromSlash(source))
}

func (r *reader) removedAlias(a rag.Alias) *item {
	return &item{seq: r.seq(a.Source), removeAlias: a.Source,
		outcome: Outcome{Source: a.Source, Status: rag.StatusRemoved, Doc: r.known.docs[a.DocID]}}
}

// orphans gives copies whose document changed or went away a document of their
// own, as long as their file is there.
func (r *reader) orphans(ctx context.Context, pass func(*item) error) error {
	for _, source := range sortedKeys(r.known.aliases) {
		a := r.known.aliases[source]
		doc, alive := r.known.docs[a.DocID]
		if alive && (doc.ContentHash == a.ContentHash || doc.RealPath == a.RealPath) {
			continue
		}
		r.known.removeAlias(source)
		f := file{source: source, path: a.RealPath, real: a.RealPath}
		f.data, f.err = r.load(ctx, f)
		f.loaded = true
		lost := fault.Is(f.err, "not_found")
		drop := r.removedAlias(a)
		if !lost {
			drop.outcome = Outcome{} // the file's own item reports
		}
		if err := pass(drop); err != nil {
			return err
		}
		if lost {
			continue
		}
		if err := r.one(ctx, f, pass); err != nil {
			return err
		}
	}
	return nil
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}
