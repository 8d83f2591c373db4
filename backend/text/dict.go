package text

import (
	"embed"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"sync"

	"github.com/blevesearch/vellum"

	"ragdesk/backend/fault"
)

// CostScale is the number of cost units of the word list in a factor of e of
// probability.
const CostScale = 10

// unknownCost is the cost of a character that is no word: about that of a word
// seen once in the list's own count of 60 million.
const unknownCost = 18 * CostScale

// rules is raised whenever folding or analysis change.
const rules = "2"

//go:embed all:dict
var dictFiles embed.FS

// dictionary is the compiled word list.
type dictionary struct {
	fst *vellum.FST
	// print tells word lists apart.
	print string
}

// openDictionary opens the embedded word list once.
var openDictionary = sync.OnceValues(func() (*dictionary, error) { return loadDictionary(dictFiles) })

// loadDictionary opens the word list in a file system. The list is searched where
// it lies, so that opening takes one copy of its 3 MB.
func loadDictionary(files fs.FS) (*dictionary, error) {
	if _, err := fs.Stat(files, "dict/"+simplifiedFile); err != nil {
		return nil, missingAsset(err, simplifiedFile)
	}
	data, err := fs.ReadFile(files, "dict/zh.fst")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingAsset(err, "zh.fst")
	} else if err != nil {
		return nil, fmt.Errorf("read the Chinese word list: %w", err)
	}
	fst, err := vellum.Load(data)
	if err != nil {
		return nil, fmt.Errorf("open the Chinese word list: %w", err)
	}
	// A checksum in hardware keeps the opening short; nobody forges word lists.
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return &dictionary{fst: fst, print: fmt.Sprintf("%d.%08x", fst.Len(), sum)}, nil
}

func missingAsset(err error, name string) error {
	return fault.Wrap(err, "asset_missing", fault.P("asset", name), fault.P("command", "make assets"))
}

// Ready reports whether the Chinese word list and the table of simplified
// characters are there; without them, code "asset_missing", Analyze takes every
// Chinese character for a word.
func Ready() error {
	_, err := openDictionary()
	return err
}

// Fingerprint names the word list and the rules of folding and analysis; it
// changes when the terms of any text may.
func Fingerprint() string {
	list := "none"
	if d, err := openDictionary(); err == nil {
		list = d.print
	}
	return "text" + rules + "-" + list
}
