package engine

import "golang.org/x/sys/cpu"

// missingFeatures lists what the processor lacks of x86-64-v3, for which the
// engine's kernels are compiled (build/engine/cc-x86-64-v3).
func missingFeatures() []string {
	var missing []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"AVX", cpu.X86.HasAVX}, {"AVX2", cpu.X86.HasAVX2}, {"BMI1", cpu.X86.HasBMI1}, {"BMI2", cpu.X86.HasBMI2},
		{"F16C", cpu.X86.HasF16C}, {"FMA", cpu.X86.HasFMA}, {"LZCNT", cpu.X86.HasLZCNT}, {"MOVBE", cpu.X86.HasMOVBE},
	} {
		if !f.has {
			missing = append(missing, f.name)
		}
	}
	return missing
}
