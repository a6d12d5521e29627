package collect_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/mew/collect"
	"candor/web/mew/wire"
)

// space is a collector with its session and a clock that stands still.
type space struct {
	*testing.T
	*collect.Collector
	store *session.Memory
	now   time.Time
	said  int
}

func newSpace(t *testing.T, limits collect.Limits) *space {
	t.Helper()
	s := &space{T: t, now: time.Date(2026, 2, 21, 10, 0, 0, 0, time.UTC)}
	s.store = session.NewMemory(uuid.New)
	t.Cleanup(func() { s.store.Close() })
	s.Collector = collect.New(collect.Options{
		Space: "lab", Safety: safety.NewLayer(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Limits: limits,
		Open: func() (*session.Session, error) { return s.store.Open(t.Context(), "ann") },
		Now:  func() time.Time { return s.now },
	})
	return s
}

// own returns the owner's session.
func (s *space) own() *session.Session {
	own, err := s.store.Open(s.Context(), "ann")
	require.NoError(s, err)
	return own
}

// say folds a message, or returns why it is refused.
func (s *space) say(from, kind, members string) error {
	s.said++
	raw := fmt.Sprintf(`{"from":%q,"kind":%q%s}`, from, kind, members)
	e, err := wire.Parse([]byte(raw), wire.Options{})
	require.NoError(s, err, raw)
	e = e.Complete(fmt.Sprintf("m-%d", s.said), from, s.now)
	path, err := s.Admit(e)
	if err != nil {
		return err
	}
	return s.Observe(e, path)
}

// must is say for what is not refused.
func (s *space) must(from, kind, members string) {
	s.Helper()
	require.NoError(s, s.say(from, kind, members))
}

// turns returns the turns of a participant.
func (s *space) turns(participant string) []session.Turn {
	s.Helper()
	for _, th := range s.own().Threads() {
		if th.Origin.Participant.String() == participant {
			h, err := s.own().History(th.ID, session.Page{})
			require.NoError(s, err)
			return h.Turns
		}
	}
	return nil
}

func code(err error) wire.Code {
	if r, ok := errors.AsType[*wire.Refusal](err); ok {
		return r.Code
	}
	return ""
}

func TestAProposalWaitsForSomebodyToMakeTheCall(t *testing.T) {
	const proposal = `,"to":["db"],"payload":{"method":"tools/call","params":{"name":"drop","arguments":{"table":"t"}}}`
	for _, tt := range []struct {
		name    string
		answer  func(s *space)
		outcome session.Outcome
		decided session.Answer
	}{
		{"it is fulfilled", func(s *space) {
			s.must("ann", "mcp/request", `,"id":"f","correlation_id":["p"]`+proposal)
			s.must("db", "mcp/response", `,"correlation_id":["f"],"payload":{"result":{"ok":true}}`)
		}, session.Success, session.Approve},
		{"it is rejected", func(s *space) {
			s.must("ann", "mcp/reject", `,"correlation_id":["p"],"payload":{"reason":"policy"}`)
		}, session.Rejected, session.Deny},
		{"it is withdrawn", func(s *space) {
			s.must("a", "mcp/withdraw", `,"correlation_id":["p"],"payload":{"reason":"no_longer_needed"}`)
		}, session.Cancelled, session.Withdrawn},
		{"nobody decides before the reasoning ends", func(s *space) {
			s.must("a", "reasoning/conclusion", `,"context":"r"`)
		}, session.Unknown, session.Withdrawn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSpace(t, collect.Limits{})
			s.must("a", "reasoning/start", `,"id":"r"`)
			s.must("a", "mcp/proposal", `,"id":"p","context":"r"`+proposal)
			request := s.turns("a")[0].Steps[0].Calls[0].Approval.Request
			e, ref, ok := s.Proposal(request)
			require.True(t, ok)
			assert.Equal(t, "p", e.ID)
			assert.Equal(t, 1, ref.Turn)
			s.must("b", "mcp/withdraw", `,"correlation_id":["p"]`) // which is not b's to withdraw
			tt.answer(s)
			c := s.turns("a")[0].Steps[0].Calls[0]
			assert.Equal(t, tt.outcome, c.Outcome)
			assert.Equal(t, tt.decided, c.Approval.Answer)
			_, _, ok = s.Proposal(request)
			assert.False(t, ok)
		})
	}
}

