package judge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Words for more and for less, as they stand in texts.
const (
	moreEN = "increase increases increased increasing higher high rise rises rose risen raise raises raised grow grows grew growth more greater larger enhance enhances enhanced promote promotes promoted activate activates activated upregulate upregulated induce induces induced improve improves improved better gain gains gained positive stimulate stimulates accelerate accelerates strengthen elevated above expand expands expanded benefit beneficial support supports win wins won success successful accept accepted"
	lessEN = "decrease decreases decreased decreasing lower low fall falls fell fallen reduce reduces reduced reduction drop drops dropped decline declines declined fewer less smaller inhibit inhibits inhibited suppress suppresses suppressed downregulate downregulated block blocks blocked impair impairs impaired worse loss lose loses lost negative slow slows weaken diminished attenuate attenuates attenuated prevent prevents prevented below shrink shrinks harm harmful oppose opposes opposed fail failure reject rejected"
	moreZH = "增加 上升 提高 上涨 增长 升高 增强 促进 扩大 改善 多于 高于 超过 以上 支持 赞成 成功 胜利 加快 提升"
	lessZH = "减少 下降 降低 下跌 缩减 减弱 抑制 缩小 恶化 少于 低于 不足 以下 反对 失败 放缓 下滑"
)

var upWords = sync.OnceValue(func() map[string]bool { return terms(moreEN, moreZH) })

var downWords = sync.OnceValue(func() map[string]bool { return terms(lessEN, lessZH) })

func terms(en, zh string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(en) {
		out[text.Stem(w)] = true
	}
	for w := range strings.FieldsSeq(zh) {
		out[w] = true
	}
	return out
}

// numerals are English numbers in words.
var numerals = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for i, w := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
		out[text.Stem(w)] = strconv.Itoa(i)
	}
	for i, w := range strings.Fields("thirty forty fifty sixty seventy eighty ninety hundred") {
		out[text.Stem(w)] = strconv.Itoa(30 + 10*i)
	}
	return out
})

// analyze returns the words of a text in its order, numbers in words in digits too,
// single ones as well: the 十 of 十天 is 10.
func analyze(s string) []text.Term {
	words := text.Analyze(s).Words
	out := make([]text.Term, 0, len(words))
	for _, w := range words {
		out = append(out, w)
		if digits, ok := numerals()[w.Term]; ok {
			out = append(out, text.Term{Term: digits, Span: w.Span, Stop: true})
		}
	}
	out = append(out, hanNumbers(s)...)
	slices.SortStableFunc(out, func(a, b text.Term) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return out
}

// simplified are the numerals that traditional script writes otherwise.
var simplified = map[rune]rune{'兩': '两', '萬': '万', '億': '亿'}

// hanNumbers are the runs of Chinese numerals in digits.
func hanNumbers(s string) []text.Term {
	var out []text.Term
	var run []rune
	start := 0
	end := func(at int) {
		if digits, ok := text.Number(run); ok {
			out = append(out, text.Term{Term: digits, Span: rag.Span{Start: start, End: at}, Stop: true})
		}
		run = run[:0]
	}
	for i, r := range s {
		if plain, ok := simplified[r]; ok {
			r = plain
		}
		if !strings.ContainsRune("〇零一二两三四五六七八九十百千万亿", r) {
			end(i)
			continue
		}
		if len(run) == 0 {
			start = i
		}
		run = append(run, r)
	}
	end(len(s))
	return out
}
