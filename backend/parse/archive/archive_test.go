package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/archive"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// packed makes an archive of pairs of name and content.
func packed(t *testing.T, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		f, err := w.Create(pairs[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpack lists the entries with their content or the code of their fault.
func unpack(t *testing.T, l guard.Limits, b []byte) (got []string, err error) {
	t.Helper()
	err = archive.New(l).Unpack(t.Context(), b, func(e rag.ArchiveEntry) error {
		what := string(e.Bytes)
		if e.Err != nil {
			what = fault.Of(e.Err).Code
		}
		got = append(got, e.Name+"="+what)
		return nil
	})
	return got, err
}

func TestNamesAreCleanAndUnique(t *testing.T) {
	t.Parallel()
	got, err := unpack(t, guard.Limits{}, packed(t, "../../etc/a.txt", "1", "/b.txt", "2", "b.txt", "3", `c\\d.txt`, "4", "folder/", ""))
	want := []string{"etc/a.txt=1", "b.txt=2", "b#2.txt=3", "c/d.txt=4"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func TestUnpackingIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 3<<20)
	nested := packed(t, "deep.txt", "x")
	for range 3 {
		nested = packed(t, "inner.zip", string(nested))
	}
	for name, c := range map[string]struct {
		limits guard.Limits
		b      []byte
		want   []string
	}{
		"ratio":    {guard.Limits{Ratio: 10}, packed(t, "a.txt", long, "b.txt", "x"), []string{"a.txt=limit_ratio", "b.txt=x"}},
		"bytes":    {guard.Limits{Bytes: 1 << 20}, packed(t, "a.txt", long, "b.txt", "x"), []string{"a.txt=limit_bytes", "b.txt=x"}},
		"inflated": {guard.Limits{Inflated: 2 << 20, Ratio: 1 << 30}, packed(t, "a.txt", long), []string{"a.txt=limit_inflated"}},
		"depth":    {guard.Limits{}, nested, []string{"inner.zip/inner.zip/inner.zip=limit_depth"}},
		"damage":   {guard.Limits{}, packed(t, "x.zip", "PK\x03\x04 no more", "b.txt", "x"), []string{"x.zip=corrupt", "b.txt=x"}},
	} {
		if got, err := unpack(t, c.limits, c.b); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %.80v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := unpack(t, guard.Limits{}, []byte("no archive")); !fault.Is(err, "corrupt") {
		t.Errorf("no archive: %v", err)
	}
}

func TestUnpackStops(t *testing.T) {
	t.Parallel()
	b := packed(t, "a.zip", string(packed(t, "1.txt", "", "2.txt", "")), "b.txt", "")
	stop, seen := errors.New("stop"), 0
	err := archive.New(guard.Limits{}).Unpack(t.Context(), b, func(rag.ArchiveEntry) error { seen++; return stop })
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("%d entries after %v", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := archive.New(guard.Limits{}).Unpack(ctx, b, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
