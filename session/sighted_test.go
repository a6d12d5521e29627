package session_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

var billing = session.Origin{
	Protocol: session.AttachedProtocol, Space: safety.Literal("claude"), Participant: safety.Literal("billing"),
}

// attach returns a session with the thread of an attached agent.
func attach(t *testing.T) (*session.Session, string) {
	t.Helper()
	s, _ := newThread(t)
	id, err := s.OpenObserved("claude/1", billing)
	require.NoError(t, err)
	return s, id
}

// second returns a time so many seconds after a fixed one.
func second(n int) time.Time { return time.Date(2026, 11, 1, 10, 0, n, 0, time.UTC) }

// sight records facts of a channel about the turn "p1".
func sight(t *testing.T, s *session.Session, thread string, c session.Channel, facts ...session.Sighting) int {
	t.Helper()
	n, err := s.Sight(thread, session.Sighted{Key: "p1", Channel: c, Sightings: facts})
	require.NoError(t, err)
	return n
}

func called(id, tool string, at int) session.Sighting {
	return session.Sighting{At: second(at), Call: id, Called: &session.SightedCall{
		Tool: text(tool), Rationale: session.Fallback(),
	}}
}

func returned(id string, at int) session.Sighting {
	return session.Sighting{At: second(at), Call: id, Returned: &session.SightedResult{Outcome: session.Success}}
}

func spoke(group, words string, at int) session.Sighting {
	return session.Sighting{At: second(at), Group: group, Said: &session.SightedText{
		Text: text(words), Source: session.FromModel,
	}}
}

// before returns a text that was said before a call.
func before(call, words string, at int) session.Sighting {
	s := spoke("", words, at)
	s.Call = call
	return s
}

func prompted(words string) session.Sighting {
	return session.Sighting{At: second(0), Prompted: &session.SightedPrompt{Text: text(words)}}
}

func ended(answer string, at int) session.Sighting {
	return session.Sighting{At: second(at), Ended: &session.SightedEnd{
		State: session.Completed, Response: text(answer),
	}}
}

// in returns a fact as part of an answer of the model.
func in(group string, index int, s session.Sighting) session.Sighting {
	s.Group, s.Index = group, index
	return s
}

// steps writes the steps of a turn in a form that is easy to compare.
func steps(turn session.Turn) (lines []string) {
	for _, s := range turn.Steps {
		line := fmt.Sprintf("%s%d %q", s.Agent, s.Number, s.Narrative)
		for _, c := range s.Calls {
			group := "-"
			if c.Group != nil {
				group = fmt.Sprint(*c.Group)
			}
			line += fmt.Sprintf(" %s:%s:%s:%s", c.Tool, c.Outcome, c.Rationale.Source, group)
		}
		lines = append(lines, line)
	}
	return lines
}

// firstTurn returns the first turn of a thread.
func firstTurn(t *testing.T, s *session.Session, thread string) session.Turn {
	t.Helper()
	return turnOf(t, s, session.Ref{Thread: thread, Turn: 1})
}

func TestATurnIsMadeOfWhatHooksTellInOrder(t *testing.T) {
	s, id := attach(t)
	for _, fact := range []session.Sighting{
		prompted("fix it"), before("c1", "First the test.", 1), called("c1", "Bash", 2), returned("c1", 3),
		before("c2", "Both files.", 4), called("c2", "Read", 5), called("c3", "Read", 5),
		returned("c2", 6), returned("c3", 6),
		{At: second(7), Batched: &session.SightedBatch{Calls: []string{"c2", "c3"}}},
	} {
		assert.Equal(t, 1, sight(t, s, id, session.FromHooks, fact))
	}
	turn := firstTurn(t, s, id)
	assert.Equal(t, []string{
		`1 "First the test." Bash:success:fallback:-`,
		`2 "Both files." Read:success:fallback:0 Read:success:fallback:0`,
	}, steps(turn))
	assert.Equal(t, "fix it", turn.Input.String())
	assert.Equal(t, session.Processing, turn.State)
	sight(t, s, id, session.FromHooks, spoke("m3", "Fixed.", 8), ended("Fixed.", 9))
	turn = firstTurn(t, s, id)
	assert.Equal(t, session.Completed, turn.State)
	assert.Equal(t, "Fixed.", turn.Response.String())
	assert.Len(t, turn.Steps, 2, "the answer is no step")
}

