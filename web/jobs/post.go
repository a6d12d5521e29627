package jobs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"candor/web/problem"
)

// Bounds of one request.
const (
	maxPosts     = 100 // events
	maxDecisions = 256 // of one event
)

// post is one event as workers send it: either the flat object of our specification,
// with "event", or IronClaw's, with "event_type" and the other members in "data".
type post struct {
	ID        string          `json:"id"`
	Event     string          `json:"event"`
	EventType string          `json:"event_type"`
	JobID     string          `json:"job_id"`
	Data      json.RawMessage `json:"data"`
	postFields
}

// postFields are the members of all kinds of events.
type postFields struct {
	Role     string          `json:"role"`
	Content  string          `json:"content"`
	ToolName string          `json:"tool_name"`
	CallID   string          `json:"call_id"`
	Input    json.RawMessage `json:"input"`
	Output   json.RawMessage `json:"output"`
	Error    string          `json:"error"`
	Outcome  string          `json:"outcome"`
	Duration int64           `json:"duration_ms"`

	postReason                      // of a tool_use
	Narrative        string         `json:"narrative"`
	NarrativeBlocked bool           `json:"narrative_blocked"`
	ToolDecisions    []postDecision `json:"tool_decisions"`
	Decisions        []postDecision `json:"decisions"`

	State     string `json:"state"`
	Status    string `json:"status"`
	Message   string `json:"message"`
	Success   *bool  `json:"success"`
	Iteration int    `json:"iteration"`
}

type postDecision struct {
	ToolName string `json:"tool_name"`
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
// {"events": […]}. raws holds the JSON of each event. batch is false if the body was
// a single event.
func readPosts(body []byte) (posts []post, raws []json.RawMessage, batch bool, err error) {
	if raws, batch, err = splitBatch(bytes.TrimSpace(body)); err != nil {
		return nil, nil, false, problem.BadJSON(err)
	}
	if len(raws) == 0 || len(raws) > maxPosts {
		return nil, nil, false, problem.New(http.StatusBadRequest, "bad_batch",
			"A batch has from 1 to 100 events.").With("max", maxPosts)
	}
	posts = make([]post, len(raws))
	for i, raw := range raws {
		if err := posts[i].parse(raw); err != nil {
			return nil, nil, false, problem.BadJSON(err).With("index", i)
		}
	}
	return posts, raws, batch, nil
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
	if err = json.Unmarshal(body, &object); err != nil {
		return nil, false, err
	}
	if object.Events != nil {
		return object.Events, true, nil
	}
	return []json.RawMessage{body}, false, nil
}

// parse decodes one event of either form.
func (p *post) parse(raw json.RawMessage) error {
	if err := json.Unmarshal(raw, p); err != nil {
		return err
	}
	if p.Event == "" && p.EventType != "" && len(p.Data) > 0 && p.hasKnownKind() {
		return json.Unmarshal(p.Data, &p.postFields)
	}
	return nil
}

func (p *post) kind() string { return cmp.Or(p.Event, p.EventType) }

func (p *post) hasKnownKind() bool {
	switch p.kind() {
	case "message", "tool_use", "tool_result", "reasoning", "status", "result":
		return true
	}
	return false
}

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
