package legacy_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"ragdesk/backend/parse/legacy"
	"ragdesk/backend/parse/legacy/ole/oletest"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "rewrite golden files")

// record is a record of a workbook: 16-bit numbers, bytes and texts.
func record(id uint16, parts ...any) []byte {
	var body []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			body = binary.LittleEndian.AppendUint16(body, uint16(p))
		case byte:
			body = append(body, p)
		case uint32:
			body = binary.LittleEndian.AppendUint32(body, p)
		case string:
			units := utf16.Encode([]rune(p))
			body = append(binary.LittleEndian.AppendUint16(body, uint16(len(units))), 1)
			for _, u := range units {
				body = binary.LittleEndian.AppendUint16(body, u)
			}
		}
	}
	head := binary.LittleEndian.AppendUint16(nil, id)
	return append(binary.LittleEndian.AppendUint16(head, uint16(len(body))), body...)
}

// workbook is a price list of two sheets, one of them hidden.
func workbook() []byte {
	integer := func(row, col, xf int, v uint32) []byte { return record(0x27e, row, col, xf, v<<2|2) }
	var prices []byte
	for _, r := range [][]byte{
		record(0x204, 0, 0, 0, "二〇二四年报价"),
		record(0x204, 1, 0, 0, "产品"), record(0x204, 1, 1, 0, "日期"), record(0x204, 1, 2, 0, "折扣"), record(0x204, 1, 3, 0, "单价"),
		record(0x204, 2, 0, 0, "打印机"), integer(2, 1, 1, 45366), record(0x27e, 2, 2, 2, uint32(50<<2|3)), integer(2, 3, 3, 1500),
		integer(3, 1, 1, 45367), record(0x205, 3, 2, 0, byte(0x2a), byte(1)), integer(3, 3, 3, 2500000),
		record(0xe5, 2, 0, 0, 0, 3, 2, 3, 0, 0),
		record(0x204, 6, 0, 0, "备注：含税"),
	} {
		prices = append(prices, r...)
	}
	hidden := record(0x204, 0, 0, 0, "成本")
	build := func(at1, at2 uint32) (b []byte, starts [2]uint32) {
		b = record(0x809, 0x600, 5, 0, 0)
		for _, xf := range []int{0, 31, 9, 4} {
			b = append(b, record(0xe0, 0, xf)...)
		}
		b = append(b, record(0x85, at1, byte(0), byte(0), byte(2), byte(1), 0x62a5, 0x4ef7)...)
		b = append(b, record(0x85, at2, byte(1), byte(0), byte(2), byte(1), 0x5e95, 0x7a3f)...)
		b = append(b, record(0x0a)...)
		for i, sheet := range [][]byte{prices, hidden} {
			starts[i] = uint32(len(b))
			b = append(b, record(0x809, 0x600, 0x10, 0, 0)...)
			b = append(append(b, sheet...), record(0x0a)...)
		}
		return b, starts
	}
	_, starts := build(0, 0)
	b, _ := build(starts[0], starts[1])
	return oletest.File(map[string][]byte{"Workbook": b})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	d, err := legacy.ParseXLS(context.Background(), rag.Input{Source: "报价.xls", Bytes: workbook()}, env())
	if err != nil {
		t.Fatal(err)
	}
	got := d.Text + fmt.Sprintf("\n\n%s %v\n%+v\n", d.Title, d.Warnings, d.Health)
	file := filepath.Join("testdata", "workbook.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("got\n%s\nwant (%v)\n%s", got, err, want)
	}
}
