package wrapper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// The bounds of a server that speaks HTTP.
const (
	maxAnswer  = 64 << 20 // of a message in either direction, in bytes
	maxAtOnce  = 256      // messages on their way, or that wait for their answers
	leaveTime  = time.Second
	noteTime   = 10 * time.Second       // for a server to take a message that needs no answer
	firstRetry = time.Second            // before a stream that broke is opened again
	minRetry   = 100 * time.Millisecond // whatever a server asks for
	maxRetry   = 30 * time.Second
)

// Remote is an MCP server that speaks Streamable HTTP, for a client that speaks standard input and output. Its exported
// fields are set before Run; all but Header are required.
type Remote struct {
	URL    string
	Header http.Header // of each request, such as Authorization
	Client *http.Client
	Conn   *Conn
	Relay  Relay     // for messages of the client
	Out    io.Writer // gets the messages for the client, one a line

	// Held while a message is written: answers come side by side, and none may stand within another.
	writing sync.Mutex
	// The goroutines of the connection.
	working sync.WaitGroup
	// A slot is taken by each request that waits for its answer, and by each note.
	slots chan struct{}
	notes chan posted

	mu sync.Mutex
	// The id that the server gave the connection, and the version of the protocol that it chose. All requests behind
	// the first have both.
	session, version string
	// What ends the requests of newer revisions that are under way, by their ids.
	flying map[string]*context.CancelFunc
	// Whether the server's own stream has been asked for, and whether nothing more may begin.
	listening, over bool
}

// Run passes on the lines of in until in ends or ctx does. Then it waits up to a second for outstanding answers and
// ends the session at the server. When Run returns, only a read of in may still be in progress.
func (r *Remote) Run(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r.slots, r.notes = make(chan struct{}, maxAtOnce), make(chan posted, maxAtOnce)
	// A read of standard input ends with the process only, so nobody waits for this one if ctx ends first.
	lines, feed := io.Pipe()
	go func() {
		_, err := io.Copy(feed, in)
		_ = feed.CloseWithError(err)
	}()
	read := make(chan error, 1)
	r.start(func() { read <- r.relay(ctx, lines) })
	r.start(func() { r.sendNotes(ctx) })
	var err error
	select {
	case err = <-read:
		r.answered(ctx)
	case <-ctx.Done():
	}
	// From here on nothing begins, and what is under way is cut off: there is nobody who would read it.
	stop()
	_ = lines.Close()
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.working.Wait()
	r.leave()
	return err
}

// relay sends the messages of the client.
func (r *Remote) relay(ctx context.Context, in io.Reader) error {
	p := &posting{limit: maxAnswer, send: func(message []byte) { r.send(ctx, message) }, refuse: func(id []byte) {
		r.fail(ctx, pending{id}, errLongRequest)
	}}
	err := r.Relay.Run(p, in)
	p.flush()
	return err
}

// answered returns when no message waits to be sent or answered, or after a second.
func (r *Remote) answered(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, leaveTime)
	defer stop()
	for range cap(r.slots) {
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

// start runs f beside the others, unless the connection is over.
func (r *Remote) start(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.working.Go(f)
	}
}

// send sends a message. Requests wait for their answers beside each other, and for the one that opens the session.
func (r *Remote) send(ctx context.Context, message []byte) {
	left, method := requestsIn(message)
	if method == "initialize" {
		r.exchange(ctx, message, left, method)
		return
	}
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	if len(left) > 0 {
		ctx, landed := r.flight(ctx, message, left)
		r.start(func() {
			defer func() { landed(); <-r.slots }()
			r.exchange(ctx, message, left, method)
		})
		return
	}
	if method == "notifications/cancelled" && r.cancelled(message) {
		<-r.slots
		return
	}
	one := posted{message, make(chan struct{})}
	r.notes <- one // has room for all that have a slot
	if method != "notifications/initialized" {
		return
	}
	// Servers may refuse what comes before it.
	select {
	case <-one.sent:
		r.listen(ctx)
	case <-ctx.Done():
	}
}

// do makes a request. Its error has no URL, whose query may hold a secret.
func (r *Remote) do(ctx context.Context, method string, message []byte, last string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(message))
	if err != nil {
		return nil, errors.New("the MCP server's URL is not valid")
	}
	// What the protocol needs comes behind, and so counts before what a person gave.
	for name, values := range r.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Header.Set("Accept", "text/event-stream")
	}
	r.mu.Lock()
	for name, value := range map[string]string{
		"Mcp-Session-Id": r.session, "Mcp-Protocol-Version": r.version, "Last-Event-Id": last,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	r.mu.Unlock()
	for name, values := range r.Conn.headersFor(message) {
		req.Header[name] = values
	}
	resp, err := r.Client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("no answer from the MCP server at %s: %w", req.URL.Host, failed.Err)
	}
	return resp, err
}

// learnVersion takes the version of the protocol from the answer to the first request.
func (r *Remote) learnVersion(message []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != "" {
		return
	}
	// The first result is that of the request that opens the session.
	if m, _ := find(message, 0, "result"); m["result"].found() {
		result, _ := find(message, m["result"].from, "protocolVersion")
		if v := result["protocolVersion"]; v.found() {
			r.version = decoded(v.of(message))
		}
	}
}

// leave ends the session.
func (r *Remote) leave() {
	r.mu.Lock()
	session := r.session
	r.mu.Unlock()
	if session == "" {
		return
	}
	// The connection's own context is over. A server that does not answer forgets the session by itself.
	ctx, stop := context.WithTimeout(context.Background(), leaveTime)
	defer stop()
	if resp, err := r.do(ctx, http.MethodDelete, nil, ""); err == nil {
		_ = resp.Body.Close()
	}
}
