package parse_test

import (
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
)

func parseBytes(t *testing.T, source string, b []byte) rag.Document {
	t.Helper()
	d, err := parse.New(parse.Options{}).Parse(t.Context(), rag.Input{Source: source, Bytes: b})
	if err != nil {
		t.Fatalf("parse %s: %v", source, err)
	}
	return d
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source, bytes, encoding, code string
		params                              map[string]string
	}{
		{"unknown format", "a/b.pdf", "x", "", "format_unsupported", map[string]string{"ext": ".pdf"}},
		{"too large", "a.txt", "0123456789abcdefg", "", "limit_bytes", map[string]string{"limit": "16", "size": "17"}},
		{"picture", "a.txt", "\x89PNG\r\n\x1a\n\x00", "", "binary_content", map[string]string{"kind": "png"}},
		{"noise", "a", "\x01\x02\x03abc\x04\x05\x06", "", "binary_content", map[string]string{"kind": "unknown"}},
		{"unknown encoding", "a.txt", "x", "ebcdic", "encoding_unknown", map[string]string{"encoding": "ebcdic"}},
		{"forced and wrong", "a.txt", "ab\xff", "utf8", "encoding", map[string]string{"encoding": "UTF-8", "offset": "2"}},
		{"damaged", "a.txt", "检索\xff增强", "", "encoding", map[string]string{"encoding": "UTF-8", "offset": "6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := parse.New(parse.Options{LimitBytes: 16})
			_, err := p.Parse(t.Context(), rag.Input{Source: c.source, Bytes: []byte(c.bytes), Encoding: c.encoding})
			f := fault.Of(err)
			if f == nil || f.Code != c.code {
				t.Fatalf("error %v, want %s", err, c.code)
			}
			for k, v := range c.params {
				if f.Params[k] != v {
					t.Errorf("%s = %q, want %q", k, f.Params[k], v)
				}
			}
		})
	}
}
