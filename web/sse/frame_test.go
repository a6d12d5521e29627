package sse

import (
	"strings"
	"testing"

	r3labs "github.com/r3labs/sse/v2"
	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

// unframed are messages that are no events.
var unframed = []Message{{}, {Name: "n"}, {Data: []byte("{}")}, {ID: at(3)}}

func TestWhatIsNoEventHasNoFrame(t *testing.T) {
	for _, m := range unframed {
		assert.Empty(t, Encode(m), "%+v", m)
	}
}

func TestTheLibraryLeavesNothingRunning(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for range 20 {
		fromLibrary(&r3labs.Event{Event: []byte("n"), Data: []byte("{}")})
	}
}

// FuzzAFrameIsWhatTheLibraryWrites holds that frames made with a mold are what the library's handler
// writes for the same event.
func FuzzAFrameIsWhatTheLibraryWrites(f *testing.F) {
	f.Add(uint64(7), "status", `{"a":1}`, true)
	f.Add(uint64(0), "DATA", "NAME", true)
	f.Add(uint64(9), "ID", "id: ID", false)
	f.Fuzz(func(t *testing.T, seq uint64, name, data string, identified bool) {
		if name == "" || data == "" || data[0] == ':' || strings.ContainsAny(name+data, "\r\n") {
			return // what no caller passes: names are ours, and data is JSON on one line
		}
		e := &r3labs.Event{Event: []byte(name), Data: []byte(data)}
		m := Message{Name: name, Data: []byte(data)}
		if identified {
			m.ID = at(seq)
			e.ID = []byte(m.ID.String())
		}
		assert.Equal(t, string(fromLibrary(e)), string(Encode(m)))
	})
}
