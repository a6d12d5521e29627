package retry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// failing fails with each of its errors in turn, then answers. A nil error hangs
// until ctx ends.
type failing struct {
	errs     []error
	requests []agent.Request
}

func (f *failing) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	f.requests = append(f.requests, req)
	n := len(f.requests) - 1
	if n >= len(f.errs) {
		return agent.Response{Text: "done"}, nil
	}
	if f.errs[n] == nil {
		<-ctx.Done()
		return agent.Response{}, ctx.Err()
	}
	return agent.Response{}, f.errs[n]
}

// speaking says a piece and fails as long as it has errors, then answers.
type speaking struct{ failing }

func (s *speaking) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	req.Say("I begin. ")
	resp, err := s.failing.Respond(ctx, req)
	if err == nil {
		req.Say("I end.")
	}
	return resp, err
}

func TestTheTextOfARepeatedAttemptIsVoid(t *testing.T) {
	ask := func(t *testing.T, ctx context.Context, errs ...error) (pieces []string) {
		p := New(&speaking{failing{errs: errs}}, Options{Base: time.Millisecond})
		_, _ = p.Respond(ctx, agent.Request{OnText: func(piece string) { pieces = append(pieces, piece) }})
		return pieces
	}
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, []string{"I begin. ", "", "I begin. ", "I end."}, ask(t, t.Context(), busy(0)))
		assert.Equal(t, []string{"I begin. "}, ask(t, t.Context(), errors.New("permanent")), "a failed turn keeps it")
		assert.Equal(t, []string{"I begin. ", "", "I begin. "}, ask(t, t.Context(), busy(0), errors.New("permanent")))
		stopped, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, []string{"I begin. "}, ask(t, stopped, nil), "a stopped turn keeps it")
		waiting, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, []string{"I begin. "}, ask(t, waiting, busy(time.Minute)), "also one stopped during a wait")
	})
}

func busy(after time.Duration) error {
	return &agent.ProviderError{
		Failure: agent.Temporary, Status: 429, RetryAfter: after, Err: errors.New("secret words"),
	}
}

func tooMuch() error {
	return &agent.ProviderError{Failure: agent.TooLong, Status: 400, Err: errors.New("too long")}
}

// asked sends one request in a bubble and checks the answer and the time it took there.
func asked(t *testing.T, o Options, f *failing, check func(resp agent.Response, err error, took time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		resp, err := New(f, o).Respond(t.Context(), agent.Request{
			Messages: []agent.Message{{Role: agent.RoleUser, Text: "hi"}},
		})
		check(resp, err, time.Since(start))
	})
}

func TestTemporaryFailuresAreRetriedWithLongerWaits(t *testing.T) {
	f := &failing{errs: []error{busy(0), busy(0), busy(0)}}
	asked(t, Options{Base: time.Second}, f, func(resp agent.Response, err error, took time.Duration) {
		require.NoError(t, err)
		assert.Equal(t, "done", resp.Text)
		assert.GreaterOrEqual(t, took, 3500*time.Millisecond) // half of 1 + 2 + 4
		assert.LessOrEqual(t, took, 7*time.Second)
	})
	assert.Len(t, f.requests, 4)
}

func TestRetryAfterIsHonouredUpToTheLongestWait(t *testing.T) {
	for wish, want := range map[time.Duration]time.Duration{
		7 * time.Second: 7 * time.Second, time.Hour: 20 * time.Second,
	} {
		f := &failing{errs: []error{busy(wish)}}
		asked(t, Options{Max: 20 * time.Second}, f, func(_ agent.Response, err error, took time.Duration) {
			require.NoError(t, err)
			assert.Equal(t, want, took)
		})
	}
}

func TestRetryingGivesUpAfterItsAttempts(t *testing.T) {
	f := &failing{errs: []error{busy(0), busy(0), busy(0)}}
	asked(t, Options{Attempts: 3}, f, func(_ agent.Response, err error, _ time.Duration) {
		require.ErrorContains(t, err, "asked 3 times")
		p, ok := errors.AsType[*agent.ProviderError](err)
		require.True(t, ok)
		assert.Equal(t, 429, p.Status)
	})
	assert.Len(t, f.requests, 3)
}

func TestPermanentFailuresAreNotRetried(t *testing.T) {
	lasting := &agent.ProviderError{Failure: agent.Permanent, Status: 401, Err: errors.New("no key")}
	for _, e := range []error{lasting, errors.New("not classified")} {
		f := &failing{errs: []error{e}}
		asked(t, Options{}, f, func(_ agent.Response, err error, took time.Duration) {
			require.Equal(t, e, err)
			assert.Zero(t, took)
		})
		assert.Len(t, f.requests, 1)
	}
}

