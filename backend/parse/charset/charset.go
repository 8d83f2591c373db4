// Package charset finds the character encoding of text by evidence over all of
// it: a byte-order mark, strict UTF-8, then how plausible the characters of each
// reading are. What a file says of itself is a hint and loses against valid
// bytes that speak otherwise.
//
//	r, err := charset.Read(b, charset.Hint{})
package charset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// WarnUncertain says that another encoding is nearly as plausible, or the
// evidence is short. The detail names both and their scores.
const WarnUncertain = "encoding_uncertain"

// Hint is what is known of an encoding beforehand.
type Hint struct {
	// Forced is the encoding a user chose; empty means by evidence.
	Forced string
	// Declared is what the content says of itself, such as an HTML charset; it may
	// lie, and an unknown name counts as none.
	Declared string
}

// Reading is text with the encoding it was read in.
type Reading struct {
	// Encoding is a name of text.Charsets.
	Encoding string
	// Text has no byte-order mark and is otherwise as it was read.
	Text     string
	Warnings []rag.Notice
	// Confidence is how sure the encoding is, in [0, 1].
	Confidence float64
}

// Read decodes b strictly. Faults: binary_content {kind}, encoding_unknown
// {encoding, known}, encoding {encoding, offset}.
func Read(b []byte, h Hint) (Reading, error) {
	if kind := Signature(b); kind != "" {
		return Reading{}, fault.New("binary_content", fault.P("kind", kind))
	}
	r, err := decode(b, h)
	if err != nil {
		return Reading{}, err
	}
	return Reading{r.encoding, r.text, r.warnings, r.confidence}, nil
}

// reading is content decoded one way.
type reading struct {
	encoding   string
	text       string
	warnings   []rag.Notice
	confidence float64
	// cost is how many nats the text takes under the likeliest language, with
	// what the encoding itself is held against.
	cost float64
	// density is the mean cost of a character that is evidence.
	density float64
}

// marks are the byte-order marks, longer ones before their prefixes.
var marks = []struct{ encoding, mark string }{
	{"UTF-8", "\xef\xbb\xbf"},
	{"UTF-32LE", "\xff\xfe\x00\x00"},
	{"UTF-32BE", "\x00\x00\xfe\xff"},
	{"UTF-16LE", "\xff\xfe"},
	{"UTF-16BE", "\xfe\xff"},
	{"GB18030", "\x84\x31\x95\x33"},
}

// decode reads b in the forced encoding or in the one that the evidence speaks
// for.
func decode(b []byte, h Hint) (reading, error) {
	if h.Forced != "" {
		return decodeForced(b, h.Forced)
	}
	for _, m := range marks {
		rest, ok := bytes.CutPrefix(b, []byte(m.mark))
		if !ok {
			continue
		}
		r, err := decodeAs(rest, m.encoding)
		if err != nil && m.encoding == "UTF-32LE" {
			continue // UTF-16LE text may begin with NUL
		}
		return r, err
	}
	r, err := detect(b, h.Declared)
	if err == nil && binary(r.text) {
		return reading{}, fault.New("binary_content", fault.P("kind", "unknown"))
	}
	return r, err
}

// decodeForced reads b in the named encoding, without its byte-order mark.
func decodeForced(b []byte, name string) (reading, error) {
	canonical, ok := text.Charset(name)
	if !ok {
		return reading{}, fault.New("encoding_unknown", fault.P("encoding", name),
			fault.P("known", strings.Join(text.Charsets(), ", ")))
	}
	if strings.EqualFold(name, "UTF-16") && bytes.HasPrefix(b, []byte("\xfe\xff")) {
		canonical = "UTF-16BE"
	}
	for _, m := range marks {
		if m.encoding == canonical {
			b = bytes.TrimPrefix(b, []byte(m.mark))
		}
	}
	return decodeAs(b, canonical)
}

// decodeAs reads b, which has no byte-order mark, strictly in one encoding.
func decodeAs(b []byte, encoding string) (reading, error) {
	s, err := text.Decode(encoding, b)
	if err != nil {
		return reading{}, badBytes(encoding, err)
	}
	return reading{encoding: encoding, text: s, confidence: 1}, nil
}

