package attached_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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

// TestWhatTelemetryWaitsForIsBoundedAndNotLost holds that prompts wait for the first call of a number of conversations
// and within a number of bytes, and that those that waited longest are shown as conversations of their own to make
// room.
func TestWhatTelemetryWaitsForIsBoundedAndNotLost(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for i := range 100 {
		tell(t, s, unplaced(fmt.Sprint("c", i), look))
	}
	assert.Empty(t, s.Session("ann").Threads(), "nobody knows whose they are")
	tell(t, s, unplaced("c100", look))
	assert.Equal(t, map[string]int{"Look.": 1}, inputs(s))
	assert.Equal(t, threadOf(s, "codex", "c0"), s.Session("ann").Threads()[0].ID)
	for i := range 101 {
		tell(t, s, unplaced(fmt.Sprint("c", i), ls))
	}
	assert.Equal(t, map[string]int{"Look.": 101}, inputs(s))
	long := strings.TrimSpace(strings.Repeat("Look. ", 50_000))
	for i := range 5 { // of which three fit
		tell(t, s, unplaced(fmt.Sprint("l", i), func(s *attach.Sighting) { s.Prompted = &attach.Prompted{Text: long} }))
	}
	assert.Len(t, s.Session("ann").Threads(), 101+2)
	for i := range 5 {
		tell(t, s, unplaced(fmt.Sprint("l", i), ls))
	}
	assert.Zero(t, inputs(s)[""])
}

// begins returns the beginnings of so many sub-agents of a session of an agent's program, by its hooks.
func begins(agent string, count int) (list []attach.Sighting) {
	for i := range count {
		list = append(list, attach.Sighting{Agent: agent, Session: "c0", Turn: "t1", Channel: attach.Hooks, At: at(1),
			Call: "call_c0", Sub: fmt.Sprint("sub", i), Spawned: &attach.Spawned{}})
	}
	return list
}

// bySub returns a call of a sub-agent's, as telemetry tells of it.
func bySub(sub string) attach.Sighting {
	return unplaced(sub, func(s *attach.Sighting) { ls(s); s.Sub = sub })
}

// TestTheSubAgentsOfAUserThatAreRememberedAreBounded holds that the one that was begun first is forgotten, and that
// what is told of it then waits.
func TestTheSubAgentsOfAUserThatAreRememberedAreBounded(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	tell(t, s, begins("codex", 4097)...)
	tell(t, s, bySub("sub0"), bySub("sub1"), bySub("sub4096"))
	_, history := watched(t, s, "ann")
	turn := history["turns"].([]any)[0].(apptest.M)
	assert.Len(t, turn["reasoning"].(apptest.M)["tool_decisions"], 2, "those of sub1 and sub4096")
}

// TestSubAgentsOfOtherProgramsStrandNone holds that those whose telemetry names its turn take no room of Codex's.
func TestSubAgentsOfOtherProgramsStrandNone(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	tell(t, s, begins("codex", 1)...)
	tell(t, s, begins("claude", 5000)...)
	tell(t, s, bySub("sub0"))
	h := s.Get("ann", "/api/chat/history?thread_id="+threadOf(s, "codex", "c0"))
	assert.Contains(t, h.Body, `"tool_name":"ls"`)
}
