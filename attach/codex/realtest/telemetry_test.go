package realtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/codex"
	"candor/attach/transcript"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// exporter is what the program's configuration needs for telemetry. Without log_user_prompt it keeps prompts back.
const exporter = `[otel]
log_user_prompt = %t
exporter = { otlp-http = { endpoint = "%s/v1/logs", protocol = "%s", headers = { Authorization = "Bearer %s" } } }
`

// exporting returns a player whose telemetry goes to a real server as ann's, in a protocol of OTLP, and who has no
// hooks.
func exporting(t *testing.T, protocol string, prompts bool) (*player, *apptest.Server) {
	t.Helper()
	p := newPlayer(t)
	s := apptest.Start(t, app.Settings{}, nil)
	p.token = apptest.TokenOf("ann")
	require.NoError(t, os.Remove(filepath.Join(p.home, "hooks.json")))
	text := fmt.Sprintf(config, p.model.URL) + fmt.Sprintf(exporter, prompts, s.HTTP.URL, protocol, p.token)
	require.NoError(t, os.WriteFile(filepath.Join(p.home, "config.toml"), []byte(text), 0o600))
	return p, s
}

// both plays a session and goes on with it.
func (p *player) both(t *testing.T) {
	t.Helper()
	p.session = p.run(t, trusted, "PLAN:one go")
	p.run(t, trusted, "resume", p.session, "PLAN:two go")
}

// imported lets the server read the rollouts.
func (p *player) imported(t *testing.T, s *apptest.Server) {
	t.Helper()
	files := transcript.Walk{Places: []string{p.home}, Send: func(_ context.Context, batch []byte, _ int) error {
		r := s.Post("ann", "/api/attached", string(batch))
		assert.Equal(t, http.StatusOK, r.Status, r.Body)
		return nil
	}}
	require.NoError(t, files.Once(t.Context()))
}

func TestX(t *testing.T) {
	p, s := exporting(t, os.Getenv("OTLPROTO"), os.Getenv("NOPROMPTS") == "")
	if os.Getenv("HOOKS") != "" {
		self, err := os.Executable()
		require.NoError(t, err)
		p.attach(t, codex.Settings(self), s.HTTP.URL)
	}
	p.both(t)
	show(t, s)
	if os.Getenv("FILES") != "" {
		p.imported(t, s)
		show(t, s)
	}
	fmt.Println(s.Get("ann", "/metrics").Body)
}

func show(t *testing.T, s *apptest.Server) {
	for _, th := range s.Session("ann").Threads() {
		h := s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()
		fmt.Println("THREAD", th.ID, th.Origin)
		for _, one := range h["turns"].([]any) {
			turn := one.(apptest.M)
			fmt.Println("TURN", turn["user_input"], "=>", turn["response"], turn["state"])
			r := turn["reasoning"].(apptest.M)
			for i, one := range r["tool_decisions"].([]any) {
				d, c := one.(apptest.M), turn["tool_calls"].([]any)[i].(apptest.M)
				fmt.Println("   ", d["agent"], d["step"], d["tool_name"], d["parameters"], d["outcome"], fmt.Sprintf("%.80q", fmt.Sprint(c["result_preview"])), c["error"], d["parallel_group"], d["sighted"])
			}
			for _, n := range list(r["narratives"]) {
				fmt.Println("   N", n)
			}
			fmt.Println("   H", turn["handoffs"], r["handoffs"])
		}
	}
}

var _ = cmp.Or[string]
var _ = json.Marshal
var _ attach.Channel
func list(v any) []any { l, _ := v.([]any); return l }
