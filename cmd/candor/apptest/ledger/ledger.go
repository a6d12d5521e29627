package ledger

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Ledger is a load and what was acknowledged of it. Set the fields, then call its methods, which are safe
// for concurrent use until [Ledger.Judge] is called. Servers and Tokens must not change meanwhile; a
// server that is killed comes back at its address.
type Ledger struct {
	Servers []string          // addresses of the servers, of which each request goes to a random one
	Tokens  map[string]string // of the users, by name
	Client  *http.Client

	mu      sync.Mutex
	sent    []message
	jobs    []job
	decided []decision
	claims  []claim
	refused []string          // answers that a client must never get
	threads map[string]string // the user of each thread
}

// message is what a client sent and what it was told. Its content occurs in no other message, so that it is
// found again wherever it stands.
type message struct {
	User, Thread, Content string
	ID                    string // of the message; empty unless it was acknowledged
	Turn                  int
}

// job is a job that was opened, with the keys of the posts in their order. Each post's message is its key,
// because the list of a job's events does not show keys.
type job struct {
	User, ID, Token string
	Posts           []post
	Ended           bool
}

type post struct {
	Key          string
	Acknowledged bool
}

// errStatus is an answer that is no success.
type errStatus struct {
	Code int
	Body string
}

func (e errStatus) Error() string { return fmt.Sprintf("status %d: %s", e.Code, e.Body) }

// call sends a request to one of the servers and decodes its answer into out, unless that is nil. It fails
// with an errStatus for any answer but a success, and with the client's error if there was none.
func (l *Ledger) call(ctx context.Context, token, method, path string, in, out any) error {
	return l.callAt(ctx, l.Servers[rand.IntN(len(l.Servers))], token, method, path, in, out)
}

// callAt is call for one of the servers.
func (l *Ledger) callAt(ctx context.Context, server, token, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	url := server + path
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := l.Client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode >= 300:
		return errStatus{resp.StatusCode, string(answer)}
	case out == nil:
		return nil
	}
	return json.Unmarshal(answer, out)
}

// OpenThread opens a thread of a user, however long that takes, and returns its id, "" once ctx has
// ended. An attempt that was cut off may have opened another, which stays empty and harms nobody.
func (l *Ledger) OpenThread(ctx context.Context, user string) string {
	var opened struct{ ID string }
	for ctx.Err() == nil {
		if l.call(ctx, l.Tokens[user], http.MethodPost, "/api/chat/thread/new", struct{}{}, &opened) == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.threads == nil {
				l.threads = map[string]string{}
			}
			l.threads[opened.ID] = user
			return opened.ID
		}
		pause(ctx)
	}
	return ""
}

// Origin sends a user's first message and returns the id before the first event of the session.
func (l *Ledger) Origin(ctx context.Context, user string) (string, error) {
	var told struct {
		Session string `json:"session_id"`
	}
	in := map[string]string{"content": "hello"}
	if err := l.call(ctx, l.Tokens[user], http.MethodPost, "/api/chat/send", in, &told); err != nil {
		return "", err
	}
	return told.Session[:8] + "-0", nil
}

// Settle waits until no turn of a user runs or waits. It asks all servers, since one that did not hear of a turn yet
// calls its thread idle, and the one that runs it does not. When ctx ends before that, its error says what the last
// answer was.
func (l *Ledger) Settle(ctx context.Context, user string) error {
	var last error
	for ctx.Err() == nil {
		var err error
		for _, server := range l.Servers {
			err = cmp.Or(err, l.idle(ctx, server, user))
		}
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			last = err
		}
		pause(ctx)
	}
	return errors.Join(ctx.Err(), last)
}

// idle returns nil if a server knows of no turn of a user that runs or waits.
func (l *Ledger) idle(ctx context.Context, server, user string) error {
	var list struct{ Threads []struct{ ID, State string } }
	err := l.callAt(ctx, server, l.Tokens[user], http.MethodGet, "/api/chat/threads", nil, &list)
	for _, t := range list.Threads {
		if t.State != "idle" {
			err = fmt.Errorf("thread %s of %s is %s", t.ID, user, t.State)
		}
	}
	return err
}

