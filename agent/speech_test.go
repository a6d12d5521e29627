package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// streamed is a Recorder that also keeps the parts of running steps. shown is what a
// reader who follows the parts sees now, by step.
type streamed struct {
	events
	parts []string
	shown map[int]string
}

func (s *streamed) StreamText(step, index int, text safety.Text) {
	s.parts = append(s.parts, fmt.Sprintf("%d:%d %s", step, index, text))
	if s.shown == nil {
		s.shown = map[int]string{}
	}
	if index == 0 {
		s.shown[step] = ""
	}
	s.shown[step] += text.String()
}

// speaking is a provider that answers each request with its next response, whose text
// comes in pieces of a few bytes.
func speaking(size int, responses ...Response) Provider {
	steps := &stepwise{responses: responses}
	return providerFunc(func(ctx context.Context, req Request) (Response, error) {
		resp, err := steps.Respond(ctx, req)
		for rest := resp.Text; rest != ""; rest = rest[min(size, len(rest)):] {
			req.Say(rest[:min(size, len(rest))])
		}
		return resp, err
	})
}

// stream runs a turn that streams and returns what was recorded.
func stream(t *testing.T, d *Dispatcher) *streamed {
	t.Helper()
	d.Stream = true
	rec := &streamed{}
	_ = d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}})
	return rec
}

func lookCall() []Call { return []Call{{Name: "look", Arguments: rawJSON(`{}`)}} }

func TestATurnStreamsWholeSentencesOfEachStep(t *testing.T) {
	narrative := "I look at the file first. Then I compare its keys with the others."
	answer := "All of the keys are there. The file is as it has to be.\n\nNothing else was found."
	for size := 1; size < 40; size++ {
		rec := stream(t, newDispatcher(t, speaking(size,
			Response{Text: narrative, Calls: lookCall()}, Response{Text: answer}), echo("look")))
		require.Equal(t, narrative, rec.shown[1])
		require.Equal(t, answer, rec.shown[2])
		require.Equal(t, narrative, rec.narrative())
		require.Equal(t, answer, rec.turn.Response.String())
		for _, p := range rec.parts {
			require.Regexp(t, `(\. |\n|others\.|found\.)$`, p, "a part ends with a sentence")
		}
	}
}

func TestATurnStreamsOnlyWhereItIsWanted(t *testing.T) {
	d := newDispatcher(t, speaking(4, Response{Text: "I look. Now."}))
	rec := &streamed{}
	require.NoError(t, d.Run(t.Context(), rec, nil))
	assert.Empty(t, rec.parts, "streaming is off")
	rec = stream(t, newDispatcher(t, oneStep("I look.", lookCall()...), echo("look")))
	assert.Empty(t, rec.parts, "the provider gets its answers whole")
	d = newDispatcher(t, speaking(4, Response{Text: "I look. Now."}))
	d.Stream = true
	assert.Equal(t, "I look. Now.", runTurn(t, d).turn.Response.String(), "the recorder shows no text")
}

func TestThoughtsAreNeverStreamed(t *testing.T) {
	for _, tt := range []struct{ name, model, said, shown string }{
		{"a thought at the beginning", "m", "<think>PRIVATE. Plan. </think>The answer.", "The answer."},
		{"a thought in the middle", "m", "First. <think>PRIVATE. Plan. </think>The answer.", "First. The answer."},
		{"a thought without an end", "m", "First of all. <think>PRIVATE. Plan. ", "First of all."},
		{"a model known to think in its text", "some/DeepSeek-R1", "PRIVATE. Plan. </think>The answer.", "The answer."},
	} {
		for size := 1; size < 30; size++ {
			d := newDispatcher(t, speaking(size, Response{Text: tt.said}))
			d.Model = tt.model
			rec := stream(t, d)
			require.NotContains(t, strings.Join(rec.parts, ""), "PRIVATE", tt.name)
			require.Equal(t, tt.shown, rec.shown[1], tt.name)
			require.Equal(t, tt.shown, rec.turn.Response.String(), tt.name)
		}
	}
}