func TestTheOwnerFindsOutWhatAThreadStandsFor(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r"`)
	s.must("a", "reasoning/start", `,"id":"sub","context":"r"`)
	thread := s.turns("a")[0].Thread
	who, ok := s.Author(thread)
	assert.True(t, ok)
	assert.Equal(t, "a", who)
	path, ref, ok := s.Running(thread)
	assert.True(t, ok)
	assert.Equal(t, "r", path, "the whole reasoning, not a part of it")
	assert.Equal(t, session.Ref{Thread: thread, Turn: 1}, ref)
	s.must("a", "reasoning/conclusion", `,"context":"r"`)
	_, _, ok = s.Running(thread)
	assert.False(t, ok)
	_, ok = s.Author("nowhere")
	assert.False(t, ok)
	_, _, ok = s.Running("nowhere")
	assert.False(t, ok)
}

func TestNothingRawIsKept(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH9j", 4)[:36]
	s := newSpace(t, collect.Limits{})
	in := func(members string) string { return strings.ReplaceAll(members, "SECRET", secret) }
	s.must(in("ann SECRET"), "chat", in(`,"id":"q","payload":{"text":"use SECRET"}`))
	s.must("a", "reasoning/start", in(`,"id":"r","correlation_id":["q"],"payload":{"message":"with SECRET"}`))
	s.must("a", "reasoning/thought", in(`,"context":"r","payload":{"message":"I call SECRET",`+
		`"action":"tool","actionInput":{"tool":"t_SECRET","arguments":{"SECRET":"SECRET"}}}`))
	s.must("a", "mcp/request", in(`,"id":"c","to":["SECRET"],"context":"r","payload":{"method":"tools/call",`+
		`"params":{"name":"t_SECRET","arguments":{"SECRET":"SECRET"}}}`))
	s.must("SECRET", "mcp/response", in(`,"correlation_id":["c"],"payload":{"error":{"message":"no SECRET"}}`))
	s.must("ann", "chat", in(`,"context":"r","payload":{"text":"SECRET?"}`))
	s.must("ann", "weird/SECRET", in(`,"context":"r","payload":{"text":"SECRET?"}`))
	s.must("a", "mcp/proposal", in(`,"id":"p","context":"r","payload":{"method":"SECRET","params":{"x":"SECRET"}}`))
	s.must("ann", "mcp/reject", in(`,"correlation_id":["p"],"payload":{"reason":"SECRET"}`))
	s.must("ann", "reasoning/cancel", in(`,"context":"r","payload":{"reason":"SECRET"}`))
	s.must("a", "reasoning/conclusion", in(`,"context":"r","payload":{"message":"SECRET"}`))
	s.must("a", "chat", in(`,"correlation_id":["q"],"payload":{"text":"it was SECRET"}`))
	head := s.own().Head()
	for up, err := range s.own().Watch(t.Context(), 0) {
		require.NoError(t, err)
		assert.NotContains(t, fmt.Sprintf("%+v", up), secret)
		if up.Event.Seq == head {
			break
		}
	}
	require.Len(t, s.turns("a"), 1)
	assert.NotEmpty(t, s.turns("a")[0].Findings)
}

func TestASpaceBeginsAnewInASessionThatBeganAnew(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r","payload":{"message":"before"}`)
	require.NoError(t, s.store.Remove(t.Context(), "ann"))
	s.must("a", "reasoning/thought", `,"context":"r","payload":{"message":"after"}`)
	turn := s.turns("a")[0]
	assert.True(t, turn.Asked.Unseen, "the beginning was not seen")
	assert.Equal(t, "after", turn.Steps[0].Narrative.String())
}

func TestAnAnswerToAnotherQuestionAnswersNoReasoningThatHasOne(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("ann", "chat", `,"id":"q1","payload":{"text":"one?"}`)
	s.must("ann", "chat", `,"id":"q2","payload":{"text":"two?"}`)
	s.must("a", "reasoning/start", `,"id":"r","correlation_id":["q1"]`)
	s.must("a", "chat", `,"correlation_id":["q2"],"payload":{"text":"two!"}`)
	s.must("a", "reasoning/conclusion", `,"context":"r"`)
	turns := s.turns("a")
	require.Len(t, turns, 2)
	assert.Empty(t, turns[0].Response.String())
	assert.Equal(t, []string{"two?", "two!"}, []string{turns[1].Input.String(), turns[1].Response.String()})
}

