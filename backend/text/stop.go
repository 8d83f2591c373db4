package text

import (
	"strings"
	"sync"
)

// stopZH are Chinese function words and the words that make a question.
const stopZH = `
的 了 是 在 和 与 及 或 并 而 也 都 就 还 又 被 把 给 让 使 由 从 到 对 向 往 于 以 为 因 所 之 其 此 这 那 该
个 些 么 吗 呢 吧 啊 呀 嘛 哦 着 过 地 得 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 大家
这个 那个 这些 那些 这里 那里 这样 那样 这种 那种 这是 那是 什么 怎么 怎样 怎么样 如何 为什么 为何 是否 能否 可否
哪 哪个 哪些 哪里 哪儿 哪位 哪种 哪一 哪几 谁 谁的 多少 几 几个 何 何时 何地 何处 何种 什么样 什么时候 是不是 有没有 能不能
会 能 可以 可 应该 应 要 想 请 请问 请告诉 告诉 介绍 一下 一个 一种 一些 有 没有 没 不 不是 就是 还是 也是 都是 而是
以及 并且 而且 但是 但 可是 然而 不过 因为 所以 因此 如果 那么 虽然 尽管 只要 只有 无论 不管 即使 关于 对于 由于 根据 按照 通过 进行
上 下 中 里 内 时 后 前 间 等 等等 来 去 很 更 最 太 非常 十分 已 已经 曾 曾经 将 正在 才 只 再 与其 之一 之间
`

// stopEN are English function words.
const stopEN = `
a an the and or but nor if then than so as of at by for from in into on onto to with without within about above below
over under between among through during before after up down out off again further once here there is am are was were
be been being have has had having do does did doing can could will would shall should may might must i me my mine we us
our ours you your yours he him his she her hers it its they them their theirs this that these those what which who whom
whose when where why how all any both each few more most other some such no not only own same too very just also s t
`

var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(stopZH + stopEN) {
		words[w] = true
	}
	return words
})

// StopWord reports whether a folded, unstemmed word is too common to ask for.
func StopWord(word string) bool { return stopWords()[word] }
