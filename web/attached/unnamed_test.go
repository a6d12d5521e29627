package attached

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// unnamedHook gives a server what a hook without an id tells of a call in a turn, and returns what is recorded of it.
func unnamedHook(s *Server, turn, alike string, at int, ended bool) []attach.Sighting {
	return hear(s, "t", func(one *attach.Sighting) {
		one.Turn, one.Call, one.Unnamed, one.At = turn, alike, true, time.Unix(int64(at), 0)
		if one.Called = (&attach.Called{Tool: "Read"}); ended {
			one.Called, one.Returned = nil, &attach.Returned{}
		}
	})
}

// TestCallsWithoutAnIDAreToldApart names the calls of a turn by the order in which they are heard.
func TestCallsWithoutAnIDAreToldApart(t *testing.T) {
	s := New(Options{})
	id := func(turn, alike string, at int, ended bool) string {
		list := unnamedHook(s, turn, alike, at, ended)
		if len(list) == 0 {
			return ""
		}
		return list[len(list)-1].Call
	}
	first, second, other := id("p", "a", 1, false), id("p", "a", 2, false), id("p", "b", 2, false)
	require.NotEqual(t, first, second)
	require.NotEqual(t, second, other, "two tools at one time")
	assert.Equal(t, first, id("p", "a", 1, false), "the hook came twice")
	assert.Equal(t, first, id("p", "a", 3, true))
	assert.Equal(t, other, id("p", "b", 3, true))
	assert.Equal(t, second, id("p", "a", 4, true))
	assert.Empty(t, id("p", "a", 5, true), "an end without a beginning")
	assert.NotContains(t, first, "a\x00")
	next := id("q", "a", 1, false)
	assert.NotEqual(t, first, next)
	assert.Empty(t, id("p", "a", 6, true), "the turn before is over")
}

// TestCallsWithoutAnIDAreBounded holds that a turn cannot make the server remember any number of calls.
func TestCallsWithoutAnIDAreBounded(t *testing.T) {
	s := New(Options{})
	for i := range maxUnnamed {
		require.Len(t, unnamedHook(s, "p", fmt.Sprint(i), 1, false), 1)
	}
	assert.Empty(t, unnamedHook(s, "p", "more", 1, false))
}
