package standin

import (
	"math"
	"sort"
	"strings"
	"sync"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// The words that vocabularies are made of.
const (
	english = `the of and to in a is that for it as was with be by on not he i this are or his from at which but
have an they you were her she will one all would there their we him been has when who more no if out so up said what its
about into than them can only other new some could time these two may then do first any my now such like our over man
me even most made after also did many before must through back years where much your way well down should because each
just those people how too little state good very make world still own see men work long get here between both life being
under never day same another know while last might us great old year off come since against go came right used take three
query passage document model search answer question retrieval company employee leave policy contract report science`
	chinese = `我们 他们 中国 北京 上海 公司 员工 年假 合同 问题 答案 检索 文档 模型 数据 什么 怎么 可以 没有 因为 所以 如果 但是
这个 那个 时间 工作 学校 大学 城市 国家 世界 历史 文化 经济 政府 社会 科学 技术 发展 生活 人民 地区 成为 进行 使用
开始 之后 以及 或者 其中 为了 关于 通过 由于 第一 部分 方面 情况 作品 电影 音乐 游戏 比赛 球队 军队 战争 河流`
)

// scoredPiece is a piece with a made-up log probability.
type scoredPiece struct {
	piece string
	score float64
}

// hanzi are the 3,755 commonest Chinese characters, the first level of GB 2312.
func hanzi() []string {
	var out []string
	decoder := simplifiedchinese.GBK.NewDecoder()
	for hi := byte(0xb0); hi <= 0xd7; hi++ {
		for lo := byte(0xa1); lo <= 0xfe; lo++ {
			s, err := decoder.String(string([]byte{hi, lo}))
			if err == nil && len(s) == 3 && s < "\ue000" {
				out = append(out, s)
			}
		}
	}
	return out
}

const sign = "\u2581"

// unigram is a vocabulary of words, their beginnings and ends, and characters;
// the first four are XLM-RoBERTa's special ones. Scores have four decimals, so
// that every processor writes the same.
func unigram() []scoredPiece {
	weight := map[string]float64{sign: 30}
	for i, w := range strings.Fields(english) {
		n := 400 / float64(i+2)
		weight[sign+w] += n
		for cut := 1; cut < len(w); cut++ {
			weight[sign+w[:cut]] += n / 20
			weight[w[cut:]] += n / 15
		}
	}
	for i, w := range strings.Fields(chinese) {
		weight[w] += 100 / float64(i+3)
		weight[sign+w] += 30 / float64(i+3)
	}
	for i, c := range hanzi() {
		weight[c] += 40 / float64(i+10)
	}
	for c := '!'; c <= '~'; c++ {
		weight[string(c)] += 0.5
	}
	for _, c := range "，。、：；？！（）“”《》—…·" {
		weight[string(c)] += 2
	}
	pieces := make([]scoredPiece, 0, len(weight))
	for p, n := range weight {
		pieces = append(pieces, scoredPiece{p, math.Round(1e4*math.Log(n/3000)) / 1e4})
	}
	sort.Slice(pieces, func(i, j int) bool {
		if pieces[i].score != pieces[j].score {
			return pieces[i].score > pieces[j].score
		}
		return pieces[i].piece < pieces[j].piece
	})
	return append([]scoredPiece{{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}}, pieces...)
}

// wordPieces is a BERT vocabulary of the same words and characters.
func wordPieces() []string {
	out := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	seen := map[string]bool{}
	add := func(s string) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for c := '!'; c <= '~'; c++ {
		if c < 'A' || c > 'Z' {
			add(string(c))
			add("##" + string(c))
		}
	}
	for _, c := range "，。、：；？！（）“”《》—…·" {
		add(string(c))
	}
	for _, w := range strings.Fields(english) {
		add(w)
		for cut := 2; cut < len(w); cut++ {
			add("##" + w[cut:])
		}
	}
	for _, c := range hanzi() {
		add(c)
	}
	return out
}

// made keeps what is the same for all folders.
var made = sync.OnceValue(func() (m struct {
	charMap []byte
	unigram []scoredPiece
	words   []string
},
) {
	m.charMap, m.unigram, m.words = charMap(), unigram(), wordPieces()
	return m
})
