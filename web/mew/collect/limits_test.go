package collect_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/mew/collect"
	"candor/web/mew/wire"
)

func TestContextsHaveALimitOfDepthAndOfLength(t *testing.T) {
	s := newSpace(t, collect.Limits{Depth: 3, Length: 20})
	for _, tt := range []struct {
		name, context string
		want          wire.Code
	}{
		{"the deepest", "a/b/c", ""},
		{"one level too many", "a/b/c/d", wire.CodeTooDeep},
		{"the longest", strings.Repeat("x", 20), ""},
		{"one byte too many", strings.Repeat("x", 21), wire.CodeTooLong},
		{"odd, but short", " ?*\u00e4/..", ""},
		{"many slashes", "//a///b//", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			quoted, _ := json.Marshal(tt.context)
			err := s.say("scout", "reasoning/thought", `,"context":`+string(quoted)+`,"payload":{"message":"hm"}`)
			assert.Equal(t, tt.want, code(err))
		})
	}
	err := s.say("scout", "reasoning/start", `,"id":"d","context":"a/b/c","payload":{}`)
	assert.Equal(t, wire.CodeTooDeep, code(err), "a start begins one level below its context")
}

func TestOpenContextsAndMessagesInThemAreLimited(t *testing.T) {
	s := newSpace(t, collect.Limits{Open: 3, OpenEach: 2, Messages: 3})
	s.must("a", "reasoning/start", `,"id":"a1"`)
	s.must("a", "reasoning/start", `,"id":"a2"`)
	assert.Equal(t, wire.CodeTooManyContexts, code(s.say("a", "reasoning/start", `,"id":"a3"`)))
	s.must("b", "reasoning/start", `,"id":"b1"`)
	assert.Equal(t, wire.CodeTooManyContexts, code(s.say("c", "reasoning/thought", `,"context":"c1"`)))
	for range 3 {
		s.must("a", "reasoning/thought", `,"context":"a1","payload":{"message":"hm"}`)
	}
	assert.Equal(t, wire.CodeContextFull, code(s.say("a", "reasoning/thought", `,"context":"a1"`)))
	s.must("a", "reasoning/thought", `,"context":"a2","payload":{"message":"others go on"}`)
	s.must("a", "reasoning/conclusion", `,"context":"a2"`)
	s.must("c", "reasoning/start", `,"id":"c2"`)
	s.must("c", "chat", `,"payload":{"text":"no context, no limit"}`)
}

func TestOpenCallsOutsideOfAnyReasoningAreLimited(t *testing.T) {
	s := newSpace(t, collect.Limits{OpenEach: 2})
	for range 5 {
		s.must("a", "mcp/request", `,"payload":{"method":"tools/call","params":{"name":"t"}}`)
	}
	assert.Len(t, s.turns("a"), 2, "further ones are passed on and not recorded")
}

func TestTheIDOfAnOpenReasoningIsNotUsedTwice(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r","payload":{"message":"one"}`)
	assert.Equal(t, wire.CodeDuplicate, code(s.say("a", "reasoning/start", `,"id":"r"`)))
	assert.Equal(t, wire.CodeDuplicate, code(s.say("b", "reasoning/start", `,"id":"r"`)))
	s.must("a", "reasoning/conclusion", `,"context":"r","payload":{"message":"done"}`)
	s.must("b", "reasoning/start", `,"id":"r","payload":{"message":"two"}`)
	s.must("b", "reasoning/thought", `,"context":"r","payload":{"message":"mine"}`)
	assert.Len(t, s.turns("a"), 1)
	assert.Len(t, s.turns("b")[0].Steps, 2)
}

func TestOnlyWhatIsKnownCanBeCancelled(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	assert.Equal(t, wire.CodeUnknownContext, code(s.say("ann", "reasoning/cancel", `,"context":"nowhere"`)))
	assert.Equal(t, wire.CodeUnknownContext, code(s.say("ann", "reasoning/cancel", ``)))
	assert.Empty(t, s.own().Threads())
}

