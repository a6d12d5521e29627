package command_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/command"
)

func TestWhatIsWrongWithAParticipantIsSaidBeforeTheGatewayHearsOfIt(t *testing.T) {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(gateway.Close)
	args := []string{"mew", "--gateway", gateway.URL, "--space", "lab", "--workspace", t.TempDir(),
		"--provider", "offline"}
	_, _, err := runCandor(t, "", args...)
	require.ErrorContains(t, err, "CANDOR_MEW_TOKEN is not set")
	t.Setenv("CANDOR_MEW_TOKEN", "a-token-for-tests")
	for flag, want := range map[string]string{
		"--log-level=loud": "--log-level", "--gateway=nowhere": "URL", "--answer=none": "neither all nor addressed",
		"--workspace=/does/not/exist": "workspace", "--space=": "the name of the space is missing",
	} {
		_, _, err := runCandor(t, "", append(args, flag)...)
		require.ErrorContains(t, err, want)
	}
	_, errOut, err := runCandor(t, "", args...)
	require.ErrorContains(t, err, "the gateway refused the participant")
	assert.Equal(t, 1, command.ExitStatus(err))
	assert.NotContains(t, errOut, "a-token-for-tests")
}
