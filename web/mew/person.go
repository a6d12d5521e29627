package mew

import (
	"context"
	"encoding/json"
	"errors"

	"candor/session"
	"candor/web/mew/wire"
)

// ErrNotOurs means that a thread or a request is not one of a space.
var ErrNotOurs = errors.New("it belongs to no space")

// Say posts what the owner of a space writes to a participant's thread as a chat to that
// participant. It fails with ErrNotOurs for a thread of no space.
func (s *Server) Say(ctx context.Context, user, thread, text string) (session.Event, error) {
	if !s.isOurs(ctx, user, thread) {
		return session.Event{}, ErrNotOurs
	}
	for _, sp := range s.list(user) {
		author, ok := sp.author(thread)
		if !ok {
			continue
		}
		got, err := sp.act("chat", []string{author}, "", "", map[string]string{"text": text})
		if err != nil {
			return session.Event{}, err
		}
		own, err := sp.own()
		if err != nil {
			return session.Event{}, err
		}
		return session.Event{
			At: got.TS, Session: own.ID(), Ref: session.Ref{Thread: thread}, Body: session.TurnStarted{Message: got.ID},
		}, nil
	}
	return session.Event{}, ErrNotOurs
}

// Cancel posts a reasoning/cancel for the running turn of a participant's thread. It fails with
// ErrNotOurs for a thread of no space, and with [session.ErrNotRunning] if no turn runs in it.
func (s *Server) Cancel(ctx context.Context, user, thread string) (session.Ref, error) {
	if !s.isOurs(ctx, user, thread) {
		return session.Ref{}, ErrNotOurs
	}
	for _, sp := range s.list(user) {
		author, ok := sp.author(thread)
		if !ok {
			continue
		}
		path, turn, ok := sp.runningIn(thread)
		if !ok {
			return session.Ref{}, session.ErrNotRunning
		}
		reason := map[string]string{"reason": "cancelled by the owner"}
		_, err := sp.act("reasoning/cancel", []string{author}, "", path, reason)
		return turn, err
	}
	return session.Ref{}, ErrNotOurs
}

// Answer fulfils the proposal that an approval request asks about, or rejects it. It fails with
// ErrNotOurs for a request of no space. A proposal is decided each time, so Always fails.
func (s *Server) Answer(ctx context.Context, user, request string, answer session.Answer) (session.Ref, error) {
	if own, err := s.options.Store.Open(ctx, user); err == nil {
		if ref, ok := own.Asked(request); ok && !s.isOurs(ctx, user, ref.Thread) {
			return session.Ref{}, ErrNotOurs
		}
	}
	for _, sp := range s.list(user) {
		proposal, turn, ok := sp.proposal(request)
		if !ok {
			continue
		}
		var err error
		switch answer {
		case session.Always:
			return session.Ref{}, session.ErrNotAlways
		case session.Approve:
			_, err = sp.act("mcp/request", proposal.To, proposal.ID, proposal.Context.Path, proposal.Payload)
		default:
			reason := map[string]string{"reason": "disagree"}
			_, err = sp.act("mcp/reject", []string{proposal.From}, proposal.ID, proposal.Context.Path, reason)
		}
		return turn, err
	}
	return session.Ref{}, ErrNotOurs
}

// isOurs reports whether a thread is one of a space, as far as the session says. It does not wait for any space, so
// that what a participant says in one holds up none of the owner's own conversations.
func (s *Server) isOurs(ctx context.Context, user, thread string) bool {
	own, err := s.options.Store.Open(ctx, user)
	if err != nil {
		return true
	}
	th, err := own.Thread(thread)
	return err != nil || th.Origin.Observed() && !th.Origin.Attached()
}

// act posts a message of the owner's. about and path may be "".
func (s *space) act(kind string, to []string, about, path string, payload any) (receipt, error) {
	message := map[string]any{"kind": kind, "to": to, "payload": payload}
	if about != "" {
		message["correlation_id"] = []string{about}
	}
	if path != "" {
		message["context"] = path
	}
	raw, err := json.Marshal(message)
	if err != nil {
		return receipt{}, err
	}
	s.mu.Lock()
	m, err := s.joinOwner()
	s.mu.Unlock()
	if err != nil {
		return receipt{}, err
	}
	got, e, err := s.say(m, raw)
	if err != nil {
		return receipt{}, s.asProblem(m, e, asRefusal(err))
	}
	return got, nil
}

// author returns the participant whose thread it is.
func (s *space) author(thread string) (participant string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, can := s.collector.(Threads); can {
		return t.Author(thread)
	}
	return "", false
}

// runningIn returns the context and the turn that runs in a thread.
func (s *space) runningIn(thread string) (path string, turn session.Ref, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, can := s.collector.(Threads); can {
		return t.Running(thread)
	}
	return "", session.Ref{}, false
}

// proposal returns the proposal that an approval request asks about.
func (s *space) proposal(request string) (proposed wire.Envelope, turn session.Ref, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, can := s.collector.(Threads); can {
		return t.Proposal(request)
	}
	return wire.Envelope{}, session.Ref{}, false
}
