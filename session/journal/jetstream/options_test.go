package jetstream

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	for want, o := range map[string]Options{
		"needs the URL":            {},
		"1 to 32 letters":          {URL: "nats://h", Name: "a.b"},
		"2 servers cannot":         {URL: "nats://h", Replicas: 2},
		"-1 shards":                {URL: "nats://h", Shards: -1},
		"65 shards":                {URL: "nats://h", Shards: 65},
		"given together":           {URL: "nats://h", Cert: "c"},
		"no-such-ca":               {URL: "nats://h", CA: "no-such-ca"},
		"no-such-cert":             {URL: "nats://h", Cert: "no-such-cert", Key: "k"},
		"cannot connect to NATS":   {URL: "nats://127.0.0.1:1"},
		"connect to NATS at h1:1,": {URL: "nats://h1:1,nats://h2:1,:", Credentials: "no-such-file"},
	} {
		_, err := Open(t.Context(), o)
		assert.ErrorContains(t, err, want)
	}
}

func TestAnErrorNamesNoPassword(t *testing.T) {
	password := strings.Repeat("hush", 3)
	o := Options{URL: "nats://candor:" + password + "@127.0.0.1:1"}
	_, err := Open(t.Context(), o)
	require.ErrorContains(t, err, "127.0.0.1:1")
	require.NotContains(t, err.Error(), password)
	require.NotContains(t, o.redact(errors.New("refused "+o.URL+" for "+password)), password)
}

func TestAStreamThatDiffersIsRefusedAndNotChanged(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	s := storeOf(c)
	_, err := Open(t.Context(), Options{URL: srv.ClientURL(), Shards: 3})
	require.ErrorContains(t, err, "the number of shards is 2 and not 3")
	st, err := s.js.Stream(t.Context(), s.names.state())
	require.NoError(t, err)
	config := st.CachedInfo().Config
	config.MaxBytes = 1 << 30
	_, err = s.js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	openStore(t, srv) // how much a stream may keep is for the operator to say
	config.MaxAge = time.Hour
	_, err = s.js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	_, err = Open(t.Context(), Options{URL: srv.ClientURL(), Shards: 2})
	require.ErrorContains(t, err, "the age at which it drops messages is 1h0m0s and not 0s")
	require.ErrorContains(t, err, "candor-state")
	st, err = s.js.Stream(t.Context(), s.names.state())
	require.NoError(t, err)
	require.Equal(t, time.Hour, st.CachedInfo().Config.MaxAge)
}

func TestServersWithoutJetStreamAreNamed(t *testing.T) {
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true})
	require.NoError(t, err)
	run(t, srv)
	_, err = Open(t.Context(), Options{URL: srv.ClientURL()})
	require.ErrorIs(t, err, journal.ErrUnavailable)
	require.ErrorContains(t, err, "without JetStream")
}

func TestAFrameThatIsTooLargeOrTooManyIsRefusedAtOnce(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	require.NoError(t, c.Append(t.Context(), "s", frame(1, 1, strings.Repeat("x", 8<<20-1024))))
	err := c.Append(t.Context(), "s", frame(2, 2, strings.Repeat("x", 8<<20)))
	require.ErrorIs(t, err, journal.ErrUnavailable)
	require.ErrorContains(t, err, "raise max_payload")
	err = c.Append(t.Context(), strings.Repeat("s", 300), frame(1, 1, "x"))
	require.ErrorContains(t, err, "id is too long")
	s := storeOf(c)
	stream, _ := s.names.log("s")
	st, err := s.js.Stream(t.Context(), stream)
	require.NoError(t, err)
	config := st.CachedInfo().Config
	config.MaxBytes = 9 << 20
	_, err = s.js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	err = c.Append(t.Context(), "s", frame(2, 2, strings.Repeat("x", 2<<20)))
	require.ErrorIs(t, err, journal.ErrUnavailable)
	require.ErrorContains(t, err, "10077")
	require.NoError(t, c.Append(t.Context(), "s", frame(2, 2, "there is room for little")))
}

func TestALargeFrameIsReadOneByOneAsWell(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	large := frame(1, 1, strings.Repeat("x", 4<<20))
	require.NoError(t, c.Append(t.Context(), "s", large))
	s := storeOf(c)
	stream, subject := s.names.log("s")
	m, err := s.get(t.Context(), stream, question{LastFor: subject})
	require.NoError(t, err)
	require.Len(t, m.data, recordHead+len(large.Data))
}

func TestWhatAServersErrorMeansForAnAppend(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"another was first", &js.APIError{ErrorCode: 10071}, journal.ErrConflict},
		{"another is being kept", &js.APIError{ErrorCode: 10164}, journal.ErrConflict},
		{"the stream is full", &js.APIError{ErrorCode: 10077, Description: "maximum bytes exceeded"},
			journal.ErrUnavailable},
		{"the leader could not write", &js.APIError{ErrorCode: 10077, Description: "disk"}, journal.ErrUnknown},
		{"the account is full", &js.APIError{ErrorCode: 10023}, journal.ErrUnavailable},
		{"nobody has the stream", js.ErrNoStreamResponse, journal.ErrUnavailable},
		{"nobody listens", nats.ErrNoResponders, journal.ErrUnavailable},
		{"it was not sent", nats.ErrReconnectBufExceeded, journal.ErrUnavailable},
		{"no answer", nats.ErrTimeout, journal.ErrUnknown},
		{"the caller waited no longer", context.Canceled, journal.ErrUnknown},
		{"closed", nats.ErrConnectionClosed, journal.ErrClosed},
	} {
		t.Run(c.name, func(t *testing.T) { require.ErrorIs(t, sendError(c.err), c.want) })
	}
	require.NoError(t, sendError(nil))
	require.NoError(t, askError(nil))
	require.ErrorIs(t, askError(&js.APIError{ErrorCode: 10003}), journal.ErrUnavailable)
}

func TestAnIdBecomesOneTokenAndBack(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range []string{"", "a", "A", "a-b_c", "=YQ", "a.b", "*", ">", " ", "\x00\xff", "日本語"} {
		tok := tokenOf(id)
		require.NotContains(t, tok, ".")
		require.Regexp(t, `^[-=_a-zA-Z0-9]+$`, tok)
		require.False(t, seen[tok])
		seen[tok] = true
		back, ok := untoken(tok)
		require.True(t, ok)
		require.Equal(t, id, back)
	}
	for _, bad := range []string{"", "=?"} {
		_, ok := untoken(bad)
		require.False(t, ok)
	}
}

func TestHeadsAreRememberedInABoundedNumber(t *testing.T) {
	var h heads
	for i := range uint64(maxHeads + 100) {
		h.put(tokenOf(string(rune(i))), head{seq: i + 1})
	}
	require.LessOrEqual(t, len(h.all), maxHeads)
	h.put("a session", head{seq: 5, last: 5})
	h.put("a session", head{seq: 4, last: 4})
	got, _ := h.get("a session")
	require.Equal(t, uint64(5), got.last, "the later one stays")
}
