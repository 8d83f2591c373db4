package parse

// Format names the format that source stands for; ok is false when it is not read.
func Format(source string) (name string, ok bool) {
	f, ok := New(Options{}).formatOf(source)
	return f.name, ok
}
