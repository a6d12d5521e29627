package mew

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"candor/web/mew/wire"
)

var (
	badToken = &wire.Refusal{Code: codeUnauthorized,
		Message: "The token is missing or belongs to nobody. Send the one that the space's owner gave you."}
	otherSpace = &wire.Refusal{Code: codeUnauthorized,
		Message: "The token belongs to a participant of another space. Leave space out, or name that space."}
	noJoin = &wire.Refusal{Code: codeUnauthorized,
		Message: "Join first: send {\"type\":\"join\",\"token\":TOKEN}, or connect with Authorization: Bearer TOKEN."}
	otherToken = &wire.Refusal{Code: codeUnauthorized,
		Message: "This socket has joined with another token. Open a socket for each participant."}
	tooManyLinks = &wire.Refusal{Code: codeTooMany,
		Message: "The space or the participant has as many connections as allowed. Close one first."}
)

// joinMessage is the first message of clients that bring their token in it:
// {"type":"join","space":…,"token":…}, or the same as the payload of kind system/join. The
// name that the client claims is ignored: the token tells it.
type joinMessage struct {
	Type    string       `json:"type"`
	Kind    string       `json:"kind"`
	Space   string       `json:"space"`
	Token   string       `json:"token"`
	Payload *joinMessage `json:"payload"`
}

// parseJoin reads a join message. ok is false for any other.
func parseJoin(raw []byte) (m joinMessage, ok bool) {
	if len(raw) > maxJoin || !bytes.Contains(raw, []byte(`join"`)) || json.Unmarshal(raw, &m) != nil {
		return joinMessage{}, false
	}
	if m.Kind == "system/join" && m.Payload != nil {
		return *m.Payload, true
	}
	return m, m.Type == "join" || m.Kind == "system/join"
}

// isJoin reports whether a message is a request to take part, which comes before any envelope.
func isJoin(raw []byte) bool {
	_, ok := parseJoin(raw)
	return ok
}

// begin lets a socket join: with the token of its request or, without one, with that of its
// first message. named is the space that the request named, or "".
func (s *Server) begin(ctx context.Context, l *link, who tokenOwner, named string) error {
	if who.space == nil {
		wait, cancel := context.WithTimeout(ctx, cmp.Or(s.options.JoinTime, joinTime))
		defer cancel()
		_, raw, err := l.conn.Read(wait)
		if err != nil {
			return noJoin
		}
		m, ok := parseJoin(raw)
		if !ok {
			return noJoin
		}
		if who, ok = s.tokens.lookup(m.Token); !ok {
			return badToken
		}
		if isOther(named, who.space) || isOther(m.Space, who.space) {
			return otherSpace
		}
	}
	return who.space.join(l, who.participant)
}

// isOther reports whether a client named another space. Naming none is no mistake.
func isOther(named string, sp *space) bool { return named != "" && named != sp.name }

// checkJoin handles a join message of a socket that has joined: clients that bring their token
// in the header and in the message are welcomed once.
func (s *Server) checkJoin(l *link, raw []byte) error {
	l.space.mu.Lock()
	err := take(l.member.pace.all, len(raw), time.Now())
	l.space.mu.Unlock()
	if err != nil {
		return err
	}
	m, _ := parseJoin(raw)
	if m.Token == "" {
		return nil
	}
	if who, ok := s.tokens.lookup(m.Token); !ok || who != (tokenOwner{l.space, l.member.id}) {
		return otherToken
	}
	return nil
}

// join makes a socket one of a participant's, welcomes it, and tells the others if it is the
// first.
func (s *space) join(l *link, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[id]
	if m == nil || s.closed {
		return isClosed
	}
	if len(s.links)+s.readers >= maxLinks || m.present+m.reading >= maxLinksEach {
		return tooManyLinks
	}
	if err := take(m.pace.all, 0, time.Now()); err != nil {
		return err // coming and going tells everybody, so it has a rate, too
	}
	l.space, l.member = s, m
	m.shut = false
	if m.present++; m.present == 1 {
		m.visits++
		s.announcePresence("join", m) // before the socket is one of those who are told
	}
	s.refresh()
	s.links[l] = true
	l.send(outgoing{bytes: s.welcome(m, "").Raw})
	return nil
}

// leave forgets a socket, and tells the others if it was the participant's last.
func (s *space) leave(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.links, l)
	m := l.member
	m.present--
	s.refresh()
	if m.present > 0 || s.closed || s.members[m.id] != m {
		return
	}
	s.dropStreams(m)
	s.announcePresence("leave", m)
}

// welcome returns a system/welcome for a participant, after the message about, or "". The
// caller holds mu.
func (s *space) welcome(m *member, about string) wire.Envelope {
	others := s.describeAll(func(other *member) bool { return other != m && other.present > 0 })
	open := []map[string]any{}
	for _, st := range s.streams {
		open = append(open, st.describe())
	}
	return newNotice("system/welcome", m.id, about, map[string]any{
		"you":          map[string]any{"id": m.id, "capabilities": m.capabilities()},
		"participants": others, "active_streams": open,
	})
}

// announcePresence broadcasts that a participant joined, left or was invited, and tells the
// collector. The caller holds mu.
func (s *space) announcePresence(event string, m *member) {
	if who, ok := s.collector.(Attendance); ok {
		switch event {
		case "join":
			who.Joined(m.id)
		case "leave":
			who.Left(m.id)
		}
	}
	s.announce("system/presence", "", map[string]any{"event": event, "participant": m.describe()})
}
