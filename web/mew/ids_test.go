package mew

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnIDIsAcceptedOnce(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	human.send(`{"id":"m-1","kind":"chat","payload":{"text":"one"}}`)
	human.assertNothingBut("m-1")
	human.send(`{"id":"m-1","kind":"chat","payload":{"text":"two"}}`)
	assert.Equal(t, "duplicate_id", human.read().Payload["error"])
	status, _ := r.post("beta", `{"id":"m-1","kind":"chat","payload":{"text":"three"}}`)
	assert.Equal(t, http.StatusConflict, status, "whoever sends it, over either door")
	status, _ = r.post("beta", `{"id":"m-2","kind":"mcp/request","payload":{"method":"x"}}`)
	require.Equal(t, http.StatusForbidden, status)
	status, _ = r.post("beta", `{"id":"m-2","kind":"chat","payload":{"text":"now allowed"}}`)
	assert.Equal(t, http.StatusOK, status, "a message that was refused takes no id")
}

func TestAParticipantThatJoinsAnewMayCountFromOneAgain(t *testing.T) {
	r := newRig(t)
	human, alpha := r.join("human"), r.join("alpha")
	human.read() // alpha has joined
	alpha.send(`{"id":"alpha-1","kind":"chat","payload":{"text":"before"}}`)
	human.assertNothingBut("alpha-1")
	require.NoError(t, alpha.conn.CloseNow())
	human.read() // and left
	alpha = r.join("alpha")
	human.read() // and joined again
	alpha.send(`{"id":"alpha-1","kind":"chat","payload":{"text":"after"}}`)
	human.assertNothingBut("alpha-1")
	status, _ := r.post("human", `{"id":"alpha-1","kind":"chat","payload":{"text":"forged"}}`)
	assert.Equal(t, http.StatusConflict, status, "nobody else may use it")
	alpha.send(`{"id":"alpha-1","kind":"chat","payload":{"text":"a third time"}}`)
	assert.Equal(t, "duplicate_id", alpha.until("system/error").Payload["error"])
}

func TestIDsAreForgottenInTheOrderInWhichTheyCame(t *testing.T) {
	ids, m := newIDSet(), &member{}
	name := func(i int) string {
		return strings.Repeat("x", i%7) + string(rune('0'+i%10)) + strings.Repeat("y", i/7)
	}
	for i := range 40 {
		ids.add(name(i), m)
	}
	for i := range 40 {
		assert.True(t, ids.taken(name(i), m))
	}
	for i := range maxIDs - 40 + 1 {
		ids.add("other-"+name(i%40)+strings.Repeat("z", i/40), m)
	}
	assert.False(t, ids.taken(name(0), m), "the oldest is forgotten")
	assert.True(t, ids.taken(name(1), m))
	assert.Len(t, ids.known, maxIDs)
	assert.Len(t, ids.order, maxIDs)
}
