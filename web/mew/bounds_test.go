package mew

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/mew/wire"
)

func TestAQueueIsBoundedInMessagesAndBytes(t *testing.T) {
	q := newQueue()
	large := outgoing{bytes: make([]byte, 2*maxQueuedBytes)}
	assert.True(t, q.push(large), "an empty queue takes any message")
	assert.False(t, q.push(outgoing{bytes: []byte("x")}))
	assert.Len(t, q.pop(), 1)
	assert.Empty(t, q.pop())
	for range maxQueued {
		require.True(t, q.push(outgoing{bytes: []byte("x")}))
	}
	assert.False(t, q.push(outgoing{bytes: []byte("x")}))
}

func TestASocketThatDoesNotReadIsCutOffAndHoldsUpNobody(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Rate = 10000 })
	slow, human := r.join("beta"), r.join("human")
	text := strings.Repeat("x", MaxMessage-1000)
	sp := r.lab()
	for i := 0; ; i++ {
		human.send(`{"id":"m-%d","kind":"chat","payload":{"text":%q}}`, i, text)
		require.Equal(t, fmt.Sprint("m-", i), human.until("chat").ID)
		sp.mu.Lock()
		present := sp.members["beta"].present
		sp.mu.Unlock()
		if present == 0 {
			break
		}
		require.Less(t, i, 10000, "it is never cut off")
	}
	_, _, err := slow.conn.Read(t.Context())
	for err == nil {
		_, _, err = slow.conn.Read(t.Context())
	}
	assert.Error(t, err)
}

func TestAParticipantHasABoundedNumberOfConnections(t *testing.T) {
	r := newRig(t)
	for range maxLinksEach - 1 {
		r.join("beta")
	}
	s := r.follow(tokenFor("beta"), "", "")
	require.Equal(t, "position", s.next().name)
	extra, _, err := r.dial("", tokenFor("beta"), nil)
	require.NoError(t, err)
	assert.Equal(t, "too_many", extra.read().Payload["error"])
	status, answer := r.call(http.MethodGet, "/mew/events", tokenFor("beta"), "")
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Equal(t, "too_many_streams", answer["error"])
	r.join("human")
}

func TestASpaceHasABoundedNumberOfConnections(t *testing.T) {
	r := newRig(t)
	sp := r.lab()
	sp.mu.Lock()
	sp.readers = maxLinks
	sp.mu.Unlock()
	extra, _, err := r.dial("", tokenFor("beta"), nil)
	require.NoError(t, err)
	assert.Equal(t, "too_many", extra.read().Payload["error"])
	status, _ := r.call(http.MethodGet, "/mew/events?space=lab", tokenFor("ann"), "")
	assert.Equal(t, http.StatusTooManyRequests, status)
}

func TestSocketsThatDoNotSayWhoseTheyAreAreBounded(t *testing.T) {
	r := newRig(t, func(o *Options) { o.JoinTime = time.Hour })
	var strangers []*socket
	// A handshake ends before the gateway has counted its socket, and the order matters here.
	waiting := func() []*link {
		r.gateway.mu.Lock()
		defer r.gateway.mu.Unlock()
		return r.gateway.joining
	}
	for n := range maxJoining + 1 {
		before := waiting()
		s, _, err := r.dial("", "", nil)
		require.NoError(t, err)
		strangers = append(strangers, s)
		require.Eventually(t, func() bool {
			now := waiting()
			return len(now) == min(n+1, maxJoining) && (n < maxJoining || now[0] != before[0])
		}, time.Minute, time.Millisecond, "socket %d is counted", n)
	}
	_, _, err := strangers[0].conn.Read(t.Context())
	require.Error(t, err, "the first makes room for the last")
	for _, s := range []*socket{strangers[1], strangers[maxJoining]} {
		s.send(`{"type":"join","token":%q}`, tokenFor("beta"))
		assert.Equal(t, "system/welcome", s.read().Kind)
	}
}

func TestAMessageThatIsTooLargeClosesTheSocket(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	human.send(`{"kind":"chat","payload":{"text":%q}}`, strings.Repeat("x", MaxMessage))
	code, _ := human.closedWith()
	assert.Equal(t, websocket.StatusMessageTooBig, code)
}

func TestAParticipantThatIsTooFastIsRefusedAndOthersAreNot(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Rate, o.ContextRate = 5, 1000 })
	human, beta := r.join("human"), r.join("beta")
	for range 40 * burstSeconds {
		beta.send(`{"kind":"chat","payload":{"text":"t"}}`)
		if m := beta.read(); m.Kind == "system/error" {
			assert.Equal(t, "rate_limited", m.Payload["error"])
			status, answer := r.post("beta", `{"kind":"chat","payload":{"text":"t"}}`)
			assert.Equal(t, http.StatusTooManyRequests, status)
			assert.Equal(t, "rate_limited", answer["error"])
			human.send(`{"id":"m-1","kind":"chat","payload":{"text":"t"}}`)
			for human.until("chat").ID != "m-1" {
			}
			return
		}
	}
	assert.Fail(t, "it was never refused")
}

