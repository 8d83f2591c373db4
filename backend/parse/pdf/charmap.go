package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/text"
)

// hyphen stands for a hyphen that divides a word at a line's end: PDFium reports
// it as U+0002 or U+FFFE, and producers write U+00AD.
const hyphen = doctext.SoftHyphen

// plain returns the character or characters that a reader takes r for: PDF fonts
// name ligatures, presentation forms and radicals where the text has letters.
// Width and script stay as they are; U+FFFD stands for what is no character.
func plain(r rune) string {
	switch {
	case r >= ' ' && r < 0x7f:
		return string(r)
	case r == 0x02, r == 0xFFFE, r == hyphen:
		return string(hyphen)
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0xFEFF, r >= 0x200B && r <= 0x200D:
		return ""
	case r >= 0x2E80 && r <= 0x2FDF:
		return radical(r)
	case r >= 0xFE10 && r <= 0xFE1F, r >= 0xFE30 && r <= 0xFE4F:
		return upright(r)
	case r >= 0xFB00 && r <= 0xFB06, r >= 0xFB1D && r <= 0xFDFF, r >= 0xFE70 && r <= 0xFEFC,
		r >= 0xF900 && r <= 0xFAFF, r >= 0x2F800 && r <= 0x2FA1F:
		return text.NFKC(string(r))
	case r >= 0xF020 && r <= 0xF0FF:
		return symbol(r)
	case r&0xFFFE == 0xFFFE, r == utf8.RuneError, r >= 0xFDD0 && r <= 0xFDEF:
		return string(utf8.RuneError)
	}
	return string(r)
}

// meaningless reports whether r is a character that no reader can tell: U+FFFD or
// of private use.
func meaningless(r rune) bool { return r == utf8.RuneError || unicode.Is(unicode.Co, r) }

// radicals are characters of the block CJK Radicals Supplement with the
// ideographs they look like (Unicode's EquivalentUnifiedIdeograph); the block has
// no compatibility mappings, and some producers map whole fonts to it.
const radicals = "⺁厂⺃乚⺄乙⺅亻⺆冂⺇几⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑𡯂⺒巳⺓幺⺔彑⺕彐⺖忄⺗心⺘扌⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭" +
	"⺩王⺪疋⺫目⺬示⺭礻⺮竹⺯糹⺰纟⺱罓⺲罒⺳㓁⺴冗⺵网⺶羊⺷羊⺸羊⺹耂⺺肀⺻聿⺼肉⺽臼⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇角⻈讠⻉贝⻊足⻋车⻌辶⻍辶⻎辶⻏阝⻐钅" +
	"⻑長⻒镸⻓长⻔门⻕阝⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞飠⻟飠⻠饣⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟"

// radical returns the ideograph that a radical of U+2E80 to U+2FDF looks like.
func radical(r rune) string {
	if r < 0x2F00 {
		if _, rest, ok := strings.Cut(radicals, string(r)); ok {
			_, n := utf8.DecodeRuneInString(rest)
			return rest[:n]
		}
	}
	return text.NFKC(string(r))
}

// verticals are punctuation marks turned for vertical writing and the upright
// ones; their compatibility mappings are those of ASCII, which Chinese text does
// not use.
const verticals = "︐，︑、︒。︓：︔；︕！︖？︗〖︘〗︙…︰：︱—︲–︳＿︵（︶）︷｛︸｝︹〔︺〕︻【︼】︽《︾》︿〈﹀〉﹁「﹂」﹃『﹄』﹇［﹈］"

func upright(r rune) string {
	if _, rest, ok := strings.Cut(verticals, string(r)); ok {
		_, n := utf8.DecodeRuneInString(rest)
		return rest[:n]
	}
	return text.NFKC(string(r))
}

// symbol returns what the fonts Symbol and Wingdings show at a private code
// point, where it is a mark of lists and forms.
func symbol(r rune) string {
	switch r {
	case 0xF0B7, 0xF09F, 0xF06C:
		return "•"
	case 0xF0A7, 0xF06E:
		return "▪"
	case 0xF0D8, 0xF0D2:
		return "➢"
	case 0xF076:
		return "❖"
	case 0xF0FC:
		return "✓"
	case 0xF0FE, 0xF052:
		return "☑"
	case 0xF0A8, 0xF06F, 0xF071:
		return "□"
	case 0xF0E0, 0xF0E8:
		return "→"
	case 0xF02D:
		return "-"
	case 0xF020:
		return ""
	}
	return string(r)
}

// hongKong returns the character that a font of Hong Kong shows at a private
// code point. Windows maps the user-defined cells of Big5 to the private use
// area row by row, and the Hong Kong supplement fills those cells.
func hongKong(r rune) (string, bool) {
	var row int
	cell := int(r)
	switch {
	case r >= 0xE000 && r <= 0xE310:
		row, cell = 0xFA, cell-0xE000
	case r >= 0xE311 && r <= 0xEEB7:
		row, cell = 0x8E, cell-0xE311
	case r >= 0xEEB8 && r <= 0xF6B0:
		row, cell = 0x81, cell-0xEEB8
	case r >= 0xF6B1 && r <= 0xF848:
		// These start in the middle of row C6, at A1.
		row, cell = 0xC6, cell-0xF6B1+63
	default:
		return "", false
	}
	const perRow = 157
	row, cell = row+cell/perRow, cell%perRow
	trail := 0x40 + cell
	if cell >= 63 {
		trail = 0xA1 + cell - 63
	}
	s, err := text.Decode("Big5", []byte{byte(row), byte(trail)})
	if err != nil {
		return "", false
	}
	if c, n := utf8.DecodeRuneInString(s); n != len(s) || meaningless(c) {
		return "", false
	}
	return s, true
}

// hongKongFont reports whether a font of this name is one of traditional Chinese,
// whose private code points are those of Big5.
func hongKongFont(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"mingliu", "hkscs", "dfkai", "msung", "mhei", "細明", "標楷"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// wide reports whether r is of a script written without blanks.
func wide(r rune) bool { return doctext.Unspaced(r) }

// rightToLeft reports whether r is a letter of a script written so.
func rightToLeft(r rune) bool {
	return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC ||
		r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF
}
