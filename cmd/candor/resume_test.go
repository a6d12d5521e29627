package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func answers(text string) map[string]any {
	return map[string]any{"steps": []any{map[string]any{"text": text}}}
}

func TestAStreamWithoutACursorBeginsWithWhatHappensNext(t *testing.T) {
	s := startServer(t, settings{}, answers("hello"))
	thread, origin := s.begin("ann")
	s.runTurns("ann", thread, 1)
	c, err := s.subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	defer c.body.Close()
	s.send("ann", thread, "again")
	first, err := c.next()
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"4", first.id)
}

// A client that is dropped before its first event still knows where it was.
func TestAStreamSaysItsPlaceBeforeItsFirstEvent(t *testing.T) {
	s := startServer(t, settings{}, answers("hello"))
	thread, origin := s.begin("ann")
	c, err := s.subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	for range 4 { // the comment, the retry hint, the id, the blank line
		line, err := c.lines.ReadString('\n')
		require.NoError(t, err)
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			c.lastID = strings.TrimSpace(id)
		}
	}
	c.body.Close()
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"1", c.lastID)
	s.runTurns("ann", thread, 1)
	c, err = s.subscribe(t.Context(), "ann", c.lastID, "")
	require.NoError(t, err)
	defer c.body.Close()
	assert.Len(t, c.until(t, "response"), 2)
}

func TestACursorThatIsNotThereIsSaidToBeGone(t *testing.T) {
	s := startServer(t, settings{}, answers("hello"))
	thread, origin := s.begin("ann")
	s.runTurns("ann", thread, 1)
	epoch := strings.TrimSuffix(origin, "-0")
	for name, id := range map[string]string{
		"of a session that is gone": "00000000-2", "of the future": epoch + "-99", "of a part that is not there yet": epoch + "-4.1",
		"of another server": "12345", "that is a stranger's": "x y\tz",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := s.subscribe(t.Context(), "ann", id, "")
			require.NoError(t, err)
			defer c.body.Close()
			f, err := c.next()
			require.NoError(t, err)
			assert.Equal(t, "resync", f.event)
			assert.Equal(t, epoch+"-3", f.id, "it can go on from here")
		})
	}
}

func TestTheCursorMayStandInTheQueryAndTheHeaderWins(t *testing.T) {
	s := startServer(t, settings{}, answers("hello"))
	thread, origin := s.begin("ann")
	s.runTurns("ann", thread, 1)
	c, err := s.subscribe(t.Context(), "ann", "", "?last_event_id="+origin)
	require.NoError(t, err)
	f, _ := c.next()
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"1", f.id)
	c.body.Close()
	c, err = s.subscribe(t.Context(), "ann", strings.TrimSuffix(origin, "0")+"2", "?last_event_id="+origin)
	require.NoError(t, err)
	f, _ = c.next()
	assert.Equal(t, strings.TrimSuffix(origin, "0")+"3", f.id)
	c.body.Close()
}

func TestABrowsersEventSourceMayBringItsTokenInTheQuery(t *testing.T) {
	s := startServer(t, settings{}, answers("hello"))
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.http.URL+"/api/chat/events?token="+tokenOf("ann"), nil)
	require.NoError(t, err)
	resp, err := s.http.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
	assert.Equal(t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
	assert.Equal(t, "no", resp.Header.Get("X-Accel-Buffering"))
	assert.Equal(t, "no-cache, no-transform", resp.Header.Get("Cache-Control"))
	assert.NotContains(t, s.logs.String(), tokenOf("ann"))
}

func TestAStreamOfOneThreadShowsNoOther(t *testing.T) {
	s := startServer(t, settings{sends: 100}, answers("hello"))
	one, origin := s.begin("ann")
	two, _ := s.begin("ann")
	s.runTurns("ann", one, 1)
	s.runTurns("ann", two, 1)
	c, err := s.subscribe(t.Context(), "ann", origin, "?thread_id="+two)
	require.NoError(t, err)
	defer c.body.Close()
	for _, f := range c.until(t, "response") {
		assert.Contains(t, f.data, two)
	}
}