func TestAnAnswerThatHangsIsRetried(t *testing.T) {
	f := &failing{errs: []error{nil}}
	o := Options{PerTry: time.Minute, Base: time.Second}
	asked(t, o, f, func(_ agent.Response, err error, took time.Duration) {
		require.NoError(t, err)
		assert.GreaterOrEqual(t, took, time.Minute)
		assert.Less(t, took, time.Minute+3*time.Second, "it is asked again at once")
	})
	f = &failing{errs: []error{nil, nil}}
	asked(t, Options{PerTry: time.Minute, Attempts: 2}, f, func(_ agent.Response, err error, _ time.Duration) {
		require.ErrorContains(t, err, "no whole answer in 1m0s")
		assert.NotErrorIs(t, err, context.DeadlineExceeded, "the context of the turn has not ended")
	})
}

func TestRetryingStopsWhenTheContextEnds(t *testing.T) {
	for name, first := range map[string]error{"during a wait": busy(time.Hour), "during a request": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				start := time.Now()
				f := &failing{errs: []error{first}}
				_, err := New(f, Options{Max: 2 * time.Hour}).Respond(ctx, agent.Request{})
				require.ErrorIs(t, err, context.Canceled)
				assert.Equal(t, time.Second, time.Since(start))
				assert.Len(t, f.requests, 1)
			})
		})
	}
}

func TestTheLogHasNoProviderText(t *testing.T) {
	var out bytes.Buffer
	f := &failing{errs: []error{busy(time.Second), tooMuch()}}
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.NewTextHandler(&out, nil))
		_, err := New(f, Options{Log: log}).Respond(t.Context(), agent.Request{Messages: conversation(2, 10)})
		require.NoError(t, err)
	})
	assert.Equal(t, 2, strings.Count(out.String(), "\n"))
	assert.Contains(t, out.String(), "status=429")
	assert.NotContains(t, out.String(), "secret words")
}

// conversation has turns of one tool call each, with results of some bytes.
func conversation(turns, bytes int) []agent.Message {
	out := []agent.Message{{Role: agent.RoleSystem, Text: "be brief"}}
	for i := range turns {
		id := string(rune('a' + i))
		out = append(out,
			agent.Message{Role: agent.RoleUser, Text: "question " + id},
			agent.Message{Role: agent.RoleAssistant, Calls: []agent.Call{{ID: id, Name: "look"}}},
			agent.Message{Role: agent.RoleTool, CallID: id, Text: strings.Repeat("x", bytes)},
			agent.Message{Role: agent.RoleAssistant, Text: "answer " + id})
	}
	return out
}

func TestATooLongConversationLosesItsOldestTurnsOnce(t *testing.T) {
	messages := conversation(5, 1000)
	now := []agent.Message{
		{Role: agent.RoleUser, Text: "now"},
		{Role: agent.RoleAssistant, Calls: []agent.Call{{ID: "z", Name: "look"}}},
		{Role: agent.RoleTool, CallID: "z", Text: "result"},
		{Role: agent.RoleSystem, Text: "hurry"},
	}
	messages = append(messages, now...)
	before := len(messages)
	f := &failing{errs: []error{tooMuch(), tooMuch()}}
	_, err := New(f, Options{}).Respond(t.Context(), agent.Request{Messages: messages})
	require.ErrorContains(t, err, "too long")
	require.Len(t, f.requests, 2, "once")

	kept := f.requests[1].Messages
	assert.Len(t, messages, before, "the caller's messages stay as they were")
	assert.Equal(t, messages[0], kept[0], "system messages stay")
	assert.Equal(t, "question d", kept[1].Text)
	assert.Equal(t, now, kept[len(kept)-4:])
	assert.LessOrEqual(t, size(kept), size(messages)/2)
	calls := map[string]bool{}
	for _, m := range kept {
		for _, c := range m.Calls {
			calls[c.ID] = true
		}
		if m.Role == agent.RoleTool {
			assert.True(t, calls[m.CallID], "a result without its call")
		}
	}
}

func TestATooLongConversationOfOneTurnIsNotRetried(t *testing.T) {
	f := &failing{errs: []error{tooMuch()}}
	_, err := New(f, Options{}).Respond(t.Context(), agent.Request{Messages: conversation(1, 10)})
	require.ErrorContains(t, err, "too long")
	assert.Len(t, f.requests, 1)
}

func TestAHugeCurrentTurnStillLosesTheOlderOnes(t *testing.T) {
	messages := append(conversation(2, 10), agent.Message{Role: agent.RoleUser, Text: strings.Repeat("x", 9999)})
	kept, ok := shorten(messages)
	require.True(t, ok)
	assert.Len(t, kept, 2)
}

func TestTheTextOfAShortenedConversationIsVoid(t *testing.T) {
	var pieces []string
	_, err := New(&speaking{failing{errs: []error{tooMuch()}}}, Options{}).Respond(t.Context(), agent.Request{
		Messages: conversation(4, 10), OnText: func(piece string) { pieces = append(pieces, piece) },
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"I begin. ", "", "I begin. ", "I end."}, pieces)
}
