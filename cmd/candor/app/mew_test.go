package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/access"
)

// spacesFile writes a file of spaces with one participant and returns its name.
func spacesFile(t *testing.T, owner, token string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "spaces.json")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `{"spaces":{"lab":{"owner":%q,"participants":{
		"agent":{"token":%q,"capabilities":[
			{"kind":"chat"},{"kind":"reasoning/*"},{"kind":"mcp/proposal"}]}}}}}`, owner, token), 0o600))
	return file
}

// participant is a participant's end of a socket.
type participant struct {
	t    *testing.T
	conn *websocket.Conn
}

// joinLab opens a participant's socket and reads its welcome.
func joinLab(t *testing.T, s *apptest.Server, token string) participant {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + token}}
	conn, _, err := websocket.Dial(t.Context(), s.HTTP.URL+"/mew/ws?space=lab",
		&websocket.DialOptions{HTTPHeader: header})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	p := participant{t, conn}
	require.Contains(t, p.read(), "system/welcome")
	return p
}

func (p participant) send(text string) {
	p.t.Helper()
	require.NoError(p.t, p.conn.Write(p.t.Context(), websocket.MessageText, []byte(text)))
}

func (p participant) read() string {
	p.t.Helper()
	_, raw, err := p.conn.Read(p.t.Context())
	require.NoError(p.t, err)
	return string(raw)
}

func TestAPersonSpeaksToAParticipantAndCancelsItFromThePage(t *testing.T) {
	token := apptest.TokenOf("the-agent")
	s := apptest.Start(t, app.Settings{MEW: app.MEWSettings{SpacesFile: spacesFile(t, "ann", token)}}, nil)
	agent := joinLab(t, s, token)
	agent.send(`{"id":"m-1","kind":"reasoning/start","payload":{"message":"I look for the cause"}}`)
	require.Contains(t, agent.read(), "m-1")
	thread := s.Get("ann", "/api/chat/threads").JSON()["threads"].([]any)[0].(map[string]any)["id"].(string)
	assert.Contains(t, s.Get("ann", "/api/chat/history?thread_id="+thread).Body, "I look for the cause")

	s.Send("ann", thread, "stop looking")
	assert.Contains(t, agent.read(), `"event":"join"`)
	chat := agent.read()
	assert.Contains(t, chat, `"stop looking"`)
	assert.Contains(t, chat, `"to":["agent"]`)
	assert.Contains(t, chat, `"from":"ann"`)
	interrupt := string(apptest.JSON(t, apptest.M{"thread_id": thread}))
	assert.Equal(t, http.StatusNotFound, s.Post("bob", "/api/chat/interrupt", interrupt).Status)
	require.Equal(t, http.StatusAccepted, s.Post("ann", "/api/chat/interrupt", interrupt).Status)
	cancel := agent.read()
	assert.Contains(t, cancel, `"kind":"reasoning/cancel"`)
	assert.Contains(t, cancel, `"context":"m-1"`)
	assert.Equal(t, http.StatusConflict, s.Post("ann", "/api/chat/interrupt", interrupt).Status, "it has ended")
}

func TestAParticipantGoesOnWhenTheGatewayHasRestarted(t *testing.T) {
	token := apptest.TokenOf("the-agent")
	settings := app.Settings{MEW: app.MEWSettings{SpacesFile: spacesFile(t, "ann", token)}}
	before := apptest.Start(t, settings, nil)
	agent := joinLab(t, before, token)
	agent.send(`{"id":"m-1","kind":"reasoning/start","payload":{"message":"I begin"}}`)
	require.Contains(t, agent.read(), "m-1")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	before.App.Close(stopped)
	_, _, err := agent.conn.Read(t.Context())
	assert.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))

	after := apptest.Start(t, settings, nil)
	agent = joinLab(t, after, token)
	agent.send(`{"id":"m-2","kind":"reasoning/thought","context":"m-1","payload":{"message":"I go on"}}`)
	require.Contains(t, agent.read(), `"m-2"`)
	agent.send(`{"id":"m-3","kind":"reasoning/conclusion","context":"m-1","payload":{"message":"I am done"}}`)
	require.Contains(t, agent.read(), `"m-3"`)
	thread := after.Get("ann", "/api/chat/threads").JSON()["threads"].([]any)[0].(map[string]any)["id"].(string)
	history := after.Get("ann", "/api/chat/history?thread_id="+thread).Body
	assert.Contains(t, history, "I go on")
	assert.NotContains(t, history, "I begin", "what was said before is gone")
}

