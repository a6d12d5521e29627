package agent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestEncryptedReasoningIsUnreadableAndBoundToItsCall(t *testing.T) {
	thoughts := opaqueItems("p", "raw thoughts of the model")
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "a"}}, Opaque: thoughts}, {Text: "one"}, {Text: "two"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		e := send(t, c, "", "hi")
		synctest.Wait()
		text := c.EncryptedReasoning("ann", e.Thread, 1, "call_1")
		require.NotEmpty(t, text)
		assert.NotContains(t, text, "thoughts")
		assert.Equal(t, text, c.EncryptedReasoning("ann", e.Thread, 1, "call_1"), "a replay returns the same text")
		assert.Empty(t, c.EncryptedReasoning("ann", e.Thread, 2, "call_1"))

		tooLong := strings.Repeat("A", MaxEncryptedReasoning+1)
		changed := "A" + text[1:]
		if changed == text {
			changed = "B" + text[1:]
		}
		for name, err := range map[string]error{
			"another user":   c.RestoreReasoning("bob", e.Thread, 1, "call_1", text),
			"another thread": c.RestoreReasoning("ann", "other", 1, "call_1", text),
			"another turn":   c.RestoreReasoning("ann", e.Thread, 2, "call_1", text),
			"another call":   c.RestoreReasoning("ann", e.Thread, 1, "call_2", text),
			"a changed text": c.RestoreReasoning("ann", e.Thread, 1, "call_1", changed),
			"no text":        c.RestoreReasoning("ann", e.Thread, 1, "call_1", "not base64!"),
			"a short text":   c.RestoreReasoning("ann", e.Thread, 1, "call_1", "AAAA"),
			"a long text":    c.RestoreReasoning("ann", e.Thread, 1, "call_1", tooLong),
		} {
			assert.ErrorIs(t, err, ErrEncryptedReasoning, name)
		}

		c.opaque = opaqueStore{} // as if they were evicted
		require.NoError(t, c.RestoreReasoning("ann", e.Thread, 1, "call_1", text))
		send(t, c, e.Thread, "again")
		synctest.Wait()
		assert.Equal(t, thoughts, p.requests[2].Messages[1].Opaque, "the model gets them back")
	}, echo("a"))
}

func TestRestoredReasoningDoesNotReplaceNewerItems(t *testing.T) {
	c := NewChat(session.NewMemory(nil), newDispatcher(t, &stepwise{}), 0)
	defer c.Close(context.Background())
	c.opaque.put("ann", "t", 1, "call_1", opaqueItems("old", "one"))
	text := c.EncryptedReasoning("ann", "t", 1, "call_1")
	c.opaque.put("ann", "t", 2, "call_1", opaqueItems("new", "two"))
	require.NoError(t, c.RestoreReasoning("ann", "t", 1, "call_1", text))
	assert.Nil(t, c.opaque.get("t", 1, "call_1"), "no provider is given what a different one wrote")
	assert.Equal(t, opaqueItems("new", "two"), c.opaque.get("t", 2, "call_1"))

	large := []Opaque{{Provider: "p", Data: make([]byte, MaxEncryptedReasoning)}}
	assert.ErrorIs(t, c.RestoreReasoning("ann", "v", 1, "call_1",
		c.encrypter.encrypt(callKey("ann", "v", 1, "call_1"), large)), ErrEncryptedReasoning, "even if it is ours")
	c.opaque.put("ann", "u", 1, "call_1", large)
	assert.Empty(t, c.EncryptedReasoning("ann", "u", 1, "call_1"), "reasoning that is too large is not given out")
}

func TestEachChatWithTheSameKeyRestoresWhatAnotherGaveOut(t *testing.T) {
	chat := func(key string) *Chat {
		c := NewChat(session.NewMemory(nil), newDispatcher(t, &stepwise{}), 0)
		t.Cleanup(func() { c.Close(context.Background()) })
		if key != "" {
			c.EncryptWith([]byte(key))
		}
		return c
	}
	first, next := chat("a key of a deployment"), chat("a key of a deployment")
	first.opaque.put("ann", "t", 1, "call_1", opaqueItems("p", "raw thoughts of the model"))
	text := first.EncryptedReasoning("ann", "t", 1, "call_1")
	require.NoError(t, next.RestoreReasoning("ann", "t", 1, "call_1", text))
	assert.Equal(t, opaqueItems("p", "raw thoughts of the model"), next.opaque.get("t", 1, "call_1"))
	for name, c := range map[string]*Chat{"another key": chat("another key"), "a key of its own": chat("")} {
		require.ErrorIs(t, c.RestoreReasoning("ann", "t", 1, "call_1", text), ErrEncryptedReasoning, name)
	}
}