func TestASilentReasoningEndsAndAnAnsweredOneSooner(t *testing.T) {
	s := newSpace(t, collect.Limits{Idle: time.Hour, AnswerGrace: time.Minute})
	s.must("ann", "chat", `,"id":"q","payload":{"text":"why?"}`)
	s.must("a", "reasoning/start", `,"id":"r","correlation_id":["q"]`)
	s.must("b", "reasoning/start", `,"id":"p"`)
	s.must("a", "chat", `,"correlation_id":["q"],"payload":{"text":"because"}`)
	s.Expire(s.now.Add(59 * time.Second))
	assert.Equal(t, session.Processing, s.turns("a")[0].State)
	s.Expire(s.now.Add(time.Minute))
	assert.Equal(t, session.Completed, s.turns("a")[0].State)
	assert.Equal(t, "because", s.turns("a")[0].Response.String())
	s.Expire(s.now.Add(time.Hour - time.Second))
	assert.Equal(t, session.Processing, s.turns("b")[0].State)
	s.Expire(s.now.Add(time.Hour))
	assert.Equal(t, session.Completed, s.turns("b")[0].State)
}

func TestAParticipantThatComesBackGoesOn(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r"`)
	s.Left("a")
	s.now = s.now.Add(59 * time.Second)
	s.Joined("a")
	s.Expire(s.now.Add(2 * time.Minute))
	assert.Equal(t, session.Processing, s.turns("a")[0].State)
	s.Left("a")
	s.Expire(s.now.Add(time.Minute))
	assert.Equal(t, session.Interrupted, s.turns("a")[0].State)
}

func TestAFloodHoldsBoundedMemory(t *testing.T) {
	s := newSpace(t, collect.Limits{Open: 51, OpenEach: 50, Messages: 20})
	refused := map[wire.Code]int{}
	for i := range 2000 {
		refused[code(s.say("a", "reasoning/start", fmt.Sprintf(`,"id":"r%d"`, i)))]++
		thought := fmt.Sprintf(`,"context":"r%d","payload":{"message":"hm"}`, i%60)
		refused[code(s.say("a", "reasoning/thought", thought))]++
	}
	for i := range 2500 {
		s.must("c", "reasoning/start", fmt.Sprintf(`,"id":"c%d"`, i))
		s.must("c", "reasoning/conclusion", fmt.Sprintf(`,"context":"c%d"`, i))
	}
	long := strings.Repeat("so it goes ", 1000)
	for range 600 {
		s.must("b", "chat", `,"payload":{"text":"`+long+`"}`)
	}
	messages, bytes, contexts := s.Remembered()
	assert.LessOrEqual(t, messages, 2048)
	assert.LessOrEqual(t, bytes, 4<<20)
	assert.LessOrEqual(t, contexts, 1051)
	assert.Positive(t, refused[wire.CodeTooManyContexts])
	assert.Positive(t, refused[wire.CodeContextFull])
}

// TestOpenTurnsOfAParticipantAreLimited says at random what may begin a turn.
func TestOpenTurnsOfAParticipantAreLimited(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	s := newSpace(t, collect.Limits{OpenEach: 3, Open: 50})
	call := `"payload":{"method":"tools/call","params":{"name":"t"}}`
	for n := range 600 {
		at := fmt.Sprintf(`,"context":"c%d"`, random.IntN(20))
		said := [...][2]string{
			{"reasoning/start", fmt.Sprintf(`,"id":"c%d","payload":{"message":"go"}`, random.IntN(20))},
			{"reasoning/thought", at + `,"payload":{"message":"hm"}`},
			{"reasoning/conclusion", at + `,"payload":{"message":"done"}`},
			{"mcp/request", at + "," + call}, {"mcp/request", "," + call}, {"mcp/proposal", at + "," + call},
			{"mcp/proposal", "," + call},
			{"chat", at + `,"payload":{"text":"so"}`}, {"chat", `,"payload":{"text":"so"}`},
		}[random.IntN(9)]
		_ = s.say("a", said[0], said[1]) // much of it is refused
		if n%50 == 49 {
			open := 0
			h, err := s.own().History(s.own().Threads()[0].ID, session.Page{Limit: 1000})
			require.NoError(t, err)
			require.False(t, h.HasMore)
			for _, turn := range h.Turns {
				if !turn.State.Ended() {
					open++
				}
			}
			require.LessOrEqual(t, open, 2*3, "contexts, and calls outside of any")
		}
	}
}
