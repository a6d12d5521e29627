package terminal

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

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

// Where two questions wait a bare y answers neither, so no line says that it does.
func TestEachOfTwoQuestionsSaysItsNumber(t *testing.T) {
	a := newAsked(t)
	a.happens(t, "approval_needed")
	assert.Contains(t, a.openQuestions(time.Now()), "y yes", "one that waits alone needs no number")
	a.addApproval(client.Approval{RequestID: "r", ToolName: "rm"})
	assert.Contains(t, a.openQuestions(time.Now()), "y 1 yes")
	assert.Contains(t, a.openQuestions(time.Now()), "y 2 yes")
	assert.NotContains(t, a.openQuestions(time.Now()), "y yes")
	assert.Contains(t, a.shown.String(), "y 1 or n 1 answers the question about shell")
	shown := a.shown.Len()
	require.NoError(t, a.answer(t.Context(), reply{action: "view", number: []string{"1"}}))
	assert.Contains(t, a.shown.String()[shown:], "? 1 shell")
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

// What a watched agent did is dated by its own clock, with the day unless that is today.
func TestWhatAWatchedAgentDidIsDatedByItsOwnClock(t *testing.T) {
	now := time.Date(2026, 11, 27, 13, 9, 0, 0, time.Local)
	began := now.Add(-7 * 24 * time.Hour)
	assert.Equal(t, "12:09", clockTime(now.Add(-time.Hour), now))
	assert.Equal(t, "20 Nov 2026, 13:09", clockTime(began, now))

	turn := client.Turn{Number: 1, State: "completed", CreatedAt: now, StartedAt: &began, CompletedAt: &began}
	var shown strings.Builder
	c, err := client.New("http://127.0.0.1:1", "token-of-ann-for-tests")
	require.NoError(t, err)
	defer c.Close()
	tail := Tail{Client: c, Print: func(s string) { shown.WriteString(s) }, names: map[string]string{"t": "proj"}}
	tail.showTurn(t.Context(), "t", turn)
	assert.Contains(t, shown.String(), "  20 Nov 2026, 13:09  proj, turn 1\n")

	th := client.Thread{UpdatedAt: now, Attached: &client.AttachedInfo{ActedAt: &began}}
	assert.Contains(t, aboutThread(th, now), "7 days ago")
	th.Attached.ActedAt = nil
	assert.Contains(t, aboutThread(th, now), ", now")
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

func TestAShortAnswerIsUnderstood(t *testing.T) {
	for line, want := range map[string]reply{
		"y": {action: "approve"}, " YES ": {action: "approve"}, "a": {action: "always"}, "n": {action: "deny"},
		"no": {action: "deny"}, "v": {action: "view"}, "y 2": {action: "approve", number: []string{"2"}},
		"n 2 keep it": {action: "deny", number: []string{"2"}, words: "keep it"},
		"n keep it":   {action: "deny", words: "keep it"},
	} {
		got, ok := parseReply(line)
		assert.True(t, ok, line)
		assert.Equal(t, want, got, line)
	}
	for _, line := range []string{"", "yes please", "y n", "maybe", "always do it", "2", "/deny"} {
		_, ok := parseReply(line)
		assert.False(t, ok, line)
	}
}

// At a question nothing that is typed is a message. A yes that comes when the question has just
// been taken back is none either, and the next line is one again.
func TestAnAnswerIsNeverSentToTheAgent(t *testing.T) {
	const approved = `{"action":"approve","request_id":"q"}`
	const denied = `{"action":"deny","request_id":"q","value":"keep charset"}`
	for _, tt := range []struct {
		name, line  string
		answered    bool
		posts, says string
	}{
		{"yes", "yes", false, approved, ""},
		{"no, with words", "n keep charset", false, denied, ""},
		{"any other text", "and then open a pull request", false, "", "Not sent: a call waits for your answer."},
		{"more of it", "v", false, "", "May it run?  y yes   n no   n WORDS no, and why   v view"},
		{"always, where that is offered to nobody", "a 7", false, "", "Say which, by its number."},
		{"yes, too late", "yes", true, "", "Not sent: nothing waits for an answer any more."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAsked(t)
			a.happens(t, "approval_needed")
			if tt.answered {
				a.happens(t, "approval_answered")
			}
			a.shown.Reset()
			require.NoError(t, a.handleLine(t.Context(), tt.line))
			assert.Contains(t, a.shown.String(), tt.says)
			var posts []string
			if tt.posts != "" {
				posts = []string{"/api/chat/approval " + tt.posts}
			}
			assert.Equal(t, posts, a.answers)
		})
	}
	a := newAsked(t)
	a.happens(t, "approval_needed")
	a.happens(t, "approval_answered")
	<-a.readNext // the line that was being typed has come
	a.reading = false
	a.requestLine()
	require.NoError(t, a.handleLine(t.Context(), "yes"))
	assert.Contains(t, strings.Join(a.answers, " "), `/api/chat/send`, "no question was there when it was typed")
}

// The prompt says what a line would be.
func TestThePromptOfAQuestionIsAnother(t *testing.T) {
	a := newAsked(t)
	a.happens(t, "approval_needed")
	a.showPrompt()
	assert.Equal(t, "? ", a.prompted)
	require.NoError(t, a.handleLine(t.Context(), `to be continued\`))
	a.showPrompt()
	assert.Equal(t, "… ", a.prompted)
	require.NoError(t, a.handleLine(t.Context(), "y"))
	a.happens(t, "approval_answered")
	a.showPrompt()
	assert.Equal(t, "› ", a.prompted)
}

// A change goes as it was written, and only what can be one.
func TestAChangeOfParametersIsSentAsItWasWritten(t *testing.T) {
	const sent = `/api/chat/approval/edit {"action":"approve","arguments":{"a":"x  y"},"request_id":"q"}`
	for _, tt := range []struct {
		name, line, says string
		fixed            bool // the parameters cannot be changed
		want             []string
	}{
		{"behind the key", `e {"a":"x  y"}`, "", false, []string{sent}},
		{"with its number", `edit 1 {"a":"x  y"}`, "", false, []string{sent}},
		{"no JSON", `e {"a":`, "have to be one JSON object", false, nil},
		{"words", `e something`, "Not sent: a call waits for your answer.", false, nil},
		{"without an editor", `e`, "No editor is known: set VISUAL or EDITOR", false, nil},
		{"another number", `e 2 {"a":1}`, "Say which, by its number.", false, nil},
		{"a call that cannot be changed", `e {"a":1}`, "The parameters of shell cannot be changed.", true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAsked(t)
			a.addApproval(client.Approval{RequestID: "q", ToolName: "shell", Editable: !tt.fixed})
			require.NoError(t, a.handleLine(t.Context(), tt.line))
			assert.Equal(t, tt.want, a.answers)
			assert.Contains(t, strings.Join(strings.Fields(a.shown.String()), " "), tt.says)
			assert.Equal(t, tt.want == nil, len(a.approvals) == 1, "what was not sent still waits")
		})
	}
}

// Every answer that a person can type, with one, two and three calls that wait: which of them lets a call run.
func TestNoLineApprovesWhatWasNotAsked(t *testing.T) {
	lines := []string{"a dry run first", "a", "d a dry run first", "d", "deny", "n", "n because", "v", "x",
		"yes please", "1", "2", "always", "y", "y 1", "y 2", "y 9", "a 2", "e", "approve", "ok"}
	for n, runs := range map[int][]string{1: {"y", "y 1"}, 2: {"y 1", "y 2"}, 3: {"y 1", "y 2"}} {
		var got []string
		for _, line := range lines {
			a := newAsked(t)
			for i := range n {
				a.addApproval(client.Approval{RequestID: fmt.Sprint("q", i+1), ToolName: "shell", AllowAlways: true})
			}
			require.NoError(t, a.handleLine(t.Context(), line))
			sent := strings.Join(a.answers, " ")
			if strings.Contains(sent, `"approve"`) || strings.Contains(sent, `"always"`) {
				got = append(got, line)
			}
		}
		slices.Sort(got)
		assert.Equal(t, runs, got, "%d calls wait", n)
	}
}

func TestAlwaysIsSaidTwiceAndALaterCallByItsNumber(t *testing.T) {
	a := newAsked(t)
	a.addApproval(client.Approval{RequestID: "q1", ToolName: "shell", AllowAlways: true})
	for _, line := range []string{"a", "v", "a"} {
		require.NoError(t, a.handleLine(t.Context(), line))
	}
	assert.Empty(t, a.answers, "something else came in between")
	require.NoError(t, a.handleLine(t.Context(), "a"))
	assert.Contains(t, strings.Join(a.answers, " "), `"action":"always"`)
	a.answers = nil
	a.addApproval(client.Approval{RequestID: "q2", ToolName: "shell"})
	require.NoError(t, a.handleLine(t.Context(), "y"))
	assert.Empty(t, a.answers, "it was shown with its number")
	require.NoError(t, a.handleLine(t.Context(), "y 2"))
	assert.Contains(t, strings.Join(a.answers, " "), "q2")
}

func TestTheFirstFrameOfATurnCountsFromNow(t *testing.T) {
	assert.Equal(t, clock(0), clockSince(time.Time{}, time.Now()))
	var b board
	assert.NotContains(t, b.foot(Style{}, time.Now()), "2562047")
}
