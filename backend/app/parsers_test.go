package app

import (
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/host"
)

func TestParseLimits(t *testing.T) {
	t.Parallel()
	got, err := parseLimits(map[string]string{"bytes": "1.5G", "pages": "10", "time": "90", "memory": "300MiB", "ratio": "50", "text": "2kb"})
	if err != nil {
		t.Fatal(err)
	}
	var want host.Options
	want.Limits.Bytes, want.Limits.Pages, want.Limits.Ratio, want.Limits.Text = 3<<29, 10, 50, 2048
	want.Time, want.Memory = 90*time.Second, 300<<20
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, err = parseLimits(map[string]string{"time": "2m"}); err != nil || got.Time != 2*time.Minute {
		t.Errorf("2m: %v, %v", got.Time, err)
	}
	for name, value := range map[string]string{"speed": "1", "pages": "0", "bytes": "-1", "memory": "much", "time": "0", "depth": "1.5", "text": "NaN", "inflated": "1e300"} {
		if _, err := parseLimits(map[string]string{name: value}); !fault.Is(err, "limit_invalid") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}
