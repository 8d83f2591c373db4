package charset

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"ragdesk/backend/text"
)

// alphabets give the letters of alphabetic languages with their frequencies in
// running text, in hundredths of a percent. Letters without a number follow the
// one before at the same frequency.
var alphabets = []struct{ name, letters string }{
	{"en", "e1250 t900 a800 o760 i720 n700 s640 r610 h550 l410 d400 c320 u280 m260 f240 p210 g190 w190 y180 b150 v100 k60 x20 j15 q10 z8 é2 ï ö ü è"},
	{"fr", "e1470 s790 a760 i750 t720 n710 r670 u630 l550 o540 d370 c330 m300 p300 é190 v160 q140 f110 b90 g90 h75 j55 à50 x40 z30 è27 ê22 y30 ç9 ô6 â5 û6 î5 ù6 w10 k7 ï2 œ2 ë1"},
	{"de", "e1640 n980 i755 s730 r700 a650 t615 d510 h480 u415 l345 g300 c300 m255 o250 w190 b190 f165 k120 z115 ü100 v85 p80 ä58 ö45 ß31 j27 y4 x4 q2"},
	{"es", "e1370 a1250 o870 s800 r690 n670 i625 d585 l500 c470 t465 u395 m315 p250 b220 g100 v90 y90 q90 h70 f70 í75 ó85 z50 á50 j44 é43 ñ31 x22 ú20 w2 k1 ü2"},
	{"pt", "a1460 e1260 o1070 s780 r650 i620 n505 d500 m475 u465 t475 c390 l280 p250 v167 g130 h128 q120 b104 f102 ã73 z47 j40 ç53 é34 ó30 í25 á25 õ10 ê10 ú8 â6 à7 ô4 x21 k2 w1 y1"},
	{"it", "e1180 a1170 i1130 o980 n690 l650 r640 t560 s500 c450 d370 p305 u300 m250 v210 g165 h154 f95 b93 q51 z49 à60 è26 ò20 ù17 é6 ì3 k1 w3 x3 y2 j1"},
	{"sv", "e1010 a940 n855 r845 t770 s660 i580 l530 d470 o450 m350 k310 g290 v240 u190 f200 h210 p180 ä180 å135 ö130 b150 c150 j60 y70 x16 z7 w14 é5"},
	{"da", "e1545 r895 n725 t690 d585 a605 i600 s580 l525 o465 g405 k340 m325 f240 v235 u200 b200 p175 h160 å120 ø95 æ87 j73 y70 c56 w7 z3 x3 é5"},
	{"pl", "i830 a820 o770 e765 z530 n560 r460 w465 s415 c390 t390 y385 k350 d325 p315 m280 u230 j228 l210 ł180 b147 g140 ę111 h108 ą99 ó85 ż83 ś66 ć40 f30 ń20 ź6 v4 x2 q1"},
	{"cs", "o870 e770 a840 n650 t570 i600 v420 s450 l380 k375 d360 m325 u315 p340 r370 á220 c160 z210 í325 h135 y190 ě165 b165 é133 č95 ř120 š80 ž100 ý105 ů70 j210 f27 g27 ú10 ň1 ť4 ď2 x8 ó3 w1"},
	{"hu", "e1225 a885 t795 l670 n585 s690 k515 o445 i420 r390 z440 á370 é350 m400 g380 d230 v230 b230 y250 h220 u125 j120 p170 ö80 f90 c90 ó80 ő100 ü60 í50 ú30 ű20 x1 w1 q1"},
	{"ro", "e1150 i990 a990 r680 n640 u610 t600 c530 l450 s440 o410 ă410 d350 p320 m310 î140 v120 ş150 ţ100 b100 g100 f120 â90 z70 h50 j20 k1 x10 w1 y1"},
	{"ru", "о1097 е845 а801 и735 н670 т626 с547 р473 в454 л440 к349 м321 д298 п281 у262 я201 ы190 ь174 г170 з165 б159 ч144 й121 х97 ж94 ш73 ю64 ц48 щ36 э32 ф26 ъ4 ё4"},
	{"uk", "о942 а807 н681 и626 і612 в561 т570 е517 р476 с424 к393 л377 у336 д338 п290 м303 я248 з232 ь177 г164 ч141 б177 х119 й100 ж93 ш76 ц83 ю93 є61 ї84 щ56 ф28 ґ1"},
}

// frequencies reads one alphabet into costs.
func frequencies(letters string) map[rune]float64 {
	costs := map[rune]float64{}
	last := 1.0
	for field := range strings.FieldsSeq(letters) {
		r := []rune(field)
		if n, err := strconv.ParseFloat(string(r[1:]), 64); err == nil {
			last = n
		}
		costs[r[0]] = -math.Log(last / 1e4)
	}
	return costs
}

// languages are the models a text is tried against.
var languages = sync.OnceValue(func() []language {
	asIn := func(c byte) float64 { return asciiCost(rune(c)) }
	list := []language{
		{name: "zh-Hans", letter: asIn, char: eastAsianCost(simplifiedChinese, text.Han, "，。、：；（）《》")},
		{name: "zh-Hant", letter: asIn, char: eastAsianCost(traditionalChinese, text.Han, "，。、：；（）「」")},
		{name: "ja", letter: asIn, char: eastAsianCost(japanese, isJapanese, "、。「」ー・")},
		{name: "ko", letter: asIn, char: eastAsianCost(korean, isHangul, "")},
	}
	for _, a := range alphabets {
		list = append(list, alphabetic(a.name, frequencies(a.letters)))
	}
	return list
})

// alphabetic makes a language from the costs of its small letters.
func alphabetic(name string, costs map[rune]float64) language {
	return language{
		name:  name,
		latin: name != "ru" && name != "uk",
		letter: func(c byte) float64 {
			if cost, ok := costs[rune(c)]; ok {
				return cost
			}
			return 9
		},
		char: func(g *glyph) float64 {
			cost, ok := costs[g.lower]
			switch {
			case ok && g.lower != g.r:
				return cost + costUpper
			case ok:
				return cost
			case g.mark > 0:
				return g.mark
			case g.script == scriptEastAsian:
				return costForeign + 4
			}
			return costForeign
		},
	}
}
