package chunk

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// turn is a line that opens what someone says.
type turn struct {
	// start is where the line starts, said where the words after the label do.
	start, said int
	// speaker is the label without its number, folded to lower case.
	speaker string
}

// turns are the lines of a text that open turns, and how much of it they are.
type turns struct {
	list []turn
	// lines counts the lines that show something.
	lines int
}

// readTurns finds the turns of s: lines such as "张三：", "Speaker A:",
// "[10:02] Bob:", "<bob>", "Q1." or "张三 10:02". A label is a speaker's if it comes
// twice or if most lines open a turn.
func readTurns(s string) turns {
	var t turns
	count := map[string]int{}
	for at := 0; at < len(s); {
		end := nextLine(s, at, len(s))
		line := strings.TrimRightFunc(s[at:end], unicode.IsSpace)
		if !text.IsBlank(line) {
			t.lines++
			if name, said := label(line); name != "" {
				t.list = append(t.list, turn{start: at, said: at + said, speaker: name})
				count[name]++
			}
		}
		at = end
	}
	if 5*len(t.list) >= 3*t.lines {
		return t
	}
	kept := t.list[:0]
	for _, one := range t.list {
		if count[one.speaker] > 1 {
			kept = append(kept, one)
		}
	}
	t.list = kept
	return t
}

// label returns who a line says is speaking, and the byte of the line where the
// words start; "" if nobody.
func label(line string) (speaker string, said int) {
	rest := strings.TrimLeft(line, " \t\u3000>*-_•")
	rest, stamped := stamp(rest)
	if after, ok := strings.CutPrefix(rest, "<"); ok {
		if name, words, found := strings.Cut(after, ">"); found && isName(name) {
			return speakerOf(name), len(line) - len(words)
		}
		return "", 0
	}
	i := strings.IndexAny(rest[:min(len(rest), maxLabel)], ":：")
	if i < 0 {
		name, after := stampEnd(rest)
		if name != "" && !stamped && isName(name) {
			return speakerOf(name), len(line) - len(after)
		}
		return "", 0
	}
	name := rest[:i]
	if named, after := stampEnd(rest); named != "" && len(named) <= i {
		// "Bob (10:02): …": the first colon is the clock's.
		if after = strings.TrimLeft(after, " "); after == "" || strings.HasPrefix(after, ":") || strings.HasPrefix(after, "：") {
			name, i = named, len(rest)-len(after)
		}
	}
	_, size := utf8.DecodeRuneInString(rest[min(i, len(rest)):])
	words := rest[min(i+size, len(rest)):]
	next, _ := utf8.DecodeRuneInString(words)
	name = strings.Trim(name, "*_ \t\u3000")
	if words != "" && next < utf8.RuneSelf && size == 1 && !unicode.IsSpace(next) && !strings.ContainsRune("*_\"'", next) || !isName(name) {
		return "", 0
	}
	return speakerOf(name), len(line) - len(words)
}

// maxLabel is the most bytes a speaker's label has.
const maxLabel = 64

// isName reports whether s may name a speaker: a short run of words without
// marks of a sentence, and none of the labels of notes, logs and letters.
func isName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if s == "" || !unicode.IsLetter(first) || utf8.RuneCountInString(s) > 28 || strings.Count(s, " ") > 3 {
		return false
	}
	if text.Han(first) && utf8.RuneCountInString(s) > 10 {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && !strings.ContainsRune(" .'’-_·•&#()（）/", r) {
			return false
		}
	}
	return !noSpeakers()[strings.ToLower(s)]
}

// noSpeakers are labels that begin lines and name nobody.
var noSpeakers = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for s := range strings.FieldsSeq(`info warn warning error debug trace fatal notice note notes tip important caution
		todo fixme example examples http https ftp file from to cc bcc subject date sent re fwd title author authors abstract
		keywords summary source url name type version tel phone email address time step
		注意 注 备注 说明 提示 警告 示例 例如 例 如下 来源 标题 作者 日期 时间 地点 主题 摘要 关键词 关键字 姓名 电话 地址 邮箱 网址 链接
		目的 结论 背景 方法 结果 参考文献 附件 抄送 发件人 收件人 参会人员 与会人员 出席 缺席 记录人`) {
		out[s] = true
	}
	return out
})

// speakerOf folds a name so that Q1 and Q2 are one speaker.
func speakerOf(name string) string {
	name = strings.ToLower(strings.Trim(name, "*_ \t\u3000"))
	if short := strings.TrimRight(name, "0123456789 .#"); short == "q" || short == "a" || short == "问" || short == "答" {
		return short
	}
	return name
}

// stamp cuts a time off the start of a line: "[10:02]", "(10:02:33)",
// "2024-01-02 10:02".
func stamp(line string) (rest string, found bool) {
	body := strings.TrimLeft(line, "[(【（")
	i := stampLen(body)
	if i == 0 {
		return line, false
	}
	return strings.TrimLeft(body[i:], ")]】） \t-–"), true
}

// stampEnd cuts a line "name time" or "name (time)", with what follows the time;
// name is "" without a time.
func stampEnd(line string) (name, after string) {
	for i := 0; i < min(len(line), maxLabel); i++ {
		if i == 0 || line[i] < '0' || line[i] > '9' || line[i-1] != ' ' && line[i-1] != '\t' && line[i-1] != '(' && line[i-1] != '[' {
			continue
		}
		if n := stampLen(line[i:]); n > 0 {
			return strings.TrimRight(line[:i], " \t([（【"), strings.TrimLeft(line[i+n:], ")]）】")
		}
	}
	return "", line
}

// stampLen returns how many bytes of the start of s tell a time of day, with a
// date before it or not; 0 if none.
func stampLen(s string) int {
	i, clock := 0, false
time:
	for i < len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9' || c == '-' || c == '/' || c == '.' || c == ' ' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9':
		case c == ':' && i > 0 && '0' <= s[i-1] && s[i-1] <= '9' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9':
			clock = true
		default:
			break time
		}
		i++
	}
	if !clock {
		return 0
	}
	for _, half := range []string{" AM", " PM", " am", " pm", "AM", "PM"} {
		if strings.HasPrefix(s[i:], half) {
			return i + len(half)
		}
	}
	return i
}
