package text

import "regexp"

// refusals are the phrases with which an answer says that there is none.
var refusals = regexp.MustCompile(`(?i)(资料|文档|文中|材料|原文|上下文|提供的(信息|内容)|给出的(信息|内容)|已知信息)[^。！？]{0,12}(没有|未|无法|并无|不包含|找不到)[^。！？]{0,10}(相关|提及|提到|说明|涉及|给出|包含|信息|内容|答案|确定|回答|得知)` +
	`|(无法|不能|难以)(回答|确定|得知|判断|从[^。]{0,10}(中)?(得知|找到|确定))|没有(找到)?(相关|足够)(的)?(信息|资料|内容)|^(我)?不(知道|清楚)` +
	`|not (in|found in|mentioned in|stated in|provided in|specified in|available in) the (documents?|context|passages?|text|sources?|provided|given)` +
	`|(documents?|context|passages?|text|sources?) (do|does|did) not (mention|say|state|contain|provide|specify|include|give)` +
	`|\b(i|we) (do not|don't|don’t) know\b|\b(cannot|can't|can’t|unable to) (answer|determine|be (answered|determined)|find)\b|\bno (relevant |sufficient )?(information|answer) (is |was )?(available|found|provided|given|in the)`)

// Refuses reports a statement that only says that the material has no answer.
func Refuses(s string) bool { return Weight(s) <= 80 && refusals.MatchString(s) }