func TestAPersonApprovesAProposalFromThePage(t *testing.T) {
	token := apptest.TokenOf("the-agent")
	s := apptest.Start(t, app.Settings{MEW: app.MEWSettings{SpacesFile: spacesFile(t, "ann", token)}}, nil)
	agent := joinLab(t, s, token)
	agent.send(`{"id":"p-1","kind":"mcp/proposal","to":["agent"],` +
		`"payload":{"method":"tools/call","params":{"name":"deploy","arguments":{"to":"production"}}}}`)
	require.Contains(t, agent.read(), "p-1")
	thread := s.Get("ann", "/api/chat/threads").JSON()["threads"].([]any)[0].(map[string]any)["id"].(string)
	history := s.Get("ann", "/api/chat/history?thread_id="+thread).Body
	request := regexp.MustCompile(`"request_id": ?"([^"]+)"`).FindStringSubmatch(history)
	require.NotNil(t, request, history)
	answer := string(apptest.JSON(t, apptest.M{"request_id": request[1], "action": "approve"}))
	require.Equal(t, http.StatusAccepted, s.Post("ann", "/api/chat/approval", answer).Status)
	assert.Contains(t, agent.read(), `"event":"join"`)
	fulfilment := agent.read()
	assert.Contains(t, fulfilment, `"kind":"mcp/request"`)
	assert.Contains(t, fulfilment, `"correlation_id":["p-1"]`)
	assert.Contains(t, fulfilment, `"deploy"`)
}

func TestTheSpacesOfAFileAreServedOverSocketsThroughTheWholeServer(t *testing.T) {
	token := apptest.TokenOf("the-agent")
	s := apptest.Start(t, app.Settings{MEW: app.MEWSettings{SpacesFile: spacesFile(t, "ann", token)}}, nil)
	agent := joinLab(t, s, token)
	agent.send(`{"kind":"chat","payload":{"text":"hi"}}`)
	assert.Contains(t, agent.read(), `"kind":"chat","payload":{"text":"hi"}}`)
	assert.Contains(t, s.Get("ann", "/api/mew/spaces").Body, `"connected":true`)
	assert.NotContains(t, s.Get("bob", "/api/mew/spaces").Body, "lab")

	thread, _ := s.Begin("ann")
	s.Send("ann", thread, "the agent has "+token)
	assert.NotContains(t, s.Get("ann", "/api/chat/history").Body, token, "its token is masked everywhere")
	assert.NotContains(t, s.Logs.String(), token)
}

func TestAMistakeInTheFileOfSpacesStopsTheStart(t *testing.T) {
	var tokens access.Tokens
	tokens.Add("ann", apptest.TokenOf("ann"))
	for name, tt := range map[string]struct{ file, says string }{
		"an unknown owner": {spacesFile(t, "eve", apptest.TokenOf("x")), "spaces.lab.owner"},
		"a user's token":   {spacesFile(t, "ann", apptest.TokenOf("ann")), "spaces.lab.participants.agent.token"},
		"no file":          {filepath.Join(t.TempDir(), "none"), "--spaces: open"},
	} {
		_, err := app.New(app.Settings{
			Tools: app.ToolSettings{Workspace: t.TempDir()}, MEW: app.MEWSettings{SpacesFile: tt.file},
		}, tokens, nil, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "--spaces", name)
		require.ErrorContains(t, err, tt.says, name)
		assert.NotContains(t, err.Error(), apptest.TokenOf("ann"))
	}
}
