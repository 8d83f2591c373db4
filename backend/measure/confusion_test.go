package measure_test

import (
	"testing"

	"ragdesk/backend/measure"
)

func TestConfusion(t *testing.T) {
	t.Parallel()
	var c measure.Confusion
	for i, n := range []int{6, 2, 1, 3} { // found, missed, wrongly found, left alone
		for range n {
			c.Add(i < 2, i == 0 || i == 2)
		}
	}
	for name, v := range map[string]struct {
		got  measure.Value
		want float64
	}{
		"precision": {c.Precision(), 6. / 7}, "recall": {c.Recall(), .75}, "specificity": {c.Specificity(), .75},
		"f1": {c.F1(), 12. / 15}, "balanced accuracy": {c.BalancedAccuracy(), .75},
	} {
		if v.got != measure.Of(v.want) {
			t.Errorf("%s is %+v, want %v", name, v.got, v.want)
		}
	}
	one := measure.Confusion{TruePositive: 3}
	for name, v := range map[string]measure.Value{
		"specificity": one.Specificity(), "balanced accuracy": one.BalancedAccuracy(),
		"nothing": measure.Confusion{}.F1(), "precision": measure.Confusion{}.Precision(),
	} {
		if v.OK() || v.Reason != measure.NoValues {
			t.Errorf("%s is %+v", name, v)
		}
	}
}
