package agui

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// views are all the ways in which a client can look at a thread.
func views() (all []View) {
	sealed := func(turn int, call string) string {
		if call == "call_1" || call == "" {
			return "sealed"
		}
		return ""
	}
	for _, level := range []Level{Full, Summary, Hidden} {
		for _, version1 := range []bool{true, false} {
			all = append(all, View{Thread: "t", Version1: version1, Reasoning: level, UserMessages: true,
				ApprovalTimeout: time.Minute, EncryptedReasoning: sealed})
		}
	}
	return all
}

// checkEveryCut projects a log and ends the stream after every one of its events:
// whatever was sent by then has to be in order and complete.
func checkEveryCut(t *testing.T, log []session.Update) {
	t.Helper()
	for _, view := range views() {
		p, v := NewProjector(view), &verifier{}
		var all []Event
		for i, up := range log {
			events := p.Project(up.Turn, up.Event)
			all = append(all, events...)
			check(t, v, events, all)
			cut, seen := *p, *v
			cut.steps, cut.subagents, seen.open = slices.Clone(p.steps), slices.Clone(p.subagents), maps.Clone(v.open)
			check(t, &seen, cut.Break("stopped", "The server stopped."), all)
			if len(all) > 0 {
				require.NoError(t, seen.done(), "cut after %d of %d", i+1, len(log))
			}
			require.Empty(t, seen.open, "what was opened is closed, also where the run failed")
		}
		require.False(t, p.Open())
		checkWire(t, view, all)
	}
}

func check(t *testing.T, v *verifier, events, all []Event) {
	t.Helper()
	for _, e := range events {
		if err := v.check(e); err != nil {
			require.NoError(t, err, kinds(all))
		}
	}
}

// checkWire is what holds of every event as it is sent.
func checkWire(t *testing.T, view View, events []Event) {
	t.Helper()
	for _, e := range events {
		raw, err := json.Marshal(e)
		require.NoError(t, err)
		var members map[string]any
		require.NoError(t, json.Unmarshal(raw, &members))
		for name, value := range members {
			require.NotNil(t, value, "%s of %s is left out, not null", name, e.head().Type)
		}
		kind := string(e.head().Type)
		if view.Reasoning == Hidden {
			require.NotEqual(t, ReasoningContent, e.head().Type)
		}
		if !view.Version1 {
			require.NotContains(t, kind, "SUBAGENT")
			require.Empty(t, e.head().Subagent)
			if r, ok := e.(*Run); ok && r.Outcome != nil {
				require.NotEqual(t, "cancelled", r.Outcome.Type)
				require.Empty(t, r.Outcome.PendingToolCallIDs)
			}
		}
	}
}

func kinds(events []Event) string {
	var all []string
	for _, e := range events {
		all = append(all, string(e.head().Type))
	}
	return strings.Join(all, " ")
}

// seeds are choices for so many logs, always the same.
func seeds(n, length int) [][]byte {
	random := rand.NewChaCha8([32]byte{8})
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, length)
		_, _ = random.Read(all[i]) // never fails
	}
	return all
}

// Any order of events that a loop can cause becomes runs that are in order, however
// far the log has come.
func FuzzRunsAreWellFormed(f *testing.F) {
	for _, seed := range seeds(20, 400) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		log := randomLog(t, choices[:min(len(choices), 600)])
		checkEveryCut(t, log)
		checkResumes(t, log)
	})
}

// checkResumes shows each part of a turn from where it waited, as a client does that
// comes back with an answer.
func checkResumes(t *testing.T, log []session.Update) {
	t.Helper()
	for i, up := range log {
		if up.Turn.Waiting() == nil {
			continue
		}
		p, v := NewProjector(View{Thread: "t", Version1: true, Reasoning: Full}), &verifier{}
		events := p.Begin("again", "", up.Event)
		for _, next := range log[i+1:] {
			if p.Open() {
				events = append(events, p.Project(next.Turn, next.Event)...)
			}
		}
		events = append(events, p.Break("stopped", "The server stopped.")...)
		check(t, v, events, events)
		require.NoError(t, v.done())
	}
}

// A run ends exactly where its turn cannot go on by itself.
func TestARunStaysOpenWhileItsTurnCanContinue(t *testing.T) {
	paused := 0
	for _, seed := range seeds(200, 300) {
		p := NewProjector(View{Thread: "t", Version1: true, Reasoning: Full})
		running := session.Turn{}
		for _, up := range randomLog(t, seed) {
			p.Project(up.Turn, up.Event)
			if up.Turn.Number > 0 && up.Turn.State != session.Queued {
				running = up.Turn
			}
			goesOn := running.State == session.Processing && running.Waiting() == nil
			require.Equal(t, goesOn, p.Open())
			if running.Waiting() != nil {
				paused++
			}
		}
	}
	assert.Greater(t, paused, 100, "the logs have turns that wait")
}

// What a client has put together from the events is what a snapshot restates.
func TestASnapshotRepeatsWhatWasStreamed(t *testing.T) {
	for _, seed := range seeds(50, 300) {
		p := NewProjector(views()[0])
		var events []Event
		for _, up := range randomLog(t, seed) {
			events = append(events, p.Project(up.Turn, up.Event)...)
		}
		messages := reduce(events)
		ids := map[string]bool{}
		for i, m := range messages {
			require.NotEmpty(t, m.Role)
			require.False(t, ids[m.ID], "each id once")
			ids[m.ID] = true
			if m.Role == "tool" {
				require.Contains(t, []string{"assistant", "tool"}, messages[i-1].Role,
					"a result stands behind its call")
			}
		}
		for _, e := range events {
			switch e := e.(type) {
			case *Start:
				require.True(t, ids[e.MessageID])
			case *Result:
				require.True(t, ids[e.MessageID])
			case *Encrypted:
				at := slices.IndexFunc(messages, func(m Message) bool { return m.ID == e.EntityID })
				require.GreaterOrEqual(t, at, 0)
				value := messages[at].EncryptedValue
				if e.Subtype == "tool-call" {
					value = messages[at].ToolCalls[0].EncryptedValue
				} else {
					require.Equal(t, "reasoning", messages[at].Role)
					require.Equal(t, "assistant", messages[at+1].Role, "the answer follows")
				}
				require.Equal(t, e.EncryptedValue, value)
			}
		}
	}
}

func TestAnEventIsOneLineOfUnescapedJSON(t *testing.T) {
	var b bytes.Buffer
	frame(&b, "", &Content{Head: Head{Type: TextContent}, MessageID: "m", Delta: "a < b & c\r\n\u2028"})
	assert.Equal(t, `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a < b & c\r\n\u2028"}`+"\n\n",
		b.String())
}
