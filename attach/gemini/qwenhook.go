package gemini

import (
	"encoding/json"
	"io"
	"time"

	"candor/attach"
	"candor/attach/rows"
	"candor/attach/settings"
)

// Qwen Code's hooks have the names, and most of the members, of Claude Code's, and the members of Gemini CLI's for what
// a tool returned. Unlike Gemini CLI's, they name the call by the id that the file has, and the sub-agent. They do not
// name the prompt by the file's id, which [WithQwenTurn] looks up.
//
// [Reply] answers them, too: version 0.24.4 reads deny in that form. It ignores allow, whatever its documents say, and
// takes ask for deny where nobody sits at it.

// qwenEvents are the hooks of Qwen Code that are read, and the hooks of Gemini CLI that tell the same.
var qwenEvents = map[string]string{
	"SessionStart": "SessionStart", "UserPromptSubmit": "BeforeAgent", "PreToolUse": "BeforeTool",
	"PostToolUse": "AfterTool", "PostToolUseFailure": "AfterTool", "PermissionDenied": "AfterTool",
	"SubagentStart": "SubagentStart", "SubagentStop": "AfterAgent", "Stop": "AfterAgent", "StopFailure": "AfterAgent",
	// They say nothing of decisions, or are not told of one answer of the model at a time.
	"SessionEnd": "SessionEnd", "Notification": "SessionEnd", "PermissionRequest": "SessionEnd",
	"PreCompact": "SessionEnd", "PostCompact": "SessionEnd", "MessageDisplay": "SessionEnd",
	"PostToolBatch": "SessionEnd",
}

// qwenMembers are the members of a payload that only Qwen Code has.
type qwenMembers struct {
	Sub       string  `json:"agent_id"`
	Kind      string  `json:"agent_type"`
	Model     string  `json:"model"`
	Call      string  `json:"tool_call_id"`
	Took      float64 `json:"duration_ms"`
	Error     string  `json:"error"`
	Details   string  `json:"error_details"`
	Reason    string  `json:"reason"` // of a refusal
	Interrupt bool    `json:"is_interrupt"`
	Answer    string  `json:"last_assistant_message"`
}

// QwenHook is Hook for a payload of Qwen Code, to which [WithQwenTurn] added the turn.
func QwenHook(raw []byte) ([]attach.Sighting, error) { return hook(raw, payload{program: qwen}) }

// QwenQuestion is Question for a payload of Qwen Code.
func QwenQuestion(raw []byte) (q attach.Question, ok bool) {
	return question(raw, payload{program: qwen})
}

// decodeMore decodes what only Qwen Code has.
func (p *payload) decodeMore(raw []byte) bool {
	if json.Unmarshal(raw, &p.more) != nil || !rows.OptionalID(p.more.Sub) || !rows.OptionalID(p.more.Call) {
		return false
	}
	if p.Event != "PermissionDenied" {
		p.more.Reason = "" // why a session ended
	}
	if known := qwenEvents[p.Event]; known != "" {
		p.Event = known
	} else if p.Event != "" {
		p.Event = "unknown " + p.Event // Gemini CLI may have one of the name
	}
	return true
}

// model returns the model's name, bounded.
func (m *qwenMembers) model() string {
	name, _ := rows.Shorten(m.Model)
	return name
}

// took returns how long a call took; 0 if that is not known.
func (m *qwenMembers) took() time.Duration {
	if m.Took > 0 && m.Took < float64(24*time.Hour/time.Millisecond) {
		return time.Duration(m.Took * float64(time.Millisecond))
	}
	return 0
}

// spawned returns that a sub-agent began. The hook does not name the call.
func (p *payload) spawned() []attach.Sighting {
	prompt, ok := p.prompted()
	if !ok || p.more.Sub == "" {
		return nil
	}
	s := p.sighting()
	kind, _ := rows.Shorten(p.more.Kind)
	s.Spawned = &attach.Spawned{Kind: kind}
	return []attach.Sighting{prompt, s}
}

// WithQwenTurn is WithTurn for a payload of Qwen Code.
func WithQwenTurn(raw []byte, open func(path string) (io.ReadSeekCloser, error)) []byte {
	p := payload{program: qwen}
	if !p.decode(raw) || p.File == "" {
		return raw
	}
	switch p.Event {
	case "BeforeTool", "AfterTool", "AfterAgent", "SubagentStart":
		return rows.Complete(raw, p.File, open, latestOfQwen)
	}
	return raw
}

// latestOfQwen returns the latest turn in a session file of Qwen Code.
func latestOfQwen(file io.ReadSeeker) (t Turn, ok bool) {
	err := rows.Backward(file, func(line []byte) bool {
		in, isRow := decodeQwen(line)
		if !isRow || in.Sidechain || in.Forked.Session != "" || !in.asks() {
			return true
		}
		var list []qwenPart
		_ = json.Unmarshal(in.Message.Parts, &list) // parts of other types are no text
		text, _ := rows.Shorten(in.text(list))
		if text == "" || ofClient.MatchString(text) {
			return true
		}
		t = Turn{ID: rowID(&in), Prompt: text, By: in.Subtype, Time: in.Time}
		return false
	})
	return t, err == nil && t.ID != ""
}

// remindQwen asks for reasons in the reply to the hook of a prompt.
var remindQwen = attach.Reminder("UserPromptSubmit")

// RemindQwen is Remind for a payload of Qwen Code. The program has the same hook again, without a prompt, each time it
// sends the model the results of calls, where the model was asked already.
func RemindQwen(raw []byte) any {
	var p struct {
		Prompt string `json:"prompt"`
	}
	if json.Unmarshal(raw, &p) != nil || p.Prompt == "" {
		raw = nil
	}
	return remindQwen(raw)
}

// QwenWritingTools are WritingTools of Qwen Code.
var QwenWritingTools = []string{"run_shell_command", "edit", "write_file", "notebook_edit", "mcp__.*"}

// QwenCommands is Commands for Qwen Code, which counts the time that a hook may take in seconds.
func QwenCommands(candor string) settings.Commands {
	return settings.Commands{
		Program: qwen, Candor: candor, Unit: time.Second, Named: true,
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
			"PermissionDenied", "SubagentStart", "SubagentStop", "Stop", "StopFailure"},
		Before: "PreToolUse", OfTools: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"},
		AllTools: "*", Reminds: []string{"UserPromptSubmit"},
	}
}
