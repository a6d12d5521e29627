package opencode_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
)

// told returns the turns of sightings in order, each as its prompt and its end.
func told(list []attach.Sighting) (turns []string) {
	at := map[string]int{}
	for i := range list {
		s := list[i]
		if s.Prompted == nil && s.Ended == nil {
			continue
		}
		n, known := at[s.Turn]
		if !known {
			n, turns = len(turns), append(turns, s.Turn)
			at[s.Turn] = n
		}
		turns[n] = strings.TrimSpace(turns[n] + ": " + words(list[i:i+1]))
	}
	return turns
}

// closed returns what is read of a database that nobody waits for.
func closed(t *testing.T, s store) (all []attach.Sighting) {
	t.Helper()
	r := newReading(s.path)
	r.Closed = true
	all, err := r.look(t)
	require.NoError(t, err)
	return all
}

// TestTurnsEndHoweverTheProgramWritesIt has turns whose last message does not say that it is the last.
func TestTurnsEndHoweverTheProgramWritesIt(t *testing.T) {
	text := object{"type": "text", "text": "Words", "time": object{"end": began + 5}}
	whole := func(id, of, finish string, at int) object {
		m := answer(id, "s", of, finish, at)
		m["data"].(object)["time"] = object{"created": began + at, "completed": began + at + 3}
		return m
	}
	for name, c := range map[string]struct {
		rows []object
		want []string
	}{
		"cut off at the limit": {[]object{whole("a", "u", "length", 2), partRow("p", "a", "s", 2, text)},
			[]string{"u: asked do u: ended Words"}},
		"by a word nobody knows": {[]object{whole("a", "u", "enough", 2), partRow("p", "a", "s", 2, text)},
			[]string{"u: asked do u: ended Words"}},
		"by a filter": {[]object{whole("a", "u", "content-filter", 2), partRow("p", "a", "s", 2, text)},
			[]string{"u: asked do u: ended The provider's filter stopped the answer."}},
		"as the last part says": {[]object{whole("a", "u", "", 2), partRow("p", "a", "s", 2, text),
			partRow("q", "a", "s", 2, object{"type": "step-finish",
				"reason": "stop"})}, []string{"u: asked do u: ended Words"}},
		"without a word": {[]object{whole("a", "u", "", 2), partRow("p", "a", "s", 2, text)},
			[]string{"u: asked do u: ended Words"}},
		"in a call": {[]object{whole("a", "u", "tool-calls", 2), partRow("p", "a", "s", 2, text),
			partRow("q", "a", "s", 2, callOf("x", "c", "running", nil))}, []string{"u: asked do u: ended"}},
		"with the prompt": {nil, []string{"u: asked do u: ended"}},
		"by the answer to a later prompt": {append(asked("v", "s", 4), whole("a", "u", "", 2), partRow("p", "a", "s",
			2, text),
			whole("b", "v", "stop", 5), partRow("q", "b", "s", 5,
				text)), []string{"u: asked do u: ended Words", "v: asked do v: ended Words"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, append(append(asked("u", "s", 1), sessionRow("s", "", 0)), c.rows...)...)
			assert.Equal(t, c.want, told(closed(t, s)))
		})
	}
}

func TestATurnOfADatabaseThatIsFollowedGoesOn(t *testing.T) {
	s := newStore(t, append(asked("u", "s", 1), sessionRow("s", "", 0), answer("a", "s", "u", "tool-calls", 2))...)
	list, _ := read(t, s.path)
	assert.Equal(t, []string{"u: asked do u"}, told(list))
}

// TestACommandOfTheClientIsNoTurn has what the program writes when a person has it run a command of a shell.
func TestACommandOfTheClientIsNoTurn(t *testing.T) {
	s := newStore(t, append(asked("v", "s", 5), sessionRow("s", "", 0), messageRow("u", "s", 1, object{"role": "user"}),
		partRow("p", "u", "s", 1, object{"type": "text", "text": "The following tool was executed by the user",
			"synthetic": true}),
		answer("a", "s", "u", "", 2), partRow("q", "a", "s", 2, callOf("bash", "c", "completed", nil)))...)
	list := closed(t, s)
	assert.Equal(t, []string{"v: asked do v: ended"}, told(list))
	assert.NotContains(t, attachtest.JSON(t, list), `"called"`)
}

// TestCallsWithEqualOrEmptyIdsStayApart holds for providers that name nothing, or everything alike.
func TestCallsWithEqualOrEmptyIdsStayApart(t *testing.T) {
	for name, id := range map[string]string{"one id": "call_0", "no id": "", "no id of a program": "call of x"} {
		s := newStore(t, append(asked("u", "s", 1), sessionRow("s", "", 0), answer("a", "s", "u", "tool-calls", 2),
			partRow("p", "a", "s", 2, callOf("x", id, "completed", object{"output": "one"})),
			partRow("q", "a", "s", 2, callOf("x", id, "completed", object{"output": "two"})),
			answer("b", "s", "u", "tool-calls", 4),
			partRow("r", "b", "s", 4, callOf("x", id, "completed", object{"output": "three"})))...)
		results := map[string]string{}
		for _, one := range closed(t, s) {
			attachtest.AssertSound(t, one, 128)
			if one.Returned != nil {
				results[one.Call] = string(one.Returned.Result)
			}
		}
		assert.Len(t, results, 3, name)
	}
}
