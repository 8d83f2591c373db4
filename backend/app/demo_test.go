package app

import (
	"testing"

	"ragdesk/backend/api"
	"ragdesk/backend/builtin"
	"ragdesk/backend/fault"
	"ragdesk/backend/store"
)

// TestTheDemoKeepsWhatItsUserPutIn has a built-in library that an older program cut
// otherwise.
func TestTheDemoKeepsWhatItsUserPutIn(t *testing.T) {
	t.Parallel()
	s := service(t)
	if _, err := s.openShelf(t.Context()); err != nil {
		t.Fatal(err)
	}
	set, err := s.newSettings(t.Context(), cut{})
	if err != nil {
		t.Fatal(err)
	}
	set.ChunkerFingerprint = "of an older program"
	writing(t, s, func(w *store.Writer) error {
		lib, err := w.CreateLibrary(t.Context(), builtin.NameClassic, set)
		if fits := s.checkSettings(t.Context(), lib, cut{}); !fault.Is(fits, "settings_mismatch") {
			t.Errorf("an older library: %v", fits)
		}
		return err
	})
	kb := builtin.NameClassic
	words, err := s.StartEditWords(t.Context(), api.EditWordsRequest{KB: kb, Add: api.WordSource{Lines: []string{"灵犀三号"}}, Stop: api.WordSource{Lines: []string{"公司"}}})
	if j := ended(t, s, words, err); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	for range 2 {
		j, err := s.StartDemo(t.Context(), api.DemoRequest{})
		if j = ended(t, s, j, err); j.State != "done" {
			t.Fatalf("%+v", j.Error)
		}
		kept, err := s.Words(t.Context(), api.WordsRequest{KB: kb})
		if err != nil || len(kept.Words) != 1 || len(kept.Stop) != 1 {
			t.Errorf("words %+v, %v", kept, err)
		}
		list, err := s.ListDocuments(t.Context(), api.ListDocumentsRequest{KB: kb})
		if err != nil || len(list.Documents) != len(builtin.Classic().Documents) {
			t.Errorf("%d documents, %v", len(list.Documents), err)
		}
		lib, err := s.store.Library(t.Context(), kb)
		if err != nil || s.checkSettings(t.Context(), lib, cut{}) != nil {
			t.Errorf("it is as it was: %+v, %v", lib, err)
		}
	}
}
