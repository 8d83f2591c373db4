package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// Decoded is text with the encoding that it was read in.
type Decoded struct {
	Text     string
	Encoding string
	// Doubt names the encodings that are about as plausible, or is empty.
	Doubt string
}

// Decode tells the encoding of bytes by evidence and reads them; its errors are of bytes
// that are no sound text in any.
type Decode func(b []byte) (Decoded, error)

// maxDecoded bounds a file in another encoding than UTF-8, which is read as a whole.
const maxDecoded = 64 << 20

// files opens the files of a dataset.
type files struct {
	decode Decode
	// readAs are what is to be said of encodings, each once.
	readAs []Problem
}

// open passes a file's content as UTF-8 to read. Content that is not, and whose encoding
// cannot be told, comes as it is: its records are noted as CodeNotUTF8.
func (fs *files) open(path string, read func(io.Reader) error) error {
	return withFile(path, func(f *os.File) error {
		if fs.decode == nil {
			return read(f)
		}
		info, err := f.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return errors.Join(err, read(f))
		}
		foreign, err := isForeign(f)
		if err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if !foreign || info.Size() > maxDecoded {
			return read(f)
		}
		b, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		d, err := fs.decode(b)
		if err != nil {
			return read(bytes.NewReader(b)) // noted by record
		}
		fs.note(d)
		return read(strings.NewReader(d.Text))
	})
}

func (fs *files) note(d Decoded) {
	p := Problem{0, CodeReadAs, d.Encoding}
	if d.Doubt != "" {
		p = Problem{0, CodeReadAsUnsure, d.Doubt}
	}
	if (d.Encoding != "UTF-8" || d.Doubt != "") && !slices.Contains(fs.readAs, p) {
		fs.readAs = append(fs.readAs, p)
	}
}

// isForeign reports whether bytes are something else than UTF-8. NUL, which no question
// holds, is every other byte of Latin letters in UTF-16.
func isForeign(in io.Reader) (bool, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		b, err := r.Peek(r.Size())
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return false, err
		}
		whole := len(b)
		if !last { // a character may be cut at the end
			for i := 1; i < utf8.UTFMax; i++ {
				if utf8.RuneStart(b[len(b)-i]) {
					whole -= i
					break
				}
			}
		}
		if !utf8.Valid(b[:whole]) || bytes.IndexByte(b[:whole], 0) >= 0 {
			return true, nil
		}
		if last {
			return false, nil
		}
		_, _ = r.Discard(whole) // it was just peeked
	}
}
