package agui_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The npm clients of AG-UI run in web/agui/testdata/client, 1.0.0 and 0.0.59, each with its verifier
// and its schemas.
const aguiClients = "../../web/agui/testdata/client"

// plan is what a client is told to do; see drive.mjs.
type plan struct {
	URL    string `json:"url"`
	Token  string `json:"token"`
	Client string `json:"client"` // "1" or "0"
	Thread string `json:"threadId"`
	Runs   []m    `json:"runs"`
}

type m = map[string]any

// report is what the client saw.
type report struct {
	Runs     []runReport `json:"runs"`
	Warnings []string    `json:"warnings"`
	State    any         `json:"state"`
}

type runReport struct {
	Status   int    `json:"status"`
	Thrown   string `json:"thrown"`
	Error    m      `json:"error"` // a RUN_ERROR
	Finished *struct {
		Event   m        `json:"event"`
		Pending []string `json:"pending"`
	} `json:"finished"`
	Events   []m             `json:"events"`
	Schema   []m             `json:"schema"` // events that do not parse
	Messages []clientMessage `json:"messages"`
}

type clientMessage struct {
	ID             string `json:"id"`
	Role           string `json:"role"`
	Content        any    `json:"content"`
	EncryptedValue string `json:"encryptedValue"`
	ToolCallID     string `json:"toolCallId"`
	Metadata       m      `json:"metadata"`
	ToolCalls      []struct {
		ID             string `json:"id"`
		EncryptedValue string `json:"encryptedValue"`
		Function       struct{ Name, Arguments string }
	} `json:"toolCalls"`
	raw json.RawMessage
}

// UnmarshalJSON keeps the message as the client has it, MarshalJSON gives it back.
func (c *clientMessage) UnmarshalJSON(raw []byte) error {
	type plain clientMessage
	c.raw = bytes.Clone(raw)
	return json.Unmarshal(raw, (*plain)(c))
}

func (c clientMessage) MarshalJSON() ([]byte, error) { return c.raw, nil }

// outcome is how the run ended, in a word.
func (r runReport) outcome() string {
	if r.Error != nil {
		code, _ := r.Error["code"].(string)
		return "error " + code
	}
	if r.Finished == nil {
		return "none"
	}
	if o, ok := r.Finished.Event["outcome"].(m); ok {
		return o["type"].(string)
	}
	return "absent"
}

// types lists the run's events in short.
func (r runReport) types() (list []string) {
	for _, e := range r.Events {
		list = append(list, e["type"].(string))
	}
	return list
}

// roles lists the client's messages in short.
func (r runReport) roles() (list []string) {
	for _, msg := range r.Messages {
		list = append(list, msg.Role)
	}
	return list
}

func (r runReport) message(t *testing.T, id string) clientMessage {
	t.Helper()
	for _, msg := range r.Messages {
		if msg.ID == id {
			return msg
		}
	}
	require.Fail(t, "the client has no such message", "%s in %v", id, r.roles())
	return clientMessage{}
}

var fetchClients = sync.OnceValue(func() error {
	if _, err := exec.LookPath("node"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(aguiClients, "node_modules", "ag-ui-core-0", "package.json")); err == nil {
		return nil
	}
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = aguiClients
	return cmd.Run()
})

// drive lets a client do what it is told, and checks what holds of every run.
func drive(t *testing.T, s *apptest.Server, client string, runs ...m) report {
	t.Helper()
	require.NoError(t, fetchClients(), "this test needs Node 20 or later with npm: https://nodejs.org")
	p := plan{s.HTTP.URL, apptest.TokenOf("ann"), client, "theirs-" + client, runs}
	cmd := exec.CommandContext(t.Context(), "node", "drive.mjs")
	cmd.Dir, cmd.Stdin = aguiClients, bytes.NewReader(apptest.JSON(t, p))
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	require.NoError(t, err, errOut.String())
	var r report
	require.NoError(t, json.Unmarshal(out, &r))
	require.Len(t, r.Runs, len(runs))
	assert.Empty(t, r.Warnings)
	for i, run := range r.Runs {
		assert.Empty(t, run.Schema, "run %d: every event parses", i+1)
		assert.Empty(t, run.Thrown, "run %d: the verifier is content", i+1)
		assert.Equal(t, http.StatusOK, run.Status)
	}
	return r
}

// withEach runs a test with the client of 1.0.0 and with that of 0.0.59, which the short form leaves out.
func withEach(t *testing.T, test func(t *testing.T, client string)) {
	clients := map[string]string{"1": "1.0.0", "0": "0.0.59"}
	if testing.Short() {
		delete(clients, "0")
	}
	for client, name := range clients {
		t.Run("client "+name, func(t *testing.T) { test(t, client) })
	}
}

func says(words string) m { return m{"say": words} }

func calling(narrative string, calls ...m) m { return m{"narrative": narrative, "tool_calls": calls} }

func callOf(tool, why string, args m) m {
	return m{"id": "x", "name": tool, "rationale": why, "arguments": args}
}

func answering(text string) m { return m{"text": text} }
