package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"ragdesk/backend/rag"
)

// Format is the version of the files that hold runs.
const Format = 1

// Choices of what makes a chunk relevant.
const (
	// RelevanceContains: the chunk covers a whole gold span.
	RelevanceContains = "contains"
	// RelevanceOverlaps: the chunk shares text with a gold span.
	RelevanceOverlaps = "overlaps"
	// RelevanceDocument: documents are ranked, each by its best chunk.
	RelevanceDocument = "document"
)

// Choices of what is counted as one relevant thing.
const (
	// UnitChunk counts every relevant chunk of the library.
	UnitChunk = "chunk"
	// UnitGold counts gold passages; those that overlap are one.
	UnitGold = "gold"
)

// PurposeTune marks the runs over the held-out half of the questions of a tuning.
const PurposeTune = "tune"

// Run is everything that tells one run from another.
type Run struct {
	Format int `json:"format"`
	// ID is unique in a store; it holds neither a dot nor a separator.
	ID string `json:"run_id"`
	// Name is what reports call the run; Strategy is what was asked for.
	Name     string    `json:"name"`
	Strategy string    `json:"strategy"`
	Created  time.Time `json:"created"`
	// Purpose is PurposeTune for a run that confirmed a choice; empty for an evaluation.
	Purpose string `json:"purpose" tstype:"'' | 'tune'"`
	// Pipeline as asked for; lists were retrieved down to Depth.
	Pipeline rag.Pipeline `json:"pipeline"`
	// Fingerprint names the pipeline at Depth, the models and the indexes.
	Fingerprint string  `json:"fingerprint"`
	Library     Library `json:"library"`
	Dataset     Dataset `json:"dataset"`
	// Answering is who answered and who judged, null when nothing was answered.
	Answering *Answering `json:"answering"`
	Relevance string     `json:"relevance"`
	Unit      string     `json:"unit"`
	// Gain is "exponential" or "linear", that of nDCG where a metric leaves it open.
	Gain string `json:"gain"`
	// Metrics are the names in the order asked, as typed.
	Metrics []string `json:"metrics"`
	Primary string   `json:"primary"`
	Depth   int      `json:"depth"`
	Seed    uint64   `json:"seed"`
	Program Program  `json:"program"`
}

// Library is the knowledge base that a run searched.
type Library struct {
	KB          string `json:"kb"`
	Fingerprint string `json:"fingerprint"`
	Revision    int64  `json:"revision"`
	Documents   int    `json:"documents"`
	// Content is a hash of the documents, however they were cut; empty when unknown.
	Content      string `json:"content"`
	Chunks       int    `json:"chunks"`
	Chunker      string `json:"chunker"`
	ChunkSize    int    `json:"chunk_size"`
	ChunkOverlap int    `json:"chunk_overlap"`
	Embedder     string `json:"embedder"`
}

// Dataset is the set of questions that a run answered.
type Dataset struct {
	Name string `json:"name"`
	// Ref is what names it on the command line: its name, or the path as it was
	// given.
	Ref       string `json:"ref"`
	Hash      string `json:"hash"`
	Questions int    `json:"questions"`
}

// Answering is who answers and who judges.
type Answering struct {
	// Model is that of a language model, or "extractive".
	Model    string `json:"model"`
	Detector string `json:"detector"`
	// DetectorFingerprint changes when verdicts may.
	DetectorFingerprint string `json:"detector_fingerprint"`
	// JudgeModel is that of the rubric_… and llm_… metrics, empty where there are none.
	JudgeModel string `json:"judge_model"`
	// Judges are the models that judge: of detectors, of the rubric, of llm_… metrics.
	Judges []JudgeModel `json:"judges"`
}

// JudgeModel is a model that judges answers.
type JudgeModel struct {
	Model string `json:"model"`
	// Own says that it wrote the answers itself, Small that it is too small to be trusted.
	Own   bool `json:"own"`
	Small bool `json:"small"`
}

// Program is what ran, and where.
type Program struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	CPUs    int    `json:"cpus"`
}

// Stored is a run with all that it returned.
type Stored struct {
	Run
	Records []Record
	// Timing is empty when it was not kept.
	Timing Timing
	// Note is what a person wrote of the run; empty without.
	Note string
}

// NewID returns an ID for a run: the time in UTC, its name as far as letters and
// digits of ASCII spell it, and a hash of all its particulars.
func NewID(r Run) string {
	slug := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return '-'
	}, strings.ToLower(r.Name))
	parts := strings.FieldsFunc(slug, func(c rune) bool { return c == '-' })
	slug = strings.Join(parts, "-")
	slug = strings.Trim(slug[:min(len(slug), 32)], "-")
	if slug == "" {
		slug = "run"
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %q %q %q %d",
		r.Name, r.Created.UnixNano(), r.Fingerprint, r.Library.KB, r.Dataset.Hash, r.Seed))
	return r.Created.UTC().Format("20060102-150405") + "-" + slug + "-" + hex.EncodeToString(sum[:3])
}
