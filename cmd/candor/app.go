package main

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"candor/agent"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/jobs"
	"candor/web/ui"
)

// app is the program's parts, put together. Close it when done.
type app struct {
	store *session.Memory
	chat  *agent.Chat
	web   *web.Server
	kit   *toolkit
	model string // what the one that answers is called
}

// newApp wires the parts. newID gives sessions their ids; nil means random ones.
func newApp(s settings, tokens access.Tokens, newID func() uuid.UUID, log *slog.Logger) (*app, error) {
	layer, err := newLayer(s.safety)
	if err != nil {
		return nil, err
	}
	t, kit, err := newTeam(s, layer, log)
	if err != nil {
		return nil, err
	}
	a := &app{store: session.NewMemory(newID), kit: kit, model: t.lead.Model}
	a.chat = agent.NewChat(a.store, t.lead, s.patience)
	front, err := newAGUI(s, a.chat, t.lead, a.store, layer, log)
	if err != nil {
		a.close(context.Background())
		return nil, err
	}
	a.web = web.New(web.Options{
		Chat: a.chat, Store: a.store, Tokens: tokens, Log: log,
		Backend: web.Backend{Name: s.chosen(), Model: t.lead.Model}, Coverage: coverageOf(t.lead), Metrics: metrics(t.lead),
		SendsPerMinute: s.sends, StreamsPerUser: s.streams, Origins: s.origins,
		Page: ui.Handler(), Heartbeat: s.heartbeat, WriteTimeout: s.writeWait,
	})
	work := jobs.New(jobs.Options{Store: a.store, Safety: layer, Stream: a.web.StreamJobs})
	a.web.Mount(front.Routes()...)
	a.web.Mount(work.Routes()...)
	return a, nil
}

func coverageOf(d *agent.Dispatcher) func() []web.Coverage {
	return func() []web.Coverage {
		var out []web.Coverage
		for _, c := range d.Coverage() {
			out = append(out, web.Coverage(c))
		}
		return out
	}
}

// close takes no more turns, waits for those that run until ctx ends, and lets
// streams go once they have sent everything.
func (a *app) close(ctx context.Context) {
	a.chat.Close(ctx)
	a.store.Close()
	a.kit.close()
}
