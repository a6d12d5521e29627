package web_test

import (
	"bytes"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cutReader reads what arrived of a stream that broke off. It stores the id of an event
// when the event ends, as browsers do, or as soon as the id's line has arrived, as
// @microsoft/fetch-event-source does.
type cutReader struct {
	early bool
	id    string // to resume after
	data  []string
	empty int // messages without data, for a reader that reports every blank line
}

func (r *cutReader) read(arrived string) {
	id, data := "", ""
	for line := range strings.Lines(arrived) {
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case !strings.HasSuffix(line, "\n"): // the stream broke off
		case field == "data":
			data = value
		case field == "id" && r.early:
			r.id = value
		case field == "id":
			id = value
		case line == "\n" && data == "":
			r.empty++
		case line == "\n":
			r.data = append(r.data, data)
			if id != "" {
				r.id = id
			}
			id, data = "", ""
		}
	}
}

// rawStream reads the bytes of a stream after an id, up to the end of the second answer.
func rawStream(t *testing.T, s *apptest.Server, id string) string {
	t.Helper()
	c, err := s.Subscribe(t.Context(), "ann", id, "")
	require.NoError(t, err)
	defer c.Body.Close()
	var raw bytes.Buffer
	for answers := 0; answers < 2; {
		line, err := c.Lines.ReadString('\n')
		require.NoError(t, err)
		raw.WriteString(line)
		if strings.Contains(line, `"content":"the second answer"`) {
			answers = 1
		}
		if answers == 1 && line == "\n" {
			answers = 2
		}
	}
	return raw.String()
}

// A stream that is cut at any byte is resumed without a loss or a repeat. One place is
// out of reach for a reader that stores ids early: between the end of the id's line and the
// blank line that follows.
func TestAStreamCutAtAnyByteIsResumedWithoutLossOrRepeat(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"narrative": "I look.", "tool_calls": []apptest.M{
				{"id": "a", "name": "look", "arguments": apptest.M{}, "rationale": "to see"},
				{"id": "b", "name": "look", "arguments": apptest.M{}, "rationale": "to see again"}}},
			{"text": "the second answer"},
		},
		"tools": apptest.M{"look": apptest.M{"result": "seen"}},
	})
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	whole := rawStream(t, s, origin)
	var all cutReader
	all.read(whole)
	require.Greater(t, len(all.data), 10)
	assert.Zero(t, all.empty, "no blank line but the one that ends an event")
	rest := map[string][]string{} // what the server sends after an id
	for _, early := range []bool{false, true} {
		for cut := range len(whole) {
			got := cutReader{early: early, id: origin}
			got.read(whole[:cut])
			if got.id == "" || len(got.data) == len(all.data) {
				continue
			}
			if _, known := rest[got.id]; !known {
				var after cutReader
				if !strings.HasSuffix(all.id, got.id) {
					after.read(rawStream(t, s, got.id))
				}
				rest[got.id] = after.data
			}
			want := all.data
			if early && strings.HasSuffix(whole[:cut], "\n") && whole[cut] == '\n' {
				want = append(append([]string{}, want[:len(got.data)]...), want[len(got.data)+1:]...)
			}
			require.Equal(t, want, append(got.data, rest[got.id]...), "early %t, cut at byte %d after %q", early, cut,
				whole[max(0, cut-40):cut])
		}
	}
}
