package terminal

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

// asked is a conversation whose thread has a turn that waits for an approval, what it
// printed, and the answers that its server got.
type asked struct {
	*REPL
	shown   strings.Builder
	answers []string
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	a := &asked{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		a.answers = append(a.answers, r.URL.Path+" "+string(raw))
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(s.Close)
	c, err := client.New(s.URL, "token-of-ann-for-tests")
	require.NoError(t, err)
	t.Cleanup(c.Close)
	a.REPL = &REPL{Client: c, Screen: NewPlain(strings.NewReader(""), &a.shown, nil), thread: "t",
		running: map[int]bool{1: true}, readNext: make(chan struct{}, 1)}
	return a
}

// happens shows an event of the thread.
func (a *asked) happens(t *testing.T, kind string) {
	t.Helper()
	e := client.Event{Type: kind, ThreadID: "t", TurnNumber: 1, RequestID: "q", Answer: "approve"}
	e.ToolName, e.Rationale = "shell", "to see"
	require.NoError(t, a.onEvent(t.Context(), threadEvent{"t", e, nil}))
}

// History and the stream may both have the question. It is asked once.
func TestAReplayedApprovalIsAskedForOnce(t *testing.T) {
	a := newAsked(t)
	a.happens(t, "approval_needed")
	a.happens(t, "approval_needed")
	assert.Equal(t, 1, strings.Count(a.shown.String(), "May it run?"))
	assert.Len(t, a.approvals, 1)
}

// What somebody answered on the page can no longer be answered here.
func TestAnApprovalAnsweredElsewhereLeavesTheList(t *testing.T) {
	a := newAsked(t)
	a.happens(t, "approval_needed")
	a.happens(t, "approval_answered")
	_, err := a.pickApproval(nil)
	require.EqualError(t, err, "No call waits for an answer.")
}

// When piped input ends, what waits is denied at the server, or its turn would never end.
func TestWhatWaitsIsDeniedWhenTheInputEnds(t *testing.T) {
	a := newAsked(t)
	a.Sequential = true
	a.happens(t, "approval_needed")
	a.inputEnded = true
	require.NoError(t, a.advance(t.Context()))
	assert.Equal(t, []string{`/api/chat/approval {"action":"deny","request_id":"q"}`}, a.answers)
	assert.Contains(t, a.shown.String(), "Nobody is left to answer, so what waits is denied.")
	assert.Empty(t, a.approvals)
}

// Tail follows the stream from exactly where the history that it showed ends.
func TestTailContinuesBehindTheHistoryItShowed(t *testing.T) {
	after := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat/events" {
			_, _ = io.WriteString(w, `{"thread_id":"t","turns":[],"event_id":"s-5"}`)
			return
		}
		after <- r.Header.Get("Last-Event-ID")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"no_thread","message":"gone"}`)
	}))
	defer s.Close()
	c, err := client.New(s.URL, "token-of-ann-for-tests")
	require.NoError(t, err)
	defer c.Close()
	tail := Tail{Client: c, Print: func(string) {}, Threads: []string{"t"}, Replay: 1}
	require.ErrorContains(t, tail.Run(t.Context()), "gone")
	assert.Equal(t, "s-5", <-after)
}

// A question loses no byte: no blank at the end of a line, and no character that a terminal
// acts on, which is escaped.
func TestAQuestionIsShownToTheByte(t *testing.T) {
	blanks := `{"command":"rm -rf /srv/cache/     home  \u001b[2J\u202e  ` + strings.Repeat("x ", 3000) + `; end"}`
	for _, width := range []int{0, 20, 40, 80, 200} {
		shown := Style{Width: width}.Question(client.Approval{ToolName: "shell", Parameters: []byte(blanks)}, 0)
		_, params, _ := strings.Cut(shown, "params: ")
		params, _, _ = strings.Cut(params, "\n    May it run?")
		lines := strings.Split(params, "\n")
		for i := range lines {
			if i > 0 && width > 20 {
				lines[i] = strings.TrimPrefix(lines[i], strings.Repeat(" ", len("    params: ")))
			}
		}
		assert.Equal(t, strings.Replace(strings.TrimSuffix(blanks, "}"), `{"command":`, `{ "command": `, 1)+" }",
			strings.Join(lines, ""), "at %d cells", width)
	}
}

func TestAQuestionCountsWhatItHides(t *testing.T) {
	for n, want := range map[int]string{
		0: "", 1: "    ! 1 character is hidden from you: a secret that nothing here acts on.\n",
		40: "    ! 40 characters are hidden from you: a secret that nothing here acts on.\n",
	} {
		shown := Style{}.Question(client.Approval{ToolName: "shell", Hidden: n}, 0)
		assert.Contains(t, shown, want)
		assert.Equal(t, n > 0, strings.Contains(shown, "hidden"))
	}
}
