package mew

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
)

func TestATurnGoesOnAfterALostConnection(t *testing.T) {
	g := newGateway(t, nil)
	release := make(chan struct{})
	join(t, g, func(_ context.Context, step int, _ agent.Request) (agent.Response, error) {
		if step == 1 {
			return uses("I add.", "add", `{"a":1,"b":2}`), nil
		}
		<-release
		return agent.Response{Text: "3"}, nil
	}, nil, adder())
	g.ask("Add.")
	g.await(t, "mcp/response", 1)
	g.drop()
	g.until(t, "the participant comes back", func() bool { return g.joins == 2 })
	close(release)
	g.await(t, "chat", 1)
	assert.Equal(t, []string{"reasoning/start", "reasoning/thought", "reasoning/thought", "mcp/request", "mcp/response",
		"reasoning/conclusion", "chat"}, kinds(g.all()))
}

func TestWhatTheGatewayHasNotSettledIsSentAgainUnderTheSameID(t *testing.T) {
	o := newOutbox()
	o.connected(true)
	for _, id := range []string{"a", "b", "c"} {
		require.NoError(t, o.add(parcel{id: id, kind: "chat"}))
	}
	sent := func() (out []string) {
		for p, ok := o.next(); ok; p, ok = o.next() {
			out = append(out, p.id)
		}
		return out
	}
	assert.Equal(t, []string{"a", "b", "c"}, sent())
	o.settle("b")
	o.connected(false)
	o.connected(true)
	assert.Equal(t, []string{"c"}, sent(), "a was sent before b, so it has arrived, too")
	o.settle("unknown")
	o.connected(true)
	assert.Equal(t, []string{"c"}, sent())
}

func TestAMessageThatCameTooFastIsSentAgain(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.tooFast = 1 })
	join(t, g, steps(agent.Response{Text: "done"}), nil)
	g.ask("Speak.")
	g.until(t, "everything is said", func() bool { return len(g.said) == 3 })
	assert.ElementsMatch(t, []string{"reasoning/start", "reasoning/conclusion", "chat"}, kinds(g.all()))
}

func TestAGatewayThatIsFullIsTriedAgain(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.full = 2 })
	join(t, g, steps(agent.Response{Text: "done"}), nil)
	g.ask("Speak.")
	g.await(t, "chat", 1)
}

func TestAMessageThatIsTooLongEndsTheConnection(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "done"}), nil)
	g.ask(strings.Repeat("x", maxIncoming))
	g.until(t, "the participant comes back", func() bool { return g.joins == 2 })
	g.ask("Are you there?")
	g.await(t, "chat", 1)
}

func TestAMessageThatEndsEveryConnectionIsDropped(t *testing.T) {
	o := newOutbox()
	require.NoError(t, o.add(parcel{id: "poison", kind: "chat"}))
	sent := 0
	for range 3 * maxAttempts {
		o.connected(true)
		for _, ok := o.next(); ok; _, ok = o.next() {
			sent++
		}
		o.connected(false)
	}
	assert.Equal(t, maxAttempts, sent)
}

func TestAParticipantLeavesOnlyOnceItsLastWordsAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, drained := newOutbox(), false
		require.NoError(t, o.add(parcel{id: "x"}))
		o.connected(true)
		_, ok := o.next()
		require.True(t, ok)
		var leaving sync.WaitGroup
		leaving.Go(func() {
			o.drain(t.Context())
			drained = true
		})
		synctest.Wait()
		assert.False(t, drained, "the connection has not taken it yet")
		_, ok = o.next()
		require.False(t, ok)
		signal(o.moved)
		leaving.Wait()
	})
}

func TestTheOutboxIsBounded(t *testing.T) {
	o := newOutbox()
	for range maxUnsettled {
		require.NoError(t, o.add(parcel{id: "x"}))
	}
	require.ErrorIs(t, o.add(parcel{id: "x"}), errNoGateway)
	o = newOutbox()
	for range maxUnsettledBytes / maxOutgoing {
		require.NoError(t, o.add(parcel{id: "x", raw: make([]byte, maxOutgoing)}))
	}
	require.ErrorIs(t, o.add(parcel{id: "z", raw: []byte("z")}), errNoGateway)
	require.ErrorIs(t, newOutbox().add(parcel{id: "x", raw: make([]byte, maxOutgoing+1)}), errTooLong)
}

func TestFramesAreDroppedWhereTheyCannotBeSentAtOnce(t *testing.T) {
	o := newOutbox()
	frame := parcel{raw: []byte("#s#x")}
	require.NoError(t, o.add(frame))
	_, ok := o.next()
	assert.False(t, ok, "there is no connection")
	o.connected(true)
	require.NoError(t, o.add(frame))
	_, ok = o.next()
	assert.True(t, ok)
	o.connected(true)
	_, ok = o.next()
	assert.False(t, ok, "a frame is not repeated")
	o.hold(true)
	require.NoError(t, o.add(frame))
	o.hold(false)
	_, ok = o.next()
	assert.False(t, ok, "the participant was paused")
}

func TestAParticipantThatIsRefusedDoesNotTryAgain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		shipped bool
	}{{"by the answer to its request", false}, {"by an error after it joined", true}} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, func(g *gateway) { g.shipped = tt.shipped })
			p := &Participant{
				Gateway: g.url, Space: "lab", Token: "another-token", Log: slog.New(slog.DiscardHandler),
				Dispatcher: &agent.Dispatcher{Safety: safety.NewLayer(), Tools: &agent.Toolbox{}},
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			require.ErrorIs(t, p.Run(ctx), ErrRefused)
		})
	}
}

func TestAParticipantWaitsForItsGateway(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p := &Participant{
		Gateway: "http://127.0.0.1:1", Space: "lab", Token: testToken, Log: slog.New(slog.DiscardHandler),
		Dispatcher: &agent.Dispatcher{Safety: safety.NewLayer(), Tools: &agent.Toolbox{}},
	}
	require.ErrorIs(t, p.Run(ctx), context.DeadlineExceeded)
}

func TestTheLogSaysWhyThereIsNoConnection(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for want, err := range map[string]error{
		"connection refused":                     fmt.Errorf("it failed: %w", refused),
		"no answer in time":                      fmt.Errorf("it failed: %w", context.DeadlineExceeded),
		"closed by the gateway with status 1001": websocket.CloseError{Code: 1001, Reason: "words of others"},
		"the connection broke, or the answer is none of a MEW gateway": errors.New("words of others"),
	} {
		assert.Equal(t, want, causeOf(err))
	}
}

func TestTheGatewaysURLIsChecked(t *testing.T) {
	for _, tt := range []struct{ name, gateway, space, token, want string }{
		{"http", "http://127.0.0.1:8080", "lab", "t", "ws://127.0.0.1:8080/mew/ws?space=lab"},
		{"https with a slash", "https://example.org/", "a b", "t", "wss://example.org/mew/ws?space=a+b"},
		{"a path of its own", "ws://example.org/ws", "lab", "t", "ws://example.org/ws?space=lab"},
		{"no URL", "127.0.0.1:8080", "lab", "t", ""},
		{"another scheme", "ftp://example.org", "lab", "t", ""},
		{"a password", "http://a:b@example.org", "lab", "t", ""},
		{"no space", "http://example.org", "", "t", ""},
		{"no token", "http://example.org", "lab", "", ""},
		{"a token with a line end", "http://example.org", "lab", "t\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := (&Participant{Gateway: tt.gateway, Space: tt.space, Token: tt.token}).address()
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.want == "", err != nil)
		})
	}
}
