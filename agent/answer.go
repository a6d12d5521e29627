package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"candor/session"
)

// maxValue bounds what a person says beside an answer, in bytes.
const maxValue = 64 << 10

// ErrValue means that what came beside an answer is not JSON, or is too long.
var ErrValue = fmt.Errorf("what is said beside an answer has to be JSON of at most %d bytes", maxValue)

// Reply is how a question about a call was answered.
type Reply struct {
	Answer session.Answer
	Value  json.RawMessage // what the person said beside it, raw; nil if nothing

	edited *Edited // the arguments as the person changed them; nil if they did not
}

// ReplyOf returns how the question about the call for which a tool runs was answered. It is zero
// if nobody was asked.
func ReplyOf(ctx context.Context) Reply {
	site, _ := ctx.Value(callSiteKey{}).(callSite)
	return site.reply
}

// Approve is Answer with nothing beside the answer.
func (c *Chat) Approve(ctx context.Context, user, request string, answer session.Answer) (session.Ref, error) {
	return c.Answer(ctx, user, request, answer, nil)
}

// Answer answers a user's open question about a call with session.Approve, Always or Deny, and
// returns the turn of the call. value is what the person says beside the answer, such as another
// decision: the log gets it cleaned, and the call as it is, by [ReplyOf]. It may be empty or
// null.
//
// Answer fails with session.ErrNoApproval if the user has no such question open. It fails with
// session.ErrNotAlways if the question does not offer Always, and with ErrValue; the question
// then stays open.
func (c *Chat) Answer(
	ctx context.Context, user, request string, reply session.Answer, value json.RawMessage,
) (session.Ref, error) {
	value = bytes.Clone(bytes.TrimSpace(value))
	switch {
	case len(value) == 0, string(value) == "null":
		value = nil
	case len(value) > maxValue, !json.Valid(value):
		return session.Ref{}, ErrValue
	}
	ref, err := c.approvals.answer(user, request, Reply{Answer: reply, Value: value})
	if errors.Is(err, session.ErrNoApproval) {
		return c.answerElsewhere(ctx, user, request,
			turnCommand{Answer: &answerCommand{user, request, reply, value}})
	}
	return ref, err
}