// How sure a reading must be.
const (
	// closeCall is the lead in nats below which the second reading is named: with
	// a smaller one the wrong reading was seen to win.
	closeCall = 12.0
	// shortBytes is the length below which evidence other than a byte-order mark
	// or UTF-8 is called short.
	shortBytes = 20
	// certainSequences are as many bytes after the first of multi-byte UTF-8
	// sequences as settle a text, and certainASCII as many bytes in all as need
	// few of them or none.
	certainSequences = 12
	certainASCII     = 256
	// implausible is the density above which no language was recognised.
	implausible = 10.5
	// maxDamage is how many bad bytes are looked past to tell a damaged text from
	// one in another encoding, and damageCost what each is held against it.
	maxDamage  = 8
	damageCost = 40.0
)

// detect ranks the encodings in which b can be read by how plausible its
// characters are. When b is more plausible as damaged text in one encoding than
// as sound text in any, the damage is the error.
func detect(b []byte, declared string) (reading, error) {
	utf8Valid := utf8.Valid(b)
	if utf8Valid && settlesUTF8(b) {
		return reading{encoding: "UTF-8", text: string(b), confidence: 1}, nil
	}
	var found []reading
	var damaged reading
	var damage error
	for _, c := range withDeclared(candidates(len(b), utf8Valid), declared) {
		s, err := text.Decode(c.encoding, b)
		if err == nil {
			found = append(found, c.weigh(s))
			continue
		}
		if r, ok := c.lookPast(b, err); ok && (damage == nil || r.cost < damaged.cost) {
			damaged, damage = r, err
		}
	}
	best := reading{cost: math.Inf(1)}
	if len(found) > 0 {
		best = slices.MinFunc(found, func(a, b reading) int { return cmp.Compare(a.cost, b.cost) })
	}
	switch {
	case damage != nil && damaged.cost < best.cost:
		return reading{}, badBytes(damaged.encoding, damage)
	case len(found) == 0:
		return reading{}, fault.New("binary_content", fault.P("kind", "unknown"))
	}
	return settle(best, found, b), nil
}

// badBytes is the fault for a decoding error.
func badBytes(encoding string, err error) error {
	offset := 0
	var bad *text.DecodeError
	if errors.As(err, &bad) {
		offset = bad.Offset
	}
	return fault.Wrap(err, "encoding", fault.P("encoding", encoding), fault.P("offset", offset))
}

// settle names the first encoding that reads what best reads, and the doubt
// that the others leave.
func settle(best reading, found []reading, b []byte) reading {
	var rival reading
	for i := len(found) - 1; i >= 0; i-- {
		switch r := found[i]; {
		case r.text == best.text:
			best.encoding = r.encoding
		case rival.encoding == "" || r.cost <= rival.cost:
			rival = r
		}
	}
	best.warnings = doubts(best, rival, b)
	best.confidence = confidence(best, rival)
	return best
}

// settlesUTF8 reports whether valid UTF-8 needs no other reading to be tried: it
// holds no NUL and has many multi-byte sequences or, in a long text, enough that
// chance does not make them. Text without any is ASCII.
func settlesUTF8(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	multi := len(b) - utf8.RuneCount(b)
	switch {
	case len(b) == 0, multi >= certainSequences:
		return true
	case len(b) < certainASCII:
		return false
	}
	return multi == 0 || multi >= 3 || bytes.IndexFunc(b, func(r rune) bool { return r >= 0x800 }) >= 0
}

// doubts returns the warning for a close call, short evidence, or a text in no
// language that was recognised.
func doubts(best, second reading, b []byte) []rag.Notice {
	rival := second.encoding != ""
	ascii := bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }) < 0
	switch {
	case ascii && best.encoding == "UTF-8":
		return nil
	case rival && second.cost-best.cost < closeCall:
	case best.encoding != "UTF-8" && len(b) < shortBytes:
	case best.density > implausible:
	default:
		return nil
	}
	detail := fmt.Sprintf("%s %.2f", best.encoding, best.cost/float64(len(b)))
	if rival {
		detail += fmt.Sprintf(", %s %.2f", second.encoding, second.cost/float64(len(b)))
	}
	return []rag.Notice{{Code: WarnUncertain, Detail: detail}}
}

