//go:build realagents

package realtest

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/opencode"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

// listener is a plugin of the test, which writes down what the program shows to the person in front of it.
const listener = `import { appendFileSync } from "fs"
export const Listener = async () => ({
  event: ({ event }) => {
    if (event.type === "tui.toast.show") appendFileSync(process.env.HOME + "/shown", event.properties.message + "\n")
  },
})
`

// asking returns a player whose plugin reports to a real server and waits there for ann.
func asking(t *testing.T, settings app.Settings) (*player, *apptest.Server) {
	t.Helper()
	p := newPlayer(t)
	s := apptest.Start(t, settings, nil)
	p.token = apptest.TokenOf("ann")
	p.attach(t, opencode.Approving(nil), s.HTTP.URL)
	require.NoError(t, os.WriteFile(filepath.Join(p.config(), "plugin", "listener.js"), []byte(listener), 0o600))
	return p, s
}

// begin runs the program beside the test, and returns what to wait for.
func (p *player) begin(t *testing.T) (ended <-chan struct{}) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.prompt(t, "PLAN:write go")
	}()
	return done
}

// questions waits until so many questions of ann's are open, and returns them.
func questions(t *testing.T, s *apptest.Server, count int) (all []apptest.M) {
	t.Helper()
	require.Eventually(t, func() bool {
		all = nil
		for _, th := range s.Session("ann").Threads() {
			history := s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()
			list, _ := history["pending_approvals"].([]any)
			for _, one := range list {
				all = append(all, one.(apptest.M))
			}
		}
		return len(all) == count
	}, 2*time.Minute, 20*time.Millisecond)
	return all
}

// answer answers a question of ann's.
func answer(t *testing.T, s *apptest.Server, q apptest.M, action, words string) (status int) {
	t.Helper()
	in := apptest.M{"request_id": q["request_id"], "action": action}
	if words != "" {
		in["value"] = words
	}
	return s.Post("ann", "/api/chat/approval", string(apptest.JSON(t, in))).Status
}

// made returns what the calls of the plan "write" wrote, shown what the person in front of the program was shown.
func (p *player) made() string  { return contentOf(filepath.Join(p.work, "made.txt")) }
func (p *player) shown() string { return contentOf(filepath.Join(p.home, "shown")) }

// contentOf returns what a file has; nothing if it is not there.
func contentOf(name string) string {
	raw, _ := os.ReadFile(name)
	return string(raw)
}

// TestTheRealProgramGoesOnByItsSettingsOnceAPersonApproved holds that each of two equal calls waits for an answer of
// its own, and that an approval is no more than that the program's own settings decide. Without a terminal the program
// refuses what it would ask about.
func TestTheRealProgramGoesOnByItsSettingsOnceAPersonApproved(t *testing.T) {
	for rule, made := range map[string]string{"allow": "made\nmade\n", "deny": "", "ask": ""} {
		t.Run(rule, func(t *testing.T) {
			p, s := asking(t, app.Settings{})
			p.configure(t, object{"*": "allow", "echo *": rule})
			ended := p.begin(t)
			for _, q := range questions(t, s, 2) {
				assert.Equal(t, "bash", q["tool_name"])
				assert.Equal(t, "Make a file", q["description"])
				want := apptest.M{"command": "echo made >> made.txt", "description": "Make a file"}
				assert.Equal(t, want, q["parameters"])
				assert.Empty(t, p.made())
				assert.Equal(t, http.StatusAccepted, answer(t, s, q, "approve", ""))
			}
			<-ended
			assert.Equal(t, made, p.made())
			assert.Empty(t, p.shown())
		})
	}
}

// TestADenialReachesTheRealProgramsModel holds that the model reads the person's words, that the call does not run
// although the program's own settings allow it, and its equal does, and that both channels tell of a denial.
func TestADenialReachesTheRealProgramsModel(t *testing.T) {
	p, s := asking(t, app.Settings{})
	ended := p.begin(t)
	both := questions(t, s, 2)
	require.Equal(t, http.StatusAccepted, answer(t, s, both[0], "deny", "Once is enough."))
	require.Equal(t, http.StatusAccepted, answer(t, s, both[1], "approve", ""))
	<-ended
	assert.Equal(t, "made\n", p.made())
	assert.Contains(t, p.model.heard, "A person denied this call in Candor. They said: Once is enough.")
	own := s.Session("ann")
	turn, err := own.Turn(own.Threads()[0].ID, 1)
	require.NoError(t, err)
	outcomes := map[session.Outcome]int{}
	reasons := ""
	for call := range turn.Calls() {
		outcomes[call.Outcome]++
		reasons += call.Rationale.Text.String()
	}
	assert.Equal(t, map[session.Outcome]int{session.Success: 1, session.Rejected: 1}, outcomes)
	assert.Contains(t, reasons, "nobody has made it, yet.")
}

// TestTheRealProgramGoesOnWithoutAnAnswer holds that nobody is held up: without an answer in time, if the server is
// gone while calls wait, and without a token, the program's own settings decide, which allow the calls. The person in
// front of it is told.
func TestTheRealProgramGoesOnWithoutAnAnswer(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		p, _ := asking(t, app.Settings{ApprovalTimeout: 20 * time.Millisecond})
		<-p.begin(t)
		assert.Equal(t, "made\nmade\n", p.made())
		assert.Equal(t, strings.Repeat(attach.Unanswered+"\n", 2), p.shown())
	})
	t.Run("of a server that dies", func(t *testing.T) {
		p, s := asking(t, app.Settings{})
		ended := p.begin(t)
		questions(t, s, 2)
		require.NoError(t, s.HTTP.Listener.Close())
		s.HTTP.CloseClientConnections()
		<-ended
		assert.Equal(t, "made\nmade\n", p.made())
		assert.NotContains(t, p.model.heard, "denied")
		assert.Equal(t, 1, strings.Count(p.shown(), "it goes on by the settings here"), p.shown())
	})
	t.Run("without a token", func(t *testing.T) {
		p, _ := asking(t, app.Settings{})
		p.token = ""
		<-p.begin(t)
		assert.Equal(t, "made\nmade\n", p.made())
		assert.Equal(t, 1, strings.Count(p.shown(), "CANDOR_TOKEN is not set"), p.shown())
	})
}

// TestTheRealProgramSaysWhatWasMissedOnceCandorIsBack holds that the person in front of the program reads how many
// calls nobody was asked about.
func TestTheRealProgramSaysWhatWasMissedOnceCandorIsBack(t *testing.T) {
	p, s := asking(t, app.Settings{ApprovalTimeout: 20 * time.Millisecond})
	var asked atomic.Int32
	inner := s.HTTP.Config.Handler
	s.HTTP.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/health" && asked.Add(1) < 3 {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		inner.ServeHTTP(w, r)
	})
	p.prompt(t, "PLAN:again go")
	assert.Equal(t, "made\nmade\nmade\n", p.made())
	shown := strings.Split(strings.TrimSpace(p.shown()), "\n")
	require.Len(t, shown, 3)
	assert.Contains(t, shown[0], "it answers 503")
	assert.Contains(t, shown[1], "2 calls went on by the settings here between")
	assert.Equal(t, attach.Unanswered, shown[2])
}
