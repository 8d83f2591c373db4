package chunk

import (
	"math"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// dialogueRule packs whole turns, ends a chunk of at least a quarter of the size
// where the topic shifts, parts no question from its answer where another place
// will do, and repeats whole turns within a topic. What is said before the first
// turn is a chunk of its own. A text without turns is cut as kind headings cuts
// it.
func dialogueRule() rule { return rule{name: "dialogue/1", repeat: true, units: dialogueUnits} }

// dialogueUnits returns the turns of doc.
func dialogueUnits(doc rag.Document, p *pieces, c tokens) []unit {
	found := readTurns(doc.Text).list
	if len(found) == 0 {
		return headingUnits(doc, p, c)
	}
	shifts := topicShifts(doc.Text, found)
	path := headingPath{sections: doc.Sections}
	var units []unit
	next := 0 // section
	if found[0].start > 0 {
		units = append(units, unit{split: byLines(0, bySentences, sameLine), path: path.at(0)})
	}
	for i, t := range found {
		u := unit{start: t.start, cut: cutUnit, split: bySentences, path: path.at(t.start)}
		if answers(doc.Text, found, i) {
			u.cut = cutFine - 1
		}
		// A topic starts with the question rather than with its answer.
		begins := shifts[i] && u.cut == cutUnit || i+1 < len(found) && shifts[i+1] && answers(doc.Text, found, i+1)
		if i == 0 || begins {
			u.cut, u.level = cutAlways, 1
		}
		for ; next < len(doc.Sections) && doc.Sections[next].Span.Start <= t.start; next++ {
			u.cut, u.level = cutAlways, 0
			if head := doc.Sections[next].Span.Start; i > 0 && head > found[i-1].start {
				u.start = min(u.start, head)
			}
		}
		units = append(units, u)
	}
	units = tidy(p, units)
	mergeTopics(units, (c.size+3)/4)
	return units
}

// mergeTopics lets a chunk reach across a topic shift where what is before it, or
// what is left after it, weighs less than least.
func mergeTopics(units []unit, least int) {
	weight := 0
	for i := range units {
		if units[i].cut == cutAlways && units[i].level == 1 && i > 0 {
			own := 0
			for k := i; k < len(units) && (k == i || units[k].cut != cutAlways) && own < least; k++ {
				own += units[k].weight
			}
			if weight < least || own < least {
				units[i].cut = cutGroup
			}
		}
		if units[i].cut == cutAlways {
			weight = 0
		}
		weight += units[i].weight
	}
}

// answers reports whether turn i follows another speaker's question.
func answers(s string, found []turn, i int) bool {
	if i == 0 || found[i-1].speaker == found[i].speaker {
		return false
	}
	said := strings.TrimRight(s[found[i-1].said:found[i].start], " \t\r\n\"”’）)*_")
	return strings.HasSuffix(said, "?") || strings.HasSuffix(said, "？")
}

// Parameters of topicShifts.
const (
	topicWindow = 40 // words compared on each side of a gap
	leastTopic  = 12 // words a side must have to be compared
	leastDepth  = 0.15
)

// topicShifts reports for each turn whether a topic starts with it.
//
// It follows M. Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic
// Passages", Computational Linguistics 23(1), 1997: the gap before turn i scores
// the cosine s(i) of the word counts on its two sides; its depth is
// (left peak − s(i)) + (right peak − s(i)), the peaks being what the scores rise
// to on each side before they fall; a shift is a gap that is a local minimum
// deeper than mean + σ/2 of all depths (the paper takes mean − σ/2 of longer
// blocks) and than leastDepth. Words are dictionary words, without stop words and
// speakers' names.
func topicShifts(s string, found []turn) []bool {
	words, firsts, vocabulary := turnWords(s, found)
	scores := make([]float64, len(found))
	left, right := make([]int, vocabulary), make([]int, vocabulary)
	for i := range found {
		at := firsts[i]
		before, after := words[max(0, at-topicWindow):at], words[at:min(len(words), at+topicWindow)]
		scores[i] = -1
		if len(before) >= leastTopic && len(after) >= leastTopic {
			scores[i] = cosine(before, after, left, right)
		}
	}
	level(scores)
	depths, cutoff := depthScores(scores)
	out := make([]bool, len(found))
	for i := 1; i < len(found); i++ {
		lowest := scores[i] <= scores[i-1] && (i+1 == len(found) || scores[i] < scores[i+1])
		out[i] = lowest && depths[i] > cutoff && depths[i] >= leastDepth
	}
	return out
}

// level gives the gaps at both ends, which have too few words on a side and score
// −1, the score of the nearest gap that has enough.
func level(scores []float64) {
	for i := 1; i < len(scores); i++ {
		if scores[i] < 0 {
			scores[i] = scores[i-1]
		}
	}
	for i := len(scores) - 2; i >= 0; i-- {
		if scores[i] < 0 {
			scores[i] = scores[i+1]
		}
	}
}

// turnWords returns the words of s by number, the index of the first word of each
// turn, and how many different words there are.
func turnWords(s string, found []turn) (words, firsts []int, vocabulary int) {
	number := map[string]int{}
	firsts = make([]int, len(found))
	next := 0
	for _, t := range text.Analyze(s).Words {
		for next < len(found) && found[next].start <= t.Span.Start {
			firsts[next] = len(words)
			next++
		}
		if t.Stop || next == 0 || t.Span.Start < found[next-1].said {
			continue
		}
		n, ok := number[t.Term]
		if !ok {
			n = len(number)
			number[t.Term] = n
		}
		words = append(words, n)
	}
	for ; next < len(found); next++ {
		firsts[next] = len(words)
	}
	return words, firsts, len(number)
}

// cosine compares the counts of words in a and b; left and right are zeros by
// word and are left so.
func cosine(a, b []int, left, right []int) float64 {
	for _, w := range a {
		left[w]++
	}
	for _, w := range b {
		right[w]++
	}
	// Each word adds its count as often as it occurs: the sums of the products.
	dot, aa, bb := 0, 0, 0
	for _, w := range a {
		dot += right[w]
		aa += left[w]
	}
	for _, w := range b {
		bb += right[w]
	}
	for _, w := range a {
		left[w] = 0
	}
	for _, w := range b {
		right[w] = 0
	}
	return float64(dot) / math.Sqrt(float64(aa)*float64(bb))
}

// depthScores returns the depth of each gap, and the mean of the depths and half
// a standard deviation.
func depthScores(scores []float64) (depths []float64, cutoff float64) {
	depths = make([]float64, len(scores))
	peak := 0.0
	for i, s := range scores { // rising from the left up to the last peak before i
		if i > 0 && s > scores[i-1] {
			peak = s
		}
		if i == 0 {
			peak = s
		}
		depths[i] = peak - s
	}
	for i := len(scores) - 1; i >= 0; i-- {
		if i == len(scores)-1 || scores[i] > scores[i+1] {
			peak = scores[i]
		}
		depths[i] += peak - scores[i]
	}
	sum, squares := 0.0, 0.0
	for _, d := range depths {
		sum += d
		squares += d * d
	}
	n := float64(len(scores))
	mean := sum / n
	return depths, mean + math.Sqrt(max(0, squares/n-mean*mean))/2
}

// Limits of what reads as a dialogue.
const (
	leastTurns   = 6
	mostSpeakers = 8
)

// readsAsDialogue reports whether s is mostly turns of a few speakers who speak
// more than once: half of the lines open turns, no speaker is most of them, a
// third of the turns has a sentence's end, and three and more speakers do not
// follow each other as the fields of records do.
func readsAsDialogue(s string) bool {
	t := readTurns(s)
	n := len(t.list)
	if n < leastTurns || 2*n < t.lines || t.list[0].start > len(s)/4 {
		return false
	}
	count, after := map[string]int{}, map[string]string{}
	same, said, sentences, usual := 0, 0, 0, 0
	for i, one := range t.list {
		count[one.speaker]++
		end := len(s)
		if i+1 < n {
			next := t.list[i+1]
			if end = next.start; next.speaker == one.speaker {
				same++
			}
			if after[one.speaker] == next.speaker {
				usual++
			}
			after[one.speaker] = next.speaker
		}
		if words := s[one.said:end]; !text.IsBlank(words) {
			said++
			if strings.ContainsAny(words, ".?!。？！…") {
				sentences++
			}
		}
	}
	most, again := 0, 0
	for _, times := range count {
		most = max(most, times)
		if times > 1 {
			again += times
		}
	}
	records := len(count) > 2 && 10*usual >= 8*n
	return len(count) > 1 && len(count) <= mostSpeakers && !records && 10*again >= 9*n && 3*most <= 2*n &&
		2*same <= n && 10*said >= 9*n && 3*sentences >= n
}
