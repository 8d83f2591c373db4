package guard_test

import (
	"context"
	"path"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

func TestMisnamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inner []rag.Notice
		want  string
	}{
		"a document":   {nil, "rtf: doc"},
		"another":      {[]rag.Notice{{Code: guard.WarnExtension, Detail: "doc: html"}}, "rtf: html"},
		"other doubts": {[]rag.Notice{{Code: "x", Detail: "y"}}, "rtf: doc"},
	} {
		env := guard.Env{Nested: func(_ context.Context, in rag.Input) (rag.Document, error) {
			return rag.Document{Source: in.Source, Title: path.Base(in.Source), Warnings: c.inner}, nil
		}}
		d, err := guard.Misnamed(context.Background(), rag.Input{Source: "dir/a.rtf"}, env, "rtf")
		if err != nil || d.Source != "dir/a.rtf" || d.Title != "a.rtf" {
			t.Errorf("%s: source %q, title %q (%v)", name, d.Source, d.Title, err)
		}
		if last := d.Warnings[len(d.Warnings)-1]; last.Code != guard.WarnExtension || last.Detail != c.want {
			t.Errorf("%s: warnings %v, want %s", name, d.Warnings, c.want)
		}
	}
	env := guard.Env{Nested: func(context.Context, rag.Input) (rag.Document, error) { return rag.Document{}, guard.Password("x") }}
	if _, err := guard.Misnamed(context.Background(), rag.Input{}, env, "rtf"); !fault.Is(err, "password") {
		t.Errorf("the inner fault is lost: %v", err)
	}
}
