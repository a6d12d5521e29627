package attached

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"candor/attach"
	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
)

// MaxWait bounds how long a hook waits for a person. The settings of the agent's program allow slightly more.
const MaxWait = 590 * time.Second

// maxAsking bounds the hooks of a user that wait for a person at once. The agents of further ones ask for themselves,
// with wordsCrowded.
const maxAsking = 16

// answerTime is how long an answer to a hook may take to leave once there is one.
const answerTime = 10 * time.Second

// The words that programs get with a verdict that is not a person's.
const (
	wordsExpired = "Nobody answered in Candor in time, so you are asked here."
	wordsUnasked = "Candor could not ask a person about this call, so you are asked here."
	wordsCrowded = "16 other calls wait for you in Candor already, so you are asked here."
	wordsUnshown = "Candor cannot show this call as it would run, so you are asked here: "
)

// postAsk takes what a hook of an agent posts before a call, and answers once a person did.
func (s *Server) postAsk(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	asker, known := s.Askers[r.PathValue("agent")]
	if !known {
		return unknownAgent
	}
	payload, t, err := s.hear(r, who)
	if err != nil {
		return err
	}
	if asker.Escalation != nil {
		if q, asks := asker.Escalation(payload); asks && t.approved(r.PathValue("agent"), q) {
			return problem.WriteJSON(w, r, http.StatusOK, asker.AllowEscalation)
		}
	}
	var verdict attach.Verdict
	var words string
	q, asks := asker.Question(payload)
	switch {
	case asks && t.called.Called == nil:
		// It belongs to no turn that is known, or to one of too many calls.
		verdict, words = attach.Ask, wordsUnasked
	case asks && s.enter(who.User):
		defer s.leave(who.User)
		// The deadlines of other requests are shorter than a person's answer may take.
		rc, end := http.NewResponseController(w), time.Now().Add(s.Wait+answerTime)
		_, _ = rc.SetReadDeadline(time.Time{}), rc.SetWriteDeadline(end) // a recorder has no connection
		// The hook told of the call as well: its sighting says in which session and turn it is.
		a := asking{Server: s, question: q, about: t.called, turn: t.calledIn, ours: callID(t.called)}
		verdict, words = a.verdict(r.Context(), who.User)
	case asks && s.closing.Err() == nil:
		verdict, words = attach.Ask, wordsCrowded
	}
	return problem.WriteJSON(w, r, http.StatusOK, asker.Reply(verdict, words))
}

// enter counts a hook that waits for a person. It returns false if the user has as many as may wait, or after Close.
func (s *Server) enter(user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Err() != nil || s.waiting[user] >= maxAsking {
		return false
	}
	s.waiting[user]++
	s.askers.Add(1)
	return true
}

// leave ends what enter began.
func (s *Server) leave(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[user]--; s.waiting[user] == 0 {
		delete(s.waiting, user)
	}
	s.askers.Done()
}

// Close lets all waiting agents continue without an answer, and returns when the log records this. Later hooks do not
// wait.
func (s *Server) Close() {
	s.mu.Lock()
	s.close() // under the lock, so that nobody enters once it waits
	s.mu.Unlock()
	s.askers.Wait()
}

// asking is a hook that waits.
type asking struct {
	*Server
	question attach.Question
	about    attach.Sighting // of the call
	turn     string          // key of its turn
	ours     string          // id of the call

	own *session.Session
	ref session.Ref
}

// verdict asks the user about the call and returns the answer. Of a call that cannot be asked about the program's user
// is told.
func (a *asking) verdict(ctx context.Context, user string) (v attach.Verdict, words string) {
	var err error
	if a.own, err = a.Store.Open(ctx, user); err != nil || a.turn == noTurn {
		return attach.Ask, wordsUnasked
	}
	// The thread and the turn are those that the sighting was recorded in a moment ago.
	t := taking{Server: a.Server, own: a.own, layer: a.Safety.Remember(a.own.Seen()), threads: map[string]string{}}
	thread, err := t.thread(a.about)
	if err != nil {
		return attach.Ask, wordsUnasked
	}
	number, err := a.own.SightedTurn(thread, a.turn)
	if err != nil {
		return attach.Ask, wordsUnasked
	}
	a.ref = session.Ref{Thread: thread, Turn: number}
	shown, err := t.layer.Question(a.question.Arguments)
	if name, _ := t.layer.Limit(maxShown).Mask(a.question.Tool); err == nil && name.String() != a.question.Tool {
		err = errName
	}
	if err != nil {
		return attach.Ask, wordsUnshown + err.Error() + "."
	}
	return a.ask(ctx, shown)
}

// errName is why a call of a tool with such a name is not asked about.
var errName = errors.New("the name of its tool would be changed or hidden")

