package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
)

// Bounds of what a worker may post at once.
const (
	maxPosts     = 100
	maxDecisions = 256
)

// jobPost is one event as workers send it: the specification's flat object with
// "event", or IronClaw's with "event_type" and the rest under "data".
type jobPost struct {
	ID        string          `json:"id"`
	Event     string          `json:"event"`
	EventType string          `json:"event_type"`
	JobID     string          `json:"job_id"`
	Data      json.RawMessage `json:"data"`
	jobPostFields
}

// jobPostFields are the members of all kinds.
type jobPostFields struct {
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

// postReason is why a tool was called, and with which others. Blocked says that the
// worker's own safety withheld the words.
type postReason struct {
	Rationale string `json:"rationale"`
	Source    string `json:"rationale_source"`
	Blocked   bool   `json:"rationale_blocked"`
	Group     *int   `json:"parallel_group"`
}

// readPosts reads the body of a post: one object, an array, or {"events": […]}.
// batch says that it was not one object.
func readPosts(body []byte) (posts []jobPost, raws []json.RawMessage, batch bool, err error) {
	var many struct {
		Events []json.RawMessage `json:"events"`
	}
	switch trimmed := bytes.TrimSpace(body); {
	case bytes.HasPrefix(trimmed, []byte("[")):
		err, batch = json.Unmarshal(trimmed, &raws), true
	default:
		if err = json.Unmarshal(trimmed, &many); err == nil && many.Events != nil {
			raws, batch = many.Events, true
		} else {
			raws = []json.RawMessage{trimmed}
		}
	}
	if err != nil {
		return nil, nil, false, badJSON(err)
	}
	if len(raws) == 0 || len(raws) > maxPosts {
		return nil, nil, false, problem(http.StatusBadRequest, "bad_batch", "A batch has from 1 to 100 events.").with("max", maxPosts)
	}
	posts = make([]jobPost, len(raws))
	for i, raw := range raws {
		if err := posts[i].read(raw); err != nil {
			return nil, nil, false, badJSON(err).with("index", i)
		}
	}
	return posts, raws, batch, nil
}

// read decodes one event of either shape.
func (p *jobPost) read(raw json.RawMessage) error {
	if err := json.Unmarshal(raw, p); err != nil {
		return err
	}
	if p.Event == "" && p.EventType != "" && len(p.Data) > 0 && p.known() {
		return json.Unmarshal(p.Data, &p.jobPostFields)
	}
	return nil
}

func (p *jobPost) kind() string { return cmp.Or(p.Event, p.EventType) }

func (p *jobPost) known() bool {
	switch p.kind() {
	case "message", "tool_use", "tool_result", "reasoning", "status", "result":
		return true
	}
	return false
}

// key makes a repeat of the post harmless: the event's own id, else the request's
// key and the place in it. Only its hash is kept, since it is the worker's text.
func (p *jobPost) key(request string, batch bool, index int) string {
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
