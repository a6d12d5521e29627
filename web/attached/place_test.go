package attached_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// asTelemetry returns what Codex's telemetry has of the facts of a session's files, in the order of its time: prompts
// and calls without their turn and their answer, and those of a sub-agent as a conversation of its own, which begins
// with its task before anything says that it is a sub-agent's. Which one began it may be told so late.
func asTelemetry(files [][]attach.Sighting, late time.Duration) (list []attach.Sighting) {
	for _, file := range files {
		for _, s := range file {
			if s.Called == nil && s.Returned == nil && s.Prompted == nil && s.Spawned == nil {
				continue
			}
			s.Channel, s.Turn, s.Group, s.Index = attach.Telemetry, "", "", 0
			if s.Spawned != nil {
				list = append(list, attach.Sighting{Agent: s.Agent, Session: s.Sub, Channel: attach.Telemetry,
					At: s.At, Prompted: &attach.Prompted{Text: "Look at the notes."}})
				// Or even with its calls, if it is quick.
				s.At = s.At.Add(late)
			} else if s.Sub != "" {
				s.Session = s.Sub
			}
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b attach.Sighting) int { return a.At.Compare(b.At) })
	return list
}

// TestTelemetryThatNamesNoTurnJoinsTheSessionFile holds that the decisions are the file's, with telemetry in any order
// beside it, before it and after it, and that telemetry told of all of them.
func TestTelemetryThatNamesNoTurnJoinsTheSessionFile(t *testing.T) {
	files := codexFiles(t)
	byFile := codexDecisions(t, toldBy(t, "codex", nil, files, 0), true)
	files, fork := files[:3], files[3]
	inFiles := slices.Concat(files...)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("order ", seed), func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, nil)
			late := time.Duration(seed%2) * time.Hour
			telemetry, file := posts(t, s, asTelemetry(files, late), 1+int(seed)%5), posts(t, s, inFiles, 7)
			all := append(telemetry, file...)
			switch seed {
			case 0: // telemetry first
			case 1:
				all = append(file, telemetry...)
			default:
				all = interleaved(seed, telemetry, file)
			}
			// Conversations are listed by when they were heard last.
			all = append(all, posts(t, s, asTelemetry([][]attach.Sighting{fork}, 0), 1)...)
			for _, post := range append(all, posts(t, s, fork, 3)...) {
				post()
			}
			assert.Equal(t, byFile, codexDecisions(t, s, true))
			assert.Equal(t, []any{"file", "telemetry"}, leastTold(s))
		})
	}
}

// leastTold returns the channels that told of the decision of ann's of which the fewest did.
func leastTold(s *apptest.Server) (least []any) {
	for _, th := range s.Session("ann").Threads() {
		for _, turn := range s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()["turns"].([]any) {
			for _, d := range turn.(apptest.M)["reasoning"].(apptest.M)["tool_decisions"].([]any) {
				told := d.(apptest.M)["sighted"].(apptest.M)["called"].([]any)
				if least == nil || len(told) < len(least) {
					least = told
				}
			}
		}
	}
	return least
}

// unplaced returns a sighting of telemetry that names no turn.
func unplaced(session string, change func(*attach.Sighting)) attach.Sighting {
	s := attach.Sighting{Agent: "codex", Session: session, Channel: attach.Telemetry, At: at(1)}
	change(&s)
	return s
}

// look and ls are a prompt and a call.
func look(s *attach.Sighting) { s.Prompted = &attach.Prompted{Text: "Look."} }

func ls(s *attach.Sighting) {
	s.Call, s.Called, s.At = "call_"+s.Session, &attach.Called{Tool: "ls"}, at(2)
}

// tell posts sightings as ann.
func tell(t *testing.T, s *apptest.Server, list ...attach.Sighting) {
	t.Helper()
	for _, post := range posts(t, s, list, 1000) {
		post()
	}
}

// inputs returns how many of ann's conversations begin with each prompt.
func inputs(s *apptest.Server) map[string]int {
	counts := map[string]int{}
	for _, th := range s.Session("ann").Threads() {
		turn := s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()["turns"].([]any)[0].(apptest.M)
		counts[turn["user_input"].(string)]++
	}
	return counts
}

// TestWhatTelemetryWaitsForIsBoundedAndGoesWithTheSession holds that prompts wait for the first call of a number of
// conversations and within a number of bytes, that the calls of more are shown without their prompt, and that nothing
// waits of a user who erased anything.
func TestWhatTelemetryWaitsForIsBoundedAndGoesWithTheSession(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for i := range 101 {
		tell(t, s, unplaced(fmt.Sprint("c", i), look))
	}
	assert.Empty(t, s.Session("ann").Threads(), "nobody knows whose they are")
	for i := range 101 {
		tell(t, s, unplaced(fmt.Sprint("c", i), ls))
	}
	assert.Equal(t, map[string]int{"Look.": 100, "": 1}, inputs(s))
	long := strings.Repeat("Look. ", 50_000)
	for i := range 5 { // of which three fit
		tell(t, s, unplaced(fmt.Sprint("l", i), func(s *attach.Sighting) { s.Prompted = &attach.Prompted{Text: long} }))
	}
	for i := range 5 {
		tell(t, s, unplaced(fmt.Sprint("l", i), ls))
	}
	assert.Equal(t, 3, inputs(s)[""])
	tell(t, s, unplaced("e", look))
	tell(t, s, unplaced("c0", func(s *attach.Sighting) { s.Ended, s.At = &attach.Ended{}, at(3) }))
	gone := s.Session("ann").NamedID("observed/attached\x00codex\x00c0")
	r := s.Do("ann", http.MethodDelete, "/api/chat/threads/"+gone, "")
	require.Equal(t, http.StatusNoContent, r.Status, r.Body)
	before := inputs(s)[""]
	tell(t, s, unplaced("e", ls))
	assert.Equal(t, before+1, inputs(s)[""])
}

// TestTheSubAgentsOfAUserThatAreRememberedAreBounded holds that what is told of one that was forgotten waits.
func TestTheSubAgentsOfAUserThatAreRememberedAreBounded(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	tell(t, s, unplaced("c0", ls))
	var subs []attach.Sighting
	for i := range 4097 {
		subs = append(subs, unplaced("c0", func(s *attach.Sighting) {
			s.Call, s.Sub, s.Spawned = "call_c0", fmt.Sprint("sub", i), &attach.Spawned{}
		}))
	}
	tell(t, s, subs...)
	for _, sub := range []string{"sub1", "sub4096"} {
		tell(t, s, unplaced(sub, func(s *attach.Sighting) { ls(s); s.Sub = sub }))
	}
	_, history := watched(t, s, "ann")
	turn := history["turns"].([]any)[0].(apptest.M)
	assert.Len(t, turn["reasoning"].(apptest.M)["tool_decisions"], 2, "its own and that of sub4096")
}
