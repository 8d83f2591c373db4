package measure_test

import (
	"math"
	"testing"

	"ragdesk/backend/measure"
)

func TestVectorsHaveTheirKnownAnswers(t *testing.T) {
	t.Parallel()
	vectors, err := measure.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 100 {
		t.Errorf("%d vectors, want at least 100", len(vectors))
	}
	for _, v := range vectors {
		if math.Abs(v.Got-v.Want) > measure.VectorTolerance {
			t.Errorf("%s = %.6f, want %.4f", v.Name, v.Got, v.Want)
		}
	}
}
