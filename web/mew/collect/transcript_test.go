package collect_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/mew/collect"
	"candor/web/mew/wire"
)

// transcript is a space as somebody saw it who has read the specifications and not the code:
// what was said, and the turns that a careful reader sees in it.
type transcript struct {
	Name         string            `json:"name"`
	Drafts       bool              `json:"drafts"`
	Participants []string          `json:"participants"`
	Envelopes    []json.RawMessage `json:"envelopes"`
	Turns        []seenTurn        `json:"turns"`
	Settled      []seenTurn        `json:"settled"` // instead of Turns, where we differ; Why says why
	Why          string            `json:"why"`
}

type seenTurn struct {
	Participant string     `json:"participant"`
	AskedBy     string     `json:"asked_by"`
	Input       string     `json:"input"`
	Thoughts    []string   `json:"thoughts"`
	Calls       []seenCall `json:"calls"`
	Nested      int        `json:"nested"`
	Conclusion  string     `json:"conclusion"`
	Answer      string     `json:"answer"`
	State       string     `json:"state"`
	Notes       []seenNote `json:"notes"`
}

type seenCall struct {
	Tool    string `json:"tool"`
	To      string `json:"to"`
	Reason  string `json:"reason"`
	Outcome string `json:"outcome"`
}

type seenNote struct {
	From string `json:"from"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func TestTheFoldedTurnsAreWhatACarefulReaderSees(t *testing.T) {
	compareWithReader(t, "testdata/transcripts/*.json", 60)
}

// The second set was written by somebody else, after the fold was made to agree with the first.
func TestTheFoldedTurnsAreWhatAnotherReaderSees(t *testing.T) {
	compareWithReader(t, "testdata/second/*.json", 24)
}

func compareWithReader(t *testing.T, pattern string, count int) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, files, count)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var script transcript
			require.NoError(t, json.Unmarshal(raw, &script))
			want := script.Turns
			if script.Why != "" {
				want = script.Settled
			}
			got := play(t, script)
			if *update && script.Why != "" {
				settle(t, file, got)
				return
			}
			if diff := cmp.Diff(normal(want), normal(got)); diff != "" {
				t.Errorf("%s\n(-the reader, +the fold)\n%s", script.Name, diff)
			}
		})
	}
}

var update = flag.Bool("update", false, "rewrite the settled turns of the transcripts that say why they differ")

// settle writes what the fold makes of a transcript into its file, behind what the reader saw.
func settle(t *testing.T, file string, got []seenTurn) {
	t.Helper()
	var script map[string]any
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &script))
	script["settled"] = got
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	require.NoError(t, e.Encode(script))
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
}

// play folds the transcript and returns the turns in the reader's form.
func play(t *testing.T, script transcript) []seenTurn {
	t.Helper()
	store := session.NewMemory(func() uuid.UUID { return uuid.MustParse("550e8400-e29b-41d4-a716-446655440000") })
	t.Cleanup(func() { store.Close() })
	own, err := store.Open(t.Context(), "local")
	require.NoError(t, err)
	now := time.Date(2026, 2, 21, 10, 0, 0, 0, time.UTC)
	c := collect.New(collect.Options{
		Space: "lab", Open: func() (*session.Session, error) { return own, nil },
		Safety: safety.NewLayer(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: func() time.Time { return now },
	})
	left := false
	ids := map[string]string{} // raw bytes by id
	joined := map[string]int{} // how often a participant has come back
	usedAt := map[string]int{} // how often the sender had come back when it used the id
	for i, raw := range script.Envelopes {
		now = now.Add(time.Second)
		var step struct{ Wait, Reconnect, Leave string }
		require.NoError(t, json.Unmarshal(raw, &step))
		switch {
		case step.Wait != "":
			d, err := time.ParseDuration(step.Wait)
			require.NoError(t, err)
			for end := now.Add(d); now.Before(end); now = now.Add(5 * time.Second) {
				c.Expire(now)
			}
			continue
		case step.Reconnect != "":
			joined[step.Reconnect]++
			c.Left(step.Reconnect)
			c.Joined(step.Reconnect)
			continue
		case step.Leave != "":
			left = true
			c.Left(step.Leave)
			continue
		}
		e, err := wire.Parse(raw, wire.Options{Drafts: script.Drafts})
		if err != nil {
			t.Logf("envelope %d is refused: %v", i, err)
			continue
		}
		if before, used := ids[e.ID]; used && e.ID != "" && (before == string(raw) || usedAt[e.ID] == joined[e.From]) {
			continue // as the gateway refuses it
		}
		ids[e.ID], usedAt[e.ID] = string(raw), joined[e.From]
		e = e.Complete(fmt.Sprintf("id-%d", i), e.From, now)
		path, err := c.Admit(e)
		if err != nil {
			t.Logf("envelope %d is refused: %v", i, err)
			continue
		}
		require.NoError(t, c.Observe(e, path))
	}
	if left {
		c.Expire(now.Add(2 * time.Minute)) // nobody came back
	}
	return readBack(t, own)
}

// readBack describes the session's turns, a participant's in order, participants by their first
// turn.
func readBack(t *testing.T, own *session.Session) (all []seenTurn) {
	t.Helper()
	threads := own.Threads()
	slices.SortFunc(threads, func(a, b session.Thread) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for _, th := range threads {
		h, err := own.History(th.ID, session.Page{})
		require.NoError(t, err)
		for _, turn := range h.Turns {
			all = append(all, readTurn(th.Origin.Participant.String(), turn, eventsOf(t, own, turn)))
		}
	}
	return all
}

// eventsOf returns the events of a turn in order.
func eventsOf(t *testing.T, own *session.Session, turn session.Turn) (events []session.Event) {
	t.Helper()
	for up, err := range own.Watch(t.Context(), 0) {
		require.NoError(t, err)
		if up.Event.Thread == turn.Thread && up.Event.Turn == turn.Number {
			events = append(events, up.Event)
		}
		if up.Event.Seq == own.Head() {
			break
		}
	}
	return events
}

func readTurn(participant string, turn session.Turn, events []session.Event) seenTurn {
	s := seenTurn{
		Participant: participant, AskedBy: turn.Asked.By.String(), Input: turn.Input.String(),
		Conclusion: turn.Conclusion.String(), Answer: turn.Response.String(), State: string(turn.State),
	}
	if turn.State == session.Failed {
		s.Answer = turn.Error.String()
	}
	r := reading{seenTurn: &s, told: map[string]bool{}}
	for _, e := range events {
		r.read(turn, e)
	}
	for _, n := range turn.Notes {
		note := seenNote{n.From.String(), string(n.Kind), n.Text.String()}
		if n.Late {
			note.Kind = "late"
		}
		s.Notes = append(s.Notes, note)
	}
	return s
}

// reading is what has been read of a turn's events.
type reading struct {
	*seenTurn
	over bool
	told map[string]bool // calls and nested reasonings
}

func (r *reading) read(turn session.Turn, e session.Event) {
	switch b := e.Body.(type) {
	case session.TurnCompleted, session.TurnFailed, session.TurnInterrupted:
		r.over = true
	case session.Narrated:
		if r.over {
			r.Notes = append(r.Notes, seenNote{r.Participant, "late", b.Text.String()})
			return
		}
		r.Thoughts = append(r.Thoughts, b.Text.String())
	case session.Handoff:
		if text := b.Text.String(); text != "…" {
			r.Thoughts = append(r.Thoughts, text)
		}
		if b.To != "" && !r.told[b.To] {
			r.Nested++
			r.told[b.To] = true
		}
	case session.ToolCalled:
		if !r.told[b.Call] {
			r.told[b.Call] = true
			r.readCall(turn, b.Call)
		}
	}
}

// readCall adds a call. The thought that is its reason is one of the thoughts.
func (r *reading) readCall(turn session.Turn, id string) {
	c, _ := turn.Call(id)
	call := seenCall{Tool: c.Tool.String(), To: c.To.String(), Outcome: string(c.Outcome)}
	if c.Rationale.Source == session.FromModel {
		call.Reason = c.Rationale.Text.String()
		if !slices.Contains(r.Thoughts, call.Reason) {
			r.Thoughts = append(r.Thoughts, call.Reason)
		}
	}
	r.Calls = append(r.Calls, call)
}

// normal makes empty lists equal, and orders notes, whose order among late steps is free.
func normal(turns []seenTurn) []seenTurn {
	out := slices.Clone(turns)
	for i := range out {
		if len(out[i].Thoughts) == 0 {
			out[i].Thoughts = nil
		}
		if len(out[i].Calls) == 0 {
			out[i].Calls = nil
		}
		out[i].Notes = slices.Clone(out[i].Notes)
		if len(out[i].Notes) == 0 {
			out[i].Notes = nil
		}
		slices.SortFunc(out[i].Notes, func(a, b seenNote) int {
			return strings.Compare(a.From+a.Kind+a.Text, b.From+b.Kind+b.Text)
		})
	}
	slices.SortStableFunc(out, func(a, b seenTurn) int { return strings.Compare(a.Participant, b.Participant) })
	return out
}