// bothFiles is what the model of wholeTurn says before it reads two files.
const bothFiles = "Both files.\nReason for Read: the test is there\nReason for Read: it tests that"

// wholeTurn returns what two channels have of one turn: the file more than the hooks.
func wholeTurn() map[session.Channel][]session.Sighting {
	described := called("c1", "Bash", 2)
	described.Called.Described = text("Run the test")
	reasoned := called("c4", "Edit", 8)
	reasoned.Called.Rationale = session.Rationale{Text: text("It rounds twice."), Source: session.FromModel}
	sub := func(s session.Sighting) session.Sighting {
		s.Sub = "a1"
		return s
	}
	return map[session.Channel][]session.Sighting{
		session.FromHooks: {
			prompted("fix it"), before("c1", "First the test.", 1), called("c1", "Bash", 2), returned("c1", 3),
			before("c2", bothFiles, 4),
			called("c2", "Read", 5), called("c3", "Read", 6), returned("c3", 7), returned("c2", 7),
			{At: second(7), Batched: &session.SightedBatch{Calls: []string{"c2", "c3"}}},
			called("c4", "Edit", 8), sub(called("c5", "Grep", 9)), ended("Fixed.", 12),
		},
		session.FromFile: {
			prompted("fix it"), in("m1", 0, spoke("m1", "First the test.", 1)), in("m1", 1, described),
			returned("c1", 3), in("m2", 0, spoke("m2", bothFiles, 4)), in("m2", 1, called("c2", "Read", 5)),
			in("m2", 2, called("c3", "Read", 5)), in("m3", 0, called("c4", "Edit", 8)),
			in("m4", 0, sub(called("c5", "Grep", 9))),
			{Sub: "a1", Call: "c4", Spawned: &session.SightedAgent{Kind: text("Code Reviewer")}},
			{Group: "m2", Used: &session.SightedUsage{Usage: session.Usage{Input: 10, Output: 3}}},
			in("m5", 0, spoke("m5", "Fixed.", 11)), ended("Fixed.", 11),
			in("m2", 3, session.Sighting{Sealed: &session.SightedSeal{Bytes: 120}}),
		},
		session.FromWrapper: {reasoned},
	}
}

