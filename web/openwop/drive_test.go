package openwop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// m is a JSON object.
type m = map[string]any

// fixtures are the settings of a server that has the workflows for tests of clients.
var fixtures = app.Settings{OpenWOPFixtures: true, SendsPerMinute: 10_000}

// version2 asks for version 2 of the protocol.
var version2 = apptest.Header("OpenWOP-Version", "2")

// startRun starts a run of ann's and returns the answer, which has to be 201.
func startRun(t *testing.T, s *apptest.Server, body m) m {
	t.Helper()
	r := s.Post("ann", "/v1/runs", string(apptest.JSON(t, body)))
	require.Equal(t, http.StatusCreated, r.Status, r.Body)
	return r.JSON()
}

// say starts a run of ann's in which the agent answers a message.
func say(t *testing.T, s *apptest.Server, message string) m {
	t.Helper()
	return startRun(t, s, m{"workflowId": "chat", "inputs": m{"message": message}})
}

// block is a server-sent event.
type block struct {
	name, data string
	id         int
}

// event returns the block's data, which has to be an event.
func (b block) event(t *testing.T) m {
	t.Helper()
	return apptest.Decode(t, []byte(b.data))
}

// blocks reads a stream to its end. Comments are counted.
func blocks(t *testing.T, body string) (all []block, comments int) {
	t.Helper()
	sc := bufio.NewScanner(strings.NewReader(body))
	sc.Buffer(nil, 1<<24)
	next := block{id: -1}
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case sc.Text() == "":
			if next.data != "" {
				all = append(all, next)
			}
			next = block{id: -1}
		case name == "":
			comments++
		case name == "event":
			next.name = value
		case name == "data":
			next.data = value
		case name == "id":
			n, err := strconv.Atoi(value)
			require.NoError(t, err)
			next.id = n
		}
	}
	require.NoError(t, sc.Err())
	return all, comments
}

// events follows a run of ann's to its end and returns its events, whose stream has to be right.
func events(t *testing.T, s *apptest.Server, url string, edit ...func(*http.Request)) []m {
	t.Helper()
	r := s.Get("ann", url, edit...)
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	require.Equal(t, "text/event-stream", r.Header.Get("Content-Type"))
	all, _ := blocks(t, r.Body)
	var out []m
	for _, b := range all {
		e := b.event(t)
		assert.Equal(t, b.name, e["type"])
		assert.EqualValues(t, b.id, e["sequence"])
		out = append(out, e)
	}
	return out
}

// typesOf returns the types of events, in order.
func typesOf(all []m) (types []string) {
	for _, e := range all {
		types = append(types, e["type"].(string))
	}
	return types
}

// ofType returns the payloads of the events of a type.
func ofType(all []m, name string) (payloads []m) {
	for _, e := range all {
		if e["type"] == name {
			payloads = append(payloads, e["payload"].(m))
		}
	}
	return payloads
}

// comparable returns what a replay has to have in common with its run: types, nodes and payloads.
func facts(t *testing.T, all []m) string {
	t.Helper()
	var out []m
	for _, e := range all {
		out = append(out, m{"type": e["type"], "nodeId": e["nodeId"], "payload": e["payload"]})
	}
	raw, err := json.MarshalIndent(out, "", " ")
	require.NoError(t, err)
	return string(raw)
}

// awaitStatus reads a run of ann's until it has a status.
func awaitStatus(t *testing.T, s *apptest.Server, url, status string) (now m) {
	t.Helper()
	apptest.Eventually(t, "the run is "+status, func() bool {
		now = s.Get("ann", url).JSON()
		return now["status"] == status || now["completedAt"] != nil
	})
	require.Equal(t, status, now["status"])
	return now
}

// follow opens a stream of ann's and returns its lines, until the test ends.
func follow(t *testing.T, s *apptest.Server, url string) *bufio.Scanner {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	resp, err := s.Caller.Do(s.Request(ctx, "ann", http.MethodGet, url, ""))
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(t, http.StatusOK, resp.StatusCode)
	return bufio.NewScanner(resp.Body)
}

// asking is a script whose one call of the tool deploy waits for a person.
func asking() m {
	return m{
		"steps": []m{
			{"narrative": "The tests pass. I deploy.", "tool_calls": []m{
				{"id": "a", "name": "deploy", "arguments": m{"to": "production"}, "rationale": "all is green"},
			}},
			{"text": "Done."},
		},
		"tools": m{"deploy": m{"result": "deployed", "approval": "always"}},
	}
}

// quick are the settings of a server whose users may send as fast as a test does.
var quick = app.Settings{SendsPerMinute: 10_000}

// longText is more than any other text of a run.
var longText = strings.Repeat("All work and no play makes a long text. ", 500)

// contextOf returns a context of the test's that can be ended before.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// firstBlock reads up to the end of the first server-sent event.
func firstBlock(t *testing.T, body io.Reader) block {
	t.Helper()
	var text strings.Builder
	for sc := bufio.NewScanner(body); sc.Scan(); {
		text.WriteString(sc.Text() + "\n")
		if sc.Text() == "" {
			break
		}
	}
	all, _ := blocks(t, text.String())
	require.Len(t, all, 1)
	return all[0]
}

// decodeFrom reads a JSON object.
func decodeFrom(t *testing.T, body io.Reader) (out m) {
	t.Helper()
	require.NoError(t, json.NewDecoder(body).Decode(&out))
	return out
}
