package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAStreamWithoutACursorBeginsWithTheNextEvent(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	c, err := s.Subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	defer c.Body.Close()
	s.Send("ann", thread, "again")
	now := strings.TrimSuffix(origin, "0") + "3"
	first, err := c.Next()
	require.NoError(t, err)
	data := `{"type":"position","event_id":"` + now + `"}`
	assert.Equal(t, apptest.Frame{ID: now, Event: "position", Data: data}, first)
	next, err := c.Next()
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"4", next.ID)
}

// A client that is dropped before its first event still knows where it was.
func TestAStreamSendsItsPositionBeforeItsFirstEvent(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, origin := s.Begin("ann")
	c, err := s.Subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	c.Until(t, "position")
	c.Body.Close()
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"1", c.LastID)
	s.RunTurns("ann", thread, 1)
	c, err = s.Subscribe(t.Context(), "ann", c.LastID, "")
	require.NoError(t, err)
	defer c.Body.Close()
	assert.Len(t, c.Until(t, "response"), 2)
}

func TestAnUnknownCursorIsAnsweredWithAResync(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	epoch := strings.TrimSuffix(origin, "-0")
	for name, id := range map[string]string{
		"of a session that is gone": "00000000-2", "of the future": epoch +
			"-99", "of a part that is not there yet": epoch + "-4.1",
		"of another server": "12345", "that is a stranger's": "x y\tz",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := s.Subscribe(t.Context(), "ann", id, "")
			require.NoError(t, err)
			defer c.Body.Close()
			f, err := c.Next()
			require.NoError(t, err)
			assert.Equal(t, "resync", f.Event)
			assert.Equal(t, epoch+"-3", f.ID, "it can go on from here")
		})
	}
}

func TestACursorInTheHeaderWinsOverOneInTheQuery(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	c, err := s.Subscribe(t.Context(), "ann", "", "?last_event_id="+origin)
	require.NoError(t, err)
	f, _ := c.Next()
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"1", f.ID)
	c.Body.Close()
	c, err = s.Subscribe(t.Context(), "ann", strings.TrimSuffix(origin, "0")+"2", "?last_event_id="+origin)
	require.NoError(t, err)
	f, _ = c.Next()
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"3", f.ID)
	c.Body.Close()
}

// TestAStreamContinuesUnderAllNamesOfItsCursor holds for the names that libraries have for it in an address.
func TestAStreamContinuesUnderAllNamesOfItsCursor(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	for _, name := range []string{"last_event_id", "lastEventId", "Last-Event-ID"} {
		c, err := s.Subscribe(t.Context(), "ann", "", "?"+name+"="+origin)
		require.NoError(t, err)
		f, err := c.Next()
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSuffix(origin, "0")+"1", f.ID, name)
		c.Body.Close()
	}
}

func TestAnEventSourceMaySendItsTokenInTheQuery(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	req, err := http.NewRequestWithContext(t.Context(), "GET",
		s.HTTP.URL+"/api/chat/events?token="+apptest.TokenOf("ann"), nil)
	require.NoError(t, err)
	resp, err := s.HTTP.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
	assert.Equal(t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
	assert.Equal(t, "no", resp.Header.Get("X-Accel-Buffering"))
	assert.Equal(t, "no-cache, no-transform", resp.Header.Get("Cache-Control"))
	assert.NotContains(t, s.Logs.String(), apptest.TokenOf("ann"))
}

func TestAStreamOfOneThreadShowsNoOtherThread(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100}, apptest.Answering("hello"))
	one, origin := s.Begin("ann")
	two, _ := s.Begin("ann")
	s.RunTurns("ann", one, 1)
	s.RunTurns("ann", two, 1)
	c, err := s.Subscribe(t.Context(), "ann", origin, "?thread_id="+two)
	require.NoError(t, err)
	defer c.Body.Close()
	for _, f := range c.Until(t, "response") {
		assert.Contains(t, f.Data, two)
	}
}