// shuffled returns all facts of all channels in an order of its own, some of them twice.
func shuffled(r *rand.Rand) (all []session.Sighted) {
	for c, facts := range wholeTurn() {
		for _, f := range facts {
			all = append(all, session.Sighted{Key: "p1", Channel: c, Sightings: []session.Sighting{f}})
			if !f.At.IsZero() && r.IntN(3) == 0 {
				again := f
				again.At = f.At.Add(time.Duration(r.IntN(3)) * time.Second)
				all = append(all, session.Sighted{Key: "p1", Channel: c, Sightings: []session.Sighting{again, f}})
			}
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// comparable are the options by which turns are compared that were recorded at different times.
var sameTurn = cmp.Options{
	cmpopts.IgnoreFields(session.Turn{}, "Session", "Thread", "CreatedAt", "FirstSeq", "LastSeq"),
	cmpopts.IgnoreUnexported(session.Turn{}, session.Call{}),
	cmp.Comparer(func(a, b safety.Text) bool { return a == b }),
	cmp.Comparer(func(a, b safety.JSON) bool { return string(a.Raw()) == string(b.Raw()) }),
}

func TestChannelsInAnyOrderMakeTheSameTurn(t *testing.T) {
	var want session.Turn
	for seed := range uint64(300) {
		s, id := attach(t)
		for _, b := range shuffled(rand.New(rand.NewPCG(seed, 1))) {
			_, err := s.Sight(id, b)
			require.NoError(t, err)
		}
		got := firstTurn(t, s, id)
		if seed == 0 {
			want = got
			require.Equal(t, []string{
				`1 "First the test." Bash:success:fallback:-`,
				`2 "Both files." Read:success:model:0 Read:success:model:0`,
				`3 "" Edit:unknown:model:-`,
				`code-reviewer_11 "" Grep:unknown:fallback:-`,
			}, steps(got))
			require.Equal(t, 120, got.Steps[1].Sealed.Bytes)
			require.Equal(t, 13, got.Usage.Input+got.Usage.Output)
		}
		require.Empty(t, cmp.Diff(want, got, sameTurn), "seed %d", seed)
	}
}

func TestWhatIsKnownIsNotRecordedAgain(t *testing.T) {
	s, id := attach(t)
	facts := wholeTurn()[session.FromFile]
	assert.Equal(t, len(facts), sight(t, s, id, session.FromFile, facts...))
	head := s.Head()
	assert.Zero(t, sight(t, s, id, session.FromFile, facts...))
	assert.Equal(t, head, s.Head(), "nothing was recorded")
	later := facts[0]
	later.At = second(30)
	assert.Zero(t, sight(t, s, id, session.FromFile, later), "the same again, later")
}

func TestTheWordOfTheFileCountsAndTheTimeOfTheHooks(t *testing.T) {
	s, id := attach(t)
	partial := returned("c1", 3)
	partial.Returned.Partial, partial.Returned.Took = true, 700*time.Millisecond
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1), partial)
	turn := firstTurn(t, s, id)
	c, _ := turn.Call("c1")
	assert.True(t, c.Sighted.Partial)
	sight(t, s, id, session.FromFile, called("c1", "bash", 1), returned("c1", 3))
	turn = firstTurn(t, s, id)
	c, _ = turn.Call("c1")
	assert.Equal(t, "bash", c.Tool.String())
	assert.False(t, c.Sighted.Partial)
	assert.Equal(t, 700*time.Millisecond, c.Took)
	assert.Equal(t, session.Provenance{
		Called: []session.Channel{session.FromFile, session.FromHooks},
		Result: []session.Channel{session.FromFile, session.FromHooks},
		Took:   []session.Channel{session.FromHooks},
	}, *c.Sighted)
}

func TestAResultWithoutItsCallInventsNone(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromFile, prompted("go"), returned("c9", 2))
	assert.Empty(t, firstTurn(t, s, id).Steps)
}

func TestEachKeyIsATurnOfItsOwnAndStaysOne(t *testing.T) {
	s, id := attach(t)
	for _, key := range []string{"p1", "p2", "p1"} {
		_, err := s.Sight(id, session.Sighted{
			Key: key, Channel: session.FromHooks, Sightings: []session.Sighting{spoke("m", key+" again", 1)},
		})
		require.NoError(t, err)
	}
	th, err := s.Thread(id)
	require.NoError(t, err)
	assert.Equal(t, 2, th.Turns)
	assert.Equal(t, []session.HeardAt{{Channel: session.FromHooks, At: th.UpdatedAt}}, th.Attached.Heard)
}

func TestSightingsBelongToThreadsOfAttachedAgents(t *testing.T) {
	s, own := newThread(t)
	_, err := s.Sight(own, session.Sighted{Key: "p1", Channel: session.FromHooks})
	require.ErrorIs(t, err, session.ErrObserved)
	_, err = s.Sight("nobody", session.Sighted{})
	assert.ErrorIs(t, err, session.ErrNoThread)
}

func TestWhatIsKnownOfAnAgentsSessionIsJoined(t *testing.T) {
	s, id := attach(t)
	about := func(c session.Channel, a session.SightedAbout) int {
		n, err := s.Sight(id, session.Sighted{Channel: c, Sightings: []session.Sighting{{About: &a}}})
		require.NoError(t, err)
		return n
	}
	assert.Equal(t, 1, about(session.FromHooks, session.SightedAbout{Folder: text("/work/billing")}))
	assert.Equal(t, 1, about(session.FromFile, session.SightedAbout{Model: text("opus"), Version: text("2.1")}))
	assert.Zero(t, about(session.FromFile, session.SightedAbout{Model: text("opus")}))
	th, err := s.Thread(id)
	require.NoError(t, err)
	assert.Equal(t, "opus 2.1 /work/billing",
		th.Attached.Model.String()+" "+th.Attached.Version.String()+" "+th.Attached.Folder.String())
}

