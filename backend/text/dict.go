package text

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/blevesearch/vellum"

	"ragdesk/backend/fault"
)

// CostScale is the number of cost units of the word list in a factor of e of
// probability.
const CostScale = 10

//go:embed all:dict
var dictFiles embed.FS

// dictionary is the compiled word list.
type dictionary struct {
	fst *vellum.FST
	// unknown is the cost of a character that is no word.
	unknown int32
	hash    string
}

// openDictionary opens the embedded word list once.
var openDictionary = sync.OnceValues(func() (*dictionary, error) {
	data, err := dictFiles.ReadFile("dict/zh.fst")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, "asset_missing", fault.P("asset", "zh.fst"), fault.P("command", "make assets"))
	} else if err != nil {
		return nil, fmt.Errorf("read the Chinese word list: %w", err)
	}
	return newDictionary(data)
})

func newDictionary(data []byte) (*dictionary, error) {
	fst, err := vellum.Load(data)
	if err != nil {
		return nil, fmt.Errorf("open the Chinese word list: %w", err)
	}
	sum := sha256.Sum256(data)
	return &dictionary{fst: fst, unknown: 18 * CostScale, hash: hex.EncodeToString(sum[:8])}, nil
}
