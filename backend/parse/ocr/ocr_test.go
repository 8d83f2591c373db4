package ocr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/ocr"
	"ragdesk/backend/rag"
)

func env() guard.Env { return guard.Env{Limits: guard.Defaults(), OCR: true} }

// picture is a blank one.
func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	draw.Draw(m, m.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fake puts a program named tesseract before all others, which answers the
// question for languages with languages and every picture with script.
func fake(t *testing.T, languages, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program in this test is a shell script")
	}
	dir := t.TempDir()
	body := "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then printf 'List of available languages (3):\\n" + languages + "\\n'; exit 0; fi\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "tesseract"), []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// table is what tesseract prints of a heading and two rows of cells.
const table = `level	page_num	block_num	par_num	line_num	word_num	left	top	width	height	conf	text
1	1	0	0	0	0	0	0	2480	3508	-1
4	1	1	1	1	0	200	200	600	40	-1
5	1	1	1	1	1	200	200	40	40	95.1	设
5	1	1	1	1	2	242	200	40	40	93	备
5	1	1	1	1	3	284	200	40	40	93	表
4	1	1	1	2	0	200	400	1600	40	-1
5	1	1	1	2	1	200	400	120	40	91	Part
5	1	1	1	2	2	900	400	120	40	91	Stock
5	1	1	1	2	3	1600	400	120	40	91	Place
5	1	1	1	3	1	200	470	120	40	91	Pump
5	1	1	1	3	2	900	470	60	40	91	12
5	1	1	1	3	3	1600	470	120	40	91	Hall
5	1	1	1	3	4	1735	470	60	40	91	A
5	1	1	1	4	1	200	540	120	40	91	Valve
5	1	1	1	4	2	900	540	60	40	91	7
5	1	1	1	4	3	1600	540	120	40	91	Yard
`

func cat(s string) string { return "cat > /dev/null\ncat <<'END'\n" + s + "END" }

func TestWordsBecomeLinesAndTables(t *testing.T) {
	fake(t, "chi_sim\\neng\\nosd", cat(table))
	doc, err := ocr.Parse(t.Context(), rag.Input{Source: "scan.png", Bytes: picture(t, 100, 100)}, env())
	if err != nil {
		t.Fatal(err)
	}
	want := "设备表\n\n| Part | Stock | Place |\n| --- | --- | --- |\n| Pump | 12 | Hall A |\n| Valve | 7 | Yard |"
	if doc.Text != want {
		t.Errorf("got\n%s\nwant\n%s", doc.Text, want)
	}
	if doc.Health.Images != 0 || doc.Health.Pages != 1 || doc.Health.PagesWithText != 1 || doc.Health.Tables != 1 || doc.MediaType != "image/png" {
		t.Errorf("%+v", doc)
	}
	if len(doc.Warnings) != 1 || doc.Warnings[0] != (rag.Notice{Code: ocr.WarnUsed, Detail: "1"}) {
		t.Errorf("warnings %v", doc.Warnings)
	}
}

func TestDoubtfulWordsAreLeftOut(t *testing.T) {
	fake(t, "eng", cat(strings.NewReplacer("\t91\t", "\t12\t", "\t93\t", "\t9\t", "\t95.1\t", "\t20\t").Replace(table)))
	doc, err := ocr.Parse(t.Context(), rag.Input{Source: "photo.jpg", Bytes: picture(t, 100, 100)}, env())
	if err != nil {
		t.Fatal(err)
	}
	want := []rag.Notice{{Code: ocr.WarnDoubtful, Detail: "1"}, {Code: ocr.WarnLanguage, Detail: "chi_sim"}}
	if doc.Text != "" || doc.Health.Images != 1 || len(doc.Warnings) != 2 || doc.Warnings[0] != want[0] || doc.Warnings[1] != want[1] {
		t.Errorf("text %q, health %+v, warnings %v", doc.Text, doc.Health, doc.Warnings)
	}
}

func TestWithoutTesseractAPictureIsAWarning(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	doc, err := ocr.Parse(t.Context(), rag.Input{Source: "scan.png", Bytes: picture(t, 100, 100)}, env())
	if err != nil || doc.Text != "" || doc.Health.Images != 1 {
		t.Fatalf("%+v, %v", doc, err)
	}
	if len(doc.Warnings) != 1 || doc.Warnings[0] != (rag.Notice{Code: ocr.WarnMissing, Detail: ocr.Install()}) {
		t.Errorf("warnings %v", doc.Warnings)
	}
}

func TestAPictureIsNotReadUnlessAsked(t *testing.T) {
	fake(t, "eng", "exit 9")
	e := env()
	e.OCR = false
	doc, err := ocr.Parse(t.Context(), rag.Input{Source: "scan.png", Bytes: picture(t, 100, 100)}, e)
	if err != nil || doc.Health.Images != 1 || len(doc.Warnings) != 0 {
		t.Errorf("%+v, %v", doc, err)
	}
}

func TestWhatIsNoPictureIsCorrupt(t *testing.T) {
	fake(t, "eng", "cat > /dev/null; echo 'Error in pixReadMem' >&2; exit 1")
	for name, b := range map[string][]byte{
		"page.png":   []byte("<html>no such picture</html>"),
		"broken.png": picture(t, 100, 100)[:40],
	} {
		if _, err := ocr.Parse(t.Context(), rag.Input{Source: name, Bytes: b}, env()); !fault.Is(err, "corrupt") {
			t.Errorf("%s: error %v, want corrupt", name, err)
		}
	}
	doc, err := ocr.Parse(t.Context(), rag.Input{Source: "empty.png"}, env())
	if err != nil || doc.Health.Images != 0 {
		t.Errorf("empty: %+v, %v", doc.Health, err)
	}
}

func TestAHugePictureIsRefused(t *testing.T) {
	fake(t, "eng", "cat > /dev/null")
	// The head states the size, and its checksum stands behind it.
	png := picture(t, 10, 10)
	copy(png[16:], []byte{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff})
	binary.BigEndian.PutUint32(png[29:], crc32.ChecksumIEEE(png[12:29]))
	bmp := append([]byte("BM"), make([]byte, 60)...)
	bmp[18], bmp[19], bmp[20], bmp[22], bmp[23], bmp[24] = 0xff, 0xff, 0x0f, 0xff, 0xff, 0x0f
	for name, b := range map[string][]byte{"bomb.png": png, "bomb.bmp": bmp} {
		if _, err := ocr.Parse(t.Context(), rag.Input{Source: name, Bytes: b}, env()); !fault.Is(err, "limit_inflated") {
			t.Errorf("%s: error %v, want limit_inflated", name, err)
		}
	}
}

func TestASlowReaderIsStopped(t *testing.T) {
	fake(t, "eng", "sleep 30")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := ocr.Parse(ctx, rag.Input{Source: "scan.png", Bytes: picture(t, 100, 100)}, env())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline", err)
	}
}

