package app

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"ragdesk/backend/api"
)

var room = regexp.MustCompile(`\d+号会议室`)

// TestCallsAboutOneAnswerFollowOneAnother: a judge that is asked about each claim
// again reads the passages once, unless another answer comes in between.
func TestCallsAboutOneAnswerFollowOneAnother(t *testing.T) {
	t.Parallel()
	f := newOllama(t)
	judging(f, func(_ int, prompt string) bool { return len(numberedClaim.FindAllString(prompt, -1)) > 1 })
	reply := f.reply
	f.reply = func(prompt string) string {
		time.Sleep(2 * time.Millisecond) // long enough for another worker to get a word in
		return reply(prompt)
	}
	items := judgedItems(24)
	for i := range items {
		items[i].Answer = fmt.Sprintf("%d号会议室的窗很高。%[1]d号会议室很安静。", i)
	}
	report := verify(t, f.with(t, filled(t)), api.VerifyRequest{Detector: "llm", Model: "tiny", Items: items})
	if report.Summary.Scored != len(items) {
		t.Fatalf("%+v", report.Summary)
	}
	var rooms []string
	for _, c := range f.asked() {
		rooms = append(rooms, room.FindString(c.text()))
	}
	if len(rooms) != 3*len(items) {
		t.Errorf("%d calls", len(rooms))
	}
	if turns := slices.Compact(slices.Clone(rooms)); len(turns) != len(items) {
		t.Errorf("the judge went from answer to answer %d times for %d answers: %v", len(turns), len(items), rooms)
	}
}
