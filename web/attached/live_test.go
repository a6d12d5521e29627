package attached

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/attach"
)

// hear gives a server a sighting of a hook and returns what is recorded of it.
func hear(s *Server, thread string, change func(*attach.Sighting)) []attach.Sighting {
	one := attach.Sighting{Agent: "claude", Session: thread, Channel: attach.Hooks, Turn: "p1"}
	change(&one)
	return (&taking{Server: s}).settle(thread, one)
}

func say(text string) func(*attach.Sighting) {
	return func(s *attach.Sighting) { s.Said = &attach.Said{Text: text} }
}

func call(id string) func(*attach.Sighting) {
	return func(s *attach.Sighting) { s.Call, s.Called = id, &attach.Called{Tool: "Bash"} }
}

func TestATextThatHooksTellInPiecesBelongsToTheNextCall(t *testing.T) {
	s := New(Options{})
	assert.Empty(t, hear(s, "t", say("First ")))
	assert.Empty(t, hear(s, "t", say("the test.")))
	all := hear(s, "t", call("c1"))
	if assert.Len(t, all, 2) {
		assert.Equal(t, "First the test.", all[0].Said.Text)
		assert.Equal(t, "c1", all[0].Call)
		assert.NotNil(t, all[1].Called)
	}
	assert.Len(t, hear(s, "t", call("c2")), 1, "and to that one only")
	hear(s, "t", say("Fixed."))
	hear(s, "t", func(s *attach.Sighting) { s.Ended = &attach.Ended{Answer: "Fixed."} })
	assert.Len(t, hear(s, "t", call("c3")), 1, "the last text is the answer, which the end has")
}

func TestAPromptEndsTheTurnBeforeIt(t *testing.T) {
	s := New(Options{})
	prompt := func(id string) func(*attach.Sighting) {
		return func(s *attach.Sighting) { s.Turn, s.Prompted = id, &attach.Prompted{} }
	}
	assert.Len(t, hear(s, "t", prompt("p1")), 1)
	assert.Len(t, hear(s, "t", prompt("p1")), 1, "told twice")
	all := hear(s, "t", prompt("p2"))
	if assert.Len(t, all, 2) {
		assert.NotNil(t, all[0].Ended)
		assert.Equal(t, "p1", all[0].Turn)
	}
	all = hear(s, "t", func(s *attach.Sighting) { s.Turn, s.Ended = "", &attach.Ended{} })
	assert.Equal(t, "p2", all[0].Turn, "a hook that names no prompt is about the latest")
}

func TestASubAgentWhoseHooksNameNoTurnStaysInTheOneThatBeganIt(t *testing.T) {
	s := New(Options{})
	in := func(turn, sub string) string {
		all := hear(s, "t", func(one *attach.Sighting) {
			one.Turn, one.Sub, one.Call, one.Called = turn, sub, "c", &attach.Called{Tool: "Bash"}
		})
		return all[0].Turn
	}
	assert.Equal(t, "p1", in("p1", ""))
	assert.Equal(t, "p1", in("", "a1"))
	assert.Equal(t, "p2", in("p2", ""))
	assert.Equal(t, "p1", in("", "a1"), "it goes on in the background")
	assert.Equal(t, "p2", in("", ""), "and is not what the person speaks to")
	assert.Equal(t, "p2", in("", "a2"))
	for i := range maxSubs {
		in("", "other"+strconv.Itoa(i))
	}
	assert.Len(t, s.open["t"].subs, maxSubs)
}

// TestTextsOfAUserAreBoundedTogether holds that texts that no call comes after do not fill the memory, that those of
// the session that was silent the longest make room, and that nobody loses any by what another user's agents say.
func TestTextsOfAUserAreBoundedTogether(t *testing.T) {
	now := time.Now()
	s := New(Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	hears := func(user, thread string, change func(*attach.Sighting)) []attach.Sighting {
		one := attach.Sighting{Agent: "claude", Session: thread, Channel: attach.Hooks, Turn: "p1"}
		change(&one)
		return (&taking{Server: s, user: user}).settle(thread, one)
	}
	hears("bob", "his", say("kept"))
	const threads = maxSaid/maxText + 1
	for i := range threads {
		hears("ann", strconv.Itoa(i), say(strings.Repeat("x", maxText)))
	}
	assert.LessOrEqual(t, s.saidBy("ann"), maxSaid)
	assert.Len(t, hears("ann", "0", call("c")), 1, "it was silent the longest")
	assert.Len(t, hears("ann", "1", call("c")), 2)
	assert.Len(t, hears("bob", "his", call("c")), 2)
	for i := range maxSpeakers + 1 {
		hears("ann", "subs", func(s *attach.Sighting) { s.Sub, s.Said = "a"+strconv.Itoa(i), &attach.Said{Text: "x"} })
	}
	assert.Len(t, s.open["subs"].speakers, maxSpeakers)
}

func TestTextsOfHooksAreBounded(t *testing.T) {
	now := time.Now()
	s := New(Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	hear(s, "long", say(strings.Repeat("x", maxText)))
	hear(s, "long", say("more"))
	assert.Len(t, hear(s, "long", call("c"))[0].Said.Text, maxText)
	hear(s, "first", say("forgotten"))
	for i := range maxLive {
		hear(s, "t"+strconv.Itoa(i), say("kept"))
	}
	assert.Len(t, s.open, maxLive)
	assert.Len(t, hear(s, "first", call("c")), 1)
	assert.Len(t, hear(s, "t"+strconv.Itoa(maxLive-1), call("c")), 2)
}
