//go:build unix

package jetstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// flip alters a byte of the first block of a stream that a server keeps, and takes away the index by
// which it would know what the block had, as it is missing after a crash.
func (n *node) flip(t *testing.T, stream string) {
	t.Helper()
	dir := filepath.Join(n.Dir, "jetstream", "$G", "streams", stream, "msgs")
	_ = os.Remove(filepath.Join(dir, "index.db"))
	block := filepath.Join(dir, "1.blk")
	raw, err := os.ReadFile(block)
	require.NoError(t, err)
	raw[len(raw)/3] ^= 1
	require.NoError(t, os.WriteFile(block, raw, 0o600))
}

// lead makes a server lead a stream.
func (c *cluster) lead(t *testing.T, s *store, session string, n *node) {
	t.Helper()
	stream, _ := s.names.log(session)
	body, err := json.Marshal(map[string]any{"placement": map[string]any{"preferred": n.Name}})
	require.NoError(t, err)
	for c.leader(t, s, session) != n {
		_, _ = s.nc.RequestWithContext(t.Context(), "$JS.API.STREAM.LEADER.STEPDOWN."+stream, body)
		pace(t)
	}
}

func TestADamagedServerThatLeadsServesNothingOverAGap(t *testing.T) {
	t.Parallel() // it waits for elections
	servers := startCluster(t)
	c := servers.open(t)
	const events = 250 // in three blocks
	j := journal.Open(c, "s", uuid.New())
	for i := range events {
		require.NoError(t, j.Append(t.Context(), 1, bytes.Repeat(fmt.Appendf(nil, "event %d ", i+1), 10_000)))
	}
	follower := servers.nodes[0]
	if follower == servers.leader(t, storeOf(c), "s") {
		follower = servers.nodes[1]
	}
	stream, _ := storeOf(c).names.log("s")
	follower.stop(t)
	follower.flip(t, stream)
	follower.start(t)
	servers.lead(t, storeOf(c), "s", follower)
	c = servers.open(t)
	missing := 0
	for seq := range uint64(events) {
		_, err := storeOf(c).get(t.Context(), stream, question{Seq: seq + 1})
		if errors.Is(err, errNone) {
			missing++
		}
	}
	require.NotZero(t, missing, "the server that leads has lost nothing, so this test shows nothing")
	last := uint64(0)
	for b, err := range journal.Open(c, "s", uuid.New()).Read(t.Context(), 1, nil) {
		if err != nil {
			require.ErrorIs(t, err, journal.ErrDamaged)
			t.Logf("%d events are missing at the server that leads; the read ends with: %v", missing, err)
			return
		}
		last = b.Last
	}
	require.EqualValues(t, events, last, "a read is whole or fails")
	t.Logf("%d events are missing at the server that leads; the others gave them", missing)
}
