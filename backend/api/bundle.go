package api

// ExportBundleRequest writes the whole workspace into one file.
type ExportBundleRequest struct {
	// File is where; empty means a name with the date in the workspace's own folder of
	// backups.
	File string `json:"file"`
	// Models are installed models that go along.
	Models []string `json:"models"`
	// NoPaths leaves out where the documents' files lie on this machine.
	NoPaths bool `json:"no_paths"`
	// Overwrite replaces a file that is there.
	Overwrite bool `json:"overwrite"`
}

// BundleRequest names a bundle: a file, or one of the workspace's own backups.
type BundleRequest struct {
	File string `json:"file"`
}

// ListBundlesRequest asks for the workspace's own backups.
type ListBundlesRequest struct{}

// ImportBundleRequest restores a bundle.
type ImportBundleRequest struct {
	File string `json:"file"`
	// Mode is empty for a workspace in which there is nothing; else replace, which keeps a
	// backup of what is replaced, or add, which adds libraries and datasets under free
	// names.
	Mode string `json:"mode" tstype:"'' | 'replace' | 'add'"`
}

// BundleInfo is what a bundle holds.
type BundleInfo struct {
	File string `json:"file"`
	// Bytes is the size of the file, ContentBytes that of what is in it.
	Bytes        int64 `json:"bytes"`
	ContentBytes int64 `json:"content_bytes"`
	// Format is the version of the file, Program that of what wrote it.
	Format  int    `json:"format"`
	Program string `json:"program"`
	Created string `json:"created"`
	// Content is a hash of all that is in it: equal contents have equal ones.
	Content string `json:"content"`
	// Paths tells whether documents have the paths of their files.
	Paths    bool       `json:"paths"`
	KBs      []BundleKB `json:"kbs"`
	Datasets []string   `json:"datasets"`
	Models   []string   `json:"models"`
	// Counts are runs, labels, ratings, prompts, replies and uploads.
	Counts BundleCounts `json:"counts"`
}

// BundleCounts are numbers of things.
type BundleCounts struct {
	Runs    int `json:"runs"`
	Labels  int `json:"labels"`
	Ratings int `json:"ratings"`
	Prompts int `json:"prompts"`
	Replies int `json:"replies"`
	Uploads int `json:"uploads"`
}

// BundleKB is a knowledge base of a bundle.
type BundleKB struct {
	KB string `json:"kb"`
	// As is what it is called in this workspace; null before it is restored.
	As          *string `json:"as"`
	Documents   int     `json:"documents"`
	Chunks      int     `json:"chunks"`
	Embedder    string  `json:"embedder"`
	Fingerprint string  `json:"fingerprint"`
	// State tells about the embedder here: ready; in_bundle, when it is installed with the
	// bundle; hosted, when it is another program's; missing; or differs, when there is
	// another one of that name.
	State string `json:"state" tstype:"'ready' | 'in_bundle' | 'hosted' | 'missing' | 'differs'"`
}

// BundleExport is the result of an export.
type BundleExport struct {
	Bundle BundleInfo `json:"bundle"`
	// Warnings name what was left out.
	Warnings []Notice `json:"warnings"`
	Seconds  float64  `json:"seconds"`
}

// BundleInspection is a bundle beside the workspace that it would be restored into.
type BundleInspection struct {
	Bundle BundleInfo `json:"bundle"`
	// Empty is true for a workspace in which there is nothing to replace; Here is what
	// there is.
	Empty bool        `json:"empty"`
	Here  BundleHolds `json:"here"`
	Room  BundleRoom  `json:"room"`
	// Warnings name what will not work here, such as an embedder that is missing.
	Warnings []Notice `json:"warnings"`
}

// BundleHolds is what a workspace has.
type BundleHolds struct {
	KBs      []string     `json:"kbs"`
	Datasets []string     `json:"datasets"`
	Counts   BundleCounts `json:"counts"`
}

// BundleRoom is the disk space that a restore takes, in bytes.
type BundleRoom struct {
	Needed int64 `json:"needed"`
	// Free is null when it is not known.
	Free *int64 `json:"free"`
}

// BundleImport is the result of a restore.
type BundleImport struct {
	File string `json:"file"`
	// Mode is new, replace or add.
	Mode     string          `json:"mode" tstype:"'new' | 'replace' | 'add'"`
	KBs      []BundleKB      `json:"kbs"`
	Datasets []BundleDataset `json:"datasets"`
	Models   []BundleModel   `json:"models"`
	// Counts are those of the bundle.
	Counts BundleCounts `json:"counts"`
	// Backup is the bundle of what was replaced, and Undo the command that puts it back;
	// null where nothing was.
	Backup   *string  `json:"backup"`
	Undo     *string  `json:"undo"`
	Warnings []Notice `json:"warnings"`
	Seconds  float64  `json:"seconds"`
}

// BundleDataset is a dataset of a bundle. As is what it is called in this workspace; null
// for one that was here already.
type BundleDataset struct {
	Dataset string  `json:"dataset"`
	As      *string `json:"as"`
}

// BundleModel is a model of a bundle. State is installed; kept, when it was here already; or
// differs, when another one has its name, which was left as it is.
type BundleModel struct {
	Model string `json:"model"`
	State string `json:"state" tstype:"'installed' | 'kept' | 'differs'"`
}

// BundleList are the workspace's own backups, the newest first.
type BundleList struct {
	Folder  string       `json:"folder"`
	Bundles []BundleInfo `json:"bundles"`
	// Broken are files there that cannot be read as bundles.
	Broken []string `json:"broken"`
}

// RemovedBundle says which backup was deleted.
type RemovedBundle struct {
	Removed string `json:"removed"`
	Bytes   int64  `json:"bytes"`
}
