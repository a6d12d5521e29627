package agui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestTheStatesOfAUsersLatestThreadsAreKept(t *testing.T) {
	var s states
	for i := range maxUserStates + 1 {
		s.put("ann", "s", fmt.Sprint(i), []byte(`{"n":1}`), layer)
	}
	assert.Equal(t, maxUserStates, s.all)
	assert.Nil(t, s.get("ann", "s", "0"), "the state written first goes first")
	require.Len(t, s.get("ann", "s", "1"), 1)
	assert.Nil(t, s.get("bob", "s", "1"))

	s.put("ann", "s", "1", []byte(`{"n":2}`), layer)
	assert.Equal(t, maxUserStates, s.all, "a thread has one state")
	assert.JSONEq(t, `{"n":2}`, string(s.get("ann", "s", "1")[0].(*State).Snapshot.Raw()))
	s.put("ann", "s", "1", fmt.Appendf(nil, "%q", make([]byte, maxState)), layer)
	assert.Nil(t, s.get("ann", "s", "1"), "the older state would be wrong")

	s.put("ann", "next", "1", []byte(`{"n":3}`), layer)
	assert.Equal(t, 1, s.all, "those of an earlier session are dropped")
}

func TestTheStatesOfManyUsersDisplaceThoseOfWhoHasTheMost(t *testing.T) {
	var s states
	s.put("zoe", "s", "hers", []byte(`{"n":1}`), layer)
	for user := range 2 * maxStates / maxUserStates {
		for thread := range maxUserStates {
			s.put(fmt.Sprint(user), "s", fmt.Sprint(thread), []byte(`{"n":1}`), layer)
		}
	}
	assert.Equal(t, maxStates, s.all)
	assert.Len(t, s.get("zoe", "s", "hers"), 1, "who has one keeps it")
}

// deadlineWriter records the deadlines that are set on its connection.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (w *deadlineWriter) SetReadDeadline(at time.Time) error  { w.read = at; return nil }
func (w *deadlineWriter) SetWriteDeadline(at time.Time) error { w.write = at; return nil }

func TestAClientThatDoesNotReadIsCutOffAfterTheWriteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &deadlineWriter{ResponseRecorder: httptest.NewRecorder(), read: time.Now()}
		out := New(Options{WriteTimeout: 7 * time.Second}).open(w, httptest.NewRequest(http.MethodGet, "/", nil))
		assert.True(t, w.read.IsZero(), "a stream outlives the deadline of its request")
		time.Sleep(time.Hour) //nolint:forbidigo // the bubble's clock
		out.send(started())
		assert.Equal(t, time.Now().Add(7*time.Second), w.write, "each write has the whole timeout")
		assert.Equal(t, http.StatusOK, w.Code)
	})
}

func TestAnAnswerWithoutACountMakesTheUsageOfItsRunUnknown(t *testing.T) {
	known := session.Usage{Input: 5, Output: 2}
	for _, tt := range []struct {
		name         string
		step, answer session.Usage
		want         []TokenUsage
	}{
		{"both are counted", known, known, []TokenUsage{{InputTokens: 10, OutputTokens: 4, TotalTokens: 14}}},
		{"the answer is not counted", known, session.Usage{}, nil},
		{"the step is not counted", session.Usage{}, known, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := NewProjector(View{Thread: "t", Version1: true})
			var last Event
			for i, body := range []session.Body{
				session.TurnStarted{}, session.ToolCalled{Step: 1, Call: "call_1", Rationale: session.Fallback()},
				session.ToolReturned{Call: "call_1", Outcome: session.Success},
				session.StepEnded{Step: 1, Usage: tt.step}, session.TurnCompleted{Usage: tt.answer},
			} {
				e := session.Event{Seq: uint64(i + 1), Ref: session.Ref{Thread: "t", Turn: 1}, Body: body}
				turn := p.turn.Apply(e)
				events := p.Project(turn, e)
				last = events[len(events)-1]
			}
			require.IsType(t, &Run{}, last)
			assert.Equal(t, tt.want, last.(*Run).Usage)
		})
	}
}

func TestASnapshotHasTheLatestMessagesThatFit(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	var all []Message
	for i := range 100 {
		id := fmt.Sprint("call_", i)
		all = append(all, Message{ID: id, Role: "assistant", ToolCalls: []ToolCall{{ID: id}}},
			Message{ID: id + "_result", Role: "tool", ToolCallID: id, Content: &long})
	}
	kept, omitted := newest(all)
	assert.Equal(t, all[omitted:], kept)
	assert.Equal(t, "assistant", kept[0].Role, "no result is without its call")
	raw, err := json.Marshal(kept)
	require.NoError(t, err)
	assert.Less(t, len(raw), maxSnapshot)
	assert.Greater(t, len(raw), maxSnapshot-300_000)

	one, err := json.Marshal(snapshot(asAny(kept), omitted))
	require.NoError(t, err)
	assert.Contains(t, string(one), fmt.Sprintf(`"candor:omitted":{"messages":%d}`, omitted))
	for _, few := range [][]Message{nil, all[:4], all[1:2]} {
		kept, omitted = newest(few)
		assert.Equal(t, few, kept)
		assert.Zero(t, omitted)
	}
	whole, err := json.Marshal(snapshot(asAny(all[:4]), 0))
	require.NoError(t, err)
	assert.NotContains(t, string(whole), "omitted")
}
