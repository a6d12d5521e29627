package terminal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

// What changes in place is redrawn below what was printed, and nothing is written for a region
// that did not change.
func TestAScrollPrintsAboveItsRegion(t *testing.T) {
	var out strings.Builder
	columns := 80
	s := NewScroll(&out, func() (int, int) { return columns, 24 })
	require.NoError(t, s.Progress("Nothing runs.\n"))
	require.NoError(t, s.Progress("Nothing runs.\n"))
	require.NoError(t, s.Print("said\n"))
	require.NoError(t, s.Progress(""))
	const up = "\x1b[A\x1b[K"
	assert.Equal(t, "Nothing runs.\n"+up+"said\nNothing runs.\n"+up, out.String())
	columns = 60
	assert.Equal(t, 60, s.Width())
	assert.Error(t, NewScroll(failing{}, s.size).Print("x"))
}

// apptestToken is a token that no server has seen.
const apptestToken = "a-token-for-nothing-at-all-0123456789"

// failing is a writer whose reader is gone.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }

// What stands at the bottom of tail's screen, as time goes by.
func TestTheBottomOfTailSaysWhatRuns(t *testing.T) {
	c, err := client.New("http://h:1", apptestToken)
	require.NoError(t, err)
	defer c.Close()
	tail := Tail{Client: c, Progress: func(string) {}}
	now := time.Unix(100, 0)
	assert.Empty(t, tail.inPlace(now), "before there is a connection nobody knows")
	tail.connection(client.Event{Type: client.Connected})
	assert.Equal(t, "  Nothing runs.\n", tail.inPlace(now))
	tail.boardOf("t", true).lines(Live{}, callEvent("tool_started", "a", "grep", "", -1), now)
	assert.Equal(t, "  ○ grep          why a\n\n  ⋯ step 1 · grep · 5 s · 0 of 1 call\n",
		tail.inPlace(now.Add(5*time.Second)))
	tail.boardOf("late", false).lines(Live{}, client.Event{Type: "thinking", Message: "Hm."}, now)
	assert.Len(t, tail.boards, 1, "what comes behind a turn's end does not run")
	tail.Print = func(string) { t.Error("it is said in place") }
	tail.connection(client.Event{Type: client.Lost, Retry: 4 * time.Second})
	assert.Equal(t, "  ⋯ lost http://h:1, trying again in 4 s; what was missed is fetched\n",
		tail.inPlace(tail.retryAt.Add(-4*time.Second)))
	assert.Contains(t, tail.inPlace(tail.retryAt.Add(-2500*time.Millisecond)), "in 3 s")
	assert.Contains(t, tail.inPlace(tail.retryAt.Add(time.Second)), "in 0 s")
	for n := range 2 * maxBoards {
		tail.boardOf(string(rune('a'+n)), true)
	}
	assert.LessOrEqual(t, len(tail.boards), maxBoards)
}

// A question names the command that answers it.
func TestTailSaysHowAQuestionIsAnswered(t *testing.T) {
	c, err := client.New("http://h:1", apptestToken)
	require.NoError(t, err)
	defer c.Close()
	tail := Tail{Client: c, Style: Style{Width: 60}}
	e := callEvent("approval_needed", "a", "", "", -1)
	e.ToolName, e.Object = "rm", "config/ledger.yaml"
	assert.Equal(t, "  ? rm  why a\n    config/ledger.yaml\n    → waiting for you: candor chat --server http://h:1\n"+
		"    --thread t\n", tail.approvalNeeded(e))
}
