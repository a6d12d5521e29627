package jobs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// honest is the user bob, who uses the server as people do.
type honest struct {
	s                 *apptest.Client
	thread, id, token string
	turns, posts      int
}

func newHonest(s *apptest.Client) *honest {
	r := s.Post("bob", "/api/chat/thread/new", "{}")
	require.Equal(s.T, http.StatusCreated, r.Status, r.Body)
	b := &honest{s: s, thread: r.JSON()["id"].(string)}
	r = s.Post("bob", "/api/jobs", `{"title":"tidy","prompt":"tidy up"}`)
	require.Equal(s.T, http.StatusCreated, r.Status, r.Body)
	job := r.JSON()
	b.id, b.token = job["job_id"].(string), job["token"].(string)
	return b
}

// post posts a short event to the job.
func (b *honest) post() {
	r := b.s.PostEvents(b.id, b.token, fmt.Sprintf(`{"event":"message","content":"event %d"}`, b.posts))
	require.Equal(b.s.T, http.StatusOK, r.Status, r.Body)
	b.posts++
}

// get makes a request that has to be answered with 200.
func (b *honest) get(path string) string {
	r := b.s.Get("bob", path)
	require.Equal(b.s.T, http.StatusOK, r.Status, r.Body)
	return r.Body
}

// ask sends a message and watches its turn until it ends.
func (b *honest) ask() {
	stream, err := b.s.Subscribe(b.s.T.Context(), "bob", "", "?thread_id="+b.thread)
	require.NoError(b.s.T, err)
	defer stream.Body.Close()
	stream.Until(b.s.T, "position")
	r := b.s.Post("bob", "/api/chat/send", `{"content":"go on","thread_id":"`+b.thread+`"}`)
	require.Equal(b.s.T, http.StatusAccepted, r.Status, r.Body)
	stream.Until(b.s.T, "response")
	b.turns++
}

// use uses the server as a person and a worker do, a request every 20 ms and a message every
// three seconds, and returns how long each request took, and each turn.
func (b *honest) use(during time.Duration) (requests, turns []time.Duration) {
	timed := func(took *[]time.Duration, do func()) {
		begin := time.Now()
		do()
		*took = append(*took, time.Since(begin))
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n, begun := 0, time.Now(); time.Since(begun) < during; n++ {
		<-tick.C
		switch n % 4 {
		case 0, 1:
			timed(&requests, b.post)
		case 2:
			timed(&requests, func() { b.get("/api/chat/threads") })
		case 3:
			timed(&requests, func() { b.get("/api/chat/history?limit=10&thread_id=" + b.thread) })
		}
		if n%150 == 0 { // fewer than 30 messages a minute
			timed(&turns, b.ask)
		}
	}
	return requests, turns
}

// missing counts what the user has lost.
func (b *honest) missing() int { return b.posts - b.postsLeft() + b.turns - b.turnsLeft() }

// postsLeft counts the posts in the job's log, each with the text that it was sent with.
func (b *honest) postsLeft() (count int) {
	for after, more := 0, true; more; {
		var page struct {
			Events []struct {
				ID   int    `json:"id"`
				Kind string `json:"event_type"`
				Data struct {
					Content string `json:"content"`
				} `json:"data"`
			} `json:"events"`
			More bool `json:"has_more"`
		}
		raw := b.get(fmt.Sprintf("/api/jobs/%s/events?after=%d", b.id, after))
		require.NoError(b.s.T, json.Unmarshal([]byte(raw), &page))
		for _, e := range page.Events {
			if e.Kind == "job_message" && e.Data.Content == fmt.Sprint("event ", count) {
				count++
			}
			after = e.ID
		}
		more = page.More
	}
	return count
}

// turnsLeft counts the turns in the thread's history that have their answer.
func (b *honest) turnsLeft() (count int) {
	for before, more := "", true; more; {
		var page struct {
			Turns []struct {
				Response string `json:"response"`
			} `json:"turns"`
			More   bool   `json:"has_more"`
			Oldest string `json:"oldest_timestamp"`
		}
		raw := b.get("/api/chat/history?limit=200&thread_id=" + b.thread + before)
		require.NoError(b.s.T, json.Unmarshal([]byte(raw), &page))
		for _, turn := range page.Turns {
			if turn.Response == "It is done." {
				count++
			}
		}
		before, more = "&before="+url.QueryEscape(page.Oldest), page.More
	}
	return count
}
