package text

import (
	"testing"
	"testing/fstest"

	"ragdesk/backend/fault"
)

func TestMissingWordList(t *testing.T) {
	t.Parallel()
	_, err := loadDictionary(fstest.MapFS{"dict/simplified.txt": {}})
	if f := fault.Of(err); f.Code != "asset_missing" || f.Params["asset"] != "zh.fst" || f.Params["command"] != "make assets" {
		t.Errorf("loadDictionary = %v, want asset_missing", err)
	}
	if _, err := loadDictionary(fstest.MapFS{"dict/simplified.txt": {}, "dict/zh.fst": {Data: []byte("no FST")}}); err == nil {
		t.Error("a broken word list opens")
	}
	// Without the list every character is a word.
	var none *dictionary
	if got := none.segment(nil, "北京人", nil); len(got) != 3 || got[2] != 9 {
		t.Errorf("segment without a word list = %v", got)
	}
}

func BenchmarkOpenDictionary(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := loadDictionary(dictFiles); err != nil {
			b.Skip(err)
		}
	}
}
