package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// bigTurn returns a turn with steps of these numbers of calls, each of which takes size bytes.
func bigTurn(number, size int, calls ...int) session.Turn {
	t, layer := session.Turn{Number: number}, safety.NewLayer()
	text, _ := layer.Mask(strings.Repeat("word\n", size/5))
	id := 0
	for n, count := range calls {
		s := session.Step{Number: n + 1}
		s.Narrative, _ = layer.Mask(fmt.Sprint("step ", n+1))
		for range count {
			id++
			why := session.Rationale{Text: text}
			s.Calls = append(s.Calls, session.Call{ID: fmt.Sprint(id), Step: n + 1, Rationale: why})
		}
		t.Steps = append(t.Steps, s)
	}
	return t
}

// piecesOf names the calls of turns, and the steps without any.
func piecesOf(turns []session.Turn) (all []string) {
	for _, t := range turns {
		for _, s := range t.Steps {
			if len(s.Calls) == 0 {
				all = append(all, fmt.Sprintf("%d: %s", t.Number, s.Narrative))
			}
			for _, c := range s.Calls {
				all = append(all, fmt.Sprintf("%d: %s", t.Number, c.ID))
			}
		}
	}
	return all
}

func TestPagesOfAJobHaveEveryCallOnceAndInOrder(t *testing.T) {
	small, big := MaxPage/100, MaxPage/4
	for name, turns := range map[string][]session.Turn{
		"small turns":             {bigTurn(1, small, 1), bigTurn(2, small, 2, 0, 1), bigTurn(3, small)},
		"one large turn":          {bigTurn(1, big, 3, 4, 0, 2, 1, 1, 0)},
		"a large one among small": {bigTurn(1, small, 2), bigTurn(2, big, 9, 0, 0, 9), bigTurn(3, small, 1)},
		"a call beyond a page":    {bigTurn(1, 2*MaxPage, 1, 1, 1)},
		"steps without calls":     {bigTurn(1, small, make([]int, 20_000)...)},
		"none":                    nil,
	} {
		t.Run(name, func(t *testing.T) {
			var got []session.Turn
			at := JobPlace{1 << 40, -1}
			for more := true; more; {
				var page []session.Turn
				page, at, more = PageBefore(turns, at, 2)
				total := 0
				for _, one := range page {
					total += TurnSize(one)
				}
				if len(piecesOf(page)) > 1 {
					assert.Less(t, total, MaxPage+MaxPage/10)
				}
				got = append(append([]session.Turn{}, page...), got...)
				if more {
					parsed, ok := ParseJobPlace(at.String())
					require.True(t, ok)
					require.Equal(t, at, parsed)
				}
			}
			assert.Equal(t, piecesOf(turns), piecesOf(got))
		})
	}
}

func TestPlacesOfAJobAreParsedStrictly(t *testing.T) {
	for _, bad := range []string{"", "x", "-1", "1.", "1.x", "1.0", "1.-3", "1.2.3", "1e9"} {
		_, ok := ParseJobPlace(bad)
		assert.False(t, ok, bad)
	}
}

func TestAPageHasOneEntryInAnyCase(t *testing.T) {
	huge := func(int) int { return 2 * MaxPage }
	assert.Equal(t, 1, Newest(3, huge))
	assert.Equal(t, 1, First(3, huge))
	assert.Equal(t, 0, Newest(0, huge))
	sizes := []int{MaxPage / 2, MaxPage / 2, MaxPage / 4, 0}
	assert.Equal(t, 3, Newest(4, func(i int) int { return sizes[i] }))
	assert.Equal(t, 1, First(4, func(i int) int { return sizes[i] }))
}

// A narrative is in an answer once, beside the first call of its step.
func TestTheNarrativeOfAStepCountsOnce(t *testing.T) {
	turn := bigTurn(1, MaxPage/200, 250)
	turn.Steps[0].Narrative, _ = safety.NewLayer().Mask(strings.Repeat("word\n", MaxPage/80))
	page, _, more := PageBefore([]session.Turn{turn}, JobPlace{1 << 40, -1}, 1)
	assert.True(t, more)
	assert.Greater(t, len(piecesOf(page)), 100)
}
