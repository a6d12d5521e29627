package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"candor/safety"
	"candor/session"
)

// Approval says whether a person is asked before a tool runs. In every mode, a person is
// also asked before a call in whose reason or arguments safety found something of medium
// severity, unless the tool is [Spec].ReadOnly, and before one of which the model is not
// sure enough, unless [Confidence].Continue.
type Approval int

const (
	// ApprovalNever runs the tool without asking.
	ApprovalNever Approval = iota
	// ApprovalAsk asks a person, who may approve the tool for the rest of the session.
	ApprovalAsk
	// ApprovalAlways asks a person before each call.
	ApprovalAlways
)

// ParseApproval parses "never", "ask" or "always".
func ParseApproval(s string) (Approval, error) {
	for a, name := range []string{"never", "ask", "always"} {
		if s == name {
			return Approval(a), nil
		}
	}
	return 0, fmt.Errorf("%q is none of never, ask, always", s)
}

// ErrDenied is in the error of a call that a person denied.
var ErrDenied = errors.New("a person was asked and denied this call")

// Why else a call did not run after its approval was requested. The model and the user
// read these texts.
var (
	errExpired   = errors.New("a person was asked and did not answer in time, so this call was not run")
	errNoPerson  = errors.New("this call needs a person's approval, and nobody can be asked here")
	errWithdrawn = errors.New("the turn was stopped before a person answered")
)

// requestApproval records a request for approval if the tool requires one, the call is
// suspicious, or the model is not sure enough of it. It does not wait for the answer: the call
// does that when the batch runs, so the rest of the batch is not held up.
//
// A call that is suspicious or unsure is asked about each time, whatever the tool's mode: an
// answer of [session.Always] was given to the tool, not to what this call contains.
func (b *batch) requestApproval(ctx context.Context, a *attempt) {
	mode := a.tool.spec.Approval
	if b.Approval != nil {
		mode = b.Approval(a.tool.spec)
	}
	mode, description := a.whyAsk(mode)
	if a.outcome != "" || mode == ApprovalNever {
		return
	}
	approver, ok := b.rec.(Approver)
	if !ok {
		a.refuse(session.Rejected, a.because(errNoPerson))
		return
	}
	grant := a.tool.spec.grant()
	if mode == ApprovalAsk && approver.Approved(grant) {
		return
	}
	shown, err := b.question(a)
	if err != nil {
		a.refuse(session.Rejected, a.because(err))
		return
	}
	about, _ := b.Safety.Mask(strings.TrimSpace(description))
	a.awaitApproval = approver.Ask(a.id, Question{
		Description: about, Arguments: shown, Grant: grant, AllowAlways: mode == ApprovalAsk,
		LowConfidence: a.unsure(), Edit: b.editor(ctx, a),
	})
}

// whyAsk returns the mode of the call, given that of its tool, and what a person reads about it:
// why they are asked, if it is not the tool alone, and what the tool does. What a tool for
// decisions does is written for the model, so it is left out where there is something else to read.
func (a *attempt) whyAsk(mode Approval) (Approval, string) {
	var why []string
	if len(a.suspicious) > 0 {
		why = append(why, fmt.Sprintf("Safety found %s in this call.", strings.Join(a.suspicious, ", ")))
	}
	if a.unsure() {
		why = append(why, "The agent is not sure enough of this call: "+a.doubt()+".")
		if mode != ApprovalNever {
			why = append(why, "Calls of this tool need approval in any case.")
		}
	}
	if len(why) > 0 {
		mode = ApprovalAlways
		if a.tool.spec.Decides {
			return mode, strings.Join(why, " ")
		}
	}
	return mode, strings.Join(append(why, a.tool.spec.Description), " ")
}

// question returns the arguments as a person sees them. The call keeps a copy of what was
// shown, which is what runs: whoever wrote the arguments may still hold them.
func (b *batch) question(a *attempt) (safety.Question, error) {
	if name, _ := b.Safety.Mask(a.requested.Name); name.String() != a.requested.Name {
		return safety.Question{}, fmt.Errorf(unshown, "the name of the tool would be hidden or changed")
	}
	a.args = slices.Clone(a.args)
	q, err := b.Safety.Question(a.args)
	if err != nil {
		return safety.Question{}, fmt.Errorf(unshown, err)
	}
	return q, nil
}

