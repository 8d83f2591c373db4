package main

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/web"
)

// TestEdgesHaveEveryOperation compares the method sets of the Service, of the
// window's App and of the HTTP table, names and types.
func TestEdgesHaveEveryOperation(t *testing.T) {
	t.Parallel()
	service, bound := reflect.TypeFor[api.Service](), reflect.TypeFor[*App]()
	want, got := map[string]string{}, map[string]string{}
	var names []string
	for m := range service.Methods() {
		names = append(names, m.Name)
		want[m.Name] = m.Type.In(1).String() + " → " + m.Type.Out(0).String()
	}
	for m := range bound.Methods() {
		if m.Type.NumIn() != 2 || m.Type.NumOut() != 2 { // the receiver is the first
			t.Errorf("App.%s is %v", m.Name, m.Type)
			continue
		}
		got[m.Name] = m.Type.In(1).String() + " → " + m.Type.Out(0).String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Service and App differ:\n%s", diff)
	}
	if diff := cmp.Diff(names, web.Operations()); diff != "" {
		t.Errorf("Service and HTTP table differ:\n%s", diff)
	}
}

// namedService answers each operation with its name, to show which one was
// reached; only Info and GetJob are asked.
type namedService struct{ api.Service }

func (namedService) Info(ctx context.Context, _ api.InfoRequest) (api.Info, error) {
	return api.Info{Version: "Info"}, ctx.Err()
}

func (namedService) GetJob(ctx context.Context, r api.JobRequest) (api.Job, error) {
	return api.Job{ID: r.ID}, ctx.Err()
}

func TestAppWaitsForTheWindow(t *testing.T) {
	t.Parallel()
	a := newApp(namedService{})
	answer := make(chan api.Job)
	go func() {
		j, err := a.GetJob(api.JobRequest{ID: "7"})
		if err != nil {
			t.Error(err)
		}
		answer <- j
	}()
	a.startup(t.Context())
	if j := <-answer; j.ID != "7" {
		t.Errorf("got job %q", j.ID)
	}
}
