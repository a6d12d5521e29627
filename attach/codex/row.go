package codex

import (
	"encoding/json"
	"strings"
	"time"
)

// row is a row of a rollout. Older ones have no ordinal, which is not read.
type row struct {
	// When the row was written. In a copy it is the time of the copying.
	Timestamp string `json:"timestamp"`
	// What the payload is: session_meta, turn_context, response_item, event_msg, token_usage_record, or one of the
	// program's own affairs.
	Type string `json:"type"`
	// It is decoded only if its type is one that is read.
	Payload json.RawMessage `json:"payload"`

	bare bool // it begins a rollout of rows without an envelope
}

// bareRow is a row of a rollout of 2025, which has no envelope: the first is the session's, and those behind it are
// items, or the state of the program.
type bareRow struct {
	row
	ID           string          `json:"id"`
	Record       string          `json:"record_type"`
	Instructions json.RawMessage `json:"instructions"`
	Git          json.RawMessage `json:"git"`
}

// decodeRow decodes a line. bare says that the rollout has rows without an envelope; of another one only the first row
// may be such a row.
func decodeRow(line []byte, bare, first bool) (in row, ok bool) {
	var r bareRow
	if json.Unmarshal(line, &r) != nil {
		return row{}, false
	}
	switch {
	case r.Type != "" && len(r.Payload) > 0:
		return r.row, true
	case r.Type == "" && r.Record == "" && r.ID != "" && first && len(r.Instructions)+len(r.Git)+len(r.Timestamp) > 0:
		return row{Timestamp: r.Timestamp, Type: "session_meta", Payload: line, bare: true}, true
	case bare && r.Record != "":
		return row{Type: "record " + r.Record}, true
	case bare && r.Type != "":
		return row{Timestamp: r.Timestamp, Type: "response_item", Payload: line}, true
	}
	return row{}, false
}

// meta is the payload of session_meta, the first row of a rollout.
type meta struct {
	// The rollout's own id, and that of the session: they differ for a sub-agent. Older rollouts have only the first.
	ID      string `json:"id"`
	Session string `json:"session_id"`
	// Where the rollout went on from, and the agent that began this one.
	ForkedFrom string `json:"forked_from_id"`
	Parent     string `json:"parent_thread_id"`

	// The folder in which the agent works, and the program's version.
	CWD     string `json:"cwd"`
	Version string `json:"cli_version"`
	// What the sub-agent is, such as explorer.
	Role string `json:"agent_role"`
	// Where the conversation came from: a word, or an object that tells of a sub-agent.
	Source json.RawMessage `json:"source"`
}

// spawn returns what the source tells of a sub-agent; isSub is false for a conversation of a person.
func (m *meta) spawn() (parent, kind string, isSub bool) {
	var source struct {
		Sub json.RawMessage `json:"subagent"`
	}
	if json.Unmarshal(m.Source, &source) != nil || len(source.Sub) == 0 {
		return m.Parent, m.Role, m.Parent != "" && m.Parent != m.ID
	}
	// A word for those that the program begins itself, such as review, or an object for those of a call.
	var by struct {
		Spawn struct {
			Parent string `json:"parent_thread_id"`
			Role   string `json:"agent_role"`
		} `json:"thread_spawn"`
	}
	if json.Unmarshal(source.Sub, &kind) == nil {
		return m.Parent, kind, true
	}
	if json.Unmarshal(source.Sub, &by) != nil {
		return m.Parent, m.Role, true
	}
	return or(m.Parent, by.Spawn.Parent), or(or(m.Role, by.Spawn.Role), plainAgent), true
}

// plainAgent is what the program calls a sub-agent for which the model named no role.
const plainAgent = "default"

// context is what is read of turn_context, and of the event task_started.
type context struct {
	Turn string `json:"turn_id"`
	// The turn of the agent that the person speaks to. It is Turn itself but for sub-agents.
	Root  string `json:"root_turn_id"`
	Model string `json:"model"`
	CWD   string `json:"cwd"`
}