func TestAUserSeesNothingOfAnotherUser(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("for ann alone"))
	thread, origin := s.Begin("ann")
	bobsThread, bobsOrigin := s.Begin("bob")
	bob, err := s.Subscribe(t.Context(), "bob", bobsOrigin, "")
	require.NoError(t, err)
	defer bob.Body.Close()
	s.RunTurns("ann", thread, 2)
	s.RunTurns("bob", bobsThread, 1)
	for _, f := range bob.Until(t, "response") {
		assert.NotContains(t, f.Data, thread)
	}
	stolen, err := s.Subscribe(t.Context(), "bob", origin, "")
	require.NoError(t, err)
	defer stolen.Body.Close()
	f, err := stolen.Next()
	require.NoError(t, err)
	assert.Equal(t, "resync", f.Event, "ann's cursor is no cursor of bob's")
}

// In fake time: a silent stream is kept alive, and the comments are no events.
func TestHeartbeatsKeepASilentStreamAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := apptest.NewPlay(t, apptest.JSON(t, apptest.Answering("x")))
		defer p.Close()
		time.Sleep(time.Minute + time.Second) // fake time: in a bubble
		synctest.Wait()
		out := p.StopStream()
		assert.True(t, strings.HasSuffix(out, strings.Repeat(": heartbeat\n", 4)), out)
		assert.NotContains(t, out, "data:")
		assert.NotContains(t, out, "\n\n", "some clients take a blank line for a message")
	})
}

func TestHistoryIsReadInPages(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100}, apptest.Answering("hello"))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 5)
	page := s.Do("ann", "GET", "/api/chat/history?limit=2&thread_id="+thread, "").JSON()
	assert.Equal(t, true, page["has_more"])
	var numbers []float64
	query := "?limit=2"
	for {
		page := s.Do("ann", "GET", "/api/chat/history"+query, "").JSON()
		for _, turn := range page["turns"].([]any) {
			numbers = append(numbers, turn.(map[string]any)["turn_number"].(float64))
		}
		if page["has_more"] == false {
			break
		}
		query = fmt.Sprintf("?limit=2&before=%s", page["oldest_timestamp"])
	}
	assert.Equal(t, []float64{4, 5, 2, 3, 1}, numbers)
}

// What history shows and what the stream goes on with fit together: events after
// history's event_id are exactly those it does not hold.
func TestHistoryNamesTheEventFromWhichTheStreamContinues(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	at := s.Do("ann", "GET", "/api/chat/history", "").JSON()["event_id"].(string)
	c, err := s.Subscribe(t.Context(), "ann", at, "")
	require.NoError(t, err)
	defer c.Body.Close()
	s.Send("ann", thread, "two")
	f, err := c.Next()
	require.NoError(t, err)
	assert.Contains(t, f.Data, `"turn_number":2`)
}

// A client that was away while its session was dropped comes back with the position it had.
func TestClientsOfAnEvictedSessionGetAResync(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	c, err := s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	c.Until(t, "response")
	c.Body.Close()
	apptest.Eventually(t, "the session is evicted once nobody reads it", func() bool {
		n, err := s.App.Store.Evict(t.Context(), time.Now().Add(time.Hour))
		return err == nil && n == 1
	})
	back, err := s.Subscribe(t.Context(), "ann", c.LastID, "")
	require.NoError(t, err)
	f := back.Until(t, "resync")[0]
	back.Body.Close()
	assert.Equal(t, "resync", f.Event, "before anything else")
	assert.NotEqual(t, c.LastID[:8], f.ID[:8], "it goes on in the new session")
	assert.Equal(t, 404, s.Do("ann", "GET", "/api/chat/history?thread_id="+thread, "").Status)
	assert.Contains(t, s.Get("ann", "/metrics").Body, "candor_resyncs_total 1\n")
}

// A page has 50 turns unless the client asks for more, up to 200.
func TestAPageOfHistoryHasFiftyTurnsByDefault(t *testing.T) {
	const turns = 120
	s := apptest.Start(t, app.Settings{SendsPerMinute: 1000}, apptest.Answering("hello"))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, turns)
	for query, want := range map[string]int{"": 50, "?limit=200": turns, "?limit=51": 51} {
		page := s.Do("ann", "GET", "/api/chat/history"+query, "").JSON()
		assert.Len(t, page["turns"], want, query)
		assert.Equal(t, want < turns, page["has_more"], query)
	}
}
