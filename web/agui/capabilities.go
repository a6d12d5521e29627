package agui

import (
	"net/http"

	"candor/web/access"
)

// Capabilities says what a front end can rely on, in the form of AG-UI's
// AgentCapabilities. Absent members are unknown. Transport streams events as they happen,
// but Reasoning does not stream: a text is sent whole. Reasoning is "encrypted" where
// encrypted values stand in place of a readable text, and not just beside it. Tools lists
// the agent's own tools, whose names a front end cannot use for its own. MultiAgent
// delegates and gets the answer back; no agent takes a conversation over. Custom names the
// level of reasoning and the routes that AG-UI does not have.
type Capabilities struct {
	Identity    map[string]string `json:"identity"`
	Transport   map[string]bool   `json:"transport"`
	Tools       toolCapabilities  `json:"tools"`
	State       map[string]bool   `json:"state"`
	MultiAgent  map[string]bool   `json:"multiAgent"`
	Reasoning   map[string]bool   `json:"reasoning"`
	Multimodal  multimodal        `json:"multimodal"`
	HumanInLoop map[string]bool   `json:"humanInTheLoop"`
	Custom      map[string]any    `json:"custom"`
}

type toolCapabilities struct {
	Supported      bool        `json:"supported"`
	ParallelCalls  bool        `json:"parallelCalls"`
	ClientProvided bool        `json:"clientProvided"`
	Items          []InputTool `json:"items,omitempty"`
}

type multimodal struct {
	Input  map[string]bool `json:"input"`
	Output map[string]bool `json:"output"`
}

// capabilities handles GET /agui/capabilities. The answer depends on how much reasoning
// the caller is shown. It has no errors of its own.
func (s *Server) capabilities(w http.ResponseWriter, _ *http.Request, who access.Caller) error {
	level := s.level(who, Full)
	c := Capabilities{
		Identity: map[string]string{
			"name": "Candor", "type": "candor", "description": "An agent that says why it does what it does.",
		},
		Transport: map[string]bool{
			"streaming": true, "websocket": false, "httpBinary": false, "pushNotifications": false, "resumable": true,
		},
		Tools: toolCapabilities{Supported: true, ParallelCalls: true, ClientProvided: true},
		State: map[string]bool{
			"snapshots": true, "deltas": false, "memory": s.options.Memory, "persistentState": false,
		},
		MultiAgent: map[string]bool{
			"supported": s.options.Delegates, "delegation": s.options.Delegates, "handoffs": false,
		},
		Reasoning: map[string]bool{"supported": level != Hidden, "streaming": false, "encrypted": level == Hidden},
		Multimodal: multimodal{
			Input:  map[string]bool{"image": false, "audio": false, "video": false, "pdf": false, "file": false},
			Output: map[string]bool{"image": false, "audio": false},
		},
		HumanInLoop: map[string]bool{
			"supported": true, "approvals": true, "interventions": false, "feedback": false,
			"interrupts": true, "approveWithEdits": false,
		},
		Custom: map[string]any{
			"candor:reasoning": level, "candor:replay": "/agui/threads/{threadId}/events",
			"candor:interrupt": "/agui/threads/{threadId}/interrupt",
		},
	}
	if s.options.Model != "" {
		c.Identity["provider"] = s.options.Model
	}
	if s.options.Tools != nil {
		c.Tools.Items = s.options.Tools()
	}
	return writeJSON(w, http.StatusOK, c)
}