// unshown is the error of a call that cannot be shown to a person as it would run. The model
// and the user read it.
const unshown = "a person would have been asked about this call, but it cannot be shown to them as it would run: " +
	"%v. Pass secrets by an environment variable or a file that the call names, without other parts in their place"

// grant returns what an answer of [session.Always] approves: the tool as it is defined now. It
// differs for each tool and ends with its definition.
func (s Spec) grant() string {
	if s.Origin.Definition != "" {
		return s.Origin.Definition
	}
	schema, err := json.Marshal(s.Schema)
	if err != nil {
		return "" // no answer approves it
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%t %q %q %s", s.FrontEnd, s.Name, s.Description, schema))
	return hex.EncodeToString(sum[:])
}

// unlimited is a length limit beyond any arguments, in bytes.
const unlimited = 1 << 40

// rulesToReview returns the rules of medium severity that matched a call's reason or its
// arguments, sorted. There are none for a tool that only reads. Arguments that cleaning cut
// are read again as a whole, since the tool gets all of them.
func (b *batch) rulesToReview(a *attempt, params safety.JSON, reports ...safety.Report) []string {
	if a.tool.spec.ReadOnly {
		return nil
	}
	if bytes.Contains(params.Raw(), []byte("[truncated")) {
		_, whole := b.Safety.Limit(unlimited).Mask(string(a.args))
		reports = append(reports, whole)
	}
	var rules []string
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.Severity == safety.Medium {
				rules = append(rules, f.Rule)
			}
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// because returns the error of a call that was not approved, with what led to the
// request, so that the model and the user learn why approval was needed.
func (a *attempt) because(refusal error) error {
	var why []string
	if len(a.suspicious) > 0 {
		why = append(why, fmt.Sprintf("safety found %s in it", strings.Join(a.suspicious, ", ")))
	}
	if a.unsure() {
		why = append(why, a.doubt())
	}
	if len(why) == 0 {
		return refusal
	}
	return fmt.Errorf("%w (%s)", refusal, strings.Join(why, "; "))
}

// denied returns the error of a call that a person denied, with what they said beside it, if that
// is text. The model gets their words as the log has them: cleaned.
func (b *batch) denied(value json.RawMessage) error {
	var why string
	if json.Unmarshal(value, &why) != nil || strings.TrimSpace(why) == "" {
		return ErrDenied
	}
	said, _ := b.Safety.Mask(strings.TrimSpace(why))
	return fmt.Errorf("%w, saying: %s", ErrDenied, said)
}

// approved waits for the person's answer. It refuses the call and returns false unless
// the answer allows it.
func (b *batch) approved(ctx context.Context, a *attempt) bool {
	a.reply = a.awaitApproval(ctx)
	switch answer := a.reply.Answer; {
	case answer.Allows():
		return b.takeEdited(a)
	case answer == session.Deny:
		a.refuse(session.Rejected, a.because(b.denied(a.reply.Value)))
	case answer == session.Expired:
		a.refuse(session.Rejected, a.because(errExpired))
	default:
		a.refuse(session.Cancelled, errWithdrawn)
	}
	return false
}

// This file has what becomes of a call whose arguments a person changes before they approve it.
//
// The change goes the way that the model's own arguments went: it has to be one that can be shown in a
// question, fit the tool's schema, and be allowed by the policy, which is asked with the context of the turn
// and so for its user. All of that is done before the question is taken from those that are open. A
// change that is refused leaves it there, and the person may write another, approve the call as it
// was, or deny it. Two answers that come at once are decided as always: who takes the question wins.
//
// The log gets the change cleaned as the model's own arguments are, beside those, which stay. The tool gets
// it raw. The model gets a note in front of the result, in the words of the log, both in this turn and when
// later turns are rebuilt: a model that is not told takes the result for that of its own call, and builds on
// it. A question shows control tokens as they are, so its text is for people only and never goes there.
