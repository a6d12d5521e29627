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
	"regexp"
	"slices"
)

// pending are the ids of requests that wait for their answers.
type pending [][]byte

// requestsIn returns the ids of the requests in a message, which may be a batch, and its method if it is none.
func requestsIn(message []byte) (ids pending, method string) {
	one := func(at int) string {
		// An answer of the client has an id and no method, a notification a method and no id.
		m, _ := find(message, at, "id", "method")
		if !m["method"].found() {
			return ""
		}
		if m["id"].found() {
			ids = append(ids, m["id"].of(message))
		}
		return decoded(m["method"].of(message))
	}
	if at := blank(message, 0); at < len(message) && message[at] == '[' {
		elements(message, at, func(v span) { one(v.from) })
		return ids, ""
	}
	method = one(0)
	return ids, method
}

// heard takes out the requests that a message answers.
func (p *pending) heard(message []byte) {
	one := func(at int) {
		m, _ := find(message, at, "id", "method")
		if !m["id"].found() || m["method"].found() {
			return
		}
		key := requestKey(m["id"].of(message))
		// One answer is for one request, even if a client gave an id to several.
		if i := slices.IndexFunc(*p, func(id []byte) bool { return requestKey(id) == key }); i >= 0 {
			*p = slices.Delete(*p, i, i+1)
		}
	}
	if at := blank(message, 0); at < len(message) && message[at] == '[' {
		elements(message, at, func(v span) { one(v.from) })
		return
	}
	one(0)
}

// Why a request has no answer.
var (
	errLong        = errors.New("the MCP server's answer is longer than 64 MiB")
	errLongRequest = errors.New("the request is longer than 64 MiB and was not sent")
	errNoJSON      = errors.New("the MCP server's answer is not JSON")
	errOther       = errors.New("the MCP server's response has no answer to this request")
)

// exchange posts requests and passes on what comes back. Those that fail are answered with an error, since the client
// would wait for ever.
func (r *Remote) exchange(ctx context.Context, message []byte, left pending, method string) {
	resp, err := r.do(ctx, http.MethodPost, message, "")
	if err == nil {
		defer resp.Body.Close()
		// Whoever has no session yet gets one with the answer to the first request, or never.
		if method == "initialize" {
			r.mu.Lock()
			r.session = resp.Header.Get("Mcp-Session-Id")
			r.mu.Unlock()
		}
		err = r.pass(ctx, resp, &left)
	}
	r.fail(ctx, left, err)
}

// pass passes on the answers to requests and takes these out of left. Its error says why some are left.
func (r *Remote) pass(ctx context.Context, resp *http.Response, left *pending) error {
	kind := mediaType(resp)
	switch {
	case resp.StatusCode >= 300:
		if kind == "application/json" && r.passRefusal(resp, left) {
			return errOther
		}
		return r.refused(resp)
	case isStream(resp):
		return r.follow(ctx, resp, left)
	case kind == "":
		return fmt.Errorf("the MCP server answered %s, with neither JSON nor an event stream", resp.Status)
	case kind != "application/json":
		return fmt.Errorf("the MCP server answered with %.100q, which is neither JSON nor an event stream", kind)
	}
	// One more byte than allowed tells a long answer from one that just fits.
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return err
	case len(raw) > maxAnswer:
		return errLong
	case !r.deliver(raw):
		return errNoJSON
	}
	left.heard(raw)
	return errOther
}

// passRefusal passes on an error of the protocol that came with an answer that is no success, and reports whether there
// was one. A client may need its words: which versions the server speaks, for one.
func (r *Remote) passRefusal(resp *http.Response, left *pending) bool {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, MaxMessage))
	if err != nil || !json.Valid(raw) {
		return false
	}
	m, _ := find(raw, 0, "id", "error")
	if !m["error"].found() || raw[m["error"].from] != '{' {
		return false
	}
	// A server that could not read the request does not know its id.
	if id := m["id"]; len(*left) == 1 && (!id.found() || string(id.of(raw)) == "null") {
		raw = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, (*left)[0], m["error"].of(raw))
	}
	before := len(*left)
	left.heard(raw)
	return len(*left) < before && r.deliver(raw)
}

// refused returns the error for an answer that is no success, with the address but for what may be a key of it.
func (r *Remote) refused(resp *http.Response) error {
	address := "the MCP server"
	if u, err := url.Parse(r.URL); err == nil {
		address += " at " + (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	}
	hint := ""
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		hint = "; a key for it is sent with candor wrap --header 'Authorization: Bearer ${VARIABLE}'"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		hint = "; is that its whole address, such as one that ends with /mcp?"
	}
	return fmt.Errorf("%s answers %s%s", address, resp.Status, hint)
}

