package app_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session"
	"candor/session/journal/sqlite"
)

var searchTurns = flag.Int("search.turns", 0,
	"how many turns TestASearchKeepsNobodyWaiting searches beside other requests; 0 skips it")

// verbs and things make the texts of turns differ, and share their words.
var (
	verbs  = strings.Fields("open check compare rename measure sort count describe review merge")
	things = strings.Fields("invoice ledger parser cache schema report queue token index folder banner")
)

// talk records turns of one user, in threads of 100, through the session itself.
func talk(t testing.TB, s *session.Session, first, last int) {
	t.Helper()
	cleaner := safety.NewLayer()
	said := func(format string, args ...any) safety.Text {
		text, _ := cleaner.Mask(fmt.Sprintf(format, args...))
		return text
	}
	thread := ""
	for n := first; n <= last; n++ {
		if thread == "" || n%100 == 0 {
			e, err := s.OpenThread()
			require.NoError(t, err)
			thread = e.Thread
		}
		verb, thing := verbs[n%len(verbs)], things[n%len(things)]
		e, err := s.Accept(thread, said("Please %s the %s of customer%d.", verb, thing, n), nil)
		require.NoError(t, err)
		params, _ := cleaner.CleanJSON(fmt.Appendf(nil, `{"path":"data/%s/file%d.txt","limit":50}`, thing, n))
		result, _ := cleaner.CleanJSON(fmt.Appendf(nil, `["line %d of the %s is fine","and so is the next"]`, n, thing))
		for _, b := range []session.Body{
			session.Narrated{Step: 1, Text: said("I look at the %s before I %s it.", thing, verb),
				Source: session.FromModel},
			session.ToolCalled{Step: 1, Call: "call_1", Tool: said("read_file"), Params: params,
				Rationale: session.Rationale{Text: said("The %s tells what there is to %s.", thing, verb),
					Source: session.FromModel}},
			session.ToolReturned{Call: "call_1", Outcome: session.Success, Result: result, Took: 20 * time.Millisecond},
			session.StepEnded{Step: 1},
			session.TurnCompleted{Response: said("The %s is done: I could %s all of it.", thing, verb)},
		} {
			_, err := s.Append(e.Ref, b)
			require.NoError(t, err)
		}
	}
}

// storedTurns makes a folder in which ann has turns, with the index of a search or without.
func storedTurns(t testing.TB, turns int, index session.Indexing) (folder string) {
	t.Helper()
	folder = t.TempDir()
	engine, err := sqlite.Open(folder, sqlite.Options{Sync: sqlite.Interval})
	require.NoError(t, err)
	store := session.NewDurable(engine, nil, session.Limits{Index: index})
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	talk(t, s, 1, turns)
	require.NoError(t, store.Close())
	return folder
}

// hitsOf returns the turns of the hits of a search, and its answer.
func hitsOf(s *apptest.Server, user, query string) (turns []int, answer apptest.M) {
	answer = s.Get(user, "/api/chat/search?"+query).JSON()
	for _, h := range answer["hits"].([]any) {
		turns = append(turns, int(h.(apptest.M)["turn_number"].(float64)))
	}
	return turns, answer
}

// upToDate awaits the index of a folder that was written without one.
func upToDate(t *testing.T, s *apptest.Server) {
	apptest.Eventually(t, "the index is up to date", func() bool {
		_, answer := hitsOf(s, "ann", "q=customer1")
		return answer["behind"] == nil
	})
}

// A folder that was written before there was an index is searched at once, and says what is missing.
func TestASearchOfAFolderWithoutAnIndexMakesOne(t *testing.T) {
	folder := storedTurns(t, 1500, session.Indexing{})
	s := apptest.StartModel(t, app.Settings{Storage: app.StorageSettings{Dir: folder}})
	turns, answer := hitsOf(s, "ann", "q=customer1499")
	assert.Equal(t, true, answer["behind"], "the index is being made")
	assert.Equal(t, []int{100}, turns[:1], "what is new is found meanwhile")
	upToDate(t, s)
	for q, want := range map[string]int{"file7.txt": 7, "file250.txt": 51, "custmer777": 78, "ustomer1234": 35} {
		turns, answer := hitsOf(s, "ann", "q="+q)
		if assert.NotEmpty(t, turns, q) {
			assert.Equal(t, want, turns[0], q)
		}
		assert.Equal(t, apptest.M{"decisions": 1500.0, "texts": 1500.0, "places": 16.0}, answer["searched"], q)
	}
	_, answer = hitsOf(s, "ann", "q=please")
	assert.Equal(t, true, answer["truncated"], "more than are compared have the word")
}

