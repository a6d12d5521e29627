package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"candor/session"
	"candor/session/journal"
)

// This file has what a chat does when other processes run turns of the same sessions. Each process
// serves the commands of its own turns; whoever is asked about a turn of another sends it one.
//
// What a command does is recorded by the process that runs the turn, in the turn's own log, so every
// process learns of it there. A command that nobody serves means that the process is gone or the turn
// has ended; the caller gets the error that it would get for such a turn of its own.

// commandTime bounds how long a command to another process may take.
const commandTime = 5 * time.Second

// Share makes the chat one of several on the same sessions, before its first turn: what is asked of a
// turn that another runs reaches that one by commands. A message that comes while another process runs a
// turn of its thread waits until that turn has ended, whoever ends it. It returns the chat.
func (c *Chat) Share(commands journal.Commands) *Chat {
	c.commands = commands
	return c
}

// turnCommand is a message to the process that runs a turn. Exactly one part is set, or Drop.
type turnCommand struct {
	Drop   bool           // stop the turn, or do not begin it
	Answer *answerCommand // to a request of the turn
	Edit   *editCommand   // to a request of the turn; a process that knows none does nothing
	Return *returnCommand
}

type answerCommand struct {
	User, Request string
	Answer        session.Answer
	Value         json.RawMessage
}

// editCommand is an answer with changed arguments. It is no member of answerCommand: an older
// process would ignore it, and run what nobody approved.
type editCommand struct {
	User, Request string
	Answer        session.Answer
	Arguments     json.RawMessage
}

type returnCommand struct {
	User, Call string
	Result     json.RawMessage
	Failure    string
}

// commandErrors are the errors that a command may end with, by the names they have on the way.
var commandErrors = map[string]error{
	"no approval": session.ErrNoApproval, "not always": session.ErrNotAlways, "ended": session.ErrTurnEnded,
	"not running": session.ErrNotRunning, "no edit": session.ErrNoEdit,
	"no call": ErrNoCall, "storage": session.ErrStorage,
}

// commandKey names a turn to the commands.
func commandKey(r session.Ref) string { return fmt.Sprintf("turn.%s.%d", r.Thread, r.Turn) }

// serveTurn answers the commands of others for a turn until stop is called.
func (c *Chat) serveTurn(ref session.Ref) (stop func()) {
	if c.commands == nil {
		return func() {}
	}
	stop, err := c.commands.Serve(commandKey(ref), func(ctx context.Context, payload []byte) ([]byte, error) {
		var in turnCommand
		if err := json.Unmarshal(payload, &in); err != nil {
			return nil, fmt.Errorf("cannot read the command: %w", err)
		}
		return nameOf(c.obey(ref, in))
	})
	if err != nil {
		c.dispatcher.Log.Warn("others cannot reach a turn", "thread", ref.Thread, "turn", ref.Turn, "error", err)
		return func() {}
	}
	return stop
}

// nameOf returns the reply for how a command ended.
func nameOf(err error) ([]byte, error) {
	if err == nil {
		return nil, nil
	}
	if e, ok := errors.AsType[*session.EditError](err); ok {
		return json.Marshal(editReply{e.Denied, e.Reason.String()})
	}
	for name, is := range commandErrors {
		if errors.Is(err, is) {
			return []byte(name), nil
		}
	}
	return nil, err
}

// obey does what another process asks about a turn of this one.
func (c *Chat) obey(ref session.Ref, in turnCommand) error {
	switch {
	case in.Answer != nil:
		reply := Reply{Answer: in.Answer.Answer, Value: in.Answer.Value}
		_, err := c.approvals.answer(in.Answer.User, in.Answer.Request, reply)
		return err
	case in.Edit != nil:
		_, err := c.approvals.answerEdited(in.Edit.User, in.Edit.Request, in.Edit.Answer, in.Edit.Arguments)
		return err
	case in.Return != nil:
		r := in.Return
		return c.returnHere(callKey(r.User, ref.Thread, ref.Turn, r.Call), r.Result, r.Failure)
	case in.Drop:
		c.mu.Lock()
		defer c.mu.Unlock()
		if r, ok := c.runners[ref.Thread]; ok && r.drop(ref.Turn) {
			return nil
		}
	}
	return session.ErrNotRunning
}

// sendTo sends a command to the process that runs a turn. It fails with none if no other does.
func (c *Chat) sendTo(ctx context.Context, ref session.Ref, out turnCommand, none error) error {
	if c.commands == nil {
		return none
	}
	payload, err := json.Marshal(out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	reply, err := c.commands.Send(ctx, commandKey(ref), payload)
	switch {
	case errors.Is(err, journal.ErrNobody):
		return none
	case err != nil:
		return fmt.Errorf("%w: the process that runs the turn does not answer: %w", session.ErrStorage, err)
	case len(reply) > 0:
		if named, ok := commandErrors[string(reply)]; ok {
			return named
		}
		return c.editRefused(reply, none)
	}
	return nil
}

// interruptElsewhere stops the turns of a thread that other processes run or have waiting, and returns
// the first of them that was reached. It fails with none if there is no such turn.
func (c *Chat) interruptElsewhere(
	ctx context.Context, s *session.Session, threadID string, none error,
) (first session.Ref, err error) {
	err = none
	if c.commands == nil {
		return first, err
	}
	for _, t := range s.OpenTurns(threadID) {
		ref := session.Ref{Thread: threadID, Turn: t.Number}
		if c.sendTo(ctx, ref, turnCommand{Drop: true}, none) == nil && first.Turn == 0 {
			first, err = ref, nil
		}
	}
	return first, err
}

// answerElsewhere sends a user's answer to the process that runs the turn of its request.
func (c *Chat) answerElsewhere(ctx context.Context, user, request string, out turnCommand) (session.Ref, error) {
	if c.commands == nil {
		return session.Ref{}, session.ErrNoApproval
	}
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return session.Ref{}, err
	}
	ref, ok := s.Asked(request)
	if !ok {
		return session.Ref{}, session.ErrNoApproval
	}
	return ref, c.sendTo(ctx, ref, out, session.ErrNoApproval)
}
