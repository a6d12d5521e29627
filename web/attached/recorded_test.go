package attached_test

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// payloadsOf returns the payloads of the hooks that the package of an agent has as a recording, in order.
func payloadsOf(t *testing.T, agent string) (all []string) {
	t.Helper()
	raw, err := os.ReadFile("../../attach/" + agent + "/testdata/hooks.jsonl")
	require.NoError(t, err)
	for line := range bytes.Lines(raw) {
		all = append(all, string(line))
	}
	return all
}

// toldBy returns a server that was told the payloads of an agent's hooks and the facts of its files, in an order that
// seed decides.
func toldBy(t *testing.T, agent string, payloads []string, files [][]attach.Sighting, seed uint64) *apptest.Server {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, nil)
	var byHooks, byFile []func()
	for _, payload := range payloads {
		byHooks = append(byHooks, posting(t, s, "/api/hooks/"+agent, payload))
	}
	for _, facts := range files {
		byFile = append(byFile, posts(t, s, facts, 7)...)
	}
	for _, post := range interleaved(seed, byHooks, byFile) {
		post()
	}
	return s
}

// posting returns a post of ann's.
func posting(t *testing.T, s *apptest.Server, path, text string) func() {
	return func() {
		r := s.Post("ann", path, text)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
	}
}

// posts returns a post for each so many sightings.
func posts(t *testing.T, s *apptest.Server, facts []attach.Sighting, size int) (all []func()) {
	t.Helper()
	for len(facts) > 0 {
		n := min(size, len(facts))
		all = append(all, posting(t, s, "/api/attached", body(t, facts[:n])))
		facts = facts[n:]
	}
	return all
}

// interleaved returns both lists as one, each in its own order.
func interleaved(seed uint64, a, b []func()) (all []func()) {
	r := rand.New(rand.NewPCG(seed, 7))
	for len(a)+len(b) > 0 {
		if r.IntN(len(a)+len(b)) < len(a) {
			all, a = append(all, a[0]), a[1:]
			continue
		}
		all, b = append(all, b[0]), b[1:]
	}
	return all
}