func TestAModelThatThinksInItsTextIsTakenBackOnceAndThenAwaited(t *testing.T) {
	thought := "PRIVATE plan is to look. It has two parts. </think>The answer is this."
	d := newDispatcher(t,
		speaking(4, Response{Text: thought, Calls: lookCall()}, Response{Text: thought}), echo("look"))
	rec := stream(t, d)
	assert.Empty(t, rec.shown[1], "it was withdrawn")
	assert.Equal(t, "The answer is this.", rec.shown[2])
	assert.NotContains(t, strings.Join(rec.parts, ""), "2:0 PRIVATE")
}

func TestAModelThatOnlySoundsLikeAThinkerIsStreamedFromItsSecondStepOn(t *testing.T) {
	d := newDispatcher(t, speaking(4, Response{Text: "First I look. Then more.", Calls: lookCall()},
		Response{Text: "This is the answer. It is short."}), echo("look"))
	d.Model = "thinking-cap"
	rec := stream(t, d)
	assert.Equal(t, []string{"1:0 First I look. ", "1:1 Then more."}, rec.parts[:2])
	assert.Equal(t, "2:0 This is the answer. ", rec.parts[2])
	assert.Equal(t, "This is the answer. It is short.", rec.shown[2])
}

func TestABlockedTextIsWithdrawnAsSoonAsItIsKnown(t *testing.T) {
	text := "I found a key in the file. Here it is:\n" + privateKey() + "\nIt is a long one. I go on. "
	rec := stream(t, newDispatcher(t, speaking(3, Response{Text: text, Calls: lookCall()}, Response{Text: text}),
		echo("look")))
	assert.Equal(t, map[int]string{1: "", 2: ""}, rec.shown)
	assert.True(t, strings.HasPrefix(rec.parts[0], "1:0 I found a key in the file. "))
	assert.NotContains(t, strings.Join(rec.parts, ""), "MIIE")
	assert.True(t, rec.turn.Steps[0].NarrativeBlocked)
	assert.Contains(t, rec.turn.Response.String(), "I found a key", "an answer is masked in place")
}

func TestABlockedTextIsWithdrawnBeforeTheModelHasFinished(t *testing.T) {
	rec := &streamed{}
	d := newDispatcher(t, providerFunc(func(_ context.Context, req Request) (Response, error) {
		text := "I found a key in the file.\n" + privateKey() + strings.Repeat("\nI go on to the next file. ", 20)
		req.Say(strings.Repeat("I read all of it first, line by line.\n", 5))
		require.NotEmpty(t, rec.shown[1])
		req.Say(text)
		req.Say(text)
		assert.Equal(t, map[int]string{1: ""}, rec.shown)
		parts := len(rec.parts)
		req.Say(text)
		assert.Len(t, rec.parts, parts, "nothing is shown any more")
		return Response{Text: text + text + text}, nil
	}))
	d.Stream = true
	require.NoError(t, d.Run(t.Context(), rec, nil))
}

func TestATextOfAnAttemptThatIsRepeatedIsWithdrawn(t *testing.T) {
	p := providerFunc(func(_ context.Context, req Request) (Response, error) {
		req.Say("The first attempt says this. And ")
		req.OnText("")
		req.Say("The second attempt is better. It ends.")
		return Response{Text: "The second attempt is better. It ends."}, nil
	})
	rec := stream(t, newDispatcher(t, p))
	assert.Equal(t, "1:0 The first attempt says this. ", rec.parts[0])
	assert.Equal(t, "1:0 ", rec.parts[1])
	assert.Equal(t, "The second attempt is better. It ends.", rec.shown[1])
}

func TestATextThatEndsUpDifferentIsWithdrawn(t *testing.T) {
	p := providerFunc(func(_ context.Context, req Request) (Response, error) {
		req.Say("The model began with this sentence. ")
		return Response{Text: "But its answer is another one."}, nil
	})
	assert.Empty(t, stream(t, newDispatcher(t, p)).shown[1])
}

