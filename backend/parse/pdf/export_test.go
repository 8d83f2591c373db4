package pdf

// SmallReader returns a reader whose PDFium runs out of memory early.
func SmallReader() *Reader {
	r := NewReader()
	r.memory = 768 // 48 MiB
	return r
}
