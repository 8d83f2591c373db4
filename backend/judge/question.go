package judge

import (
	"math"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// questionWords are question words with the kind of thing they ask for; longer ones first.
var questionWords = []struct{ word, kind string }{
	{"什么时候", "time"}, {"什么时间", "time"}, {"什么时期", "time"}, {"什么年代", "time"}, {"何时", "time"}, {"哪一年", "time"}, {"哪年", "time"}, {"哪一天", "time"}, {"哪天", "time"}, {"哪个月", "time"}, {"几月", "time"}, {"几年", "time"}, {"几时", "time"}, {"什么时后", "time"}, {"哪一日", "time"}, {"哪一个世纪", "time"}, {"哪个世纪", "time"}, {"几世纪", "time"}, {"哪个朝代", "time"}, {"哪一月", "time"},
	{"为什么", "why"}, {"为何", "why"}, {"什么原因", "why"}, {"什么目的", "why"},
	{"什么地方", "place"}, {"哪里", "place"}, {"哪儿", "place"}, {"何处", "place"}, {"何地", "place"}, {"哪个国家", "place"}, {"哪一个国家", "place"}, {"哪国", "place"}, {"哪个城市", "place"}, {"哪一个城市", "place"}, {"哪座城市", "place"}, {"哪个地区", "place"}, {"哪个地方", "place"}, {"哪一国", "place"}, {"哪个省", "place"}, {"哪省", "place"}, {"哪个州", "place"},
	{"什么人", "who"}, {"哪位", "who"}, {"哪一位", "who"}, {"何人", "who"}, {"谁", "who"}, {"哪个人", "who"}, {"哪些人", "who"},
	{"多少", "many"}, {"多大", "many"}, {"多长", "many"}, {"多高", "many"}, {"多久", "many"}, {"多重", "many"}, {"多远", "many"}, {"多宽", "many"}, {"多深", "many"}, {"多快", "many"}, {"几", "many"},
	{"怎么样", "how"}, {"怎么", "how"}, {"如何", "how"}, {"怎样", "how"}, {"什么方式", "how"}, {"什么方法", "how"},
	{"哪", "which"}, {"什么", "what"}, {"何", "what"}, {"啥", "what"}, {"甚么", "what"}, {"是指", "what"},
	{"how many", "many"}, {"how much", "many"}, {"how long", "many"}, {"how old", "many"}, {"how far", "many"}, {"how tall", "many"}, {"how often", "many"},
	{"what year", "time"}, {"which year", "time"}, {"what date", "time"}, {"what day", "time"}, {"what time", "time"}, {"when", "time"}, {"what century", "time"}, {"what month", "time"},
	{"what city", "place"}, {"what country", "place"}, {"which city", "place"}, {"which country", "place"}, {"where", "place"}, {"what state", "place"},
	{"who", "who"}, {"whose", "who"}, {"whom", "who"}, {"why", "why"}, {"how", "how"}, {"which", "which"}, {"what", "what"},
}

// kinds are what a question can ask for.
var kinds = []string{"time", "why", "place", "who", "many", "how", "which", "what", ""}

// wanted finds the question word and what it asks for.
func wanted(question string) (rag.Span, string) {
	f := text.Fold(question)
	low := f.Text
	for _, w := range questionWords {
		for from := 0; ; {
			at := strings.Index(low[from:], w.word)
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			if w.word[0] < 0x80 && (at > 0 && isWord(low[at-1]) || at+len(w.word) < len(low) && isWord(low[at+len(w.word)])) {
				continue
			}
			return f.Origin(rag.Span{Start: at, End: at + len(w.word)}), w.kind
		}
	}
	return rag.Span{}, ""
}

// Statement makes a statement of a question and its answer by putting the answer in
// the question word's place, as Chinese does; ok is false without a question word.
func Statement(question, answer string) (statement string, ok bool) {
	wh, _ := wanted(question)
	if wh.End == 0 {
		return "", false
	}
	return strings.TrimRight(question[:wh.Start]+answer+question[wh.End:], "？?吗呢 "), true
}

func isWord(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// types compares what is asked for with what the answer looks like.
func (a *asked) types(f *features, answer string) {
	shape := shapeOf(answer)
	for _, k := range kinds {
		for _, s := range shapes {
			f.add("type_"+k+"_"+s, b2f(a.wanted == k && shape[s]))
		}
	}
	n := float64(utf8.RuneCountInString(answer))
	f.add("answer_length", math.Log1p(n))
	head, _ := a.head()
	overlap := 0
	for _, r := range head {
		if strings.ContainsRune(text.Fold(answer).Text, r) {
			overlap++
		}
	}
	f.add("head_share", share(overlap, utf8.RuneCountInString(head)))
	f.add("head_any", b2f(overlap > 0))
	lastRune, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text.Fold(answer).Text, "》」』\"”)） "))
	f.add("head_last", b2f(head != "" && strings.ContainsRune(head, lastRune)))
	f.add("head_many", b2f(a.wanted == "many" && overlap > 0))
	f.add("head_many_none", b2f(a.wanted == "many" && head != "" && overlap == 0))
}

// head is what stands behind the question word: the noun asked for, or the unit.
func (a *asked) head() (string, bool) {
	rest := text.Fold(a.text[a.wh.End:]).Text
	var b strings.Builder
	n := 0
	for _, r := range rest {
		if !text.Han(r) || n == 4 || strings.ContainsRune("的是在了和与被把对为有个一", r) && n > 0 {
			break
		}
		if strings.ContainsRune("个一些种", r) {
			continue
		}
		b.WriteRune(r)
		n++
	}
	return b.String(), n > 0
}

var shapes = []string{"date", "number", "title", "place", "name", "dotted", "list", "long", "clause", "latin", "plain"}

// shapeOf says what an answer looks like.
func shapeOf(answer string) map[string]bool {
	f := text.Fold(answer).Text
	out := map[string]bool{}
	digits := false
	for _, w := range text.Analyze(answer).Words {
		if number(w.Term) {
			digits = true
		}
	}
	n := utf8.RuneCountInString(f)
	out["date"] = digits && strings.ContainsAny(f, "年月日") || strings.Contains(f, "世纪") || strings.Contains(f, "年代") || strings.Contains(f, "时期")
	out["number"] = digits && !out["date"]
	out["title"] = strings.ContainsAny(answer, "《》「」『』〈〉“”")
	last, _ := utf8.DecodeLastRuneInString(f)
	out["place"] = strings.ContainsRune("国省市县区州岛湾山洲镇村乡路街港河江湖海城郡郊部", last)
	out["dotted"] = strings.ContainsAny(answer, "·・‧")
	out["name"] = !digits && n >= 2 && n <= 4 && !out["place"] && !out["title"]
	out["list"] = strings.ContainsAny(answer, "、")
	out["clause"] = strings.ContainsAny(answer, "，。；,")
	out["long"] = n > 12
	latin := 0
	for _, r := range f {
		if r >= 'a' && r <= 'z' {
			latin++
		}
	}
	out["latin"] = latin*2 > n
	out["plain"] = !digits && n > 4 && n <= 12 && !out["place"] && !out["title"]
	return out
}
