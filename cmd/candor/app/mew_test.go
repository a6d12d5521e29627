package app_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
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
		"agent":{"token":%q,"capabilities":[{"kind":"chat"}]}}}}}`, owner, token), 0o600))
	return file
}

func TestTheSpacesOfAFileAreServedOverSocketsThroughTheWholeServer(t *testing.T) {
	token := apptest.TokenOf("the-agent")
	s := apptest.Start(t, app.Settings{MEW: app.MEWSettings{SpacesFile: spacesFile(t, "ann", token)}}, nil)
	header := http.Header{"Authorization": {"Bearer " + token}}
	conn, _, err := websocket.Dial(t.Context(), s.HTTP.URL+"/mew/ws?space=lab", &websocket.DialOptions{HTTPHeader: header})
	require.NoError(t, err)
	defer func() { _ = conn.CloseNow() }()
	_, welcome, err := conn.Read(t.Context())
	require.NoError(t, err)
	assert.Contains(t, string(welcome), "system/welcome")
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"kind":"chat","payload":{"text":"hi"}}`)))
	_, echo, err := conn.Read(t.Context())
	require.NoError(t, err)
	assert.Contains(t, string(echo), `"kind":"chat","payload":{"text":"hi"}}`)
	assert.Contains(t, s.Get("ann", "/api/mew/spaces").Body, `"connected":true`)
	assert.NotContains(t, s.Get("bob", "/api/mew/spaces").Body, "lab")

	thread, _ := s.Begin("ann")
	s.Post("ann", "/api/chat/send", fmt.Sprintf(`{"thread_id":%q,"content":"the agent has %s"}`, thread, token))
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
