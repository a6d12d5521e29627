package app_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/session/journal"
)

// outage is an engine that keeps nothing while it is down.
type outage struct {
	journal.Frames
	why atomic.Pointer[error] // nil while it is up
}

// Append implements journal.Frames.
func (o *outage) Append(ctx context.Context, session string, f journal.Frame) error {
	if why := o.why.Load(); why != nil {
		return *why
	}
	return o.Frames.Append(ctx, session, f)
}

// through makes an engine keep its frames through o.
func (o *outage) through(e journal.Engine) journal.Engine {
	o.Frames, e.Frames = e.Frames, o
	return e
}

// storyOf returns everything that ann's session has, as its log tells it.
func storyOf(s *apptest.Server) uint64 { return s.Session("ann").Head() }

// TestAnOutageIsSaidAtEveryDoor holds that what is written while the storage fails is refused with what the failure
// is, leaves nothing behind, and is taken once the storage is back.
func TestAnOutageIsSaidAtEveryDoor(t *testing.T) {
	down := map[string]error{
		"unavailable": errors.Join(journal.ErrUnavailable, errors.New("no answer")), "full": journal.ErrDiskFull,
	}
	settings := func(o *outage) app.Settings {
		return app.Settings{
			SendsPerMinute: 1000, Storage: app.StorageSettings{Dir: t.TempDir(), Through: o.through},
			MEW: app.MEWSettings{SpacesFile: apptest.SpacesFileOf(t, "ann", map[string]bool{"scout": true})},
		}
	}
	o := &outage{}
	s := apptest.Start(t, settings(o), nil)
	joinLab(t, s, apptest.TokenOf("scout"))
	for _, d := range doors(s) {
		for name, why := range down {
			t.Run(d.name+", "+name, func(t *testing.T) {
				s.T = t
				settle(t, s)
				before := storyOf(s)
				o.why.Store(&why)
				r := d.write(s, "what is said while the storage is away")
				o.why.Store(nil)
				assert.Equal(t, http.StatusServiceUnavailable, r.Status, r.Body)
				assert.Contains(t, r.Body, "storage_failed")
				assert.Equal(t, before, storyOf(s), "nothing is half done")
				r = d.write(s, "what is said once it is back")
				assert.Less(t, r.Status, 300, r.Body)
			})
		}
	}
}

// settle waits until no turn of ann's runs.
func settle(t *testing.T, s *apptest.Server) {
	t.Helper()
	apptest.Eventually(t, "the turns have ended", func() bool {
		for _, thread := range s.Session("ann").Threads() {
			h, err := s.Session("ann").History(thread.ID, session.Page{Limit: 100})
			require.NoError(t, err)
			for _, turn := range h.Turns {
				if thread.Origin.Protocol == "" && !turn.State.Ended() {
					return false
				}
			}
		}
		return true
	})
}

