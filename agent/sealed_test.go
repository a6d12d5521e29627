package agent

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// A step without a word of reasoning has an event that says how much there was, as has one with a narrative or a
// summary, and the step that answers. What the provider wants back is in none of them.
func TestSealedReasoningIsRecordedWithItsStep(t *testing.T) {
	opaque := []Opaque{{Provider: "p", Kind: "k", Data: []byte("c2VhbGVk")}}
	seal := Sealed{}.Encrypted(1200)
	call := []Call{{Name: "look"}}
	rec := &events{}
	p := &stepwise{responses: []Response{
		{Calls: call, Opaque: opaque, Sealed: seal, Usage: Usage{Output: 400, Reasoning: 310}},
		{Calls: call, Text: "I look again.", Opaque: opaque, Sealed: seal},
		{Calls: call},
		{Calls: call, Opaque: opaque, Usage: Usage{Reasoning: 5}},
		{Text: "Done.", Opaque: opaque, Sealed: Sealed{}.Signed(8)},
	}}
	d := newDispatcher(t, p, echo("look"))
	require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "look"}}))
	narrated := of[session.Narrated](rec)
	require.Len(t, narrated, 3, "raw thoughts that came as text are not sealed: %v", narrated)
	assert.Equal(t, session.Narrated{Step: 1, Sealed: session.Sealed{
		Kind: session.SealEncrypted, Bytes: 1200, Tokens: 310}}, narrated[0], "nobody's words have no source")
	assert.Equal(t, "I look again.", narrated[1].Text.String())
	assert.Equal(t, seal, narrated[1].Sealed, "a provider that counts no tokens")
	assert.Equal(t, session.Narrated{Step: 5, Answer: true, Sealed: session.Sealed{
		Kind: session.SealSignature, Bytes: 8}}, narrated[2])
	assert.NotContains(t, fmt.Sprint(rec.list), "c2VhbGVk")
}
