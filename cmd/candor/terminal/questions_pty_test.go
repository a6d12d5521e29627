//go:build unix

package terminal_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
)

// TestAQuestionIsAnsweredInATerminal asks the questions of people about the story with candor reasoning search, each
// in a process and a terminal of its own: every fourth, or with -figures all of them, whose keys and times it writes
// down. TestQuestionsOfPeopleAreAnswered asks all of them each time.
func TestAQuestionIsAnsweredInATerminal(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	s := program.Serve(t, "--provider", "script", "--script", apptest.StoryFile(t, "script.json"),
		"--sends-per-minute", "100000")
	defer s.Stop()
	apptest.TellStory(t, func(method, path, token string, body any) apptest.M {
		return s.As(token, method, path, body)
	})
	var each []string
	found, slowest := 0, time.Duration(0)
	asked := 0
	for i, q := range apptest.Questions(t) {
		if i%4 != 0 && !apptest.WritesFigures() {
			continue
		}
		asked++
		command := "candor reasoning search " + q.Ask
		begin := time.Now()
		c := openProcess(t, 100, []string{"CANDOR_SERVER=" + s.URL}, strings.Fields(command)[1:]...)
		c.exited(0)
		took := time.Since(begin)
		rank := answeredAt(c.screen(), q)
		if rank == 0 {
			each = append(each, "not among ten: "+q.Ask)
			continue
		}
		found++
		slowest = max(slowest, took)
		each = append(each, fmt.Sprintf("%d/%d/%d", rank, len(command)+1, took.Milliseconds()))
	}
	assert.Equal(t, asked, found)
	if apptest.WritesFigures() {
		apptest.WriteFigures(t, "From a question to its decision, in the terminal", fmt.Sprintf(
			"Keys are those of `candor reasoning search`, the question in full and Enter; the decision is then on the "+
				"screen. The time is from the start of the process to its end, without typing. The slowest took "+
				"%d ms. Of each question in turn, hit/keys/milliseconds: %s.", slowest.Milliseconds(),
			strings.Join(each, ", ")))
	}
}

// A screen has no marks that say where a hit begins, so hits are told apart as a reader does it: by the sign and
// the tool at the margin, below which everything else is indented.

// hitLine matches the first line of a hit.
var hitLine = regexp.MustCompile(`(?m)^  [ ✗] \S`)

// answeredAt returns at which hit on a screen the decision stands that answers a question, 0 if at none.
func answeredAt(screen string, q apptest.Question) int {
	starts := hitLine.FindAllStringIndex(screen, -1)
	for i, at := range starts {
		end := len(screen)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		text := strings.Join(strings.Fields(screen[at[0]:end]), " ")
		place := fmt.Sprintf("turn %d", q.Turn)
		if q.Job {
			place = "job "
		}
		tool := strings.TrimPrefix(strings.TrimPrefix(text, "✗ "), " ")
		if strings.HasPrefix(tool, q.Tool+" ") && strings.Contains(text, q.Object) && strings.Contains(text, place) {
			return i + 1
		}
	}
	return 0
}