func TestOtherLanguagesAreUsedWhenTheUsualAreAbsent(t *testing.T) {
	fake(t, "deu\\nfra", "cat > /dev/null\n[ \"$4\" = deu+fra ] || exit 3\n"+strings.TrimPrefix(cat(table), "cat > /dev/null\n"))
	doc, err := ocr.Parse(t.Context(), rag.Input{Source: "scan.png", Bytes: picture(t, 100, 100)}, env())
	if err != nil || doc.Text == "" {
		t.Fatalf("%q, %v", doc.Text, err)
	}
	last := doc.Warnings[len(doc.Warnings)-1]
	if last != (rag.Notice{Code: ocr.WarnLanguage, Detail: "chi_sim, eng"}) {
		t.Errorf("warnings %v", doc.Warnings)
	}
}

// TestTesseractItself reads a picture of letters, drawn here, with the real
// program.
func TestTesseractItself(t *testing.T) {
	if _, err := exec.LookPath("tesseract"); err != nil {
		t.Skip("tesseract is not installed")
	}
	m := letters("HELLO PUMP", 8)
	encode := map[string]func(*bytes.Buffer) error{
		"x.png": func(b *bytes.Buffer) error { return png.Encode(b, m) },
		"x.jpg": func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 95}) },
		"x.gif": func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) },
	}
	for name, write := range encode {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		doc, err := ocr.Parse(t.Context(), rag.Input{Source: name, Bytes: b.Bytes()}, env())
		if err != nil || !strings.Contains(strings.ToUpper(doc.Text), "HELLO") {
			t.Errorf("%s: %q, %v, %v", name, doc.Text, doc.Warnings, err)
		}
	}
}

// letters draws s with letters of 5 × 7 squares.
func letters(s string, square int) *image.Gray {
	shapes := map[rune]string{
		'H': "1000110001100011111110001100011000100000", 'E': "11111100001000011110100001000011111", 'L': "10000100001000010000100001000011111",
		'O': "01110100011000110001100011000101110", 'P': "11110100011000111110100001000010000", 'U': "10001100011000110001100011000101110",
		'M': "10001110111010110101100011000110001",
	}
	m := image.NewGray(image.Rect(0, 0, (len(s)*7+8)*square, 20*square))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	for i, r := range s {
		for k, c := range shapes[r] {
			if c == '1' && k < 35 {
				x, y := (4+i*7+k%5)*square, (6+k/5)*square
				draw.Draw(m, image.Rect(x, y, x+square, y+square), image.Black, image.Point{}, draw.Src)
			}
		}
	}
	return m
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("BM\x00\x00"))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Add([]byte("GIF89a\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e := env()
		e.OCR = false
		doc, err := ocr.Parse(t.Context(), rag.Input{Source: "x.png", Bytes: b}, e)
		if err == nil && doc.Text != "" {
			t.Errorf("text %q", doc.Text)
		}
	})
}
