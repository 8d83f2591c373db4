package app

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/store"
)

// named is a library of three short documents.
func named(t *testing.T) *Service {
	t.Helper()
	s := service(t)
	dir := folder(t, map[string]string{
		"a.txt": "在今年的发布会上，公司宣布灵犀三号将于秋天上市。", "b.txt": "灵犀，三号。云边协同的平台属于公司。", "c.txt": "公司年报：云边协同与研究生命的起源。",
	})
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: []string{dir}})
	ended(t, s, j, err)
	return s
}

func edit(t *testing.T, s *Service, r api.EditWordsRequest) api.Words {
	t.Helper()
	r.KB = "kb"
	j, err := s.StartEditWords(t.Context(), r)
	if j = ended(t, s, j, err); j.Words == nil {
		t.Fatalf("job %+v", j.Error)
	}
	return *j.Words
}

// ranked is what a search by words finds, as bytes.
func ranked(t *testing.T, s *Service) string {
	t.Helper()
	r, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "公司何时发布灵犀三号和云边协同", Strategy: "bm25"})
	if err != nil {
		t.Fatal(err)
	}
	r.TimingsMS = nil
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRemovedWordsLeaveNothing holds that whatever words were added, in whatever
// steps, a library without them ranks as it did, and that the order in which the same
// words came does not show.
func TestRemovedWordsLeaveNothing(t *testing.T) {
	t.Parallel()
	s := named(t)
	other := serviceOn(t, s.cfg.Workspace)
	bare := ranked(t, s)
	rng := rand.New(rand.NewPCG(6, 4))
	pieces := []rune("公司宣布灵犀三号云边协同研究生命的起源")
	changed := 0
	for range 12 {
		var lines []string
		for range 1 + rng.IntN(4) {
			from := rng.IntN(len(pieces) - 4)
			lines = append(lines, string(pieces[from:from+1+rng.IntN(4)]))
		}
		stop := lines[:rng.IntN(2)]
		add := slices.DeleteFunc(lines[len(stop):], func(w string) bool { return slices.Contains(stop, w) })
		edit(t, s, api.EditWordsRequest{Add: api.WordSource{Lines: add}, Stop: api.WordSource{Lines: stop}})
		with := ranked(t, s)
		if with != bare {
			changed++
		}
		// Another process sees the same, and takes them back one by one.
		if got := ranked(t, other); got != with {
			t.Fatalf("words %v, stop %v: another service finds\n%s\nnot\n%s", add, stop, got, with)
		}
		for _, i := range rng.Perm(len(lines)) {
			edit(t, other, api.EditWordsRequest{Remove: api.WordSource{Lines: lines[i : i+1]}})
		}
		if got := ranked(t, s); got != bare {
			t.Fatalf("after %v, stop %v, were added and removed:\n%s", add, stop, cmp.Diff(bare, got))
		}
	}
	if changed < 6 {
		t.Errorf("words changed a ranking %d times of 12", changed)
	}
}

// TestWordsAreChangedByTurns has writers that wait for one another and readers that
// never see half of a change.
func TestAWordIsNoStopWordAtOnce(t *testing.T) {
	t.Parallel()
	s := named(t)
	same := api.WordSource{Lines: []string{"灵犀三号"}}
	if _, err := s.StartEditWords(t.Context(), api.EditWordsRequest{KB: "kb", Add: same, Stop: same}); !fault.Is(err, "flags_conflict") {
		t.Errorf("added and stopped: %v", err)
	}
}

func TestWordsAreChangedByTurns(t *testing.T) {
	t.Parallel()
	s := named(t)
	s.cfg.LockWait = 1e10
	bare := ranked(t, s)
	edit(t, s, api.EditWordsRequest{Add: api.WordSource{Lines: []string{"灵犀三号"}}})
	with := ranked(t, s)
	if with == bare {
		t.Fatal("the word changes nothing")
	}
	other := serviceOn(t, s.cfg.Workspace)
	other.cfg.LockWait = 1e10
	var group sync.WaitGroup
	for _, writer := range []*Service{s, other} {
		group.Go(func() {
			for range 4 {
				edit(t, writer, api.EditWordsRequest{Remove: api.WordSource{Lines: []string{"灵犀三号"}}})
				edit(t, writer, api.EditWordsRequest{Add: api.WordSource{Lines: []string{"灵犀三号"}}})
			}
		})
		group.Go(func() {
			for range 20 {
				if got := ranked(t, writer); got != bare && got != with {
					t.Errorf("while the word comes and goes:\n%s", got)
				}
			}
		})
	}
	group.Wait()
	if got := ranked(t, serviceOn(t, s.cfg.Workspace)); got != with {
		t.Errorf("opened again:\n%s", cmp.Diff(with, got))
	}
}

func TestWordsNeedTheLock(t *testing.T) {
	t.Parallel()
	s := named(t)
	before := ranked(t, s)
	writing(t, s, func(*store.Writer) error {
		j, err := s.StartEditWords(t.Context(), api.EditWordsRequest{KB: "kb", Add: api.WordSource{Lines: []string{"灵犀三号"}}})
		if j = ended(t, s, j, err); j.Error == nil || j.Error.Code != "workspace_locked" || j.Words != nil {
			t.Errorf("while another writes: %+v", j.Error)
		}
		return nil
	})
	if got := ranked(t, s); got != before {
		t.Error("a change that was refused shows")
	}
	if _, err := s.StartEditWords(t.Context(), api.EditWordsRequest{KB: "kb"}); !fault.Is(err, "argument_missing") {
		t.Errorf("nothing to change: %v", err)
	}
	many := make([]string, maxWords+1)
	for i := range many {
		many[i] = fmt.Sprintf("w%d", i)
	}
	j, err := s.StartEditWords(t.Context(), api.EditWordsRequest{KB: "kb", Add: api.WordSource{Lines: many}})
	if j = ended(t, s, j, err); j.Error == nil || j.Error.Code != "words_many" {
		t.Errorf("too many words: %+v", j.Error)
	}
}
