package session_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// unnamed returns a call of which a channel has no id.
func unnamed(n, tool string, at int) session.Sighting {
	return called(session.UnnamedCall+"_"+n, tool, at)
}

// outcomes returns the ids of the calls of a turn, in order, with who told of each.
func outcomes(turn session.Turn) (lines []string) {
	for c := range turn.Calls() {
		line := c.ID
		for _, from := range c.Sighted.Called {
			line += " " + string(from)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestCallsWithoutAnIDAreFoundInTheFile holds which calls of hooks without ids are calls of the file, and that where it
// is not certain which of several a call is, it is none of them.
func TestCallsWithoutAnIDAreFoundInTheFile(t *testing.T) {
	file := func(id string, at int) session.Sighting { return in("g"+id[:2], 0, called(id, "Read", at)) }
	for name, c := range map[string]struct {
		file, hooks []session.Sighting
		want        []string
	}{
		"one": {[]session.Sighting{file("c1", 2)}, []session.Sighting{unnamed("a", "Read", 3)},
			[]string{"c1 file hooks"}},
		"hooks alone": {nil, []session.Sighting{unnamed("a", "Read", 3)}, []string{"unnamed_a hooks"}},
		"another tool": {[]session.Sighting{file("c1", 2)}, []session.Sighting{unnamed("a", "Edit", 3)},
			[]string{"c1 file", "unnamed_a hooks"}},
		"one that began before the answer": {[]session.Sighting{file("c1", 2)},
			[]session.Sighting{unnamed("a", "Read", 1)}, []string{"unnamed_a hooks", "c1 file"}},
		"equal calls of one answer": {[]session.Sighting{file("c1a", 2), file("c1b", 2)},
			[]session.Sighting{unnamed("a", "Read", 3), unnamed("b", "Read", 4)},
			[]string{"c1a file hooks", "c1b file hooks"}},
		"equal calls of which one was not heard": {[]session.Sighting{file("c1a", 2), file("c1b", 2)},
			[]session.Sighting{unnamed("b", "Read", 4)}, []string{"c1a file", "c1b file"}},
		"equal calls of two answers": {[]session.Sighting{file("c1", 2), file("c2", 5)},
			[]session.Sighting{unnamed("a", "Read", 3), unnamed("b", "Read", 6)},
			[]string{"c1 file hooks", "c2 file hooks"}},
		"equal calls of two answers of which the first was not heard": {
			[]session.Sighting{file("c1", 2), file("c2", 5)}, []session.Sighting{unnamed("b", "Read", 6)},
			[]string{"c1 file", "c2 file hooks"}},
		"an equal call after the end of one that was not heard": {
			[]session.Sighting{file("c1", 2), returned("c1", 4)}, []session.Sighting{unnamed("b", "Read", 6)},
			[]string{"c1 file", "unnamed_b hooks"}},
		"a call before its own end": {
			[]session.Sighting{file("c1", 2), returned("c1", 4)}, []session.Sighting{unnamed("a", "Read", 4)},
			[]string{"c1 file hooks"}},
		"equal calls of one answer, after the end of one that was not heard": {
			[]session.Sighting{file("c1a", 2), returned("c1a", 4), file("c1b", 2)},
			[]session.Sighting{unnamed("a", "Read", 5), unnamed("b", "Read", 6)},
			[]string{"c1a file", "c1b file hooks", "unnamed_b hooks"}},
		"an equal call that the file does not have yet": {[]session.Sighting{file("c1", 2)},
			[]session.Sighting{unnamed("a", "Read", 3), unnamed("b", "Read", 6)},
			[]string{"c1 file hooks", "unnamed_b hooks"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := attach(t)
			sight(t, s, id, session.FromHooks, append(c.hooks, prompted("go"))...)
			sight(t, s, id, session.FromFile, append(c.file, prompted("go"))...)
			assert.Equal(t, c.want, outcomes(firstTurn(t, s, id)))
		})
	}
}

// TestCallsWithoutAnIDAreFoundInAnyOrder holds that the turn is the same in whatever order, and how often, two channels
// are heard of which one has no ids.
func TestCallsWithoutAnIDAreFoundInAnyOrder(t *testing.T) {
	type fact struct {
		channel session.Channel
		session.Sighting
	}
	all := []fact{{session.FromHooks, prompted("go")}, {session.FromFile, prompted("go")}}
	for _, s := range []session.Sighting{unnamed("a", "Read", 3), returned(session.UnnamedCall+"_a", 4),
		unnamed("b", "Read", 3), unnamed("c", "Read", 7), returned(session.UnnamedCall+"_c", 8),
		unnamed("d", "Edit", 7)} {
		all = append(all, fact{session.FromHooks, s})
	}
	for _, s := range []session.Sighting{in("g1", 0, called("c1", "Read", 2)), in("g1", 1, called("c2", "Read", 2)),
		returned("c2", 5), in("g2", 0, called("c3", "Read", 6)), ended("Done.", 9)} {
		all = append(all, fact{session.FromFile, s})
	}
	// The first order is the one in which the facts came about; the others have each fact twice, anywhere.
	var want session.Turn
	for seed := range uint64(100) {
		s, id := attach(t)
		order := rand.New(rand.NewPCG(seed, 3))
		list := append([]fact(nil), all...)
		if seed > 0 {
			list = append(list, all...)
			order.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		for _, f := range list {
			sight(t, s, id, f.channel, f.Sighting)
		}
		turn := firstTurn(t, s, id)
		if seed == 0 {
			want = turn
			require.Equal(t, []string{"c1 file hooks", "c2 file hooks", "c3 file hooks", "unnamed_d hooks"},
				outcomes(turn))
		}
		require.Empty(t, cmp.Diff(want, turn, sameTurn), "seed %d", seed)
	}
}

// TestARatingStaysWithACallThatGetsItsID holds that what a person said of a call that hooks told is not lost when the
// file tells which call it is.
func TestARatingStaysWithACallThatGetsItsID(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, prompted("go"), unnamed("a", "Read", 3))
	rating := session.DecisionRated{Call: session.UnnamedCall + "_a", Rating: session.Good}
	require.NoError(t, s.Rate(session.Ref{Thread: id, Turn: 1}, rating))
	sight(t, s, id, session.FromFile, in("g1", 0, called("c1", "Read", 2)))
	turn := firstTurn(t, s, id)
	require.Equal(t, []string{"c1 file hooks"}, outcomes(turn))
	for c := range turn.Calls() {
		assert.NotNil(t, c.Feedback)
	}
}

// TestACallIsKnownByTheIDThatItHad holds that whoever knows a call from before its file named it finds it.
func TestACallIsKnownByTheIDThatItHad(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, prompted("go"), unnamed("a", "Read", 3))
	sight(t, s, id, session.FromFile, in("g1", 0, called("c1", "Read", 2)))
	call, ok := firstTurn(t, s, id).Call(session.UnnamedCall + "_a")
	require.True(t, ok)
	assert.Equal(t, "c1", call.ID)
	_, ok = firstTurn(t, s, id).Call(session.UnnamedCall + "_b")
	assert.False(t, ok)
}
