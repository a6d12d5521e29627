package openwop_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/web/access"
	"candor/web/openwop"
)

// playTurn plays a case of testdata/turns and returns what the log has of its turn.
func playTurn(t *testing.T, c apptest.Case) (log []session.Update) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := apptest.NewPlay(t, apptest.ReadFixture(t, filepath.Join(c.Dir, "script.json")))
		defer p.Close()
		p.Post("/api/chat/thread/new", "")
		sent := p.Post("/api/chat/send", string(apptest.JSON(t, apptest.M{"content": c.Message})))
		thread := sent["thread_id"].(string)
		if c.InterruptAfterMS > 0 {
			time.Sleep(time.Duration(c.InterruptAfterMS) * time.Millisecond) // fake time
			p.Post("/api/chat/interrupt", "{}")
		}
		p.Answer(c.Approvals, thread)
		time.Sleep(5 * time.Second) // fake time
		synctest.Wait()
		s, err := p.App.Store.Open(t.Context(), access.LocalUser)
		require.NoError(t, err)
		log = updates(t, s, session.Ref{Thread: thread, Turn: 1})
	})
	return log
}

// TestEveryEventOfEveryTurnFitsTheSchemas plays the cases of testdata/turns through the real
// dispatcher, safety layer and log, and checks what each client is sent of them.
func TestEveryEventOfEveryTurnFitsTheSchemas(t *testing.T) {
	apptest.EachCase(t, func(t *testing.T, c apptest.Case) {
		log := playTurn(t, c)
		require.True(t, log[len(log)-1].Turn.State.Ended())
		for _, v := range views() {
			if v.Limit == openwop.Summary {
				continue // one limit is enough here
			}
			checkRun(t, v, log)
			raw, err := json.Marshal(projected(v, log))
			require.NoError(t, err)
			apptest.AssertNoFixture(t, string(raw))
		}
	})
}

// TestRunsGoldens compares the events of three turns with testdata/runs, in both versions.
func TestRunsGoldens(t *testing.T) {
	seen := 0
	apptest.EachCase(t, func(t *testing.T, c apptest.Case) {
		name := filepath.Base(c.Dir)
		if name != "approval" && name != "parallel" && name != "sub-agent" {
			t.Skip("not among the goldens")
		}
		seen++
		log := playTurn(t, c)
		for v, suffix := range map[openwop.Version]string{openwop.V1: ".v1.jsonl", openwop.V2: ".v2.jsonl"} {
			view := openwop.View{Version: v, User: "ann", Verbosity: openwop.Full}
			apptest.CompareGolden(t, filepath.Join("testdata", "runs", name+suffix), lines(t, projected(view, log)))
		}
	})
	assert.Equal(t, 3, seen)
}

// lines returns events as JSON, one a line.
func lines(t *testing.T, events []openwop.Event) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		require.NoError(t, enc.Encode(e))
	}
	return b.String()
}

// A run of the real loop in which the agent doubts a decision and a call, of which a person allows
// the first.
func TestWhatTheAgentDoubtsIsAskedAndDecided(t *testing.T) {
	const script = `{"steps":[{"narrative":"I choose.","tool_calls":[
		{"id":"c1","name":"decide","arguments":{"decision":"wait","confidence":0.4},"rationale":"it may rain"},
		{"id":"c2","name":"clean","arguments":{"path":"cache","confidence":0.3},"rationale":"to make room"}]},
		{"text":"Done."}],"tools":{"clean":{"result":"ok"}}}`
	var log []session.Update
	synctest.Test(t, func(t *testing.T) {
		p := apptest.NewPlay(t, []byte(script), func(s *app.Settings) { s.Model.Confidence.Ask = true })
		defer p.Close()
		p.Post("/api/chat/thread/new", "")
		thread := p.Post("/api/chat/send", `{"content":"what now?"}`)["thread_id"].(string)
		p.Answer(map[string]string{"call_1": "approve", "call_2": "deny"}, thread)
		time.Sleep(time.Second) // fake time
		synctest.Wait()
		s, err := p.App.Store.Open(t.Context(), access.LocalUser)
		require.NoError(t, err)
		log = updates(t, s, session.Ref{Thread: thread, Turn: 1})
	})
	for _, v := range views() {
		checkRun(t, v, log)
	}
	events := sent(t, projected(inV1, log))
	decisions := of(events, "agent.decided")
	require.Len(t, decisions, 4)
	assert.Equal(t, "wait", decisions[0].Payload["decision"])
	assert.Equal(t, 0.4, decisions[0].Payload["confidence"])
	assert.Equal(t, "wait", decisions[2].Payload["decision"])
	assert.Equal(t, "deny", decisions[3].Payload["decision"].(map[string]any)["answer"])
	for i, kind := range []string{"low-confidence", "low-confidence"} {
		assert.Equal(t, kind, of(events, "node.suspended")[i].Payload["kind"])
	}
	require.Len(t, of(events, "agent.toolCalled"), 1, "a decision is no call of a tool")
	assert.Equal(t, map[string]any{"path": "cache"}, of(events, "agent.toolCalled")[0].Payload["inputs"])
	assert.Equal(t, "forbidden", of(events, "agent.toolReturned")[0].Payload["status"])
}
