package attached_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// at returns a time so many seconds after a fixed one.
func at(seconds int) time.Time { return time.Date(2026, 11, 1, 10, 0, seconds, 0, time.UTC) }

// fact returns a sighting of a session file, about the turn "p1" of the session "s1".
func fact(seconds int, change func(*attach.Sighting)) attach.Sighting {
	s := attach.Sighting{Agent: "claude", Session: "s1", Channel: attach.File, At: at(seconds), Turn: "p1"}
	change(&s)
	return s
}

// body writes sightings as they are posted.
func body(t *testing.T, facts []attach.Sighting) string {
	t.Helper()
	var b strings.Builder
	for _, f := range facts {
		b.Write(apptest.JSON(t, f))
		b.WriteByte('\n')
	}
	return b.String()
}

// turnWith returns the sightings of a turn with one call.
func turnWith(prompt, text, command, result, answer string) []attach.Sighting {
	return []attach.Sighting{
		fact(0, func(s *attach.Sighting) {
			s.About, s.Turn = &attach.About{Version: "2.1", Model: "opus", Folder: "/home/ann/work/billing"}, ""
		}),
		fact(0, func(s *attach.Sighting) { s.Prompted = &attach.Prompted{Text: prompt} }),
		fact(1, func(s *attach.Sighting) { s.Group, s.Said = "msg_1", &attach.Said{Text: text} }),
		fact(2, func(s *attach.Sighting) {
			s.Group, s.Index, s.Call = "msg_1", 1, "toolu_1"
			params := fmt.Appendf(nil, `{"command":%q,"description":"Run the test"}`, command)
			s.Called = &attach.Called{Tool: "Bash", Params: params}
		}),
		fact(5, func(s *attach.Sighting) {
			s.Call, s.Returned = "toolu_1", &attach.Returned{Result: fmt.Appendf(nil, "%q", result)}
		}),
		fact(6, func(s *attach.Sighting) { s.Ended = &attach.Ended{Answer: answer} }),
	}
}

// watched returns the only thread of a user, which is that of an attached agent, and its history.
func watched(t *testing.T, s *apptest.Server, user string) (thread, history apptest.M) {
	t.Helper()
	threads := s.Get(user, "/api/chat/threads").JSON()["threads"].([]any)
	require.Len(t, threads, 1)
	thread = threads[0].(apptest.M)
	return thread, s.Get(user, "/api/chat/history?thread_id="+thread["id"].(string)).JSON()
}

func TestASessionFileIsShownLikeAConversation(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	facts := turnWith("fix the invoice", "First the test.", "go test ./...", "FAIL", "Fixed.")
	r := s.Post("ann", "/api/attached", body(t, facts))
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	assert.Equal(t, apptest.M{"taken": 6.0, "known": 0.0}, r.JSON())
	thread, history := watched(t, s, "ann")
	origin := apptest.M{"protocol": "attached", "space": "billing", "participant": "Claude Code"}
	assert.Equal(t, origin, thread["origin"])
	info := thread["attached"].(apptest.M)
	assert.Equal(t, "opus", info["model"])
	assert.Equal(t, "2.1", info["version"])
	assert.Equal(t, "/home/ann/work/billing", info["folder"])
	turn := history["turns"].([]any)[0].(apptest.M)
	assert.Equal(t, "fix the invoice", turn["user_input"])
	assert.Equal(t, "Fixed.", turn["response"])
	assert.Equal(t, "2026-11-01T10:00:00Z", turn["started_at"], "the times are those of the file")
	reasoning := turn["reasoning"].(apptest.M)
	assert.Equal(t, "First the test.", reasoning["narrative"])
	d := reasoning["tool_decisions"].([]any)[0].(apptest.M)
	assert.Equal(t, "fallback", d["rationale_source"], "what a call does is no reason, nor is the text before it")
	assert.Equal(t, apptest.M{
		"described": "Run the test", "called": []any{"file"}, "result": []any{"file"}, "took": []any{"file"},
	}, d["sighted"])

	again := s.Post("ann", "/api/attached", body(t, facts)).JSON()
	assert.Equal(t, apptest.M{"taken": 0.0, "known": 6.0}, again, "the same file again changes nothing")
}

func TestNobodyElseSeesAnAttachedAgent(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	s.Post("ann", "/api/attached", body(t, turnWith("p", "t", "ls", "r", "a")))
	assert.Empty(t, s.Get("bob", "/api/chat/threads").JSON()["threads"])
}

func TestNoSecretAndNoIDOfAnAttachedAgentIsKept(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for name, secret := range apptest.Fixtures() {
		if name == "password" {
			secret = "password: " + secret // by itself it looks like nothing
		}
		s.Post("ann", "/api/attached", body(t, turnWith(
			"use "+secret, "With "+secret, "curl -H "+secret, "token "+secret, "It was "+secret)))
		facts := turnWith("p", "t", "ls", "r", "a")
		facts[0].About = &attach.About{Folder: "/x/" + secret, Title: secret, Model: secret}
		for i := range facts {
			facts[i].Session, facts[i].Turn, facts[i].Call = "s-"+name, "p-"+name, "toolu_secret_"+name
		}
		facts[4].Sub, facts[4].Returned, facts[4].Spawned = "a1", nil, &attach.Spawned{Kind: secret, Model: secret}
		s.Post("ann", "/api/attached", body(t, facts))
	}
	kept := s.Get("ann", "/api/chat/threads").Body
	for _, th := range s.Session("ann").Threads() {
		kept += s.Get("ann", "/api/chat/history?thread_id="+th.ID).Body
	}
	apptest.AssertNoFixture(t, kept)
	assert.NotContains(t, kept, "toolu_", "ids of strangers stay out")
}

