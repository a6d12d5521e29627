package wrapper

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"candor/attach"
)

// MaxMessage bounds a message that is read as a whole, in bytes.
const MaxMessage = 8 << 20

// The bounds of what a connection keeps.
const (
	maxPending = 1000 // requests without an answer; the oldest is forgotten first
	maxRequest = 256  // of the id of such a request, in bytes
	maxCalls   = 1000 // of a turn; then the next one begins
)

// Options say how to record a connection. Session is required.
type Options struct {
	Session  string           // id of the session, unique to the connection
	Folder   string           // in which the client started the wrapper
	Required bool             // let schemas demand a reason
	Now      func() time.Time // nil means time.Now

	// Clean takes secrets out of the names of the client and the server, before they become others; nil leaves them.
	Clean func(name string) string
}

// Conn is the connection between a client and a server. It is safe for concurrent use.
type Conn struct {
	Options

	mu    sync.Mutex
	tools tools
	// The client's requests that wait for an answer, by the client's id. The server's own have ids of their own.
	open map[string]*request
	// Calls that the server answered with a question, the oldest first, and those that became tasks, by the tasks' ids.
	asking []*request
	tasks  map[string]*request
	// How many there were, by which the oldest is known, and how many of them called a tool.
	requests, calls int
	// Each fact is a copy of who, with something told: it has the agent's name, the session and the turn.
	who   attach.Sighting
	about attach.About
	// Messages that were too long to be read.
	long int
}

// request is one whose answer matters.
type request struct {
	number int
	method string
	at     time.Time
	// Of tools/list: whether the list begins anew with the answer.
	fresh bool
	// Of tools/call: the id of the call and its turn, in which the result stands, too; the tool and its arguments, and
	// the state that the server wants back, by which the same call is known when it is sent once more.
	call, turn, tool string
	args, state      digest
	// Of a request about a task: the task. Of the call of a task: how it ended, if no more is heard.
	task string
	last *attach.Returned
	// How many other requests wait under the same id. Nobody knows whose answer comes first, so that none is read.
	others int
}

// New returns a connection that has seen no message.
func New(o Options) *Conn {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Clean == nil {
		o.Clean = strings.TrimSpace
	}
	return &Conn{
		Options: o, open: map[string]*request{}, tasks: map[string]*request{}, about: attach.About{Folder: o.Folder},
		who: attach.Sighting{Agent: attach.AgentName(""), Session: o.Session, Channel: attach.Wrapper},
	}
}

// Long returns how many messages passed that were too long to record.
func (c *Conn) Long() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.long
}

// Message is the result of reading a message: its bytes for the other side, and the sightings in it. Facts share memory
// with the message that came and with Bytes.
type Message struct {
	Bytes []byte
	Facts []attach.Sighting
}

// FromClient returns the message to send to the server instead of raw, which may be a batch.
func (c *Conn) FromClient(raw []byte) Message {
	return c.each(raw, c.asked)
}

// FromServer returns the message to send to the client instead of raw, which may be a batch.
func (c *Conn) FromServer(raw []byte) Message {
	return c.each(raw, c.answer)
}

// each has read look at each message of raw.
func (c *Conn) each(raw []byte, read func(raw []byte, at int, out *news)) Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Older versions of the protocol allow several messages in a line, in an array.
	var out news
	if at := blank(raw, 0); at < len(raw) && raw[at] == '[' {
		elements(raw, at, func(v span) { read(raw, v.from, &out) })
	} else {
		read(raw, at, &out)
	}
	return Message{Bytes: edited(raw, out.edits), Facts: out.facts}
}

// news collects what the messages of a line need and tell.
type news struct {
	edits []edit
	facts []attach.Sighting
}

