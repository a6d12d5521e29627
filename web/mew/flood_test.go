package mew_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

// lab starts a server with the space lab of ann and these participants. rate is how many messages each may send in a
// second, and in a context of them; 0 means the defaults.
func lab(t *testing.T, rate int, participants ...string) *apptest.Server {
	t.Helper()
	all := map[string]bool{}
	for _, p := range participants {
		all[p] = true
	}
	file := apptest.SpacesFileOf(t, "ann", all)
	mew := app.MEWSettings{SpacesFile: file, Rate: rate, ContextRate: rate}
	return apptest.Start(t, app.Settings{MEW: mew}, nil)
}

// peer is a participant at a real socket. It counts the errors it gets, by their code.
type peer struct {
	t    *testing.T
	conn *websocket.Conn

	mu     sync.Mutex
	errors map[string]int
	seen   []string // kinds of what the others said
	done   chan struct{}
}

// join joins the space and reads what comes until the test ends.
func join(t *testing.T, srv *apptest.Server, who string) *peer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), srv.HTTP.URL+"/mew/ws?space=lab", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + apptest.TokenOf(who)}},
	})
	require.NoError(t, err)
	conn.SetReadLimit(1 << 20)
	p := &peer{t: t, conn: conn, errors: map[string]int{}, done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	go p.read(ctx, who)
	t.Cleanup(func() {
		cancel()
		<-p.done
		_ = conn.CloseNow()
	})
	return p
}

func (p *peer) read(ctx context.Context, who string) {
	defer close(p.done)
	for {
		_, raw, err := p.conn.Read(ctx)
		if err != nil {
			return
		}
		var m struct {
			From, Kind string
			Payload    struct{ Error string }
		}
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		p.mu.Lock()
		switch {
		case m.Kind == "system/error":
			p.errors[m.Payload.Error]++
		case m.From != who:
			p.seen = append(p.seen, m.From+" "+m.Kind)
		}
		p.mu.Unlock()
	}
}

// say sends a message.
func (p *peer) say(message string) error {
	return p.conn.Write(p.t.Context(), websocket.MessageText, []byte(message))
}

// got returns how often an error came.
func (p *peer) got(code string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.errors[code]
}

// floods are what a participant may send too much of, with the code of the error that it gets for that.
var floods = []struct {
	name, code string
	message    func(i int) string
	count      int
}{
	{"contexts", "too_many_contexts", func(i int) string {
		return fmt.Sprintf(`{"id":"r-%d","kind":"reasoning/start","payload":{"message":"x"}}`, i)
	}, 1000},
	{"deep contexts", "context_too_deep", func(i int) string {
		return fmt.Sprintf(`{"id":"d-%d","kind":"reasoning/thought","context":"a%s","payload":{"message":"x"}}`,
			i, strings.Repeat("/a", 49))
	}, 20},
	{"thoughts", "rate_limited", func(i int) string {
		return fmt.Sprintf(`{"id":"t-%d","kind":"reasoning/thought","context":"one","payload":{"message":"x"}}`, i)
	}, 10_000},
	{"long texts", "rate_limited", func(i int) string {
		long := strings.Repeat("so it goes ", 9_300)
		return fmt.Sprintf(`{"id":"l-%d","kind":"chat","payload":{"text":%q}}`, i, long)
	}, 200},
	{"names of others", "from_mismatch", func(i int) string {
		return fmt.Sprintf(`{"id":"s-%d","from":"honest","kind":"chat","payload":{"text":"forged"}}`, i)
	}, 50},
	{"presence", "reserved_kind", func(i int) string {
		return fmt.Sprintf(`{"id":"p-%d","kind":"system/presence","payload":{"event":"leave"}}`, i)
	}, 50},
}

// A flood costs its author errors and others nothing: what is kept stays bounded, and the
// reasoning of an honest agent is whole.
func TestAFloodIsRefusedAndDisturbsNobody(t *testing.T) {
	for _, tt := range floods {
		t.Run(tt.name, func(t *testing.T) {
			rate := 0
			if tt.code == "rate_limited" {
				rate = 6 // which the slowest machine exceeds, and whose burst has room for what the honest one says
			}
			srv := lab(t, rate, "mallory", "honest")
			mallory, honest := join(t, srv, "mallory"), join(t, srv, "honest")
			before := heap()
			flooded := make(chan struct{})
			go func() {
				defer close(flooded)
				for i := range tt.count {
					if mallory.say(tt.message(i)) != nil {
						return // cut off, which is an answer, too
					}
				}
			}()
			require.NoError(t, honest.say(`{"id":"mine","kind":"reasoning/start","payload":{"message":"Looking"}}`))
			for i := range 20 {
				thought := `{"kind":"reasoning/thought","context":"mine","payload":{"message":"thought %d"}}`
				require.NoError(t, honest.say(fmt.Sprintf(thought, i)))
			}
			end := `{"kind":"reasoning/conclusion","context":"mine","payload":{"message":"Done"}}`
			require.NoError(t, honest.say(end))
			<-flooded
			apptest.Eventually(t, "the right error", func() bool { return mallory.got(tt.code) > 0 })
			apptest.Eventually(t, "the honest reasoning", func() bool {
				turn := turnOf(t, srv, "honest")
				return turn.State == session.Completed && len(turn.Steps) == 21
			})
			assert.Equal(t, "Done", turnOf(t, srv, "honest").Conclusion.String())
			assert.Empty(t, honest.errors)
			assert.Less(t, heap()-before, 96<<20, "bytes more than before the flood")
		})
	}
}

// heap returns how many bytes are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// turnOf returns the first turn of a participant, or an empty one.
func turnOf(t *testing.T, srv *apptest.Server, participant string) session.Turn {
	t.Helper()
	own := srv.Session("ann")
	for _, th := range own.Threads() {
		if th.Origin.Participant.String() != participant {
			continue
		}
		h, err := own.History(th.ID, session.Page{})
		require.NoError(t, err)
		if len(h.Turns) > 0 {
			return h.Turns[0]
		}
	}
	return session.Turn{}
}

// After a restart nothing of a space is known any more. Participants come back with the tokens
// they have, and a reasoning that goes on says that its beginning was not seen.
func TestASpaceGoesOnAfterARestartAndSaysWhatIsGone(t *testing.T) {
	file := apptest.SpacesFileOf(t, "ann", map[string]bool{"scout": true})
	settings := app.Settings{MEW: app.MEWSettings{SpacesFile: file}}
	first := apptest.Start(t, settings, nil)
	scout := join(t, first, "scout")
	require.NoError(t, scout.say(`{"id":"r","kind":"reasoning/start","payload":{"message":"Looking"}}`))
	apptest.Eventually(t, "the start", func() bool { return turnOf(t, first, "scout").Number == 1 })
	assert.False(t, turnOf(t, first, "scout").Asked.Unseen)
	ended, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	first.App.Close(ended)
	<-scout.done // the socket was closed with the gateway

	second := apptest.Start(t, settings, nil)
	scout = join(t, second, "scout")
	require.NoError(t, scout.say(`{"kind":"reasoning/thought","context":"r","payload":{"message":"going on"}}`))
	apptest.Eventually(t, "the thought", func() bool { return len(turnOf(t, second, "scout").Steps) == 1 })
	assert.True(t, turnOf(t, second, "scout").Asked.Unseen)
}
