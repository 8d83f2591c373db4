package judge

import "testing"

// The embedded file has a regression for each language and kind of claim.
func TestWeightsAreThere(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"zh", "en"} {
		for _, kind := range []string{kindStatement, kindShort} {
			if m := model(lang, kind); len(m.Features) < 10 {
				t.Errorf("%s/%s has %d features", lang, kind, len(m.Features))
			}
		}
	}
}
