package ledger

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// frame is a block of a stream that has an id: the block as it came, without its end.
type frame struct{ id, text string }

// Reader follows a user's stream from its origin, and resumes it at the last id wherever it breaks.
type Reader struct {
	User    string
	Resumed int // how often it was connected again

	frames []frame
	failed string // a status that a resuming client must never get
}

// Follow reads until a frame has the given text, or ctx ends. origin is the id before the first event.
func (l *Ledger) Follow(ctx context.Context, user, origin, until string) *Reader {
	r := &Reader{User: user, Resumed: -1}
	last := origin
	for ctx.Err() == nil && r.failed == "" {
		r.Resumed++
		if last = l.read(ctx, r, last, until); last == "" {
			break
		}
		pause(ctx)
	}
	return r
}

// read reads one connection to its end and returns the last id, or "" if until was seen. A connection
// that says nothing for long is given up, as a client's own timer would.
func (l *Ledger) read(ctx context.Context, r *Reader, last, until string) string {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	resp, err := l.subscribe(ctx, r.User, last)
	if err != nil {
		return last
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
			r.failed = resp.Status
		}
		return last
	}
	lines := bufio.NewReader(resp.Body)
	for {
		f, err := nextFrame(lines)
		if err != nil {
			return last // a block that was cut off comes again
		}
		quiet.Reset(silence)
		if f.id == "" || !strings.Contains(f.text, "data:") {
			continue // a heartbeat, or the text of a running step, which no log has
		}
		r.frames, last = append(r.frames, f), f.id
		if strings.Contains(f.text, until) {
			return ""
		}
	}
}

// subscribe opens a user's stream at one of the servers, behind the last id.
func (l *Ledger) subscribe(ctx context.Context, user, last string) (*http.Response, error) {
	url := l.Servers[rand.IntN(len(l.Servers))] + "/api/chat/events"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.Tokens[user])
	req.Header.Set("Last-Event-ID", last)
	return l.Client.Do(req)
}

// nextFrame reads a block. Comments and retry are left out: they are about the connection, and differ
// between two that carry the same events.
func nextFrame(lines *bufio.Reader) (f frame, err error) {
	for {
		line, err := lines.ReadString('\n')
		switch {
		case err != nil:
			return frame{}, err
		case line == "\n":
			return f, nil
		case strings.HasPrefix(line, ":"), strings.HasPrefix(line, "retry:"):
			continue
		}
		f.text += line
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			f.id = strings.TrimSpace(id)
		}
	}
}

// silence is how long a connection may say nothing at all.
const silence = 20 * time.Second