func TestAToolIsNamedByAWordOfItsOwn(t *testing.T) {
	for _, tt := range []struct {
		text, tool string
		want       bool
	}{
		{"I'll ask route for it", "route", true},
		{"route", "route", true},
		{"(`git_diff`) shows it", "git_diff", true},
		{"en route: no", "route", true},
		{"the router is down", "route", false},
		{"reroute", "route", false},
		{"git_diff_all", "git_diff", false},
		{"pre-run", "run", false},
		{"größer als groß", "groß", true},
		{"rerouted by route", "route", true},
		{"anything", "", false},
	} {
		assert.Equal(t, tt.want, collect.Names(tt.text, tt.tool), "%q in %q", tt.tool, tt.text)
	}
}

func TestARemarkAnswersNoEndedReasoningWhileOthersAreOpen(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	for _, id := range []string{"r1", "r2", "r3"} {
		s.must("a", "reasoning/start", `,"id":"`+id+`"`)
	}
	s.must("a", "reasoning/conclusion", `,"context":"r1","payload":{"message":"one is done"}`)
	s.must("a", "chat", `,"payload":{"text":"whose is this?"}`)
	turns := s.turns("a")
	require.Len(t, turns, 4, "it is a turn of its own")
	assert.Empty(t, turns[0].Response.String())
}

func TestACallIsAnsweredByTheOneItWasFor(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r"`)
	s.must("a", "mcp/request",
		`,"id":"c","context":"r","to":["db"],"payload":{"method":"tools/call","params":{"name":"t"}}`)
	s.must("mallory", "mcp/response", `,"correlation_id":["c"],"payload":{"result":"forged"}`)
	assert.Equal(t, session.Pending, s.turns("a")[0].Steps[0].Calls[0].Outcome)
	s.must("db", "mcp/response", `,"correlation_id":["c"],"payload":{"result":"real"}`)
	c := s.turns("a")[0].Steps[0].Calls[0]
	assert.Equal(t, session.Success, c.Outcome)
	assert.JSONEq(t, `"real"`, string(c.Result.Raw()))
	assert.Equal(t, "mallory", s.turns("a")[0].Notes[0].From.String())
}

func TestAResponseThatNamesAReasoningIsInItsTurn(t *testing.T) {
	for _, state := range []string{"ended", "open"} {
		t.Run(state, func(t *testing.T) {
			s := newSpace(t, collect.Limits{})
			s.must("guard", "reasoning/thought",
				`,"context":{"id":"reason-789","type":"reasoning"},"payload":{"message":"m"}`)
			if state == "ended" {
				s.must("guard", "reasoning/conclusion",
					`,"context":"reason-789","payload":{"message":"Deny the operation"}`)
			}
			s.must("guard", "mcp/response",
				`,"correlation_id":["reason-789"],"payload":{"error":"Operation denied after security analysis"}`)
			s.must("other", "mcp/response", `,"correlation_id":["reason-789"],"payload":{"result":"noted elsewhere"}`)
			if state == "open" {
				s.must("guard", "reasoning/conclusion",
					`,"context":"reason-789","payload":{"message":"Deny the operation"}`)
			}
			turns := s.turns("guard")
			require.Len(t, turns, 1)
			assert.Equal(t, "Operation denied after security analysis", turns[0].Response.String())
			assert.Equal(t, session.Completed, turns[0].State)
			require.Len(t, turns[0].Notes, 1)
			note := turns[0].Notes[0]
			assert.Equal(t, "other: noted elsewhere", note.From.String()+": "+note.Text.String())
		})
	}
}

func TestMetadataIsShownOnTheTurnOnceWhileItStaysTheSame(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r","payload":{"message":"m","metadata":{"approach":"security-first"}}`)
	context := `,"context":{"id":"r","metadata":{"confidence":0.7,"api_key":"xK9mQ2vL8nR4tY6wZ1pD"}}`
	s.must("a", "reasoning/thought", context+`,"payload":{"message":"one","metadata":{"approach":"security-first"}}`)
	s.must("b", "chat", context+`,"payload":{"text":"two"}`)
	s.must("a", "reasoning/conclusion",
		`,"context":{"id":"r","metadata":"none"},"payload":{"metadata":{"confidence":1}}`)
	var notes []string
	for _, n := range s.turns("a")[0].Notes {
		assert.False(t, n.Late)
		notes = append(notes, n.From.String()+" "+n.Text.String())
	}
	assert.Equal(t, []string{
		`a metadata: {"approach":"security-first"}`,
		`a metadata: {"confidence":0.7,"api_key":"[REDACTED:secret-field]"}`,
		"b two",
		`a metadata: {"confidence":1}`,
	}, notes)
}
