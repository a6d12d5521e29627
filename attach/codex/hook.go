package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"candor/attach"
	"candor/attach/rows"
	"candor/attach/settings"
)

// MaxHook bounds a hook's payload, in bytes.
const MaxHook = 16 << 20

// ErrUnknownHook is the error for a hook that is not read. Its text names the hook.
var ErrUnknownHook = errors.New("this hook is not supported")

// errPayload is the error for a payload that is no hook's.
var errPayload = errors.New("this is not a Codex hook payload: it needs session_id and hook_event_name, " +
	"and members of the types that the program gives them")

// payload is what hooks are given on standard input, as far as it is read.
type payload struct {
	// All hooks have these; those of a sub-agent have its id and type, too, and a turn of its own.
	Event     string `json:"hook_event_name"`
	Session   string `json:"session_id"`
	Turn      string `json:"turn_id"`
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	CWD       string `json:"cwd"`
	File      string `json:"transcript_path"`
	Model     string `json:"model"`

	// UserPromptSubmit: the message, or the task of a sub-agent.
	Prompt string `json:"prompt"`

	// PreToolUse, and with the response PostToolUse. Some parameters are left out, such as how long to wait for a
	// command's output. The response is a text, and of a command it is the output alone, without its exit code. A
	// command that goes on in the background has its hook when it ends, and not when the model was told of it.
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Call     string          `json:"tool_use_id"`
	Response json.RawMessage `json:"tool_response"`

	// Stop and SubagentStop: the last text of the agent, which the program leaves out if there is none.
	Answer string `json:"last_assistant_message"`

	// What [WithArguments] adds.
	Added added `json:"candor"`
}

// shell is what hooks call the tool exec_command.
const shell = "Bash"

// Hook returns the sightings in one hook's payload. Hooks without facts about a decision, such as PreCompact, have
// none. It fails if raw is no payload, and with ErrUnknownHook for an unknown hook.
func Hook(raw []byte) ([]attach.Sighting, error) {
	var p payload
	if len(raw) > MaxHook {
		return nil, fmt.Errorf("the hook's payload has %d bytes; the limit is %d", len(raw), MaxHook)
	}
	if json.Unmarshal(raw, &p) != nil || p.Event == "" || !rows.IsID(p.Session) ||
		!rows.OptionalID(p.Turn, p.AgentID, p.Call) {
		return nil, errPayload
	}
	return p.sightings()
}

// sightings returns what the payload tells.
func (p *payload) sightings() ([]attach.Sighting, error) {
	s := attach.Sighting{Agent: agent, Session: p.Session, Channel: attach.Hooks, Turn: p.Turn, Sub: p.AgentID}
	if p.AgentID != "" {
		s.Turn = "" // that of the agent that began it, which the program does not name here
	}
	switch p.Event {
	case "SessionStart":
		// It names no turn, and comes again when a session is resumed.
		return rows.News(&attach.About{}, attach.About{Folder: p.CWD, Model: p.Model}, s), nil
	case "UserPromptSubmit":
		if p.AgentID != "" {
			return nil, nil // a sub-agent's task is among the parameters of the call that began it
		}
		text, _ := rows.Shorten(p.Prompt)
		about := rows.News(&attach.About{}, attach.About{Folder: p.CWD, Model: p.Model}, s)
		s.Prompted = &attach.Prompted{Text: text}
		return append(about, s), nil
	case "PreToolUse", "PostToolUse":
		return p.tool(s)
	case "SubagentStart":
		// It does not name the call; the call's own PostToolUse does.
		kind, _ := rows.Shorten(p.AgentType)
		s.Spawned = &attach.Spawned{Kind: kind, Background: true}
		return []attach.Sighting{s}, nil
	case "Stop", "SubagentStop":
		text, _ := rows.Shorten(p.Answer)
		s.Ended = &attach.Ended{Answer: text}
		return []attach.Sighting{s}, nil
	// They say nothing of decisions; the end of a session is no turn's end.
	case "SessionEnd", "PermissionRequest", "PreCompact", "PostCompact":
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownHook, rows.PlainKind(p.Event))
}

