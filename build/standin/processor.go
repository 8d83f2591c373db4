package standin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/cpu"
)

// Reference is where a test finds the file name below testdata. What 8-bit models compute
// depends on the processor: ONNX Runtime sums exactly where it multiplies bytes in one step
// (VNNI), and saturates at 16 bits on processors with AVX2 alone. testdata/vnni has what
// differs for the former.
func Reference(name string) (string, error) {
	if path := filepath.Join("testdata", "vnni", name); Exact() {
		switch _, err := os.Stat(path); {
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return filepath.Join("testdata", name), nil
}

// Exact reports whether this processor sums the products of bytes exactly.
func Exact() bool {
	return cpu.X86.HasAVX512VNNI || cpu.X86.HasAVXVNNI
}