func TestAStoppedTurnKeepsWhatTheModelHadSaid(t *testing.T) {
	key := githubToken()
	for cut := range len(key) {
		ctx, cancel := context.WithCancel(t.Context())
		d := newDispatcher(t, providerFunc(func(_ context.Context, req Request) (Response, error) {
			req.Say("I look at the file first. Its token is " + key[:cut])
			cancel()
			return Response{}, fmt.Errorf("asking: %w", ctx.Err())
		}))
		d.Stream = true
		rec := &streamed{}
		require.Error(t, d.Run(ctx, rec, nil))
		require.Equal(t, session.Interrupted, rec.turn.State)
		require.Equal(t, "I look at the file first. Its", firstWords(rec.narrative(), 7), "cut at %d", cut)
		require.NotContains(t, rec.narrative(), "ghp", "a secret is not kept in part")
	}
}

func TestAFailedTurnKeepsWhatTheModelHadSaid(t *testing.T) {
	key := githubToken()
	for cut := range len(key) {
		rec := stream(t, newDispatcher(t, providerFunc(func(_ context.Context, req Request) (Response, error) {
			req.Say("I look at the file first. Its token is " + key[:cut])
			return Response{}, errors.New("connection reset")
		})))
		require.Equal(t, session.Failed, rec.turn.State)
		require.Equal(t, "I look at the file first. Its", firstWords(rec.narrative(), 7), "cut at %d", cut)
		require.NotContains(t, rec.narrative(), "ghp", "a secret is not kept in part")
	}
}

// firstWords returns the first n words of s, or all if it has fewer.
func firstWords(s string, n int) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(n, len(words))], " ")
}

func TestAStoppedTurnKeepsNoTextThatSafetyWithholds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := newDispatcher(t, providerFunc(func(_ context.Context, req Request) (Response, error) {
		req.Say("Here it is:\n" + privateKey())
		for range 20 {
			req.Say("\nAnd so I go on to the next file. It is there. ")
		}
		cancel()
		return Response{}, ctx.Err()
	}))
	d.Stream = true
	rec := &streamed{}
	require.Error(t, d.Run(ctx, rec, nil))
	assert.Empty(t, rec.narrative())
	assert.True(t, rec.turn.Steps[0].NarrativeBlocked)
}

func TestAnAnswerThatCameTooLateForAStoppedTurnIsKept(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := newDispatcher(t, providerFunc(func(context.Context, Request) (Response, error) {
		cancel()
		return Response{Text: "All is well."}, nil
	}))
	rec := &events{}
	require.Error(t, d.Run(ctx, rec, nil))
	assert.Equal(t, "All is well.", rec.narrative())
	assert.Equal(t, session.Interrupted, rec.turn.State)
}

func TestTheNextTurnKnowsWhatATurnWithoutAnAnswerHadSaid(t *testing.T) {
	said := []session.Step{
		{Number: 1, Narrative: safety.Literal("I was about to look."), NarrativeSource: session.FromModel},
	}
	for want, turn := range map[string]session.Turn{
		"I was about to look.\n\n(The user stopped this turn.)": {State: session.Interrupted, Steps: said},
		"I was about to look.\n\n(This turn failed: no connection)": {
			State: session.Failed, Error: safety.Literal("no connection"), Steps: said},
		"(This turn failed: no connection)": {State: session.Failed, Error: safety.Literal("no connection")},
	} {
		messages := Conversation([]session.Turn{turn}, nil)
		assert.Equal(t, want, messages[len(messages)-1].Text)
	}
}

func TestAFailedTurnHasNoPartsLeftBehind(t *testing.T) {
	rec := stream(t, newDispatcher(t, providerFunc(func(_ context.Context, req Request) (Response, error) {
		return Response{}, errors.New("no connection")
	})))
	assert.Empty(t, rec.parts)
	assert.Equal(t, session.Failed, rec.turn.State)
}
