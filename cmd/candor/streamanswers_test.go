package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// splitAnswers is a model behind HTTP that answers with a text and a closing sentence. It
// splits the text into two chunks, one byte further on in each answer, and ends the answer
// once the end of the text was seen.
type splitAnswers struct {
	text    string
	cut     int           // bytes in the first chunk of the last answer
	streams bool          // the text is streamed, not withheld
	seen    chan struct{} // receives when the text was seen
}

func (m *splitAnswers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.cut++
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []string{m.text[:m.cut], m.text[m.cut:], " It took no time at all. And now it is done."} {
		quoted, _ := json.Marshal(chunk)
		_, _ = fmt.Fprintf(w, wires[0].piece, quoted)
		_ = http.NewResponseController(w).Flush()
	}
	if m.streams {
		select {
		case <-m.seen:
		case <-r.Context().Done():
		case <-time.After(time.Minute): // far longer than any machine needs; follow then fails
		}
	}
	_, _ = io.WriteString(w, wires[0].after)
}

// follow returns the frames of a stream up to the answer, and lets the model end it.
func (m *splitAnswers) follow(t *testing.T, stream *apptest.Stream) (frames []apptest.Frame) {
	t.Helper()
	seen := !m.streams
	for {
		f, err := stream.Next()
		require.NoError(t, err)
		frames = append(frames, f)
		switch {
		case f.Event == "step_text" && strings.Contains(f.Data, "I go on"):
			m.seen <- struct{}{}
			seen = true
		case f.Event == "response":
			require.True(t, seen, "the text was not streamed before the answer ended")
			return frames
		}
	}
}

// TestASecretSplitOverTwoChunksOfAnAnswerIsOnNoWire splits the answers of a model at each byte
// of each text. A client sees each text before the answer has ended.
func TestASecretSplitOverTwoChunksOfAnAnswerIsOnNoWire(t *testing.T) {
	for kind, text := range secretTexts() {
		t.Run(kind, func(t *testing.T) {
			m := &splitAnswers{text: text[0], seen: make(chan struct{}), streams: kind != "a private key"}
			model := httptest.NewServer(m)
			defer model.Close()
			t.Setenv(app.OpenAIBaseEnv, model.URL)
			t.Setenv(app.OpenAIKeyEnv, "none")
			s := apptest.StartModel(t, app.Settings{Model: wires[0].settings, SendsPerMinute: 1_000_000})
			thread, origin := s.Begin("ann")
			stream, err := s.Subscribe(t.Context(), "ann", origin, "")
			require.NoError(t, err)
			defer stream.Body.Close()
			stream.Live = true
			for cut := 1; cut < len(text[0]); cut++ {
				s.Send("ann", thread, "go on")
				frames := m.follow(t, stream)
				require.Equal(t, cut, m.cut, "the model is asked once for each turn")
				checkStreamedFrames(t, s, thread, frames, text[1], fmt.Sprintf("split at %d", cut))
				thread, _ = s.Begin("ann")
			}
		})
	}
}