// Marker is the title of a job whose frame [Ledger.Mark] puts at the end of a user's stream.
func (l *Ledger) Marker(user string) string { return "the end of " + user }

// Mark puts the marker at the end of a user's stream and reports whether it could.
func (l *Ledger) Mark(ctx context.Context, user string) bool {
	in := map[string]string{"title": l.Marker(user), "prompt": l.Marker(user)}
	for ctx.Err() == nil {
		if l.call(ctx, l.Tokens[user], http.MethodPost, "/api/jobs", in, nil) == nil {
			return true
		}
		pause(ctx)
	}
	return false
}

// Send sends one message and notes it. It reports whether it was acknowledged. It does not send it again: of
// a message that was cut off nobody knows whether it arrived, and the verdict allows both.
func (l *Ledger) Send(ctx context.Context, user, thread, content string) bool {
	var told struct {
		ID   string `json:"message_id"`
		Turn int    `json:"turn_number"`
	}
	in := map[string]string{"content": content, "thread_id": thread}
	err := l.call(ctx, l.Tokens[user], http.MethodPost, "/api/chat/send", in, &told)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, message{user, thread, content, told.ID, told.Turn})
	return err == nil
}

// Chat opens a thread and sends messages in it, each with words of its own, until as many were acknowledged.
func (l *Ledger) Chat(ctx context.Context, user, name string, messages int) {
	thread := l.OpenThread(ctx, user)
	for i := 0; messages > 0 && ctx.Err() == nil; i++ {
		if l.Send(ctx, user, thread, fmt.Sprintf("what time is it in %s-%d?", name, i)) {
			messages--
			continue
		}
		pause(ctx)
	}
}

// Work opens a job and posts to it, one event after the other; each again with its key until it is
// acknowledged. The last one ends the job.
func (l *Ledger) Work(ctx context.Context, user, name string, posts int) {
	var opened struct {
		ID    string `json:"job_id"`
		Token string
	}
	about := map[string]string{"title": name, "prompt": name}
	for l.call(ctx, l.Tokens[user], http.MethodPost, "/api/jobs", about, &opened) != nil {
		if pause(ctx); ctx.Err() != nil {
			return
		}
	}
	j := job{User: user, ID: opened.ID, Token: opened.Token, Posts: make([]post, posts)}
	for i := range posts {
		key := fmt.Sprint(name, "-", i)
		event := map[string]any{"id": key, "event": "status", "message": key}
		if i == posts-1 {
			event = map[string]any{"id": key, "event": "result", "success": true, "message": key}
		}
		j.Posts[i].Key = key
		in := map[string]any{"events": []any{event}}
		for !j.Posts[i].Acknowledged && ctx.Err() == nil {
			err := l.call(ctx, j.Token, http.MethodPost, "/api/jobs/"+j.ID+"/events", in, nil)
			if j.Posts[i].Acknowledged = err == nil; err != nil {
				l.complain(err)
				pause(ctx)
			}
		}
	}
	j.Ended = ctx.Err() == nil
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs = append(l.jobs, j)
}

// complain notes an answer that a client must never get for what it asked.
func (l *Ledger) complain(err error) {
	refused, ok := errors.AsType[errStatus](err)
	if !ok || refused.Code >= 500 || refused.Code == http.StatusTooManyRequests {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.refused) < 10 {
		l.refused = append(l.refused, err.Error())
	}
}

// Acknowledged returns how many messages were.
func (l *Ledger) Acknowledged() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.sent {
		if m.ID != "" {
			n++
		}
	}
	return n
}

// pause waits for a moment before something is tried again.
func pause(ctx context.Context) {
	select {
	case <-time.After(time.Duration(5+rand.IntN(40)) * time.Millisecond):
	case <-ctx.Done():
	}
}