func TestBobSeesNothingOfAnn(t *testing.T) {
	s := startServer(t, settings{}, answers("for ann alone"))
	thread, origin := s.begin("ann")
	bobsThread, bobsOrigin := s.begin("bob")
	bob, err := s.subscribe(t.Context(), "bob", bobsOrigin, "")
	require.NoError(t, err)
	defer bob.body.Close()
	s.runTurns("ann", thread, 2)
	s.runTurns("bob", bobsThread, 1)
	for _, f := range bob.until(t, "response") {
		assert.NotContains(t, f.data, thread)
	}
	stolen, err := s.subscribe(t.Context(), "bob", origin, "")
	require.NoError(t, err)
	defer stolen.body.Close()
	f, err := stolen.next()
	require.NoError(t, err)
	assert.Equal(t, "resync", f.event, "ann's cursor is no cursor of bob's")
}

// In fake time: a silent stream is kept alive, and the comments are no events.
func TestHeartbeatsKeepASilentStreamAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlay(t, mustJSON(t, answers("x")))
		defer p.close()
		time.Sleep(time.Minute + time.Second) // fake time: in a bubble
		out := p.stopStream()
		assert.Equal(t, 4, strings.Count(out, ": heartbeat\n\n"))
		assert.NotContains(t, out, "data:")
	})
}

func TestHistoryPagesOverHTTP(t *testing.T) {
	s := startServer(t, settings{sends: 100}, answers("hello"))
	thread, _ := s.begin("ann")
	s.runTurns("ann", thread, 5)
	page := s.do("ann", "GET", "/api/chat/history?limit=2&thread_id="+thread, "").json(t)
	assert.Equal(t, true, page["has_more"])
	var numbers []float64
	query := "?limit=2"
	for {
		page := s.do("ann", "GET", "/api/chat/history"+query, "").json(t)
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
func TestHistorySaysWhereTheStreamGoesOn(t *testing.T) {
	s := startServer(t, settings{}, answers("hello"))
	thread, _ := s.begin("ann")
	s.runTurns("ann", thread, 1)
	at := s.do("ann", "GET", "/api/chat/history", "").json(t)["event_id"].(string)
	c, err := s.subscribe(t.Context(), "ann", at, "")
	require.NoError(t, err)
	defer c.body.Close()
	s.send("ann", thread, "two")
	f, err := c.next()
	require.NoError(t, err)
	assert.Contains(t, f.data, `"turn_number":2`)
}

func TestAnEvictedSessionTellsItsClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlay(t, mustJSON(t, answers("x")))
		defer p.close()
		p.post("/api/chat/thread/new", "")
		p.stop()
		p.wg.Wait()
		time.Sleep(time.Hour) // fake time: in a bubble
		n, err := p.app.store.Evict(t.Context(), time.Now().Add(-time.Minute))
		require.NoError(t, err)
		require.Equal(t, 1, n)
		rec := httptest.NewRecorder()
		p.app.web.ServeHTTP(rec, p.request("GET", "/api/chat/history", nil))
		assert.Equal(t, 404, rec.Code)
	})
}

func TestAScriptMayReplaceABuiltInTool(t *testing.T) {
	s := startServer(t, settings{}, map[string]any{
		"steps": []any{
			map[string]any{"tool_calls": []any{
				map[string]any{"id": "a", "name": "time", "arguments": map[string]any{}},
				map[string]any{"id": "b", "name": "file_read", "arguments": map[string]any{"path": "go.mod"}},
			}},
			map[string]any{"text": "ok"},
		},
		"tools": map[string]any{"time": map[string]any{"result": "tea time"}},
	})
	thread, _ := s.begin("ann")
	s.runTurns("ann", thread, 1)
	history := s.do("ann", "GET", "/api/chat/history", "").body
	assert.Contains(t, history, "tea time")
	assert.Contains(t, history, "module candor")
}
