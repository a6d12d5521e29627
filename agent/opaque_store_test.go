package agent

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// opaqueItems returns one item.
func opaqueItems(provider, data string) []Opaque {
	return []Opaque{{Provider: provider, Kind: "signature", Data: []byte(data)}}
}

func TestOpaqueReasoningIsDroppedWhenTheProviderChanges(t *testing.T) {
	var s opaqueStore
	s.put("t", 1, "call_1", opaqueItems("a", "one"))
	s.put("u", 1, "call_1", opaqueItems("a", "other thread"))
	s.put("t", 2, "call_1", opaqueItems("b", "two"))
	assert.Nil(t, s.get("t", 1, "call_1"))
	assert.Equal(t, opaqueItems("b", "two"), s.get("t", 2, "call_1"))
	assert.NotNil(t, s.get("u", 1, "call_1"))
}

func TestOpaqueReasoningIsBounded(t *testing.T) {
	var s opaqueStore
	big := []Opaque{{Provider: "a", Data: make([]byte, maxOpaque/4)}}
	for i := range 6 {
		s.put(fmt.Sprint(i), 1, "call_1", big)
	}
	assert.LessOrEqual(t, s.bytes, maxOpaque)
	assert.Nil(t, s.get("0", 1, "call_1"), "the least recently written thread goes first")
	assert.NotNil(t, s.get("5", 1, "call_1"))
	s.put("all", 1, "call_1", []Opaque{{Provider: "a", Data: make([]byte, maxOpaque)}})
	assert.Zero(t, s.bytes)
}

func TestOpaqueReasoningIsNeverPrinted(t *testing.T) {
	o := opaqueItems("a", "do-not-print-me")[0]
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "o", o)
	all := fmt.Sprintf("%v %+v %#v %+v", o, []Opaque{o}, o, Response{Opaque: []Opaque{o}}) + logged.String()
	assert.NotContains(t, all, "do-not-print-me")
	assert.NotContains(t, all, "100 111 45", "not as bytes either")
	assert.Contains(t, all, "[opaque, 15 bytes]")
}

// The provider gets its items back within the turn and in later turns, and the log
// contains none of them.
func TestOpaqueReasoningGoesBackByteForByte(t *testing.T) {
	items := opaqueItems("a", "\x00\xff ghp_looks_like_a_token")
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "a"}, {Name: "a"}}, Opaque: items}, {Text: "one"}, {Text: "two"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "hi").Thread
		synctest.Wait()
		send(t, c, thread, "again")
		synctest.Wait()
		require.Len(t, p.requests, 3)
		assert.Equal(t, items, p.requests[1].Messages[1].Opaque)
		assert.Equal(t, items, p.requests[2].Messages[1].Opaque)
		h, err := s.History(thread, session.Page{})
		require.NoError(t, err)
		assert.NotContains(t, fmt.Sprintf("%+v", h), "looks_like_a_token")
	}, echo("a"))
}
