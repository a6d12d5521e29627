package jobs_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

// freely lets users write as fast as a test can.
const freely = 1 << 20

// message is a worker's post of about n bytes, in messages of 90,000.
func message(n int) string {
	var events []string
	for range max(1, n/90_000) {
		events = append(events, `{"event":"message","content":"`+strings.Repeat("so it goes ", min(n, 90_000)/11)+`"}`)
	}
	return "[" + strings.Join(events, ",") + "]"
}

// restart begins the next run of a job of ann's, whose run is ended first.
func restart(t *testing.T, s *apptest.Server, id, token string) string {
	t.Helper()
	r := s.Post("", "/worker/"+id+"/complete", `{"success":true}`, apptest.WithToken(token))
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	again := s.Post("ann", "/api/jobs/"+id+"/restart", "{}")
	require.Equal(t, http.StatusAccepted, again.Status, again.Body)
	return again.JSON()["token"].(string)
}

func TestPostingToAndRestartingOneJobHoldsNoMoreThanTheSessionMay(t *testing.T) {
	const limit = 16 << 20
	s := apptest.Start(t, app.Settings{SessionMemory: limit, WritesPerSecond: freely}, nil)
	thread, origin := s.Begin("bob")
	s.RunTurns("bob", thread, 2)
	id, token := s.NewJob("x")
	body := message(900_000)
	for range 40 { // more than twice what the session may hold
		require.Equal(t, http.StatusOK, s.PostEvents(id, token, body).Status)
		token = restart(t, s, id, token)
		require.LessOrEqual(t, s.Session("ann").Held(), limit)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	assert.Less(t, m.HeapAlloc, uint64(8*limit), "the heap holds no more than the process began with, and the session")

	job := s.Get("ann", "/api/jobs/"+id).JSON()
	dropped := job["dropped_runs"].(float64)
	assert.Positive(t, dropped)
	events, _, err := s.Session("ann").JobEvents(id, 0, 1<<20)
	require.NoError(t, err)
	first := session.JobTurns(events)[0]
	assert.InDelta(t, dropped+1, first.Run, 0, "the runs that are left begin behind those dropped")
	assert.Equal(t, "x", first.Input.String())
	assert.InDelta(t, 41, job["run"], 0)
	assert.Contains(t, s.Logs.String(), "older parts of a session dropped from memory")
	h := s.Get("bob", "/api/chat/history?thread_id="+thread).JSON()
	assert.Len(t, h["turns"], 2)
	assert.NotEmpty(t, s.Everything("bob", origin), "others' events stay")
}

func TestEndedJobsAreDroppedAndTheListSaysSo(t *testing.T) {
	s := apptest.Start(t, app.Settings{SessionMemory: 4 << 20, WritesPerSecond: freely, SendsPerMinute: 100}, nil)
	var first string
	for i := range 12 {
		id, token := s.NewJob("x")
		if i == 0 {
			first = id
		}
		require.Equal(t, http.StatusOK, s.PostEvents(id, token, message(500_000)).Status)
		r := s.Post("", "/worker/"+id+"/complete", `{"success":true}`, apptest.WithToken(token))
		require.Equal(t, http.StatusOK, r.Status)
	}
	list := s.Get("ann", "/api/jobs").JSON()
	assert.Positive(t, list["dropped_jobs"])
	assert.InDelta(t, 12, list["dropped_jobs"].(float64)+float64(len(list["jobs"].([]any))), 0)
	assert.Equal(t, http.StatusNotFound, s.Get("ann", "/api/jobs/"+first).Status)
}

func TestPromptsThatWaitAreChargedUntilTheyAreFetched(t *testing.T) {
	const limit = 4 << 20
	s := apptest.Start(t, app.Settings{SessionMemory: limit, WritesPerSecond: freely}, nil)
	id, token := s.NewJob("x")
	prompt := string(apptest.JSON(t, apptest.M{"content": strings.Repeat("so it goes ", 80_000)}))
	own := s.Session("ann")
	before := own.Held()
	send := func() apptest.Reply { return s.Post("ann", "/api/jobs/"+id+"/prompt", prompt) }
	require.Equal(t, http.StatusAccepted, send().Status)
	assert.Greater(t, own.Held(), before+800_000, "the raw prompt is held beside the log")
	refused := send()
	for refused.Status == http.StatusAccepted {
		require.LessOrEqual(t, own.Held(), limit)
		refused = send()
	}
	require.Equal(t, http.StatusInsufficientStorage, refused.Status)
	assert.Equal(t, "session_full", refused.JSON()["error"])
	assert.NotEmpty(t, refused.Header.Get("Retry-After"))
	count := len(s.JobEvents(id))
	require.Equal(t, http.StatusInsufficientStorage, send().Status)
	assert.Len(t, s.JobEvents(id), count, "a refused prompt leaves nothing")

	full := own.Held()
	for range 2 {
		r := s.Get("", "/worker/"+id+"/prompt", apptest.WithToken(token))
		require.Equal(t, http.StatusOK, r.Status)
	}
	assert.Less(t, own.Held(), full-1_600_000)
	require.Equal(t, http.StatusAccepted, send().Status)
	assert.Equal(t, http.StatusAccepted, s.Post("ann", "/api/jobs/"+id+"/cancel", "{}").Status, "it can be ended")
	assert.Less(t, own.Held(), 1<<20, "the end gives back what only an open run needs")
}

func TestAStreamTellsWhatWasDroppedAndALateReaderToBeginAnew(t *testing.T) {
	s := apptest.Start(t, app.Settings{SessionMemory: 4 << 20, WritesPerSecond: freely}, nil)
	id, token := s.NewJob("x")
	origin := s.Session("ann").ID()[:8] + "-1"
	stream, err := s.Subscribe(t.Context(), "ann", origin, "?job_id="+id)
	require.NoError(t, err)
	defer stream.Body.Close()
	runs := 0
	rerun := func() {
		require.Less(t, runs, 50, "nothing is dropped")
		require.Equal(t, http.StatusOK, s.PostEvents(id, token, message(900_000)).Status)
		token = restart(t, s, id, token)
		runs++
	}
	for s.Get("ann", "/api/jobs/"+id).JSON()["dropped_runs"] == nil {
		rerun()
	}
	frames := stream.Until(t, "dropped")
	last := frames[len(frames)-1]
	assert.Contains(t, last.Data, fmt.Sprintf(`"jobs":[{"job_id":%q,"runs":`, id))
	late, err := s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	late.Until(t, "dropped") // the log still tells what the reader missed
	late.Body.Close()

	for s.Session("ann").Gone() == 0 {
		rerun()
	}
	late, err = s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	defer late.Body.Close()
	assert.Equal(t, "resync", late.Until(t, "resync")[0].Event)
}

func TestAWorkerOfAFullSessionCanEndItsJob(t *testing.T) {
	s := apptest.Start(t, app.Settings{SessionMemory: 4 << 20, WritesPerSecond: freely}, nil)
	id, token := s.NewJob("x")
	status := http.StatusOK
	for status == http.StatusOK {
		status = s.PostEvents(id, token, message(90_000)).Status
	}
	require.Equal(t, http.StatusInsufficientStorage, status)
	r := s.Post("", "/worker/"+id+"/complete", `{"success":true,"message":"done"}`, apptest.WithToken(token))
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	s.NewJob("there is room again")
}