// candidate is an encoding worth trying.
type candidate struct {
	encoding string
	// natural are the languages the encoding was made for, by their names in the
	// language models; others count against it.
	natural string
	// handicap is what the encoding starts with, in nats: rarer ones more.
	handicap float64
	// strict encodings can say where content stops being theirs.
	strict bool
}

// weigh returns the reading of sound text.
func (c candidate) weigh(s string) reading {
	r := reading{encoding: c.encoding, text: s}
	r.cost, r.density = plausibility(s, c.natural)
	r.cost += c.handicap
	return r
}

// lookPast returns the reading of b without its bad bytes, the first of which
// err tells; ok is false when they are too many to be damage.
func (c candidate) lookPast(b []byte, err error) (r reading, ok bool) {
	if !c.strict {
		return reading{}, false
	}
	var sound strings.Builder
	bad := 0
	for {
		var at *text.DecodeError
		if !errors.As(err, &at) || bad == maxDamage {
			return reading{}, false
		}
		bad++
		before, prefixErr := text.Decode(c.encoding, b[:at.Offset])
		if prefixErr != nil {
			return reading{}, false
		}
		sound.WriteString(before)
		b = b[at.Offset+1:]
		var rest string
		if rest, err = text.Decode(c.encoding, b); err == nil {
			sound.WriteString(rest)
			break
		}
	}
	r = c.weigh(sound.String())
	r.cost += float64(bad) * damageCost
	return r, true
}

// candidates lists the encodings for n bytes in the order of preference for
// equal costs.
func candidates(n int, utf8Valid bool) []candidate {
	list := []candidate{{encoding: "UTF-8", strict: true}}
	if n%2 == 0 {
		list = append(list, candidate{encoding: "UTF-16LE", handicap: 4}, candidate{encoding: "UTF-16BE", handicap: 5})
	}
	doubt := 0.0
	if utf8Valid {
		doubt = 15 // bytes of a legacy encoding are seldom valid UTF-8 by chance
	}
	return append(list,
		candidate{encoding: "GB18030", natural: "zh-Hans zh-Hant", handicap: 5 + doubt, strict: true},
		candidate{encoding: "Big5", natural: "zh-Hant", handicap: 6 + doubt, strict: true},
		candidate{encoding: "Shift_JIS", natural: "ja", handicap: 6 + doubt, strict: true},
		candidate{encoding: "EUC-KR", natural: "ko", handicap: 6 + doubt, strict: true},
		candidate{encoding: "EUC-JP", natural: "ja", handicap: 7 + doubt, strict: true},
		candidate{encoding: "windows-1252", natural: "fr de es pt it sv da en", handicap: 6 + doubt},
		candidate{encoding: "windows-1251", natural: "ru uk", handicap: 6 + doubt},
		candidate{encoding: "windows-1250", natural: "pl cs hu ro", handicap: 7 + doubt},
	)
}

// declaredLead is what a declaration counts for, in nats: it decides between
// readings that are about as plausible, and nothing else.
const declaredLead = 15

// withDeclared puts the declared encoding among the candidates, ahead of where
// it would stand without a declaration.
func withDeclared(list []candidate, declared string) []candidate {
	name, ok := text.Charset(declared)
	if declared == "" || !ok {
		return list
	}
	for i, c := range list {
		if c.encoding == name {
			list[i].handicap -= declaredLead
			return list
		}
	}
	return append(list, candidate{encoding: name, strict: true, handicap: 10 - declaredLead})
}

// confidence is the posterior of best against rival, both taken as equally
// likely before, or the weight of the evidence alone without a rival.
func confidence(best, rival reading) float64 {
	if rival.encoding == "" {
		return 1
	}
	return 1 / (1 + math.Exp(best.cost-rival.cost))
}
