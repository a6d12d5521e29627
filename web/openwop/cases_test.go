package openwop_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestCasesWrittenFromTheProtocolAlone plays what somebody wrote who had read the protocol and not
// this code: requests of all kinds, and the habits of clients. Each case has a server of its own.
func TestCasesWrittenFromTheProtocolAlone(t *testing.T) {
	all := newSchemas(t)
	cases := append(readCases(t, "requests"), readCases(t, "clients")...)
	require.Len(t, cases, 141)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t, app.Settings{
				OpenWOPFixtures: true, SendsPerMinute: 1_000_000, Heartbeat: 500 * time.Millisecond,
			}, apptest.Answering("Hello."))
			connections := &http.Transport{
				DisableKeepAlives: true, DisableCompression: true, DialContext: dialStubbornly,
			}
			t.Cleanup(connections.CloseIdleConnections)
			p := &player{
				base: s.HTTP.URL, version: c.Version, schemas: all, transport: connections,
				background: map[string]*behind{},
				vars: variables{values: m{
					"token": apptest.TokenOf("ann"), "otherToken": apptest.TokenOf("bob"),
					"keepaliveMs": json.Number("500"),
				}},
			}
			require.NoError(t, p.play(t.Context(), c), "%s: %s", c.Basis, c.Why)
		})
	}
}

// readCases reads the cases of a file. What looks like a key has an @ in it there.
func readCases(t *testing.T, name string) []playedCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "cases", name+".json"))
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.ReplaceAll(raw, []byte("sk-@"), []byte("sk-"))))
	require.NoError(t, err)
	cases, err := decoded[[]playedCase](value)
	require.NoError(t, err)
	return cases
}