// tool returns the call that a payload is about, and how it ended, if it did.
func (p *payload) tool(s attach.Sighting) ([]attach.Sighting, error) {
	if !rows.IsID(p.Call) || p.Tool == "" {
		return nil, errPayload
	}
	s.Call = p.Call
	// Both hooks of a call have its parameters, so that a call is known whose beginning was missed.
	called := s
	name, _ := rows.Shorten(p.Tool)
	params, _ := rows.BoundJSON(p.Input, "")
	called.Called = &attach.Called{Tool: name, Params: params}
	if p.Event == "PreToolUse" {
		return []attach.Sighting{called}, nil
	}
	result, cut := rows.BoundJSON(p.Response, "")
	var begun []attach.Sighting
	var text string
	if json.Unmarshal(result, &text) == nil {
		begun = Spawned(s, p.Tool, p.Input, text)
	}
	// What a command wrote is told, and not whether it failed: whoever knows that tells the whole result.
	s.Returned = &attach.Returned{Result: result, Partial: cut || p.Tool == shell}
	return append(append([]attach.Sighting{called}, begun...), s), nil
}

// Spawned returns the sighting that the call s began a sub-agent, if its tool, its parameters and the text that it
// returned say so.
func Spawned(s attach.Sighting, tool string, params json.RawMessage, text string) []attach.Sighting {
	sub := subOf(text)
	if sub == "" || !spawns(tool) {
		return nil
	}
	var input struct {
		Kind string `json:"agent_type"`
	}
	_ = json.Unmarshal(params, &input) // without a kind it is a plain one
	kind, _ := rows.Shorten(or(input.Kind, plainAgent))
	s.Sub, s.Spawned = sub, &attach.Spawned{Kind: kind, Background: true}
	return []attach.Sighting{s}
}

// WritingTools are the program's tools that change something, and all tools of MCP servers, as patterns of a matcher.
var WritingTools = []string{"Bash", "apply_patch", "mcp__.*"}

// remindingEvents are those whose reply may add to what the model reads: the beginnings of a turn and a sub-agent.
var remindingEvents = []string{"UserPromptSubmit", "SubagentStart"}

// Remind returns the reply to a hook, which encodes as JSON and asks the model for its reasons.
var Remind = attach.Reminder(remindingEvents...)

// Commands returns the hooks of the file hooks.json, which run the program at the path candor. If a call asked to leave
// the sandbox and a person approved it, it may.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "codex", Candor: candor, Unit: time.Second,
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart",
			"SubagentStop", "Stop"},
		Before: "PreToolUse", OfTools: []string{"PreToolUse", "PostToolUse"}, AllTools: "*",
		Answered: []string{permissionRequestEvent}, Reminds: remindingEvents,
	}
}

// The lines that SummariesOn writes: into a file that was there, and as a file of its own.
const (
	summaryLine = `model_reasoning_summary = "auto" # candor attach --thinking`
	summaryFile = summaryLine + ", whose file this is\n"
)

// summarySetting finds the setting in config.toml, and what it is set to. Within a table it is that of a profile.
var summarySetting = regexp.MustCompile(`(?m)^[ \t]*["']?model_reasoning_summary["']?[ \t]*=[ \t]*["']?(\w*)`)

// SummariesOn returns config.toml with a first line that has the program ask for summaries of the model's thoughts. One
// that asks for them already stays as it is. An empty file does not exist.
func SummariesOn(config []byte) ([]byte, error) {
	switch found := summarySetting.FindSubmatch(config); {
	case config == nil:
		return []byte(summaryFile), nil
	case found == nil:
		end := "\n"
		if bytes.Contains(config, []byte("\r\n")) {
			end = "\r\n"
		}
		return append([]byte(summaryLine+end), config...), nil
	case string(found[1]) == "none":
		return nil, errors.New("model_reasoning_summary is \"none\": remove it first")
	}
	return config, nil
}

// SummariesBack returns config.toml without the line of SummariesOn; nil if that made the file and nobody wrote to it.
func SummariesBack(config []byte) []byte {
	if string(config) == summaryFile {
		return nil
	}
	for _, ours := range []string{summaryFile, summaryLine + "\r\n", summaryLine + "\n"} {
		if rest, ok := bytes.CutPrefix(config, []byte(ours)); ok {
			return rest
		}
	}
	return config
}
