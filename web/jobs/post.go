package jobs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"candor/safety"
	"candor/session"
	"candor/web/problem"
)

// Bounds of one request.
const (
	maxPosts     = 100 // events
	maxDecisions = 256 // of one event
	// maxDuration is the longest duration of a call, in milliseconds: a year.
	maxDuration = 366 * 24 * 3600 * 1000
)

// post is one event as workers send it: either the flat object of our specification,
// with "event", or IronClaw's, with "event_type" and the other members in "data".
type post struct {
	ID        string `json:"id"`
	Event     string `json:"event"`
	EventType string `json:"event_type"`
	JobID     string `json:"job_id"`
	postFields
	decisions []postDecision

	raw     json.RawMessage // the event as it was sent
	dialect bool            // the members are IronClaw's
	unknown unknownMembers
}

// postFields are the members of all kinds of events. The lists in members.go say which
// kind has which.
type postFields struct {
	Agent     string          `json:"agent"`
	Caller    string          `json:"caller"` // the worker's id of the call within which the agent works
	Role      string          `json:"role"`
	Content   string          `json:"content"`
	ToolName  string          `json:"tool_name"`
	CallID    string          `json:"call_id"`
	ToolUseID string          `json:"tool_use_id"`
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output"`
	Error     string          `json:"error"`
	Outcome   string          `json:"outcome"`
	Duration  *int64          `json:"duration_ms"`

	postReason                          // of a tool_use
	Answer           bool               `json:"answer"`
	Narrative        string             `json:"narrative"`
	NarrativeSource  string             `json:"narrative_source"`
	NarrativeBlocked bool               `json:"narrative_blocked"`
	Thought          string             `json:"thought"`
	ThoughtBlocked   bool               `json:"thought_blocked"`
	TextBefore       string             `json:"text_before"`
	Stop             string             `json:"stop"` // of a message, too, as are its other names
	StopReason       string             `json:"stop_reason"`
	FinishReason     string             `json:"finish_reason"`
	Sealed           *postSealed        `json:"sealed"`
	Usage            *postUsage         `json:"usage"` // of a message, too
	ToolDecisions    *[]json.RawMessage `json:"tool_decisions"`
	Decisions        []json.RawMessage  `json:"decisions"`

	State     string `json:"state"`
	Status    string `json:"status"`
	Message   string `json:"message"`
	Success   *bool  `json:"success"`
	Iteration int    `json:"iteration"`
}

