package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"candor/safety"
	"candor/session"
)

// Edited is the arguments of a call as a person changed them who was asked about it: raw, as the tool
// gets them, and cleaned, as the log has them. It is zero if the change makes no difference.
type Edited struct {
	Arguments json.RawMessage
	Clean     safety.JSON
	findings  []safety.Finding
}

// errNotAllowing is the error of changed arguments beside a denial.
var errNotAllowing = errors.New("changed arguments go with approve or always")

// Edit is [Chat.Answer] with arguments that the person wrote in place of the call's. They are given
// as the question shows those: a mask that is left where it was stands for its secret. The
// tool's schema and the policy are asked again, and the tool runs with them. session.Always allows
// the tool, and not these arguments.
//
// Edit also fails with a *session.EditError if the arguments are not what the tool takes or the policy
// does not allow them, and with session.ErrNoEdit if those of this call cannot be changed. The question then
// stays open.
func (c *Chat) Edit(
	ctx context.Context, user, request string, reply session.Answer, arguments json.RawMessage,
) (session.Ref, error) {
	ref, err := c.approvals.answerEdited(user, request, reply, arguments)
	if !errors.Is(err, session.ErrNoApproval) || !json.Valid(arguments) {
		return ref, err
	}
	ref, err = c.answerElsewhere(ctx, user, request, turnCommand{Edit: &editCommand{user, request, reply, arguments}})
	if errors.Is(err, session.ErrNotRunning) {
		err = session.ErrNoEdit // the process that runs the turn does not know how
	}
	return ref, err
}

// answerEdited decides a request with an answer and changed arguments. If these are refused, the
// request stays open.
func (p *pendingApprovals) answerEdited(
	user, id string, answer session.Answer, arguments json.RawMessage,
) (session.Ref, error) {
	if !answer.Allows() {
		return session.Ref{}, errNotAllowing
	}
	a := p.find(id, user)
	switch {
	case a == nil:
		return session.Ref{}, session.ErrNoApproval
	case a.edit == nil:
		return session.Ref{}, session.ErrNoEdit
	}
	edited, err := a.edit(arguments)
	if err != nil {
		return session.Ref{}, err
	}
	reply := Reply{Answer: answer}
	if edited.Arguments != nil {
		reply.edited = &edited
	}
	return p.answer(user, id, reply)
}

// editor returns the check of arguments that a person writes in place of a call's. It is nil where
// they cannot be changed: a front end has its call's own, and a decision has another answer.
func (b *batch) editor(ctx context.Context, a *attempt) func(json.RawMessage) (Edited, error) {
	if a.tool.spec.FrontEnd || a.tool.spec.Decides {
		return nil
	}
	asked, tool := a.args, a.tool // the attempt belongs to the goroutine that runs it
	return func(edited json.RawMessage) (Edited, error) {
		if ctx.Err() != nil {
			return Edited{}, session.ErrNoApproval
		}
		args, err := b.Safety.Edit(asked, edited)
		if err != nil {
			return Edited{}, b.refusedEdit(false, err)
		}
		if sameJSON(args, asked) {
			return Edited{}, nil
		}
		if _, err := b.Safety.Question(args); err != nil {
			return Edited{}, b.refusedEdit(false, err)
		}
		if err := tool.validate(ctx, args); err != nil {
			return Edited{}, b.refusedEdit(false, err)
		}
		if err := b.allow(ctx, tool.spec, args); err != nil {
			return Edited{}, b.refusedEdit(true, err)
		}
		clean, report := b.Safety.CleanJSON(args)
		return Edited{args, clean, report.Findings}, nil
	}
}

// sameJSON reports whether two values are the same but for the blanks between their parts.
func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// maxEditReason bounds why changed arguments are refused, in bytes.
const maxEditReason = 1000

// refusedEdit returns the error of arguments that are refused. What it quotes of them is cleaned.
func (b *batch) refusedEdit(denied bool, why error) error {
	reason, _ := b.Safety.Limit(maxEditReason).Mask(why.Error())
	return &session.EditError{Denied: denied, Reason: reason}
}

// takeEdited makes the call run with the arguments as a person changed them, if they did. It refuses
// the call and returns false if the turn has no room for them.
func (b *batch) takeEdited(a *attempt) bool {
	e := a.reply.edited
	if e == nil {
		return true
	}
	if !b.reserve(len(e.Arguments) + len(e.Clean.Raw())) {
		a.refuse(session.Rejected, b.exceeded())
		return false
	}
	a.args = e.Arguments
	return true
}

// told returns the result of a call as the model reads it: behind a note, if a person changed the arguments.
func told(edited safety.JSON, result string) string {
	if edited.Null() {
		return result
	}
	return "A person changed the arguments of this call before they approved it. It was made with: " +
		string(edited.Raw()) + "\n" + result
}

// cleanEdit returns the arguments of a call as a person changed them and as the log has them, null
// if nobody did.
func (a *attempt) cleanEdit() safety.JSON {
	if a.reply.edited == nil {
		return safety.JSON{}
	}
	return a.reply.edited.Clean
}

// editReply is the reply of a process that refuses changed arguments to the one that was asked.
type editReply struct {
	Denied bool
	Reason string
}

// editRefused returns the error that a reply tells of, or none if it tells of nothing known.
func (c *Chat) editRefused(reply []byte, none error) error {
	var r editReply
	if json.Unmarshal(reply, &r) != nil || r.Reason == "" {
		return none
	}
	reason, _ := c.dispatcher.Safety.Limit(maxEditReason).Mask(r.Reason)
	return &session.EditError{Denied: r.Denied, Reason: reason}
}