// ask records the question and waits for the answer.
func (a *asking) ask(ctx context.Context, shown safety.Question) (attach.Verdict, string) {
	call, asked, err := a.begin(shown)
	approval := call.Approval
	switch {
	case errors.Is(err, errRepeated):
		return "", ""
	case err != nil:
		return attach.Ask, wordsUnasked
	case approval != nil && approval.Answer != "":
		return verdictOf(approval.Answer, approval.Value)
	}
	var answered session.ApprovalAnswered
	if err := web.Aside(ctx, func() {
		if approval != nil {
			answered = a.share(ctx, approval.Request, asked)
			return
		}
		answered = a.await(ctx, a.own.RequestID(a.ref, a.ours), asked)
	}); err != nil {
		return "", ""
	}
	return verdictOf(answered.Answer, answered.Value)
}

// errRepeated is why a call is not asked about a second time.
var errRepeated = errors.New("its hook came before")

// begin records the question and returns the call with the number of the event after which its answer is to be awaited.
// It fails with errRepeated for a repeated hook, which goes on unanswered. Equal calls without ids that began at the
// same moment share one id and so one question; for them the call already has its Approval, and asked precedes any
// answer still to come. Any other error means that nobody can be asked.
func (a *asking) begin(shown safety.Question) (call session.Call, asked uint64, err error) {
	call, asked, err = a.own.AskSighted(a.ref, session.ApprovalAsked{
		Call: a.ours, Shown: shown.Shown, Hidden: shown.Hidden, Within: a.Wait,
	})
	// The session file may have named the call meanwhile. Which of several it is, or that it has ended, is a guess.
	switch named := !a.about.Unnamed; {
	case !errors.Is(err, session.ErrAsked):
		return call, asked, err
	case named:
		return call, 0, errRepeated
	case call.Approval != nil:
		return call, asked, nil
	}
	return call, 0, err
}

// verdictOf returns what an answer means to the program.
func verdictOf(answer session.Answer, value safety.JSON) (attach.Verdict, string) {
	switch said := session.ValueText(value); answer {
	case session.Approve, session.Always:
		return attach.Allow, ""
	case session.Deny:
		if said != "" {
			return attach.Deny, attach.Denied + " They said: " + said
		}
		return attach.Deny, attach.Denied
	case session.Expired:
		return attach.Ask, wordsExpired
	}
	return "", ""
}

// share waits for the answer to a question that another hook asked, and ends.
func (a *asking) share(ctx context.Context, request string, since uint64) session.ApprovalAnswered {
	whole, stop := context.WithTimeout(ctx, a.Wait)
	defer stop()
	defer context.AfterFunc(a.closing, stop)()
	answered, _ := a.own.AwaitAnswer(whole, request, since) // without one the program decides
	return answered
}

// await waits for the answer to a request. Without one in time, or once the agent does not wait any more, it ends
// the request itself; a person's answer that comes first counts.
func (a *asking) await(ctx context.Context, request string, asked uint64) session.ApprovalAnswered {
	waits, stop := context.WithTimeout(ctx, a.Wait)
	defer stop()
	defer context.AfterFunc(a.closing, stop)()
	answered, err := a.own.AwaitAnswer(waits, request, asked)
	if err == nil {
		return answered
	}
	// Time that is over is not the same as an agent that is gone or a server that stops.
	unanswered := session.Withdrawn
	if errors.Is(waits.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		unanswered = session.Expired
	}
	end := session.ApprovalAnswered{Answer: unanswered}
	if _, err := a.own.AnswerSighted(request, end); errors.Is(err, session.ErrNoApproval) {
		// Somebody was faster, and the answer is in the log already; or the question is gone, and there is none.
		if answered, ok := a.own.AnswerSince(request, asked); ok {
			return answered
		}
	}
	return end
}

// Answer answers an open question about a call of an attached agent with session.Approve or session.Deny. value is the
// person's comment, a string, or empty. It fails with session.ErrNoApproval if the user has no such question open, and
// with session.ErrNotAlways for an answer that covers later calls: a call of another program is approved each time.
func (s *Server) Answer(
	ctx context.Context, user, request string, answer session.Answer, value json.RawMessage,
) (session.Ref, error) {
	own, err := s.Store.Open(ctx, user)
	if err != nil {
		return session.Ref{}, err
	}
	// Whose request it is decides which error it is: our own agent may offer that answer.
	if answer == session.Always {
		if own.AskedSighted(request) {
			return session.Ref{}, session.ErrNotAlways
		}
		return session.Ref{}, session.ErrNoApproval
	}
	b := session.ApprovalAnswered{Answer: answer}
	if text := strings.TrimSpace(string(value)); text != "" && text != "null" {
		clean, report := s.Safety.Remember(own.Seen()).CleanJSON(value)
		b.Value, b.Findings = clean, report.Findings
	}
	return own.AnswerSighted(request, b)
}
