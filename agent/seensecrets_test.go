package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// chosenPassword is one that nothing but its name gives away.
func chosenPassword() string { return "Tr0ub4dor" + "&" + "cU6bxq" }

// namingCall is a call whose argument names the password.
func namingCall(tool, reason string) Call {
	return Call{Name: tool, Reasoning: reason, Arguments: rawJSON(`{"password":"` + chosenPassword() + `"}`)}
}

func TestTextWithAPasswordThatACallNamesIsWithdrawn(t *testing.T) {
	said := "I log in with " + chosenPassword() + " first. Then I look at the rest of it."
	rec := stream(t, newDispatcher(t, speaking(
		5,
		Response{
			Text:  said,
			Calls: []Call{namingCall("look", said)},
		},
		Response{Text: "It was " + chosenPassword() + ". Done."},
	),
		echo("look")))
	assert.Empty(t, rec.shown[1], "the text that was streamed before the password was known stays")
	assert.Equal(t, "I log in with [REDACTED:seen-before] first. Then I look at the rest of it.", rec.narrative())
	assert.Equal(t, "It was [REDACTED:seen-before]. Done.", rec.shown[2])
	assert.Equal(t, rec.shown[2], rec.turn.Response.String())
	encoded, err := json.Marshal(rec.turn)
	require.NoError(t, err)
	assert.NotContains(t, string(encoded), "Tr0ub4dor")
}

func TestAStoppedTurnMasksAPasswordBeforeItsName(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := newDispatcher(t, providerFunc(func(_ context.Context, req Request) (Response, error) {
		req.Say("I use " + chosenPassword() + " now. The password is " + chosenPassword() + ". That is all. ")
		req.Say(strings.Repeat("And then more of it follows. ", 5))
		cancel()
		return Response{}, ctx.Err()
	}))
	d.Stream = true
	rec := &streamed{}
	require.ErrorIs(t, d.Run(ctx, rec, []Message{{Role: RoleUser, Text: "hi"}}), context.Canceled)
	require.NotEmpty(t, rec.narrative())
	assert.NotContains(t, rec.narrative(), chosenPassword())
}

func TestWhatOneAgentNamesAllAgentsOfTheTurnKnow(t *testing.T) {
	said := "log in with " + chosenPassword()
	boss := oneStep("go", namingCall("look", ""), Call{Name: "research", Arguments: rawJSON(`{"task":"` + said + `"}`)})
	worker := oneStep(said, Call{Name: "look", Reasoning: said, Arguments: rawJSON(`{"note":"` + said + `"}`)})
	inTeam(t, team(t, boss, worker), func(t *testing.T, _ *session.Session, turn session.Turn) {
		require.Len(t, turn.Handoffs, 2)
		encoded, err := json.Marshal(turn)
		require.NoError(t, err)
		assert.NotContains(t, string(encoded), "Tr0ub4dor")
		assert.Contains(t, turn.Handoffs[0].Text.String(), "[REDACTED:seen-before]")
	})
}

func TestASessionKnowsInLaterTurnsWhatAnEarlierOneNamed(t *testing.T) {
	d := newDispatcher(t, providerFunc(func(context.Context, Request) (Response, error) {
		return Response{Text: "It is " + chosenPassword()}, nil
	}))
	rec := &knowing{seen: safety.NewSeenSecrets()}
	require.NoError(t, d.Run(t.Context(), rec, nil))
	assert.Contains(t, rec.turn.Response.String(), chosenPassword(), "it was never named")
	d.Safety.Remember(rec.seen).Mask("The password is " + chosenPassword())
	again := &knowing{seen: rec.seen}
	require.NoError(t, d.Run(t.Context(), again, nil))
	assert.Equal(t, "It is [REDACTED:seen-before]", again.turn.Response.String())
}

// knowing is a Recorder with a memory.
type knowing struct {
	events
	seen *safety.SeenSecrets
}

func (k *knowing) Seen() *safety.SeenSecrets { return k.seen }

func TestOutsideOfATurnALayerIsUsedAsItIs(t *testing.T) {
	l := safety.NewLayer()
	assert.Same(t, l, SafetyOf(t.Context(), l))
}

// The provider's summary may be all that says what the text's word is.
func TestAPasswordThatOnlyASummaryNamesIsMaskedInTheText(t *testing.T) {
	rec := stream(t, newDispatcher(t, speaking(1, Response{
		Text: "I log in with " + chosenPassword() + ".", Summary: "The password is " + chosenPassword() + ".",
		Calls: []Call{{Name: "look"}},
	}, Response{Text: "Done."}), echo("look")))
	assert.Equal(t, "I log in with [REDACTED:seen-before].", rec.narrative())
}
