package wrapper

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// listen follows the stream of what the server says by itself, if it has one.
func (r *Remote) listen(ctx context.Context) {
	// A client that says twice that it is ready has one stream.
	r.mu.Lock()
	known := r.listening
	r.listening = true
	r.mu.Unlock()
	if !known {
		r.start(func() { r.hear(ctx) })
	}
}

// hear follows the stream and opens it again where it breaks. Most servers have none and say so.
func (r *Remote) hear(ctx context.Context) {
	for pause := firstRetry; ; pause = min(2*pause, maxRetry) {
		resp, err := r.do(ctx, http.MethodGet, nil, "")
		if err == nil {
			// 405 is what the protocol has for it, but nobody needs to know why there is none.
			if !isStream(resp) {
				_ = resp.Body.Close()
				return
			}
			_ = r.follow(ctx, resp, nil) // what broke is opened again
			pause = firstRetry
		}
		if !sleep(ctx, pause) {
			return
		}
	}
}

// isStream reports whether an answer is a stream of events.
func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream"
}

// mediaType returns the type of an answer, or "" if it names none.
func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // what is no type is ""
	return kind
}

// sleep waits, and returns false if ctx ends first.
func sleep(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// errBroken is why a request whose stream ended has no answer.
var errBroken = errors.New("the MCP server ended the stream without an answer")

// pauseFor returns how long to wait before a stream is opened again, where a server asks for a time.
func pauseFor(retry time.Duration) time.Duration { return min(max(retry, minRetry), maxRetry) }

// follow passes on the messages of a stream until it ends, or has answered the requests in left, and closes it. Where
// left is nil it is no request's. Where a stream breaks that can be taken up again, it is: servers may end streams
// whenever they like.
func (r *Remote) follow(ctx context.Context, stream *http.Response, left *pending) error {
	last, pause := "", firstRetry
	// Each round is one stream. The place where it broke is known by the last event that had an id; without one the
	// server could not say what comes next, and the answer is lost with the stream.
	for {
		err := events(stream.Body, func(e event) bool {
			if e.id != "" {
				last = e.id
			}
			if e.retry > 0 {
				pause = pauseFor(e.retry)
			}
			// Events of other names are none of the protocol's messages.
			if (e.name == "" || e.name == "message") && r.deliver(e.data) && left != nil {
				left.heard(e.data)
			}
			return left == nil || len(*left) > 0
		})
		_ = stream.Body.Close()
		switch {
		case errors.Is(err, errAnswered):
			return nil
		case errors.Is(err, errLong):
			return err
		case last == "":
			return errBroken
		case !sleep(ctx, pause):
			return ctx.Err()
		}
		// The server repeats what came behind the event that we name.
		if stream, err = r.do(ctx, http.MethodGet, nil, last); err != nil {
			return err
		}
		if !isStream(stream) {
			_ = stream.Body.Close()
			return errBroken
		}
	}
}

// event is an event of a stream.
type event struct {
	name string
	// A message. Events without one tell an id, or keep the stream open.
	data []byte
	// By which the stream is taken up again behind the event.
	id string
	// How long to wait before that, 0 if the server does not say.
	retry time.Duration
}

// errAnswered ends a stream from which nothing more is needed.
var errAnswered = errors.New("answered")

// events reads events until the stream ends, or visit returns false, which is errAnswered.
func events(body io.Reader, visit func(e event) bool) error {
	// The form is that of server-sent events: fields in lines, and an empty line behind each event.
	lines := bufio.NewReader(body)
	var e event
	for {
		text, err := fieldLine(lines)
		if err != nil {
			return err // an event that is cut short is none
		}
		if len(text) == 0 {
			if !visit(e) {
				return errAnswered
			}
			e = event{}
			continue
		}
		// A line that begins with a colon is a comment, whose name is empty here.
		name, value, _ := strings.Cut(string(text), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			if e.data = append(append(e.data, value...), '\n'); len(e.data) > maxAnswer {
				return errLong
			}
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "retry":
			// A server that wants us to wait for days has us wait for as long as we ever do.
			if ms, err := strconv.Atoi(value); err == nil && ms > 0 && ms < 1<<30 {
				e.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// fieldLine returns a line of a stream without its end.
func fieldLine(lines *bufio.Reader) (text []byte, err error) {
	// A line longer than the buffer comes in parts, and the bound holds for all of them together.
	for {
		part, err := lines.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > maxAnswer:
			return nil, errLong
		case err == nil:
			return bytes.TrimRight(text, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
