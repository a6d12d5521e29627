package web

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAJobsTokenSpeaksForItAlone(t *testing.T) {
	var d jobDesk
	one, two := d.open("1", "ann", "p"), d.open("2", "bob", "q")
	user, _, ok := d.admit("1", one)
	assert.True(t, ok)
	assert.Equal(t, "ann", user)
	for _, wrong := range []struct{ id, token string }{{"1", two}, {"2", one}, {"3", one}, {"1", ""}, {"3", ""}} {
		_, _, ok := d.admit(wrong.id, wrong.token)
		assert.False(t, ok)
	}
	again := d.open("1", "ann", "p")
	assert.NotEqual(t, one, again)
	_, _, ok = d.admit("1", one)
	assert.False(t, ok, "a restart makes the old token worthless")
	d.finish("1")
	_, ended, ok := d.admit("1", again)
	assert.True(t, ok && ended)
	_, ok = d.next("1")
	assert.False(t, ok)
	d.close("1")
	_, _, ok = d.admit("1", again)
	assert.False(t, ok)
}

func TestFollowUpsWaitInOrderAndAreBounded(t *testing.T) {
	var d jobDesk
	d.open("1", "ann", "p")
	for range maxFollowUps {
		assert.True(t, d.add("1", followUp{Content: "x"}))
	}
	assert.False(t, d.add("1", followUp{Content: "one too many"}))
	assert.False(t, d.add("nobody's", followUp{}))
	f, ok := d.next("1")
	assert.True(t, ok)
	assert.Equal(t, "x", f.Content)
}

func TestARunOfAJobHasABudget(t *testing.T) {
	var d jobDesk
	d.open("1", "ann", "p")
	assert.True(t, d.spend("1", maxJobCost-10))
	assert.False(t, d.spend("1", 11))
	assert.True(t, d.spend("1", 10))
	assert.False(t, d.spend("nobody's", 1))
	d.open("1", "ann", "p")
	assert.True(t, d.spend("1", 11), "a restart begins with a new one")
}
