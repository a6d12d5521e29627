package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"candor/agent"
	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/attached"
	"candor/web/mew"
	"candor/web/mew/collect"
)

// MEWSettings describe the spaces that the server is the gateway of.
type MEWSettings struct {
	SpacesFile string // spaces that exist from the start; "" means none
	NoDrafts   bool   // do not read the spellings before MEW v0.4

	Rate        int // messages that a participant may send in a second; 200 by default
	ContextRate int // of these, within one context; 50 by default

	Contexts collect.Limits // of what a space may have open
}

// spaces reads the file of spaces. Errors name the place in it and quote no token.
func (s MEWSettings) spaces(tokens access.Tokens) (mew.Spaces, error) {
	if s.SpacesFile == "" {
		return nil, nil
	}
	f, err := os.Open(s.SpacesFile)
	if err != nil {
		return nil, fmt.Errorf("--spaces: %w", err)
	}
	defer f.Close()
	all, err := mew.ReadSpaces(f, tokens)
	if err != nil {
		return nil, fmt.Errorf("--spaces %s: %w", s.SpacesFile, err)
	}
	return all, nil
}

// newGateway builds the gateway of the settings' spaces. The caller closes it.
func newGateway(
	s Settings, spaces mew.Spaces, tokens access.Tokens, store session.Store, layer *safety.Layer, guesses *web.Guesses,
	log *slog.Logger,
) (*mew.Server, error) {
	gateway, err := mew.New(mew.Options{
		Store: store, Safety: layer, Tokens: tokens, Log: log, Spaces: spaces, Drafts: !s.MEW.NoDrafts,
		Collect: func(owner, name string) mew.Collector {
			return collect.New(collect.Options{
				Space: name, Safety: layer, Log: log, Limits: s.MEW.Contexts,
				Open: func() (*session.Session, error) { return store.Open(context.Background(), owner) },
			})
		},
		Guesses: guesses, Origins: s.Origins, Rate: s.MEW.Rate, ContextRate: s.MEW.ContextRate,
		Heartbeat: s.Heartbeat, WriteTimeout: s.WriteTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("--spaces %s: %w", s.MEW.SpacesFile, err)
	}
	return gateway, nil
}

// spaceChat lets a user act on the threads of a space through the routes for those of the
// agent: what belongs to no space goes to the loop.
type spaceChat struct {
	*agent.Chat
	gateway  *mew.Server
	attached *attached.Server
}

// Send says something to a participant or to the agent.
func (c spaceChat) Send(ctx context.Context, user, thread, content string) (session.Event, error) {
	if e, err := c.gateway.Say(ctx, user, thread, content); !errors.Is(err, mew.ErrNotOurs) {
		return e, err
	}
	return c.Chat.Send(ctx, user, thread, content)
}

// Interrupt stops the turn that a participant or the agent is in.
func (c spaceChat) Interrupt(ctx context.Context, user, thread string) (session.Ref, error) {
	if turn, err := c.gateway.Cancel(ctx, user, thread); !errors.Is(err, mew.ErrNotOurs) {
		return turn, err
	}
	return c.Chat.Interrupt(ctx, user, thread)
}

// Answer decides on what a participant proposed, what the agent of another program waits with, or what our agent asks
// about. A proposal of a participant takes no value.
func (c spaceChat) Answer(
	ctx context.Context, user, request string, answer session.Answer, value json.RawMessage,
) (session.Ref, error) {
	if turn, err := c.gateway.Answer(ctx, user, request, answer); !errors.Is(err, mew.ErrNotOurs) {
		return turn, err
	}
	if turn, err := c.attached.Answer(ctx, user, request, answer, value); !errors.Is(err, session.ErrNoApproval) {
		return turn, err
	}
	return c.Chat.Answer(ctx, user, request, answer, value)
}
