// Package app implements api.Service: it opens the layers below lazily, wires
// them to one another in wire.go, and holds no rule of retrieval or ingestion
// of its own.
//
// New does nothing but remember its configuration, so that a program which only
// prints its help never opens a database or a model.
package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/embed"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/job"
	"ragdesk/backend/library"
	"ragdesk/backend/llm"
	"ragdesk/backend/parse/host"
	"ragdesk/backend/rerank"
	"ragdesk/backend/runstore"
	"ragdesk/backend/store"
)

// Version of the program, set by the build.
var Version = "0.1.0-dev"

// Config says where and how the service works.
type Config struct {
	// Workspace is the folder of the workspace; empty means DefaultWorkspace.
	Workspace string
	// LockWait is how long a change waits for another writer; 0 means 5 s.
	LockWait time.Duration
	// Notify is told of slow work the user did not ask for, such as the rebuild of
	// an index, and of what was asked for and is not there, such as a folder that a
	// filter names; it may be nil.
	Notify func(code string, params ...fault.Param)
	// Models is the folder of installed models; empty means the user's own.
	Models string
	// LLM says where language models are looked for; nil means as the environment
	// says.
	LLM *llm.Hosts
	// Engine is the folder of the built-in language model engine; empty means the
	// user's own.
	Engine string
	// LimitMemory sets the limit of Go's memory in bytes, again whenever libraries
	// need another; nil sets none. Programs give MemoryLimiter.
	LimitMemory func(bytes int64)
}

// Service is api.Service. It is safe for concurrent use.
type Service struct {
	cfg   Config
	board *job.Board

	mu    sync.Mutex
	store *store.Store
	shelf *library.Shelf
	// parserHost is nil until a file is read.
	parserHost *host.Host
	// llm is nil until a language model is asked for.
	llm *llm.Chooser
	// vocabularies holds the generator of the model that was last counted with.
	vocabularies map[string]*llm.Generator

	rt            runtimeSlot
	installed     installedModels
	embedders     slots[*embed.Model]
	crossEncoders slots[*rerank.CrossEncoder]
	// modelsTurn holds a token while the models folder is being changed.
	modelsTurn chan struct{}
	// judging is the turn of models of this machine that judge.
	judging turn

	tokens    tokenFiles
	views     viewCache
	analyzers analyzers
	// labelFile is nil until labels are read or kept.
	labelFile  *runstore.Labels
	ratingFile *runstore.Ratings
	memory     *memory
}

var (
	_ api.Service = (*Service)(nil)
	_ api.Events  = (*Service)(nil)
)

// New returns a service over the workspace of cfg, which is opened, and made if
// need be, by the first operation.
func New(cfg Config) (*Service, error) {
	if cfg.Workspace == "" {
		dir, err := DefaultWorkspace()
		if err != nil {
			return nil, err
		}
		cfg.Workspace = dir
	}
	if cfg.LockWait == 0 {
		cfg.LockWait = 5 * time.Second
	}
	if cfg.Notify == nil {
		cfg.Notify = func(string, ...fault.Param) {}
	}
	return &Service{cfg: cfg, board: job.NewBoard(), installed: installedModels{dir: cfg.Models}, modelsTurn: make(chan struct{}, 1), judging: make(turn, 1), tokens: newTokenFiles(),
		memory: newMemory(cfg.LimitMemory)}, nil
}

// DefaultWorkspace is RAGDESK_WORKSPACE, or the user's data folder.
func DefaultWorkspace() (string, error) {
	if dir := os.Getenv("RAGDESK_WORKSPACE"); dir != "" {
		return dir, nil
	}
	return dataDir()
}

// dataDir is the user's data folder of this program.
func dataDir() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, "workspace_unknown")
	}
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "ragdesk"), nil
		}
		return filepath.Join(home, "AppData", "Local", "ragdesk"), nil
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "ragdesk"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "ragdesk"), nil
	}
	return filepath.Join(home, ".local", "share", "ragdesk"), nil
}

// Close cancels running jobs, waits for them, and closes what is open.
func (s *Service) Close() error {
	s.board.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shelf != nil {
		s.shelf.Close()
	}
	if s.parserHost != nil {
		_ = s.parserHost.Close() // its children end with this process in any case
	}
	s.tokens.close()
	s.embedders.close("")
	s.crossEncoders.close("")
	err := s.closeLLM()
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
	}
	return err
}

// Subscribe follows jobs; see api.Events.
func (s *Service) Subscribe(ctx context.Context, send func(api.Event) error) error {
	lang := i18n.Language(ctx)
	return s.board.Subscribe(ctx, func(e job.Event) error {
		out := api.Event{Seq: e.Seq, Kind: string(e.Kind), Job: jobSnapshot(lang, e.Job)}
		if o, ok := e.Item.(outcome); ok {
			status := documentStatus(lang, o)
			out.Item = &status
		}
		return send(out)
	})
}

// ListJobs lists the jobs of this process that have not ended.
func (s *Service) ListJobs(ctx context.Context, _ api.ListJobsRequest) (api.JobList, error) {
	out := api.JobList{Jobs: []api.Job{}}
	for _, snap := range s.board.Running("") {
		out.Jobs = append(out.Jobs, jobSnapshot(i18n.Language(ctx), snap))
	}
	return out, nil
}

// GetJob returns a job's snapshot.
func (s *Service) GetJob(ctx context.Context, r api.JobRequest) (api.Job, error) {
	snap, err := s.board.Get(r.ID)
	if err != nil {
		return api.Job{}, err
	}
	return jobSnapshot(i18n.Language(ctx), snap), nil
}

// CancelJob asks a job to stop.
func (s *Service) CancelJob(ctx context.Context, r api.JobRequest) (api.Job, error) {
	snap, err := s.board.Cancel(r.ID)
	if err != nil {
		return api.Job{}, err
	}
	return jobSnapshot(i18n.Language(ctx), snap), nil
}