// The index survives a restart; it loses a thread that is deleted, and every byte of it.
func TestADeletedThreadIsGoneFromTheIndex(t *testing.T) {
	folder := storedTurns(t, 600, session.Indexing{})
	settings := app.Settings{Storage: app.StorageSettings{Dir: folder}}
	s := apptest.StartModel(t, settings)
	upToDate(t, s)
	hits := s.Get("ann", "/api/chat/search?q=customer450").JSON()["hits"].([]any)
	thread := hits[0].(apptest.M)["thread_id"].(string)
	index, err := filepath.Glob(filepath.Join(folder, "search", "*.db"))
	require.NoError(t, err)
	require.Len(t, index, 1)
	require.Contains(t, bytesBelow(t, folder), "customer45")
	require.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, "/api/chat/threads/"+thread, "").Status)
	raw := bytesBelow(t, filepath.Join(folder, "search"))
	for n := 400; n < 500; n++ {
		for _, word := range []string{fmt.Sprintf("customer%d", n), fmt.Sprintf("file%d", n), thread} {
			require.NotContains(t, raw, word)
		}
	}
	assert.NotContains(t, s.Get("ann", "/api/chat/search?q=file450.txt").Body, thread)
	turns, _ := hitsOf(s, "ann", "q=file350.txt")
	assert.Equal(t, 51, slices.Concat(turns, []int{0})[0])

	s.App.Close(t.Context())
	engine, err := sqlite.Open(folder, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, engine.Remove(t.Context(), "ann"))
	require.NoError(t, engine.Close())
	left, err := filepath.Glob(filepath.Join(folder, "search", "*"))
	require.NoError(t, err)
	assert.Empty(t, left, "a user's index goes with them")
}

// A damaged index is made anew, and nothing is lost.
func TestADamagedIndexIsMadeAnew(t *testing.T) {
	folder := storedTurns(t, 600, session.Indexing{})
	settings := app.Settings{Storage: app.StorageSettings{Dir: folder}}
	s := apptest.StartModel(t, settings)
	upToDate(t, s)
	s.App.Close(t.Context())
	index, err := filepath.Glob(filepath.Join(folder, "search", "*.db"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(index[0], []byte(strings.Repeat("no database ", 10_000)), 0o600))
	s = apptest.StartModel(t, settings)
	upToDate(t, s)
	turns, _ := hitsOf(s, "ann", "q=file450.txt")
	assert.Equal(t, 51, slices.Concat(turns, []int{0})[0])
}

// TestASearchKeepsNobodyWaiting measures how long requests of a user with many turns take, and those of another,
// alone and while the first one searches four times at once. It measures and does not judge.
func TestASearchKeepsNobodyWaiting(t *testing.T) {
	if *searchTurns == 0 {
		t.Skip("measures with -search.turns=60000 only")
	}
	start := time.Now()
	folder := storedTurns(t, *searchTurns, session.Indexing{})
	t.Logf("%d turns written in %v", *searchTurns, time.Since(start))
	settings := app.Settings{Storage: app.StorageSettings{Dir: folder}}
	s := apptest.StartModel(t, settings)
	start = time.Now()
	_, answer := hitsOf(s, "ann", "q=customer7")
	t.Logf("first search without an index %v, behind %v", time.Since(start), answer["behind"])
	for answer["behind"] != nil {
		time.Sleep(time.Second)
		_, answer = hitsOf(s, "ann", "q=customer7")
	}
	t.Logf("index made after %v", time.Since(start))
	s.App.Close(t.Context())
	s = apptest.StartModel(t, settings)
	thread, _ := s.Begin("bob")
	start = time.Now()
	s.Get("ann", "/api/chat/threads")
	t.Logf("cold: threads %v", time.Since(start))
	start = time.Now()
	turns, answer := hitsOf(s, "ann", "q=why+was+the+invoice+of+customer7+opened")
	t.Logf("cold: search %v, %d hits of %v", time.Since(start), len(turns), answer["total"])
	paths := map[string][]string{
		"ann search": {"/api/chat/search?q=why+did+it+review+the+schema", "/api/chat/search?q=customer4711",
			"/api/chat/search?q=invoice", "/api/chat/search?q=", "/api/chat/search?q=profilng",
			"/api/chat/search?q=invoice&outcome=success", "/api/chat/search?q=&outcome=error"},
		"ann list":    {"/api/chat/threads"},
		"ann history": {"/api/chat/history?limit=20"},
		"bob list":    {"/api/chat/threads"},
		"bob history": {"/api/chat/history?thread_id=" + thread},
		"bob search":  {"/api/chat/search?q=invoice"},
	}
	measure := func(name string) (p50, p99 time.Duration) {
		user, _, _ := strings.Cut(name, " ")
		var took []time.Duration
		for n := range 210 {
			path := paths[name][n%len(paths[name])]
			start := time.Now()
			r := s.Get(user, path)
			took = append(took, time.Since(start))
			require.Equal(t, http.StatusOK, r.Status, "%s %s", path, r.Body)
		}
		slices.Sort(took)
		return took[len(took)/2], took[len(took)*99/100]
	}
	names := []string{"ann search", "ann list", "ann history", "bob list", "bob history", "bob search"}
	for _, path := range paths["ann search"] {
		var took []time.Duration
		for range 5 {
			start := time.Now()
			s.Get("ann", path)
			took = append(took, time.Since(start))
		}
		t.Logf("%-50s %v", path, took)
	}
	for _, name := range names {
		p50, p99 := measure(name)
		t.Logf("alone: %s p50 %v p99 %v", name, p50, p99)
	}
	done := make(chan struct{})
	var searching sync.WaitGroup
	for range 4 {
		searching.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
					s.Get("ann", paths["ann search"][n%len(paths["ann search"])])
				}
			}
		})
	}
	for _, name := range names {
		p50, p99 := measure(name)
		t.Logf("beside four searches: %s p50 %v p99 %v", name, p50, p99)
	}
	close(done)
	searching.Wait()
}
