package web

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
)

func TestHubSince(t *testing.T) {
	t.Parallel()
	h := newHub()
	for seq := int64(1); seq <= ringSize+10; seq++ {
		h.publish(api.Event{Seq: seq * 2}) // dropped progress leaves holes in Seq
	}
	newest := int64((ringSize + 10) * 2)
	for name, tt := range map[string]struct {
		seq  int64
		want int
		lost bool
	}{
		"all read":            {newest, 0, false},
		"three missed":        {newest - 6, 3, false},
		"the whole ring":      {20, ringSize, false},
		"one too many missed": {19, ringSize, true},
		"never read":          {0, ringSize, true},
		"another launch":      {newest + 1, 0, true},
	} {
		events, lost, _ := h.since(tt.seq)
		if len(events) != tt.want || lost != tt.lost {
			t.Errorf("%s: got %d events, lost %v, want %d, %v", name, len(events), lost, tt.want, tt.lost)
		}
	}
	if h.newest() != newest {
		t.Errorf("newest %d, want %d", h.newest(), newest)
	}
}

func TestStreamResumes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lastID string
		want   []string
	}{
		"missed two":     {"1", []string{"id: 2", "event: job", "id: 3", "event: job"}},
		"another launch": {"99", []string{"id: 3", "event: reset"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testServer(t)
			for seq := int64(1); seq <= 3; seq++ {
				s.hub.publish(api.Event{Seq: seq})
			}
			web := httptest.NewServer(s.handler())
			defer web.Close()
			got := readStream(t, s, web.URL, tt.lastID, len(tt.want))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// readStream returns the first n id and event lines of a stream.
func readStream(t *testing.T, s *server, base, lastID string, n int) []string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = testHost
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Last-Event-ID", lastID)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got []string
	for lines := bufio.NewScanner(res.Body); len(got) < n && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "id:") || strings.HasPrefix(lines.Text(), "event:") {
			got = append(got, lines.Text())
		}
	}
	return got
}

func TestStreamRefusesBadID(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	testServer(t).handler().ServeHTTP(w, with("GET", "/api/events", "", header("Last-Event-ID", "x"+strconv.Itoa(1))))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "body_invalid") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
