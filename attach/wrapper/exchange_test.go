package wrapper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// lineTransport is a transport without a network: what serve returns is the answer, and "" is none.
type lineTransport func(body string) string

func (serve lineTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	answer := serve(string(body))
	if answer == "" {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(answer)), Request: req}, nil
}

// near is a wrapper in front of a transport. Its clock is that of the test's bubble.
type near struct {
	in    *io.PipeWriter
	out   bytes.Buffer
	ended chan error

	mu    sync.Mutex
	facts []attach.Sighting
}

// newNear starts a wrapper.
func newNear(ctx context.Context, serve lineTransport) *near {
	stdin, in := io.Pipe()
	n := &near{in: in, ended: make(chan error, 1)}
	c := New(Options{Session: "s"})
	r := &Remote{URL: "http://server", Client: &http.Client{Transport: serve}, Conn: c, Out: &n.out,
		Relay: Relay{Read: c.FromClient, Long: c.LongFromClient,
			Told: func(facts []attach.Sighting) {
				n.mu.Lock()
				defer n.mu.Unlock()
				n.facts = append(n.facts, facts...)
			}}}
	go func() { n.ended <- r.Run(ctx, stdin) }()
	return n
}

func TestANotificationThatIsNotTakenHoldsUpNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := make(chan string, 3)
		n := newNear(t.Context(), func(body string) string {
			heard <- body
			if strings.Contains(body, "stuck") {
				return ""
			}
			return `{"id":5,"result":{}}`
		})
		for _, line := range []string{`{"method":"stuck"}`, `{"id":"mine","result":{}}`, `{"id":5,"method":"a"}`} {
			_, _ = io.WriteString(n.in, line+"\n")
		}
		synctest.Wait()
		assert.Equal(t, `{"id":5,"result":{}}`+"\n", n.out.String())
		assert.Len(t, heard, 2, "notes keep their order")
		time.Sleep(noteTime)
		synctest.Wait()
		assert.Len(t, heard, 3, "and wait no longer than that for each other")
		require.NoError(t, n.in.Close())
		require.NoError(t, <-n.ended)
		assert.Equal(t, `{"id":5,"result":{}}`+"\n", n.out.String(), "a note has no answer")
	})
}

func TestNothingIsSaidOrToldOnceAConnectionIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		n := newNear(ctx, func(string) string { return `{"id":0,"result":{}}` })
		stop()
		require.NoError(t, <-n.ended)
		go func() {
			_, err := io.WriteString(n.in, `{"id":5,"method":"tools/call","params":{"name":"x"}}`+"\n")
			assert.True(t, err == nil || errors.Is(err, io.ErrClosedPipe))
			_ = n.in.Close()
		}()
		synctest.Wait()
		assert.Empty(t, n.facts)
		assert.Empty(t, n.out.String())
	})
}

const batch = `[{"id":1,"method":"a"},{"method":"note"},{"id":"b","method":"b"},{"id":7,"result":{}}]`

func TestEachRequestIsAnswered(t *testing.T) {
	failed := func(id, why string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":"candor wrap: ` + why + `"}}` + "\n"
	}
	for name, c := range map[string]struct{ said, answer, want string }{
		"one by the answer of another": {`{"id":1,"method":"a"}`, `{"id":9,"result":{}}`,
			`{"id":9,"result":{}}` + "\n" + failed("1", errOther.Error())},
		"a batch by a page": {batch, "<html>", failed("1", errNoJSON.Error()) + failed(`"b"`, errNoJSON.Error())},
		"a batch in part": {batch, `[{"id":"b","result":{}}, {"method":"x"}]`,
			`[{"id":"b","result":{}}, {"method":"x"}]` + "\n" + failed("1", errOther.Error())},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNear(t.Context(), func(string) string { return c.answer })
				_, _ = io.WriteString(n.in, c.said+"\n")
				synctest.Wait()
				assert.Equal(t, c.want, n.out.String())
				require.NoError(t, n.in.Close())
				require.NoError(t, <-n.ended)
			})
		})
	}
}

func TestABatchIsAnsweredByAStream(t *testing.T) {
	f := newFar(t, t.Context(), polite(func(w http.ResponseWriter, _ *http.Request) {
		streamed(w, "data: {\"id\":\"b\",\"result\":{}}\n\ndata: [{\"id\":1.0,\"result\":{}}]\n\n")
	}))
	f.say(batch)
	assert.Equal(t, `{"id":"b","result":{}}`, f.hear())
	assert.Equal(t, `[{"id":1.0,"result":{}}]`, f.hear())
	require.NoError(t, f.in.Close())
	_, err := f.out.ReadByte()
	assert.Equal(t, io.EOF, err, "both have their answers")
}

func TestMessagesOverHTTPAreBounded(t *testing.T) {
	for _, start := range []string{"", "data: "} {
		endless := io.MultiReader(strings.NewReader(start), endlessLine{})
		assert.ErrorIs(t, events(endless, func(event) bool { return true }), errLong)
	}

	var sent, refused []string
	p := &posting{limit: 1 << 20, send: func(m []byte) { sent = append(sent, string(m)) },
		refuse: func(id []byte) { refused = append(refused, string(id)) }}
	piece := bytes.Repeat([]byte("x"), 1<<18)
	long := func(start, end string) {
		_, _ = fmt.Fprint(p, start)
		for range 4 {
			_, _ = p.Write(piece)
		}
		_, _ = fmt.Fprint(p, end+"\n")
		_, _ = fmt.Fprint(p, "next\n")
	}
	long(`{"id":1,"method":"m","params":"`, `"}`)
	long(`{"method":"m","params":{"a":"`, `","id":9},"jsonrpc":"2.0", "id":"two"}`)
	long(`{"params":["`, `"],"method":"m","id":3}`)
	long(`{"id":4,"result":"`, `"}`)
	long(`{"result":["`, `"],"id":5}`)
	long(`{"method":"note","params":{"a":"`, `","id":6}}`)
	long("", "the end")
	assert.Equal(t, slices.Repeat([]string{"next"}, 7), sent)
	assert.Equal(t, []string{"1", `"two"`, "3"}, refused, "requests, and nothing else")
}

// endlessLine never ends a line.
type endlessLine struct{}

func (endlessLine) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
