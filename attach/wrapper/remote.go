package wrapper

import (
	"bytes"
	"context"
	"encoding/json"
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
	maxAtOnce  = 256      // requests that wait for their answers
	leaveTime  = time.Second
	firstRetry = time.Second // before a stream that broke is opened again
	maxRetry   = 30 * time.Second
)

// Remote is an MCP server that speaks Streamable HTTP, for a client that speaks standard input and output. Its exported
// fields are set before Run; all of them are required but Header.
type Remote struct {
	URL    string
	Header http.Header // of each request, such as Authorization
	Client *http.Client
	Conn   *Conn
	Relay  Relay     // for messages of the client
	Out    io.Writer // gets the messages for the client, one a line

	// Held while a message is written: answers come side by side, and none may stand within another.
	writing sync.Mutex
	// The goroutines of the connection, but for the one that reads the client.
	working sync.WaitGroup
	// A slot is taken by each request that waits for its answer.
	slots chan struct{}

	mu sync.Mutex
	// The id that the server gave the connection, and the version of the protocol that it chose. All requests behind
	// the first have both.
	session, version string
	// Whether the server's own stream has been asked for, and whether nothing more may begin.
	listening, over bool
}

// Run passes on the lines of in until it ends or ctx does. Then requests that wait for their answers have a second to
// get them, and the server is told that the session is over. Only a read of in may go on when Run returns.
func (r *Remote) Run(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r.slots = make(chan struct{}, maxAtOnce)
	// A read of standard input ends with the process only, so nobody waits for this one if ctx ends first.
	read := make(chan error, 1)
	go func() {
		p := &posting{send: func(message []byte) { r.send(ctx, message) }}
		err := r.Relay.Run(p, in)
		p.flush()
		read <- err
	}()
	var err error
	select {
	case err = <-read:
		r.answered(ctx)
	case <-ctx.Done():
	}
	// From here on nothing begins, and what is under way is cut off: there is nobody who would read it.
	stop()
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.working.Wait()
	r.leave()
	return err
}

// answered returns when no request waits for its answer, or after a second.
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

// posting collects what a relay writes to whole lines.
type posting struct {
	held []byte
	long bool
	send func(message []byte)
}

// Write implements io.Writer. A line that is too long for a request is dropped.
func (p *posting) Write(part []byte) (int, error) {
	// A relay passes a message that is too long in parts, which HTTP has to have as one.
	if p.held = append(p.held, part...); len(p.held) > maxAnswer {
		p.held, p.long = p.held[:0], true
	}
	if bytes.HasSuffix(part, []byte("\n")) {
		p.flush()
	}
	return len(part), nil
}

// flush sends the line.
func (p *posting) flush() {
	message := bytes.TrimSpace(p.held)
	if len(message) > 0 && !p.long {
		p.send(bytes.Clone(message))
	}
	p.held, p.long = nil, false
}

// send sends a message. Requests wait for their answers beside each other; whatever else a client says, and the first
// request, which opens the session, keep their order.
func (r *Remote) send(ctx context.Context, message []byte) {
	m, _ := find(message, 0, "id", "method")
	// An answer of the client has an id and no method, a notification a method and no id.
	method, id := "", []byte(nil)
	if m["method"].found() {
		method = decoded(m["method"].of(message))
	}
	if method != "" && m["id"].found() {
		id = m["id"].of(message)
	}
	// A batch may have requests among its messages, so it waits like one.
	if message[0] != '[' && id == nil || method == "initialize" {
		r.exchange(ctx, message, id, method)
		if method == "notifications/initialized" {
			r.listen(ctx)
		}
		return
	}
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	r.start(func() {
		defer func() { <-r.slots }()
		r.exchange(ctx, message, id, method)
	})
}

// exchange posts a message and passes on what comes back. A request that fails is answered with an error, since its
// client would wait for ever.
func (r *Remote) exchange(ctx context.Context, message, id []byte, method string) {
	resp, err := r.do(ctx, http.MethodPost, message, "")
	if err != nil {
		r.fail(ctx, id, err)
		return
	}
	defer resp.Body.Close()
	// Whoever has no session yet gets one with the answer to the first request, or never.
	if method == "initialize" {
		r.mu.Lock()
		r.session = resp.Header.Get("Mcp-Session-Id")
		r.mu.Unlock()
	}
	switch {
	case resp.StatusCode >= 300:
		r.fail(ctx, id, fmt.Errorf("the MCP server answers %s", resp.Status))
	case isStream(resp):
		if err := r.follow(ctx, resp, id); err != nil {
			r.fail(ctx, id, err)
		}
	case resp.StatusCode != http.StatusAccepted:
		// One more byte than allowed tells a long answer from one that just fits.
		raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
		if err == nil && len(raw) > maxAnswer {
			err = errLong
		}
		if err != nil {
			r.fail(ctx, id, err)
			return
		}
		r.deliver(raw)
	}
}

// errLong is why an answer is not passed on.
var errLong = errors.New("the MCP server's answer is longer than 64 MiB")

// do makes a request. Its error has no URL, whose query may hold a secret.
func (r *Remote) do(ctx context.Context, method string, message []byte, last string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(message))
	if err != nil {
		return nil, errors.New("the URL of the MCP server is none")
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
	resp, err := r.Client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("no answer from the MCP server at %s: %w", req.URL.Host, failed.Err)
	}
	return resp, err
}

// fail answers a request with an error. What needs no answer fails in silence, as it would over standard input.
func (r *Remote) fail(ctx context.Context, id []byte, why error) {
	if id == nil || ctx.Err() != nil {
		return
	}
	// The code is the first of those that JSON-RPC leaves to servers; the words say that they are ours.
	text, _ := json.Marshal("candor wrap: " + why.Error()) // of a string
	r.deliver(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, id, text))
}

// deliver gives a message to the client, as one line.
func (r *Remote) deliver(message []byte) {
	message = bytes.TrimSpace(message)
	if len(message) == 0 {
		return
	}
	// Line ends stand between the values of JSON only, where a space means the same.
	for i, b := range message {
		if b == '\n' || b == '\r' {
			message[i] = ' '
		}
	}
	// The bytes are the server's from here on, and go the way of a line of a program.
	r.learnVersion(message)
	m := Message{Bytes: message}
	if len(message) > MaxMessage {
		m.Bytes = r.Conn.LongFromServer(message)
	} else {
		m = r.Conn.FromServer(message)
	}
	r.writing.Lock()
	_, _ = r.Out.Write(append(bytes.Clone(m.Bytes), '\n')) // a client that no longer reads is ending
	r.writing.Unlock()
	r.Relay.Told(m.Facts)
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
