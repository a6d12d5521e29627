package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// startSpace serves the space lab of ann with a person and two agents.
func startSpace(t *testing.T) *apptest.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "spaces.json")
	spaces := fmt.Sprintf(`{"spaces":{"lab":{"owner":"ann","participants":{
		"human":{"token":%q,"capabilities":[{"kind":"*"}]},
		"writer":{"token":%q,"capabilities":[{"kind":"*"}]},
		"critic":{"token":%q,"capabilities":[{"kind":"*"}]}}}}}`,
		apptest.TokenOf("human"), apptest.TokenOf("writer"), apptest.TokenOf("critic"))
	require.NoError(t, os.WriteFile(file, []byte(spaces), 0o600))
	return apptest.Start(t, app.Settings{MEW: app.MEWSettings{SpacesFile: file}}, nil)
}

// message is a message of a space, as a person's client reads it.
type message struct {
	ID          string
	From        string
	Kind        string
	Context     string
	Correlation []string `json:"correlation_id"`
	Payload     apptest.M
}

// person is a person in the space lab.
type person struct {
	t    *testing.T
	conn *websocket.Conn
	seen []message
}

func enter(t *testing.T, s *apptest.Server) *person {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), s.HTTP.URL+"/mew/ws?space=lab", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + apptest.TokenOf("human")}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return &person{t: t, conn: conn}
}

func (p *person) say(m apptest.M) {
	p.t.Helper()
	require.NoError(p.t, p.conn.Write(p.t.Context(), websocket.MessageText, apptest.JSON(p.t, m)))
}

// reads reads until a message is the one that is waited for, and returns it.
func (p *person) reads(wanted func(message) bool) message {
	p.t.Helper()
	for {
		_, raw, err := p.conn.Read(p.t.Context())
		require.NoError(p.t, err)
		var m message
		if json.Unmarshal(raw, &m) != nil {
			continue // a frame of a stream
		}
		if p.seen = append(p.seen, m); wanted(m) {
			return m
		}
	}
}

// takePart runs candor mew as a participant with a script until the test ends.
func takePart(t *testing.T, s *apptest.Server, who string, script apptest.M) {
	t.Helper()
	t.Setenv("CANDOR_MEW_TOKEN", apptest.TokenOf(who))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, err := runCandorUntil(ctx, "", "mew", "--gateway", s.HTTP.URL, "--space", "lab", "--workspace",
			apptest.Root(t), "--provider", "script", "--script", apptest.ScriptFile(t, script))
		done <- err
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-done, who)
	})
}

// joins waits until a participant has come. Two that come do so one after the other, since the
// environment that has their tokens is the process's.
func (p *person) joins(who string) {
	p.t.Helper()
	p.reads(func(m message) bool {
		about, _ := m.Payload["participant"].(apptest.M)
		return m.Kind == "system/presence" && m.Payload["event"] == "join" && about["id"] == who
	})
}

func TestTwoAgentsAndAPersonShareASpaceOfOurGateway(t *testing.T) {
	s := startSpace(t)
	human := enter(t, s)
	takePart(t, s, "critic", apptest.M{
		"steps": []apptest.M{{"text": "Fine."}},
		"tools": apptest.M{"weigh": apptest.M{"result": "4 kg"}},
	})
	human.joins("critic")
	takePart(t, s, "writer", apptest.M{"steps": []apptest.M{
		{"narrative": "I cannot weigh things myself.", "tool_calls": []apptest.M{
			{"name": "critic__weigh", "arguments": apptest.M{"thing": "stone"}, "rationale": "The critic has scales."},
		}},
		{"text": "It weighs 4 kg."},
	}})
	human.joins("writer")
	human.reads(func(m message) bool { // the critic has told the writer what tools there are
		return m.From == "critic" && m.Kind == "mcp/response" && strings.Contains(fmt.Sprint(m.Payload), "weigh")
	})
	human.seen = nil
	human.say(apptest.M{"id": "q-1", "kind": "chat", "to": []string{"writer"},
		"payload": apptest.M{"text": "How heavy is the stone?"}})
	answer := human.reads(func(m message) bool { return m.From == "writer" && m.Kind == "chat" })

	var said []string
	start := ""
	for _, m := range human.seen {
		if m.Kind == "reasoning/start" {
			start = m.ID
			assert.Equal(t, []string{"q-1"}, m.Correlation)
			assert.Empty(t, m.Context)
		}
		if strings.HasPrefix(m.Kind, "mcp/") && m.Context == "" {
			continue // they ask each other for their tools
		}
		if m.From == "writer" || m.From == "critic" {
			said = append(said, m.From+" "+m.Kind)
		}
		if strings.HasPrefix(m.Kind, "mcp/") || m.Kind == "reasoning/thought" || m.Kind == "reasoning/conclusion" {
			assert.Equal(t, start, m.Context, m.Kind)
		}
	}
	assert.Equal(t, []string{
		"writer reasoning/start", "writer stream/request", "writer reasoning/thought", "writer reasoning/thought",
		"writer mcp/request", "critic mcp/response", "writer reasoning/conclusion", "writer chat",
	}, said)
	assert.Equal(t, []string{"q-1", start}, answer.Correlation)
	assert.Equal(t, "It weighs 4 kg.", answer.Payload["text"])

	thread := threadOf(t, s, "writer")
	apptest.Eventually(t, "the history has the answer", func() bool {
		return strings.Contains(s.Get("ann", "/api/chat/history?thread_id="+thread).Body, "It weighs 4 kg.")
	})
	history := s.Get("ann", "/api/chat/history?thread_id="+thread).Body
	for _, want := range []string{"How heavy is the stone?", "I cannot weigh things myself.", "The critic has scales.",
		"4 kg"} {
		assert.Contains(t, history, want)
	}
	assert.Equal(t, 1, strings.Count(history, `"tool_name"`), "the thought and the request are one call")
}