// fail answers requests with an error. What needs no answer fails in silence, as it would over standard input.
func (r *Remote) fail(ctx context.Context, left pending, why error) {
	for _, id := range left {
		if ctx.Err() != nil {
			return
		}
		// The code is the first of those that JSON-RPC leaves to servers; the words say that they are ours.
		text, _ := json.Marshal("candor wrap: " + why.Error()) // of a string
		r.deliver(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, id, text))
	}
}

// deliver gives a message to the client, as one line. It returns false for what is no JSON object or array, which the
// client does not get.
func (r *Remote) deliver(message []byte) bool {
	message = bytes.TrimSpace(message)
	if len(message) == 0 || message[0] != '{' && message[0] != '[' || !json.Valid(message) {
		return false
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
	return true
}

// posted is a message that needs no answer: a notification, or the client's own answer.
type posted struct {
	message []byte
	sent    chan struct{} // is closed once the server took it, or did not in time
}

// sendNotes sends notes in their order, until ctx ends. A server that does not take one holds up the next for a while.
func (r *Remote) sendNotes(ctx context.Context) {
	for {
		select {
		case one := <-r.notes:
			r.sendNote(ctx, one.message)
			close(one.sent)
			<-r.slots
		case <-ctx.Done():
			return
		}
	}
}

// sendNote sends a note. A server has nothing to say to it.
func (r *Remote) sendNote(ctx context.Context, message []byte) {
	ctx, stop := context.WithTimeout(ctx, noteTime)
	defer stop()
	if resp, err := r.do(ctx, http.MethodPost, message, ""); err == nil {
		_ = resp.Body.Close()
	}
}

// posting collects what a relay writes to whole lines.
type posting struct {
	held  []byte
	long  bool
	limit int // of a line, in bytes
	send  func(message []byte)
	// Hears of a request that is too long.
	refuse func(id []byte)
	// Of a line that is too long: the id that stands in its beginning, and whether its method does.
	id     []byte
	method bool
}

// maxTail bounds the end of a line that is too long, in which its id may stand, in bytes.
const maxTail = 4 << 10

// Write implements io.Writer. A line that is too long for a request is dropped.
func (p *posting) Write(part []byte) (int, error) {
	// A relay passes a message that is too long in parts, which HTTP has to have as one.
	p.held = append(p.held, part...)
	if len(p.held) > p.limit {
		p.drop()
	}
	if p.long && len(p.held) > maxTail {
		p.held = append(p.held[:0], p.held[len(p.held)-maxTail:]...)
	}
	if bytes.HasSuffix(part, []byte("\n")) {
		p.flush()
	}
	return len(part), nil
}

// drop begins to drop a line, and takes down what its beginning says of it.
func (p *posting) drop() {
	p.long = true
	openMember(p.held, blank(p.held, 0), func(m member) {
		switch m.key {
		case "id":
			p.id = bytes.Clone(m.of(p.held))
		case "method":
			p.method = true
		}
	})
	p.held = bytes.Clone(p.held[max(0, len(p.held)-maxTail):])
}

// flush sends the line.
func (p *posting) flush() {
	message := bytes.TrimSpace(p.held)
	switch {
	case p.long:
		p.refuseLong(message)
	case len(message) > 0:
		p.send(bytes.Clone(message))
	}
	*p = posting{limit: p.limit, send: p.send, refuse: p.refuse}
}

// lastMembers are the members of a message behind its parameters, which have no brackets: so no id in them is that of
// anything else.
var lastMembers = regexp.MustCompile(`(?:,\s*"(?:jsonrpc|method|id)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-+.0-9eE]+)\s*)+\}$`)

// refuseLong says that a line with this end was dropped, if it is a request. Of a batch nobody knows.
func (p *posting) refuseLong(end []byte) {
	// Some clients write the id behind the parameters.
	if last := lastMembers.Find(end); last != nil {
		last[0] = '{'
		m, _ := find(last, 0, "id", "method")
		if m["id"].found() {
			p.id = m["id"].of(last)
		}
		p.method = p.method || m["method"].found()
	}
	// An answer has an id and no method.
	if p.method && p.id != nil {
		p.refuse(bytes.Clone(p.id))
	}
}
