package stats_test

import (
	"math"
	"testing"

	"ragdesk/backend/stats"
)

func TestVectorsHaveTheirKnownAnswers(t *testing.T) {
	t.Parallel()
	vectors, err := stats.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 33 {
		t.Errorf("%d vectors, want at least 33", len(vectors))
	}
	for _, v := range vectors {
		if math.IsNaN(v.Got) || math.Abs(v.Got-v.Want) > stats.VectorTolerance {
			t.Errorf("%s = %.6f, want %v", v.Name, v.Got, v.Want)
		}
	}
}