func TestAnOpenTurnSaysWhenItsAgentLastToldSomething(t *testing.T) {
	_, s := openDurable(t, newFakeEngine(), session.Limits{})
	thread := endlessTurn(t, s)
	told := func() time.Time {
		th, err := s.Thread(thread)
		require.NoError(t, err)
		return th.Told
	}
	assert.Equal(t, second(2), told(), "its latest fact")
	sight(t, s, thread, session.FromFile, ended("Over.", 3))
	assert.Zero(t, told())
}

func TestTheNameOfAnAgentBeginsAndEndsWithALetter(t *testing.T) {
	s, id := attach(t)
	spawn := session.Sighting{At: second(2), Sub: "a1", Call: "c1",
		Spawned: &session.SightedAgent{Kind: text("--Code reviewer (beta)_")}}
	sight(t, s, id, session.FromFile, prompted("go"), called("c1", "Task", 1), spawn, of("a1", called("c2", "Read", 3)))
	agents := map[string]bool{}
	for _, step := range firstTurn(t, s, id).Steps {
		agents[step.Agent] = true
	}
	assert.Contains(t, agents, "code-reviewer-beta_1")
}

// Several channels tell of the same sealed reasoning, which is there once.
func TestSealedReasoningOfTwoChannelsIsCountedOnce(t *testing.T) {
	s, id := attach(t)
	seal := in("m1", 1, session.Sighting{At: second(1), Sealed: &session.SightedSeal{Bytes: 120}})
	sight(t, s, id, session.FromFile, prompted("go"), seal, in("m1", 2, called("c1", "Read", 2)))
	sight(t, s, id, session.FromHooks, in("m1", 2, called("c1", "Read", 2)), before("c1", "I look.", 2))
	seal.Group, seal.Call, seal.Index = "", "c1", 0
	sight(t, s, id, session.FromHooks, seal)
	assert.Equal(t, 120, firstTurn(t, s, id).Steps[0].Sealed.Bytes)
}

func TestAThoughtOfAnAttachedAgentStandsBesideItsWords(t *testing.T) {
	s, thread := attach(t)
	thought := func(group, words string, index, at int) session.Sighting {
		one := spoke(group, words, at)
		one.Index, one.Said.Source = index, session.FromSummary
		return one
	}
	placed := func(one session.Sighting, group string, index int) session.Sighting {
		one.Group, one.Index = group, index
		return one
	}
	sight(t, s, thread, session.FromFile, prompted("look"),
		thought("a", "The notes may say it.", 0, 1), placed(spoke("a", "I look first.", 1), "a", 1),
		placed(called("c1", "Grep", 1), "a", 2), placed(spoke("a", "Then I read it.", 1), "a", 3),
		placed(called("c2", "Read", 1), "a", 4), returned("c1", 2), returned("c2", 2),
		session.Sighting{At: second(2), Group: "a", Stopped: &session.SightedStop{Stop: session.StopLength}},
		thought("b", "That is all.", 0, 3), placed(spoke("b", "It is there", 3), "b", 1),
		session.Sighting{At: second(3), Group: "b", Stopped: &session.SightedStop{Stop: session.StopContext}},
		ended("It is there", 4))
	turn := firstTurn(t, s, thread)
	require.Len(t, turn.Steps, 2)
	step := turn.Steps[0]
	assert.Equal(t, "I look first.\n\nThen I read it.", step.Narrative.String())
	assert.Equal(t, session.FromModel, step.NarrativeSource)
	assert.Equal(t, "The notes may say it.", step.Thought.String())
	assert.Equal(t, session.StopLength, step.Stop)
	assert.True(t, step.Calls[0].Before.Empty())
	assert.Equal(t, "Then I read it.", step.Calls[1].Before.String())
	answer := turn.Steps[1]
	assert.True(t, answer.Answer, "the words are the answer, and the thought behind it is left")
	assert.Equal(t, "That is all.", answer.Narrative.String())
	assert.Equal(t, session.FromSummary, answer.NarrativeSource)
	assert.Equal(t, session.StopContext, turn.Stop)
}
