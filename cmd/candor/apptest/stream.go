package apptest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Frame is one server-sent event: its id, which is the cursor to go on after it, its kind
// and its data, which is one line of JSON.
type Frame struct{ ID, Event, Data string }

// Stream reads server-sent events as the WHATWG standard specifies it for a browser. The
// caller closes Body, or ends the context it subscribed with; both end a blocked Next.
type Stream struct {
	Body   io.ReadCloser
	Lines  *bufio.Reader
	LastID string // of the last complete block, to subscribe again after it
	Live   bool   // Next also returns the text of running steps, which is not in the log
}

// errRefused says that the server answered a subscription with another status than 200.
var errRefused = errors.New("the stream was refused")

// Subscribe opens a stream of the user's. It goes on after the event lastID, or begins
// with the next event if lastID is "". query is appended to the route.
func (c *Client) Subscribe(ctx context.Context, user, lastID, query string) (*Stream, error) {
	req := c.Request(ctx, user, http.MethodGet, "/api/chat/events"+query, "")
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := c.Caller.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, errRefused
	}
	return NewStream(resp.Body, lastID), nil
}

// NewStream reads events from body. lastID is the id of the last event received before.
func NewStream(body io.ReadCloser, lastID string) *Stream {
	return &Stream{Body: body, Lines: bufio.NewReaderSize(body, 64<<10), LastID: lastID}
}

// Next returns the next event. A block without data moves LastID only. The text of running
// steps is left out unless s is Live.
func (s *Stream) Next() (Frame, error) {
	var f Frame
	id := s.LastID
	for {
		line, err := s.Lines.ReadString('\n')
		if err != nil {
			return Frame{}, err
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			s.LastID = id
			if f.Data == "" || f.Event == "step_text" && !s.Live {
				f = Frame{}
				continue
			}
			f.ID = id
			return f, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			id = value
		case "event":
			f.Event = value
		case "data":
			f.Data += value
		}
	}
}

// Until returns the events up to and including the first of one of the kinds. It fails the test
// if the stream ends or is silent for a minute before.
func (s *Stream) Until(t testing.TB, kinds ...string) []Frame {
	t.Helper()
	silent := time.AfterFunc(time.Minute, func() { s.Body.Close() })
	defer silent.Stop()
	var all []Frame
	for {
		f, err := s.Next()
		require.NoError(t, err, "the stream ended, or was silent for a minute, before %s", kinds)
		silent.Reset(time.Minute)
		all = append(all, f)
		if slices.Contains(kinds, f.Event) {
			return all
		}
	}
}
