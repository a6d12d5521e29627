package web

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// work makes answers for a user, one after the other, each of which takes so long, and returns how
// long all of them took.
func work(t *testing.T, s *shares, user string, answers int, each time.Duration) time.Duration {
	t.Helper()
	begun := time.Now()
	for range answers {
		leave, err := s.enter(t.Context(), user)
		if !assert.NoError(t, err) {
			break
		}
		time.Sleep(each)
		leave()
	}
	return time.Since(begun)
}

func TestAUserBesideOthersHasAQuarterOfTheirShareInTheLongRun(t *testing.T) {
	for _, processors := range []int{1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			s := &shares{perUser: processors}
			work(t, s, "bob", 1, 0)
			begun := time.Now()
			var working sync.WaitGroup
			for range processors {
				working.Go(func() { work(t, s, "ann", 100, 100*time.Millisecond) })
			}
			time.Sleep(savedWork * time.Second)
			assert.Zero(t, work(t, s, "bob", 10, 0), "a user who asks for little does not wait")
			assert.Equal(t, savedWork*time.Second, work(t, s, "bob", 1, savedWork*time.Second), "nor now and then")
			working.Wait()
			assert.InDelta(t, 32, time.Since(begun).Seconds(), 0.5, "two seconds' work of ten was saved")
			time.Sleep(longPart * savedWork * time.Second)
			assert.Equal(t, savedWork*time.Second, work(t, s, "ann", 20, savedWork*time.Second/20), "saved again")
		})
	}
}

func TestAUserWhoIsAloneDoesNotRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shares{perUser: 1}
		assert.Equal(t, time.Hour, work(t, s, "ann", 3600, time.Second), "nobody else has come")
		work(t, s, "bob", 1, 0)
		assert.Less(t, work(t, s, "ann", 1, time.Second), 2*time.Second, "what was used alone is not owed")
		assert.Greater(t, work(t, s, "ann", 1, time.Second), 3*time.Second, "and not saved")
		time.Sleep(company)
		work(t, s, "ann", 1, 0) // still owes
		assert.Equal(t, time.Hour, work(t, s, "ann", 3600, time.Second), "the others have gone")
	})
}

func TestAClientThatGoesWhileItsUserRestsLeavesTheShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shares{perUser: 1}
		work(t, s, "bob", 1, 0)
		work(t, s, "ann", 1, savedWork*time.Second)
		work(t, s, "ann", 1, savedWork*time.Second)
		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.enter(gone, "ann")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Empty(t, s.of("ann").slots)
	})
}

func TestAUserWhoOwesTimeIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shares{perUser: 1}
		work(t, s, "bob", 1, 0)
		work(t, s, "ann", 3, savedWork*time.Second)
		for i := range 2 * fewUsers {
			work(t, s, strconv.Itoa(i), 1, 0)
		}
		assert.Positive(t, work(t, s, "ann", 1, 0))
		time.Sleep(time.Minute)
		for i := range 2 * fewUsers {
			work(t, s, "later "+strconv.Itoa(i), 1, 0)
		}
		assert.LessOrEqual(t, len(s.users.all), fewUsers, "all have rested")
	})
}