// responseItem is the payload of response_item, as far as it is read.
type responseItem struct {
	// What the item is. The program knows more types than these, and adds to them.
	Type string `json:"type"`
	// The item's own id, which older files do not have, and who wrote a message: user is at times the program.
	ID   string `json:"id"`
	Role string `json:"role"`
	// Parts of a message; of a reasoning item its text, which few providers give.
	Content []part `json:"content"`
	Summary []part `json:"summary"`
	// What only the provider can read. It is measured and never decoded.
	Encrypted json.RawMessage `json:"encrypted_content"`

	// Of a call. Its namespace is that of an MCP server, or groups tools of the program, such as those for sub-agents.
	// Arguments is JSON in a string, Input a text, Action an object of tools that the provider knows.
	Call      string          `json:"call_id"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Status    string          `json:"status"`

	// Of a result: a text, or parts.
	Output json.RawMessage `json:"output"`
}

// part is a part of a message, a summary or a result.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// eventMessage is the payload of event_msg, as far as it is read.
type eventMessage struct {
	Type string `json:"type"`
	// Of task_started: the turn that begins.
	context
	// Of item_completed.
	Item completedItem `json:"item"`

	Message    string `json:"message"`            // of user_message, and of error
	LastAnswer string `json:"last_agent_message"` // of task_complete
	Reason     string `json:"reason"`             // of turn_aborted

	Info struct {
		// The usage of the answer that was last, which may be told more than once.
		Last *usage `json:"last_token_usage"`
	} `json:"info"` // of token_count
}

// completedItem is the item of an event item_completed: what a call came to, or what a person said.
type completedItem struct {
	// What was done. The id of what a call did is the call's; that of a message is its own.
	Type string `json:"type"`
	ID   string `json:"id"`
	// How it went: completed, failed or declined.
	Status string `json:"status"`

	Content []part `json:"content"` // UserMessage

	// CommandExecution: both streams together, the code with which the command ended, and how long it ran.
	Output   string `json:"aggregated_output"`
	ExitCode *int   `json:"exit_code"`
	Duration struct {
		Secs  int64 `json:"secs"`
		Nanos int64 `json:"nanos"`
	} `json:"duration"`

	// FileChange: the difference of each file, by its path, and what the tool wrote.
	Changes json.RawMessage `json:"changes"`
	Stdout  string          `json:"stdout"`
	Stderr  string          `json:"stderr"`

	// CollabAgentToolCall: what the call did to which sub-agents, and the model and effort of one that it began.
	Tool   string `json:"tool"`
	Agents []struct {
		ID   string `json:"thread_id"`
		Role string `json:"agent_role"`
	} `json:"receiver_agents"`
	Model  string `json:"model"`
	Effort string `json:"reasoning_effort"`
}

// usage counts an answer's tokens as the API does, and not as other APIs do: those of the cache are among input_tokens.
type usage struct {
	Input     int `json:"input_tokens"`
	Cached    int `json:"cached_input_tokens"`
	Output    int `json:"output_tokens"`
	Reasoning int `json:"reasoning_output_tokens"`
}

// record is the payload of token_usage_record, which ends an answer.
type record struct {
	Response string `json:"response_id"`
	Usage    usage  `json:"usage"`
}

// joined returns the texts of parts, a paragraph each.
func joined(list []part) string {
	var texts []string
	for _, p := range list {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// or returns the first of two texts that is not empty.
func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// born returns the time in an id of UUID version 7, in milliseconds, and whether the id is one.
func born(id string) (ms uint64, ok bool) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7' {
		return 0, false
	}
	for _, c := range id[:8] + id[9:13] {
		at := strings.IndexRune("0123456789abcdef", c)
		if at < 0 {
			return 0, false
		}
		ms = ms<<4 | uint64(at)
	}
	return ms, true
}

// olderThan reports whether an id was made before another; ids that do not tell are not older.
func olderThan(id, other string) bool {
	a, known := born(id)
	b, both := born(other)
	return known && both && a < b
}

// tookOf returns how long an item took; zero if that is not believable.
func (c *completedItem) took() time.Duration {
	d := c.Duration
	if d.Secs < 0 || d.Secs > 7*24*3600 || d.Nanos < 0 || d.Nanos >= 1e9 {
		return 0
	}
	return time.Duration(d.Secs)*time.Second + time.Duration(d.Nanos)
}
