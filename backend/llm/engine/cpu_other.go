//go:build !amd64

package engine

// missingFeatures is empty: the kernels are compiled for every processor of the
// architecture.
func missingFeatures() []string { return nil }