func TestNamesOfAnAttachedAgentAreCut(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	facts := turnWith("p", "t", "ls", "r", "a")
	facts[0].About.Folder = "/" + strings.Repeat("x", 1000)
	facts[3].Called.Tool = strings.Repeat("y", 1000)
	s.Post("ann", "/api/attached", body(t, facts))
	thread, history := watched(t, s, "ann")
	assert.Less(t, len(thread["attached"].(apptest.M)["folder"].(string)), 300)
	assert.NotContains(t, fmt.Sprint(history), strings.Repeat("y", 300))
}

func TestWhatIsNoSightingIsRefusedByItsLine(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	good := body(t, turnWith("p", "t", "ls", "r", "a")[1:2])
	long := strings.Repeat("x", 300)
	for _, tt := range []struct{ name, line, member string }{
		{"no JSON", `{"agent":`, ""},
		{"a name that is none", `{"agent":"Claude!","session":"s","channel":"file"}`, "agent"},
		{"no session", `{"agent":"claude","channel":"file"}`, "session"},
		{"a channel that is none", `{"agent":"claude","session":"s","channel":"gossip"}`, "channel"},
		{"a long id", `{"agent":"claude","session":"s","channel":"file","group":"` + long + `"}`, "group"},
		{"a place that is none", `{"agent":"claude","session":"s","channel":"file","index":-1}`, "index"},
		{"a place far away", `{"agent":"claude","session":"s","channel":"file","index":1048577}`, "index"},
		{"a time behind the last year", `{"agent":"claude","session":"s","channel":"file",` +
			`"at":"9999-12-31T23:59:59-01:00","ended":{}}`, "at"},
		{"a time before the first year", `{"agent":"claude","session":"s","channel":"file",` +
			`"at":"0000-01-01T00:00:00+01:00","ended":{}}`, "at"},
		{"no calls", `{"agent":"claude","session":"s","channel":"file","batched":{"calls":[]}}`, "batched"},
		{"many calls", `{"agent":"claude","session":"s","channel":"file","batched":{"calls":["c",` +
			strings.Repeat(`"c",`, 999) + `"c"]}}`, "batched"},
		{"a call of many without an id", `{"agent":"claude","session":"s","channel":"file",` +
			`"batched":{"calls":["c",""]}}`, "batched"},
		{"a call of many with a long id", `{"agent":"claude","session":"s","channel":"file",` +
			`"batched":{"calls":["c","` + long + `"]}}`, "batched"},
		{"a call without its id", `{"agent":"claude","session":"s","channel":"file","called":{"tool":"x"}}`, "call"},
		{"nothing that it says", `{"agent":"claude","session":"s","channel":"file"}`,
			"about, prompted, said, sealed, stopped, called, returned, batched, spawned, used or ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.Post("ann", "/api/attached", good+tt.line+"\n")
			require.Equal(t, http.StatusBadRequest, r.Status, r.Body)
			details := r.JSON()["details"].(apptest.M)
			assert.Equal(t, 2.0, details["line"])
			assert.Contains(t, r.JSON()["message"], "line 2 is not a sighting: "+tt.member)
			if tt.member != "" {
				assert.Equal(t, tt.member, details["member"])
			}
			assert.Empty(t, s.Get("ann", "/api/chat/threads").JSON()["threads"], "nothing half done")
		})
	}
	r := s.Post("ann", "/api/attached", `{"agent":"`+strings.Repeat("x", 1<<20)+`"}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, r.Status)
	r = s.Post("ann", "/api/hooks/nobody", `{}`)
	assert.Equal(t, http.StatusNotFound, r.Status)
}

func TestNumbersThatNoProgramCountsAreNotKnown(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	facts := turnWith("p", "t", "ls", "r", "a")
	for _, n := range []int{1<<63 - 1, 1<<40 + 1, -1, 7} {
		used, sealed := facts[0], facts[0]
		used.About, used.Turn, used.Group = nil, facts[1].Turn, fmt.Sprint("m", n)
		sealed.About, sealed.Turn, sealed.Group, sealed.Index = nil, facts[1].Turn, used.Group, 1
		used.Used, sealed.Sealed = &attach.Used{Input: n, Output: n, Cached: n}, &attach.Sealed{Bytes: n}
		facts = append(facts, used, sealed)
	}
	for i := range facts {
		if facts[i].Returned != nil {
			facts[i].Returned.Took = 366 * 24 * time.Hour
		}
	}
	require.Equal(t, http.StatusOK, s.Post("ann", "/api/attached", body(t, facts)).Status)
	_, history := watched(t, s, "ann")
	turn := history["turns"].([]any)[0].(apptest.M)
	usage := turn["usage"].(apptest.M)
	assert.Equal(t, []any{7.0, 7.0}, []any{usage["input_tokens"], usage["output_tokens"]})
	assert.NotContains(t, fmt.Sprint(turn), "3.162", "the year that the call took")
}

func TestAHookWithALongResultIsRecordedWithItsBeginning(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for _, event := range []string{"PreToolUse", "PostToolUse"} {
		answer := s.Do("ann", http.MethodPost, "/api/hooks/claude", string(apptest.JSON(t, apptest.M{
			"hook_event_name": event, "session_id": "s", "prompt_id": "p",
			"tool_name": "Read", "tool_use_id": "toolu_1",
			"tool_input":    apptest.M{"file_path": "log.txt"},
			"tool_response": apptest.M{"content": strings.Repeat("all is well\n", 2<<20/12)},
		})))
		require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	}
	_, history := watched(t, s, "ann")
	assert.Contains(t, fmt.Sprint(history), "all is well")
}
