package attach

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Channel is a way by which Candor receives facts about another program's agent.
type Channel string

// The channels.
const (
	Hooks     Channel = "hooks"     // the agent reports as it works
	File      Channel = "file"      // the agent's own session file
	Telemetry Channel = "telemetry" // OTLP
	Wrapper   Channel = "wrapper"   // a proxy between the agent and its MCP servers
)

// Question is a call for which a hook waits for a person's answer.
type Question struct {
	Call, Tool string          // as in the sighting of the call
	Arguments  json.RawMessage // with which the program would run it
	Session    string          // the session of the call; set only when a question is asked again
}

// Verdict is the decision about such a call.
type Verdict string

// The verdicts. An empty one lets the program decide as it would without a hook.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Ask   Verdict = "ask" // the program asks the person in front of it
)

// Unanswered is the message that a program whose hooks cannot ask shows its user instead.
const Unanswered = "Nobody answered in Candor, so this call goes ahead under this program's own settings."

// Denied is the message to the model about a call that a person denied, before the person's words.
const Denied = "A person denied this call in Candor."

// Sighting is one fact about an agent's session, as one channel has it. Session, Turn, Sub, Group and Call are ids of
// the agent's own program. They are the same in all of its channels, and join them. Exactly one of the pointers at the
// end is set.
type Sighting struct {
	Agent   string    `json:"agent"`   // claude, codex, gemini, opencode, qwen, copilot, pi
	Session string    `json:"session"` // id of the agent's session
	Channel Channel   `json:"channel"`
	At      time.Time `json:"at,omitzero"`     // by the agent's clock; zero if the channel does not say
	Turn    string    `json:"turn,omitempty"`  // id of the prompt that the fact belongs to; empty if unknown
	Sub     string    `json:"sub,omitempty"`   // id of the sub-agent; empty for the agent that the person speaks to
	Group   string    `json:"group,omitempty"` // id of the model's answer with this fact; empty if unknown
	Index   int       `json:"index,omitempty"` // place within that answer, from 0
	Call    string    `json:"call,omitempty"`  // the provider's id of the tool call

	// Unnamed says that the channel does not know the call's id. Call is then a name that all equal calls of the turn
	// share, which are those of one tool with the same parameters. Only hooks set it, for Called and Returned.
	Unnamed bool `json:"unnamed,omitempty"`

	About    *About    `json:"about,omitempty"`
	Prompted *Prompted `json:"prompted,omitempty"`
	Said     *Said     `json:"said,omitempty"`
	Sealed   *Sealed   `json:"sealed,omitempty"`
	Stopped  *Stopped  `json:"stopped,omitempty"`
	Called   *Called   `json:"called,omitempty"`
	Returned *Returned `json:"returned,omitempty"`
	Batched  *Batched  `json:"batched,omitempty"`
	Spawned  *Spawned  `json:"spawned,omitempty"`
	Used     *Used     `json:"used,omitempty"`
	Ended    *Ended    `json:"ended,omitempty"`
}

// About describes the session itself. A member is empty if the channel does not know it.
type About struct {
	Version string `json:"version,omitempty"` // of the agent's program
	Model   string `json:"model,omitempty"`
	Folder  string `json:"folder,omitempty"` // working directory
	Title   string `json:"title,omitempty"`
	ForkOf  string `json:"fork_of,omitempty"` // the session whose history this one continues
}

// Prompted is a message that begins a turn. A person wrote it unless By names another source, such as
// task-notification, with which Claude Code informs the model that a sub-agent ended.
type Prompted struct {
	Text string `json:"text"`
	By   string `json:"by,omitempty"`
}

// Said is text of the model. Text before calls is a narrative and never stands in for a reason. Final says that the
// agent knows the text to be the turn's answer. Summary says that it is the provider's summary of the model's
// reasoning, or the reasoning itself, and not addressed to the person. If a hook reports a text in pieces, Message is
// any id that all pieces of the text share; the indexes of the sightings order them. Lost says that something of the
// file was lost at this place, and Text is empty.
type Said struct {
	Text    string `json:"text"`
	Message string `json:"message,omitempty"`
	Final   bool   `json:"final,omitempty"`
	Summary bool   `json:"summary,omitempty"`
	Lost    bool   `json:"lost,omitempty"`
}

// Sealed reports reasoning that only its provider can read. Its content is dropped unread.
type Sealed struct {
	Bytes int `json:"bytes"`
}

// Stopped says why the model ended the answer Sighting.Group, in the word of its provider or of the agent's program,
// such as max_tokens. Words for an end that is none, such as end_turn, may be told as well.
type Stopped struct {
	Reason string `json:"reason"`
}

