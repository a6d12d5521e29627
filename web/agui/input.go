package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"candor/web/problem"
)

// The bounds of an input, in bytes unless it says otherwise.
const (
	maxBody        = 4 << 20 // the whole conversation, with the encrypted reasoning
	maxID          = 256
	maxTools       = 64 // tools
	maxSchema      = 64 << 10
	maxDescription = 8 << 10
	maxContext     = 64 << 10 // state and context together, as the model sees them
	maxResult      = 512 << 10
)

// Input is a RunAgentInput, the body of POST /agui. Other members are ignored, and null
// stands for a member that is missing.
type Input struct {
	ThreadID        string          `json:"threadId"`
	RunID           string          `json:"runId"`
	ProtocolVersion string          `json:"protocolVersion"`
	ParentRunID     string          `json:"parentRunId"`
	State           json.RawMessage `json:"state"`
	Messages        []InputMessage  `json:"messages"`
	Tools           []InputTool     `json:"tools"`
	Context         []InputContext  `json:"context"`
	ForwardedProps  json.RawMessage `json:"forwardedProps"`
	Resume          []Resume        `json:"resume"`
}

// InputMessage is a message of the client's conversation. Role is one of developer, system,
// assistant, user, tool, reasoning and activity; the last belongs to the front end and its
// content is not read. Content is text or, for users and tools, a list of parts. ToolCallID is
// required for the role tool. Error says why a tool of the front end has no result.
type InputMessage struct {
	ID             string          `json:"id"`
	Role           string          `json:"role"`
	Content        json.RawMessage `json:"content"`
	ToolCalls      []InputCall     `json:"toolCalls"`
	ToolCallID     string          `json:"toolCallId"`
	Error          string          `json:"error"`
	EncryptedValue string          `json:"encryptedValue"`

	Raw     json.RawMessage `json:"-"` // the whole message as it was sent
	Text    string          `json:"-"` // the text parts of Content, joined
	Skipped map[string]int  `json:"-"` // number of parts that are not text, by type
}

// InputCall is a call in an assistant's message. EncryptedValue is what the client got in
// REASONING_ENCRYPTED_VALUE; the name and arguments are ignored, because the log has them.
type InputCall struct {
	ID             string `json:"id"`
	EncryptedValue string `json:"encryptedValue"`
}

// InputTool is a tool that the front end runs. Name has up to 64 letters, digits, _ and -,
// and does not begin with a digit or -. Parameters is a JSON Schema of an object, at most
// maxSchema bytes; Description has at most maxDescription bytes.
type InputTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// InputContext is a fact that the front end tells the model. It is shown to the model for
// this turn and not logged.
type InputContext struct {
	Description string `json:"description"`
	Value       string `json:"value"`
}

// Resume answers an interrupt. A cancelled one denies the call. The payload of a resolved
// one is {"answer": "approve"}, "deny" or "always", the answer alone, or {"approved":
// true}; without a payload it approves.
type Resume struct {
	InterruptID string          `json:"interruptId"`
	Status      string          `json:"status"` // resolved or cancelled
	Payload     json.RawMessage `json:"payload"`
}

// UnmarshalJSON implements json.Unmarshaler. It keeps the original in Raw.
func (m *InputMessage) UnmarshalJSON(raw []byte) error {
	type plain InputMessage
	if err := json.Unmarshal(raw, (*plain)(m)); err != nil {
		return err
	}
	m.Raw = bytes.Clone(raw)
	return nil
}

// parseInput parses and validates an input. Its errors are problems that name the
// invalid member and do not repeat its value.
func parseInput(body []byte) (*Input, error) {
	var in Input
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalid("it is not JSON of the expected form")
	}
	for _, member := range []struct{ name, value string }{{"threadId", in.ThreadID}, {"runId", in.RunID}} {
		if !validID(member.value) {
			return nil, invalid(fmt.Sprintf("%s has to be text of 1 to %d characters without control characters",
				member.name, maxID))
		}
	}
	if in.ParentRunID != "" && !validID(in.ParentRunID) {
		return nil, invalid("parentRunId is no id")
	}
	if in.Messages == nil {
		return nil, invalid("messages is missing")
	}
	for i := range in.Messages {
		if err := in.Messages[i].read(); err != nil {
			return nil, invalid(fmt.Sprintf("messages[%d]: %s", i, err))
		}
	}
	if err := checkTools(in.Tools); err != nil {
		return nil, err
	}
	if len(in.contextText()) > maxContext {
		return nil, invalid(fmt.Sprintf("context and state have more than %d bytes together", maxContext))
	}
	if err := checkResume(in.Resume); err != nil {
		return nil, err
	}
	return &in, nil
}

func checkResume(all []Resume) error {
	for i, r := range all {
		if r.InterruptID == "" || r.Status != "resolved" && r.Status != "cancelled" {
			return invalid(fmt.Sprintf("resume[%d] needs an interruptId and a status, resolved or cancelled", i))
		}
	}
	return nil
}

func invalid(what string) *problem.Problem {
	return problem.New(http.StatusBadRequest, "invalid_input", "The body is not a valid RunAgentInput: "+what+".")
}

func validID(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

func checkTools(tools []InputTool) error {
	if len(tools) > maxTools {
		return invalid(fmt.Sprintf("tools has more than %d entries", maxTools))
	}
	for i, t := range tools {
		switch {
		case !toolName.MatchString(t.Name):
			return invalid(fmt.Sprintf("tools[%d].name has to be 1 to 64 letters, digits, _ or -", i))
		case len(t.Parameters) > maxSchema || len(t.Description) > maxDescription:
			return invalid(fmt.Sprintf(
				"tools[%d] is too large: %d bytes of parameters and %d of description are allowed",
				i, maxSchema, maxDescription))
		}
	}
	return nil
}

// version1 reports whether the client speaks 1.0 or later. A client of 0.x sends no
// version.
func (in *Input) version1() bool {
	major, _, _ := strings.Cut(in.ProtocolVersion, ".")
	return major != "" && major != "0"
}

// level parses how much reasoning the client wants, in forwardedProps.reasoning.
func (in *Input) level() (Level, error) {
	var props struct {
		Reasoning *string `json:"reasoning"`
	}
	// Other properties are not for us, and forwardedProps need not even be an object.
	if json.Unmarshal(in.ForwardedProps, &props) != nil || props.Reasoning == nil {
		return Full, nil
	}
	level, ok := ParseLevel(*props.Reasoning)
	if !ok {
		return Hidden, invalid("forwardedProps.reasoning is none of full, summary, hidden")
	}
	return level, nil
}
