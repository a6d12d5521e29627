package openwop_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestCasesWrittenFromTheProtocolAlone plays what somebody wrote who had read the protocol and not
// this code: requests of all kinds, and the habits of clients. Their player, play.py, defines the
// format; it checks answers against the schemas of testdata, and waits in real time.
func TestCasesWrittenFromTheProtocolAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(t.Context(), python, "-c", "import jsonschema, referencing").Run() != nil {
		t.Skip("the player needs python3 with the package jsonschema 4.18 or later")
	}
	s := apptest.Start(t, app.Settings{
		OpenWOPFixtures: true, SendsPerMinute: 1_000_000, Heartbeat: 500 * time.Millisecond,
	}, apptest.Answering("Hello."))
	out, err := exec.CommandContext(t.Context(), python, "testdata/cases/play.py", "--base", s.HTTP.URL,
		"--token", apptest.TokenOf("ann"), "--other-token", apptest.TokenOf("bob"),
		"--keepalive-ms", "500", "--schemas", "testdata/schema").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "{'ok': 141, 'FAIL': 0, 'skipped': 0}")
}