// TestAnOutageIsSaidWhereSomethingIsDecidedOrDeleted is TestAnOutageIsSaidAtEveryDoor for requests that act on what is
// there: each is refused while the storage fails, and changes nothing.
func TestAnOutageIsSaidWhereSomethingIsDecidedOrDeleted(t *testing.T) {
	script := apptest.M{
		"steps": []any{
			apptest.M{"narrative": "I look.", "tool_calls": []any{
				apptest.M{"name": "looks", "arguments": apptest.M{}}}},
			apptest.M{"narrative": "I push.", "tool_calls": []any{
				apptest.M{"name": "push", "arguments": apptest.M{"to": "main"}}}},
			apptest.M{"text": "Done."},
		},
		"tools": apptest.M{
			"push":  apptest.M{"approval": "ask", "result": "it was pushed"},
			"looks": apptest.M{"result": "it is there"},
		},
	}
	type subject struct{ thread, waiting, request, call, job, ended, token string }
	body := func(m apptest.M) string { return string(apptest.JSON(t, m)) }
	for _, c := range []struct {
		name string
		do   func(s *apptest.Server, of subject) apptest.Reply
	}{
		{"a new thread", func(s *apptest.Server, _ subject) apptest.Reply {
			return s.Post("ann", "/api/chat/thread/new", "{}")
		}},
		{"approval", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/api/chat/approval", body(apptest.M{"request_id": of.request, "action": "approve"}))
		}},
		{"approval for good", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/api/chat/approval", body(apptest.M{"request_id": of.request, "action": "always"}))
		}},
		{"denial", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/api/chat/approval", body(apptest.M{"request_id": of.request, "action": "deny"}))
		}},
		{"approval with other arguments", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/api/chat/approval/edit", body(apptest.M{
				"request_id": of.request, "action": "approve",
				"arguments": apptest.M{"to": "a branch"}}))
		}},
		{"feedback", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/api/chat/feedback", body(apptest.M{"thread_id": of.waiting, "turn_number": 1,
				"call_id": of.call, "rating": "good"}))
		}},
		{"deleting a thread", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Do("ann", http.MethodDelete, "/api/chat/threads/"+of.thread, "")
		}},
		{"deleting a job", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Do("ann", http.MethodDelete, "/api/jobs/"+of.ended, "")
		}},
		{"cancelling a job", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/api/jobs/"+of.job+"/cancel", "{}")
		}},
		{"restarting a job", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/api/jobs/"+of.ended+"/restart", "{}")
		}},
		{"completing a job", func(s *apptest.Server, of subject) apptest.Reply {
			return s.Post("ann", "/worker/"+of.job+"/complete", `{"success":true}`, apptest.WithToken(of.token))
		}},
		{"a question of another agent", func(s *apptest.Server, _ subject) apptest.Reply {
			return s.Post("ann", "/api/hooks/claude/ask", body(apptest.M{"hook_event_name": "PreToolUse",
				"session_id": "s9", "prompt_id": "p9", "tool_name": "Bash", "tool_use_id": "toolu_9",
				"tool_input": apptest.M{"command": "ls"}, "prompt": "go on"}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &outage{}
			s := apptest.Start(t, app.Settings{
				SendsPerMinute: 1000, Storage: app.StorageSettings{Dir: t.TempDir(), Through: o.through},
			}, script)
			var of subject
			of.thread, _ = s.Begin("ann")
			of.waiting, _ = s.Begin("ann")
			s.Send("ann", of.waiting, "push it")
			apptest.Eventually(t, "the call waits", func() bool {
				h := s.Get("ann", "/api/chat/history?thread_id="+of.waiting).JSON()
				open, _ := h["pending_approvals"].([]any)
				if len(open) == 1 {
					of.request = open[0].(apptest.M)["request_id"].(string)
					of.call = open[0].(apptest.M)["call_id"].(string)
				}
				return len(open) == 1
			})
			of.job, of.token = s.NewJob("look")
			of.ended, _ = s.NewJob("look there")
			require.Less(t, s.Post("ann", "/api/jobs/"+of.ended+"/cancel", "{}").Status, 300)
			before := storyOf(s)
			why := error(journal.ErrUnavailable)
			o.why.Store(&why)
			r := c.do(s, of)
			assert.Equal(t, http.StatusServiceUnavailable, r.Status, r.Body)
			assert.Contains(t, r.Body, "storage_failed")
			assert.Equal(t, before, storyOf(s), "nothing is half done")
			o.why.Store(nil)
			assert.NotContains(t, s.Get("ann", "/api/chat/history?thread_id="+of.waiting).Body, "it was pushed")
		})
	}
}

// TestASocketOfASpaceSaysThatTheStorageFailed is TestAnOutageIsSaidAtEveryDoor for a socket, which has no status.
func TestASocketOfASpaceSaysThatTheStorageFailed(t *testing.T) {
	o := &outage{}
	s := apptest.Start(t, app.Settings{
		Storage: app.StorageSettings{Dir: t.TempDir(), Through: o.through},
		MEW:     app.MEWSettings{SpacesFile: apptest.SpacesFileOf(t, "ann", map[string]bool{"scout": true})},
	}, nil)
	p := joinLab(t, s, apptest.TokenOf("scout"))
	const said = `{"id":"m-1","kind":"reasoning/start","payload":{"message":"I look"}}`
	why := error(journal.ErrDiskFull)
	o.why.Store(&why)
	p.send(said)
	assert.Contains(t, p.read(), `"storage_failed"`)
	o.why.Store(nil)
	p.send(said)
	assert.Contains(t, p.read(), "reasoning/start", "it may be sent again")
	assert.Contains(t, s.Get("ann", "/api/chat/threads").Body, "scout")
}