func TestTheRateOfAContextLeavesOtherContextsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(1000, 2)
		now := time.Now()
		for range 2 * burstSeconds {
			require.NoError(t, p.takeContext("a", 10, now))
		}
		assert.ErrorIs(t, p.takeContext("a", 10, now), tooFast)
		assert.NoError(t, p.takeContext("b", 10, now))
		assert.NoError(t, p.takeContext("", 10, now), "the main context has none of its own")
		time.Sleep(time.Second)
		now = time.Now()
		assert.NoError(t, p.takeContext("a", paceUnit, now), "and it refills")
		assert.ErrorIs(t, p.takeContext("a", 10, now), tooFast, "4 KiB more count again")
		for i := range 3 * maxPaces {
			time.Sleep(time.Millisecond)
			require.NoError(t, p.takeContext(fmt.Sprint("c", i), 10, time.Now()))
		}
		assert.Len(t, p.contexts, maxPaces)
		assert.Len(t, p.lastContextAt, maxPaces)
	})
}

func TestAMessageOfTenThousandCharactersAndTwentyChatsInABurstAreAccepted(t *testing.T) {
	r := newRig(t)
	status, _ := r.post("beta", `{"kind":"chat","payload":{"text":"`+strings.Repeat("x", 10000)+`"}}`)
	assert.Equal(t, http.StatusOK, status)
	for i := range 20 {
		r.chat("beta", fmt.Sprint("m-", i))
	}
}

func TestASpaceKeepsABoundedNumberOfMessagesAndBytes(t *testing.T) {
	h := newHistory()
	released := 0
	add := func(n int) {
		h.add(entry{message: wire.Envelope{Raw: make([]byte, n)}, release: func() { released++ }})
	}
	for range maxKept + 5 {
		add(10)
	}
	assert.Len(t, h.entries, maxKept)
	assert.Equal(t, 5, released)
	assert.Equal(t, uint64(5), h.gone())
	for range 2 * maxKeptBytes / MaxMessage {
		add(MaxMessage)
	}
	assert.LessOrEqual(t, h.bytes, maxKeptBytes)
	assert.Less(t, len(h.entries), maxKeptBytes/MaxMessage+1)
	assert.Equal(t, h.last, h.entries[len(h.entries)-1].seq)
	h.clear()
	assert.Zero(t, h.bytes)
	assert.Equal(t, int(h.last), released)
}

func TestAPageOfMessagesIsBoundedInBytesAndHasOneInAnyCase(t *testing.T) {
	h := newHistory()
	for range 3 {
		h.add(entry{message: wire.Envelope{Raw: make([]byte, maxPageBytes/2+1)}, release: func() {}})
	}
	assert.Len(t, h.after(0), 1)
	assert.Len(t, h.after(2), 1)
	assert.Empty(t, h.after(3))
	assert.Empty(t, h.after(99))
}

func TestWhatASpaceKeepsIsChargedToItsOwner(t *testing.T) {
	r := newRig(t)
	own, err := r.store.Open(t.Context(), "ann")
	require.NoError(t, err)
	before := own.Held()
	r.post("beta", `{"kind":"chat","payload":{"text":"`+strings.Repeat("x", 5000)+`"}}`)
	assert.Greater(t, own.Held(), before+5000)
	require.NoError(t, r.store.Close())
	status, answer := r.post("beta", `{"kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, http.StatusInsufficientStorage, status)
	assert.Equal(t, "space_full", answer["error"])
}

func TestAFullSessionMakesRoomOfOlderMessages(t *testing.T) {
	r := newRig(t)
	r.store.Within(session.Limits{Session: 300 << 10})
	text := strings.Repeat("x", 20000)
	for i := range 40 {
		status, answer := r.post("alpha", fmt.Sprintf(`{"id":"m-%d","kind":"chat","payload":{"text":%q}}`, i, text))
		require.Equal(t, http.StatusOK, status, answer)
	}
	h := r.lab().history
	assert.Less(t, len(h.entries), 20)
	assert.Equal(t, "m-39", h.entries[len(h.entries)-1].message.ID)
}

func TestContextsExpireWithTheClockUntilTheGatewayIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeCollector{}
		s, err := New(Options{
			Store: session.NewMemory(nil), Collect: func(string, string) Collector { return c },
			Spaces: Spaces{{Name: "lab", Owner: "ann"}},
		})
		require.NoError(t, err)
		time.Sleep(3*expireEvery + time.Second)
		synctest.Wait()
		assert.Len(t, c.expired, 3)
		s.Close()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, c.expired, 3)
		_, err = s.addSpace(Space{Name: "x", Owner: "ann"})
		assert.ErrorIs(t, err, errClosed)
		assert.ErrorIs(t, s.enter(), errClosed)
	})
}

func TestTwoSpacesOfOneNameAndOwnerAreRefused(t *testing.T) {
	twice := Space{Name: "lab", Owner: "ann"}
	_, err := New(Options{Collect: func(string, string) Collector { return nil }, Spaces: Spaces{twice, twice}})
	assert.ErrorIs(t, err, errSpaceExists)
}
