package bundle

// ContentOf is the hash of a manifest's files.
func ContentOf(files []File) string { return contentOf(files) }