// threadOf returns the thread that shows what a participant says.
func threadOf(t *testing.T, s *apptest.Server, who string) string {
	t.Helper()
	for _, thread := range s.Get("ann", "/api/chat/threads").JSON()["threads"].([]any) {
		if one := thread.(map[string]any); strings.Contains(fmt.Sprint(one), who) {
			return one["id"].(string)
		}
	}
	require.Fail(t, "the participant has no thread", who)
	return ""
}

func TestLastIsTheNewestConversationWhereNoneIsActive(t *testing.T) {
	s := startSpace(t)
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	_, _, err := runCandor(t, "", "reasoning", "last")
	assert.Equal(t, 1, command.ExitStatus(err))
	require.ErrorContains(t, err, "there is no conversation yet")

	human := enter(t, s)
	human.say(apptest.M{"kind": "chat", "payload": apptest.M{"text": "Is anybody here?"}})
	human.reads(func(m message) bool { return m.Kind == "chat" })
	apptest.Eventually(t, "the history has the chat", func() bool {
		return strings.Contains(s.Get("ann", "/api/chat/threads").Body, `"turn_count":1`)
	})
	out, _, err := runCandor(t, "", "export", "last")
	require.NoError(t, err)
	assert.Contains(t, out, "Is anybody here?")
}

func TestAFailureAndAMissingReasonAreNotTakenForMore(t *testing.T) {
	s := startSpace(t)
	human := enter(t, s)
	takePart(t, s, "writer", apptest.M{
		"steps": []apptest.M{{"tool_calls": []apptest.M{{"name": "look"}}}, {"error": "the model is asleep"}},
		"tools": apptest.M{"look": apptest.M{"result": "nothing"}},
	})
	human.joins("writer")
	human.say(apptest.M{"kind": "chat", "to": []string{"writer"}, "payload": apptest.M{"text": "Look."}})
	answer := human.reads(func(m message) bool { return m.From == "writer" && m.Kind == "chat" })
	assert.Contains(t, answer.Payload["text"], "the model is asleep")
	history := ""
	thread := threadOf(t, s, "writer")
	apptest.Eventually(t, "the turn has ended", func() bool {
		history = s.Get("ann", "/api/chat/history?thread_id="+thread).Body
		return !strings.Contains(history, `"state":"processing"`)
	})
	assert.Contains(t, history, `"state":"failed"`)
	assert.Contains(t, history, `"rationale_source":"fallback"`, "nobody gave a reason")
}

func TestAPersonStopsOurAgentInMidThought(t *testing.T) {
	for _, way := range []string{"in the space", "from the page"} {
		t.Run(way, func(t *testing.T) {
			s := startSpace(t)
			human := enter(t, s)
			takePart(t, s, "writer", apptest.M{
				"steps": []apptest.M{
					{"narrative": "This takes a while.", "tool_calls": []apptest.M{{"name": "wait"}}},
					{"narrative": "I go on.", "tool_calls": []apptest.M{{"name": "wait"}}},
				},
				"tools": apptest.M{"wait": apptest.M{"result": "ok", "delay_ms": 600_000}},
			})
			human.joins("writer")
			human.say(apptest.M{"kind": "chat", "to": []string{"writer"}, "payload": apptest.M{"text": "Wait."}})
			start := human.reads(func(m message) bool { return m.Kind == "reasoning/start" })
			human.reads(func(m message) bool { return m.Kind == "mcp/request" && m.Context == start.ID })
			if way == "in the space" {
				human.say(apptest.M{"kind": "reasoning/cancel", "context": start.ID})
			} else {
				body := string(apptest.JSON(t, apptest.M{"thread_id": threadOf(t, s, "writer")}))
				require.Equal(t, http.StatusAccepted, s.Post("ann", "/api/chat/interrupt", body).Status)
			}
			human.seen = nil
			end := human.reads(func(m message) bool { return m.From == "writer" && m.Kind == "reasoning/conclusion" })
			assert.Equal(t, true, end.Payload["cancelled"])
			assert.Equal(t, start.ID, end.Context)
			for _, m := range human.seen {
				assert.NotEqual(t, "reasoning/thought", m.Kind)
			}
			history := s.Get("ann", "/api/chat/history?thread_id="+threadOf(t, s, "writer")).Body
			assert.Contains(t, history, "interrupted")
		})
	}
}
