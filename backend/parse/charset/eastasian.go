package charset

import (
	"math"
	"strings"
	"sync"

	"ragdesk/backend/text"
)

// class of an East Asian character in one language, the most frequent first.
type class uint8

const (
	classRare class = iota // in no national standard of the language
	classTop               // among the 100 most frequent
	classCommon
	classFirst  // level 1 of the standard
	classSecond // level 2
	numClasses
)

// repertoire is the classes of a language's characters and what a member of
// each costs.
type repertoire struct {
	of   map[rune]class
	cost [numClasses]float64
}

// share is the probability mass of a class in running text, punctuation and
// other scripts taking the rest.
type share struct {
	class class
	mass  float64
}

func newRepertoire(of map[rune]class, rare float64, shares ...share) repertoire {
	members := [numClasses]int{}
	for _, c := range of {
		members[c]++
	}
	r := repertoire{of: of}
	r.cost[classRare] = rare
	for _, s := range shares {
		r.cost[s.class] = math.Log(float64(max(members[s.class], 1)) / s.mass)
	}
	return r
}

// rows returns the characters of the two-byte cells of a national standard with
// lead bytes in [from, to] and trail bytes from A1, or also 40–7E.
func rows(encoding string, from, to byte, low bool) []rune {
	var out []rune
	for lead := int(from); lead <= int(to); lead++ {
		for trail := 0x40; trail <= 0xfe; trail++ {
			if trail < 0xa1 && (!low || trail > 0x7e) {
				continue
			}
			s, err := text.Decode(encoding, []byte{byte(lead), byte(trail)})
			if err == nil {
				out = append(out, []rune(s)...)
			}
		}
	}
	return out
}

// assign puts characters into a class unless they have a better one.
func assign(of map[rune]class, c class, runes []rune) {
	for _, r := range runes {
		if _, ok := of[r]; !ok {
			of[r] = c
		}
	}
}

func assignCommon(of map[rune]class, common string) {
	runes := []rune(common)
	top := min(100, len(runes))
	assign(of, classTop, runes[:top])
	assign(of, classCommon, runes[top:])
}

var simplifiedChinese = sync.OnceValue(func() repertoire {
	of := map[rune]class{}
	assignCommon(of, commonHans)
	assign(of, classFirst, rows("GB18030", 0xb0, 0xd7, false))
	assign(of, classSecond, rows("GB18030", 0xd8, 0xf7, false))
	return newRepertoire(of, 16.5, share{classTop, .34}, share{classCommon, .30}, share{classFirst, .19},
		share{classSecond, .008})
})

var traditionalChinese = sync.OnceValue(func() repertoire {
	common := map[rune]class{}
	assignCommon(common, commonHans)
	of := map[rune]class{}
	first := rows("Big5", 0xa4, 0xc6, true)
	for i, folded := range []rune(text.Fold(string(first)).Text) {
		if c, ok := common[folded]; ok && i < len(first) {
			of[first[i]] = c
		}
	}
	assign(of, classFirst, first)
	assign(of, classSecond, rows("Big5", 0xc9, 0xf9, true))
	return newRepertoire(of, 16.5, share{classTop, .34}, share{classCommon, .30}, share{classFirst, .19},
		share{classSecond, .008})
})

var japanese = sync.OnceValue(func() repertoire {
	of := map[rune]class{}
	assign(of, classTop, []rune("のにはをたがでてとしれさいるかなもっらりうこまきくよ"))
	assignCommon(of, commonKanji)
	for r := rune(0x3041); r <= 0x30fe; r++ {
		assign(of, classCommon, []rune{r})
	}
	assign(of, classFirst, rows("EUC-JP", 0xb0, 0xcf, false))
	assign(of, classSecond, rows("EUC-JP", 0xd0, 0xf4, false))
	return newRepertoire(of, 17, share{classTop, .48}, share{classCommon, .30}, share{classFirst, .07},
		share{classSecond, .002})
})

var korean = sync.OnceValue(func() repertoire {
	of := map[rune]class{}
	assignCommon(of, commonHangul)
	assign(of, classFirst, rows("EUC-KR", 0xb0, 0xc8, false))
	return newRepertoire(of, 15, share{classTop, .55}, share{classCommon, .20}, share{classFirst, .15})
})

// eastAsianCost returns the cost function of a language whose characters, in
// the script given by own, are in rep.
func eastAsianCost(rep func() repertoire, own func(rune) bool, punctuation string) func(*glyph) float64 {
	return func(g *glyph) float64 {
		if own(g.r) {
			rep := rep()
			return rep.cost[rep.of[g.r]]
		}
		return eastAsianMark(g, punctuation)
	}
}

// eastAsianMark is the cost of punctuation and of other scripts in East Asian
// text.
func eastAsianMark(g *glyph, punctuation string) float64 {
	switch {
	case g.script == scriptNone && strings.ContainsRune(punctuation, g.r):
		return 3.5
	case 0x3000 <= g.r && g.r <= 0x301f, strings.ContainsRune("，：；（）？！", g.r):
		return 6
	case 0xff01 <= g.r && g.r <= 0xff5e:
		return 8
	case g.mark > 0:
		return g.mark
	case 0xff61 <= g.r && g.r <= 0xff9f:
		return 14 // half-width kana: seldom meant, often a wrong decoding
	case isHangul(g.r):
		return 16
	case g.script == scriptEastAsian:
		return 13
	}
	return costForeign + 1
}

func isJapanese(r rune) bool { return 0x3041 <= r && r <= 0x30fe || text.Han(r) }

func isHangul(r rune) bool { return 0xac00 <= r && r <= 0xd7a3 }