// NoCall is the Reason of an answer that ended in order to call tools, and has no call.
const NoCall = "no_call"

// Called is a tool call that the model requested.
type Called struct {
	Tool   string          `json:"tool"`
	Params json.RawMessage `json:"params,omitempty"`
	Reason string          `json:"reason,omitempty"` // given by the model for this very call
}

// Returned says how a call ended. Result is null or absent if Error is set.
type Returned struct {
	Result    json.RawMessage `json:"result,omitempty"`
	Error     string          `json:"error,omitempty"`
	Denied    bool            `json:"denied,omitempty"`    // a person or a rule refused it
	Cancelled bool            `json:"cancelled,omitempty"` // it was stopped
	Partial   bool            `json:"partial,omitempty"`   // the channel has only the beginning of the result
	Took      time.Duration   `json:"took,omitempty"`      // in nanoseconds; zero if unknown
}

// Batched names all calls of one answer of the model, in the order in which it made them. They may have run side by
// side.
type Batched struct {
	Calls []string `json:"calls"`
}

// Spawned says that the call Sighting.Call started the sub-agent Sighting.Sub; Call is empty if the channel does not
// know it. The sub-agent's answer is the call's result. If the sub-agent works in the background, the call returned at
// once, and the answer is in the sub-agent's own Ended.
type Spawned struct {
	Kind   string `json:"kind,omitempty"` // the program's name for it
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`

	Background bool `json:"background,omitempty"`
}

// Used is the usage of the model's answer Sighting.Group. If there are several, the one with the largest Output counts.
type Used struct {
	Input     int `json:"input,omitempty"`
	Output    int `json:"output,omitempty"`
	Reasoning int `json:"reasoning,omitempty"`
	Cached    int `json:"cached,omitempty"`
}

// Ended says that the turn is over. Interrupted says that the person stopped it, Error that it failed.
type Ended struct {
	Answer      string `json:"answer,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	Error       string `json:"error,omitempty"`
}

// noName are the characters that the name of an agent may not have.
var noName = regexp.MustCompile(`[^a-z0-9]+`)

// maxAgent bounds the name of an agent, in bytes.
const maxAgent = 32

// AgentName makes the name of an agent of what an MCP client calls itself: small letters, digits and dashes. The
// client's own name has to be cleaned before, since nobody would find a secret in what this returns.
func AgentName(said string) string {
	// A stranger's name may have any length, and most of it would be cut anyway.
	if len(said) > 1024 {
		said = said[:1024]
	}
	name := strings.Trim(noName.ReplaceAllString(strings.ToLower(said), "-"), "-")
	if name == "" {
		return "mcp-client"
	}
	if name[0] >= '0' && name[0] <= '9' {
		name = "mcp-" + name
	}
	return strings.TrimRight(name[:min(len(name), maxAgent)], "-")
}

// reasonRequest asks a model for the reason of each call, in the form that package session recognizes in the text
// before the call.
const reasonRequest = "Before every tool call, write one line of plain text that says why you make this call now: " +
	"\"Reason for <tool name>: <one sentence>\". When you call several tools at once, write one such line for each, " +
	"in the order of the calls. Say what you want to learn or change by it, not what the tool does."

// reasonLine matches lines of that form, with the marks that models write around them, but not quoted ones.
var reasonLine = regexp.MustCompile("(?im)^[ \\t*_+\u2022-]*(?:\\(?\\d{1,3}[.)]+)?[ \\t*_]*reason for " +
	"[*_`\"']*[\\w./-]+" +
	"[*_`\"']*(?:\\s?[(\\[].{0,200}?[)\\]][*_`]*)?(?:\\s*:|\\s+[-\u2013\u2014]{1,2}\\s)[*_\\s]*[^\\s*_]")

// CountReasons returns how many lines of the model's text give the reason of a call.
func CountReasons(text string) int { return len(reasonLine.FindAllStringIndex(text, -1)) }

// Reminder returns a function that makes the reply to a hook's payload, which encodes as JSON. For the given events the
// reply asks the model for the reasons of its calls; for all others it is empty. Claude Code, Codex and Gemini CLI read
// the same form, in which a hook may add to the model's input beside the prompt.
func Reminder(events ...string) func(payload []byte) any {
	type added struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	type reply struct {
		Specific *added `json:"hookSpecificOutput,omitempty"`
	}
	return func(payload []byte) any {
		var p struct {
			Event string `json:"hook_event_name"`
		}
		if json.Unmarshal(payload, &p) != nil || !slices.Contains(events, p.Event) {
			return reply{}
		}
		return reply{&added{p.Event, reasonRequest}}
	}
}
