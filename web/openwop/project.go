package openwop

import (
	"cmp"
	"time"

	"candor/safety"
	"candor/session"
)

// ChatWorkflow is the workflow of a turn that no client began as a run of another: one node, in
// which the agent answers a message.
const ChatWorkflow = "chat"

// View says how one client sees a run.
type View struct {
	Version    Version
	User       string // whose run it is
	Verbosity  Verbosity
	Limit      Verbosity // the most that this client may see; empty is no limit
	Narratives bool      // this client may see no reasons of single calls
	TokenLimit int       // of a summary; 0 means DefaultTokenLimit
	Streaming  bool      // show texts while they are spoken, if the log has them

	// Orchestrator asks about a low confidence as an orchestrator's decision to ask the user,
	// instead of suspending the node.
	Orchestrator bool
}

// Projector turns the events of a turn into those of the run that the turn is. Its output depends
// only on the events it was given, not on when. It is not safe for concurrent use.
//
// It numbers the events from 0 without a gap. What Limit hides has a number, too, so that
// an event has the same number and id for everybody. It starts a node before anything happens in
// it and ends each that it started, closes each block of deltas once, gives each result the id of
// its call's event as the cause, and ends with one event that ends the run. Payloads have no
// time of the log and no id that another run of the same facts would not have, so that those of
// a replay are equal.
type Projector struct {
	View
	out     []Event // for the current event of the log
	turn    session.Turn
	at      time.Time
	next    int // number of the next event
	started bool
	ended   bool

	blocks    map[string]*block     // open, by agent
	calls     map[string]callOf     // by their ids
	nodes     map[string]ours       // started and not ended, with their agents
	waiting   map[string]suspension // questions, by call
	decisions map[string]ours       // events of the decisions, by call
	settled   map[string]bool       // calls of which a person decided
}

// callOf is what a projector remembers of a call.
type callOf struct {
	agent string
	tool  safety.Text
	event ours // that showed the call
	known session.ToolCalled
}

// NewProjector returns the projector of a run of which nothing has happened yet.
func NewProjector(v View) *Projector {
	return &Projector{
		View: v, blocks: map[string]*block{}, calls: map[string]callOf{}, nodes: map[string]ours{},
		waiting: map[string]suspension{}, decisions: map[string]ours{},
		settled: map[string]bool{},
	}
}

// Ended reports whether the run has ended, so that no event follows.
func (p *Projector) Ended() bool { return p.ended }

// Project returns the run's events for an event of its turn, in order. t is the turn that e led
// to. The first event has to be the turn's first.
func (p *Projector) Project(t session.Turn, e session.Event) []Event {
	p.out = nil
	if p.ended || e.Turn == 0 {
		return nil
	}
	p.turn, p.at = t, e.At
	switch b := e.Body.(type) {
	case session.TurnStarted:
		p.start()
	case session.NodeStarted:
		p.startNode(b)
	case session.NodeEnded:
		p.endNode(ours(b.Node), b)
	case session.TurnCompleted, session.TurnFailed, session.TurnInterrupted:
		p.end()
	default:
		p.agent(e)
	}
	return p.out
}

// agent projects what an agent did.
func (p *Projector) agent(e session.Event) {
	switch b := e.Body.(type) {
	case session.Spoken:
		p.spoke(e.Agent, b)
	case session.Narrated:
		p.narrated(e.Agent, b)
	case session.ToolCalled:
		p.called(e.Agent, b)
	case session.ToolReturned:
		p.returned(b)
	case session.Handoff:
		p.handedOff(b)
	case session.ApprovalAsked:
		p.asked(b)
	case session.ApprovalAnswered:
		p.answered(b)
	}
}

// add appends an event and returns its id. cause may be empty.
func (p *Projector) add(k Kind, node, cause ours, payload any) ours {
	ref := session.Ref{Thread: p.turn.Thread, Turn: p.turn.Number}
	id := eventID(ref, p.next)
	p.out = append(p.out, Event{
		Version: p.Version, Kind: k, ID: string(id), Run: RunID(p.Version, p.User, ref), Sequence: p.next, At: p.at,
		Node: string(node), Cause: string(cause), Payload: payload,
	})
	p.next++
	return id
}

// hide counts an event that this client may not see.
func (p *Projector) hide() { p.next++ }

// start begins the run.
func (p *Projector) start() {
	if p.started {
		return // an observed turn may say again who asked for it
	}
	p.started = true
	p.add(RunStarted, "", "", runStarted{workflowOf(p.turn), inputsOf(p.turn), ownerOf(p.Version, p.User)})
	if oneNode(p.turn) {
		p.startNode(session.NodeStarted{Node: string(agentNode), Type: string(agentNodeType)})
	}
}

// end closes what is open, and then the run.
func (p *Projector) end() {
	p.closeAll()
	p.endNodes()
	p.ended = true
	switch p.turn.State {
	case session.Completed:
		p.add(RunCompleted, "", "", runCompleted{outputsOf(p.turn), p.turn.Stop})
	case session.Failed:
		p.add(RunFailed, "", "", runFailed{runFault(p.turn), p.turn.Stop})
	default:
		p.add(RunCancelled, "", "", runCancelled{"interrupted"})
	}
}

// workflowOf returns the workflow of a turn's run.
func workflowOf(t session.Turn) ours { return ours(cmp.Or(t.Workflow.ID, ChatWorkflow)) }

// oneNode reports whether the run has one node, which the log does not mention.
func oneNode(t session.Turn) bool { return workflowOf(t) == ChatWorkflow }

// inputsOf returns what the run was given: the message, unless a client said what.
func inputsOf(t session.Turn) object {
	if in := objectOf(t.Workflow.Inputs); in != nil || !oneNode(t) {
		return in
	}
	return object{}.withText("message", t.Input)
}

// outputsOf returns the outputs of all nodes, of which the last wins, and the answer.
func outputsOf(t session.Turn) object {
	sum := object{}
	for _, n := range t.Nodes {
		sum = sum.with(objectOf(n.Outputs))
	}
	return sum.withText("response", t.Response)
}

// runFault returns the error of a run that failed.
func runFault(t session.Turn) fault {
	return faultOf("candor.run_failed", t.Error, safety.Literal("The run failed."))
}

// faultOf returns an error whose message is not empty.
func faultOf(code ours, message, otherwise safety.Text) fault {
	if message.Empty() {
		message = otherwise
	}
	return fault{code, message}
}
