package gemini

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
var errPayload = errors.New("this is not a Gemini CLI hook payload: it needs session_id and hook_event_name, " +
	"and members of the types that the program gives them")

// payload is what hooks have on their standard input, as far as it is read.
type payload struct {
	// All hooks have these.
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	File    string `json:"transcript_path"`
	CWD     string `json:"cwd"`
	Time    string `json:"timestamp"`

	// BeforeTool, and with the rest AfterTool. None of them says which call it is.
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response struct {
		Content json.RawMessage `json:"llmContent"`
		Display json.RawMessage `json:"returnDisplay"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"tool_response"`

	// What [WithTurn] adds.
	Turn Turn `json:"candor"`

	// What sightings call the agent, and what only hooks of Qwen Code have.
	program string
	more    qwenMembers
}

// Hook returns the sightings in one hook's payload, to which [WithTurn] added the turn. A payload without a turn yields
// facts about the session only: it does not name the prompt, and Hook does not guess the turn of a call. It fails if
// raw is no payload, and with ErrUnknownHook for an unknown hook.
func Hook(raw []byte) ([]attach.Sighting, error) { return hook(raw, payload{program: agent}) }

// hook is Hook for the payload of a program.
func hook(raw []byte, p payload) ([]attach.Sighting, error) {
	if len(raw) > MaxHook {
		return nil, fmt.Errorf("the hook's payload has %d bytes; the limit is %d", len(raw), MaxHook)
	}
	if !p.decode(raw) || p.Event == "" || !rows.IsID(p.Session) || !rows.OptionalID(p.Turn.ID) {
		return nil, errPayload
	}
	switch p.Event {
	case "SessionStart", "BeforeAgent":
		// The prompt has no id, yet.
		return p.about(), nil
	case "BeforeTool", "AfterTool":
		return p.tool()
	case "AfterAgent":
		return p.end(), nil
	case "SubagentStart":
		return p.spawned(), nil
	// They say nothing of decisions. AfterModel comes with each piece of an answer; candor attach sets none of them.
	case "SessionEnd", "Notification", "PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection":
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownHook, rows.PlainKind(p.Event))
}

// decode decodes a payload, and returns false if it is none.
func (p *payload) decode(raw []byte) bool {
	return json.Unmarshal(raw, p) == nil && (p.program != qwen || p.decodeMore(raw))
}

// sighting returns what all sightings of a payload share.
func (p *payload) sighting() attach.Sighting {
	return attach.Sighting{Agent: p.program, Session: p.Session, Channel: attach.Hooks, At: rows.Time(p.Time),
		Turn: p.Turn.ID, Sub: p.more.Sub}
}

// about returns a sighting of the session itself.
func (p *payload) about() []attach.Sighting {
	folder, _ := rows.Shorten(p.CWD)
	if folder == "" {
		return nil
	}
	s := p.sighting()
	s.Turn, s.Sub, s.About = "", "", &attach.About{Folder: folder, Model: p.more.model()}
	return []attach.Sighting{s}
}

// prompted returns the prompt of the turn; ok is false if it is not known.
func (p *payload) prompted() (s attach.Sighting, ok bool) {
	text, _ := rows.Shorten(p.Turn.Prompt)
	s = p.sighting()
	s.At, s.Sub, s.Prompted = rows.Time(p.Turn.Time), "", &attach.Prompted{Text: text, By: rows.PlainKind(p.Turn.By)}
	return s, p.Turn.ID != "" && text != ""
}

// tool returns a call that begins, or how one ended.
func (p *payload) tool() ([]attach.Sighting, error) {
	if p.Tool == "" {
		return nil, errPayload
	}
	prompt, ok := p.prompted()
	if !ok {
		return nil, nil
	}
	s := p.sighting()
	if s.Call = p.more.Call; s.Call == "" {
		s.Unnamed, s.Call = true, p.alike()
	}
	if p.Event == "BeforeTool" {
		s.Called, _ = calledOf(p.Tool, p.Input)
		return []attach.Sighting{prompt, s}, nil
	}
	// The same form as in the file, and so the same result.
	list, ok := parts(p.Response.Content)
	if !ok {
		return nil, errPayload
	}
	s.Returned = &attach.Returned{Took: p.more.took()}
	if failure := firstOf(p.Response.Error.Message, p.more.Error, p.more.Reason); failure != "" {
		s.Returned.Error, _ = rows.Shorten(failure)
		s.Returned.Denied = isRefusal(failure) || p.more.Reason != ""
		s.Returned.Cancelled = p.more.Interrupt && !s.Returned.Denied
	} else {
		output, _ := outcome(list)
		s.Returned.Result, s.Returned.Partial = resultOf(output, p.Response.Display)
	}
	return []attach.Sighting{prompt, s}, nil
}

// alike returns a name that equal calls of a turn share.
func (p *payload) alike() string {
	sum := sha256.Sum256([]byte(p.Tool + "\x00" + string(canonical(p.Input))))
	return "alike_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
}

// end returns the end of the turn. What the hook has of the answer repeats its pieces, so that the file's word is
// taken.
func (p *payload) end() []attach.Sighting {
	prompt, ok := p.prompted()
	if !ok {
		return nil
	}
	s := p.sighting()
	text, _ := rows.Shorten(firstOf(p.more.Answer, p.Turn.Answer))
	if s.Ended = (&attach.Ended{Answer: text}); p.more.Error != "" {
		s.Ended.Answer = ""
		s.Ended.Error, _ = rows.Shorten(firstOf(p.more.Details, p.more.Error))
	}
	return []attach.Sighting{prompt, s}
}

// WritingTools are the program's tools that change something, and all tools of MCP servers, as patterns of a matcher.
var WritingTools = []string{"run_shell_command", "replace", "write_file", "mcp_.*"}

// remindingEvent is the beginning of a turn, where the reply may add to what the model reads.
const remindingEvent = "BeforeAgent"

// Remind returns the reply to a hook, which encodes as JSON and asks the model for its reasons.
var Remind = attach.Reminder(remindingEvent)

// Commands returns the hooks of the file settings.json, which run the program at the path candor.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "gemini", Candor: candor, Unit: time.Millisecond, Named: true,
		Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"},
		Before: "BeforeTool", OfTools: []string{"BeforeTool", "AfterTool"}, AllTools: ".*",
		Reminds: []string{remindingEvent},
	}
}
