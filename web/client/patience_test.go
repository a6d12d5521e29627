package client

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A connection that never says anything is lost as one that falls silent later.
func TestAStreamSilentFromItsFirstByteIsReconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if tries++; tries > 1 {
				_, _ = io.WriteString(w, frame(1))
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Hour): // fake time: in a bubble
			}
		})
		start := time.Now()
		assert.Equal(t, []string{"connected", "lost", "connected", "1"}, follow(t, c, 1))
		assert.Less(t, time.Since(start), 2*time.Minute)
	})
}

// A user with too many streams open, or too many messages sent, gets the stream later.
func TestAStreamThatIsRefusedForNowIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c := inMemory(t, func(w http.ResponseWriter, _ *http.Request) {
			if tries++; tries > 1 {
				_, _ = io.WriteString(w, frame(1))
				return
			}
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":"too_many_streams","message":"Close one."}`)
		})
		assert.Equal(t, []string{"lost", "connected", "1"}, follow(t, c, 1))
	})
}

// An event without an id, such as a piece of text, leaves the position where it is, also
// if it is the first of its connection.
func TestAnEventWithoutAnIDLeavesThePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Header.Get("Last-Event-ID"))
			if len(asked) > 1 {
				_, _ = io.WriteString(w, frame(9))
				return
			}
			_, _ = io.WriteString(w, "data: {\"type\":\"step_text\",\"turn_number\":1}\n\n")
		})
		for e, err := range c.Events(t.Context(), Stream{After: "s-5"}) {
			require.NoError(t, err)
			if e.TurnNumber == 9 {
				break
			}
		}
		assert.Equal(t, []string{"s-5", "s-5"}, asked)
	})
}

// A server that accepts a connection and says nothing is given up.
func TestAServerThatNeverAnswersIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inMemory(t, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Hour): // fake time: in a bubble
			}
		})
		start := time.Now()
		_, err := c.Status(t.Context())
		require.ErrorContains(t, err, "no answer from memory")
		assert.Less(t, time.Since(start), time.Minute)
	})
}

// An answer that does not end is read up to a bound.
func TestAnAnswerIsReadUpToABound(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"user":"`)
		for range 65 {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `"}`)
	})
	_, err := c.Status(t.Context())
	require.ErrorContains(t, err, "not that of a Candor server", "65 MB are no answer")
}

// A request that came too fast is sent again after the pause that the server asks for.
func TestARequestRefusedForNowIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries, refusals, code := 0, 2, "too_fast"
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			assert.JSONEq(t, `{"thread_id":"a"}`, string(sent), "each time whole")
			if tries++; tries > refusals {
				_, _ = io.WriteString(w, `{}`)
				return
			}
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":"`+code+`","message":"Too fast."}`)
		})
		start := time.Now()
		require.NoError(t, c.Interrupt(t.Context(), "a"))
		assert.Equal(t, 6*time.Second, time.Since(start))

		tries, code = 0, "too_many_requests"
		require.NoError(t, c.Interrupt(t.Context(), "a"), "sent again as well")

		tries, refusals, code = 0, 100, "too_fast"
		assert.True(t, Is(c.Interrupt(t.Context(), "a"), "too_fast"))
		assert.Equal(t, maxTries, tries, "not for ever")

		tries, code = 0, "thread_busy"
		assert.True(t, Is(c.Interrupt(t.Context(), "a"), "thread_busy"))
		assert.Equal(t, 1, tries, "what its user has to decide is not sent again")
	})
}
