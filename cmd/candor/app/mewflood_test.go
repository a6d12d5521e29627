package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// floodedSpace is a file of spaces with two participants who may do everything.
func floodedSpace(t *testing.T) (file, hostile, honest string) {
	t.Helper()
	hostile, honest = apptest.TokenOf("the-hostile-one"), apptest.TokenOf("the-honest-one")
	file = filepath.Join(t.TempDir(), "spaces.json")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `{"spaces":{"lab":{"owner":"ann","participants":{
		"hostile":{"token":%q,"capabilities":[{"kind":"*"}]},
		"honest":{"token":%q,"capabilities":[{"kind":"*"}]}}}}}`, hostile, honest), 0o600))
	return file, hostile, honest
}

// seen is what a participant's socket brought: how often which error, and which ids of others.
type seen struct {
	errors map[string]int
	ids    map[string]bool
}

// watch reads a socket until a message with the id "last". It passes on the ids that begin with
// "mark".
func (p participant) watch(marks chan<- string, out chan<- seen) {
	s := seen{map[string]int{}, map[string]bool{}}
	defer func() { out <- s }()
	for !s.ids["last"] {
		_, raw, err := p.conn.Read(p.t.Context())
		if err != nil {
			close(marks)
			return
		}
		var m struct {
			ID, Kind string
			Payload  struct{ Error string }
		}
		_ = json.Unmarshal(raw, &m)
		if m.Kind == "system/error" {
			s.errors[m.Payload.Error]++
		}
		if s.ids[m.ID] = true; strings.HasPrefix(m.ID, "mark") {
			marks <- m.ID
		}
	}
}

// flood is a hostile participant and an honest one who watches.
type flood struct {
	good, bad           participant
	marks               [2]chan string
	seenByGood, seenBad chan seen
	rounds              int
	sent                int // bytes since both had read everything, and some for each message
}

func newFlood(t *testing.T, s *apptest.Server, hostile, honest string) *flood {
	f := &flood{
		good: joinLab(t, s, honest), bad: joinLab(t, s, hostile),
		marks:      [2]chan string{make(chan string), make(chan string)},
		seenByGood: make(chan seen, 1), seenBad: make(chan seen, 1),
	}
	go f.good.watch(f.marks[0], f.seenByGood)
	go f.bad.watch(f.marks[1], f.seenBad)
	return f
}

// send sends a hostile message, and waits now and then until both have read everything, since
// neither is slow.
func (f *flood) send(format string, args ...any) {
	f.bad.t.Helper()
	text := fmt.Sprintf(format, args...)
	f.bad.send(text)
	if f.sent += 5000 + len(text); f.sent > 1<<20 {
		f.sent -= 1 << 20
		f.rounds++
		f.bad.send(fmt.Sprintf(`{"id":"mark-%d","kind":"chat","payload":{"text":"t"}}`, f.rounds))
		for _, marks := range f.marks {
			require.Equal(f.bad.t, fmt.Sprint("mark-", f.rounds), <-marks, "a socket was cut off")
		}
	}
}

func TestAFloodInASpaceIsRefusedWithTheRightErrorsAndDisturbsNobody(t *testing.T) {
	const memory = 16 << 20
	file, hostile, honest := floodedSpace(t)
	s := apptest.Start(t, app.Settings{
		SessionMemory: memory,
		MEW:           app.MEWSettings{SpacesFile: file, Rate: 1_000_000, ContextRate: 1_000_000},
	}, nil)
	f := newFlood(t, s, hostile, honest)
	f.good.send(`{"id":"good-1","kind":"chat","payload":{"text":"hello"}}`)
	for i := range 1000 {
		f.send(`{"id":"s-%d","kind":"reasoning/start","payload":{"message":"m"}}`, i)
	}
	f.send(`{"kind":"reasoning/thought","context":"%sd"}`, strings.Repeat("d/", 49))
	f.send(`{"kind":"reasoning/thought","context":%q}`, strings.Repeat("x", 300))
	for i := range 10_000 {
		f.send(`{"kind":"reasoning/thought","context":"s-%d","payload":{"message":"again"}}`, i%3)
	}
	for range 100 {
		f.send(`{"kind":"chat","payload":{"text":%q}}`, strings.Repeat("x", 100<<10))
	}
	f.send(`{"kind":"chat","from":"honest","payload":{"text":"I am honest"}}`)
	f.send(`{"kind":"system/presence","payload":{"event":"leave","participant":{"id":"honest"}}}`)
	f.send(`{"id":"good-1","kind":"chat","payload":{"text":"again"}}`)
	f.good.send(`{"id":"good-2","kind":"chat","payload":{"text":"still here"}}`)
	answer := s.Post("ann", "/mew/participants/honest/messages", `{"kind":"chat","payload":{"text":"over HTTP"}}`,
		apptest.WithToken(honest))
	assert.Equal(t, http.StatusOK, answer.Status, answer.Body)
	f.bad.send(`{"id":"last","kind":"chat","payload":{"text":"that was it"}}`)

	byBad, byGood := <-f.seenBad, <-f.seenByGood
	for _, code := range []string{"too_many_contexts", "context_too_deep", "context_too_long", "context_full",
		"from_mismatch", "reserved_kind", "duplicate_id"} {
		assert.Positive(t, byBad.errors[code], code)
	}
	assert.Empty(t, byGood.errors, "errors reach their sender only")
	assert.True(t, byGood.ids["good-1"] && byGood.ids["good-2"])
	assert.LessOrEqual(t, s.Session("ann").Held(), memory)
}