// postSealed says how much reasoning only the provider of the worker's model can read.
type postSealed struct {
	Kind   string `json:"kind"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

type postDecision struct {
	ToolName string `json:"tool_name"`
	CallID   string `json:"call_id"`
	Outcome  string `json:"outcome"`
	postReason
}

// postReason is why a tool was called, and the parallel group of the call. Blocked
// means that the worker's own safety layer withheld the rationale.
type postReason struct {
	Rationale string `json:"rationale"`
	Source    string `json:"rationale_source"`
	Blocked   bool   `json:"rationale_blocked"`
	Group     *int   `json:"parallel_group"`
}

// readPosts parses the body of a post: one event, an array of events, or
// {"events": […]}. batch is false if the body was a single event. Members that an event's
// kind does not have are refused if strict, as mistyped kinds are, else counted in the post. layer says
// which names an answer may repeat.
func readPosts(layer *safety.Layer, body []byte, strict bool) (posts []post, batch bool, err error) {
	raws, batch, err := splitBatch(bytes.TrimSpace(body))
	if err != nil {
		return nil, false, problem.BadJSON(err)
	}
	if len(raws) == 0 || len(raws) > maxPosts {
		return nil, false, problem.New(http.StatusBadRequest, "bad_batch",
			"A batch must have 1 to 100 events.").With("max", maxPosts)
	}
	posts = make([]post, len(raws))
	for i, raw := range raws {
		bad := posts[i].parse(raw)
		if bad == nil && strict {
			if bad = posts[i].unknown.refusal(layer, posts[i].kind()); bad == nil {
				bad = posts[i].mistyped(layer)
			}
		}
		if bad != nil {
			return nil, false, bad.With("index", i)
		}
	}
	return posts, batch, nil
}

// splitBatch separates the events of a body without parsing them.
func splitBatch(body []byte) (raws []json.RawMessage, batch bool, err error) {
	if bytes.HasPrefix(body, []byte("[")) {
		err = json.Unmarshal(body, &raws)
		return raws, true, err
	}
	var object struct {
		Events []json.RawMessage `json:"events"`
	}
	if err = problem.Unmarshal(body, &object); err != nil {
		return nil, false, err
	}
	if object.Events != nil {
		return object.Events, true, nil
	}
	return []json.RawMessage{body}, false, nil
}

// parse decodes one event of either form. The members of an event of an unknown kind are
// not looked at.
func (p *post) parse(raw json.RawMessage) *problem.Problem {
	p.raw = raw
	var head struct {
		Event     string          `json:"event"`
		EventType string          `json:"event_type"`
		Data      json.RawMessage `json:"data"`
	}
	if err := problem.Unmarshal(raw, &head); err != nil {
		return wrongType(err)
	}
	kind := cmp.Or(head.Event, head.EventType)
	known, ok := members[kind]
	if !ok {
		p.Event, p.EventType = head.Event, head.EventType
		return p.decodeUnknownKind(raw)
	}
	p.dialect = head.Event == "" && len(head.Data) > 0
	if !p.dialect {
		return p.decode(raw, p, slices.Concat(envelope, known), known)
	}
	if bad := p.decode(raw, p, append([]string{"data"}, envelope...), known); bad != nil {
		return bad
	}
	return p.decode(head.Data, &p.postFields, slices.Concat(known, dialectMembers[kind]), known)
}

// decodeUnknownKind reads the two members that every event has.
func (p *post) decodeUnknownKind(raw json.RawMessage) *problem.Problem {
	var head struct {
		ID    string `json:"id"`
		JobID string `json:"job_id"`
	}
	if err := problem.Unmarshal(raw, &head); err != nil {
		return wrongType(err)
	}
	p.ID, p.JobID = head.ID, head.JobID
	return nil
}

// decode decodes an object of the event, and then its decisions. accepted are the names
// that the object may have, and proper those that a hint may suggest.
func (p *post) decode(raw json.RawMessage, into any, accepted, proper []string) *problem.Problem {
	if bad := p.unknown.decode(raw, into, "", accepted, proper); bad != nil {
		return bad
	}
	list := p.Decisions
	if p.ToolDecisions != nil {
		list = *p.ToolDecisions
	}
	if len(list) > maxDecisions {
		return problem.New(http.StatusBadRequest, "too_many_decisions",
			"A step may have at most 256 decisions.").With("max", maxDecisions)
	}
	p.decisions = make([]postDecision, len(list))
	for i, d := range list {
		path := fmt.Sprintf("tool_decisions[%d].", i)
		if bad := p.unknown.decode(d, &p.decisions[i], path, decisionMembers, decisionMembers); bad != nil {
			return bad.With("decision", i)
		}
	}
	return nil
}

func (p *post) kind() string { return cmp.Or(p.Event, p.EventType) }

// callID returns the worker's id for the call. IronClaw's name for it is tool_use_id.
func (p *post) callID() string { return cmp.Or(p.CallID, p.ToolUseID) }

// key returns the post's idempotency key: the event's own id, else one made of the
// request's key and the event's index in the batch, else "". It is hashed, because
// it is text of the worker's.
func (p *post) key(request string, batch bool, index int) string {
	key := p.ID
	if key == "" && request != "" {
		key = request
		if batch {
			key = fmt.Sprintf("%s/%d", request, index)
		}
	}
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// maxSealed bounds the bytes and the tokens of sealed reasoning that a worker may report for a step.
const maxSealed = 1 << 30

// sealed returns what the worker says of reasoning that only its model's provider can read. What it is
// is never posted: "sealed" has a kind and two counts, so it holds no text of anybody.
func (p *post) sealed() (session.Sealed, *problem.Problem) {
	s := p.Sealed
	if s == nil {
		return session.Sealed{}, nil
	}
	kind := session.SealKind(s.Kind)
	switch {
	case kind != session.SealEncrypted && kind != session.SealSignature:
		return session.Sealed{}, problem.New(http.StatusBadRequest, "bad_sealed",
			"kind of sealed has to be encrypted or signature.")
	case min(s.Bytes, s.Tokens) < 0, max(s.Bytes, s.Tokens) > maxSealed:
		return session.Sealed{}, problem.New(http.StatusBadRequest, "bad_sealed",
			"bytes and tokens of sealed have to be from 0 to 1073741824.")
	}
	return session.Sealed{Kind: kind, Bytes: s.Bytes, Tokens: s.Tokens}, nil
}

// What a worker may say of the answers behind one event: tokens of each kind, and nano-dollars.
const (
	maxTokens = 1 << 30
	maxNanos  = 1_000_000_000_000_000
)

// postUsage says what answers of the worker's model took that no event before has reported. Cost is absent unless
// the price of each of them is known.
type postUsage struct {
	Input     int    `json:"input_tokens"`
	Output    int    `json:"output_tokens"`
	Reasoning int    `json:"reasoning_tokens"`
	Cost      *int64 `json:"cost_nanodollars"`
}

// used returns what the worker says of its model's answers, which are counted as one.
func (p *post) used() (session.Usage, session.Spent, *problem.Problem) {
	u := p.Usage
	if u == nil {
		return session.Usage{}, session.Spent{}, nil
	}
	spent := session.Spent{Unpriced: 1}
	if u.Cost != nil {
		spent = session.Spent{Nanos: *u.Cost, Priced: 1}
	}
	if min(u.Input, u.Output, u.Reasoning) < 0 || max(u.Input, u.Output, u.Reasoning) > maxTokens ||
		spent.Nanos < 0 || spent.Nanos > maxNanos {
		return session.Usage{}, session.Spent{}, problem.New(http.StatusBadRequest, "bad_usage",
			"In usage, tokens go from 0 to 1073741824, and cost_nanodollars from 0 to 1000000000000000.")
	}
	return session.Usage{Input: u.Input, Output: u.Output, Reasoning: u.Reasoning}, spent, nil
}
