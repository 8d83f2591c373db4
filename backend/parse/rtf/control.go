package rtf

import (
	"strconv"
	"strings"

	"ragdesk/backend/parse/doctext"
)

// maxWord is the longest control word looked at.
const maxWord = 64

// control reads a control word or symbol, whose backslash was just read.
func (r *reader) control() {
	if r.at >= len(r.b) {
		return
	}
	c := r.b[r.at]
	if !letter(c) {
		r.at++
		r.symbolWord(c)
		return
	}
	start := r.at
	for r.at < len(r.b) && letter(r.b[r.at]) {
		r.at++
	}
	word := string(r.b[start:min(r.at, start+maxWord)])
	n, has := r.number()
	if r.at < len(r.b) && r.b[r.at] == ' ' {
		r.at++
	}
	if word == "bin" {
		r.at = min(r.at+max(n, 0), len(r.b))
		return
	}
	star := r.star
	r.star = false
	r.word(word, n, has, star)
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// number reads a control word's number.
func (r *reader) number() (n int, has bool) {
	start := r.at
	if r.at < len(r.b) && r.b[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.b) && '0' <= r.b[r.at] && r.b[r.at] <= '9' {
		r.at++
	}
	n, err := strconv.Atoi(string(r.b[start:min(r.at, start+12)]))
	if err != nil {
		if r.at == start+1 && r.b[start] == '-' {
			r.at = start
		}
		return 0, false
	}
	return n, true
}

// symbolWord takes a control symbol.
func (r *reader) symbolWord(c byte) {
	switch c {
	case '\'':
		if r.at+2 > len(r.b) {
			r.at = len(r.b)
			return
		}
		v, err := strconv.ParseUint(string(r.b[r.at:r.at+2]), 16, 8)
		if err != nil {
			return
		}
		r.at += 2
		r.char(byte(v), false)
	case '*':
		r.star = true
	case '\\', '{', '}':
		r.char(c, true)
	case '~':
		r.text("\u00a0")
	case '_':
		r.text("-")
	case '\r', '\n':
		r.endParagraph()
	case '-', ':', '|':
		if r.skipChars > 0 {
			r.skipChars--
		}
	}
}

// characters are the control words that stand for text.
func characters(word string) string {
	switch word {
	case "line":
		return "\n"
	case "tab":
		return "\t"
	case "emdash":
		return "—"
	case "endash":
		return "–"
	case "lquote":
		return "‘"
	case "rquote":
		return "’"
	case "ldblquote":
		return "“"
	case "rdblquote":
		return "”"
	case "bullet":
		return "•"
	case "enspace", "emspace", "qmspace":
		return " "
	case "zwj":
		return "\u200d"
	case "zwnj":
		return "\u200c"
	}
	return ""
}

// word takes a control word.
func (r *reader) word(word string, n int, has, star bool) {
	if s := characters(word); s != "" {
		r.text(s)
		return
	}
	switch {
	case r.destination(word):
	case star:
		r.st.skip = true // a destination that is not known
	case r.paragraphWord(word, n):
	case r.tableWord(word, n):
	default:
		r.characterWord(word, n, has)
	}
}

// characterWord takes what changes characters.
func (r *reader) characterWord(word string, n int, has bool) {
	on := !has || n != 0
	switch word {
	case "u":
		r.unicode(n)
	case "uc":
		r.st.uc = min(max(n, 0), 16)
	case "f":
		if r.st.table == fontTable {
			r.define(fontTable)
			r.fontAt = n
			r.fontOf(n)
		}
		r.st.font = n
	case "fcharset":
		r.fontOf(r.fontAt).charset(n)
	case "cpg":
		r.fontOf(r.fontAt).page = pageName(n)
	case "ansicpg":
		r.page = pageName(n)
	case "mac":
		r.page = "macintosh"
	case "pc":
		r.page = "437"
	case "pca":
		r.page = "850"
	case "deff":
		r.st.font = n
	case "v":
		r.flush()
		r.st.hidden = on
	case "deleted":
		r.flush()
		r.st.deleted = on
	case "plain":
		r.flush()
		r.st.hidden, r.st.deleted = false, false
	}
}

// paragraphWord takes what changes or ends paragraphs; false for others.
func (r *reader) paragraphWord(word string, n int) bool {
	p := &r.st.para
	switch word {
	case "par", "sect":
		r.endParagraph()
	case "page", "column":
		r.text("\n")
	case "pard":
		*p = paragraph{}
	case "s":
		if r.st.table == styleTable {
			r.define(styleTable)
			r.styleAt = n
			r.styleOf(n)
		}
		p.style = n
	case "sbasedon":
		if r.st.table == styleTable {
			r.styleOf(r.styleAt).base = n
		}
	case "outlinelevel":
		if n < 0 || n > 8 {
			return true
		}
		if r.st.table == styleTable {
			r.styleOf(r.styleAt).outline = n + 1
		}
		p.outline = n + 1
	case "ls":
		p.list = n
	case "ilvl":
		p.level = min(max(n, 0), 8)
	case "intbl":
		p.inTable = true
	case "itap":
		p.depth, p.inTable = n, n > 0
	default:
		return false
	}
	return true
}

// destination takes a word that says what a group is for; false for others.
func (r *reader) destination(word string) bool {
	switch word {
	case "fonttbl":
		r.startTable(fontTable)
	case "stylesheet":
		r.startTable(styleTable)
	case "footnote":
		r.startCapture(captureNote)
	case "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf":
		r.startCapture(captureHeader)
	case "listtext", "pntext":
		r.startCapture(captureMarker)
	case "shptxt", "dptxbxtext":
		r.startCapture(captureBox)
	case "pict":
		if (!r.st.skip || r.st.shape) && r.st.capture != captureHeader && r.st.capture != captureMarker {
			r.builder.Health.Images++
		}
		r.st.skip, r.st.shape = true, false
	case "sv":
		r.st.shape = !r.st.skip
		r.st.skip = true
	case "upr":
		r.st.before, r.st.skip = r.st.skip, true
	case "ud":
		r.st.skip = r.st.before
	case "nesttableprops":
		r.st.nested = true
	case "shppict", "shpinst", "do", "moMath", "moMathPara", "result":
		return true
	case "colortbl", "info", "nonshppict", "shprslt", "fldinst", "sn", "xe", "tc", "tcn", "rxe", "txe", "objdata",
		"objclass", "objname", "nonesttables", "filetbl", "template", "bkmkstart", "bkmkend", "annotation", "atnid",
		"pn", "fontemb", "falt", "private", "rxt", "pgdsctbl", "mmathPict", "picprop":
		r.st.skip = true
	default:
		return false
	}
	return true
}

// startTable begins a table of the document's head.
func (r *reader) startTable(k tableKind) {
	if r.st.skip {
		return
	}
	r.flush()
	r.st.table = k
	r.name.Reset()
}

// finish ends the document.
func (r *reader) finish() {
	r.flush()
	r.endParagraph()
	r.endTable()
	r.flow.Close()
	if r.hidden > 0 {
		r.builder.Warn(doctext.WarnHiddenText, strconv.Itoa(r.hidden))
	}
}

// endParagraph ends a paragraph where the reader is.
func (r *reader) endParagraph() {
	if r.skipChars > 0 {
		r.skipChars = 0
	}
	r.flush()
	switch {
	case r.muted() || r.st.table != noTable:
		return
	case len(r.sinks) > 1:
		r.sink().WriteByte('\n')
		return
	case r.st.para.inTable:
		r.rows.line(r.takeCell(), r.st.para.depth > 1)
		return
	}
	r.endTable()
	p := r.st.para
	r.flow.Add(r.para(r.take(), p))
	r.addBoxes()
}

// take returns the paragraph's text and starts another.
func (r *reader) take() string {
	s := r.sinks[0].String()
	r.sinks[0].Reset()
	return strings.Trim(s, "\n")
}
