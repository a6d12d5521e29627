package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// bodies has one of each kind of body. Its texts are empty.
var bodies = []session.Body{
	session.ThreadOpened{}, session.TurnQueued{}, session.TurnStarted{}, session.Narrated{}, session.ToolCalled{},
	session.ToolReturned{}, session.StepWaits{}, session.StepEnded{}, session.ApprovalAsked{},
	session.ApprovalAnswered{}, session.Handoff{}, session.TurnCompleted{}, session.TurnFailed{},
	session.TurnInterrupted{}, session.Dropped{}, session.Erased{}, session.Answered{}, session.Noted{},
	session.Sighted{},
	session.Spoken{}, session.NodeStarted{}, session.NodeEnded{}, session.DecisionRated{},
	session.JobOpened{}, session.JobPrompted{}, session.JobMessage{},
	session.JobToolUse{}, session.JobToolResult{}, session.JobReasoned{Decisions: make([]session.Decision, 1)},
	session.JobReported{}, session.JobEnded{}, session.JobCancelled{}, session.JobRestarted{},
}

// A new body has a cost method, as the compiler sees, and has to be in bodies for the next test to read it.
func TestEveryBodyIsAmongThoseThatAreTested(t *testing.T) {
	listed := map[string]bool{}
	for _, b := range bodies {
		listed[reflect.TypeOf(b).Name()] = true
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var source []byte
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		source = append(source, text...)
	}
	declared := regexp.MustCompile(`(?m)^func \((?:b )?(\w+)\) cost\(\) int`).FindAllStringSubmatch(string(source), -1)
	require.Len(t, declared, len(bodies))
	for _, name := range declared {
		assert.Contains(t, listed, name[1])
	}
}

func TestEveryTextOfAnEventIsCharged(t *testing.T) {
	long := words(50_000)
	value, _ := cleaner.CleanJSON([]byte(`"` + long.String() + `"`))
	for _, b := range bodies {
		for _, path := range textsOf(reflect.TypeOf(b), nil) {
			full := reflect.New(reflect.TypeOf(b)).Elem()
			full.Set(reflect.ValueOf(b))
			f := full
			for _, i := range path {
				if f.Kind() == reflect.Slice {
					f.Set(reflect.MakeSlice(f.Type(), 1, 1))
					f = f.Index(0)
				}
				if f.Kind() == reflect.Pointer {
					f.Set(reflect.New(f.Type().Elem()))
					f = f.Elem()
				}
				f = f.Field(i)
			}
			if f.Type() == reflect.TypeFor[safety.JSON]() {
				f.Set(reflect.ValueOf(value))
			} else {
				f.Set(reflect.ValueOf(long))
			}
			charged := session.CostOf(full.Interface().(session.Body)) - session.CostOf(b)
			assert.Greater(t, charged, 49_000, "%T, field %v", b, path)
		}
	}
}

// textsOf returns the paths of the fields of a type that hold cleaned text.
func textsOf(typ reflect.Type, at []int) (paths [][]int) {
	if typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return nil
	}
	for i := range typ.NumField() {
		f := typ.Field(i).Type
		here := append(append([]int{}, at...), i)
		if f == reflect.TypeFor[safety.Text]() || f == reflect.TypeFor[safety.JSON]() {
			paths = append(paths, here)
		} else {
			paths = append(paths, textsOf(f, here)...)
		}
	}
	return paths
}

// filling is a way to fill a session.
type filling struct {
	name string
	fill func(t *testing.T, s *session.Session)
}

func TestTheChargeIsTrueToTheHeap(t *testing.T) {
	for _, tt := range append(jobFillings(), turnFillings()...) {
		t.Run(tt.name, func(t *testing.T) {
			_, s := limited(t, session.Limits{})
			before, empty := heap(), s.Held()
			tt.fill(t, s)
			used, charged := float64(heap()-before), float64(s.Held()-empty)
			t.Logf("heap %.0f KiB, charged %.0f KiB: %.2f", used/1024, charged/1024, used/charged)
			assert.Less(t, used, 1.1*charged, "what is held is charged")
			assert.Less(t, charged, 8*used, "and not far more than that")
			runtime.KeepAlive(s)
		})
	}
}

// jobFillings returns ways to fill a session with jobs.
func jobFillings() []filling {
	return []filling{
		{"short posts of a job", func(t *testing.T, s *session.Session) {
			id := openJob(t, s)
			for i := range 4000 {
				_, err := s.PostToJob(id, []session.Post{{Key: fmt.Sprintf("%032d", i), Body: session.JobToolUse{
					Call: fmt.Sprintf("call_%d", i), Tool: words(20), Rationale: session.Rationale{Text: words(60)},
				}}})
				require.NoError(t, err)
			}
		}},
		{"long posts of a job", func(t *testing.T, s *session.Session) {
			runJob(t, s, openJob(t, s), 300, 50_000)
		}},
		{"facts of an attached agent", func(t *testing.T, s *session.Session) {
			id, err := s.OpenObserved("claude/1", billing)
			require.NoError(t, err)
			for turn := range 20 {
				var facts []session.Sighting
				for i := range 100 {
					call := fmt.Sprintf("call_%d_%d", turn, i)
					one, end := called(call, "Bash", 1), returned(call, 2)
					one.Called.Params, _ = cleaner.CleanJSON([]byte(`{"command":"` + words(40).String() + `"}`))
					end.Returned.Result, _ = cleaner.CleanJSON([]byte(`"` + words(100).String() + `"`))
					facts = append(facts, one, end)
				}
				_, err = s.Sight(id, session.Sighted{
					Key: fmt.Sprint(turn), Channel: session.FromFile, Sightings: facts,
				})
				require.NoError(t, err)
			}
		}},
		{"many jobs", func(t *testing.T, s *session.Session) {
			for range 2000 {
				runJob(t, s, openJob(t, s), 1, 10)
			}
		}},
	}
}

// turnFillings returns ways to fill a session with turns.
func turnFillings() []filling {
	return []filling{
		{"many calls of a turn", func(t *testing.T, s *session.Session) {
			ref := accept(t, s, thread(t, s))
			for i := range 1000 {
				id := fmt.Sprintf("call_%d", i)
				add(t, s, ref, toolCall(id, i), session.ToolReturned{Call: id, Outcome: session.Success},
					session.StepEnded{Step: i})
			}
		}},
		{"many short turns", func(t *testing.T, s *session.Session) {
			talk := thread(t, s)
			for range 3000 {
				runTurn(t, s, talk, 50)
			}
		}},
		{"many runs of workflows with nodes", func(t *testing.T, s *session.Session) {
			talk := thread(t, s)
			for range 1000 {
				ref := acceptRun(t, s, talk, session.Workflow{ID: "chat", Inputs: value(`{"n":1}`)}).Ref
				add(t, s, ref, session.NodeStarted{Node: "a", Type: "noop"}, session.NodeEnded{Node: "a"},
					session.TurnCompleted{})
			}
		}},
		{"many parts of spoken text", func(t *testing.T, s *session.Session) {
			ref := accept(t, s, thread(t, s))
			for i := range 4000 {
				add(t, s, ref, session.Spoken{Step: 1, Index: i, Text: words(60)})
			}
		}},
		{"many replays", func(t *testing.T, s *session.Session) {
			talk := thread(t, s)
			ref := fullTurn(t, s, talk)
			for range 300 {
				_, err := s.Repeat(ref, talk, replay)
				require.NoError(t, err)
			}
		}},
		{"many threads", func(t *testing.T, s *session.Session) {
			for range 3000 {
				thread(t, s)
			}
		}},
	}
}

// heap returns the bytes of the heap that are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
