package session_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

func TestACostIsNeverShownAsLessThanItIs(t *testing.T) {
	for nanos, want := range map[int64]string{
		0: "$0", 1: "$0.000000001", 99: "$0.000000099", 1_994: "$0.000002", 3_141_592: "$0.0031",
		9_949_999: "$0.0099", 9_950_000: "$0.01", 10_000_000: "$0.01", 14_999_999: "$0.01", 15_000_000: "$0.02",
		140_000_000: "$0.14", 999_999_999: "$1.00", 12_345_678_901: "$12.35", math.MaxInt64: "$9223372036.85",
	} {
		assert.Equal(t, want, session.Spent{Nanos: nanos, Priced: 1}.Words(), nanos)
	}
}

// A sum that leaves out what is not known would be taken for what the turn cost, so there is none, whatever
// else the turn spends before or after that.
func TestACostIsKnownIfThatOfEachAnswerIs(t *testing.T) {
	s, ref := newTurn(t)
	price := func(n int64) session.Spent { return session.Spent{Nanos: n, Priced: 1} }
	add(t, s, ref, toolCall("call_1", 1), session.StepEnded{Step: 1, Spent: price(30_000_000)},
		session.Handoff{Call: "call_1", From: "helper", Spent: price(20_000_000)})
	assert.Equal(t, "$0.05", turnOf(t, s, ref).Spent.Words(), "while it runs")
	add(t, s, ref, session.TurnCompleted{Spent: price(1)})
	assert.Equal(t, session.Spent{Nanos: 50_000_001, Priced: 3}, turnOf(t, s, ref).Spent)

	s, ref = newTurn(t)
	add(t, s, ref, session.StepEnded{Step: 1, Spent: price(30_000_000)},
		session.StepEnded{Step: 2, Spent: session.Spent{Unpriced: 1}}, session.TurnCompleted{Spent: price(1)})
	assert.Empty(t, turnOf(t, s, ref).Spent.Words(), "one of the models has no price")
	assert.Empty(t, session.Spent{}.Words(), "nobody computed it")

	s, ref = newTurn(t)
	add(t, s, ref, session.StepEnded{Step: 1, Spent: price(math.MaxInt64)},
		session.StepEnded{Step: 2, Spent: price(1)})
	assert.False(t, turnOf(t, s, ref).Spent.Known(), "a sum beyond all numbers is none")
}