// asked reads a message of the client. Of a member that is there twice the last counts, as it does for most readers.
func (c *Conn) asked(raw []byte, at int, out *news) {
	m, _ := find(raw, at, "id", "method", "params")
	if !m["method"].found() {
		return
	}
	// These are all that matters; a method that is new to us passes like the others.
	id, params := m["id"], m["params"]
	switch method := decoded(m["method"].of(raw)); method {
	case "initialize", "server/discover":
		c.meet(raw, params)
		c.await(raw, id, request{method: method})
	case "tools/list":
		c.meet(raw, params)
		c.await(raw, id, request{method: method, fresh: !hasCursor(raw, params)})
	case "tools/call":
		if json.Valid(raw) {
			c.meet(raw, params)
			c.call(raw, at, id, params, out)
		}
	case "tasks/get", "tasks/result", "tasks/cancel":
		c.await(raw, id, request{method: method, task: taskIn(raw, params)})
	case "notifications/cancelled":
		c.cancelled(raw, params, out)
	}
}

// hasCursor reports whether a request for a list asks for a page behind the first.
func hasCursor(raw []byte, params span) bool {
	if !params.found() {
		return false
	}
	// Some clients send null for the first page.
	p, _ := find(raw, params.from, "cursor")
	return p["cursor"].found() && string(p["cursor"].of(raw)) != "null"
}

// await notes a request whose answer matters. The one that waits for longest has to go if there are too many.
func (c *Conn) await(raw []byte, id span, r request) {
	if !id.found() || id.to-id.from > maxRequest || string(id.of(raw)) == "null" {
		return // null is the id in answers to what the server could not read
	}
	key := requestKey(id.of(raw))
	if before := c.open[key]; before != nil {
		r = request{others: before.others + 1}
	}
	// Servers need not answer what was cancelled, or at all, so requests may stay open for ever.
	if len(c.open) >= maxPending && c.open[key] == nil {
		delete(c.open, oldest(c.open))
	}
	c.requests++
	if r.number = c.requests; r.at.IsZero() {
		r.at = c.Now()
	}
	c.open[key] = &r
}

// requestKey returns what two spellings of an id have in common: servers read ids and write them anew.
func requestKey(raw []byte) string {
	if raw[0] == '"' {
		return `"` + decoded(raw)
	}
	// Numbers beyond 2^53 are not the same for every reader, so they keep their digits.
	if n, err := strconv.ParseFloat(string(raw), 64); err == nil && n == float64(int64(n)) && n < 1<<53 && n > -1<<53 {
		return strconv.FormatInt(int64(n), 10)
	}
	return string(raw)
}

// Relay moves the lines of one direction.
type Relay struct {
	// These functions must not keep their arguments.
	Read func(message []byte) Message  // reads a message
	Long func(start []byte) []byte     // reads the beginning of one that is too long
	Told func(facts []attach.Sighting) // receives the facts of messages, after they were passed on
}

// Run writes to out the messages that replace the lines of in, each as soon as its line is complete, until in ends or
// out fails. A line that is too long is passed on as it arrives.
func (r Relay) Run(out io.Writer, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	var held []byte
	for {
		// A line that fits into the buffer is not copied.
		part, err := lines.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if len(held) > 0 || full {
			held = append(held, part...)
			part = held
		}
		switch {
		case full && len(held) <= MaxMessage:
			continue
		case full:
			if _, err := out.Write(r.Long(held)); err != nil {
				return err
			}
			err = passRest(out, lines)
		case len(part) > 0:
			if err := r.pass(out, part); err != nil {
				return err
			}
		}
		if held = held[:0]; cap(held) > 1<<20 {
			held = nil // one long message shall not cost memory for ever
		}
		if err != nil {
			return unlessEnd(err)
		}
	}
}

// pass writes what stands for a message, and tells what it told.
func (r Relay) pass(out io.Writer, message []byte) error {
	// The other side has the message before anybody hears what it told.
	m := r.Read(message)
	_, err := out.Write(m.Bytes)
	r.Told(m.Facts)
	return err
}

// passRest passes on what is left of a line.
func passRest(out io.Writer, lines *bufio.Reader) error {
	for {
		part, err := lines.ReadSlice('\n')
		if _, failed := out.Write(part); failed != nil {
			return failed
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// unlessEnd returns an error, and nil for the end of what is read.
func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
