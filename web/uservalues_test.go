package web

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUsersWhoAreIdleAreForgotten(t *testing.T) {
	var p userValues[*int]
	begin, idle := func() *int { return new(int) }, func(n *int) bool { return *n == 0 }
	busy := p.get("ann", begin, idle)
	*busy = 1
	for i := range 100 * fewUsers {
		p.get(strconv.Itoa(i), begin, idle)
		require.LessOrEqual(t, len(p.all), fewUsers)
	}
	assert.Same(t, busy, p.get("ann", begin, idle))
	for i := range 1000 { // as many as are busy are held
		*p.get("busy "+strconv.Itoa(i), begin, idle) = 1
	}
	for i := range 1000 {
		assert.Equal(t, 1, *p.get("busy "+strconv.Itoa(i), begin, idle))
	}
}

func TestAUserWhoHasWrittenMuchIsNotForgotten(t *testing.T) {
	w, now := writeRate{perSecond: 1}, time.Now()
	for range burstSeconds {
		require.Zero(t, w.take("ann", 0, now))
	}
	for i := range 2 * fewUsers {
		w.take(strconv.Itoa(i), 0, now)
	}
	assert.Positive(t, w.take("ann", 0, now))
	for i := range 2 * fewUsers { // the others' buckets are full again
		w.take("later "+strconv.Itoa(i), 0, now.Add(time.Minute))
	}
	assert.Less(t, len(w.buckets.all), 3*fewUsers)
}

func TestAUserWhoseAnswersAreMadeIsNotForgotten(t *testing.T) {
	s := shares{perUser: 1}
	_, err := s.enter(t.Context(), "ann")
	require.NoError(t, err)
	for i := range 2 * fewUsers {
		leave, err := s.enter(t.Context(), strconv.Itoa(i))
		require.NoError(t, err)
		leave()
	}
	assert.Len(t, s.of("ann").slots, 1, "the only place is taken")
	assert.LessOrEqual(t, len(s.users.all), fewUsers)
}

func TestAUserWhoIsRefusedIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := refusals{perUser: 1}
		ask := func(user string) (waited time.Duration) {
			begun := time.Now()
			assert.True(t, r.holdBack(t.Context(), user))
			return time.Since(begun)
		}
		for range promptRefusals {
			ask("ann")
		}
		for i := range 2 * fewUsers {
			ask(strconv.Itoa(i))
		}
		assert.Equal(t, refusalTime, ask("ann"))
		time.Sleep(promptRefusals * refusalTime)
		for i := range 2 * fewUsers {
			ask("later " + strconv.Itoa(i))
		}
		assert.Less(t, len(r.users.all), 3*fewUsers, "those who have waited are")
	})
}
