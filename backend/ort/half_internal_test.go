package ort

import (
	"math"
	"testing"
)

func TestFromHalf(t *testing.T) {
	t.Parallel()
	for h, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 1.0 / (1 << 14), 0x0001: 1.0 / (1 << 24),
		0x03ff: 1023.0 / (1 << 24), 0x3555: 0.333251953125, 0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1)),
	} {
		if got := fromHalf(h); got != want {
			t.Errorf("%#04x is %g, want %g", h, got, want)
		}
	}
	if got := fromHalf(0x8000); got != 0 || !math.Signbit(float64(got)) {
		t.Errorf("minus zero is %g", got)
	}
	if got := fromHalf(0x7e00); got == got {
		t.Errorf("not a number is %g", got)
	}
}
